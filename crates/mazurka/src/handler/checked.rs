//! Handlers of an exploration.
//!
//! Some rarer features cost events, so they are paid for only by programs that use them: the first use is a fact
//! that the exploration learns and begins anew with ([`Fact`]).
//!
//! - [`Fact::HandlersQuit`]: every message first reads whether its handler has quit.
//! - [`Fact::MessagesAwaited`]: every message last tells whoever awaits it.
//! - [`Fact::FrontPosts`]: a FIFO handler is a chain of threads, each of which waits for the one before and runs
//!   what is then at the front of a queue.

use super::message::MessageError;
use crate::runtime::context::{
    Presence, announce, knows, learn, performed, performed_join, presence, with,
};
use crate::runtime::coroutine::Body;
use crate::runtime::knowledge::Fact;
use crate::runtime::names::{HandlerInfo, ObjectInfo, Place};
use crate::runtime::state::Source;
use crate::task::TaskCell;
use crate::thread::{Packet, fork};
use mazurka_engine::{HandlerId, Mailbox, Mode, ObjectId, Operation, TaskId};
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

#[derive(Clone)]
pub(crate) struct CheckedHandler {
    id: HandlerId,
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    mailbox: Mailbox,
    quit: AtomicBool,
    quit_object: ObjectId,
    chain: Mutex<Chain>,
    chain_object: ObjectId,
}

/// The queue of a handler that is posted to at the front.
#[derive(Default)]
struct Chain {
    jobs: VecDeque<SendBody>,
    last: Option<TaskId>,
}

/// The code of a message. It came from a closure that is `Send`.
struct SendBody(Box<dyn FnOnce() + Send>);

/// A posted message and its result.
pub(super) struct CheckedMessage<R> {
    posted: Posted,
    letter: Letter<R>,
}

/// Where a message leaves its result, and whom it tells then.
struct Letter<R> {
    packet: Packet<R>,
    /// For programs that await messages.
    bell: Option<Arc<TaskCell<()>>>,
}

impl<R> Clone for Letter<R> {
    fn clone(&self) -> Self {
        Letter { packet: self.packet.clone(), bell: self.bell.clone() }
    }
}

impl<R> Letter<R> {
    fn new(source: Source) -> Self {
        let rings = presence() == Presence::Task && knows(Fact::MessagesAwaited);
        Letter { packet: Packet::new(), bell: rings.then(|| TaskCell::without_future(source)) }
    }

    /// The message has run, or never will.
    fn done(&self) {
        if let Some(bell) = &self.bell {
            bell.finish(Ok(()));
        }
    }
}

enum Posted {
    /// It was posted while the execution was abandoned.
    Never,
    /// It runs as this task.
    Task(TaskId),
    /// This thread posts it, and leaves here as which task.
    By(TaskId, Packet<Option<TaskId>>),
    /// It runs in some task of a chain, and gives a permit to this semaphore.
    Signals(ObjectId),
}

impl<R> CheckedMessage<R> {
    pub(super) fn join(self, source: Source) -> Result<R, MessageError> {
        if presence() == Presence::Task {
            match &self.posted {
                Posted::Never => {}
                Posted::Task(task) => join_task(*task, source),
                Posted::By(helper, task) => {
                    join_task(*helper, source);
                    if let Some(Ok(Some(task))) = task.take() {
                        join_task(task, source);
                    }
                }
                Posted::Signals(done) => {
                    announce(Operation::Access(*done, Mode::Wait), source);
                    performed(*done, Mode::Wait, 0, 0);
                }
            }
        }
        self.result()
    }

    /// The result, or a waker for when there is one.
    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Result<R, MessageError>> {
        if presence() == Presence::Task {
            learn(Fact::MessagesAwaited);
            if let Some(bell) = &self.letter.bell
                && bell.poll_result(context).is_pending()
            {
                return Poll::Pending;
            }
        }
        Poll::Ready(self.result())
    }

    fn result(&self) -> Result<R, MessageError> {
        match self.letter.packet.take() {
            Some(result) => result.map_err(MessageError::Panicked),
            None => Err(MessageError::Dropped),
        }
    }
}

fn join_task(task: TaskId, source: Source) {
    announce(Operation::Join(task), source);
    performed_join(task);
}

impl CheckedHandler {
    #[track_caller]
    pub(super) fn spawn(name: String, mailbox: Mailbox) -> Self {
        Self::spawn_at(name, mailbox, Location::caller())
    }

    pub(super) fn spawn_at(name: String, mailbox: Mailbox, made_at: Source) -> Self {
        let info = || HandlerInfo { name: name.clone(), mailbox };
        let id = with(|state| state.new_handler(info));
        Self::new(id, name, mailbox, made_at)
    }

    /// A worker of the executor: it has the same number whoever needs it first.
    pub(super) fn worker(number: u32, made_at: Source) -> Self {
        let name = format!("worker {}", number + 1);
        let info = || HandlerInfo { name: name.clone(), mailbox: Mailbox::Multiset };
        let id = with(|state| state.names.worker(number, info));
        Self::new(id, name, Mailbox::Multiset, made_at)
    }

    fn new(id: HandlerId, name: String, mailbox: Mailbox, made_at: Source) -> Self {
        let (quit_object, chain_object) = with(|state| {
            let quit = ObjectInfo::of_runtime("quit flag", made_at);
            let chain = ObjectInfo::of_runtime("mailbox", made_at);
            let quit = state.names.object(state.epoch, Place::Quit(id), quit);
            (quit, state.names.object(state.epoch, Place::Chain(id), chain))
        });
        let shared = Shared {
            name,
            mailbox,
            quit: AtomicBool::new(false),
            quit_object,
            chain: Mutex::default(),
            chain_object,
        };
        CheckedHandler { id, shared: Arc::new(shared) }
    }

    pub(super) fn name(&self) -> &str {
        &self.shared.name
    }

    pub(super) fn post<F, R>(&self, code: F, source: Source) -> CheckedMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let letter = Letter::new(source);
        if presence() != Presence::Task {
            return CheckedMessage { posted: Posted::Never, letter };
        }
        if self.is_chain() {
            return self.post_to_chain(code, letter, false, source);
        }
        let task = self.post_now(code, letter.clone(), source);
        CheckedMessage { posted: Posted::Task(task), letter }
    }

    pub(super) fn post_delayed<F, R>(&self, code: F, source: Source) -> CheckedMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let letter = Letter::new(source);
        if presence() != Presence::Task {
            return CheckedMessage { posted: Posted::Never, letter };
        }
        let (handler, inside) = (self.clone(), letter.clone());
        let task = Packet::new();
        let (left, chain) = (task.clone(), self.is_chain());
        let done = chain.then(|| self.new_semaphore(source));
        let helper: Body = Box::new(move || {
            left.run(|| match done {
                None => Some(handler.post_now(code, inside, source)),
                Some(done) => {
                    handler.enqueue(code, inside, done, false, source);
                    None
                }
            });
        });
        let name = Arc::from(format!("timer of {}", self.shared.name));
        let helper = fork(Some(name), None, helper, source);
        let posted = match done {
            None => Posted::By(helper, task),
            Some(done) => Posted::Signals(done),
        };
        CheckedMessage { posted, letter }
    }

    pub(super) fn post_front<F, R>(&self, code: F, source: Source) -> CheckedMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        if presence() != Presence::Task || self.shared.mailbox == Mailbox::Multiset {
            return self.post(code, source);
        }
        learn(Fact::FrontPosts);
        self.post_to_chain(code, Letter::new(source), true, source)
    }

    pub(super) fn quit(&self, source: Source) {
        if presence() == Presence::Task {
            learn(Fact::HandlersQuit);
            announce(Operation::Access(self.shared.quit_object, Mode::Write), source);
            self.shared.quit.store(true, Relaxed);
            performed(self.shared.quit_object, Mode::Write, 0, 1);
        }
    }

    fn is_chain(&self) -> bool {
        self.shared.mailbox == Mailbox::Fifo && knows(Fact::FrontPosts)
    }

    /// The post as an event, with a message task of its own.
    fn post_now<F, R>(&self, code: F, letter: Letter<R>, source: Source) -> TaskId
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let handler = self.clone();
        let body: Body = Box::new(move || handler.run(code, &letter, source));
        announce(Operation::Post(self.id), source);
        with(|state| state.post(self.id, std::any::type_name::<F>(), body, source))
    }

    /// The life of a message.
    fn run<R>(&self, code: impl FnOnce() -> R, letter: &Letter<R>, source: Source) {
        if knows(Fact::HandlersQuit) {
            let object = self.shared.quit_object;
            announce(Operation::Access(object, Mode::Read), source);
            let quit = self.shared.quit.load(Relaxed);
            performed(object, Mode::Read, i64::from(quit), 0);
            if quit {
                return letter.done();
            }
        }
        letter.packet.run(code);
        letter.done();
    }

    fn post_to_chain<F, R>(
        &self,
        code: F,
        letter: Letter<R>,
        front: bool,
        source: Source,
    ) -> CheckedMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let done = self.new_semaphore(source);
        self.enqueue(code, letter.clone(), done, front, source);
        CheckedMessage { posted: Posted::Signals(done), letter }
    }

    fn new_semaphore(&self, source: Source) -> ObjectId {
        with(|state| state.new_object(ObjectInfo::of_runtime("message", source)))
    }

    fn chain(&self) -> std::sync::MutexGuard<'_, Chain> {
        self.shared.chain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message into the queue and starts one more thread that takes from it.
    fn enqueue<F, R>(&self, code: F, letter: Letter<R>, done: ObjectId, front: bool, source: Source)
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let handler = self.clone();
        let job = SendBody(Box::new(move || {
            handler.run(code, &letter, source);
            announce(Operation::Access(done, Mode::Signal), source);
            performed(done, Mode::Signal, 0, 0);
        }));
        let object = self.shared.chain_object;
        announce(Operation::Access(object, Mode::Update), source);
        let worker = with(|state| state.next_child());
        let mut chain = self.chain();
        if front {
            chain.jobs.push_front(job);
        } else {
            chain.jobs.push_back(job);
        }
        let before = chain.last.replace(worker);
        drop(chain);
        performed(object, Mode::Update, 0, 0);
        let handler = self.clone();
        let body: Body = Box::new(move || handler.work(before, source));
        announce(Operation::Fork, source);
        let name: Arc<str> = Arc::from(self.shared.name.as_str());
        with(|state| state.fork_as(worker, Some(name), body, source));
    }

    /// Waits for the thread before, and runs what is at the front of the queue.
    fn work(&self, before: Option<TaskId>, source: Source) {
        if let Some(before) = before {
            join_task(before, source);
        }
        let object = self.shared.chain_object;
        announce(Operation::Access(object, Mode::Update), source);
        let job = self.chain().jobs.pop_front();
        performed(object, Mode::Update, 0, 0);
        if let Some(SendBody(job)) = job {
            job();
        }
    }
}

//! Handlers: which messages were posted to them, and which events start and end a message.

use super::log::Event;
use crate::bits;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::program::{Mailbox, Run};

/// What is known of the handlers that have been posted to.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// For each task, its handler.
    of_task: Vec<Option<HandlerId>>,
    handlers: Vec<Handler>,
    /// The events that handlers take note of, as a set: those that start or end a message, and those that post to a FIFO mailbox.
    noted: Vec<u64>,
    /// The starts of messages that go on without waiting, as a set.
    going_on: Vec<u64>,
}

/// A handler. Events are sets, which are as long as their last member asks for: there may be many handlers, and most of them have few messages.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub mailbox: Mailbox,
    /// The messages posted to it, in the order of the posts.
    pub posted: Vec<TaskId>,
    /// The events that post to it.
    pub posts: Vec<u64>,
    /// The events that start a message there.
    pub starts: Vec<u64>,
    /// The events that end one.
    pub ends: Vec<u64>,
}

impl Turns {
    pub fn new(words: usize) -> Self {
        Turns {
            of_task: Vec::new(),
            handlers: Vec::new(),
            noted: vec![0; words],
            going_on: vec![0; words],
        }
    }

    /// The handler of `task`, once it was posted.
    #[inline]
    pub fn of(&self, task: TaskId) -> Option<HandlerId> {
        self.of_task.get(task.index()).copied().flatten()
    }

    /// A handler that has been posted to.
    #[inline]
    pub fn handler(&self, handler: HandlerId) -> &Handler {
        &self.handlers[handler.index()]
    }

    /// One that perhaps has not.
    pub fn known(&self, handler: HandlerId) -> Option<&Handler> {
        self.handlers.get(handler.index())
    }

    pub fn handler_count(&self) -> usize {
        self.handlers.len()
    }

    /// The events that handlers take note of.
    pub fn noted(&self) -> &[u64] {
        &self.noted
    }

    /// The starts of messages that go on.
    #[inline]
    pub fn going_on(&self) -> &[u64] {
        &self.going_on
    }

    /// A message goes on behind its start.
    #[inline]
    pub fn go_on(&mut self, start: usize) {
        bits::insert(&mut self.going_on, start);
    }

    /// That is taken back.
    #[inline]
    pub fn stay(&mut self, start: usize) {
        bits::remove(&mut self.going_on, start);
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        let of_handler = |handler: &Handler| {
            let Handler { posted, posts, starts, ends, .. } = handler;
            let sets = [posts, starts, ends].map(|set| size_of_val(set.as_slice()));
            size_of_val(handler) + size_of_val(posted.as_slice()) + sets.iter().sum::<usize>()
        };
        self.handlers.iter().map(of_handler).sum()
    }

    /// Sets of all events need so many words from now on.
    pub fn widen(&mut self, words: usize) {
        self.noted.resize(words, 0);
        self.going_on.resize(words, 0);
    }

    /// Takes note of a new event.
    #[inline]
    pub fn push(&mut self, run: &impl Run, position: usize, event: &Event) {
        match event.effect {
            Effect::Post(message, to) => self.post(run, position, message, to),
            Effect::Fork(child) => self.note_handler(child, run.handler(child)),
            _ => {}
        }
        let starts = event.effect == Effect::Start;
        if !starts && !event.ends_task {
            return;
        }
        let Some(handler) = self.of(event.task) else { return };
        bits::insert(&mut self.noted, position);
        let handler = &mut self.handlers[handler.index()];
        if starts {
            insert(&mut handler.starts, position);
        }
        if event.ends_task {
            insert(&mut handler.ends, position);
        }
    }

    fn post(&mut self, run: &impl Run, position: usize, message: TaskId, to: HandlerId) {
        self.note_handler(message, run.handler(message));
        self.reserve(to);
        let handler = &mut self.handlers[to.index()];
        handler.mailbox = run.mailbox(to);
        handler.posted.push(message);
        insert(&mut handler.posts, position);
        if handler.mailbox == Mailbox::Fifo {
            bits::insert(&mut self.noted, position);
        }
    }

    fn note_handler(&mut self, task: TaskId, handler: Option<HandlerId>) {
        if self.of_task.len() <= task.index() {
            self.of_task.resize(task.index() + 1, None);
        }
        self.of_task[task.index()] = handler;
    }

    fn reserve(&mut self, handler: HandlerId) {
        if self.handlers.len() <= handler.index() {
            let (posts, starts, ends) = (Vec::new(), Vec::new(), Vec::new());
            let new = Handler { mailbox: Mailbox::Fifo, posted: Vec::new(), posts, starts, ends };
            self.handlers.resize(handler.index() + 1, new);
        }
    }

    /// Takes the last event back.
    #[inline]
    pub fn pop(&mut self, position: usize, event: &Event) {
        let starts = event.effect == Effect::Start;
        if (starts || event.ends_task)
            && let Some(handler) = self.of(event.task)
        {
            bits::remove(&mut self.noted, position);
            let handler = &mut self.handlers[handler.index()];
            if starts {
                bits::remove(&mut handler.starts, position);
            }
            if event.ends_task {
                bits::remove(&mut handler.ends, position);
            }
        }
        if let Effect::Post(_, to) = event.effect {
            let handler = &mut self.handlers[to.index()];
            handler.posted.pop();
            bits::remove(&mut handler.posts, position);
            bits::remove(&mut self.noted, position);
        }
    }
}

/// Puts an event into a set that may be too short for it.
fn insert(set: &mut Vec<u64>, position: usize) {
    if set.len() <= position / 64 {
        set.resize(position / 64 + 1, 0);
    }
    bits::insert(set, position);
}

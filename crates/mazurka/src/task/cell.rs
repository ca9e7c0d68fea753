//! A task: its future, whether it is scheduled, and its result.

use super::join::JoinError;
use crate::future::block_on;
use crate::handler::PollHandler;
use crate::runtime::context::{Presence, presence, with};
use crate::runtime::panics;
use crate::runtime::state::Source;
use crate::tokio::sync::shared::{Done, Shared};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Shared by the task's wakers, its polls and its handles.
pub(crate) struct TaskCell<T> {
    /// Only the task's polls touch it, and they never overlap.
    future: Mutex<Option<Boxed<T>>>,
    schedule: Shared<Schedule>,
    completion: Shared<Completion<T>>,
    handler: Option<PollHandler>,
    source: Source,
}

#[derive(Debug, Default)]
struct Schedule {
    /// Is there a poll that has not begun?
    scheduled: bool,
    aborted: bool,
}

struct Completion<T> {
    result: Option<Result<T, JoinError>>,
    finished: bool,
    waiting: Option<Waker>,
}

impl<T: Send + 'static> TaskCell<T> {
    pub(super) fn spawn(
        future: impl Future<Output = T> + Send + 'static,
        source: Source,
    ) -> Arc<Self> {
        let cell = Arc::new(TaskCell {
            handler: (presence() == Presence::Task).then(|| PollHandler::next(source)),
            future: Mutex::new(Some(Box::pin(future))),
            ..TaskCell::empty(source)
        });
        match presence() {
            Presence::Task => {
                with(|state| state.unfinished_futures += 1);
                cell.wake_by_ref();
            }
            Presence::Outside => {
                let inside = Arc::clone(&cell);
                std::thread::spawn(move || {
                    let future = inside.take_future().expect("the future has not been polled");
                    let result =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| block_on(future)));
                    inside.finish(result.map_err(JoinError::panicked));
                });
            }
        }
        cell
    }

    pub(crate) fn without_future(source: Source) -> Arc<Self> {
        Arc::new(TaskCell::empty(source))
    }

    fn empty(source: Source) -> Self {
        TaskCell {
            future: Mutex::new(None),
            schedule: Shared::made_at("task", Schedule::default(), source),
            completion: Shared::made_at(
                "task's end",
                Completion { result: None, finished: false, waiting: None },
                source,
            ),
            handler: None,
            source,
        }
    }

    fn take_future(&self) -> Option<Boxed<T>> {
        self.future.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// One poll, as a message of the task's handler.
    fn poll(self: Arc<Self>) {
        let aborted = self.schedule.operate_at(self.source, |schedule| {
            schedule.scheduled = false;
            Done::changed(schedule.aborted)
        });
        let Some(mut future) = self.take_future() else { return };
        if aborted {
            drop(future);
            self.finish(Err(JoinError::cancelled()));
            return;
        }
        let waker = Waker::from(Arc::clone(&self));
        let polled = panics::run_task(|| {
            let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
            if polled.is_ready() {
                drop(future);
                return (polled, None);
            }
            (polled, Some(future))
        });
        match polled {
            Ok((Poll::Ready(output), _)) => self.finish(Ok(output)),
            Ok((Poll::Pending, future)) => {
                *self.future.lock().unwrap_or_else(PoisonError::into_inner) = future;
            }
            Err(payload) => self.finish(Err(JoinError::panicked(payload))),
        }
    }

    /// The task has a result.
    pub(crate) fn finish(&self, result: Result<T, JoinError>) {
        if self.handler.is_some() && presence() == Presence::Task {
            with(|state| state.unfinished_futures -= 1);
        }
        self.completion.operate_at(self.source, |completion| {
            completion.result = Some(result);
            completion.finished = true;
            Done::waking((), completion.waiting.take())
        });
    }

    /// The result, or a waker for when there is one.
    pub(crate) fn poll_result(&self, context: &Context<'_>) -> Poll<Result<T, JoinError>> {
        self.completion.operate_at(self.source, |completion| match completion.result.take() {
            Some(result) => Done::changed(Poll::Ready(result)),
            None => {
                completion.waiting = Some(context.waker().clone());
                Done::changed(Poll::Pending)
            }
        })
    }

    pub(super) fn is_finished(&self) -> bool {
        self.completion.look(|completion| completion.finished)
    }

    /// The task is polled no more; its future is dropped.
    pub(super) fn abort(self: &Arc<Self>) {
        self.schedule.operate_at(self.source, |schedule| {
            schedule.aborted = true;
            Done::changed(())
        });
        self.wake_by_ref();
    }
}

impl<T: Send + 'static> Wake for TaskCell<T> {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let (Presence::Task, Some(handler)) = (presence(), &self.handler) else { return };
        let first = self.schedule.operate_at(self.source, |schedule| {
            if std::mem::replace(&mut schedule.scheduled, true) {
                Done::looked(false)
            } else {
                Done::changed(true)
            }
        });
        if first {
            let cell = Arc::clone(self);
            handler.post(move || cell.poll(), self.source);
        }
    }
}

//! The handlers on which asynchronous tasks are polled.

use super::checked::CheckedHandler;
use crate::runtime::context::with;
use crate::runtime::state::Source;
use mazurka_engine::Mailbox;

/// A handler for the polls of tasks.
#[derive(Clone)]
pub(crate) struct PollHandler(CheckedHandler);

impl PollHandler {
    /// The handler for the running task's next asynchronous child: one of its own, or one of the workers in
    /// turn.
    pub(crate) fn next(source: Source) -> Self {
        let (creator, k, workers) = with(|state| {
            let creator = state.current;
            let task = state.current_task();
            task.async_children += 1;
            (creator, task.async_children, state.settings.workers)
        });
        let name = || {
            with(|state| {
                format!("task {}.{k}", state.task_names.path(creator, &|_| "main".to_owned()))
            })
        };
        match workers {
            None => PollHandler(CheckedHandler::spawn_at(name(), Mailbox::Multiset, source)),
            Some(workers) => Self::worker((k - 1) % workers.max(1), source),
        }
    }

    /// The handler of a worker, made when it is first needed. Its name must not depend on who needs it first.
    fn worker(number: u32, source: Source) -> Self {
        if let Some(handler) = with(|state| state.workers.get(number as usize).cloned().flatten()) {
            return PollHandler(handler);
        }
        let handler = CheckedHandler::worker(number, source);
        with(|state| {
            if state.workers.len() <= number as usize {
                state.workers.resize(number as usize + 1, None);
            }
            state.workers[number as usize] = Some(handler.clone());
        });
        PollHandler(handler)
    }

    /// Posts a poll.
    pub(crate) fn post(&self, poll: impl FnOnce() + Send + 'static, source: Source) {
        drop(self.0.post(poll, source));
    }
}

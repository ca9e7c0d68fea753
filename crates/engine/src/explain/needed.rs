//! Which events of an execution a failure in the middle of it needs.

use super::walker::Walker;
use crate::bits;
use crate::ids::TaskId;
use crate::program::{Mailbox, Program};

impl<'p, P: Program> Walker<'p, P> {
    /// The events that happen before the last one, and those without which they could not be performed in this order: a
    /// handler must have ended what it began, and a queue hands out what came first.
    pub(super) fn needed_for_last(&self) -> Vec<bool> {
        let execution = &self.execution;
        let last = execution.len() - 1;
        let mut needed: Vec<bool> = vec![false; execution.len()];
        let mut open = vec![last];
        while let Some(event) = open.pop() {
            if std::mem::replace(&mut needed[event], true) {
                continue;
            }
            let before = execution.before(event);
            open.extend((0..event).filter(|&it| bits::contains(&before, it)));
            if open.is_empty() {
                open = self.missing(&needed);
            }
        }
        needed
    }

    /// Events that those which are needed cannot do without.
    fn missing(&self, needed: &[bool]) -> Vec<usize> {
        let execution = &self.execution;
        let mut missing = Vec::new();
        let is_needed = |event: Option<usize>| event.is_some_and(|event| needed[event]);
        for handler in (0..execution.handler_count()).map(|it| it.into()) {
            let posted = execution.posted(handler);
            let started: Vec<(usize, TaskId)> = posted
                .iter()
                .filter_map(|&message| Some((execution.start_of(message)?, message)))
                .collect();
            let last = started.iter().map(|it| it.0).filter(|&start| needed[start]).max();
            let Some(last) = last else { continue };
            let is_queue = execution.mailbox(handler) == Mailbox::Fifo;
            for &(start, message) in started.iter().filter(|it| it.0 < last) {
                let waits_before = is_queue && is_needed(execution.creator(message));
                if needed[start] || waits_before {
                    let events = execution.events_of(message).iter().map(|&it| it as usize);
                    missing.extend(events.filter(|&event| !needed[event]));
                }
            }
        }
        missing
    }
}

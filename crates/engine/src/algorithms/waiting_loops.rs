//! Messages that wait in a loop for what a later message of their handler would bring about.
//!
//! Behind that other message the loop would have come to an end, and since the order of messages on a handler is no part
//! of a trace, the execution in which it goes round for ever may be contained in one that was explored: algorithms
//! that explore one execution of each trace pass over it, as over deadlocks of that kind (`event/deadlocks.rs`).
//!
//! So where a message waits in a loop at the end of an execution, its past is performed by itself, and then
//! everybody moves on who can. That shows the usual case. Where it shows nothing although other messages of the
//! handler came before, another continuation might: that is said, and the verdict is not `safe`.

use crate::bits;
use crate::driver::Driver;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::program::{Program, Run};
use rustc_hash::FxHashSet;

/// The search: pasts that have been tried.
#[derive(Default, Debug)]
pub struct WaitingLoops(FxHashSet<Fingerprint>);

impl WaitingLoops {
    /// Searches the current execution, which an assumption or a loop that waits has blocked.
    pub fn search<P: Program>(&mut self, driver: &mut Driver<'_, P>) {
        driver.walk.come_back();
        let alive = driver.walk.state.alive().to_vec();
        for message in alive {
            driver.walk.come_back();
            let (execution, run) = (driver.execution(), &driver.walk.run);
            if !run.waits_in_loop(message) || !has_rival(execution, message) {
                continue;
            }
            let Some(&last) = execution.events_of(message).last() else { continue };
            let last = last as usize;
            let past: Vec<usize> = bits::iter(&execution.before(last)).chain([last]).collect();
            if !self.0.insert(execution.fingerprint_of(past.iter().copied())) {
                continue;
            }
            let events = execution.events();
            let moves: Vec<_> =
                past.iter().map(|&event| (events[event].task, events[event].choice)).collect();
            match driver.deadlock_after(&moves) {
                Some(moves) => driver.perform_aside(&moves, |_| true),
                None => driver.give_up(
                    "a message waits in a loop while others of its handler could come later: not every such wait was \
                     tried (--algorithm optimal does)",
                ),
            }
            if driver.stopped() {
                return;
            }
        }
        driver.walk.come_back();
    }
}

/// Did another message of its handler come before, on which it does not depend?
fn has_rival(execution: &Execution, message: TaskId) -> bool {
    let (Some(handler), Some(start), Some(&last)) = (
        execution.handler(message),
        execution.start_of(message),
        execution.events_of(message).last(),
    ) else {
        return false;
    };
    execution.posted(handler).iter().any(|&other| {
        other != message
            && execution.start_of(other).is_some_and(|first| {
                first < start && !execution.happens_before(first, last as usize)
            })
    })
}

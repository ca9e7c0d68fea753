//! The largest sets of events that can be performed as is wanted.
//!
//! Where some events cannot all be performed, one of them must go, with all that happens after it. Which, is tried; so every
//! set that can be performed is part of one that is found.

use super::explored::Explored;
use super::order::{Orders, Refusal, completes, events_of};
use super::wanted::Wanted;
use crate::bits::{self, Bits};
use crate::driver::Driver;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Mode;
use crate::program::Program;
use crate::touch::Touch;
use smallvec::SmallVec;

/// When so many sets have been looked at, the search is given up, and the exploration says that it is not complete.
const MOST_SETS: usize = 1 << 12;

/// A set that can be performed, in this order.
pub struct Found {
    members: Bits,
    /// The order.
    pub order: Vec<usize>,
}

/// All largest sets. Fewer if the time is up.
pub fn largest<P: Program>(
    orders: &mut Orders,
    driver: &mut Driver<'_, P>,
    explored: &Explored,
    wanted: &Wanted,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut seen: Vec<Bits> = Vec::new();
    let mut open = vec![wanted.available.clone()];
    while let Some(members) = open.pop().filter(|_| !driver.is_time_up()) {
        let is_covered = |found: &Found| bits::is_subset(&members, &found.members);
        if !bits::is_subset(&wanted.needed, &members)
            || found.iter().any(is_covered)
            || seen.contains(&members)
        {
            continue;
        }
        if seen.len() > MOST_SETS {
            driver.give_up("which messages can go before others was too large a question");
            break;
        }
        if wanted.target.is_none() && members != wanted.available {
            // `finally` looks at complete executions only.
            continue;
        }
        let smaller = match in_the_way(explored, wanted, &members) {
            Some(smaller) => smaller,
            None => match orders.find(driver, explored, wanted, &members) {
                Ok(order) => {
                    found.retain(|other| !bits::is_subset(&other.members, &members));
                    found.push(Found { members: members.clone(), order });
                    continue;
                }
                Err(Refusal::Core(core)) => {
                    bits::iter(&core).map(|event| without(explored, &members, [event])).collect()
                }
                Err(Refusal::Unknown) if driver.is_time_up() => break,
                Err(Refusal::Unknown) => {
                    driver.give_up("whether messages can be ordered in some way was too large a question for the solver");
                    Vec::new()
                }
            },
        };
        open.extend(smaller);
        seen.push(members);
    }
    found
}

fn without(explored: &Explored, members: &[u64], events: impl IntoIterator<Item = usize>) -> Bits {
    let mut rest = Bits::from_slice(members);
    for event in events {
        explored.drop_from(&mut rest, event);
    }
    rest
}

/// If some members are certainly in the way of others or of the target: the largest sets without.
fn in_the_way(explored: &Explored, wanted: &Wanted, members: &[u64]) -> Option<Vec<Bits>> {
    let handlers = (0..explored.execution.handler_count()).map(HandlerId::from);
    handlers
        .filter_map(|handler| unfinished(explored, wanted, members, handler))
        .next()
        .or_else(|| lock_holders(explored, wanted, members))
}

/// Only one message of a handler may be left unfinished.
fn unfinished(
    explored: &Explored,
    wanted: &Wanted,
    members: &[u64],
    handler: HandlerId,
) -> Option<Vec<Bits>> {
    let execution = &explored.execution;
    let target = wanted.target.as_ref().map(|target| target.task);
    let starts = |message: TaskId| events_of(explored, members, message).next();
    let is_cut =
        |message: &TaskId| Some(*message) != target && !completes(explored, members, *message);
    let cut = execution.posted(handler).iter().copied().filter(is_cut);
    let cut: SmallVec<[usize; 8]> = cut.filter_map(starts).collect();
    let runs_target = target.is_some_and(|task| execution.handler(task) == Some(handler));
    if runs_target && !cut.is_empty() {
        return Some(vec![without(explored, members, cut)]);
    }
    (cut.len() > 1).then(|| {
        let all_but = |kept: usize| cut.iter().copied().filter(move |&start| start != kept);
        cut.iter().map(|&kept| without(explored, members, all_but(kept))).collect()
    })
}

/// Whoever holds the lock that the target waits for, or has a permit too many.
fn lock_holders(explored: &Explored, wanted: &Wanted, members: &[u64]) -> Option<Vec<Bits>> {
    let waiting = wanted.target.as_ref()?.waits_on?;
    let history = explored.relation.history(waiting.slot).iter();
    let history = history.map(|&(event, touch)| (event as usize, touch));
    let history = history.filter(|&(event, _)| bits::contains(members, event));
    if waiting.mode == Mode::Wait {
        let mut permits = explored.permits().get(&waiting.slot).copied().unwrap_or(0);
        let mut waits: Vec<usize> = Vec::new();
        for (event, touch) in history {
            permits += i64::from(touch.mode == Mode::Signal);
            if touch.mode == Mode::Wait {
                permits -= 1;
                waits.push(event);
            }
        }
        let one_less = || waits.iter().map(|&wait| without(explored, members, [wait])).collect();
        return (permits <= 0).then(one_less);
    }
    let mut held: Vec<(usize, TaskId, Touch)> = Vec::new();
    for (event, touch) in history {
        let task = explored.execution.events()[event].task;
        match touch.mode {
            Mode::Lock | Mode::LockShared => held.push((event, task, touch)),
            Mode::Unlock | Mode::UnlockShared => {
                let own = held.iter().rposition(|&(_, holder, _)| holder == task);
                // A lock may be given back by another task than took it.
                own.or(held.len().checked_sub(1)).map(|at| held.remove(at));
            }
            _ => {}
        }
    }
    let holders: Vec<usize> =
        held.iter().filter(|(.., touch)| touch.excludes(waiting)).map(|it| it.0).collect();
    (!holders.is_empty()).then(|| vec![without(explored, members, holders)])
}

//! Deadlocks that are contained in other traces.
//!
//! A message waits (for a lock, a signal, the end of a task) for what another message of the same handler would
//! do, which has to wait until the first one is through. Behind the other message it would not have waited
//! at all, and since the order of messages on a handler is no part of a trace, the deadlocked execution is then
//! a part of a trace that goes on: exploring one execution of each trace does not show it. The paper, which has
//! no blocking operations in messages, does not say this.
//!
//! So each explored execution is searched for circles: a message that waited for something, behind which it
//! puts off another message of its handler that is needed for what another message waits for, and so on.
//! What can be performed without the messages that are put off is then performed aside, which shows
//! whether it is a deadlock. If a deadlock can be reached at all, one is found, since its trace has been explored
//! or is contained in one that has. Where an assumption has ended the execution, a message that waits for ever is a circle by itself: the one that leads to the
//! assumption may be put off behind it.
//!
//! **Cost**: nothing where no message waits on a handler that has another one. Otherwise O(events²/64) for each message that waits, and an
//! execution for each new set of events without which a circle closes. There can be exponentially many circles, in the number of
//! handlers whose messages wait; random programs have a few.

use super::LONG_EXECUTION;
use super::maximal::{Looked, Reduction};
use super::reverse_race::Frontier;
use crate::bits::{self, Bits};
use crate::driver::{Driver, Move};
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::ids::{HandlerId, TaskId};
use crate::operation::{Mode, Next};
use crate::outcome::Ending;
use crate::program::{Program, Run};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// How many chains are looked at between two looks at the clock.
const CHAINS_BETWEEN_CLOCK_LOOKS: usize = 64;

/// The search, and what it has found.
#[derive(Default, Debug)]
pub struct Deadlocks {
    /// Sets of events that have been tried.
    tried: FxHashSet<Fingerprint>,
    /// The traces of deadlocked executions that have been counted.
    known: FxHashSet<Fingerprint>,
    /// Deadlocked executions that will be counted at the end, unless they have been explored by then.
    found: Vec<Vec<Move>>,
}

/// A message that waits: for an event that was performed and might have had to wait, or for ever.
struct Wait {
    message: TaskId,
    handler: HandlerId,
    /// The event after which the message waits: the one before in the message, or its post.
    after: usize,
    /// Messages without which it would wait, or, if it waits for ever, without which no assumption would fail.
    needs: Vec<TaskId>,
}

impl Deadlocks {
    /// Takes note of an explored execution that ended in a deadlock.
    pub fn explored(&mut self, execution: &Execution) {
        self.known.insert(execution.fingerprint_of(0..execution.len()));
    }

    /// Searches the current execution of the driver. Counts and reports the first deadlock at once if that ends
    /// the exploration.
    pub fn search<P: Program>(&mut self, driver: &mut Driver<'_, P>) {
        let execution = driver.lend_execution();
        let takes_long = execution.len() > LONG_EXECUTION;
        let mut waits = waiting_for_ever(driver, &execution);
        let handlers = handlers_with_turns(&execution, &waits);
        if handlers.is_empty() {
            return;
        }
        let is_time_up = &mut || takes_long && driver.is_time_up();
        waits.extend(performed_waits(&execution, &handlers, is_time_up));
        let mut looked_at = 0;
        each_chain(&execution, &waits, &mut |chain| {
            if chain.is_circle(&execution) {
                for moves in chain.ways(&execution, &mut self.tried, &mut || driver.is_time_up()) {
                    self.found.extend(driver.deadlock_after(&moves));
                }
            }
            looked_at += 1;
            let goes_on = looked_at % CHAINS_BETWEEN_CLOCK_LOOKS != 0 || !driver.is_time_up();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        drop(execution);
        if !driver.config().keep_going {
            self.report(driver);
        }
    }

    /// Counts and reports what has been found, also where a limit has ended the exploration.
    pub fn report<P: Program>(&mut self, driver: &mut Driver<'_, P>) {
        for moves in std::mem::take(&mut self.found) {
            if !driver.hears_of_failures() {
                return;
            }
            driver.perform_aside(&moves, |execution| {
                self.known.insert(execution.fingerprint_of(0..execution.len()))
            });
        }
    }
}

/// Handlers with a message that waits, and another one: that may be put off behind it.
fn handlers_with_turns(execution: &Execution, for_ever: &[Wait]) -> SmallVec<[HandlerId; 4]> {
    let performed = execution.waits();
    let performed = performed.filter_map(|event| execution.handler(execution.events()[event].task));
    let mut handlers: SmallVec<[HandlerId; 4]> = performed
        .chain(for_ever.iter().map(|wait| wait.handler))
        .filter(|&handler| execution.posted(handler).len() > 1)
        .collect();
    handlers.sort_unstable();
    handlers.dedup();
    handlers
}

/// Messages that wait for ever where an assumption has ended the execution, so that it is no deadlock. They wait whatever is put off, so they need
/// whoever has led to the assumption.
fn waiting_for_ever<P: Program>(driver: &mut Driver<'_, P>, execution: &Execution) -> Vec<Wait> {
    driver.walk.come_back();
    let walk = &driver.walk;
    if walk.state.ending(&walk.run) != Ending::Blocked {
        return Vec::new();
    }
    let alive = walk.state.alive().iter().copied();
    let (waiting, failed): (Vec<TaskId>, Vec<TaskId>) =
        alive.partition(|&task| matches!(walk.run.next(task), Next::Operation(_)));
    let Some(leading) = leading_to(execution, &failed) else { return Vec::new() };
    let wait = |message: TaskId| {
        let after = *execution.events_of(message).last()? as usize;
        let handler = execution.handler(message)?;
        let needs = leading.iter().copied().filter(|&other| other != message).collect();
        Some(Wait { message, handler, after, needs })
    };
    waiting.into_iter().filter_map(wait).collect()
}

/// The messages without which these tasks would not have come so far; nothing if one of them has come there without any.
fn leading_to(execution: &Execution, tasks: &[TaskId]) -> Option<Vec<TaskId>> {
    let mut leading: Vec<TaskId> = Vec::new();
    for &task in tasks {
        let latest = execution.events_of(task).last().copied();
        let latest = latest.or(execution.creator(task).map(|event| event as u32))?;
        let past = execution.with_past(&[latest]);
        let handlers = (0..execution.handler_count()).map(HandlerId::from);
        let starts = handlers.flat_map(|handler| bits::iter(execution.starts_on(handler)));
        let starts = starts.filter(|&start| bits::contains(&past, start));
        let before = leading.len();
        leading.extend(starts.map(|start| execution.events()[start].task));
        if leading.len() == before {
            return None;
        }
    }
    leading.sort_unstable();
    leading.dedup();
    Some(leading)
}

/// Events of messages that might have had to wait, with what for. Fewer if the time is up.
fn performed_waits(
    execution: &Execution,
    handlers: &[HandlerId],
    is_time_up: &mut dyn FnMut() -> bool,
) -> Vec<Wait> {
    let wait = |event: usize| {
        let it = &execution.events()[event];
        let handler = execution.handler(it.task)?;
        let after = *execution.program_past(event).first()? as usize;
        let needed = needed(execution, after, &sources(execution, event));
        let others = handlers.iter().flat_map(|&handler| execution.posted(handler)).copied();
        let others = others.filter(|&message| message != it.task);
        let starts = |message| execution.start_of(message);
        let is_needed = |message| starts(message).is_some_and(|it| bits::contains(&needed, it));
        let needs = others.filter(|&message| is_needed(message));
        let wait = Wait { message: it.task, handler, after, needs: needs.collect() };
        (!wait.needs.is_empty()).then_some(wait)
    };
    execution.waits().take_while(|_| !is_time_up()).filter_map(wait).collect()
}

/// Something that an operation waits for.
struct Source {
    /// The event that it waits for.
    event: usize,
    /// The acquisition without which it would not.
    acquisition: Option<usize>,
}

/// What an event had to wait for, beside the event before it.
fn sources(execution: &Execution, event: usize) -> Vec<Source> {
    let it = &execution.events()[event];
    let others = execution.program_past(event).iter().skip(1);
    let mut sources: Vec<Source> =
        others.map(|&event| Source { event: event as usize, acquisition: None }).collect();
    if it.data_dependent {
        return sources;
    }
    for &touch in execution.touches(event).iter().filter(|touch| touch.may_block()) {
        let history = execution.history(touch);
        let earlier = history.iter().take_while(|(earlier, _)| (*earlier as usize) < event);
        for (at, &(earlier, other)) in earlier.enumerate() {
            let task = execution.events()[earlier as usize].task;
            let is_signal = other.mode == Mode::Signal;
            if task == it.task || !other.excludes(touch) {
                continue;
            }
            let release = history[at + 1..].iter().map(|&(later, _)| later as usize);
            let release = release.into_iter().find(|&l| execution.events()[l].task == task);
            sources.extend(match (is_signal, release) {
                (true, _) => Some(Source { event: earlier as usize, acquisition: None }),
                (false, Some(event)) => Some(Source { event, acquisition: Some(earlier as usize) }),
                (false, None) => None,
            });
        }
    }
    sources
}

/// What must have happened for something that is waited for, but not for what the wait is after.
fn needed(execution: &Execution, after: usize, sources: &[Source]) -> Bits {
    let with_past = |event: usize| execution.with_past(&[event as u32]);
    let mut needed = bits::empty(execution.words());
    for source in sources {
        let mut past = with_past(source.event);
        source.acquisition.iter().for_each(|&it| bits::subtract(&mut past, &with_past(it)));
        bits::union(&mut needed, &past);
    }
    bits::subtract(&mut needed, &with_past(after));
    needed
}

/// Messages each of which waits for one that is put off behind the next, and those that are put off.
struct Chain<'c> {
    waits: &'c [&'c Wait],
    put_off: &'c [TaskId],
}

/// What is done with a chain; says whether to go on.
type Look<'l> = dyn FnMut(&Chain<'_>) -> ControlFlow<()> + 'l;

/// Looks at the chains of messages.
fn each_chain(execution: &Execution, waits: &[Wait], look: &mut Look<'_>) {
    for first in 0..waits.len() {
        let mut chain = vec![&waits[first]];
        if extend(execution, &waits[first..], &mut chain, &mut Vec::new(), look).is_break() {
            return;
        }
    }
}

fn extend<'w>(
    execution: &Execution,
    waits: &'w [Wait],
    chain: &mut Vec<&'w Wait>,
    put_off: &mut Vec<TaskId>,
    look: &mut Look<'_>,
) -> ControlFlow<()> {
    let last = *chain.last().expect("it has a first");
    for &needed in &last.needs {
        put_off.push(needed);
        look(&Chain { waits: chain, put_off })?;
        for next in waits.iter().filter(|wait| is_behind(execution, needed, wait)) {
            if chain.iter().all(|earlier| earlier.handler != next.handler) {
                chain.push(next);
                extend(execution, waits, chain, put_off, look)?;
                chain.pop();
            }
        }
        put_off.pop();
    }
    ControlFlow::Continue(())
}

/// Can a message be put off behind one that waits?
fn is_behind(execution: &Execution, message: TaskId, wait: &Wait) -> bool {
    Some(wait.handler) == execution.handler(message) && wait.message != message
}

impl Chain<'_> {
    /// Do all of them wait for each other?
    fn is_circle(&self, execution: &Execution) -> bool {
        self.put_off.last().is_some_and(|&last| is_behind(execution, last, self.waits[0]))
    }

    /// Ways to perform as much as possible without what is put off.
    fn ways(
        &self,
        execution: &Execution,
        tried: &mut FxHashSet<Fingerprint>,
        is_time_up: &mut dyn FnMut() -> bool,
    ) -> Vec<Vec<Move>> {
        let cuts: Vec<usize> = self.cuts(execution).collect();
        let is_put_off = |event: usize| {
            cuts.iter().any(|&cut| event == cut || execution.happens_before(cut, event))
        };
        if self.waits.iter().any(|wait| is_put_off(wait.after)) {
            return Vec::new();
        }
        let mut available = bits::empty(execution.words());
        (0..execution.len())
            .filter(|&event| !is_put_off(event))
            .for_each(|event| bits::insert(&mut available, event));
        if !tried.insert(self.name(execution, &available)) {
            return Vec::new();
        }
        let after: SmallVec<[u32; 4]> = self.waits.iter().map(|wait| wait.after as u32).collect();
        let needed = execution.with_past(&after);
        let reduction =
            Reduction { execution, last: None, needed: &needed, kept: 0, changes_queue: false };
        let ways = reduction.maximal(available, &mut |_| {
            if is_time_up() { Looked::Stop } else { Looked::Wanted(Frontier::default()) }
        });
        ways.iter().map(|way| way.moves_from(0, execution, None).collect()).collect()
    }

    /// The events that must not happen: the start of each message that is put off, or its post if the message in
    /// front of it waits in the queue.
    fn cuts(&self, execution: &Execution) -> impl Iterator<Item = usize> {
        let in_front = self.waits.iter().cycle().skip(1);
        self.put_off.iter().zip(in_front).filter_map(|(&message, wait)| {
            let is_queued = execution.creator(wait.message) == Some(wait.after);
            if is_queued { execution.creator(message) } else { execution.start_of(message) }
        })
    }

    fn name(&self, execution: &Execution, available: &Bits) -> Fingerprint {
        let waits = self.waits.iter().map(|wait| wait.after);
        execution.fingerprint_of(bits::iter(available)).and(execution.fingerprint_of(waits).mixed())
    }
}

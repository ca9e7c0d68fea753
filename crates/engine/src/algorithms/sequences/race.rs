//! Reversing races: the wakeup sequence of a race, and whether its two orders lead to the same state.

use super::{Prefix, Sequences};
use crate::algorithms::dont_do::{self, DontDo, can_be_compared};
use crate::algorithms::sleep_sets::WORK_FOR_AN_EVENT;
use crate::algorithms::staying::{Awaited, Staying};
use crate::bits::{self, Bits};
use crate::config::Decision;
use crate::driver::Driver;
use crate::execution::{Execution, rivals};
use crate::fingerprint::Fingerprint;
use crate::operation::{Effect, Next};
use crate::pace::Pace;
use crate::program::{LeaveOut, Program, Run};
use crate::relation::{Order, Relation};
use crate::sequence::Happening;
use crate::touch::{Touch, slot, touches_of_waiting};
use smallvec::SmallVec;

/// To see what a task waits for takes as long as so many words.
const WORK_FOR_A_TASK: usize = 1 << 10;

/// How a race is reversed.
enum Reversed {
    /// The second event without the first.
    Alone,
    /// Two writes the other way round, up to these, who read what was written.
    Observed(SmallVec<[usize; 4]>),
    /// Two writes the other way round, and everything else: what was written is looked at behind everything.
    ObservedFinally,
}

impl Sequences {
    /// Reverses the races of the current execution.
    pub(super) fn reverse_races<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        final_reads: &[u32],
    ) {
        let execution = driver.execution();
        let (touches, past) =
            (|event| execution.touches(event), |event| execution.program_past(event));
        let (order, count, watch) = (self.order, execution.len(), driver.watch());
        if !self.current.compute(order, count, touches, past, final_reads, watch) {
            driver.is_time_up();
            return;
        }
        let watch = watch.clone();
        let mut pace = Pace::new(&watch);
        for (first, second) in races(driver.execution(), &self.current) {
            if pace.is_up_after(WORK_FOR_AN_EVENT * count) {
                driver.is_time_up();
                return;
            }
            self.reverse(driver, frames, first, second);
        }
    }

    fn reverse<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        first: usize,
        second: usize,
    ) {
        driver.statistics.races += 1;
        let execution = driver.execution();
        let reversed = self.kind(execution, first, second);
        let unaffected_behind = |event| self.unaffected_behind(execution, event);
        // An attempt does not wait: it is tried, and may do something else.
        let staying = if execution.events()[second].data_dependent {
            Staying::without(first, unaffected_behind(first))
        } else {
            let (touches, past) = (execution.touches(second), execution.program_past(second));
            let (run, awaited) = (&driver.walk.run, Awaited { touches, past });
            let goes = Staying::so_that_it_goes(execution, run, first, awaited, unaffected_behind);
            let Some(staying) = goes else { return };
            staying
        };
        let depth = staying.depth;
        let order = match self.keeps(Decision::WholeSequences) {
            true => self.whole_sequence(execution, first, second, &staying.members, &reversed),
            false => self.short_sequence(first, second, &staying, &reversed),
        };
        // Where states are compared, it matters which event comes second the other way round.
        let key = if self.compares_states { Some(first) } else { None };
        if !is_new(driver, &mut frames[depth], order.iter().chain(&key)) {
            return;
        }
        let last_event = *order.last().expect("the second event at least");
        let execution = driver.execution();
        let depends = execution.events()[last_event].data_dependent;
        let mut events: Vec<_> =
            order.iter().map(|&event| Happening::performed(execution, event)).collect();
        let moves: Vec<_> = events.iter().map(|event| (event.task, event.choice)).collect();
        if depends {
            let last = events.last_mut().expect("the second event at least");
            last.touches = driver.walk.try_last(depth, &moves).touches;
        }
        let final_reads: Vec<u32> = match reversed {
            Reversed::ObservedFinally => {
                driver.walk.final_reads_after(depth, &moves).into_iter().map(slot).collect()
            }
            _ => Vec::new(),
        };
        if self.place(driver, frames, depth, events, &final_reads) && self.compares_states {
            self.compare(driver, &mut frames[first], first, second, &reversed);
        }
    }

    /// All that stays without `first`, the second event, and if somebody observes the two the first one and
    /// what happens after it, up to the last observer.
    fn whole_sequence(
        &self,
        execution: &Execution,
        first: usize,
        second: usize,
        unaffected: &Bits,
        reversed: &Reversed,
    ) -> Vec<usize> {
        let mut order: Vec<usize> = bits::iter(unaffected).collect();
        order.push(second);
        let affected = (first + 1..execution.len())
            .filter(|&event| event != second && !bits::contains(unaffected, event));
        match reversed {
            Reversed::Alone => {}
            Reversed::Observed(observers) => {
                order.push(first);
                let is_observer_or_behind = |event: usize| {
                    observers.iter().any(|&o| o == event || self.current.happens_before(o, event))
                };
                order.extend(affected.filter(|&event| !is_observer_or_behind(event)));
                order.extend(observers.last());
            }
            Reversed::ObservedFinally => {
                order.push(first);
                order.extend(affected);
            }
        }
        order
    }

    /// What the paper takes, with [`Decision::WholeSequences`] undone: only what the second event, or an observer, needs.
    fn short_sequence(
        &self,
        first: usize,
        second: usize,
        staying: &Staying,
        reversed: &Reversed,
    ) -> Vec<usize> {
        let mut order = self.ancestors(staying.depth, second);
        order.retain(|&event| staying.contains(event));
        match reversed {
            Reversed::Observed(observers) => {
                let rest = self.up_to_observers(first, second, &order, observers);
                order.extend([second, first]);
                order.extend(rest);
            }
            _ => order.push(second),
        }
        order
    }

    /// What happens before the second event of a race, behind the first.
    fn ancestors(&self, first: usize, second: usize) -> Vec<usize> {
        let needed = |&event: &usize| self.current.happens_before(event, second);
        (first + 1..second).filter(needed).collect()
    }

    /// The events behind `first` that do not happen after it.
    fn unaffected_behind(&self, execution: &Execution, first: usize) -> Bits {
        let mut unaffected = bits::empty(self.current.words());
        for event in first + 1..execution.len() {
            if !self.current.happens_before(first, event) {
                bits::insert(&mut unaffected, event);
            }
        }
        unaffected
    }

    /// How a race is to be reversed. Two writes race only because somebody reads what the second one wrote.
    fn kind(&self, execution: &Execution, first: usize, second: usize) -> Reversed {
        let (one, other) = (execution.touches(first), execution.touches(second));
        if self.order == Order::Conflicts || self.order.conflict(one, other) {
            return Reversed::Alone;
        }
        let mut observers: SmallVec<[usize; 4]> = SmallVec::new();
        for touch in other.iter().filter(|touch| touch.writes_blindly()) {
            if one.iter().any(|it| it.slot == touch.slot && it.writes_blindly()) {
                observers.extend(self.current.readers(second, touch.slot));
            }
        }
        observers.sort_unstable();
        observers.dedup();
        let all = observers.clone();
        observers
            .retain(|&mut it| !all.iter().any(|&other| self.current.happens_before(other, it)));
        match observers.is_empty() {
            true => Reversed::ObservedFinally,
            false => Reversed::Observed(observers),
        }
    }

    /// If both orders of a race lead to the same state, the other one need not be explored from here.
    fn compare<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frame: &mut Prefix,
        first: usize,
        second: usize,
        reversed: &Reversed,
    ) {
        if !can_be_compared(driver, first, second) {
            return;
        }
        let ancestors = self.ancestors(first, second);
        let (rest, leave_out) = match reversed {
            Reversed::Alone => (Vec::new(), LeaveOut::Nothing),
            // What is looked at behind everything is not compared.
            Reversed::ObservedFinally => return,
            Reversed::Observed(observers) => {
                let leave_out = match self.keeps(Decision::CompareWhatCanBeRead) {
                    true => LeaveOut::Unreadable,
                    false => LeaveOut::Values,
                };
                (self.up_to_observers(first, second, &ancestors, observers), leave_out)
            }
        };
        let race = (first, second);
        if let Some(mut it) = DontDo::of_race(driver, race, &ancestors, &rest, leave_out) {
            it.hides = self.hidden_by(driver.execution(), first, second);
            dont_do::add(&mut frame.kept.dont_do, it);
        }
    }

    /// What happens before an observer, then the last observer, then the others.
    fn up_to_observers(
        &self,
        first: usize,
        second: usize,
        ancestors: &[usize],
        observers: &[usize],
    ) -> Vec<usize> {
        let last = observers[observers.len() - 1];
        let mut rest: Vec<usize> = (first + 1..last)
            .filter(|event| *event != second && ancestors.binary_search(event).is_err())
            .filter(|&event| observers.iter().any(|&o| self.current.happens_before(event, o)))
            .collect();
        rest.push(last);
        rest.extend(observers[..observers.len() - 1].iter());
        rest
    }

    /// Reverses races between events that happened and operations that wait for ever.
    pub(super) fn reverse_waiting<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
    ) {
        driver.walk.come_back();
        let watch = driver.watch().clone();
        let mut pace = Pace::new(&watch);
        for task in driver.walk.state.alive().to_vec() {
            if pace.is_up_after(WORK_FOR_A_TASK) && driver.is_time_up() {
                return;
            }
            driver.walk.come_back();
            let Next::Operation(operation) = driver.walk.run.next(task) else { continue };
            let execution = driver.execution();
            let Some(past) = execution.past_of_waiting(&driver.walk.run, task) else { continue };
            let touches =
                touches_of_waiting(execution.dependence(), &driver.walk.run, task, operation);
            let mut firsts = Vec::new();
            for &touch in &touches {
                let history = self.current.history(touch.slot);
                rivals(history, touch, |a, b| before(&self.current, a, b), &mut firsts);
            }
            let next = Happening::next(execution, task, &past, &touches);
            for first in firsts {
                if driver.is_time_up() {
                    return;
                }
                self.reverse_with_waiting(driver, frames, first, &next, &past);
            }
        }
    }

    fn reverse_with_waiting<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        first: u32,
        next: &Happening,
        past: &[u32],
    ) {
        let execution = &*driver.lend_execution();
        let is_needed = |event: u32| needs(&self.current, past, event);
        let Some(first) = execution.rival_unless(first, next.task, is_needed) else { return };
        driver.statistics.races += 1;
        let first = first as usize;
        let unaffected_behind = |event| self.unaffected_behind(execution, event);
        let (run, awaited) = (&driver.walk.run, Awaited { touches: &next.touches, past });
        let goes = Staying::so_that_it_goes(execution, run, first, awaited, unaffected_behind);
        let Some(Staying { depth, members, .. }) = goes else { return };
        let mut events: Vec<_> =
            bits::iter(&members).map(|event| Happening::performed(execution, event)).collect();
        events.push(next.clone());
        self.place(driver, frames, depth, events, &[]);
    }
}

/// Does an event happen before another one?
pub fn before(relation: &Relation, first: u32, second: u32) -> bool {
    relation.happens_before(first as usize, second as usize)
}

/// Is an event one of these, or does it happen before one?
pub fn needs(relation: &Relation, past: &[u32], event: u32) -> bool {
    past.iter().any(|&later| later == event || before(relation, event, later))
}

/// Has this order of events not been considered at a prefix?
fn is_new<'o, P: Program>(
    driver: &Driver<'_, P>,
    frame: &mut Prefix,
    order: impl Iterator<Item = &'o usize>,
) -> bool {
    let events = driver.execution().events();
    let number =
        |&event: &usize| u64::from(events[event].task.0) << 32 | u64::from(events[event].choice);
    let name = order.map(number).fold(Fingerprint::default(), Fingerprint::plus);
    frame.kept.considered.insert(name)
}

/// The pairs of events whose order can be reversed: the second one does not need the first, and nothing is between them.
/// Taking a lock races with the last time it was taken.
pub fn races(execution: &Execution, relation: &Relation) -> Vec<(usize, usize)> {
    let mut races: Vec<(usize, usize)> = Vec::new();
    let mut neighbours = relation.neighbours().iter().peekable();
    let mut firsts: Vec<u32> = Vec::new();
    for (second, event) in execution.events().iter().enumerate() {
        firsts.clear();
        while let Some((first, _)) = neighbours.next_if(|&&(_, it)| it as usize == second) {
            firsts.push(*first);
        }
        let touches = execution.touches(second);
        let waits = !event.data_dependent && touches.iter().any(|touch| touch.may_block());
        // A start that does not wait is the next of a FIFO mailbox: its place was taken by the post.
        if waits || event.effect == Effect::Start {
            firsts.clear();
        }
        if waits {
            touches.iter().for_each(|&touch| rivals_before(relation, second, touch, &mut firsts));
        }
        let past = execution.program_past(second);
        let from = races.len();
        for &first in &firsts {
            let is_needed = |event: u32| needs(relation, past, event);
            let rival = execution.rival_unless(first, event.task, is_needed);
            let race = rival.map(|first| (first as usize, second));
            if let Some(race) = race.filter(|race| !races[from..].contains(race)) {
                races.push(race);
            }
        }
    }
    races
}

/// What an acquisition competes with among the events before it.
fn rivals_before(relation: &Relation, second: usize, touch: Touch, into: &mut Vec<u32>) {
    if touch.may_block() {
        let history = relation.history(touch.slot);
        let earlier = history.partition_point(|&(event, _)| (event as usize) < second);
        rivals(&history[..earlier], touch, |a, b| before(relation, a, b), into);
    }
}

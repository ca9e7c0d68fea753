//! Writes whose order is hidden where the same state is explored (deviation D8 of [`super::super::optimal_cs_observers`]).
//!
//! A sequence that need not be performed has a twin, which is explored: the two events of its race come in the other order there. So in the twin all
//! that happens before the first one comes before all that happens after the second one. Races that this hides are found where
//! the sequence sleeps, since everybody else goes on there. But two writes race only if somebody reads what they wrote, perhaps behind the
//! event that sleeps: as long as that is possible, it must not sleep.
//!
//! **Why nothing is lost, as far as that can be said.** Let s sleep, w be a write before the first event of the race, v one of the same variable behind the second, both
//! blind, and let somebody behind s read what they wrote. If v needs s, it comes behind w here as in the twin, and nothing is hidden. Otherwise v can be
//! performed while s sleeps: the others go on (D2), the question is asked anew behind each of their events, and s wakes up once v has been
//! performed. Whether v happens only if others move in some order does not matter, since all of their orders are explored. That fails where v stands behind
//! another event that sleeps; so one way to go on is tried beside, with those who sleep. What is left is a write that stands behind an event that sleeps and does
//! not happen in the way that is tried. Nobody has shown that nothing is lost there, and no program is known where something is.

use super::Sequences;
use crate::algorithms::dont_do::{DontDo, Hidden};
use crate::config::Decision;
use crate::driver::Driver;
use crate::execution::Execution;
use crate::operation::Mode;
use crate::program::Program;
use crate::relation::{Order, Relation};
use crate::sequence::EventName;
use crate::touch::object;
use std::rc::Rc;

/// What comes behind a sequence is tried for so many events. If there are more, it counts as open.
const LONGEST_LOOK_AHEAD: usize = 1000;

impl Sequences {
    /// What the order of a race may hide: see [`Hidden`].
    pub(super) fn hidden_by(
        &self,
        execution: &Execution,
        first: usize,
        second: usize,
    ) -> Option<Rc<Hidden>> {
        if self.order == Order::Conflicts || !self.keeps(Decision::OpenWritesStayAwake) {
            return None;
        }
        let mut writes = Vec::new();
        for event in 0..=first {
            if event == first || self.current.happens_before(event, first) {
                let written = execution.touches(event).iter().map(|touch| touch.slot);
                let blindly = written.filter(|&slot| writes_blindly(&self.current, event, slot));
                writes.extend(blindly.map(|slot| (slot, name(execution, event))));
            }
        }
        let second = name(execution, second);
        (!writes.is_empty()).then(|| Rc::new(Hidden { writes, second }))
    }

    /// Is the order of two writes open, of which one comes before the other in the twin, behind a sequence of which one event is left, and may
    /// somebody still notice it? What comes behind the sequence is tried, since whoever writes may sleep as well.
    pub(super) fn is_open<P: Program>(&mut self, driver: &mut Driver<'_, P>, it: &DontDo) -> bool {
        let (Some(last), Some(hidden)) = (it.only(), &it.hides) else { return false };
        let depth = driver.depth();
        let last = (last.task, last.choice);
        let mut may_be_read = |slot: u32| {
            let object = object(slot);
            driver.walk.may_still_read_after(depth, &[last], &[object])
        };
        let writes: Vec<_> = hidden.writes.iter().filter(|&&(slot, _)| may_be_read(slot)).collect();
        if writes.is_empty() {
            return false;
        }
        let mut execution = (*driver.lend_execution()).clone();
        if !driver.walk.complete(&mut execution, last, depth + LONGEST_LOOK_AHEAD) {
            return true;
        }
        let relation = &mut self.reversed;
        let (touches, past) =
            (|event| execution.touches(event), |event| execution.program_past(event));
        let (count, watch) = (execution.len(), driver.watch());
        let is_related = relation.compute(Order::Reads, count, touches, past, &[], watch);
        // What has been read up to here is settled, and the same in the twin.
        let mut settled = Relation::default();
        let so_far = count.min(depth + 1);
        if !is_related || !settled.compute(Order::Observers, so_far, touches, past, &[], watch) {
            return driver.is_time_up();
        }
        let is_ordered = |first: usize, second: usize| {
            relation.happens_before(first, second)
                || second < so_far && settled.happens_before(first, second)
        };
        let position = |&(task, index): &EventName| {
            execution.events_of(task).get(index as usize - 1).map(|&event| event as usize)
        };
        let Some(second) = position(&hidden.second) else { return true };
        let follows = |event: usize| event == second || relation.happens_before(second, event);
        writes.into_iter().any(|(slot, name)| {
            position(name).is_none_or(|write| {
                relation.writers(*slot).any(|event| {
                    event != write
                        && follows(event)
                        && writes_blindly(relation, event, *slot)
                        && !is_ordered(write.min(event), write.max(event))
                })
            })
        })
    }
}

fn name(execution: &Execution, event: usize) -> EventName {
    let it = &execution.events()[event];
    (it.task, it.index)
}

/// Does an event write a slot without reading it?
fn writes_blindly(relation: &Relation, event: usize, slot: u32) -> bool {
    let history = relation.history(slot);
    let own = history.partition_point(|&(earlier, _)| (earlier as usize) < event);
    let own = history[own..].iter().take_while(|&&(it, _)| it as usize == event);
    own.into_iter().any(|(_, touch)| touch.mode == Mode::Write && touch.is_of_object())
}

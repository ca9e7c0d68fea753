//! Names of events and of sets of events that hold across executions, worked out when they are asked for.

use super::log::Log;
use super::rows::Rows;
use crate::bits::{self, Bits};
use crate::fingerprint::Fingerprint;
use std::cell::RefCell;

/// The names of an event and of all that happens before it.
#[derive(Clone, Copy, Debug)]
struct Named {
    event: Fingerprint,
    past: Fingerprint,
}

/// Names of the first events, as many as have been asked for.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    known: RefCell<Vec<Named>>,
}

impl Names {
    /// The name of a set of events.
    pub fn of(&self, log: &Log, rows: &Rows, set: impl IntoIterator<Item = usize>) -> Fingerprint {
        let known = &mut *self.known.borrow_mut();
        set.into_iter().fold(Fingerprint::default(), |sum, event| {
            while known.len() <= event {
                known.push(named(log, rows, known.len(), known));
            }
            sum.and(known[event].event)
        })
    }

    /// Only the first events are left.
    pub fn truncate(&mut self, length: usize) {
        self.known.get_mut().truncate(length);
    }
}

fn named(log: &Log, rows: &Rows, event: usize, known: &[Named]) -> Named {
    let past = of_past(log, rows, event, known);
    let it = &log.events()[event];
    let own = Fingerprint::of_event(it.task, it.index, it.choice);
    Named { event: past.and(own).mixed(), past }
}

/// The sum over all that happens before an event: that of the event before it, and what comes with others.
fn of_past(log: &Log, rows: &Rows, event: usize, known: &[Named]) -> Fingerprint {
    let (sum, rest) = match log.program_past(event).first() {
        Some(&previous) => {
            let previous = previous as usize;
            let mut rest = rows.new_since(event, previous);
            bits::remove(&mut rest, previous);
            (known[previous].event.and(known[previous].past), rest)
        }
        None => (Fingerprint::default(), Bits::from_slice(&rows.before(event))),
    };
    bits::iter(&rest).fold(sum, |sum, earlier| sum.and(known[earlier].event))
}

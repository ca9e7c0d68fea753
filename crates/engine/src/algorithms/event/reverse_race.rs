//! `ReverseRace` (Algorithm 2): the maximal sets of events that can be performed without the first event
//! of a race and allow the second.
//!
//! The events that do not happen after the first one need not form an execution: of two messages of
//! a handler that are both cut short one must go, and a message that is cut short must be the last of its
//! handler. What must go is found by search: an event that neither starts a message nor posts to a FIFO
//! mailbox can always be added when its past is there, so a maximal set differs from the whole by
//! messages that do not start (and posts that are not made), with all that happens after them. Where messages contradict each other,
//! one of those that the contradiction is about must go; the others need not be tried. Some contradictions are seen at once
//! ([`super::cores`]), the others are cores of [`super::realise`].
//!
//! **Deviations from the paper**
//! 1. The sets are wanted from the initial state. (The paper wants them from where the reversal leaves the explored execution; a set that is
//!    maximal there need not be maximal from the beginning, which its proof of Theorem 5 overlooks.)
//! 2. The start of a message of which nothing else is left is not part of a set, unless something waits for it:
//!    it touches nothing. That holds if the message goes
//!    on in every execution. If what it does first may have to wait, an execution may end with the message
//!    just begun, and then no other message of its handler starts: such a start stays in the set.
//! 3. In a race of two messages of one handler the whole of the first message has to wait, so its start stands
//!    for its event. What the search would have left out for each race is left out from the beginning.

use super::maximal::{Look, Maximal, Reduction};
use crate::bits::{self, Bits};
use crate::execution::{Execution, behind};
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::reversal::Last;
use smallvec::SmallVec;

/// A race to be reversed.
#[derive(Debug)]
pub struct Race<'e> {
    /// The explored execution.
    pub execution: &'e Execution,
    /// The first event: the start of its message, if the whole message has to wait.
    pub first: usize,
    /// The second event.
    pub last: &'e Last,
    /// What reversals may be made of.
    available: Bits,
    /// Must the first event go, with all that happens after it?
    without_first: bool,
    /// What must happen before the second event, whatever the schedule.
    needed: Bits,
}

impl<'e> Race<'e> {
    /// The race between `first` and `last`. If both are of messages of one handler, the whole message of the first one has to wait.
    pub fn new(execution: &'e Execution, first: usize, last: &'e Last) -> Self {
        let first = what_has_to_wait(execution, first, last.task);
        Race::without(execution, first, last, execution.unaffected_by(first))
    }

    /// The race between `last` and what has to wait for it; `available` is what does not happen after that.
    pub fn without(
        execution: &'e Execution,
        first: usize,
        last: &'e Last,
        available: Bits,
    ) -> Self {
        let needed = execution.with_past(&last.past);
        Race { execution, first, last, available, without_first: true, needed }
    }

    /// The race between `first`, the post of a message that never starts, and `last`, which starts a message behind it
    /// in the queue. What happens after the post may be what `last` waits for, so it need not go: the post must come
    /// behind the other one.
    pub fn in_queue(execution: &'e Execution, first: usize, last: &'e Last) -> Self {
        let available = bits::first(execution.len(), execution.words());
        let needed = execution.with_past(&last.past);
        Race { execution, first, last, available, without_first: false, needed }
    }

    /// What its reversals depend on: the events that they may be made of, and the second event. (For races of performed events [`name`] is quicker.)
    pub fn name(&self) -> Fingerprint {
        let execution = self.execution;
        let behind = bits::iter_from(&self.available, self.first);
        let past = self.last.past.iter().map(|&event| event as usize);
        self.last
            .name()
            .and(execution.fingerprint_of_first(self.first))
            .and(execution.fingerprint_of(behind))
            .and(execution.fingerprint_of(past).mixed())
    }

    /// The second event of the race behind these events, and those of them that come before no other one. They say what the
    /// reversal is: each stands for its past too.
    ///
    /// The second event may do something else there than it is taken to do. Then its name is nobody's: in a trace that contains these events it
    /// comes behind those of them that it really conflicts with.
    pub fn frontier(&self, members: &[u64]) -> Frontier {
        let execution = self.execution;
        let mut rest = bits::but(members, &self.needed);
        let mut events = SmallVec::new();
        let mut end = execution.len();
        while let Some(event) = bits::last_before(&rest, end) {
            events.push(event as u32);
            bits::subtract(&mut rest, &execution.before(event));
            end = event;
        }
        Frontier { last: self.name_of_last(members), events }
    }

    /// The name of a reversal. Where the second event may do something else than it is taken to do, so that its name may be nobody's, it is not
    /// the same whether it comes behind the others or one of them behind it.
    pub fn name_of(&self, frontier: &Frontier) -> Fingerprint {
        let last = frontier.last;
        let last = if self.last.data_dependent { last.mixed() } else { last };
        last.and(self.execution.fingerprint_of(frontier.events.iter().map(|&event| event as usize)))
    }

    /// The name of the second event of the race behind these events.
    pub fn name_of_last(&self, members: &[u64]) -> Fingerprint {
        let Last { task, choice, past, touches, starts, .. } = self.last;
        let execution = self.execution;
        let mut name = Fingerprint::of_event(*task, self.index_of_last(), *choice);
        let mut follow = |event: u32| name = name.and(execution.fingerprints()[event as usize]);
        let is_member = |event: u32| bits::contains(members, event as usize);
        past.iter().for_each(|&event| follow(event));
        if *starts {
            // Where one of these is missing, the message cannot start, and the name is nobody's.
            let queued = execution.ends_before_start_of(*task).into_iter();
            queued.filter(|&event| is_member(event)).for_each(&mut follow);
        }
        for &touch in touches {
            behind(execution.history(touch), touch, is_member).for_each(&mut follow);
        }
        name.mixed()
    }

    /// The second event is the index-th of its task.
    pub fn index_of_last(&self) -> u32 {
        let previous =
            self.last.past.first().map(|&event| &self.execution.events()[event as usize]);
        previous.filter(|event| event.task == self.last.task).map_or(0, |event| event.index) + 1
    }

    /// The maximal reversals, but those that are part of a set that need not be looked at.
    pub fn reversals(&self, look: &mut Look<'_>) -> SmallVec<[Maximal; 1]> {
        let Some(kept) =
            self.longest_prefix().filter(|_| bits::is_subset(&self.needed, &self.available))
        else {
            return SmallVec::new();
        };
        let reduction = Reduction {
            execution: self.execution,
            last: Some(self.last),
            needed: &self.needed,
            kept,
            changes_queue: !self.without_first || kept < self.first,
        };
        reduction.maximal(self.available.clone(), look)
    }

    /// The length of the longest prefix from which it can be reversed, as far as handlers say; nothing if there is none.
    fn longest_prefix(&self) -> Option<usize> {
        let Last { task, past, .. } = self.last;
        if self.without_first {
            self.execution.prefix_without(self.first, *task, past)
        } else {
            Some(self.first)
        }
    }
}

/// The name of a race of two events of an execution, the first as [`what_has_to_wait`] says; `unaffected` is what does not happen after it. Races
/// with the same name have the same reversals: what these may be made of and what the second event does are the same.
pub fn name(execution: &Execution, first: usize, unaffected: &[u64], second: usize) -> Fingerprint {
    let behind = execution.fingerprint_of(bits::iter_from(unaffected, first));
    let second = execution.fingerprints()[second].mixed();
    execution.fingerprint_of_first(first).and(behind).and(second)
}

/// If `first` is of a message that shares its handler with another task, the start of that message: all of it has to wait.
pub fn what_has_to_wait(execution: &Execution, first: usize, other: TaskId) -> usize {
    let message = execution.events()[first].task;
    let handler = execution.handler(message).filter(|_| message != other);
    let share_handler = handler.is_some() && handler == execution.handler(other);
    execution.start_of(message).filter(|_| share_handler).unwrap_or(first)
}

/// Events that stand for themselves and all that happens before them.
#[derive(Default, Debug)]
pub struct Frontier {
    /// The name of the second event of the race.
    pub last: Fingerprint,
    /// The other ones, by their positions in the explored execution.
    pub events: SmallVec<[u32; 8]>,
}

impl Frontier {
    /// How many of them come in so many of the first events of the execution. (They are listed from the latest on.)
    pub fn shared(&self, length: usize) -> usize {
        self.events.iter().rev().take_while(|&&event| (event as usize) < length).count()
    }
}

//! Contradictions that can be seen at once: messages of one handler run one after the other, and one that is cut short must be
//! the last. So it cannot have begun before an event of another one; and of two messages that post to a queue the one that begins before an event
//! of the other one has posted before it.
//!
//! They come before the question to [`super::realise`], whose cores say the same of messages of several handlers whose orders
//! depend on each other.

use super::maximal::Reduction;
use crate::algorithms::staying::holder;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::operation::Mode;
use crate::program::Mailbox;
use crate::reversal::Last;
use smallvec::{SmallVec, smallvec};

/// All events of one of these sets must go, with all that happens after them. If there is none, nothing helps.
pub type WaysOut = SmallVec<[Bits; 1]>;

/// What is to start on a handler.
struct Turns<'m> {
    handler: HandlerId,
    members: &'m [u64],
    /// The starts of messages among the members.
    starting: Bits,
    /// The message that the second event of the race starts.
    last: Option<TaskId>,
}

impl Reduction<'_> {
    /// What must go so that each handler can run its messages?
    pub fn contradiction(&self, members: &[u64]) -> Option<WaysOut> {
        let mut handlers = (0..self.execution.handler_count()).map(HandlerId::from);
        handlers.find_map(|handler| self.contradiction_on(handler, members))
    }

    /// If the second event waits for a lock that somebody takes and does not give back, that must go.
    pub fn waits_for_lock(&self, members: &[u64]) -> Option<WaysOut> {
        let last = self.last?;
        let (object, mode) = last.waits_on()?;
        let events = bits::iter(members).flat_map(|event| {
            let accesses = self.execution.accesses(event).iter();
            let same = accesses.filter(|access| access.object == object);
            same.map(move |access| (event, access.mode))
        });
        if mode == Mode::Wait {
            let given = |mode| i64::from(mode == Mode::Signal) - i64::from(mode == Mode::Wait);
            let permits = last.permits + events.map(|(_, mode)| given(mode)).sum::<i64>();
            return (permits <= 0).then(WaysOut::new);
        }
        let mut gone = bits::empty(members.len());
        bits::insert(&mut gone, holder(self.execution, events, mode)?);
        Some(smallvec![gone])
    }

    fn contradiction_on(&self, handler: HandlerId, members: &[u64]) -> Option<WaysOut> {
        let starting = bits::common(members, self.execution.starts_on(handler));
        let last = self.last.filter(|last| last.starts).map(|last| last.task);
        let last = last.filter(|&message| self.execution.handler(message) == Some(handler));
        if bits::is_empty(&starting) && last.is_none() {
            return None;
        }
        let turns = Turns { handler, members, starting, last };
        self.behind_what_stops(&turns)
            .or_else(|| self.behind_what_is_cut(&turns))
            .or_else(|| self.cut_short(&turns))
    }

    /// The message that an event starts.
    fn message(&self, start: usize) -> TaskId {
        self.execution.events()[start].task
    }

    /// Nothing can start behind a message that does not complete and is surely before it in the queue. (Leaving out a post that always
    /// comes before another one would leave out that one too.) Those that want to must go; that is impossible if the second event of the
    /// race is among them.
    fn behind_what_stops(&self, turns: &Turns<'_>) -> Option<WaysOut> {
        let execution = self.execution;
        if execution.mailbox(turns.handler) == Mailbox::Multiset {
            return None;
        }
        let mut stopping = bits::empty(turns.members.len());
        let unfinished = execution.unfinished_on(turns.handler, turns.members);
        let posts = unfinished.into_iter().filter_map(|message| execution.creator(message));
        for post in posts.filter(|&post| bits::contains(turns.members, post)) {
            bits::insert(&mut stopping, post);
        }
        let is_behind = |message: TaskId| {
            let post = execution.creator(message);
            post.is_some_and(|post| {
                bits::intersects(&execution.before(post), &stopping)
                    || bits::iter(&stopping).any(|earlier| self.has_turn_before(earlier, post))
            })
        };
        if turns.last.is_some_and(is_behind) {
            return Some(WaysOut::new());
        }
        let mut stopped = turns.starting.clone();
        for start in bits::iter(&turns.starting) {
            if !is_behind(self.message(start)) {
                bits::remove(&mut stopped, start);
            }
        }
        (!bits::is_empty(&stopped)).then(|| smallvec![stopped])
    }

    /// Are two events of two messages of one handler, the first of which begins before the second event?
    fn has_turn_before(&self, first: usize, second: usize) -> bool {
        let execution = self.execution;
        let [one, other] = [first, second].map(|event| execution.events()[event].task);
        let handler = execution.handler(one).filter(|_| one != other);
        let start = handler.and_then(|_| execution.start_of(one));
        handler == execution.handler(other)
            && start.is_some_and(|start| execution.happens_before(start, second))
    }

    /// A message that is cut short cannot have begun before an event of another one of its handler. Such events must go; that is impossible if the
    /// second event of the race is among them.
    fn behind_what_is_cut(&self, turns: &Turns<'_>) -> Option<WaysOut> {
        let execution = self.execution;
        let is_member = |event: &usize| bits::contains(turns.members, *event);
        let unfinished = execution.unfinished_on(turns.handler, turns.members);
        let cut = unfinished.into_iter().filter_map(|message| execution.start_of(message));
        let mut gone = bits::empty(turns.members.len());
        for cut in cut.filter(is_member) {
            let is_of_last = |last: &Last| {
                last.task != self.message(cut)
                    && execution.handler(last.task) == Some(turns.handler)
            };
            if self.last.is_some_and(is_of_last) && bits::contains(self.needed, cut) {
                return Some(WaysOut::new());
            }
            for other in bits::iter(&turns.starting) {
                let events = execution.events_of(self.message(other)).iter();
                let mut behind = events.map(|&event| event as usize).filter(is_member);
                let first = behind.find(|&event| self.has_turn_before(cut, event));
                first.iter().for_each(|&event| bits::insert(&mut gone, event));
            }
        }
        (!bits::is_empty(&gone)).then(|| smallvec![gone])
    }

    /// Of messages that are cut short only one can stay.
    fn cut_short(&self, turns: &Turns<'_>) -> Option<WaysOut> {
        let mut cut = bits::empty(turns.members.len());
        let unfinished = self.execution.unfinished_on(turns.handler, turns.members);
        let starts = unfinished.into_iter().filter_map(|message| self.execution.start_of(message));
        for start in starts.filter(|&start| bits::contains(turns.members, start)) {
            bits::insert(&mut cut, start);
        }
        if bits::count(&cut) + u32::from(turns.last.is_some()) <= 1 {
            return None;
        }
        if turns.last.is_some() {
            return Some(smallvec![cut]);
        }
        let without = |stays: usize| {
            let mut others = cut.clone();
            bits::remove(&mut others, stays);
            others
        };
        let must_stay = bits::common(&cut, self.needed);
        Some(match bits::count(&must_stay) {
            0 => bits::iter(&cut).map(without).collect(),
            1 => bits::iter(&must_stay).map(without).collect(),
            _ => WaysOut::new(),
        })
    }
}

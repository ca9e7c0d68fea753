//! Contradictions that can be seen at once: messages of one handler run one after the other, and one that is cut short must be
//! the last.
//!
//! They come before the question to [`super::realise`], whose cores say the same of messages of several handlers whose orders
//! depend on each other.

use super::maximal::Reduction;
use crate::algorithms::staying::holder;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::operation::Mode;
use crate::program::Mailbox;
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
        self.behind_what_stops(&turns).or_else(|| self.cut_short(&turns))
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
            post.is_some_and(|post| bits::intersects(&execution.before(post), &stopping))
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

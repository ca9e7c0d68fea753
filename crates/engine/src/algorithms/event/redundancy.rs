//! Is an event a weak initial of a sequence (Definition 4)? The sequence of checks of appendix A.3.
//!
//! Whether an execution that contains the sequence can begin with the event is simple to say unless the
//! event takes a place that others want: it starts a message on a multiset handler, or it posts to
//! a FIFO mailbox. Then the message in question must be able to run to its end before the others start.
//! What it still has to do is not in the sequence; it is taken from the access sequences of the
//! message ([`AccessSequences`]), which are complete once the event has been explored. Whatever conflicts with
//! the sequence must come after it, so the message reads what the sequence leaves behind; whether it then
//! does what the access sequence says is tried by executing it. (The paper does not say this. Without
//! it a program that branches would lose traces: the access sequences were seen after other values.)
//!
//! The happens-before check uses the saturated relation of the paper (step 2 of the appendix, Definition 6), worked out once for a
//! sequence: it holds for every point that the sequence passes on its way into a tree, and for messages that run on.
//!
//! What is not in the sequence may happen too, as long as nothing in the sequence depends on it: a message that the
//! sequence cuts short may run on to its end and make room, one in a queue that it leaves out may run through, a lock
//! may be given back, a task may end that somebody joins. The trial finds that out ([`crate::driver::Driver::can_perform`]).

use super::access_sequences::{AccessSequence, AccessSequences, MessageEvent};
use super::point::Point;
use super::saturation::Saturation;
use super::scenario::{Lead, Order, Scenario};
use crate::bits::{self, Bits};
use crate::driver::Expected;
use crate::execution::{Execution, Row};
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::outcome::RedundancyChecks;
use crate::program::Mailbox;
use crate::reversal::{Last, Member};
use crate::touch::{Touch, conflict};
use crate::wakeup::Explored;
use std::cell::OnceCell;
use std::rc::Rc;

/// What an event does to a handler or mailbox that others may want.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing.
    Free,
    /// It starts a message on a multiset handler.
    Start(HandlerId),
    /// It posts this message to a FIFO mailbox.
    Post(TaskId, HandlerId),
}

impl Kind {
    /// The kind of an event of an execution.
    pub fn of(execution: &Execution, event: usize) -> Self {
        let it = &execution.events()[event];
        match it.effect {
            Effect::Start => Kind::of_start(execution, it.task),
            Effect::Post(message, handler) if execution.mailbox(handler) == Mailbox::Fifo => {
                Kind::Post(message, handler)
            }
            _ => Kind::Free,
        }
    }

    /// The kind of the second event of a race.
    pub fn of_last(execution: &Execution, last: &Last) -> Self {
        if last.starts { Kind::of_start(execution, last.task) } else { Kind::Free }
    }

    fn of_start(execution: &Execution, message: TaskId) -> Self {
        match execution.handler(message) {
            Some(handler) if execution.mailbox(handler) == Mailbox::Multiset => {
                Kind::Start(handler)
            }
            _ => Kind::Free,
        }
    }
}

/// The answer of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is a weak initial.
    Yes,
    /// It is not.
    No,
    /// That depends on what a message does that has not been explored.
    Unknown,
}

/// An event at a point, and what is known of the message that it starts or posts.
#[derive(Clone, Copy)]
pub struct Candidate<'c> {
    /// The event.
    pub event: &'c Explored,
    /// Its kind.
    pub kind: Kind,
    /// The access sequences of its message; `None` while it has not been explored.
    pub sequences: Option<&'c AccessSequences>,
}

/// How many access sequences of a message are tried before the answer is no, which costs an exploration at
/// worst.
const MOST_TRIALS: usize = 16;

/// Executes moves from the point of a question, to see whether they do what is expected. Where that is put off, the answer
/// is not known.
pub type Attempt<'t> = dyn FnMut(&[Expected<'_>]) -> Answer + 't;

/// Messages that want the place of another one.
struct Rivals {
    /// Their starts.
    starts: Bits,
    /// Does the second event of the race start one?
    has_last: bool,
}

impl Rivals {
    fn is_empty(&self) -> bool {
        bits::is_empty(&self.starts) && !self.has_last
    }

    /// Does this start one?
    fn contains(&self, member: Member) -> bool {
        match member {
            Member::Event(event) => bits::contains(&self.starts, event),
            Member::Last => self.has_last,
        }
    }
}

/// A sequence of events at a point.
#[derive(Clone, Copy)]
pub struct Question<'q, 'e> {
    /// The point.
    pub point: &'q Point<'e>,
    /// The events.
    pub members: &'q [u64],
    /// The second event of the race; it may come anywhere behind its past.
    pub last: &'q Last,
    /// What must come before what in any execution that contains the sequence; worked out when first needed.
    pub saturation: &'q LazySaturation,
}

/// The same for all points that a sequence passes on its way into a tree.
pub type LazySaturation = OnceCell<Option<Rc<Saturation>>>;

impl<'e> Question<'_, 'e> {
    fn execution(&self) -> &'e Execution {
        self.point.execution
    }

    /// The first event of `task` in the sequence.
    pub fn next_of(&self, task: TaskId) -> Option<Member> {
        let events = self.execution().events_of(task);
        let first = events.iter().find(|&&event| bits::contains(self.members, event as usize));
        match first {
            Some(&event) => Some(Member::Event(event as usize)),
            None => (self.last.task == task).then_some(Member::Last),
        }
    }

    fn choice(&self, member: Member) -> u32 {
        match member {
            Member::Event(event) => self.execution().events()[event].choice,
            Member::Last => self.last.choice,
        }
    }

    fn is_initial(&self, member: Member) -> bool {
        let before = match member {
            Member::Event(event) => self.execution().before(event),
            Member::Last => Row::Kept(&self.last.before),
        };
        !bits::intersects(&before, self.members)
    }

    fn conflicts(&self, touches: &[Touch]) -> bool {
        let execution = self.execution();
        let is_member = |event: usize| bits::contains(self.members, event);
        let from = bits::iter(self.members).next().unwrap_or(execution.len());
        conflict(&self.last.touches, touches)
            || touches.iter().any(|&touch| execution.conflicting_from(touch, from).any(is_member))
    }

    fn has(&self, event: Option<usize>) -> bool {
        event.is_some_and(|event| bits::contains(self.members, event))
    }

    fn starts(&self, message: TaskId) -> bool {
        self.has(self.execution().start_of(message))
            || (self.last.starts && self.last.task == message)
    }

    /// Is the message posted, and not started, when the sequence has been performed?
    fn is_queued(&self, message: TaskId) -> bool {
        let execution = self.execution();
        let has_happened =
            |event: Option<usize>| event.is_some_and(|e| bits::contains(&self.point.happened, e));
        let post = execution.creator(message);
        (self.has(post) || has_happened(post))
            && !self.starts(message)
            && !has_happened(execution.start_of(message))
    }

    fn completes(&self, message: TaskId) -> bool {
        self.has(self.execution().end_of(message)) || (self.last.ends && self.last.task == message)
    }

    /// Messages that want the place of `message` at its handler.
    fn rivals(&self, message: TaskId, kind: Kind) -> Rivals {
        let execution = self.execution();
        let (Kind::Start(handler) | Kind::Post(_, handler)) = kind else {
            return Rivals { starts: bits::empty(0), has_last: false };
        };
        let mut starts = bits::common(self.members, execution.starts_on(handler));
        if let Some(own) = execution.start_of(message) {
            bits::remove(&mut starts, own);
        }
        let mut has_last = self.last.starts
            && self.last.task != message
            && execution.handler(self.last.task) == Some(handler);
        if matches!(kind, Kind::Post(..)) {
            let is_posted = |other: TaskId| self.has(execution.creator(other));
            has_last &= is_posted(self.last.task);
            for start in bits::iter(&starts.clone()) {
                if !is_posted(execution.events()[start].task) {
                    bits::remove(&mut starts, start);
                }
            }
        }
        Rivals { starts, has_last }
    }

    /// Does nobody in the sequence want the place that an event of this kind takes?
    pub fn is_uncontended(&self, kind: Kind, task: TaskId) -> bool {
        let message = match kind {
            Kind::Post(message, _) => message,
            _ => task,
        };
        self.rivals(message, kind).is_empty()
    }

    /// Is the candidate a weak initial of the sequence?
    pub fn asks(
        &self,
        candidate: Candidate<'_>,
        checks: &mut RedundancyChecks,
        trial: &mut Attempt<'_>,
    ) -> Answer {
        self.asks_for_order(candidate, checks, trial).0
    }

    /// The same, with the order of the sequence that was found on the way, if any.
    pub fn asks_for_order(
        &self,
        candidate: Candidate<'_>,
        checks: &mut RedundancyChecks,
        trial: &mut Attempt<'_>,
    ) -> (Answer, Option<Order>) {
        let event = candidate.event;
        let own = self.next_of(event.task);
        let possible = match own {
            Some(member) => self.choice(member) == event.choice && self.is_initial(member),
            None => !self.conflicts(&event.touches),
        };
        let message = match candidate.kind {
            Kind::Post(message, _) => message,
            _ => event.task,
        };
        let rivals = self.rivals(message, candidate.kind);
        if !possible || rivals.is_empty() {
            checks.simple += 1;
            return (if possible { Answer::Yes } else { Answer::No }, None);
        }
        if self.completes(message) {
            let lead =
                Lead { message, barrier: bits::empty(self.members.len()), barrier_has_last: false };
            return match self.can_lead(&lead, &rivals, false, checks) {
                Some(order) => (Answer::Yes, Some(order)),
                None => {
                    let all_end =
                        self.can_lead_if_all_end(event, &lead, &[], &rivals, checks, trial);
                    (all_end, None)
                }
            };
        }
        let answer = match candidate.sequences {
            None => Answer::Unknown,
            Some(sequences) => {
                let fits = self.can_complete(event, message, sequences, &rivals, checks, trial);
                if fits { Answer::Yes } else { Answer::No }
            }
        };
        (answer, None)
    }

    /// Can the message go first, doing what is left of one of its access sequences?
    fn can_complete(
        &self,
        event: &Explored,
        message: TaskId,
        sequences: &AccessSequences,
        rivals: &Rivals,
        checks: &mut RedundancyChecks,
        trial: &mut Attempt<'_>,
    ) -> bool {
        let mut decided = RedundancyChecks::default();
        let rests =
            sequences.complete().iter().filter_map(|sequence| self.rest_of(message, sequence));
        let fits = rests.take(MOST_TRIALS).any(|rest| {
            let lead = self.lead(message, rest);
            let answer = match self.can_lead(&lead, rivals, false, &mut decided) {
                Some(order) => trial(&self.moves(event, message, rest, rivals, &order)),
                None => self.can_lead_if_all_end(event, &lead, rest, rivals, &mut decided, trial),
            };
            answer == Answer::Yes
        });
        if decided == RedundancyChecks::default() {
            decided.happens_before = 1;
        }
        checks.add(&decided);
        fits
    }

    /// Can the message go first if messages that the sequence cuts short run on to their ends, and messages in queues
    /// that it does not start run through? They do something then that is not in the sequence, so it is tried.
    fn can_lead_if_all_end(
        &self,
        event: &Explored,
        lead: &Lead,
        rest: &[MessageEvent],
        rivals: &Rivals,
        checks: &mut RedundancyChecks,
        trial: &mut Attempt<'_>,
    ) -> Answer {
        let execution = self.execution();
        let may_run = |handler: HandlerId| {
            let is_fifo = execution.mailbox(handler) == Mailbox::Fifo;
            let mut messages = execution.posted(handler).iter();
            messages.any(|&message| {
                let is_there = self.starts(message) || is_fifo && self.is_queued(message);
                is_there && !self.completes(message)
            })
        };
        if !(0..execution.handler_count()).map(HandlerId::from).any(may_run) {
            return Answer::No;
        }
        match self.can_lead(lead, rivals, true, checks) {
            Some(order) => trial(&self.moves(event, lead.message, rest, rivals, &order)),
            None => Answer::No,
        }
    }

    /// The moves of an execution that begins with `event` and contains the sequence: the message does the
    /// rest of what it has to do just before the first of its rivals starts.
    fn moves<'m>(
        &'m self,
        event: &'m Explored,
        message: TaskId,
        rest: &'m [MessageEvent],
        rivals: &Rivals,
        order: &Order,
    ) -> Vec<Expected<'m>> {
        let execution = self.execution();
        let own = self.next_of(event.task);
        let first_accesses = match own {
            Some(Member::Event(event)) => execution.accesses(event),
            _ => &[],
        };
        let mut moves = vec![Expected {
            task: event.task,
            choice: event.choice,
            accesses: first_accesses,
            is_extra: own.is_none(),
        }];
        let mut rest =
            rest.iter().skip(usize::from(own.is_none() && event.task == message)).peekable();
        for &member in order.events.iter().filter(|&&member| Some(member) != own) {
            let (task, choice, accesses, starts) = match member {
                Member::Event(event) => {
                    let it = &execution.events()[event];
                    (it.task, it.choice, execution.accesses(event), it.effect == Effect::Start)
                }
                Member::Last => {
                    (self.last.task, self.last.choice, &self.last.accesses[..], self.last.starts)
                }
            };
            if starts && rivals.contains(member) {
                moves.extend(rest.by_ref().map(|e| Expected {
                    task: message,
                    choice: e.choice(),
                    accesses: &e.accesses,
                    is_extra: true,
                }));
            }
            moves.push(Expected { task, choice, accesses, is_extra: false });
        }
        moves
    }

    /// What is left of an access sequence behind the events of the message that are in the sequence.
    fn rest_of<'s>(
        &self,
        message: TaskId,
        sequence: &'s AccessSequence,
    ) -> Option<&'s [MessageEvent]> {
        let (execution, sequence) = (self.execution(), sequence.events());
        let mut known = 0;
        for &event in execution.events_of(message) {
            let event = event as usize;
            if bits::contains(self.members, event) || bits::contains(&self.point.happened, event) {
                let choice = execution.events()[event].choice;
                let alike = sequence.get(known).is_some_and(|e| {
                    e.touches[..] == *execution.touches(event) && e.choice() == choice
                });
                if !alike {
                    return None;
                }
                known += 1;
            }
        }
        if self.last.task == message {
            let Last { touches, choice, .. } = self.last;
            let is_alike =
                |event: &MessageEvent| event.touches == *touches && event.choice() == *choice;
            if !sequence.get(known).is_some_and(is_alike) {
                return None;
            }
            known += 1;
        }
        Some(&sequence[known..])
    }

    /// The events that must have happened before the message can end with `rest`.
    fn lead(&self, message: TaskId, rest: &[MessageEvent]) -> Lead {
        let mut barrier = bits::empty(self.members.len());
        let from = bits::iter(self.members).next().unwrap_or(self.execution().len());
        for &touch in rest.iter().flat_map(|later| &later.touches) {
            let conflicting = self.execution().conflicting_from(touch, from);
            conflicting
                .filter(|&event| bits::contains(self.members, event))
                .for_each(|event| bits::insert(&mut barrier, event));
        }
        let barrier_has_last =
            rest.iter().any(|later| conflict(&later.touches, &self.last.touches));
        Lead { message, barrier, barrier_has_last }
    }

    /// Can the message run to its end before its rivals start? In which order?
    fn can_lead(
        &self,
        lead: &Lead,
        rivals: &Rivals,
        all_end: bool,
        checks: &mut RedundancyChecks,
    ) -> Option<Order> {
        let execution = self.execution();
        let explored = |member| match member {
            Member::Event(event) => execution.before(event),
            Member::Last => Row::Kept(&self.last.before),
        };
        let is_ruled_out = |known: &Rc<Saturation>| {
            self.has_rival_before(&rivals.starts, lead, |member| Row::Kept(known.before(member)))
        };
        let known = self.saturation.get().and_then(Option::as_ref);
        if self.has_rival_before(&rivals.starts, lead, explored) || known.is_some_and(is_ruled_out)
        {
            checks.happens_before += 1;
            return None;
        }
        let scenario = Scenario {
            point: self.point,
            members: self.members,
            last: Some(self.last),
            last_at_end: false,
            lead: Some(lead),
            all_end,
        };
        let order = scenario.witness();
        if order.is_none() && self.saturated().is_some_and(is_ruled_out) {
            checks.happens_before += 1;
            return None;
        }
        let order = order.or_else(|| scenario.search());
        match order.as_ref().map(|order| order.at_once) {
            Some(true) => checks.witness += 1,
            Some(false) | None => checks.decision += 1,
        }
        order
    }

    /// Does something of the leading message, or something that it must come after, happen after the
    /// start of a rival?
    fn has_rival_before<'b>(
        &self,
        starts: &[u64],
        lead: &Lead,
        before: impl Fn(Member) -> Row<'b>,
    ) -> bool {
        let is_behind = |event: usize| bits::intersects(&before(Member::Event(event)), starts);
        let own = self.execution().events_of(lead.message).iter().rev();
        let mut own = own.map(|&event| event as usize);
        let last_waits = lead.barrier_has_last || self.last.task == lead.message;
        own.find(|&event| bits::contains(self.members, event)).is_some_and(is_behind)
            || bits::intersects(&lead.barrier, starts)
            || bits::iter(&lead.barrier).any(is_behind)
            || (last_waits && bits::intersects(&before(Member::Last), starts))
    }

    /// What must come before what in any execution that contains the sequence.
    fn saturated(&self) -> Option<&Rc<Saturation>> {
        let saturate = || {
            let mut events = self.point.happened.clone();
            bits::union(&mut events, self.members);
            Saturation::of_prefix(self.execution(), &events, self.last).map(Rc::new)
        };
        self.saturation.get_or_init(saturate).as_ref()
    }
}

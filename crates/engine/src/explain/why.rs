//! Why an execution fails: the nearest one that passes, and the pair of events whose order decides.
//!
//! Candidates are executions that exchange two events of the failing one: the later event, with all that it needs, is
//! performed before the earlier one, and the rest is followed as far as it is possible. Where none of those passes, every other
//! move from every prefix is tried, the longest prefix first. Nearest is the one that keeps the most of the failing
//! execution's order.

use super::walker::{End, Moves, Walker};
use crate::bits;
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Access;
use crate::program::{Mailbox, Program};
use crate::schedule::Schedule;
use rustc_hash::FxHashMap;

/// An event as it is known in two executions: the n-th of its task.
type EventName = (TaskId, u32);

/// One execution, kept to be compared with another.
struct Kept {
    moves: Moves,
    names: Vec<EventName>,
    accesses: Vec<Vec<Access>>,
    positions: FxHashMap<EventName, usize>,
}

/// Two events whose order decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The one that comes first where it fails, and where it stands there.
    pub first: usize,
    /// The other one, and where it stands there, if it comes that far.
    pub second: Option<usize>,
    /// Where the first one stands in the execution that passes, if it does.
    pub passing_first: Option<usize>,
    /// Where the other one stands there.
    pub passing_second: usize,
    /// Are they two messages of one handler? Then it is the order of the messages that decides.
    pub is_of_messages: bool,
}

/// An execution that passes, with its distance from the failing one.
type Candidate = ((usize, usize), Kept, Schedule);

/// The nearest execution that passes.
pub(super) struct Nearest {
    pub(super) schedule: Schedule,
    pub(super) parts_at: usize,
    pub(super) decision: Option<Decision>,
}

impl<'p, P: Program> Walker<'p, P> {
    /// Looks for an execution that passes near the one so far, which fails.
    pub(super) fn nearest_passing(&mut self, effort: u64) -> Option<Nearest> {
        self.allow(effort);
        let failing = self.keep();
        let execution = self.execution.clone();
        let mut best: Option<Candidate> = None;
        let pairs = (0..execution.len())
            .rev()
            .flat_map(|later| (0..later).rev().map(move |it| (it, later)));
        // There may be millions of pairs: each is looked at when its turn comes.
        for (earlier, later) in pairs.filter(|&(one, other)| order_matters(&execution, one, other))
        {
            if self.is_spent() {
                break;
            }
            let moves = exchanged(&execution, &failing.moves, earlier, later);
            self.consider(&failing, &moves, &mut best);
        }
        for depth in (0..failing.moves.len()).rev() {
            if best.is_some() || self.is_spent() {
                break;
            }
            for moves in self.turns(&failing, depth) {
                self.consider(&failing, &moves, &mut best);
            }
        }
        let (_, passing, schedule) = best?;
        let parts_at = shared(&failing.moves, &passing.moves);
        let decision = self.decision(&failing, &passing);
        Some(Nearest { schedule, parts_at, decision })
    }

    fn keep(&self) -> Kept {
        let events = self.execution.events();
        let names: Vec<EventName> = events.iter().map(|event| (event.task, event.index)).collect();
        Kept {
            moves: self.moves(),
            accesses: (0..events.len()).map(|at| self.execution.accesses(at).to_vec()).collect(),
            positions: names.iter().enumerate().map(|(at, &name)| (name, at)).collect(),
            names,
        }
    }

    /// Follows moves, and keeps the execution if it passes and is nearer than the best one.
    fn consider(&mut self, failing: &Kept, moves: &Moves, best: &mut Option<Candidate>) {
        if self.is_spent() || self.follow(moves) != End::Passed {
            return;
        }
        let passing = self.keep();
        let distance = distance(failing, &passing);
        if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
            *best = Some((distance, passing, self.schedule()));
        }
    }

    /// The failing execution up to `depth`, then another move, then the rest of it.
    fn turns(&mut self, failing: &Kept, depth: usize) -> Vec<Moves> {
        self.perform_moves(&failing.moves[..depth].to_vec());
        let mut enabled = Vec::new();
        self.state.enabled(&self.run, &mut enabled);
        let others = enabled.iter().filter(|&&task| task != failing.moves[depth].0);
        others
            .map(|&task| {
                let (before, behind) = failing.moves.split_at(depth);
                [before, &[(task, self.usual_choice(task))], behind].concat()
            })
            .collect()
    }

    /// The pair whose order differs: the first event of the passing execution that overtakes one with which it conflicts.
    fn decision(&self, failing: &Kept, passing: &Kept) -> Option<Decision> {
        let pairs = passing.names.iter().enumerate().filter_map(|(at, &name)| {
            let in_failing = failing.positions.get(&name).copied();
            let limit = in_failing.unwrap_or(failing.names.len());
            let overtaken = (0..limit).find_map(|first| {
                let other = failing.names[first];
                let in_passing = passing.positions.get(&other).copied();
                let is_later = in_passing.is_none_or(|later| later > at);
                if other.0 == name.0 || !is_later {
                    return None;
                }
                let are_starts =
                    name.1 == 1 && other.1 == 1 && self.are_of_one_handler(name, other);
                let conflicts = conflict(&failing.accesses[first], &passing.accesses[at]);
                (are_starts || conflicts).then_some((first, in_passing, are_starts))
            });
            let (first, passing_first, is_of_messages) = overtaken?;
            let [passing_second, second] = [Some(at), in_failing];
            Some(Decision {
                first,
                second,
                passing_first,
                passing_second: passing_second.unwrap_or(at),
                is_of_messages,
            })
        });
        let pairs: Vec<Decision> = pairs.collect();
        let is_in_both = |it: &&Decision| it.second.is_some() && it.passing_first.is_some();
        pairs.iter().find(is_in_both).or_else(|| pairs.first()).copied()
    }

    fn are_of_one_handler(&self, one: EventName, other: EventName) -> bool {
        use crate::program::Run;
        let handler = self.run.handler(one.0);
        handler.is_some() && handler == self.run.handler(other.0)
    }
}

/// The moves of an execution with the later one of two events, and what it needs, before the earlier one.
fn exchanged(execution: &Execution, moves: &Moves, earlier: usize, later: usize) -> Moves {
    let count = moves.len();
    let earlier = overtaken_from(execution, earlier, later);
    let before = execution.before(later);
    let goes_first = |event: usize| {
        event == later
            || (event > earlier && event < later && bits::contains(&before, event))
                && !execution.happens_before(earlier, event)
    };
    let parts = [
        (0..earlier).collect::<Vec<_>>(),
        (earlier..count).filter(|&event| goes_first(event)).collect(),
        (earlier..count).filter(|&event| !goes_first(event)).collect(),
    ];
    parts.concat().into_iter().map(|event| moves[event]).collect()
}

/// Where the later event has to come so that it overtakes the earlier one: messages of a queue are exchanged by exchanging their posts.
fn overtaken_from(execution: &Execution, earlier: usize, later: usize) -> usize {
    let [one, other] = [earlier, later].map(|at| execution.events()[at].task);
    let handler =
        execution.handler(one).filter(|_| execution.handler(one) == execution.handler(other));
    match handler.map(|handler| execution.mailbox(handler)) {
        Some(Mailbox::Fifo) => execution.creator(one).unwrap_or(earlier),
        _ => earlier,
    }
}

/// Do two events touch the same, or start messages of the same handler?
fn order_matters(execution: &Execution, earlier: usize, later: usize) -> bool {
    let [one, other] = [earlier, later].map(|at| execution.events()[at].task);
    if one == other {
        return false;
    }
    let handler = execution.handler(one);
    let starts = |at: usize, task: TaskId| execution.start_of(task) == Some(at);
    let are_messages = handler.is_some() && handler == execution.handler(other);
    (are_messages && starts(earlier, one) && starts(later, other))
        || conflict(execution.accesses(earlier), execution.accesses(later))
}

fn conflict(one: &[Access], other: &[Access]) -> bool {
    one.iter().any(|a| other.iter().any(|b| a.object == b.object && a.mode.conflicts(b.mode)))
}

fn shared(one: &Moves, other: &Moves) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// How many events of the failing execution are missing in the passing one, and how many pairs of them stand in another order there.
fn distance(failing: &Kept, passing: &Kept) -> (usize, usize) {
    let positions: Vec<Option<usize>> =
        failing.names.iter().map(|name| passing.positions.get(name).copied()).collect();
    let missing = positions.iter().filter(|it| it.is_none()).count();
    let kept: Vec<usize> = positions.into_iter().flatten().collect();
    let exchanged = kept
        .iter()
        .enumerate()
        .map(|(at, one)| kept[at + 1..].iter().filter(|other| *other < one).count());
    (missing, exchanged.sum())
}

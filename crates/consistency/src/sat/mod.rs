//! The default solver: conflict-driven clause learning over the orders of pairs, with the closure as its theory.
//!
//! After Nieuwenhuis, Oliveras and Tinelli, "Solving SAT and SAT Modulo Theories" (JACM 2006) and the order encoding of
//! the paper's Algorithm 2, with three changes: the theory sees three terminals for each message instead of all events;
//! every order that the closure forces is propagated (so transitivity needs no clauses); the first phases come from an
//! optimistic run, which alone decides most consistent traces.
//!
//! Sound and complete for all mailbox policies; `unknown` only on a limit. Exponential at worst (the problem is
//! NP-complete), memory: three square bit matrices over the terminals and some words for each pair.

mod analyze;
mod clauses;
mod heap;

use crate::limits::{Limit, Limits};
use crate::optimistic::Run;
use crate::proof::{Lit, Proof, StepId};
use crate::terminals::NONE;
use crate::theory::{Mark, Path, Theory};
use clauses::Clauses;
use heap::Heap;

/// Why a pair has its value.
#[derive(Debug, Clone, Copy)]
enum Reason {
    Decision,
    Given,
    /// A learnt clause.
    Clause(u32),
    /// A path forces it; not yet explained.
    Theory(Path),
    /// A step of the proof with this literal in it.
    Step(StepId),
}

/// Why the current assignment is impossible.
enum Conflict {
    Clause(u32),
    /// This path exists; `lit` would close it to a cycle.
    Cycle(Path, Lit),
    /// This path exists and forces `lit`, which is false.
    Forced(Path, Lit),
    /// The problem states both this literal and its opposite.
    Given(Lit),
}

/// What the search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Order,
    Contradiction,
    Stopped(Limit),
}

/// How the search is paced.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Conflicts before the first restart; multiplied by the Luby sequence.
    restart: u64,
    /// Learnt clauses before the first reduction.
    keep: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { restart: 64, keep: 4000 }
    }
}

/// Decisions between two looks at the clock.
const DECISIONS_BETWEEN_LOOKS: u64 = 32;
/// Words of proof that may be kept (4 bytes each).
const PROOF_WORDS: usize = 1 << 28;
const LEVEL_ZERO: u32 = 0;

/// The solver and its buffers.
#[derive(Debug, Default)]
pub(crate) struct Sat {
    pub(crate) theory: Theory,
    pub(crate) proof: Proof,
    pub(crate) conflicts: u64,
    pub(crate) decisions: u64,
    pub(crate) run: Run,
    pace: Pace,
    /// Per literal: true 1, false -1, open 0.
    value: Vec<i8>,
    level: Vec<u32>,
    position: Vec<u32>,
    reason: Vec<Reason>,
    /// The phase a pair gets when it is decided: last value, at first the optimistic run's.
    phase: Vec<bool>,
    trail: Vec<Lit>,
    head: usize,
    levels: Vec<(u32, Mark)>,
    clauses: Clauses,
    heap: Heap,
    units: Vec<(Lit, u32)>,
    analysis: analyze::Analysis,
}

impl Sat {
    /// Searches for orders of all groups. `theory.terminals` is set up and connected; `given` are orders that must hold.
    pub(crate) fn solve(
        &mut self,
        given: &[(u32, u32)],
        groups: usize,
        limits: &Limits<'_>,
    ) -> Found {
        self.reset();
        if let Some(conflict) = self.settle(given) {
            self.refute(&conflict);
            return Found::Contradiction;
        }
        self.theory.closure.commit();
        let clean = self.run.run(&self.theory.terminals, &self.theory.closure, groups);
        self.take_phases();
        if clean {
            self.follow_run();
            return Found::Order;
        }
        if let Some(limit) = limits.interrupted() {
            return Found::Stopped(limit);
        }
        self.search(limits)
    }

    /// Is message `a` before `b` in the order found?
    pub(crate) fn before(&self, a: u32, b: u32) -> bool {
        self.value[self.theory.lit(a, b) as usize] > 0
    }

    /// Takes the value of each literal from another solver.
    pub(crate) fn take_values(&mut self, value: &[i8]) {
        self.value.clear();
        self.value.extend_from_slice(value);
    }

    fn reset(&mut self) {
        self.theory.start();
        self.proof.clear();
        let pairs = self.theory.pair_count();
        self.value.clear();
        self.value.resize(2 * pairs, 0);
        self.level.resize(pairs, 0);
        self.position.resize(pairs, 0);
        self.reason.resize(pairs, Reason::Decision);
        self.phase.clear();
        self.phase.resize(pairs, false);
        self.trail.clear();
        self.levels.clear();
        self.head = 0;
        self.conflicts = 0;
        self.decisions = 0;
        self.analysis.reset(pairs);
        // What was learnt from one problem says nothing about the next.
        self.clauses.reset(pairs);
    }

    /// What holds without any decision.
    fn settle(&mut self, given: &[(u32, u32)]) -> Option<Conflict> {
        for &(a, b) in given {
            let lit = self.theory.lit(a, b);
            match self.value[lit as usize] {
                0 => self.assign(lit, Reason::Given),
                -1 => return Some(Conflict::Given(lit)),
                _ => {}
            }
        }
        self.theory.force_initial();
        self.take_forced().or_else(|| self.propagate())
    }

    fn assign(&mut self, lit: Lit, reason: Reason) {
        let pair = lit as usize / 2;
        self.value[lit as usize] = 1;
        self.value[lit as usize ^ 1] = -1;
        self.level[pair] = self.levels.len() as u32;
        self.position[pair] = self.trail.len() as u32;
        self.reason[pair] = reason;
        self.trail.push(lit);
    }

    fn propagate(&mut self) -> Option<Conflict> {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            let when = self.head as u32;
            self.head += 1;
            if let Err(path) = self.theory.insert(lit, when) {
                return Some(Conflict::Cycle(path, lit));
            }
            let conflict = self.take_forced().or_else(|| self.visit_clauses(lit));
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn take_forced(&mut self) -> Option<Conflict> {
        let forced = std::mem::take(&mut self.theory.forced);
        let mut conflict = None;
        for found in &forced {
            let path = Path { from: found.from, to: found.to };
            match self.value[found.lit as usize] {
                0 => self.assign(found.lit, Reason::Theory(path)),
                -1 => {
                    conflict = Some(Conflict::Forced(path, found.lit));
                    break;
                }
                _ => {}
            }
        }
        self.theory.forced = forced;
        self.theory.forced.clear();
        conflict
    }

    fn visit_clauses(&mut self, lit: Lit) -> Option<Conflict> {
        if self.clauses.len() == 0 {
            return None;
        }
        self.units.clear();
        let broken = self.clauses.visit(lit ^ 1, &self.value, &mut self.units);
        for index in 0..self.units.len() {
            let (unit, clause) = self.units[index];
            match self.value[unit as usize] {
                0 => self.assign(unit, Reason::Clause(clause)),
                -1 => return Some(Conflict::Clause(clause)),
                _ => {}
            }
        }
        broken.map(Conflict::Clause)
    }

    /// Phases, and which pairs come first: neighbours in the run imply most others.
    fn take_phases(&mut self) {
        for pair in 0..self.theory.pair_count() as u32 {
            self.phase[pair as usize] = self.in_run(pair * 2);
        }
    }

    fn in_run(&self, lit: Lit) -> bool {
        let (a, b) = self.theory.messages(lit);
        self.run_time(a) < self.run_time(b)
    }

    /// When the run placed a message: by its post where posts keep their order.
    fn run_time(&self, message: u32) -> (u32, u32) {
        let place = &self.theory.terminals.places[message as usize];
        let started = self.run.when[place.get as usize];
        let posted = if place.class == NONE || place.post == NONE {
            0
        } else {
            self.run.when[place.post as usize] + 1
        };
        (posted, started)
    }

    /// A clean run is the answer: take its order as the assignment.
    fn follow_run(&mut self) {
        for pair in 0..self.theory.pair_count() {
            let lit = (pair * 2) as Lit;
            let (a, b) = self.theory.messages(lit);
            let places = &self.theory.terminals.places;
            let earlier = self.run.when[places[a as usize].get as usize]
                < self.run.when[places[b as usize].get as usize];
            self.value[lit as usize] = if earlier { 1 } else { -1 };
            self.value[lit as usize + 1] = -self.value[lit as usize];
        }
    }

    fn search(&mut self, limits: &Limits<'_>) -> Found {
        self.heap.reset(self.theory.pair_count());
        self.prefer_neighbours();
        let Pace { restart, mut keep } = self.pace;
        let (mut restarts, mut until) = (1, restart);
        loop {
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                if self.levels.is_empty() {
                    self.refute(&conflict);
                    return Found::Contradiction;
                }
                self.learn(&conflict);
                if let Some(limit) = self.over(limits) {
                    return Found::Stopped(limit);
                }
            } else if self.conflicts >= until {
                restarts += 1;
                until = self.conflicts + restart * luby(restarts);
                self.backtrack(0);
                if self.clauses.len() > keep {
                    self.forget();
                    keep += keep / 4 + 1;
                }
            } else if !self.decide() {
                return Found::Order;
            } else if self.decisions.is_multiple_of(DECISIONS_BETWEEN_LOOKS)
                && let Some(limit) = limits.interrupted()
            {
                return Found::Stopped(limit);
            }
        }
    }

    fn over(&self, limits: &Limits<'_>) -> Option<Limit> {
        if self.proof.size() > PROOF_WORDS {
            return Some(Limit::Size);
        }
        limits.exceeded(self.conflicts)
    }

    fn prefer_neighbours(&mut self) {
        let terminals = &self.theory.terminals;
        let mut order = Vec::new();
        let mut rank = vec![0u32; terminals.places.len()];
        for group in 0..terminals.start.len() - 2 {
            order.clear();
            order.extend_from_slice(terminals.group(group));
            order.sort_by_key(|&message| self.run_time(message));
            for (position, &message) in order.iter().enumerate() {
                rank[message as usize] = position as u32;
            }
        }
        for pair in 0..self.theory.pair_count() as u32 {
            let (a, b) = self.theory.messages(pair * 2);
            let distance = rank[a as usize].abs_diff(rank[b as usize]);
            self.heap.prefer(pair, 1e-6 / f64::from(distance));
            if self.value[pair as usize * 2] == 0 {
                self.heap.push(pair);
            }
        }
    }

    /// Decides one open pair; false if there is none.
    fn decide(&mut self) -> bool {
        while let Some(pair) = self.heap.pop() {
            if self.value[pair as usize * 2] == 0 {
                self.decisions += 1;
                self.levels.push((self.trail.len() as u32, self.theory.mark()));
                self.assign(pair * 2 + u32::from(!self.phase[pair as usize]), Reason::Decision);
                return true;
            }
        }
        false
    }

    fn backtrack(&mut self, level: usize) {
        if self.levels.len() <= level {
            return;
        }
        let (length, mark) = self.levels[level];
        for lit in self.trail.drain(length as usize..) {
            let pair = lit as usize / 2;
            self.value[lit as usize] = 0;
            self.value[lit as usize ^ 1] = 0;
            self.phase[pair] = lit & 1 == 0;
            self.heap.push(pair as u32);
        }
        self.theory.undo(mark);
        self.levels.truncate(level);
        self.head = self.trail.len();
    }

    /// Drops half of the clauses; nothing is assigned above level 0.
    fn forget(&mut self) {
        for &lit in &self.trail {
            let reason = &mut self.reason[lit as usize / 2];
            if let Reason::Clause(clause) = *reason {
                *reason = Reason::Step(self.clauses.step(clause));
            }
        }
        self.clauses.halve();
    }
}

/// The sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993), counted from 1.
fn luby(mut index: u64) -> u64 {
    loop {
        let power = (index + 1).next_power_of_two();
        if power == index + 1 {
            return power / 2;
        }
        index -= power / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, luby};
    use crate::order::{Message, OrderProblem, Status};
    use crate::{Limits, Policy};

    #[test]
    fn luby_sequence() {
        let sequence: Vec<u64> = (1..16).map(luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    /// Ten messages on each of eight handlers, each with a post of its own; random pairs must overlap in time.
    fn overlapping(problem: &mut OrderProblem, seed: u64) {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut below = |bound: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % bound) as u32
        };
        problem.reset(240);
        let groups: Vec<u32> = (0..8).map(|_| problem.group(Policy::Fifo)).collect();
        for message in 0..80 {
            let complete =
                Message::complete(groups[message as usize % 8], 3 * message, 3 * message + 1);
            problem.message(Message { post: Some(3 * message + 2), ..complete });
        }
        for _ in 0..80 + below(24) {
            let (a, b) = (below(80), below(80));
            if a % 8 != b % 8 {
                problem.edge(3 * a, 3 * b + 1);
                problem.edge(3 * b, 3 * a + 1);
            }
        }
    }

    /// Restarting and forgetting all the time changes the way, not the answer; and the core is still a contradiction.
    #[test]
    fn restarts_and_forgetting_keep_the_answer() {
        let (mut calm, mut hasty) = (OrderProblem::new(), OrderProblem::new());
        hasty.sat.pace = Pace { restart: 2, keep: 3 };
        let (mut conflicts, mut verdicts) = (0, [0, 0]);
        for seed in 0..120 {
            overlapping(&mut calm, seed);
            overlapping(&mut hasty, seed);
            let status = calm.solve(&Limits::default());
            assert_eq!(hasty.solve(&Limits::default()), status, "seed {seed}");
            conflicts += hasty.effort().0;
            verdicts[usize::from(status == Status::Ordered)] += 1;
            if status == Status::Ordered {
                assert!(hasty.linearise().is_some(), "seed {seed}");
                continue;
            }
            let core = hasty.core().to_vec();
            overlapping(&mut calm, seed);
            calm.keep_edges(&core);
            assert_eq!(calm.solve(&Limits::default()), Status::Contradiction, "seed {seed}");
        }
        assert!(
            conflicts > 500 && verdicts.iter().all(|&count| count > 20),
            "{conflicts} {verdicts:?}"
        );
    }

    /// A solver that has learnt from one problem answers the next as a new one does, also before it has to decide anything.
    #[test]
    fn nothing_is_left_of_an_earlier_problem() {
        let mut used = OrderProblem::new();
        let mut learnt = 0;
        for seed in 0..60 {
            overlapping(&mut used, seed);
            used.solve(&Limits::default());
            learnt += used.effort().0;
            // Smaller, and with orders that are given, so that clauses would be looked at at once.
            for problem in [&mut used, &mut OrderProblem::new()] {
                problem.reset(36);
                let group = problem.group(Policy::Fifo);
                for message in 0..12 {
                    let complete = Message::complete(group, 3 * message, 3 * message + 1);
                    problem.message(Message { post: Some(3 * message + 2), ..complete });
                }
                (0..11).for_each(|message| problem.before(message, message + 1));
                assert_eq!(problem.solve(&Limits::default()), Status::Ordered, "seed {seed}");
            }
        }
        assert!(learnt > 100, "{learnt}");
    }
}

//! The paper's first procedure: saturate, then enumerate. Kept for comparison; [`crate::Solver::Sat`] is the default.
//!
//! After Abdulla et al., "Checking Consistency of Event-driven Traces", section 5.1, Algorithm 1. Sound and complete;
//! exponential in the number of pairs that saturation leaves open.
//!
//! Deviations: (1) the graph is reduced to terminals, whose closure answers "is there a path" at once; (2) the rules
//! force an order where the reverse closes a cycle, which covers the patterns of figure 5: rules 1 and 2 are paths from
//! get(a) to last(b), by one edge or by several, rule 3 is a path from post(a) to post(b) where the mailbox keeps that
//! order; (3) mo is not enumerated apart from eo: under FIFO they are one order, under a multiset mo is free; (4) the
//! enumeration goes back at the first cycle instead of when all orders are chosen; (5) it writes a certificate: a lemma
//! for each cycle, a resolvent for each branching.

use crate::limits::{Limit, Limits};
use crate::order::{Contradiction, OrderProblem, Status};
use crate::proof::{Lit, Proof, StepId};
use crate::theory::{Mark, Path, Theory};

const UNPROVEN: StepId = StepId::MAX;
/// Branches between two looks at the clock.
const PATIENCE: u64 = 16;
/// Pairs that are considered between two looks at the clock.
const PAIRS_BETWEEN_LOOKS: u32 = 256;

/// Decides `problem` by Algorithm 1.
pub(crate) fn solve(problem: &mut OrderProblem, limits: &Limits<'_>) -> Status {
    if let Err(status) = problem.prepare() {
        return status;
    }
    let given = problem.given().to_vec();
    let mut saturation = Saturation::new(problem, *limits);
    let status = saturation.run(&given);
    match status {
        Status::Ordered => {
            let value = saturation.value;
            problem.set_order_by(&value);
        }
        Status::Contradiction => {
            problem.sat.proof.trim();
            problem.refuted(Contradiction::Proof);
        }
        Status::Unknown(_) => {}
    }
    status
}

/// One choice of the enumeration.
struct Branch {
    lit: Lit,
    mark: Mark,
    /// Why the opposite is impossible, once that has been tried.
    refuted: Option<StepId>,
}

struct Saturation<'a> {
    theory: &'a mut Theory,
    proof: &'a mut Proof,
    limits: Limits<'a>,
    /// Per literal.
    value: Vec<i8>,
    /// Per pair that saturation settled: the step that proves it.
    unit: Vec<StepId>,
    clock: u32,
    branches: u64,
}

impl<'a> Saturation<'a> {
    fn new(problem: &'a mut OrderProblem, limits: Limits<'a>) -> Self {
        let (theory, proof) = (&mut problem.sat.theory, &mut problem.sat.proof);
        theory.start();
        proof.clear();
        let pairs = theory.pair_count();
        let (value, unit) = (vec![0; 2 * pairs], vec![UNPROVEN; pairs]);
        Self { theory, proof, limits, value, unit, clock: 0, branches: 0 }
    }

    fn run(&mut self, given: &[(u32, u32)]) -> Status {
        for &(a, b) in given {
            let lit = self.theory.lit(a, b);
            let step = self.proof.given(lit);
            if let Err(step) = self.settle(lit, step) {
                return self.contradiction(step);
            }
        }
        // Algorithm 1, line 4.
        match self.saturate() {
            Ok(None) => {}
            Ok(Some(limit)) => return Status::Unknown(limit),
            Err(step) => return self.contradiction(step),
        }
        self.theory.closure.commit();
        // Algorithm 1, line 5.
        self.enumerate()
    }

    fn contradiction(&mut self, step: StepId) -> Status {
        let step = self.without_units(step);
        self.proof.derived(&[], &[step]);
        Status::Contradiction
    }

    /// Applies the rules to every open pair until nothing changes, or a limit stops it.
    fn saturate(&mut self) -> Result<Option<Limit>, StepId> {
        let mut changed = true;
        while changed {
            changed = false;
            for pair in 0..self.theory.pair_count() as u32 {
                if pair % PAIRS_BETWEEN_LOOKS == 0
                    && let Some(limit) = self.limits.interrupted()
                {
                    return Ok(Some(limit));
                }
                for lit in [2 * pair, 2 * pair + 1] {
                    if self.value[lit as usize] == 0
                        && let Some(path) = self.theory.forcing(lit)
                    {
                        let step = self.lemma(path, lit);
                        self.settle(lit, step)?;
                        changed = true;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Settles `lit`, which `step` implies together with what is settled.
    fn settle(&mut self, lit: Lit, step: StepId) -> Result<(), StepId> {
        match self.value[lit as usize] {
            1 => return Ok(()),
            -1 => return Err(step),
            _ => {}
        }
        self.unit[lit as usize / 2] = self.without_units(step);
        self.insert(lit)
    }

    /// Sets `lit`; an error is the lemma that forbids it.
    fn insert(&mut self, lit: Lit) -> Result<(), StepId> {
        self.value[lit as usize] = 1;
        self.value[lit as usize ^ 1] = -1;
        self.clock += 1;
        let inserted = self.theory.insert(lit, self.clock);
        self.theory.forced.clear();
        inserted.map_err(|path| self.lemma(path, lit ^ 1))
    }

    /// The lemma "the orders on `path` imply `lit`".
    fn lemma(&mut self, path: Path, lit: Lit) -> StepId {
        let (mut lits, mut segments) = (vec![lit], Vec::new());
        self.theory.explain(path, u32::MAX, &mut lits, &mut segments);
        lits.sort_unstable();
        lits.dedup();
        self.proof.theory(&lits, &segments)
    }

    /// `step` without the literals that saturation has shown to be false.
    fn without_units(&mut self, step: StepId) -> StepId {
        let lits = self.proof.lits(step);
        let is_unit =
            |lit: Lit| self.unit[lit as usize / 2] != UNPROVEN && self.value[lit as usize] < 0;
        let rest: Vec<Lit> = lits.iter().copied().filter(|&lit| !is_unit(lit)).collect();
        if rest.len() == lits.len() {
            return step;
        }
        let units =
            lits.iter().filter(|&&lit| is_unit(lit)).map(|&lit| self.unit[lit as usize / 2]);
        let used: Vec<StepId> = std::iter::once(step).chain(units).collect();
        self.proof.derived(&rest, &used)
    }

    /// Tries all orders of the pairs still open, depth first.
    fn enumerate(&mut self) -> Status {
        let open: Vec<Lit> = (0..self.theory.pair_count() as u32)
            .map(|p| 2 * p)
            .filter(|&l| self.value[l as usize] == 0)
            .collect();
        let mut branches: Vec<Branch> = Vec::new();
        while branches.len() < open.len() {
            self.branches += 1;
            if self.branches.is_multiple_of(PATIENCE)
                && let Some(limit) = self.limits.exceeded(self.branches)
            {
                return Status::Unknown(limit);
            }
            let lit = open[branches.len()];
            branches.push(Branch { lit, mark: self.theory.mark(), refuted: None });
            if let Err(step) = self.insert(lit)
                && let Err(last) = self.go_back(&mut branches, step)
            {
                return self.contradiction(last);
            }
        }
        Status::Ordered
    }

    /// The latest choice is refuted by `step`: tries its opposite, or goes further back. An error refutes everything.
    fn go_back(&mut self, branches: &mut Vec<Branch>, step: StepId) -> Result<(), StepId> {
        let mut step = self.without_units(step);
        while let Some(mut branch) = branches.pop() {
            self.theory.undo(branch.mark);
            self.value[branch.lit as usize] = 0;
            self.value[branch.lit as usize ^ 1] = 0;
            if let Some(opposite) = branch.refuted {
                step = self.resolvent(opposite, step, branch.lit);
                continue;
            }
            branch.refuted = Some(step);
            branch.lit ^= 1;
            let lit = branch.lit;
            branches.push(branch);
            match self.insert(lit) {
                Ok(()) => return Ok(()),
                Err(refuted) => step = self.without_units(refuted),
            }
        }
        Err(step)
    }

    fn resolvent(&mut self, a: StepId, b: StepId, lit: Lit) -> StepId {
        let about =
            |step: StepId, proof: &Proof| proof.lits(step).iter().any(|other| other / 2 == lit / 2);
        if !about(a, self.proof) {
            return a;
        }
        if !about(b, self.proof) {
            return b;
        }
        let both = self.proof.lits(a).iter().chain(self.proof.lits(b)).copied();
        let mut lits: Vec<Lit> = both.filter(|other| other / 2 != lit / 2).collect();
        lits.sort_unstable();
        lits.dedup();
        self.proof.derived(&lits, &[a, b])
    }
}

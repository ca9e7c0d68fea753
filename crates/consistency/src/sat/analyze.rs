//! Conflict analysis: the first unique implication point, the clause learnt, and the proof of every step.

use super::{Conflict, LEVEL_ZERO, Reason, Sat};
use crate::proof::{Lit, StepId};
use crate::theory::Path;
use std::collections::BinaryHeap;

/// No step yet.
const UNPROVEN: StepId = StepId::MAX;

/// Buffers of the analysis.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    seen: Vec<bool>,
    /// For pairs fixed at level 0: the step that proves them as a unit.
    unit: Vec<StepId>,
    learnt: Vec<Lit>,
    used: Vec<StepId>,
    /// Pairs of level 0 that the analysis leaned on.
    fixed: Vec<u32>,
    lits: Vec<Lit>,
    segments: Vec<(u32, u32)>,
    clear: Vec<u32>,
    levels: Vec<u32>,
}

impl Analysis {
    pub(super) fn reset(&mut self, pairs: usize) {
        self.seen.clear();
        self.seen.resize(pairs, false);
        self.unit.clear();
        self.unit.resize(pairs, UNPROVEN);
    }
}

impl Sat {
    /// A contradiction without decisions: ends the proof with the empty clause.
    pub(super) fn refute(&mut self, conflict: &Conflict) {
        let step = self.conflict_step(conflict);
        let mut fixed: Vec<u32> = self.proof.lits(step).iter().map(|lit| lit / 2).collect();
        self.prove_units(&fixed);
        let mut used = vec![step];
        used.extend(fixed.drain(..).map(|pair| self.analysis.unit[pair as usize]));
        self.proof.derived(&[], &used);
    }

    /// Learns from `conflict`, goes back, and assigns what the new clause says.
    pub(super) fn learn(&mut self, conflict: &Conflict) {
        let step = self.conflict_step(conflict);
        let uip = self.resolve(step);
        self.minimise();
        let fixed = std::mem::take(&mut self.analysis.fixed);
        self.prove_units(&fixed);
        self.analysis.used.extend(fixed.iter().map(|&pair| self.analysis.unit[pair as usize]));
        self.analysis.fixed = fixed;
        for pair in self.analysis.clear.drain(..) {
            self.analysis.seen[pair as usize] = false;
        }
        let step = self.proof.derived(&self.analysis.learnt, &self.analysis.used);
        let glue = self.glue();
        let level = self.backjump_level();
        self.backtrack(level);
        let reason = if self.analysis.learnt.len() > 1 {
            Reason::Clause(self.clauses.add(&self.analysis.learnt, glue, step))
        } else {
            Reason::Step(step)
        };
        self.assign(uip, reason);
        self.heap.decay();
    }

    /// The clause of a conflict, as a step of the proof.
    fn conflict_step(&mut self, conflict: &Conflict) -> StepId {
        match *conflict {
            Conflict::Clause(clause) => self.clauses.step(clause),
            Conflict::Given(lit) => self.proof.given(lit),
            Conflict::Cycle(path, lit) => self.lemma(path, u32::MAX, lit ^ 1),
            Conflict::Forced(path, lit) => self.lemma(path, u32::MAX, lit),
        }
    }

    /// The lemma "the orders on `path` imply `lit`", using only orders assigned before `when`.
    fn lemma(&mut self, path: Path, when: u32, lit: Lit) -> StepId {
        let Analysis { lits, segments, .. } = &mut self.analysis;
        lits.clear();
        segments.clear();
        lits.push(lit);
        self.theory.explain(path, when, lits, segments);
        // The same order may appear twice on a path: once between posts, once between executions.
        lits.sort_unstable();
        lits.dedup();
        self.proof.theory(lits, segments)
    }

    /// The step that gave `lit` its value.
    fn reason_step(&mut self, lit: Lit) -> Option<StepId> {
        let pair = lit as usize / 2;
        let step = match self.reason[pair] {
            Reason::Decision => return None,
            Reason::Clause(clause) => return Some(self.clauses.step(clause)),
            Reason::Step(step) => return Some(step),
            Reason::Given => self.proof.given(lit),
            Reason::Theory(path) => self.lemma(path, self.position[pair], lit),
        };
        self.reason[pair] = Reason::Step(step);
        Some(step)
    }

    /// Resolves back to the first unique implication point; the clause is left in `learnt`, its first literal returned.
    fn resolve(&mut self, conflict: StepId) -> Lit {
        self.analysis.learnt.clear();
        self.analysis.learnt.push(0);
        self.analysis.used.clear();
        self.analysis.fixed.clear();
        let mut open = 0;
        let mut at = self.trail.len();
        let mut step = conflict;
        let mut resolved = None;
        loop {
            self.analysis.used.push(step);
            open += self.gather(step, resolved);
            let lit = loop {
                at -= 1;
                let lit = self.trail[at];
                if self.analysis.seen[lit as usize / 2]
                    && self.level[lit as usize / 2] != LEVEL_ZERO
                {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                self.analysis.learnt[0] = lit ^ 1;
                return lit ^ 1;
            }
            step = self.reason_step(lit).expect("the decision is the last of its level");
            resolved = Some(lit);
        }
    }

    /// Takes the literals of a step into the analysis; returns how many new ones are of the current level.
    fn gather(&mut self, step: StepId, resolved: Option<Lit>) -> usize {
        let current = self.levels.len() as u32;
        let mut open = 0;
        for &lit in self.proof.lits(step) {
            let pair = lit as usize / 2;
            if Some(lit) == resolved || self.analysis.seen[pair] {
                continue;
            }
            self.analysis.seen[pair] = true;
            self.analysis.clear.push(pair as u32);
            if self.level[pair] == LEVEL_ZERO {
                self.analysis.fixed.push(pair as u32);
                continue;
            }
            self.heap.bump(pair as u32);
            if self.level[pair] == current {
                open += 1;
            } else {
                self.analysis.learnt.push(lit);
            }
        }
        open
    }

    /// Drops literals that the others imply, looking one reason deep and only at reasons already explained.
    fn minimise(&mut self) {
        let mut kept = 1;
        for index in 1..self.analysis.learnt.len() {
            let lit = self.analysis.learnt[index];
            let step = match self.reason[lit as usize / 2] {
                Reason::Step(step) => Some(step),
                Reason::Clause(clause) => Some(self.clauses.step(clause)),
                _ => None,
            };
            let implied = step.filter(|&step| {
                let others = self.proof.lits(step).iter().filter(|&&other| other != lit ^ 1);
                others.into_iter().all(|&other| self.stays_false(other))
            });
            if let Some(step) = implied {
                self.analysis.used.push(step);
                for &other in self.proof.lits(step) {
                    let pair = other as usize / 2;
                    if self.level[pair] == LEVEL_ZERO && !self.analysis.seen[pair] {
                        self.analysis.seen[pair] = true;
                        self.analysis.clear.push(pair as u32);
                        self.analysis.fixed.push(pair as u32);
                    }
                }
            } else {
                self.analysis.learnt[kept] = lit;
                kept += 1;
            }
        }
        self.analysis.learnt.truncate(kept);
    }

    /// Is `other` part of the clause (or of level 0)? Pairs of the current level were resolved away, except the point itself.
    fn stays_false(&self, other: Lit) -> bool {
        let pair = other as usize / 2;
        self.level[pair] == LEVEL_ZERO
            || self.analysis.seen[pair] && self.level[pair] != self.levels.len() as u32
            || other == self.analysis.learnt[0]
    }

    /// Proves the pairs as units: their reasons as steps, oldest first.
    fn prove_units(&mut self, pairs: &[u32]) {
        let mut wanted: BinaryHeap<u32> =
            pairs.iter().map(|&pair| self.position[pair as usize]).collect();
        let mut found = Vec::new();
        let mut previous = None;
        while let Some(position) = wanted.pop() {
            let lit = self.trail[position as usize];
            if previous == Some(position) || self.analysis.unit[lit as usize / 2] != UNPROVEN {
                continue;
            }
            previous = Some(position);
            let step = self.reason_step(lit).expect("level 0 has no decisions");
            found.push((lit, step));
            let others = self.proof.lits(step).iter().filter(|&&other| other != lit);
            wanted.extend(others.map(|&other| self.position[other as usize / 2]));
        }
        for (lit, step) in found.into_iter().rev() {
            let others = self.proof.lits(step).iter().filter(|&&other| other != lit);
            let mut used = vec![step];
            used.extend(others.map(|&other| self.analysis.unit[other as usize / 2]));
            let proven = if used.len() == 1 { step } else { self.proof.derived(&[lit], &used) };
            self.analysis.unit[lit as usize / 2] = proven;
        }
    }

    /// Number of different levels in the learnt clause.
    fn glue(&mut self) -> u32 {
        let Analysis { levels, learnt, .. } = &mut self.analysis;
        levels.clear();
        levels.extend(learnt.iter().map(|&lit| self.level[lit as usize / 2]));
        levels.sort_unstable();
        levels.dedup();
        levels.len() as u32
    }

    /// The level where the learnt clause becomes unit; its second literal is made one of that level.
    fn backjump_level(&mut self) -> usize {
        let Analysis { learnt, .. } = &mut self.analysis;
        let deepest = (1..learnt.len()).max_by_key(|&index| self.level[learnt[index] as usize / 2]);
        deepest.map_or(0, |index| {
            learnt.swap(1, index);
            self.level[learnt[1] as usize / 2] as usize
        })
    }
}

//! What the search derived, step by step, so that a contradiction can be shown: as a certificate or as a core of fixed edges.
//!
//! A theory lemma says that a set of orders together with fixed paths closes a cycle; a derived clause follows from earlier
//! steps by unit propagation. Each derived clause remembers which steps it used, so [`Proof::trim`] keeps only what the
//! empty clause needs.

/// "a before b" for messages a, b of one group: twice the pair's number, plus one when the pair is reversed.
pub(crate) type Lit = u32;
/// Number of a step of a proof.
pub(crate) type StepId = u32;

/// Why a step holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The negations of its literals close a cycle with the fixed paths of the step.
    Theory,
    /// Stated by the problem itself.
    Given,
    /// Follows from earlier steps by unit propagation.
    Derived,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    kind: Kind,
    lits: (u32, u32),
    /// Theory: into `segments`; derived: into `used`.
    support: (u32, u32),
}

/// All steps, in arenas that survive from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    steps: Vec<Step>,
    lits: Vec<Lit>,
    segments: Vec<(u32, u32)>,
    used: Vec<StepId>,
    needed: Vec<bool>,
}

impl Proof {
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.lits.clear();
        self.segments.clear();
        self.used.clear();
    }

    /// Words of memory in use, roughly.
    pub(crate) fn size(&self) -> usize {
        self.lits.len() + 2 * self.segments.len() + self.used.len() + 5 * self.steps.len()
    }

    /// A lemma of the theory: `segments` are the fixed paths (from terminal, to terminal) of the cycle.
    pub(crate) fn theory(&mut self, lits: &[Lit], segments: &[(u32, u32)]) -> StepId {
        let support = extend(&mut self.segments, segments);
        self.push(Kind::Theory, lits, support)
    }

    /// A unit clause that the problem states.
    pub(crate) fn given(&mut self, lit: Lit) -> StepId {
        self.push(Kind::Given, &[lit], (0, 0))
    }

    /// A clause that follows from the steps `used`.
    pub(crate) fn derived(&mut self, lits: &[Lit], used: &[StepId]) -> StepId {
        let support = extend(&mut self.used, used);
        self.push(Kind::Derived, lits, support)
    }

    fn push(&mut self, kind: Kind, lits: &[Lit], support: (u32, u32)) -> StepId {
        let lits = extend(&mut self.lits, lits);
        self.steps.push(Step { kind, lits, support });
        self.steps.len() as StepId - 1
    }

    pub(crate) fn lits(&self, step: StepId) -> &[Lit] {
        slice(&self.lits, self.steps[step as usize].lits)
    }

    /// Marks the steps that the last one needs.
    pub(crate) fn trim(&mut self) {
        self.needed.clear();
        self.needed.resize(self.steps.len(), false);
        if let Some(last) = self.needed.last_mut() {
            *last = true;
        }
        for index in (0..self.steps.len()).rev() {
            let step = self.steps[index];
            if self.needed[index] && step.kind == Kind::Derived {
                for &used in slice(&self.used, step.support) {
                    self.needed[used as usize] = true;
                }
            }
        }
    }

    /// The steps that [`Proof::trim`] kept, first to last: kind, clause, fixed paths.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (Kind, &[Lit], &[(u32, u32)])> {
        let kept = self.steps.iter().zip(&self.needed).filter(|&(_, &needed)| needed);
        kept.map(|(step, _)| {
            let segments =
                if step.kind == Kind::Theory { slice(&self.segments, step.support) } else { &[] };
            (step.kind, slice(&self.lits, step.lits), segments)
        })
    }
}

fn extend<T: Copy>(arena: &mut Vec<T>, items: &[T]) -> (u32, u32) {
    let start = arena.len() as u32;
    arena.extend_from_slice(items);
    (start, arena.len() as u32)
}

fn slice<T>(arena: &[T], (start, end): (u32, u32)) -> &[T] {
    &arena[start as usize..end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trim_keeps_what_the_last_step_needs() {
        let mut proof = Proof::default();
        let first = proof.theory(&[0, 2], &[(1, 2)]);
        proof.theory(&[4], &[(3, 4)]);
        let given = proof.given(1);
        let unit = proof.derived(&[2], &[first, given]);
        proof.derived(&[], &[unit]);
        proof.trim();
        let kept: Vec<_> = proof.kept().map(|(kind, lits, _)| (kind, lits.to_vec())).collect();
        assert_eq!(
            kept,
            [
                (Kind::Theory, vec![0, 2]),
                (Kind::Given, vec![1]),
                (Kind::Derived, vec![2]),
                (Kind::Derived, vec![])
            ]
        );
    }
}

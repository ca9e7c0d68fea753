//! Learnt clauses and their watches. There are no others: the problem itself is all theory.

use crate::proof::{Lit, StepId};

/// A learnt clause; its first two literals are watched.
#[derive(Debug, Clone, Copy)]
struct Clause {
    start: u32,
    len: u32,
    /// Number of decision levels when it was learnt: few means useful.
    glue: u32,
    step: StepId,
}

#[derive(Debug, Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of the clause: if it is true, the clause need not be looked at.
    blocker: Lit,
}

/// The clauses learnt so far.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    clauses: Vec<Clause>,
    lits: Vec<Lit>,
    watches: Vec<Vec<Watch>>,
}

impl Clauses {
    pub(super) fn reset(&mut self, pairs: usize) {
        self.clauses.clear();
        self.lits.clear();
        self.watches.iter_mut().for_each(Vec::clear);
        if self.watches.len() < 2 * pairs {
            self.watches.resize(2 * pairs, Vec::new());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    pub(super) fn step(&self, clause: u32) -> StepId {
        self.clauses[clause as usize].step
    }

    /// Adds a clause of at least two literals; the first two are watched.
    pub(super) fn add(&mut self, lits: &[Lit], glue: u32, step: StepId) -> u32 {
        let clause = self.clauses.len() as u32;
        self.clauses.push(Clause {
            start: self.lits.len() as u32,
            len: lits.len() as u32,
            glue,
            step,
        });
        self.lits.extend_from_slice(lits);
        self.watches[lits[0] as usize].push(Watch { clause, blocker: lits[1] });
        self.watches[lits[1] as usize].push(Watch { clause, blocker: lits[0] });
        clause
    }

    /// Visits the clauses that watch `lit`, which has become false. Literals that must be true go to `units` with their
    /// clause (they are not assigned here, so two of them may contradict each other). Returns a clause that is false.
    pub(super) fn visit(
        &mut self,
        lit: Lit,
        value: &[i8],
        units: &mut Vec<(Lit, u32)>,
    ) -> Option<u32> {
        let mut watches = std::mem::take(&mut self.watches[lit as usize]);
        let (mut kept, mut at, mut conflict) = (0, 0, None);
        while at < watches.len() && conflict.is_none() {
            let watch = watches[at];
            at += 1;
            if value[watch.blocker as usize] <= 0 {
                let Some(first) = self.still_watched(watch.clause, lit, value) else {
                    continue;
                };
                match value[first as usize] {
                    0 => units.push((first, watch.clause)),
                    -1 => conflict = Some(watch.clause),
                    _ => {}
                }
            }
            watches[kept] = watch;
            kept += 1;
        }
        let rest = watches.len() - at;
        watches.copy_within(at.., kept);
        watches.truncate(kept + rest);
        self.watches[lit as usize] = watches;
        conflict
    }

    /// Lets the clause watch another literal than `lit`. If there is none to watch, returns the other watched literal.
    fn still_watched(&mut self, clause: u32, lit: Lit, value: &[i8]) -> Option<Lit> {
        let Clause { start, len, .. } = self.clauses[clause as usize];
        let lits = &mut self.lits[start as usize..(start + len) as usize];
        if lits[0] == lit {
            lits.swap(0, 1);
        }
        let first = lits[0];
        if value[first as usize] > 0 {
            return Some(first);
        }
        let Some(other) = (2..lits.len()).find(|&index| value[lits[index] as usize] >= 0) else {
            return Some(first);
        };
        lits.swap(1, other);
        self.watches[lits[1] as usize].push(Watch { clause, blocker: first });
        None
    }

    /// Forgets the less useful half. Only when no assignment above level 0 leans on a clause.
    pub(super) fn halve(&mut self) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        // Recent clauses win among equals.
        order.sort_by_key(|&c| (self.clauses[c as usize].glue, std::cmp::Reverse(c)));
        let useful = order.iter().filter(|&&c| self.clauses[c as usize].glue <= 2).count();
        order.truncate(useful.max(order.len() / 2));
        order.sort_unstable();
        let (clauses, lits) = (std::mem::take(&mut self.clauses), std::mem::take(&mut self.lits));
        self.watches.iter_mut().for_each(Vec::clear);
        for kept in order {
            let Clause { start, len, glue, step } = clauses[kept as usize];
            self.add(&lits[start as usize..(start + len) as usize], glue, step);
        }
    }
}

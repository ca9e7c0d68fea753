//! Reverse unit propagation: a clause follows if assuming its negation leads, unit by unit, to a contradiction.

use super::Order;
use std::collections::HashMap;

/// Clauses so far, each watched by two of its literals.
#[derive(Default)]
pub(super) struct Units {
    numbers: HashMap<Order, usize>,
    clauses: Vec<Vec<usize>>,
    watches: Vec<Vec<usize>>,
    /// Per literal: true 1, false -1, open 0.
    value: Vec<i8>,
    /// Literals that are true for good, and during a check those assumed and implied.
    trail: Vec<usize>,
    done: usize,
    contradiction: bool,
}

impl Units {
    /// The number of a literal; its negation, which is the reverse order, is the number with the last bit flipped.
    fn number(&mut self, (x, y): Order) -> usize {
        let next = self.numbers.len() * 2;
        let pair = *self.numbers.entry((x.min(y), x.max(y))).or_insert(next);
        if self.value.len() == pair {
            self.value.extend([0, 0]);
            self.watches.extend([Vec::new(), Vec::new()]);
        }
        pair + usize::from(x > y)
    }

    fn assign(&mut self, lit: usize) -> bool {
        match self.value[lit] {
            0 => {
                self.value[lit] = 1;
                self.value[lit ^ 1] = -1;
                self.trail.push(lit);
                true
            }
            value => value > 0,
        }
    }

    /// Does the clause follow by unit propagation?
    pub(super) fn implied(&mut self, clause: &[Order]) -> bool {
        if self.contradiction {
            return true;
        }
        let kept = self.trail.len();
        let mut consistent = true;
        for &order in clause {
            let lit = self.number(order);
            consistent = consistent && self.assign(lit ^ 1);
        }
        consistent = consistent && self.propagate();
        for lit in self.trail.drain(kept..) {
            self.value[lit] = 0;
            self.value[lit ^ 1] = 0;
        }
        self.done = kept;
        !consistent
    }

    /// Adds a clause and what follows from it for good.
    pub(super) fn add(&mut self, clause: &[Order]) {
        let mut lits: Vec<usize> = clause.iter().map(|&order| self.number(order)).collect();
        lits.sort_unstable();
        lits.dedup();
        // Literals that are false for good can never help; two that are not are watched.
        lits.retain(|&lit| self.value[lit] >= 0);
        match lits[..] {
            [] => self.contradiction = true,
            [unit] => {
                let consistent = self.assign(unit) && self.propagate();
                self.contradiction |= !consistent;
            }
            [first, second, ..] => {
                self.watches[first].push(self.clauses.len());
                self.watches[second].push(self.clauses.len());
                self.clauses.push(lits);
            }
        }
    }

    /// Propagates all of the trail; false on a contradiction.
    fn propagate(&mut self) -> bool {
        while self.done < self.trail.len() {
            let lost = self.trail[self.done] ^ 1;
            self.done += 1;
            let mut watching = std::mem::take(&mut self.watches[lost]);
            let mut consistent = true;
            watching.retain(|&clause| {
                !consistent || {
                    let moved = self.move_watch(clause, lost);
                    if !moved {
                        let other = self.clauses[clause][0];
                        consistent = self.assign(other);
                    }
                    !moved
                }
            });
            self.watches[lost] = watching;
            if !consistent {
                return false;
            }
        }
        true
    }

    /// Watches another literal than `lost`, unless the other watched one is true or there is none.
    fn move_watch(&mut self, clause: usize, lost: usize) -> bool {
        let lits = &mut self.clauses[clause];
        if lits[0] == lost {
            lits.swap(0, 1);
        }
        if self.value[lits[0]] > 0 {
            return false;
        }
        let Some(found) = (2..lits.len()).find(|&index| self.value[lits[index]] >= 0) else {
            return false;
        };
        lits.swap(1, found);
        self.watches[lits[1]].push(clause);
        true
    }
}

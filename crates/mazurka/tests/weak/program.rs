//! Small programs of atomics: what the judge enumerates and Mazurka explores.

use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicU32, Ordering, fence};
use mazurka::{Algorithm, Builder, Memory, Outcome};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// An operation. Every value is stored once in a program, so it says who stored it; everything is 0 before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Load(usize, Ordering),
    Store(usize, u32, Ordering),
    Swap(usize, u32, Ordering),
    /// Compares with a value and stores another; orders of success and failure.
    Exchange(usize, u32, u32, Ordering, Ordering),
    Fence(Ordering),
}

/// An operation that is performed always, or only if the last value read in its thread is this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub only_if: Option<u32>,
    pub op: Op,
}

impl From<Op> for Line {
    fn from(op: Op) -> Self {
        Line { only_if: None, op }
    }
}

/// Threads that run at the same time.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Threads(pub Vec<Vec<Line>>);

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, lines) in self.0.iter().enumerate() {
            writeln!(f, "thread {number}:")?;
            for Line { only_if, op } in lines {
                match only_if {
                    Some(value) => writeln!(f, "  if {value}: {op:?}")?,
                    None => writeln!(f, "  {op:?}")?,
                }
            }
        }
        Ok(())
    }
}

/// What an execution graph is: the values that each thread read, in order, and what was stored to each atomic, in modification order. Since every value
/// is stored once, that says who reads from whom.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Graph {
    pub reads: Vec<Vec<u32>>,
    /// Of atomics that were stored to, sorted.
    pub orders: Vec<Vec<i64>>,
}

fn perform(op: Op, atomics: &[AtomicU32]) -> Option<u32> {
    match op {
        Op::Load(at, order) => Some(atomics[at].load(order)),
        Op::Store(at, value, order) => {
            atomics[at].store(value, order);
            None
        }
        Op::Swap(at, value, order) => Some(atomics[at].swap(value, order)),
        Op::Exchange(at, expected, new, success, failure) => {
            let result = atomics[at].compare_exchange(expected, new, success, failure);
            Some(result.unwrap_or_else(|found| found))
        }
        Op::Fence(order) => {
            fence(order);
            None
        }
    }
}

impl Threads {
    /// How many atomics they use.
    pub fn atomics(&self) -> usize {
        let number = |line: &Line| match line.op {
            Op::Load(at, _) | Op::Store(at, ..) | Op::Swap(at, ..) | Op::Exchange(at, ..) => at + 1,
            Op::Fence(_) => 0,
        };
        self.0.iter().flatten().map(number).max().unwrap_or(0)
    }

    /// The graphs that Mazurka shows, and what it says.
    pub fn explore(&self, algorithm: Algorithm) -> (BTreeSet<Graph>, Outcome) {
        self.explore_with(algorithm, Memory::Weak)
    }

    /// The same, with or without weak memory. No graphs are shown without.
    pub fn explore_with(&self, algorithm: Algorithm, memory: Memory) -> (BTreeSet<Graph>, Outcome) {
        let seen: Rc<RefCell<BTreeSet<Graph>>> = Rc::default();
        let (threads, found) = (self.clone(), Rc::clone(&seen));
        let builder = Builder::new().algorithm(algorithm).memory(memory).leaks_fail(false);
        let outcome = builder.explore(move || {
            let count = threads.atomics();
            let atomics: Arc<[AtomicU32]> = (0..count).map(|_| AtomicU32::new(0)).collect();
            let handles: Vec<_> = (0..threads.0.len())
                .map(|number| {
                    let lines = threads.0[number].clone();
                    let atomics = Arc::clone(&atomics);
                    mazurka::thread::spawn(move || {
                        let mut reads: Vec<u32> = Vec::new();
                        for line in lines {
                            if line.only_if.is_none_or(|value| reads.last() == Some(&value)) {
                                reads.extend(perform(line.op, &atomics));
                            }
                        }
                        reads
                    })
                })
                .collect();
            let reads: Vec<Vec<u32>> =
                handles.into_iter().map(|handle| handle.join().unwrap()).collect();
            mazurka::__private::aside(|| {
                if let Some(mut orders) = mazurka::__private::modification_orders() {
                    orders.retain(|order| !order.is_empty());
                    found.borrow_mut().insert(Graph { reads: reads.clone(), orders });
                }
            });
        });
        (seen.take(), outcome)
    }
}

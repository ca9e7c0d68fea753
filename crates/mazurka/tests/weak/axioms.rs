//! The judge: all execution graphs of a program that RC11 allows, from the definitions of the paper (Lahav and others, PLDI 2017), with the release sequences of
//! C++20. Every combination of what is read and of modification orders is written down and looked at; nothing is shared with what is judged.

use crate::program::{Graph, Line, Op, Threads};
use mazurka::sync::atomic::Ordering;
use std::collections::BTreeSet;

/// A relation between at most 32 events: row `a` has bit `b` if `a` is related to `b`.
#[derive(Clone, PartialEq, Eq)]
struct Relation(Vec<u32>);

impl Relation {
    fn new(count: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let row = |a| (0..count).filter(|&b| holds(a, b)).fold(0, |row, b| row | 1 << b);
        Relation((0..count).map(row).collect())
    }

    fn holds(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 == 1
    }

    fn or(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// This one, and then the other.
    fn then(&self, other: &Relation) -> Relation {
        let row = |row: &u32| {
            (0..other.0.len()).filter(|b| row >> b & 1 == 1).fold(0, |all, b| all | other.0[b])
        };
        Relation(self.0.iter().map(row).collect())
    }

    fn transitive(&self) -> Relation {
        let mut closure = self.clone();
        loop {
            let next = closure.or(&closure.then(&closure));
            if next == closure {
                return closure;
            }
            closure = next;
        }
    }

    fn optional(&self) -> Relation {
        Relation(self.0.iter().enumerate().map(|(a, row)| row | 1 << a).collect())
    }

    fn inverse(&self) -> Relation {
        Relation::new(self.0.len(), |a, b| self.holds(b, a))
    }

    /// Where the pair is one of these.
    fn only(&self, keep: impl Fn(usize, usize) -> bool) -> Relation {
        Relation::new(self.0.len(), |a, b| self.holds(a, b) && keep(a, b))
    }

    fn is_irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(a, row)| row >> a & 1 == 0)
    }

    fn is_acyclic(&self) -> bool {
        self.transitive().is_irreflexive()
    }
}

#[derive(Clone, Copy, Debug)]
struct Event {
    /// None for the initial values.
    thread: Option<usize>,
    /// None for a fence.
    atomic: Option<usize>,
    order: Ordering,
    read: Option<u32>,
    written: Option<u32>,
}

fn is_acquire(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn is_release(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

/// The events of one thread, for each combination of values that its reads may return.
fn runs(thread: usize, lines: &[Line], values: &[Vec<u32>]) -> Vec<Vec<Event>> {
    let mut runs: Vec<Vec<Event>> = vec![Vec::new()];
    for line in lines {
        let mut longer = Vec::new();
        for run in runs {
            let last = run.iter().rev().find_map(|event| event.read);
            if line.only_if.is_some_and(|value| last != Some(value)) {
                longer.push(run);
                continue;
            }
            for event in outcomes(thread, line.op, values) {
                longer.push(run.iter().copied().chain([event]).collect());
            }
        }
        runs = longer;
    }
    runs
}

fn outcomes(thread: usize, op: Op, values: &[Vec<u32>]) -> Vec<Event> {
    let event =
        |atomic, order, read, written| Event { thread: Some(thread), atomic, order, read, written };
    match op {
        Op::Fence(order) => vec![event(None, order, None, None)],
        Op::Store(at, value, order) => vec![event(Some(at), order, None, Some(value))],
        Op::Load(at, order) => {
            values[at].iter().map(|&read| event(Some(at), order, Some(read), None)).collect()
        }
        Op::Swap(at, new, order) => {
            let others = values[at].iter().filter(|&&read| read != new);
            others.map(|&read| event(Some(at), order, Some(read), Some(new))).collect()
        }
        Op::Exchange(at, expected, new, success, failure) => {
            let others = values[at].iter().filter(|&&read| read != new || new == expected);
            others
                .map(|&read| match read == expected {
                    true => event(Some(at), success, Some(read), Some(new)),
                    false => event(Some(at), failure, Some(read), None),
                })
                .collect()
        }
    }
}

/// How many combinations there are to look at, at most.
pub fn effort(threads: &Threads) -> f64 {
    let values = values(threads);
    let of_line = |line: &Line| match line.op {
        Op::Load(at, _) | Op::Swap(at, ..) | Op::Exchange(at, ..) => values[at].len() as f64,
        Op::Store(..) | Op::Fence(_) => 1.0,
    };
    let reads: f64 = threads.0.iter().flatten().map(of_line).product();
    let orders: f64 =
        values.iter().map(|values| (1..values.len()).map(|k| k as f64).product::<f64>()).product();
    reads * orders
}

/// What each atomic may hold.
fn values(threads: &Threads) -> Vec<Vec<u32>> {
    let mut values = vec![vec![0]; threads.atomics()];
    for line in threads.0.iter().flatten() {
        match line.op {
            Op::Store(at, value, _) | Op::Swap(at, value, _) | Op::Exchange(at, _, value, ..) => {
                values[at].push(value);
            }
            Op::Load(..) | Op::Fence(_) => {}
        }
    }
    values
}

/// The graphs that are allowed, and how many of them are sequentially consistent.
pub fn graphs(threads: &Threads) -> (BTreeSet<Graph>, usize) {
    let values = values(threads);
    let runs: Vec<Vec<Vec<Event>>> =
        threads.0.iter().enumerate().map(|(at, lines)| runs(at, lines, &values)).collect();
    let mut found = BTreeSet::new();
    let mut sequential = 0;
    let mut pick = vec![0; runs.len()];
    loop {
        let mut events: Vec<Event> = (0..values.len())
            .map(|at| Event {
                thread: None,
                atomic: Some(at),
                order: Ordering::Relaxed,
                read: None,
                written: Some(0),
            })
            .collect();
        for (runs, &at) in runs.iter().zip(&pick) {
            events.extend(&runs[at]);
        }
        sequential += look(threads, &events, &mut found);
        let Some(next) = (0..runs.len()).find(|&at| pick[at] + 1 < runs[at].len()) else {
            return (found, sequential);
        };
        pick[next] += 1;
        pick[..next].fill(0);
    }
}

/// Adds the graphs with these events; returns how many are sequentially consistent.
fn look(threads: &Threads, events: &[Event], found: &mut BTreeSet<Graph>) -> usize {
    let count = events.len();
    let rf = Relation::new(count, |a, b| {
        a != b
            && events[a].atomic == events[b].atomic
            && events[a].written.is_some()
            && events[a].written == events[b].read
    });
    let is_read = |b: usize| (0..count).any(|a| rf.holds(a, b));
    if (0..count).any(|b| events[b].read.is_some() && !is_read(b)) {
        return 0;
    }
    let po = Relation::new(count, |a, b| match (events[a].thread, events[b].thread) {
        (None, Some(_)) => true,
        (Some(one), Some(other)) => one == other && a < b,
        (_, None) => false,
    });
    if !po.or(&rf).is_acyclic() {
        return 0;
    }
    let stores: Vec<Vec<usize>> = (0..threads.atomics())
        .map(|at| {
            let own = |&a: &usize| events[a].atomic == Some(at) && events[a].written.is_some();
            (0..count).filter(own).filter(|&a| events[a].thread.is_some()).collect()
        })
        .collect();
    let mut sequential = 0;
    each_order(&stores, &mut Vec::new(), &mut |orders| {
        // The initial values come first.
        let place = |a: usize| orders.iter().flatten().position(|&b| a == b).map_or(0, |p| p + 1);
        let mo = Relation::new(count, |a, b| {
            events[a].atomic.is_some()
                && events[a].atomic == events[b].atomic
                && events[a].written.is_some()
                && events[b].written.is_some()
                && a != b
                && place(a) < place(b)
        });
        if !is_consistent(events, &po, &rf, &mo) {
            return;
        }
        let fr = rf.inverse().then(&mo).only(|a, b| a != b);
        sequential += usize::from(po.or(&rf).or(&mo).or(&fr).is_acyclic());
        let written = |order: &Vec<usize>| -> Vec<i64> {
            order.iter().filter_map(|&a| events[a].written).map(i64::from).collect()
        };
        let mut orders: Vec<Vec<i64>> = orders.iter().map(written).collect();
        orders.retain(|order| !order.is_empty());
        orders.sort();
        let reads = (0..threads.0.len()).map(|thread| {
            let own = events.iter().filter(|event| event.thread == Some(thread));
            own.filter_map(|event| event.read).collect()
        });
        found.insert(Graph { reads: reads.collect(), orders });
    });
    sequential
}

/// Calls `each` with every combination of orders of the stores of each atomic.
fn each_order(
    stores: &[Vec<usize>],
    orders: &mut Vec<Vec<usize>>,
    each: &mut impl FnMut(&[Vec<usize>]),
) {
    let Some(own) = stores.get(orders.len()) else { return each(orders) };
    permutations(own, &mut Vec::new(), &mut |order| {
        orders.push(order.to_vec());
        each_order_dyn(stores, orders, each);
        orders.pop();
    });
}

/// As [`each_order`], which would be of infinitely many types without this.
fn each_order_dyn(
    stores: &[Vec<usize>],
    orders: &mut Vec<Vec<usize>>,
    each: &mut dyn FnMut(&[Vec<usize>]),
) {
    each_order(stores, orders, &mut |orders: &[Vec<usize>]| each(orders));
}

fn permutations(all: &[usize], chosen: &mut Vec<usize>, each: &mut dyn FnMut(&[usize])) {
    if chosen.len() == all.len() {
        return each(chosen);
    }
    for &next in all {
        if !chosen.contains(&next) {
            chosen.push(next);
            permutations(all, chosen, each);
            chosen.pop();
        }
    }
}

/// The axioms.
fn is_consistent(events: &[Event], po: &Relation, rf: &Relation, mo: &Relation) -> bool {
    let count = events.len();
    let fr = rf.inverse().then(mo).only(|a, b| a != b);
    let is_update = |a: usize| events[a].read.is_some() && events[a].written.is_some();
    let is_fence = |a: usize| events[a].atomic.is_none();
    let same =
        |a: usize, b: usize| events[a].atomic.is_some() && events[a].atomic == events[b].atomic;
    let identity = |holds: &dyn Fn(usize) -> bool| Relation::new(count, |a, b| a == b && holds(a));

    // Atomicity: nothing comes between what an update reads and the update.
    if !fr.then(mo).only(|a, b| a == b && is_update(a)).is_irreflexive() {
        return false;
    }

    // rs = [W] ; (rf ; rmw)*
    let updates = rf.only(|_, b| is_update(b));
    let stores = identity(&|a| events[a].written.is_some());
    let rs = stores.then(&updates.transitive().optional());
    // sw = [E rel] ; ([F] ; po)? ; rs ; rf ; [R rlx] ; (po ; [F])? ; [E acq]
    let fences = identity(&is_fence);
    let release = identity(&|a| is_release(events[a].order));
    let acquire = identity(&|a| is_acquire(events[a].order));
    let sw = release
        .then(&fences.then(po).or(&identity(&|_| true)))
        .then(&rs)
        .then(rf)
        .then(&po.then(&fences).or(&identity(&|_| true)))
        .then(&acquire);
    let hb = po.or(&sw).transitive();
    let eco = rf.or(mo).or(&fr).transitive();

    // Coherence.
    if !hb.is_irreflexive() || !hb.then(&eco).is_irreflexive() || !eco.is_irreflexive() {
        return false;
    }

    // SeqCst.
    let po_elsewhere = po.only(|a, b| !same(a, b));
    let scb = po.or(&po_elsewhere.then(&hb).then(&po_elsewhere)).or(&hb.only(same)).or(mo).or(&fr);
    let is_sc = |a: usize| events[a].order == Ordering::SeqCst;
    let sc_accesses = identity(&|a| is_sc(a) && !is_fence(a));
    let sc_fences = identity(&|a| is_sc(a) && is_fence(a));
    let begin = sc_accesses.or(&sc_fences.then(&hb.optional()));
    let end = sc_accesses.or(&hb.optional().then(&sc_fences));
    let base = begin.then(&scb).then(&end);
    let between = sc_fences.then(&hb.or(&hb.then(&eco).then(&hb))).then(&sc_fences);
    base.or(&between).is_acyclic()
}

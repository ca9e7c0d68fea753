//! R4 with a bound explores exactly the traces that so many reversals lead to. Which these are is found from the definition: all
//! traces, by enumeration, and between two of them a reversal if they differ in the order of one pair of conflicting events.

use mazurka_engine::{
    Algorithm, Config, Ending, Mailbox, Mode, Observer, Program, Recording, Schedule, explore,
    replay,
};
use mazurka_fuzz::description::{Body, Description, Place, Statement, Value};
use mazurka_fuzz::{Interpreted, render_ed};
use std::collections::{BTreeMap, BTreeSet};

/// An event by its task, its number there, and what it accesses.
type Name = (String, usize);

/// Which of two conflicting events comes first, for all of them.
type Order = BTreeSet<(Name, Name)>;

#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, ending: Ending, schedule: &dyn Fn() -> Schedule) {
        assert_eq!(ending, Ending::Complete);
        self.0.push(schedule());
    }
}

/// The traces of the executions, in the order in which they were explored.
fn orders(
    program: &impl Program,
    algorithm: Algorithm,
    bound: Option<u32>,
    grain: Grain,
) -> Vec<Order> {
    let config = Config { bound, keep_going: true, ..Config::new(algorithm) };
    let mut schedules = Schedules::default();
    explore(program, &config, &mut schedules);
    let order = |schedule: &Schedule| {
        order(&replay(program, schedule).expect("a possible schedule"), grain)
    };
    schedules.0.iter().map(order).collect()
}

/// What counts as an event.
#[derive(Clone, Copy)]
enum Grain {
    Step,
    Message,
}

fn order(recording: &Recording, grain: Grain) -> Order {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accesses: Vec<(Name, &str, Mode)> = Vec::new();
    let mut order = Order::new();
    for event in &recording.events {
        let count = counts.entry(&event.path).or_default();
        *count += 1;
        let number = match grain {
            Grain::Message if event.on_handler => 0,
            _ => *count,
        };
        for access in &event.accesses {
            let name = (event.path.clone(), number);
            for (other, object, mode) in &accesses {
                let conflicts = *object == access.object && mode.conflicts(access.mode);
                if conflicts && other.0 != name.0 {
                    order.insert((other.clone(), name.clone()));
                }
            }
            accesses.push((name, &access.object, access.mode));
        }
    }
    order
}

/// Does one reversal lead from one trace to the other?
fn are_neighbours(a: &Order, b: &Order) -> bool {
    let only_a: Vec<_> = a.difference(b).collect();
    matches!(&only_a[..], [(first, second)] if {
        let reversed = (second.clone(), first.clone());
        b.difference(a).eq([&reversed])
    })
}

/// The traces, each with the smallest number of reversals that lead to it.
fn distances(all: &BTreeSet<Order>, recorded: &Order) -> BTreeMap<Order, u32> {
    let mut distances = BTreeMap::from([(recorded.clone(), 0)]);
    let mut latest = vec![recorded.clone()];
    for distance in 1.. {
        let is_new = |order: &&Order| {
            !distances.contains_key(*order) && latest.iter().any(|near| are_neighbours(near, order))
        };
        let next: Vec<Order> = all.iter().filter(is_new).cloned().collect();
        if next.is_empty() {
            break;
        }
        distances.extend(next.iter().map(|order| (order.clone(), distance)));
        latest = next;
    }
    distances
}

/// Compares for every bound. How many traces there are.
fn check(description: &Description, grain: Grain) -> usize {
    let program = Interpreted::new(description);
    let all: BTreeSet<Order> =
        orders(&program, Algorithm::Naive, None, grain).into_iter().collect();
    let unbounded = orders(&program, Algorithm::R4, None, grain);
    let distances = distances(&all, &unbounded[0]);
    assert_eq!(distances.len(), all.len(), "reversals lead everywhere\n{}", render_ed(description));
    let most = distances.values().max().copied().unwrap_or(0);
    for bound in (0..=most).map(Some).chain([None]) {
        let explored = orders(&program, Algorithm::R4, bound, grain);
        let limit = bound.unwrap_or(u32::MAX);
        let expected: BTreeSet<&Order> =
            distances.iter().filter(|(_, d)| **d <= limit).map(|(order, _)| order).collect();
        let found: BTreeSet<&Order> = explored.iter().collect();
        assert!(found == expected, "bound {bound:?}\n{}", render_ed(description));
        // Replay is exact here, so nothing is explored twice, and few reversals come first.
        assert_eq!(explored.len(), found.len(), "bound {bound:?}\n{}", render_ed(description));
        let depths: Vec<u32> = explored.iter().map(|order| distances[order]).collect();
        assert!(depths.is_sorted(), "{depths:?}\n{}", render_ed(description));
    }
    all.len()
}

/// Numbers that look random (SplitMix64, by Steele, Lea and Flood).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % limit
    }

    fn accesses(&mut self, most: u64) -> Body {
        let count = 1 + self.below(most);
        let access = |random: &mut Random| {
            let place = Place::Variable(random.below(3) as usize);
            match random.below(3) {
                0 => Statement::Read { local: 0, place },
                1 => Statement::Add { place, constant: 1 },
                _ => Statement::Write { place, value: Value::Constant(1) },
            }
        };
        (0..count).map(|_| access(self)).collect()
    }
}

fn some(variables: usize) -> Description {
    Description { variables: vec![0; variables], ..Description::default() }
}

#[test]
fn steps_of_threads() {
    let mut random = Random(1);
    let mut traces = 0;
    for _ in 0..1_000 {
        let (threads, most) = if random.below(2) == 0 { (3, 2) } else { (2, 4) };
        let threads = (0..threads).map(|_| random.accesses(most)).collect();
        traces += check(&Description { threads, ..some(3) }, Grain::Step);
    }
    // Programs without any race would show nothing.
    assert!(traces > 3_000, "{traces}");
}

/// A thread posts messages to one handler, and some of them post another one.
#[test]
fn whole_messages() {
    let mut random = Random(2);
    let mut traces = 0;
    for _ in 0..1_000 {
        let count = 2 + random.below(2) as usize;
        let mut messages: Vec<Body> = (0..count).map(|_| random.accesses(2)).collect();
        let post = |message: usize| Statement::Post { message, handler: 0 };
        let poster = (0..count).map(post).collect();
        if random.below(3) == 0 {
            messages[0].push(post(count));
            messages.push(random.accesses(2));
        }
        let description = Description {
            handlers: vec![Mailbox::Multiset],
            messages,
            threads: vec![poster],
            ..some(3)
        };
        traces += check(&description, Grain::Message);
    }
    assert!(traces > 2_000, "{traces}");
}

/// The orders of n messages that all conflict, by their reversals, are the permutations by their inversions.
#[test]
fn messages_that_append_to_one_list() {
    let append = vec![Statement::Add { place: Place::Variable(0), constant: 1 }];
    let post = Statement::Post { message: 0, handler: 0 };
    let description = Description {
        handlers: vec![Mailbox::Multiset],
        messages: vec![append],
        threads: vec![vec![post; 4]],
        ..some(1)
    };
    let program = Interpreted::new(&description);
    let executions = |bound| orders(&program, Algorithm::R4, Some(bound), Grain::Message).len();
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(executions), [1, 4, 9, 15, 20, 23, 24]);
}

#[test]
fn independent_messages_have_one_order() {
    let write =
        |variable| Statement::Write { place: Place::Variable(variable), value: Value::Constant(1) };
    let post = |message| Statement::Post { message, handler: 0 };
    let description = Description {
        handlers: vec![Mailbox::Multiset],
        messages: (0..20).map(|variable| vec![write(variable)]).collect(),
        threads: vec![(0..20).map(post).collect()],
        ..some(20)
    };
    let program = Interpreted::new(&description);
    assert_eq!(orders(&program, Algorithm::R4, None, Grain::Message).len(), 1);
}

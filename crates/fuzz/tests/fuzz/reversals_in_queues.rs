//! R4 with a bound where messages wait in queues, and on recorded traces: it explores what so many reversals lead to, and nothing else.
//!
//! What a reversal leads to is found from the paper's definitions (sections 3 and 4.1 to 4.3), over all interleavings that there are: two
//! events conflict in a state if both are possible there and their order matters; a reversal takes any linearisation of a trace
//! in which two such events are neighbours, exchanges them, and replays the rest, where what is not possible is put off. A
//! trace has as many reversals as are needed to come to it from the first one (the map d of Algorithm 4).
//!
//! Exchanging two posts exchanges messages, and the rest of a sequence cannot always be kept then. So a reversal may lead to
//! several traces, by the linearisation that one takes; the paper takes any one of them, and so must R4.

use mazurka_engine::replay::Action;
use mazurka_engine::rng::Rng;
use mazurka_engine::{
    Algorithm, Config, Ending, Mailbox, Observer, Program, RecordedEvent, Schedule, explore, replay,
};
use mazurka_fuzz::description::{Body, Description, Place, Statement, Value};
use mazurka_fuzz::{Interpreted, render_ed};
use mazurka_traces::TraceProgram;
use mazurka_traces::generate::{Shape, random_trace_of};
use std::collections::{BTreeMap, BTreeSet};

/// An event by its task and its number there.
type Name = (String, usize);

/// The pairs of events whose order matters, in their order.
type Trace = BTreeSet<(Name, Name)>;

/// More interleavings than this are not enumerated.
const MOST: u64 = 400;

#[derive(Default)]
struct Schedules {
    all: Vec<Schedule>,
    is_one_stuck: bool,
}

impl Observer for Schedules {
    fn execution(&mut self, ending: Ending, schedule: &dyn Fn() -> Schedule) {
        self.is_one_stuck |= ending != Ending::Complete;
        self.all.push(schedule());
    }
}

/// The explored executions; nothing if there are too many, or if one is stuck: then not everything happens in every order.
fn schedules(
    program: &impl Program,
    algorithm: Algorithm,
    bound: Option<u32>,
) -> Option<Vec<Schedule>> {
    let mut config = Config { bound, keep_going: true, ..Config::new(algorithm) };
    config.limits.max_executions = Some(MOST);
    let mut found = Schedules::default();
    let outcome = explore(program, &config, &mut found);
    (outcome.statistics.ended() < MOST && !found.is_one_stuck).then_some(found.all)
}

fn names(schedule: &Schedule) -> Vec<Name> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let name = |task: &'_ str, count: &mut usize| {
        *count += 1;
        (task.to_owned(), *count)
    };
    schedule
        .moves
        .iter()
        .map(|step| name(&step.task, counts.entry(&step.task).or_default()))
        .collect()
}

/// Does the order of these two events matter, the one of posts to one queue and of messages of one handler included?
fn depend(a: &RecordedEvent, b: &RecordedEvent) -> bool {
    let mut pairs = a.accesses.iter().flat_map(|a| b.accesses.iter().map(move |b| (a, b)));
    let posts = |event: &RecordedEvent| match &event.action {
        Action::Post { handler, .. } => Some(handler.clone()),
        _ => None,
    };
    let starts =
        |event: &RecordedEvent| (event.action == Action::Start).then(|| event.column.clone());
    a.path != b.path
        && (pairs.any(|(a, b)| a.object == b.object && a.mode.conflicts(b.mode))
            || (posts(a).is_some() && posts(a) == posts(b))
            || (starts(a).is_some() && starts(a) == starts(b)))
}

/// All interleavings of a program: a tree, whose leaves know their traces.
struct Interleavings {
    children: Vec<BTreeMap<Name, usize>>,
    /// The trace of each leaf, by its number.
    traces: BTreeMap<usize, usize>,
    /// Where each trace leads, for each pair of events that can be exchanged.
    reversals: Vec<BTreeMap<(Name, Name), BTreeSet<usize>>>,
}

impl Interleavings {
    fn of(program: &impl Program) -> Option<Interleavings> {
        let mut all = Interleavings {
            children: vec![BTreeMap::new()],
            traces: BTreeMap::new(),
            reversals: Vec::new(),
        };
        let mut known: BTreeMap<Trace, usize> = BTreeMap::new();
        let schedules = schedules(program, Algorithm::Naive, None)?;
        let recorded: Vec<_> = schedules
            .iter()
            .map(|schedule| {
                (names(schedule), replay(program, schedule).expect("it is possible").events)
            })
            .collect();
        for (names, events) in &recorded {
            let number = known.len();
            let number = *known.entry(trace(names, events)).or_insert(number);
            let leaf = all.add(names);
            all.traces.insert(leaf, number);
        }
        all.reversals = vec![BTreeMap::new(); known.len()];
        for (names, events) in &recorded {
            all.reverse(names, events);
        }
        Some(all)
    }

    fn add(&mut self, names: &[Name]) -> usize {
        let mut at = 0;
        for name in names {
            let next = self.children.len();
            at = *self.children[at].entry(name.clone()).or_insert(next);
            if at == next {
                self.children.push(BTreeMap::new());
            }
        }
        at
    }

    /// The trace of an execution.
    fn trace(&self, names: &[Name]) -> usize {
        let leaf = names.iter().fold(0, |at, name| self.children[at][name]);
        self.traces[&leaf]
    }

    /// Exchanges any two neighbours that conflict.
    fn reverse(&mut self, names: &[Name], events: &[RecordedEvent]) {
        let from = self.trace(names);
        let mut state = 0;
        for at in 0..names.len().saturating_sub(1) {
            let (first, second) = (&names[at], &names[at + 1]);
            let both_possible = self.children[state].contains_key(second);
            if both_possible && depend(&events[at], &events[at + 1]) {
                let mut plan = names[at..].to_vec();
                plan.swap(0, 1);
                let to = self.replay(state, plan);
                let pair = (first.clone(), second.clone());
                self.reversals[from].entry(pair).or_default().insert(to);
            }
            state = self.children[state][first];
        }
    }

    /// In every state the first event that is left and possible comes next.
    fn replay(&self, mut state: usize, mut left: Vec<Name>) -> usize {
        while !left.is_empty() {
            let possible = |name: &Name| self.children[state].contains_key(name);
            let at = left.iter().position(possible).expect("everything happens in every order");
            state = self.children[state][&left.remove(at)];
        }
        self.traces[&state]
    }
}

fn trace(names: &[Name], events: &[RecordedEvent]) -> Trace {
    let mut trace = Trace::new();
    for (at, second) in events.iter().enumerate() {
        for (before, first) in events[..at].iter().enumerate() {
            if depend(first, second) {
                trace.insert((names[before].clone(), names[at].clone()));
            }
        }
    }
    trace
}

/// What was compared.
#[derive(Default, Debug)]
struct Tally {
    programs: usize,
    traces: usize,
    reversals: usize,
    /// Reversals that lead to one trace, whatever linearisation is taken.
    certain: usize,
}

/// Compares for every bound, until everything has been explored.
fn check(program: &impl Program, text: &str, tally: &mut Tally) {
    let Some(all) = Interleavings::of(program) else { return };
    let explored = |bound| -> Vec<usize> {
        let schedules = schedules(program, Algorithm::R4, bound).expect("no more than there are");
        schedules.iter().map(|schedule| all.trace(&names(schedule))).collect()
    };
    let everything: BTreeSet<usize> = explored(None).into_iter().collect();
    assert_eq!(everything.len(), all.reversals.len(), "without a bound\n{text}");
    let mut fewer: BTreeSet<usize> = explored(Some(0)).into_iter().collect();
    assert_eq!(fewer.len(), 1, "without reversals\n{text}");
    for bound in 1.. {
        let found = explored(Some(bound));
        let now: BTreeSet<usize> = found.iter().copied().collect();
        let mut led_to = fewer.clone();
        for (pair, to) in fewer.iter().flat_map(|&from| &all.reversals[from]) {
            assert!(!to.is_disjoint(&now), "{pair:?} is not reversed at bound {bound}\n{text}");
            led_to.extend(to);
            tally.reversals += 1;
            tally.certain += usize::from(to.len() == 1);
        }
        assert!(now.is_subset(&led_to), "too much at bound {bound}\n{text}");
        if now == fewer {
            break;
        }
        fewer = now;
    }
    tally.programs += 1;
    tally.traces += all.reversals.len();
}

fn access(random: &mut Rng) -> Statement {
    let place = Place::Variable(random.below(2) as usize);
    match random.below(3) {
        0 => Statement::Read { local: 0, place },
        1 => Statement::Add { place, constant: 1 },
        _ => Statement::Write { place, value: Value::Constant(1) },
    }
}

/// Threads that post and touch variables, and messages that touch them; some messages post another one.
fn with_queues(random: &mut Rng) -> Description {
    let handlers = 1 + random.below(2) as usize;
    let count = 2 + random.below(2) as usize;
    let mut messages: Vec<Body> = (0..count).map(|_| vec![access(random)]).collect();
    let mut threads = vec![Body::new(); 2];
    for message in 0..count {
        let handler = random.below(handlers as u64) as usize;
        let post = Statement::Post { message, handler };
        match random.below(4) {
            0 if message > 0 => messages[message - 1].push(post),
            _ => threads[random.below(2) as usize].push(post),
        }
    }
    if random.below(2) == 0 {
        let access = access(random);
        threads[random.below(2) as usize].push(access);
    }
    Description {
        variables: vec![0; 2],
        handlers: vec![Mailbox::Fifo; handlers],
        messages,
        threads,
        ..Description::default()
    }
}

#[test]
fn programs_with_queues() {
    let mut tally = Tally::default();
    let mut random = Rng::new(3);
    for _ in 0..600 {
        let description = with_queues(&mut random);
        check(&Interpreted::new(&description), &render_ed(&description), &mut tally);
    }
    // Programs without any race would show nothing, and neither would reversals that may lead anywhere.
    assert!(tally.programs > 400 && tally.traces > 2 * tally.programs, "{tally:?}");
    assert!(tally.certain * 10 > tally.reversals * 9, "{tally:?}");
}

#[test]
fn recorded_traces() {
    let shape = Shape {
        threads: 3,
        loopers: 2,
        messages: 3,
        actions: 6,
        variables: 1,
        locks: 0,
        notifications: false,
        dependences: true,
        environment: true,
    };
    let mut tally = Tally::default();
    for seed in 0..1_000 {
        let trace = random_trace_of(seed, &shape);
        // Without what nobody else can see it has the same traces and fewer interleavings.
        let program = TraceProgram::new(&trace).expect("it is well-formed").compact();
        check(
            &program,
            &format!("seed {seed}\n{}", mazurka_fuzz::traces::render(&trace)),
            &mut tally,
        );
    }
    assert!(tally.programs > 300 && tally.traces > 2 * tally.programs, "{tally:?}");
    assert!(tally.certain * 10 > tally.reversals * 9, "{tally:?}");
}

//! The generator, the interpreter, the shrinker and the comparison themselves.

use mazurka_engine::rng::Rng;
use mazurka_engine::state::State;
use mazurka_engine::{
    Access, Algorithm, ClassCounts, Config, Effect, Ending, Mailbox, Next, Observer, Operation,
    Program, Run, Schedule, Step, TaskId, explore, not_shown,
};
use mazurka_fuzz::description::{Condition, Place, Statement, Value, visit};
use mazurka_fuzz::properties::is_well_formed;
use mazurka_fuzz::{
    Branching, Description, Interpreted, Kind, SHAPES, Subject, Traits, Truth, ask_oracle,
    compare_with, generate, is_non_branching, promise, render_ed, shrink,
};

fn write(variable: usize) -> Statement {
    Statement::Write { place: Place::Variable(variable), value: Value::Constant(1) }
}

fn post(message: usize) -> Statement {
    Statement::Post { message, handler: 0 }
}

/// Threads that post a message each; each message writes, posts a second one and reads.
fn posters(count: usize, policy: Mailbox) -> Description {
    let read = Statement::Read { local: 0, place: Place::Variable(0) };
    Description {
        variables: vec![0],
        handlers: vec![policy],
        messages: vec![vec![write(0), post(1), read.clone()], vec![write(0), read]],
        threads: vec![vec![post(0)]; count],
        ..Description::default()
    }
}

fn classes(description: &Description) -> ClassCounts {
    let truth = ask_oracle(&Interpreted::new(description), 10_000);
    truth.expect("few interleavings").classes
}

#[test]
fn the_oracle_counts_what_can_be_counted_by_hand() {
    let writers = Description {
        variables: vec![0],
        threads: vec![vec![write(0)]; 3],
        ..Description::default()
    };
    assert_eq!(classes(&writers).complete, 6);
    // The orders of four messages in which each second one comes after its first one: 4! / 2 / 2.
    assert_eq!(classes(&posters(2, Mailbox::Multiset)).complete, 6);
    // Under FIFO, once the first message A has run, the mailbox holds B and A' in the order of their posts:
    // A B A' B' or A A' B B', and the same with A and B exchanged.
    assert_eq!(classes(&posters(2, Mailbox::Fifo)).complete, 4);
}

#[test]
fn fifo_and_multiset_differ() {
    let posted_in_turn = |policy| Description {
        variables: vec![0],
        handlers: vec![policy],
        messages: vec![vec![write(0)], vec![write(0)]],
        threads: vec![vec![post(0), post(1)]],
        ..Description::default()
    };
    assert_eq!(classes(&posted_in_turn(Mailbox::Multiset)).complete, 2);
    assert_eq!(classes(&posted_in_turn(Mailbox::Fifo)).complete, 1);
}

#[test]
fn lock_order_deadlocks_and_assumptions_are_counted() {
    let nested = |outer, inner| Statement::With {
        mutex: outer,
        shared: false,
        body: vec![Statement::With { mutex: inner, shared: false, body: Vec::new() }],
    };
    let locks = Description {
        mutexes: 2,
        threads: vec![vec![nested(0, 1)], vec![nested(1, 0)]],
        ..Description::default()
    };
    assert_eq!(classes(&locks).deadlocked, 1);
    assert_eq!(classes(&locks).complete, 2);
    let condition = Condition { value: Value::Read(0), constant: 1, equal: true };
    let assume = Description {
        variables: vec![0],
        threads: vec![vec![write(0)], vec![Statement::Assume(condition)]],
        ..Description::default()
    };
    assert_eq!((classes(&assume).complete, classes(&assume).blocked), (1, 1));
}

#[test]
fn generated_programs_are_well_formed_and_of_their_shape() {
    for shape in SHAPES {
        for seed in 0..300 {
            let description = generate(seed, shape);
            assert!(is_well_formed(&description), "{} {seed}", shape.name);
            assert_eq!(description, generate(seed, shape));
            assert!(description.handlers.len() <= shape.handlers);
            let policies = &description.handlers;
            assert!(policies.iter().all(|policy| shape.mailboxes.contains(policy)));
            // What waits for others depends on who has come.
            let waits = shape.conditions + shape.barriers > 0;
            if shape.branching == Branching::Threads && !waits {
                let (threads, tasks) = (Vec::new(), Vec::new());
                let messages = Description { threads, tasks, ..description };
                assert!(is_non_branching(&messages), "{} {seed}", shape.name);
            }
        }
    }
}

#[test]
fn every_kind_of_statement_is_generated() {
    let mut seen = std::collections::BTreeSet::new();
    for shape in SHAPES {
        for seed in 0..300 {
            for body in generate(seed, shape).bodies() {
                visit(body, &mut |statement| {
                    let text = format!("{statement:?}");
                    let end = text.find(|c: char| !c.is_alphanumeric());
                    seen.insert(text[..end.unwrap_or(text.len())].to_string());
                });
            }
        }
    }
    let seen: Vec<_> = seen.iter().map(String::as_str).collect();
    let all = "Acquire Add Arrive Assume Atomic Cas Choose FetchAdd Fork If Join JoinThread Notify \
               NotifyAll Post Read Release Swap TryAcquire TryLock Wait With Write";
    assert_eq!(seen.join(" "), all);
}

#[test]
fn going_back_is_the_same_as_beginning_anew() {
    let mut rng = Rng::new(7);
    for shape in SHAPES {
        for seed in 0..100 {
            let program = Interpreted::new(&generate(seed, shape));
            let mut walker = Walker::new(program.start());
            walker.walk(&mut rng);
            while walker.run.depth() > 0 {
                walker.back_to(rng.below(walker.run.depth() as u64) as usize);
                let depth = walker.run.depth();
                walker.walk(&mut rng);
                let mut anew = Walker::new(program.start());
                for path in &walker.paths {
                    anew.step_by_path(path);
                }
                assert_eq!(walker.history, anew.history);
                walker.back_to(depth);
            }
        }
    }
}

/// A run, who may move in it, and what happened.
struct Walker<R: Run> {
    run: R,
    state: State,
    /// Who moved. Numbers of tasks differ from run to run, paths do not.
    paths: Vec<String>,
    history: Vec<String>,
}

impl<R: Run> Walker<R> {
    fn new(run: R) -> Self {
        Walker { state: State::new(&run), run, paths: Vec::new(), history: Vec::new() }
    }

    fn enabled(&self) -> Vec<TaskId> {
        let mut enabled = Vec::new();
        self.state.enabled(&self.run, &mut enabled);
        enabled
    }

    fn walk(&mut self, rng: &mut Rng) {
        loop {
            let enabled = self.enabled();
            if enabled.is_empty() {
                return;
            }
            self.step(enabled[rng.below(enabled.len() as u64) as usize]);
        }
    }

    fn step_by_path(&mut self, path: &str) {
        let enabled = self.enabled();
        let named = |&&task: &&TaskId| self.run.task_path(task) == path;
        let task = *enabled.iter().find(named).expect("it can move here too");
        self.step(task);
    }

    fn step(&mut self, task: TaskId) {
        let mut step = Step::default();
        // The number of the step is as good a choice as any.
        let choice = match self.run.next(task) {
            Next::Operation(Operation::Choose(count)) => self.paths.len() as u32 % count,
            _ => 0,
        };
        self.run.step(task, choice, &mut step);
        self.state.apply(&self.run, task, step.effect, &step.accesses);
        let path = self.run.task_path(task);
        let other = match step.effect {
            Effect::Post(other, _) | Effect::Fork(other) | Effect::Join(other) => {
                self.run.task_path(other)
            }
            _ => format!("{:?}", step.effect),
        };
        let accesses: Vec<_> = step.accesses.iter().map(|it| self.words(it)).collect();
        self.history.push(format!("{path} {other} {accesses:?}"));
        self.paths.push(path);
    }

    /// An access, by a name that holds in every run.
    fn words(&self, access: &Access) -> String {
        let Access { object, mode, read, written } = *access;
        format!("{} {mode:?} {read} {written}", self.run.object_name(object))
    }

    fn back_to(&mut self, depth: usize) {
        while self.run.depth() > depth {
            self.state.undo(&self.run);
            self.run.rewind(self.run.depth() - 1);
        }
        self.paths.truncate(depth);
        self.history.truncate(depth);
    }
}

#[test]
fn text_of_a_program() {
    let mut description = posters(1, Mailbox::Fifo);
    let condition = Condition { value: Value::Local(0), constant: 2, equal: false };
    description.arrays = vec![2];
    description.messages[1].push(Statement::If {
        condition,
        then: vec![Statement::Atomic(vec![write(0)])],
        otherwise: vec![Statement::Add { place: Place::Element(0, Value::Read(0)), constant: 1 }],
    });
    let expected = "\
var x0 = 0;
var a0[2];
handler h0: fifo;
message m0() {
    let r0 = 0;
    x0 = 1;
    post m1() to h0;
    r0 = x0;
}
message m1() {
    let r0 = 0;
    x0 = 1;
    r0 = x0;
    if r0 != 2 {
        atomic {
            x0 = 1;
        }
    } else {
        a0[x0 % 2] += 1;
    }
}
thread t0 {
    post m0() to h0;
}
";
    assert_eq!(render_ed(&description), expected);
}

#[test]
fn shrinking_keeps_what_matters_only() {
    let everything = SHAPES.last().expect("shapes");
    let wanted = |description: &Description| {
        let mut posts = 0;
        for body in description.bodies() {
            visit(body, &mut |statement| {
                posts += usize::from(matches!(statement, Statement::Post { .. }));
            });
        }
        posts >= 2
    };
    let mut shrunk_ones = 0;
    for seed in 0..100 {
        let drawn = generate(seed, everything);
        if wanted(&drawn) {
            let shrunk = shrink(&drawn, wanted);
            assert_eq!(shrunk.statement_count(), 2, "{}", render_ed(&shrunk));
            assert!(shrunk.variables.is_empty() && shrunk.mutexes == 0);
            shrunk_ones += 1;
        }
    }
    assert!(shrunk_ones > 20);
}

/// The comparison must notice what is wrong: here the truth is falsified instead of the algorithm.
#[test]
fn a_wrong_count_is_noticed() {
    let description = Description {
        variables: vec![0],
        threads: vec![vec![write(0), write(0)]; 3],
        ..Description::default()
    };
    let program = Interpreted::new(&description);
    let truth = ask_oracle(&program, 10_000).expect("few interleavings");
    assert_eq!((truth.interleavings, truth.classes.complete), (90, 90));
    let kind = |truth: Truth, algorithm| {
        let promise = promise(algorithm, Traits::of(&description));
        let result = compare_with(Subject::new(&program), truth, algorithm, promise);
        result.err().map(|disagreement| disagreement.kind)
    };
    assert_eq!(kind(truth, Algorithm::Naive), None);
    let mut more = truth;
    more.classes.complete += 1;
    assert_eq!(kind(more, Algorithm::Naive), Some(Kind::Missing));
    let mut fewer = truth;
    fewer.classes.complete -= 1;
    assert_eq!(kind(fewer, Algorithm::Naive), Some(Kind::Invented));
    let mut impatient = truth;
    impatient.interleavings = 1;
    assert_eq!(kind(impatient, Algorithm::Naive), Some(Kind::Runaway));
}

/// Keeps all schedules.
#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, _: Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

/// The first message never goes on. Either the second runs before it, or the execution stops although that one
/// goes on from the same events: both have stopped, and only the first must be shown.
#[test]
fn a_class_that_must_be_shown_is_not_made_up_for_by_another() {
    let never = Condition { value: Value::Constant(0), constant: 1, equal: true };
    let description = Description {
        variables: vec![0],
        handlers: vec![Mailbox::Multiset],
        messages: vec![vec![Statement::Assume(never)], vec![write(0)]],
        threads: vec![vec![post(0), post(1)]],
        ..Description::default()
    };
    let counts = classes(&description);
    assert_eq!((counts.blocked, counts.contained), (2, 1));
    let program = Interpreted::new(&description);
    let mut schedules = Schedules::default();
    explore(&program, &Config::new(Algorithm::Naive), &mut schedules);
    let events = |schedule: &&Schedule| schedule.moves.len();
    let longest = schedules.0.iter().max_by_key(events).expect("it has executions");
    let shortest = schedules.0.iter().min_by_key(events).expect("it has executions");
    assert_eq!(not_shown(&program, std::slice::from_ref(longest)), 0);
    assert_eq!(not_shown(&program, std::slice::from_ref(shortest)), 1);
}

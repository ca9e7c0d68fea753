//! Invariants of random programs: every algorithm finds the classes of the oracle, and an execution breaks an invariant in exactly those events
//! that write a variable of it and leave a state in which it does not hold.

use mazurka_engine::{
    Algorithm, Config, Ending, Mailbox, Mode, Observer, RecordedEvent, Recording, Schedule,
    explore, replay,
};
use mazurka_fuzz::{
    Shape, Subject, Traits, applies, ask_oracle, compare_with, generate, promise, render_ed,
};
use mazurka_lang::{EdProgram, Options};

/// So many programs of each shape.
const PROGRAMS: u64 = 150;
/// More interleavings are too many for the oracle.
const MOST_INTERLEAVINGS: u64 = 600;
const SHAPES: [&str; 5] = ["threads", "multiset", "branching", "fifo", "mixed"];
const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::Dpor,
    Algorithm::Source,
    Algorithm::Optimal,
    Algorithm::Event,
    Algorithm::EventObservers,
];

/// The invariants that are added: as text, and what they say of the values of two variables. The second one does not always look at both.
type Invariant = (&'static str, fn(i64, i64) -> bool);
const INVARIANTS: [Invariant; 2] = [
    ("invariant ONE + OTHER != 2, \"sum\";", |one, other| one + other != 2),
    ("invariant ONE != 1 || OTHER == 0, \"or\";", |one, other| one != 1 || other == 0),
];

/// The first two variables of a program that are no arrays.
fn variables(text: &str) -> Option<[String; 2]> {
    let names = text.lines().filter_map(|line| {
        let declared = line.strip_prefix("var ")?.trim_end_matches(';');
        let name = declared.split(" =").next()?.trim();
        (!name.contains('[')).then(|| name.to_owned())
    });
    let names: Vec<String> = names.take(2).collect();
    names.try_into().ok()
}

#[derive(Default)]
struct Kept(Vec<Schedule>);

impl Observer for Kept {
    fn execution(&mut self, _: Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

/// Does an event write one of these?
fn writes(event: &RecordedEvent, names: &[String; 2]) -> bool {
    let is_write = |mode| matches!(mode, Mode::Write | Mode::Update);
    event.accesses.iter().any(|it| is_write(it.mode) && names.contains(&it.object))
}

/// The events of an execution in which the invariant must be said to be broken.
fn broken(recording: &Recording, names: &[String; 2], holds: fn(i64, i64) -> bool) -> Vec<usize> {
    let value = |name: &String, events: usize| {
        let at = recording.variables.iter().position(|it| it.name == *name);
        at.map_or(Some(0), |at| recording.state_after(events)[at])
    };
    let is_broken = |events: usize| {
        let [one, other] = [0, 1].map(|at| value(&names[at], events).expect("values are known"));
        !holds(one, other)
    };
    let events = recording.events.iter().enumerate();
    let during = events.filter(|(at, event)| {
        (writes(event, names) && is_broken(at + 1)) || (*at == 0 && is_broken(0))
    });
    during.map(|(at, _)| at).collect()
}

fn check(text: &str, names: &[String; 2], (_, holds): Invariant) -> Result<bool, String> {
    let program = mazurka_lang::compile("random.ed", text, &Options::default())
        .map_err(|error| error.to_string())?;
    let Some(truth) = ask_oracle(&program, MOST_INTERLEAVINGS) else { return Ok(false) };
    let traits = traits(&program);
    for algorithm in ALGORITHMS.into_iter().filter(|&it| applies(it, traits)) {
        let promise = promise(algorithm, traits);
        compare_with(Subject::new(&program), truth, algorithm, promise)
            .map_err(|it| format!("{}: {it:?}", algorithm.name()))?;
    }
    let mut kept = Kept::default();
    let config = Config { keep_going: true, ..Config::new(Algorithm::Naive) };
    explore(&program, &config, &mut kept);
    for schedule in kept.0.iter().step_by(7) {
        let recording = replay(&program, schedule).map_err(|error| error.to_string())?;
        let events = recording.events.iter().enumerate();
        let is_said = |(_, event): &(usize, &RecordedEvent)| {
            event.faults.iter().any(|fault| ["sum", "or"].contains(&fault.message.as_str()))
        };
        let said: Vec<usize> = events.filter(is_said).map(|(at, _)| at).collect();
        let wanted = broken(&recording, names, holds);
        if said != wanted {
            return Err(format!("broken in {wanted:?}, said in {said:?}: {schedule:?}"));
        }
    }
    Ok(true)
}

fn traits(program: &EdProgram) -> Traits {
    let (multiset, fifo) =
        (program.has_mailbox(Mailbox::Multiset), program.has_mailbox(Mailbox::Fifo));
    Traits {
        handlers: multiset || fifo,
        only_multiset: !fifo,
        only_fifo: !multiset,
        non_branching: false,
    }
}

#[test]
fn invariants_of_random_programs() {
    let mut judged = 0;
    for shape in SHAPES.map(|name| Shape::named(name).expect("there is such a shape")) {
        for seed in 0..PROGRAMS {
            let plain = render_ed(&generate(seed, shape));
            let Some(names) = variables(&plain) else { continue };
            for invariant in INVARIANTS {
                let declared = invariant.0.replace("ONE", &names[0]).replace("OTHER", &names[1]);
                let text = format!("{plain}\n{declared}\n");
                match check(&text, &names, invariant) {
                    Ok(is_judged) => judged += u64::from(is_judged),
                    Err(why) => panic!("shape {}, seed {seed}: {why}\n{text}", shape.name),
                }
            }
        }
    }
    assert!(judged > 300, "only {judged} programs were small enough");
}

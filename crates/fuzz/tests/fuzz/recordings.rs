//! What a recording says of an execution is what the engine knows of it: following causes leads to all that happens before an event,
//! and writes lead to the values that are read.

use mazurka_engine::replay::execute;
use mazurka_engine::{
    Algorithm, CauseKind, Config, Ending, Mode, Observer, Program, Recording, Schedule, explore,
    replay,
};
use mazurka_fuzz::{Interpreted, Shape, generate};

/// So many programs of each shape.
const PROGRAMS: u64 = 300;

/// So many executions of each program.
const EXECUTIONS: u64 = 5;

#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, _ending: Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

fn schedules<P: Program>(program: &P) -> Vec<Schedule> {
    let mut config = Config::new(Algorithm::Random);
    config.keep_going = true;
    config.limits.max_executions = Some(EXECUTIONS);
    let mut found = Schedules::default();
    explore(program, &config, &mut found);
    found.0
}

/// For each event, which ones can be reached by following causes.
fn pasts(recording: &Recording) -> Vec<Vec<bool>> {
    let count = recording.events.len();
    let mut pasts: Vec<Vec<bool>> = Vec::with_capacity(count);
    for causes in &recording.causes {
        let mut past = vec![false; count];
        for cause in causes {
            past[cause.event] = true;
            let earlier = pasts[cause.event].iter().enumerate().filter(|it| *it.1);
            earlier.for_each(|(at, _)| past[at] = true);
        }
        pasts.push(past);
    }
    pasts
}

/// No cause follows from another one, but for those that hand something over, which are shown anyway.
fn is_reduced(recording: &Recording, pasts: &[Vec<bool>]) -> bool {
    use CauseKind::{Conflict, Given, Program};
    recording.causes.iter().all(|causes| {
        let mut judged = causes.iter().filter(|one| matches!(one.kind, Conflict | Given | Program));
        judged.all(|one| causes.iter().all(|other| !pasts[other.event][one.event]))
    })
}

/// What is read is what the state before the event says, where that is known.
fn reads_agree(recording: &Recording) -> bool {
    recording.events.iter().enumerate().all(|(at, event)| {
        let state = recording.state_after(at);
        let Some(first) = event.accesses.first() else { return true };
        if !matches!(first.mode, Mode::Read | Mode::Update) {
            return true;
        }
        let variable = recording.variables.iter().position(|it| it.name == first.object);
        let known = variable.and_then(|variable| state[variable]);
        known == Some(first.read)
    })
}

#[test]
fn causes_lead_to_everything_that_happens_before() {
    let mut events = 0;
    for name in ["rich", "locks", "semaphores", "fifo-locks", "branching"] {
        let shape = Shape::named(name).expect("a shape of this name");
        for seed in 0..PROGRAMS {
            let description = generate(seed, shape);
            let program = Interpreted::new(&description);
            for schedule in schedules(&program) {
                let recording = replay(&program, &schedule).expect("it was performed");
                let (_, execution) = execute(&program, &schedule).expect("it was performed");
                let pasts = pasts(&recording);
                for (event, past) in pasts.iter().enumerate() {
                    let known: Vec<bool> =
                        (0..pasts.len()).map(|it| execution.happens_before(it, event)).collect();
                    assert_eq!(*past, known, "--shape {name} --seed {seed}, event {event}");
                }
                assert!(is_reduced(&recording, &pasts), "--shape {name} --seed {seed}");
                assert!(reads_agree(&recording), "--shape {name} --seed {seed}\n{recording:?}");
                events += pasts.len();
            }
        }
    }
    assert!(events > 10_000, "{events} events are few");
}

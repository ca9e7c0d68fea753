//! The trace of every explored execution is consistent under the policy of its mailboxes, independent checkers agree, and
//! the witness is an execution of the program with the same events.

use mazurka_consistency::{Policy, Solver, check, verify};
use mazurka_engine::partial_trace::PartialTrace;
use mazurka_engine::{
    Algorithm, Config, Ending, Mailbox, Observer, Program, RecordedEvent, Recording, Schedule,
    explore, replay,
};
use mazurka_fuzz::{Interpreted, Shape, generate, render_ed};
use mazurka_lang::Options;

/// So many programs of each shape.
const PROGRAMS: u64 = 1_500;

/// So many executions of each program.
const EXECUTIONS: u64 = 20;

#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, _ending: Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

fn schedules<P: Program>(program: &P, algorithm: Algorithm, most: u64, seed: u64) -> Vec<Schedule> {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.limits.max_executions = Some(most);
    config.seed = seed;
    let mut found = Schedules::default();
    explore(program, &config, &mut found);
    found.0
}

/// The events of each task, in its order.
fn by_task(recording: &Recording) -> Vec<&RecordedEvent> {
    let mut events: Vec<&RecordedEvent> = recording.events.iter().collect();
    events.sort_by(|a, b| a.path.cmp(&b.path));
    events
}

fn is_realisable<P: Program>(
    program: &P,
    schedule: &Schedule,
    policy: Policy,
) -> Result<(), String> {
    let partial = PartialTrace::record(program, schedule).map_err(|error| error.to_string())?;
    let limits = mazurka_consistency::Limits::default();
    let answer = check(&partial.trace, policy, Solver::Sat, &limits);
    verify(&partial.trace, &answer).map_err(|error| error.to_string())?;
    let mazurka_consistency::Verdict::Consistent(witness) = &answer.verdict else {
        return Err(answer.to_string());
    };
    let again = replay(program, &partial.schedule(witness)).map_err(|error| error.to_string())?;
    let explored = replay(program, schedule).map_err(|error| error.to_string())?;
    if by_task(&again) == by_task(&explored) && again.ending == explored.ending {
        Ok(())
    } else {
        Err("the witness has other events".to_owned())
    }
}

fn check_shape(shape: &str, policy: Policy) {
    let shape = Shape::named(shape).expect("a shape of this name");
    let mut executions = 0;
    for seed in 0..PROGRAMS {
        let description = generate(seed, shape);
        let program = Interpreted::new(&description);
        for schedule in schedules(&program, Algorithm::Event, EXECUTIONS, 0) {
            executions += 1;
            if let Err(error) = is_realisable(&program, &schedule, policy) {
                panic!(
                    "--shape {} --seed {seed}: {error}\n{schedule:?}\n{}",
                    shape.name,
                    render_ed(&description)
                );
            }
        }
    }
    assert!(executions > 2 * PROGRAMS, "{executions} executions");
}

#[test]
fn multiset() {
    check_shape("multiset", Policy::Multiset);
}

#[test]
fn fifo() {
    check_shape("fifo", Policy::Fifo);
}

#[test]
fn locks() {
    check_shape("locks", Policy::Multiset);
}

#[test]
fn programs_of_the_paper() {
    let programs = [
        ("Buyers", include_str!("../../../../programs/consistency/Buyers.ed")),
        ("ChangRoberts", include_str!("../../../../programs/consistency/ChangRoberts.ed")),
        ("Consensus", include_str!("../../../../programs/consistency/Consensus.ed")),
        ("Counting", include_str!("../../../../programs/consistency/Counting.ed")),
        ("MessageLoop", include_str!("../../../../programs/consistency/MessageLoop.ed")),
        ("SparseMat", include_str!("../../../../programs/consistency/SparseMat.ed")),
    ];
    let policies = [(Mailbox::Multiset, Policy::Multiset), (Mailbox::Fifo, Policy::Fifo)];
    for (name, text) in programs {
        for (mailbox, policy) in policies {
            let options = Options { mailbox: Some(mailbox), ..Options::default() };
            let program = mazurka_lang::compile(name, text, &options).expect("it compiles");
            let schedules = schedules(&program, Algorithm::Random, 50, 7);
            assert_eq!(schedules.len(), 50, "{name} under {policy}");
            for schedule in schedules {
                let answer = is_realisable(&program, &schedule, policy);
                assert_eq!(answer, Ok(()), "{name} under {policy}: {schedule:?}");
            }
        }
    }
}

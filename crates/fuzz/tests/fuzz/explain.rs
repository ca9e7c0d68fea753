//! Explanations of random failures: what is shown fails in the same way and is not harder to read, what is said to pass passes, and the
//! two events that decide stand in another order there.

use mazurka_engine::explain::{EFFORT, Explanation, Wishes, explain, replay_again};
use mazurka_engine::{Algorithm, Config, Failure, FailureKind, Program, Watch, explore};
use mazurka_fuzz::{Interpreted, Shape, generate};
use mazurka_lang::Options;

/// So many programs of each shape.
const PROGRAMS: u64 = 2_000;

const WISHES: Wishes = Wishes { shorten: true, why: true, effort: EFFORT };

/// Found at random, so that there is something to shorten.
fn first_failure<P: Program>(program: &P) -> Option<Failure> {
    let mut config = Config::new(Algorithm::Random);
    config.limits.max_executions = Some(500);
    explore(program, &config, &mut ()).failures.into_iter().next()
}

/// Is there an execution in which nothing goes wrong?
fn can_pass<P: Program>(program: &P) -> bool {
    let mut config = Config::new(Algorithm::Event);
    config.keep_going = true;
    config.limits.max_executions = Some(2_000);
    explore(program, &config, &mut ()).statistics.executions > 0
}

/// Is it the same failure? In a deadlock fewer may wait.
fn is_same(found: &Failure, shown: &Failure) -> bool {
    let is_part = || {
        let waits = |failure: &Failure| -> Vec<String> {
            let text = failure.message.trim_start_matches("deadlock: ");
            text.split("; ").map(str::to_owned).collect()
        };
        let all = waits(found);
        waits(shown).iter().all(|wait| all.contains(wait))
    };
    found.kind == shown.kind
        && found.location == shown.location
        && (found.message == shown.message || found.kind == FailureKind::Deadlock && is_part())
}

fn check<P: Program>(program: &P, failure: &Failure) -> Result<Explanation, String> {
    let explanation = explain(program, failure, WISHES, &Watch::default())
        .map_err(|error| format!("the failure does not show again: {error}"))?;
    let shortened = explanation.shortened.ok_or("it was not shortened")?;
    let [found, now] = [0, 1].map(|at| (shortened.switches[at], shortened.events[at]));
    if now > found {
        return Err(format!("it was made longer: {found:?} to {now:?}"));
    }
    if explanation.recording.switches() != now.0 || explanation.recording.events.len() != now.1 {
        return Err("its length is another one".to_owned());
    }
    let fault = explanation.recording.faults().any(|fault| {
        fault.kind == explanation.failure.kind && fault.message == explanation.failure.message
    });
    if !fault || !is_same(failure, &explanation.failure) {
        return Err(format!("another failure: {:?}", explanation.failure));
    }
    if let Some(why) = &explanation.why {
        if why.passing.faults().next().is_some() {
            return Err("what passes fails".to_owned());
        }
        if let Some(decision) = why.decision {
            let is_earlier = decision.second.is_none_or(|second| decision.first < second);
            let is_later = decision.passing_first.is_none_or(|it| decision.passing_second < it);
            if !is_earlier || !is_later {
                return Err(format!("the two stand in the same order: {decision:?}"));
            }
        }
    }
    let again = replay_again(program, &explanation.failure.schedule, &[], None, &Watch::default())
        .map_err(|error| error.to_string())?;
    if again.departure.is_some() || again.recording != explanation.recording {
        return Err("followed again, it is another execution".to_owned());
    }
    Ok(explanation)
}

#[test]
fn random_deadlocks() {
    let (mut failures, mut shorter) = (0, 0);
    let (mut passable, mut explained, mut decided) = (0, 0, 0);
    for name in ["locks", "fifo-locks", "semaphores", "guards"] {
        let shape = Shape::named(name).expect("a shape of this name");
        for seed in 0..PROGRAMS {
            let description = generate(seed, shape);
            let program = Interpreted::new(&description);
            let Some(failure) = first_failure(&program) else { continue };
            if failure.schedule.moves.is_empty() {
                // Everybody waits from the start: there is nothing to explain.
                continue;
            }
            match check(&program, &failure) {
                Ok(explanation) => {
                    failures += 1;
                    passable += u32::from(can_pass(&program));
                    explained += u32::from(explanation.why.is_some());
                    decided += u32::from(explanation.why.is_some_and(|it| it.decision.is_some()));
                    shorter += u32::from(explanation.failure.schedule != failure.schedule);
                }
                Err(error) => panic!("--shape {name} --seed {seed}: {error}"),
            }
        }
    }
    assert!(failures > 50, "{failures} failures are few");
    assert!(passable > 10, "{passable} programs can pass");
    // Others need more than one exchange, and more luck than one other move.
    assert!(
        explained * 2 >= passable,
        "{explained} of {passable} failures have a neighbour that passes"
    );
    assert!(
        decided * 10 >= explained * 9,
        "{decided} of {explained} neighbours have a pair that decides"
    );
    assert!(shorter > failures / 4, "{shorter} of {failures} failures were shortened");
}

/// The published bugs among the examples.
#[test]
fn examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/examples");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "ed"))
        .collect();
    paths.sort();
    let (mut failures, mut reasons) = (0, 0);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let program =
            mazurka_lang::compile(&name, &text, &Options::default()).expect("it compiles");
        let Some(failure) = first_failure(&program) else { continue };
        let explanation =
            check(&program, &failure).unwrap_or_else(|error| panic!("{name}: {error}"));
        failures += 1;
        reasons += u32::from(explanation.why.is_some());
    }
    assert!(failures >= 25, "{failures} examples fail");
    // Some of them fail in most executions, and what passes is not near.
    assert!(reasons * 4 >= failures * 3, "{reasons} of {failures} are explained");
}

//! Programs that are too large for the oracle: `event` against `optimal`, which has been compared with the oracle on smaller
//! ones and reaches further.

use mazurka_engine::{Algorithm, Config, Outcome, Program, explore};
use mazurka_fuzz::{Interpreted, Shape, generate, render_ed};
use std::path::Path;

/// A program for which `optimal` needs more executions is passed over.
const MOST_EXECUTIONS: u64 = 20_000;
/// Programs are trimmed to so many interleavings.
const INTERLEAVINGS: f64 = 10_000_000.0;
/// So many programs of each shape.
const PROGRAMS: u64 = 1_500;

/// What an algorithm says of a program; nothing if that would take too long.
fn explored<P: Program>(program: &P, algorithm: Algorithm) -> Option<Outcome> {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.classes = true;
    config.limits.max_executions = Some(MOST_EXECUTIONS);
    let outcome = explore(program, &config, &mut ());
    outcome.complete.then_some(outcome)
}

/// Does `event` find the classes that `optimal` finds? Nothing if there are too many.
fn agrees<P: Program>(program: &P) -> Option<bool> {
    let optimal = explored(program, Algorithm::Optimal)?;
    let event = explored(program, Algorithm::Event);
    let classes =
        |outcome: &Outcome| outcome.classes.map(|found| (found.complete, found.deadlocked));
    Some(event.is_some_and(|event| classes(&event) == classes(&optimal)))
}

fn check(shape: &str) {
    let shape = Shape::named(shape).expect("a shape of this name");
    let shape = Shape { max_interleavings: INTERLEAVINGS, ..shape.clone() };
    let mut compared = 0;
    for seed in 0..PROGRAMS {
        let description = generate(seed, &shape);
        let Some(agrees) = agrees(&Interpreted::new(&description)) else { continue };
        assert!(agrees, "--shape {} --seed {seed}\n{}", shape.name, render_ed(&description));
        compared += 1;
    }
    assert!(compared * 2 > PROGRAMS, "only {compared} programs were small enough");
}

#[test]
fn multiset() {
    check("multiset");
}

#[test]
fn branching() {
    check("branching");
}

#[test]
fn fifo() {
    check("fifo");
}

#[test]
fn mixed() {
    check("mixed");
}

#[test]
fn regression_programs_are_explored_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions/larger");
    let mut programs = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of larger regression programs") {
        let path = entry.expect("an entry of the folder").path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file that can be read");
        let program = mazurka_lang::compile(&name, &text, &Default::default())
            .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        assert_eq!(agrees(&program), Some(true), "{name}");
        let event = explored(&program, Algorithm::Event).expect("it was small enough");
        let classes = event.classes.expect("they were asked for");
        assert_eq!(event.statistics.executions, classes.complete, "{name}");
        programs += 1;
    }
    assert!(programs > 0);
}

//! Random programs against the oracle: a share of the ordinary test run for every shape, so that the shapes
//! run side by side. More than 20,000 programs in all; and, with the recorded traces of `traces.rs`, more than
//! 20,000 programs whose mailboxes are all queues.

use mazurka_engine::Algorithm;
use mazurka_fuzz::hunt::{Hunt, Tally};
use mazurka_fuzz::{Shape, render_ed};

/// So many programs of each shape.
const PROGRAMS: u64 = 2_300;

/// Fewer of those with more ways to wait: the command `mazurka-fuzz` has all the time it wants.
const PROGRAMS_THAT_WAIT: u64 = 1_000;

/// More than the estimate that programs are trimmed to, because it is an estimate.
const LIMIT: u64 = 3_000;

fn check(shape: &str) {
    check_some(Shape::named(shape).expect("a shape of this name"), PROGRAMS);
}

fn check_waiting(shape: &str) {
    check_some(Shape::named(shape).expect("a shape of this name"), PROGRAMS_THAT_WAIT);
}

fn check_some(shape: &Shape, programs: u64) {
    let hunt = Hunt {
        algorithms: Algorithm::ALL.to_vec(),
        shapes: vec![shape.clone()],
        first_seed: 1,
        programs: Some(programs),
        time: None,
        jobs: 1,
        limit: LIMIT,
    };
    let (tallies, catch) = hunt.run(&|_, _, _| {});
    let tally = Tally::total(&tallies);
    if let Some(catch) = catch {
        panic!(
            "--shape {} --seed {}: {}\n{}",
            catch.shape,
            catch.seed,
            catch.disagreement,
            render_ed(&catch.shrunk)
        );
    }
    assert_eq!(tally.programs + tally.passed_over, programs);
    assert!(tally.passed_over * 20 < programs, "{tally:?}");
    // Programs without any race would show nothing.
    assert!(tally.classes > tally.programs * 3 / 2, "{tally:?}");
}

#[test]
fn threads() {
    check("threads");
}

#[test]
fn multiset() {
    check("multiset");
}

#[test]
fn rich() {
    check("rich");
}

#[test]
fn branching() {
    check("branching");
}

#[test]
fn locks() {
    check("locks");
}

#[test]
fn fifo_locks() {
    check_waiting("fifo-locks");
}

#[test]
fn conditions() {
    check_waiting("conditions");
}

#[test]
fn barriers() {
    check_waiting("barriers");
}

#[test]
fn guards() {
    check_waiting("guards");
}

#[test]
fn semaphores() {
    check_waiting("semaphores");
}

#[test]
fn fifo_semaphores() {
    check_waiting("fifo-semaphores");
}

#[test]
fn choose() {
    check_waiting("choose");
}

#[test]
fn assume() {
    check("assume");
}

#[test]
fn fifo() {
    check("fifo");
}

#[test]
fn small_fifo() {
    let fifo = Shape::named("fifo").expect("a shape of this name");
    check_some(&Shape { max_interleavings: 100.0, ..fifo.clone() }, 10_000);
}

#[test]
fn mixed() {
    check("mixed");
}

#[test]
fn everything() {
    check("everything");
}

//! Every algorithm against the oracle, on random scripts.

use crate::script::Script;
use mazurka_engine::{Algorithm, Config, Mailbox, Outcome, explore};

/// So many scripts for each algorithm.
const SCRIPTS: u64 = 350;
/// Scripts with more interleavings are passed over.
const MOST_INTERLEAVINGS: u64 = 3_000;

fn explored(script: &Script, algorithm: Algorithm) -> Outcome {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.classes = true;
    config.limits.max_executions = Some(MOST_INTERLEAVINGS);
    explore(script, &config, &mut ())
}

/// Compares what an algorithm finds with what there is, by `count`.
fn check(algorithm: Algorithm, policies: &[Mailbox], count: fn(&Outcome) -> u64) {
    let (mut compared, mut classes) = (0, 0);
    for seed in 0..SCRIPTS {
        let script = Script::random(seed, policies);
        let truth = explored(&script, Algorithm::Naive);
        if !truth.complete {
            continue;
        }
        let found = explored(&script, algorithm);
        assert!(found.complete, "seed {seed}: {algorithm:?} runs away on {script:?}");
        assert_eq!(count(&found), count(&truth), "seed {seed}: {algorithm:?} on {script:?}");
        assert_eq!(
            found.verdict(),
            truth.verdict(),
            "seed {seed}: {algorithm:?} has another verdict on {script:?}"
        );
        compared += 1;
        classes += count(&truth);
    }
    assert!(compared * 2 > SCRIPTS, "{compared} scripts only");
    assert!(classes > compared * 2, "{classes} classes only");
}

const BOTH: &[Mailbox] = &[Mailbox::Fifo, Mailbox::Multiset];

/// Traces in which the order of messages counts.
fn ordered(outcome: &Outcome) -> u64 {
    outcome.classes.expect("they were asked for").ordered
}

fn complete(outcome: &Outcome) -> u64 {
    outcome.classes.expect("they were asked for").complete
}

#[test]
fn dpor() {
    check(Algorithm::Dpor, BOTH, ordered);
}

#[test]
fn source() {
    check(Algorithm::Source, BOTH, ordered);
}

#[test]
fn optimal() {
    check(Algorithm::Optimal, BOTH, ordered);
}

#[test]
fn event() {
    check(Algorithm::Event, BOTH, complete);
}

/// Each trace once, and every reversal that is left out is in one of them.
#[test]
fn event_explores_nothing_twice_and_loses_nothing() {
    let mut traces = 0;
    for seed in 0..6 * SCRIPTS {
        let script = Script::random(seed, BOTH);
        let mut config = Config::new(Algorithm::Event);
        (config.keep_going, config.classes, config.check) = (true, true, true);
        config.limits.max_executions = Some(MOST_INTERLEAVINGS);
        let found = explore(&script, &config, &mut ());
        assert!(found.given_up.is_empty(), "seed {seed}: {:?} on {script:?}", found.given_up);
        assert_eq!(found.statistics.executions, complete(&found), "seed {seed}: {script:?}");
        traces += complete(&found);
    }
    assert!(traces > 12 * SCRIPTS, "{traces} traces only");
}

#[test]
fn em_dpor() {
    check(Algorithm::EmDpor, &[Mailbox::Fifo], complete);
}

//! Inconsistencies in words.

use crate::common::Random;
use crate::common::brute::Simulation;
use mazurka_consistency::certificate::{BadCertificate, check as check_certificate};
use mazurka_consistency::explain::{Because, Explanation, explain};
use mazurka_consistency::trace::Trace;
use mazurka_consistency::{Limits, Policy, Solver, check, read};

fn instance(name: &str) -> Trace {
    read::read_file(format!("{}/tests/data/instances/{name}", env!("CARGO_MANIFEST_DIR")))
        .expect("an instance")
}

#[test]
fn a_fixed_cycle_is_told_step_by_step() {
    let trace = instance("tiny_fr_inside.json");
    let explanation = explain(&trace, Policy::Fifo, &Limits::default()).expect("inconsistent");
    assert_eq!(
        explanation.to_string(),
        "No order of the messages can help: what is given is already cyclic.
  event 0 (write of variable 0, in message 0) comes before event 1 (read of variable 0, in message 0): program order
  event 1 (read of variable 0, in message 0) comes before event 0 (write of variable 0, in message 0): read before the next write
"
    );
}

#[test]
fn messages_that_cannot_be_ordered_are_named() {
    let trace = instance("tiny_fifo_same_poster.json");
    let explanation = explain(&trace, Policy::Fifo, &Limits::default()).expect("inconsistent");
    assert_eq!(
        explanation.to_string(),
        "These 2 messages cannot be ordered:
  message 1 on handler 1, posted by event 0
  message 2 on handler 1, posted by event 1
Message 1 before 2 is impossible:
  event 4 (start, in message 2) comes before event 5 (write of variable 0, in message 2): program order
  event 5 (write of variable 0, in message 2) comes before event 3 (read of variable 0, in message 1): reads-from
  event 3 (read of variable 0, in message 1) comes before event 4 (start, in message 2): message 1 is executed before message 2
Message 2 before 1 is impossible:
  event 0 (post of message 1, in message 0) comes before event 1 (post of message 2, in message 0): program order
  event 1 (post of message 2, in message 0) comes before event 0 (post of message 1, in message 0): message 2 is executed before message 1, so it is posted before it
"
    );
    assert!(explain(&trace, Policy::Multiset, &Limits::default()).is_none(), "consistent in a bag");
}

/// Every step of the explanation follows from the one before, and every lemma is one that the certificate checker accepts.
fn holds(trace: &Trace, policy: Policy, explanation: &Explanation<'_>) {
    assert!(!explanation.impossible.is_empty());
    for impossible in &explanation.impossible {
        let steps = &impossible.cycle;
        for (index, step) in steps.iter().enumerate() {
            assert_eq!(step.to, steps[(index + 1) % steps.len()].from, "{explanation}");
            if let Because::Executed(a, b) | Because::Posted(a, b) = step.because {
                assert!(impossible.orders.contains(&(a, b)), "{explanation}");
            }
        }
        assert!(!steps.is_empty());
        if !impossible.orders.is_empty() {
            let clause: Vec<String> =
                impossible.orders.iter().map(|(a, b)| format!("{b}<{a}")).collect();
            let checked = check_certificate(trace, policy, &format!("t {}", clause.join(" ")));
            assert_eq!(
                checked,
                Err(BadCertificate::NotFinished),
                "the lemma itself must hold: {explanation}"
            );
        }
    }
}

#[test]
fn explanations_of_random_traces_hold() {
    let (mut cycles, mut sets) = (0, 0);
    for seed in 0..3000 {
        let trace = Simulation::trace(&mut Random::new(seed), 9);
        for policy in Policy::ALL {
            let answer = check(&trace, policy, Solver::Sat, &Limits::default());
            let explanation = explain(&trace, policy, &Limits::default());
            assert_eq!(
                explanation.is_some(),
                answer.verdict.name() == "inconsistent",
                "seed {seed}"
            );
            if let Some(explanation) = explanation {
                holds(&trace, policy, &explanation);
                if explanation.messages.is_empty() { cycles += 1 } else { sets += 1 }
            }
        }
    }
    assert!(cycles > 100 && sets > 100, "{cycles} {sets}");
}

#[test]
fn large_instances_are_explained_by_few_messages() {
    for (name, most) in
        [("alike_10000_40_dep1.json.gz", 3), ("Counting8_ms.json", 4), ("MessageLoop4_ms.json", 6)]
    {
        let trace = instance(name);
        let explanation = explain(&trace, Policy::Fifo, &Limits::default()).expect("inconsistent");
        holds(&trace, Policy::Fifo, &explanation);
        assert!(explanation.messages.len() <= most, "{name}: {}", explanation.messages.len());
    }
}

//! Random small traces against brute force over all orders: every solver, every policy, every answer verified.

use crate::common::Random;
use crate::common::brute::{Simulation, consistent};
use mazurka_consistency::answer::NotVerified;
use mazurka_consistency::{Limits, Policy, Solver, Verdict, check, format, verify};

#[test]
fn twenty_thousand_random_traces() {
    let mut counts = [[0; 2]; 3];
    for seed in 0..20_000 {
        let trace = Simulation::trace(&mut Random::new(seed), 9);
        for (index, policy) in Policy::ALL.into_iter().enumerate() {
            let expected = consistent(&trace, policy);
            counts[index][usize::from(expected)] += 1;
            for &solver in Solver::ALL {
                // The comparison solver is slow by nature: every trace is too much for it.
                if solver.name() == "smt" && seed % 200 != 0 {
                    continue;
                }
                let answer = check(&trace, policy, solver, &Limits::default());
                let word = if expected { "consistent" } else { "inconsistent" };
                assert_eq!(
                    answer.verdict.name(),
                    word,
                    "seed {seed}, {policy}, {solver}: {}",
                    format::write(&trace)
                );
                if answer.verdict == Verdict::Inconsistent(None) {
                    assert_eq!(
                        solver.name(),
                        "smt",
                        "only the comparison solver may give no certificate"
                    );
                    assert_eq!(verify(&trace, &answer), Err(NotVerified::NoCertificate));
                    continue;
                }
                verify(&trace, &answer).unwrap_or_else(|error| {
                    panic!(
                        "seed {seed}, {policy}, {solver}: {error}: {answer:?} of {}",
                        format::write(&trace)
                    )
                });
            }
        }
    }
    assert!(
        counts.iter().flatten().all(|&count| count > 2000),
        "the verdicts are not mixed: {counts:?}"
    );
}

#[test]
fn written_traces_read_the_same() {
    for seed in 0..500 {
        let trace = Simulation::trace(&mut Random::new(seed), 9);
        let text = format::write(&trace);
        let again = format::parse(text.as_bytes()).expect("what is written can be read");
        assert_eq!(format::write(&again), text, "seed {seed}");
        assert_eq!(again.events(), trace.events());
    }
}

//! Traces that need real search: messages of different handlers that must overlap in time. Too large for brute force, so
//! every answer is judged by the independent checkers, and two policies that mean the same here must agree.

use crate::common::Random;
use mazurka_consistency::trace::{Builder, Event, Trace};
use mazurka_consistency::{Limits, Policy, Solver, Verdict, check, verify};

/// Every message has its own poster, so posts never matter; `overlaps` random pairs must be under way at the same time.
fn overlapping(random: &mut Random, handlers: u32, messages: u32, overlaps: usize) -> Trace {
    let total = handlers * messages;
    let mut builder = Builder::new(handlers + total, 0);
    for message in 0..total {
        builder.message(handlers + message, true, false);
        builder.event(Event::Post { message: total + message });
    }
    let mut starts = Vec::new();
    for message in 0..total {
        builder.message(message % handlers, false, false);
        starts.push(builder.event(Event::Get));
        // A second event, so that a message has an inside: the post of a message that is never executed.
        builder.event(Event::Post { message: 2 * total + message });
    }
    for message in 0..total {
        builder.message(handlers + message, false, true);
    }
    for _ in 0..overlaps {
        let (a, b) = (random.below(total as usize), random.below(total as usize));
        if a % handlers as usize != b % handlers as usize {
            builder.order(starts[a], starts[b] + 1);
            builder.order(starts[b], starts[a] + 1);
        }
    }
    builder.finish().expect("well-formed")
}

#[test]
fn answers_to_hard_traces_are_verified() {
    let (mut consistent, mut inconsistent, mut longest) = (0, 0, 0);
    for seed in 0..240 {
        let mut random = Random::new(seed);
        let (handlers, messages) = (3 + random.below(5) as u32, 4 + random.below(8) as u32);
        let overlaps =
            (handlers * messages) as usize + random.below((handlers * messages) as usize);
        let trace = overlapping(&mut random, handlers, messages, overlaps);
        let fifo = check(&trace, Policy::Fifo, Solver::Sat, &Limits::default());
        verify(&trace, &fifo).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let bag = check(&trace, Policy::Multiset, Solver::Sat, &Limits::default());
        verify(&trace, &bag).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(fifo.verdict.name(), bag.verdict.name(), "seed {seed}");
        match fifo.verdict {
            Verdict::Consistent(_) => consistent += 1,
            Verdict::Inconsistent(text) => {
                inconsistent += 1;
                longest = longest.max(text.map_or(0, |text| text.lines().count()));
            }
            Verdict::Unknown(limit) => panic!("seed {seed}: {limit}"),
        }
    }
    assert!(
        consistent > 40 && inconsistent > 40 && longest > 100,
        "{consistent} {inconsistent} {longest}"
    );
}

//! `unknown` comes from a limit, and from nothing else.

use mazurka_consistency::reduction::{Formula, trace};
use mazurka_consistency::trace::{Builder, Event};
use mazurka_consistency::{Answer, Limit, Limits, Policy, Solver, Trace, Verdict, check, verify};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// All equal, one true, one false: inconsistent, but only after some search.
fn hard() -> Trace {
    let mut clauses: Vec<Vec<i32>> = (1..=8).map(|i| vec![-i, i % 8 + 1]).collect();
    clauses.extend([vec![1, 2], vec![-5, -6]]);
    trace(&Formula::new(8, clauses).expect("bounded"))
}

fn unknown(answer: &Answer) -> Limit {
    match answer.verdict {
        Verdict::Unknown(limit) => limit,
        _ => panic!("{answer}"),
    }
}

#[test]
fn a_deadline_in_the_past_stops_every_solver() {
    let trace = hard();
    for &solver in Solver::ALL {
        let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        let answer = check(&trace, Policy::Fifo, solver, &limits);
        assert_eq!(unknown(&answer), Limit::Time, "{solver}");
        assert_eq!(answer.verdict.exit_status(), 3);
        assert_eq!(answer.to_string(), "unknown under fifo: the time limit was reached");
    }
}

#[test]
fn cancelling_and_counting_stop_too() {
    let trace = hard();
    let cancel = AtomicBool::new(true);
    let cancelled = Limits { cancel: Some(&cancel), ..Limits::default() };
    assert_eq!(unknown(&check(&trace, Policy::Fifo, Solver::Sat, &cancelled)), Limit::Cancelled);
    let counted = Limits { conflicts: Some(0), ..Limits::default() };
    assert_eq!(unknown(&check(&trace, Policy::Fifo, Solver::Sat, &counted)), Limit::Conflicts);
    assert_eq!(
        unknown(&check(&trace, Policy::Fifo, Solver::Saturation, &counted)),
        Limit::Conflicts
    );
}

#[test]
fn the_enumeration_gives_up_in_time() {
    let start = Instant::now();
    let limits = Limits { deadline: Some(start + Duration::from_millis(100)), ..Limits::default() };
    let answer = check(&hard(), Policy::Fifo, Solver::Saturation, &limits);
    assert_eq!(unknown(&answer), Limit::Time);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn answers_as_json() {
    let trace = hard();
    let answer = check(&trace, Policy::Fifo, Solver::Sat, &Limits::default());
    let json = answer.to_json(0.5);
    assert_eq!((&json["verdict"], &json["semantics"]), (&"inconsistent".into(), &"fifo".into()));
    assert_eq!(json["elapsed_seconds"], 0.5);
    assert!(json["certificate"].as_str().is_some_and(|text| text.ends_with("l\n")));
    let bag = check(&trace, Policy::Multiset, Solver::Sat, &Limits::default()).to_json(0.0);
    assert_eq!(bag["order"].as_array().map(Vec::len), Some(trace.events().len()));
    assert!("fifo".parse::<Policy>().is_ok() && "lifo".parse::<Policy>().is_err());
    assert!("sat".parse::<Solver>().is_ok() && "magic".parse::<Solver>().is_err());
}

/// One handler gets very many messages from one poster: too many pairs for the search. `against`: the last message must
/// come before the first.
fn crowd(messages: u32, against: bool) -> Trace {
    let mut builder = Builder::new(2, 0);
    builder.message(0, true, false);
    (1..=messages).for_each(|message| assert!(builder.event(Event::Post { message }) < messages));
    for _ in 0..messages {
        builder.message(1, false, false);
        builder.event(Event::Get);
    }
    if against {
        builder.order(2 * messages - 1, messages);
    }
    builder.finish().expect("well-formed")
}

#[test]
fn a_crowd_of_messages_is_tried_and_never_guessed() {
    let trace = crowd(6000, false);
    for policy in Policy::ALL {
        let answer = check(&trace, policy, Solver::Sat, &Limits::default());
        assert_eq!(answer.verdict.name(), "consistent", "{policy}");
        assert_eq!(verify(&trace, &answer), Ok(()));
    }
    let trace = crowd(6000, true);
    assert_eq!(unknown(&check(&trace, Policy::Fifo, Solver::Sat, &Limits::default())), Limit::Size);
    let few = check(&crowd(600, true), Policy::Fifo, Solver::Sat, &Limits::default());
    assert_eq!(few.verdict.name(), "inconsistent");
}

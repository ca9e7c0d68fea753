//! The examples and figures of the paper.

use crate::common::all_orders;
use mazurka_consistency::reduction::{Formula, trace as reduce};
use mazurka_consistency::trace::{Builder, Event, Trace};
use mazurka_consistency::{
    Limits, Policy, Solver, Verdict, check, format, polynomial, read, verify,
};

fn consistent(trace: &Trace, policy: Policy) -> bool {
    let mut verdicts = Solver::ALL.iter().map(|&solver| {
        let answer = check(trace, policy, solver, &Limits::default());
        if answer.verdict != Verdict::Inconsistent(None) {
            verify(trace, &answer).unwrap_or_else(|error| panic!("{solver}: {error}"));
        }
        answer.verdict.name()
    });
    let verdict = verdicts.next().expect("there is a solver");
    assert!(verdicts.all(|other| other == verdict), "the solvers disagree");
    verdict == "consistent"
}

/// The trace with further order edges.
fn with_order(trace: &Trace, edges: &[(u32, u32)]) -> Trace {
    let mut text = format::write(trace);
    assert_eq!(text.pop(), Some('}'));
    let edges: Vec<String> = edges.iter().map(|(a, b)| format!("[{a},{b}]")).collect();
    format::parse(format!("{text},\"hb\":[{}]}}", edges.join(",")).as_bytes()).expect("well-formed")
}

/// "Message a is executed before message b", as an order edge.
fn before(trace: &Trace, a: u32, b: u32) -> (u32, u32) {
    (trace.messages()[a as usize].end - 1, trace.messages()[b as usize].start)
}

/// Figure 7: executing against the order of the posts closes a cycle through qo.
#[test]
fn figure_7_queue_order() {
    let text = br#"{"format":"ed-trace/1","handlers":2,"vars":0,"co":[],"messages":[
        {"h":0,"init":true,"ev":[["p",1],["p",2]]},{"h":1,"ev":[["g"]]},{"h":1,"ev":[["g"]]}]}"#;
    let trace = format::parse(text).expect("well-formed");
    let against = with_order(&trace, &[before(&trace, 2, 1)]);
    assert!(consistent(&trace, Policy::Fifo));
    assert!(!consistent(&against, Policy::Fifo));
    assert!(!consistent(&against, Policy::P2p));
    assert!(consistent(&against, Policy::Multiset));
}

/// Figure 5: each pattern alone forces the order of two messages; the other order is inconsistent. Two posters.
#[test]
fn figure_5_saturation_rules() {
    // Rule 1: an event of message 2 happens before one of message 3.
    let rule_1 = r#"{"h":0,"init":true,"ev":[["p",2]]},{"h":1,"init":true,"ev":[["p",3]]},
        {"h":2,"ev":[["g"],["w",0]]},{"h":2,"ev":[["g"],["r",0,3]]}],"co":[[3]]"#;
    // Rule 2: it does so through a message of another handler.
    let rule_2 = r#"{"h":0,"init":true,"ev":[["p",2],["p",4]]},{"h":1,"init":true,"ev":[["p",3]]},
        {"h":2,"ev":[["g"],["w",0]]},{"h":2,"ev":[["g"],["r",1,9]]},
        {"h":3,"ev":[["g"],["r",0,4],["w",1]]}],"co":[[4],[9]]"#;
    // Rule 3: the post of message 2 happens before that of message 3.
    let rule_3 = r#"{"h":0,"init":true,"ev":[["p",2],["w",0]]},{"h":1,"init":true,"ev":[["r",0,1],["p",3]]},
        {"h":2,"ev":[["g"]]},{"h":2,"ev":[["g"]]}],"co":[[1]]"#;
    for (rule, vars, in_bags) in [(rule_1, 1, false), (rule_2, 2, false), (rule_3, 1, true)] {
        let text =
            format!(r#"{{"format":"ed-trace/1","handlers":4,"vars":{vars},"messages":[{rule}}}"#);
        let trace =
            format::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(consistent(&trace, Policy::Fifo));
        assert!(consistent(&with_order(&trace, &[before(&trace, 2, 3)]), Policy::Fifo));
        let against = with_order(&trace, &[before(&trace, 3, 2)]);
        assert!(!consistent(&against, Policy::Fifo));
        assert_eq!(consistent(&against, Policy::Multiset), in_bags);
    }
}

/// A message of figure 10: sent through the handlers of `route`, one after the other.
fn send(builder: &mut Vec<(u32, Vec<Event>)>, from: usize, route: &[u32]) -> u32 {
    let mut at = from;
    for &handler in route {
        let message = builder.len() as u32;
        builder[at].1.push(Event::Post { message });
        builder.push((handler, vec![Event::Get]));
        at = message as usize;
    }
    at as u32
}

/// Figure 10: m1 takes another way than m2 and m3, so it may end anywhere; m2 and m3 keep their order.
#[test]
fn figure_10_sorting_by_nested_posts() {
    let mut messages = vec![(0, Vec::new())];
    let inner: Vec<u32> = [[1, 2, 3, 1], [1, 3, 2, 1], [1, 3, 2, 1]]
        .iter()
        .map(|route| send(&mut messages, 0, route))
        .collect();
    let mut builder = Builder::new(4, 0);
    for (index, (handler, events)) in messages.iter().enumerate() {
        builder.message(*handler, index == 0, false);
        events.iter().for_each(|&event| assert!(builder.event(event) < 100));
    }
    let trace = builder.finish().expect("well-formed");
    assert!(polynomial::nested_post(&trace).is_some());
    let (mut possible, mut tried) = (0, 0);
    all_orders(&mut vec![inner.clone()], &mut |orders| {
        let [a, b, c] = orders[0][..] else { panic!("three messages") };
        let ordered = with_order(&trace, &[before(&trace, a, b), before(&trace, b, c)]);
        let position = |m: u32| orders[0].iter().position(|&other| other == m);
        let keeps = position(inner[1]) < position(inner[2]);
        assert_eq!(consistent(&ordered, Policy::Fifo), keeps, "{orders:?} of {inner:?}");
        assert!(consistent(&ordered, Policy::Multiset), "bags keep nothing");
        possible += usize::from(keeps);
        tried += 1;
        false
    });
    assert_eq!((possible, tried), (3, 6));
}

/// Figures 3 and 8: the gadget of the clause x1 or x2 or not x3 admits exactly the assignments that satisfy it.
#[test]
fn figure_3_clause_gadget() {
    let trace = reduce(&Formula::new(3, vec![vec![1, 2, -3]]).expect("bounded"));
    // On W, in the order of their making: m(1,1), m(1,0), m(2,1), m(2,0), m(3,1), m(3,0).
    let told: Vec<u32> =
        (0..).zip(trace.messages()).filter(|(_, m)| m.handler == 7).map(|(id, _)| id).collect();
    assert_eq!(told.len(), 6);
    for assignment in 0..8 {
        let value = |variable: usize| assignment >> variable & 1 == 1;
        let orders: Vec<(u32, u32)> = (0..3)
            .map(|variable| {
                let (yes, no) = (told[2 * variable], told[2 * variable + 1]);
                // True: m(i,1) is executed later.
                if value(variable) { before(&trace, no, yes) } else { before(&trace, yes, no) }
            })
            .collect();
        let satisfied = value(0) || value(1) || !value(2);
        assert_eq!(
            consistent(&with_order(&trace, &orders), Policy::Fifo),
            satisfied,
            "assignment {assignment:03b}"
        );
    }
}

/// Section 4: traces without nested posts are recognised.
#[test]
fn section_4_no_nested_posts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/instances/");
    let nested = |name: &str| {
        let trace = read::read_file(format!("{folder}{name}")).expect("an instance");
        polynomial::nested_post(&trace)
    };
    assert_eq!(nested("tiny_two_posters.json"), None);
    assert_eq!(nested("tiny_fifo_same_poster.json"), None);
    assert_eq!(nested("tiny_nested_no_overtake.json"), Some(3));
}

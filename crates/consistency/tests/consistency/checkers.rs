//! The independent checkers refuse what is wrong, each for its reason.

use mazurka_consistency::certificate::{self, BadCertificate};
use mazurka_consistency::trace::Trace;
use mazurka_consistency::witness::{BadWitness, replay};
use mazurka_consistency::{Policy, format};

fn parse(text: &str) -> Trace {
    format::parse(text.as_bytes()).expect("well-formed")
}

/// Handler 0 posts messages 1 and 2 to handler 1. Events: 0, 1 posts; 2, 3 message 1; 4, 5 message 2.
fn same_poster() -> Trace {
    parse(
        r#"{"format":"ed-trace/1","handlers":2,"vars":1,"messages":[{"h":0,"ev":[["p",1],["p",2]],"init":true},
        {"h":1,"ev":[["g"],["r",0,5]]},{"h":1,"ev":[["g"],["w",0]]}],"co":[[5]],"hb":[[0,4]]}"#,
    )
}

#[test]
fn witnesses_are_replayed() {
    let trace = same_poster();
    let multiset = |order: &[u32]| replay(&trace, Policy::Multiset, order);
    assert_eq!(multiset(&[0, 1, 4, 5, 2, 3]), Ok(()));
    let mailbox = BadWitness::Mailbox { event: 4, message: 2, handler: 1 };
    assert_eq!(replay(&trace, Policy::Fifo, &[0, 1, 4, 5, 2, 3]), Err(mailbox.clone()));
    assert_eq!(replay(&trace, Policy::P2p, &[0, 1, 4, 5, 2, 3]), Err(mailbox.clone()));
    assert_eq!(multiset(&[0, 1, 4, 5, 2]), Err(BadWitness::Length { found: 5, expected: 6 }));
    assert_eq!(multiset(&[0, 1, 4, 5, 2, 9]), Err(BadWitness::NoSuchEvent { event: 9 }));
    assert_eq!(multiset(&[0, 1, 4, 5, 4, 2]), Err(BadWitness::Twice { event: 4 }));
    assert_eq!(
        multiset(&[1, 0, 4, 5, 2, 3]),
        Err(BadWitness::ProgramOrder { event: 1, message: 0 })
    );
    assert_eq!(multiset(&[0, 4, 1, 5, 2, 3]), Err(mailbox));
    assert_eq!(
        multiset(&[0, 1, 4, 2, 5, 3]),
        Err(BadWitness::Overlap { event: 2, message: 1, handler: 1 })
    );
    let unread = BadWitness::ReadsFrom { event: 3, found: None, expected: Some(5) };
    assert_eq!(multiset(&[0, 1, 2, 3, 4, 5]), Err(unread));
}

#[test]
fn witnesses_keep_coherence_initial_messages_and_given_order() {
    let trace = parse(
        r#"{"format":"ed-trace/1","handlers":2,"vars":1,"messages":[{"h":0,"ev":[["w",0]],"init":true},
        {"h":1,"ev":[["w",0],["p",2]],"init":true},{"h":0,"ev":[["g"]]}],"co":[[0,1]],"hb":[[0,2]]}"#,
    );
    let fifo = |order: &[u32]| replay(&trace, Policy::Fifo, order);
    assert_eq!(fifo(&[0, 1, 2, 3]), Ok(()));
    assert_eq!(fifo(&[1, 0, 2, 3]), Err(BadWitness::Coherence { event: 1, expected: Some(0) }));
    let initial_first = parse(
        r#"{"format":"ed-trace/1","handlers":2,"vars":2,"messages":[{"h":0,"ev":[["w",0]],"init":true},
        {"h":1,"ev":[["w",1],["p",2]],"init":true},{"h":0,"ev":[["g"]]}],"co":[[0],[1]],"hb":[[0,2]]}"#,
    );
    let overlap = BadWitness::Overlap { event: 3, message: 2, handler: 0 };
    assert_eq!(replay(&initial_first, Policy::Fifo, &[1, 2, 3, 0]), Err(overlap));
    assert_eq!(
        replay(&initial_first, Policy::Fifo, &[1, 2, 0, 3]),
        Err(BadWitness::Given { first: 0, second: 2 })
    );
}

#[test]
fn pending_messages_hold_up_a_queue() {
    let trace = parse(
        r#"{"format":"ed-trace/1","handlers":3,"vars":0,"messages":[{"h":0,"ev":[["p",2]],"init":true},
        {"h":1,"ev":[["p",3]],"init":true},{"h":2,"ev":[["g"]]},{"h":2,"pending":true,"ev":[]}],"co":[]}"#,
    );
    let late = [1, 0, 2];
    assert_eq!(replay(&trace, Policy::Fifo, &[0, 1, 2]), Ok(()));
    let held_up = BadWitness::Mailbox { event: 2, message: 2, handler: 2 };
    assert_eq!(replay(&trace, Policy::Fifo, &late), Err(held_up));
    assert_eq!(replay(&trace, Policy::P2p, &late), Ok(()), "the senders differ");
    assert_eq!(replay(&trace, Policy::Multiset, &late), Ok(()));
}

#[test]
fn certificates_are_checked_line_by_line() {
    let trace = same_poster();
    let fifo = |text: &str| certificate::check(&trace, Policy::Fifo, text);
    // 1 before 2 is impossible (the read), 2 before 1 is impossible (the posts).
    assert_eq!(fifo("t 2<1\nt 1<2\nl\n"), Ok(()));
    assert_eq!(fifo("t 2<1\nt 1<2\nl 1<2\nl"), Ok(()));
    assert_eq!(certificate::check(&trace, Policy::P2p, "t 2<1\nt 1<2\nl"), Ok(()), "one sender");
    let multiset = certificate::check(&trace, Policy::Multiset, "t 2<1\nt 1<2\nl\n");
    assert_eq!(multiset, Err(BadCertificate::NoCycle { line: 2 }));
    assert_eq!(fifo("t 2<1\nl"), Err(BadCertificate::NotImplied { line: 2 }));
    assert_eq!(fifo("l"), Err(BadCertificate::NotImplied { line: 1 }));
    assert_eq!(fifo("t 2<1\nt 1<2"), Err(BadCertificate::NotFinished));
    assert_eq!(fifo("t 2<1\nt 1<2\nl\nt 1<2"), Err(BadCertificate::NotFinished));
    assert_eq!(fifo(""), Err(BadCertificate::NotFinished));
    assert_eq!(fifo("t"), Err(BadCertificate::NoCycle { line: 1 }));
    assert_eq!(fifo("fixed-cycle"), Err(BadCertificate::NoFixedCycle));
    for (text, found) in
        [("x 1<2", "x"), ("t 1>2", "1>2"), ("t 1<", "1<"), ("t a<b", "a<b"), ("t 2<1\n\nl", "")]
    {
        let line = text.find("\n\n").map_or(1, |_| 2);
        assert_eq!(
            fifo(text),
            Err(BadCertificate::Syntax { line, found: found.to_owned() }),
            "{text}"
        );
    }
    for (first, second) in [(0, 1), (1, 1), (1, 7)] {
        let refused = BadCertificate::NotComparable { line: 1, first, second };
        assert_eq!(fifo(&format!("t {first}<{second}")), Err(refused));
    }
}

#[test]
fn a_fixed_cycle_proves_everything() {
    let trace = parse(
        r#"{"format":"ed-trace/1","handlers":1,"vars":1,"messages":[{"h":0,"ev":[["w",0],["r",0,-1]],"init":true}],
        "co":[[0]]}"#,
    );
    for policy in Policy::ALL {
        assert_eq!(certificate::check(&trace, policy, "fixed-cycle\n"), Ok(()));
        assert_eq!(certificate::check(&trace, policy, "t\nl"), Ok(()));
    }
}

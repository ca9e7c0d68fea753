//! What must not grow with the wrong thing: time with messages that touch nothing, memory with sequences that wait, and
//! nothing that is found with a number that somebody wrote down. Bounds are those of a slow machine, with debug assertions:
//! what they are compared with took ten times as long and more.

use crate::support::Folder;

/// What `mazurka check` says of a program, as an object, and how long it took.
fn check(program: &str, flags: &str) -> (serde_json::Value, f64) {
    let folder = Folder::with("program.ed", program);
    let (run, seconds) =
        folder.mazurka_timed(&format!("check program.ed --format json {flags}"), None);
    (run.json(), seconds)
}

/// A deadlock behind four hundred circles of messages that do not close. It was passed over in silence.
#[test]
fn every_circle_of_waiting_messages_is_looked_at() {
    let program = "mailbox multiset;
        semaphore s = 0; semaphore t = 0; semaphore p = 0; semaphore q = 0; semaphore go = 0;
        handler h1; handler h2; handler h3; handler h4;
        message one(i) { if i > 0 { post one(i - 1) to h2; } else { release s; post w2() to h2; } }
        message two(i) { if i > 0 { post two(i - 1) to h1; } else { release t; } }
        message w1() { acquire s; }
        message w2() { acquire t; release go; }
        message a() { acquire p; }
        message b() { acquire q; }
        message give_p() { release p; }
        message give_q() { release q; }
        thread decoys { post one(20) to h2; post two(20) to h1; post w1() to h1; }
        thread real {
            acquire go; post give_q() to h3; post give_p() to h4; post a() to h3; post b() to h4;
        }";
    let (object, _) = check(program, "");
    assert_eq!(object["verdict"], "violation", "{object}");
    assert_eq!(object["failures"][0]["kind"], "deadlock", "{object}");
}

/// Messages that wait for ever are looked at together only where one of them may be put in front of what leads to an assumption. Chains of 250 of them
/// had no end.
#[test]
fn messages_that_wait_for_ever_beside_an_assumption_end() {
    let program = "param n = 250; semaphore s = 0; handler h[n];
        message wait() { acquire s; } message other(i) { let r = i; }
        thread a { for i in 0..n { post other(i) to h[i]; post wait() to h[i]; } }
        thread b { assume 1 == 2; }";
    let (object, seconds) = check(program, "--timeout 10");
    assert_eq!((&object["verdict"], &object["blocked"]), (&"safe".into(), &1.into()), "{object}");
    assert!(seconds < 5.0, "{seconds} s");
}

/// One writer and many readers that follow each other in a queue: as many traces as places for the writer.
#[test]
fn readers_in_a_queue_do_not_race_one_by_one() {
    let program = "param n = 200; var x; handler h: fifo;
        message w() { x = 1; } message r(i) { let a = x; }
        thread wr { post w() to h; } thread rd { for i in 0..n { post r(i) to h; } }";
    let (object, seconds) = check(program, "");
    assert_eq!((&object["verdict"], &object["executions"]), (&"safe".into(), &201.into()));
    // Once 49 s.
    assert!(seconds < 5.0, "{seconds} s");
    let races = object["statistics"]["races"].as_u64().expect("a number");
    assert!(races < 201 * 4, "{races} races");
}

/// Clicks that ask a server until its first answer has come. Under FIFO the order of the answers says in which order the clicks came,
/// which is found out without asking the solver again and again: n = 6 (13,806 traces) took 10 s.
#[test]
fn clicks_whose_order_follows_from_their_answers() {
    let program = "param n = 5; var x; handler page: fifo; handler server: fifo;
        message click(i) { if x == 0 { post ask(i) to server; } }
        message ask(i) { post answer(i) to page; }
        message answer(i) { x = 1; }
        thread user[i in 0..n] { post click(i) to page; }";
    // The first k answers come in some order, and each later click reads one of them:
    // the sum over k of n! / (n - k)! times k^(n - k).
    for (n, traces) in [(2, 4), (3, 21), (4, 148), (5, 1305)] {
        let (object, seconds) = check(program, &format!("--param n={n}"));
        assert_eq!(object["executions"], traces, "n = {n}");
        assert!(seconds < 10.0, "n = {n}: {seconds} s");
    }
}

/// Sixty messages of three queues, 450 operations. Contradictions between them are found once, not for each set of messages that has them: the solver
/// was asked 8,400 questions, in 6 s.
#[test]
fn sixty_messages_that_share_little_are_explored() {
    let (object, _) = check(include_str!("sixty-messages/few-traces.ed"), "");
    assert_eq!((&object["verdict"], &object["executions"]), (&"safe".into(), &111.into()));
    let asked = object["statistics"]["redundancy_checks"]["decision"].as_u64();
    assert!(asked.is_some_and(|asked| asked < 2_000), "{asked:?} questions");
}

/// Whose turn is first on one handler says who is first in the queue of another one, and what cannot be for that reason is seen at once. With five
/// clients the solver was asked 6,007 times.
#[test]
fn the_order_of_a_queue_follows_from_turns_without_the_solver() {
    let program = include_str!("../../../../programs/examples/actor-sender.ed");
    let (object, _) = check(program, "--param clients=4 --keep-going");
    assert_eq!(object["executions"], 336);
    assert_eq!(object["statistics"]["redundancy_checks"]["decision"], 0);
}

/// The explored order is tried first, so reversals share much of it: 22,961 events were performed when what the second event needs came first.
#[test]
fn reversals_share_the_explored_order() {
    let program = include_str!("../../../../programs/scaling/pipeline.ed");
    let (object, _) = check(program, "--param n=6");
    assert_eq!(object["executions"], 720);
    let events = object["transitions"].as_u64();
    assert!(events.is_some_and(|events| events < 18_000), "{events:?} events");
}

const IDLE: &str = "param n = 100; var x; var z; var y[n]; handler h;
    message busy(i) { x = i; } message idle(i) { y[i] = 1; } message two(i) { z += 1; }
    thread b[i in 0..4] { post busy(i) to h; } thread d[i in 0..2] { post two(i) to h; }
    thread c { for i in 0..n { post idle(i) to h; } }";

/// 48 executions beside messages that touch nothing in common with the rest. They took 10 s beside 400.
#[test]
fn messages_that_touch_nothing_cost_little() {
    for mailbox in ["multiset", "fifo"] {
        let (object, seconds) = check(IDLE, &format!("--mailbox {mailbox} --param n=400"));
        assert_eq!(object["executions"], 48, "{mailbox}");
        assert!(seconds < 5.0, "{mailbox}: {seconds} s");
        let asked = &object["statistics"]["redundancy_checks"]["decision"];
        assert_eq!(asked, 0, "{mailbox}: an order is at hand, so nobody asks the solver");
    }
}

/// `--timeout 5` took 62 s.
#[test]
fn the_time_is_kept_beside_messages_that_touch_nothing() {
    for mailbox in ["multiset", "fifo"] {
        let flags = format!("--mailbox {mailbox} --param n=1600 --timeout 0.5");
        let (_, seconds) = check(IDLE, &flags);
        assert!(seconds < 0.5 + 0.3, "{mailbox}: {seconds} s");
    }
}

/// Whole rows of bits take memory that grows with the square of the events: 80,000 of two threads took 2.4 GB.
#[test]
fn long_executions_take_memory_like_their_events() {
    let threads = "var a[10]; thread t[i in 0..10] { for k in 0..10000 { a[i] = k; } }";
    let messages = "handler h; var x; message m(i) { x = i; x += 1; }
        thread t { for k in 0..25000 { post m(k) to h; } }";
    for program in [threads, messages] {
        for algorithm in ["event", "optimal"] {
            // An execution that takes more than 64 MB is cut, which was after some 20,000 events.
            let (object, _) = check(program, &format!("--algorithm {algorithm}"));
            assert_eq!(object["incomplete_because"], serde_json::json!([]), "{object}");
            assert_eq!(object["executions"], 1, "{object}");
        }
    }
}

/// Sequences that wait keep moves, not executions: prolific(9) took 76 MB, and twice as much for each size more.
#[test]
fn sequences_that_wait_take_little_memory() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/event-dpor/prolific.ed");
    let program = std::fs::read_to_string(path).expect("a program of the paper");
    let (object, _) = check(&program, "--param n=9 --max-memory 60M");
    assert_eq!(object["incomplete_because"], serde_json::json!([]), "{object}");
    assert_eq!(object["executions"], 510, "{object}");
}

//! The algorithms made for queues cover the classes of the table. (Random traces are compared with the oracle in
//! `mazurka-fuzz`.)

use crate::common::{Sample, samples};
use mazurka_engine::{Algorithm, Config, Outcome, explore};
use mazurka_traces::TraceProgram;

fn run(program: &TraceProgram, algorithm: Algorithm, limit: u64) -> Outcome {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.classes = true;
    config.limits.max_executions = Some(limit);
    explore(program, &config, &mut ())
}

#[test]
fn em_dpor_covers_the_classes_of_the_table() {
    for sample in samples() {
        let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
        let outcome = run(&program, Algorithm::EmDpor, 5_000);
        assert!(outcome.complete, "{}", sample.name);
        let classes = outcome.classes.expect("they were asked for");
        let found = (classes.complete, classes.deadlocked);
        assert_eq!(found, (sample.classes, sample.deadlocked), "{}", sample.name);
    }
}

/// Event-DPOR counts a deadlock once if another one has the same events and more: on `multi-2` two of the three
/// deadlocked classes of the table are one cycle (message 3 holds lock 0x11 and waits for 0x33, message 5 holds 0x33
/// and waits for 0x11), with message 4 handled before message 5 or still in the queue behind it. Message 4 takes
/// nothing but 0x33, on the same looper as message 5, so nothing orders the two.
fn cycles(sample: &Sample) -> u64 {
    match sample.name.as_str() {
        "multi-2" => 2,
        _ => sample.deadlocked,
    }
}

#[test]
fn event_explores_each_class_of_the_table_once() {
    for sample in samples() {
        let sample = &sample;
        let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
        let outcome = run(&program, Algorithm::Event, 1_000);
        assert!(outcome.complete, "{}", sample.name);
        let classes = outcome.classes.expect("they were asked for");
        assert_eq!(classes.complete, sample.classes, "{}", sample.name);
        let deadlocked = cycles(sample)..=sample.deadlocked;
        assert!(deadlocked.contains(&classes.deadlocked), "{}", sample.name);
        let statistics = outcome.statistics;
        assert_eq!(statistics.executions, sample.classes, "{}", sample.name);
        assert_eq!(statistics.deadlocks, classes.deadlocked, "{}", sample.name);
    }
}

#[test]
fn the_deadlocks_of_a_trace_are_told_by_their_cycles() {
    let samples = samples();
    let sample = samples.iter().find(|sample| sample.name == "multi-2").expect("it is there");
    let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
    let one = "message 3 waits for lock 0x33, held by message 5; \
               message 5 waits for lock 0x11, held by message 3";
    let other = "message 2 waits for lock 0x11, held by message 3; \
                 message 3 waits for lock 0x22, held by message 2";
    for algorithm in [Algorithm::Event, Algorithm::EmDpor, Algorithm::Optimal] {
        let failures = run(&program, algorithm, 1_000).failures;
        let shows = |cycle: &str| failures.iter().any(|failure| failure.message.contains(cycle));
        assert!(shows(one) && shows(other), "{failures:?}");
    }
}

/// What EM-DPOR explores of each sample trace. One more is a step back.
const EXPLORED: [(&str, u64); 23] = [
    ("single-1", 2),
    ("single-2", 3),
    ("single-3", 3),
    ("single-4", 4),
    ("single-5", 3),
    ("single-8", 7),
    ("single-9", 10),
    ("single-10", 4),
    ("single-11", 6),
    ("single-12", 15),
    ("single-14", 4),
    ("multi-2", 10),
    ("multi-4", 5),
    ("multi-5", 1),
    ("multi-6", 3),
    ("multi-8", 8),
    ("multi-10", 8),
    ("threads-deadlock-1", 7),
    ("threads-deadlock-3", 8),
    ("threads-1", 4),
    ("app-aarddict", 11),
    ("app-charachter-recognition", 78),
    ("app-remind-me", 2),
];

#[test]
fn em_dpor_explores_at_most_what_is_published() {
    let samples = samples();
    assert_eq!(samples.len(), EXPLORED.len());
    for (sample, (name, explored)) in samples.iter().zip(EXPLORED) {
        assert_eq!(sample.name, name);
        assert!(explored <= sample.em_dpor, "{name}: published are {}", sample.em_dpor);
        let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
        let found = run(&program, Algorithm::EmDpor, 5_000).statistics.ended();
        assert!(found <= explored, "{name}: {found}");
    }
}

/// The start of an application: one message writes what four others read, in a queue with twenty messages that have nothing to do
/// with it. The published implementation explores 266 executions of the trace that this one was made from. Messages that
/// wait in the queue used to be reordered with the one at its front for every race: that took more than 100,000 executions.
#[test]
fn em_dpor_leaves_messages_in_their_order_that_have_nothing_to_do_with_a_race() {
    let (trace, edges) = (
        include_bytes!("../data/launch/trace.txt"),
        include_bytes!("../data/launch/dependence.txt"),
    );
    let loaded = mazurka_traces::load("trace.txt", trace, Some(("dependence.txt", edges)));
    let program = TraceProgram::new(&loaded.expect("it is right").trace).expect("it was checked");
    let outcome = run(&program, Algorithm::EmDpor, 266);
    assert!(outcome.complete);
    assert_eq!(outcome.classes.expect("they were asked for").complete, 6);
    assert!(outcome.statistics.ended() <= 34, "{:?}", outcome.statistics);
}

fn classes_of(rest: &str) -> (u64, u64) {
    let head = "2 THREADINIT tid:1\n3 FORK par-tid:1 child-tid:2\n4 FORK par-tid:1 child-tid:3\n\
                5 THREADINIT tid:2\n6 THREADINIT tid:3\n";
    let loaded = mazurka_traces::load("trace.txt", format!("{head}{rest}").as_bytes(), None);
    let program = TraceProgram::new(&loaded.expect("it is right").trace).expect("it was checked");
    let classes = |algorithm| {
        let classes = run(&program, algorithm, 100_000).classes.expect("they were asked for");
        (classes.complete, classes.deadlocked)
    };
    let truth = classes(Algorithm::Naive);
    for algorithm in [Algorithm::Event, Algorithm::EmDpor, Algorithm::Optimal] {
        assert_eq!(classes(algorithm), truth, "{}", algorithm.name());
    }
    truth
}

#[test]
fn a_wait_takes_the_oldest_notification() {
    // Whatever the schedule, each wait takes the same notification: one class.
    let one =
        "7 NOTIFY tid:2 notifiedTid:1\n8 NOTIFY tid:2 notifiedTid:1\n9 WAIT tid:1\n10 WAIT tid:1\n";
    assert_eq!(classes_of(one), (1, 0));
    // Nobody waits.
    let none = "7 NOTIFY tid:2 notifiedTid:1\n8 NOTIFY tid:3 notifiedTid:1\n";
    assert_eq!(classes_of(none), (1, 0));
    // It matters whose notification is there first; that both may be is told apart too.
    let two = "7 NOTIFY tid:2 notifiedTid:1\n8 NOTIFY tid:3 notifiedTid:1\n9 WAIT tid:1\n";
    assert_eq!(classes_of(two), (3, 0));
    // What is written before a notification is there after the wait for it.
    let ordered = "7 WRITE tid:2 obj:0x1 class:a; field:1\n8 NOTIFY tid:2 notifiedTid:1\n\
                   9 WAIT tid:1\n10 READ tid:1 obj:0x1 class:a; field:1\n";
    assert_eq!(classes_of(ordered), (1, 0));
}

/// The original gives up when the destination of a dependence overtakes its source, unless it is a NOP.
#[test]
fn every_destination_of_a_dependence_waits() {
    let text = "2 THREADINIT tid:1\n3 THREADINIT tid:2\n4 WRITE tid:2 obj:0x1 class:a; field:1\n\
                5 READ tid:1 obj:0x1 class:a; field:1\n";
    for (edges, classes) in [("src:4 dest:5\n", 1), ("", 2)] {
        let edges = Some(("dependence.txt", edges.as_bytes()));
        let loaded = mazurka_traces::load("trace.txt", text.as_bytes(), edges);
        let trace = loaded.expect("it is right").trace;
        let program = TraceProgram::new(&trace).expect("it was checked");
        for algorithm in [Algorithm::Naive, Algorithm::Event, Algorithm::EmDpor] {
            let outcome = run(&program, algorithm, 100);
            let found = outcome.classes.expect("they were asked for").complete;
            assert_eq!(found, classes, "{}", algorithm.name());
        }
    }
}

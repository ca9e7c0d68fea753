//! `mazurka trace`: recorded and partial traces.

use crate::support::Folder;
use expect_test::expect;
use serde_json::{Value, json};

/// Two threads take two locks in opposite orders; it went well when it was recorded.
const LOCKS: &str = "\
1 THREADINIT tid:1
2 FORK par-tid:1 child-tid:2
3 LOCK tid:1 lock-obj:0x10
4 LOCK tid:1 lock-obj:0x20
5 UNLOCK tid:1 lock-obj:0x20
6 UNLOCK tid:1 lock-obj:0x10
7 THREADEXIT tid:1
8 THREADINIT tid:2
9 LOCK tid:2 lock-obj:0x20
10 LOCK tid:2 lock-obj:0x10
11 UNLOCK tid:2 lock-obj:0x10
12 UNLOCK tid:2 lock-obj:0x20
13 THREADEXIT tid:2
";

/// Two threads write one variable.
const WRITES: &str = "\
1 THREADINIT tid:1
2 FORK par-tid:1 child-tid:2
3 THREADINIT tid:2
4 WRITE tid:1 obj:0x1 class:a; field:1
5 WRITE tid:2 obj:0x1 class:a; field:1
";

/// The messages 2 and 3 are posted in this order, and must be executed in the other one.
const REORDERED: &str = r#"{"format":"ed-trace/1","name":"reordered","handlers":3,"vars":2,
 "messages":[
   {"h":0,"init":true,"ev":[["p",2],["w",1]]},
   {"h":1,"init":true,"ev":[["r",1,1],["p",3]]},
   {"h":2,"ev":[["g"],["r",0,7]]},
   {"h":2,"ev":[["g"],["w",0]]}],
 "co":[[7],[1]]}"#;

#[test]
fn a_deadlock_behind_a_recorded_execution_is_found() {
    let folder = Folder::with("trace.txt", LOCKS);
    let run = folder.mazurka("trace explore trace.txt --algorithm naive");
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    expect![[r#"
        violation: trace (fifo), naive
          40 complete executions, 192 events, TIME
          1 deadlocked
          not everything was explored: it stopped at the first failure; --keep-going explores everything

        deadlock: thread 1 waits for lock 0x20, held by thread 2; thread 2 waits for lock 0x10, held by thread 1
          because `lock 0x20` of thread 2 came before `lock 0x20` of thread 1
          the nearest execution that passes parts from it in step 5: `lock 0x20` of thread 1 instead of
          `lock 0x20` of thread 2

          step  thread 1       thread 2   trace.txt
          ─────────────────────────────────────────
             1  step                      1
             2  fork thread 2             2
             3  lock 0x10                 3
             4                 step       8
        ◆    5                 lock 0x20  9
          ◆ it decides that this comes first
        ✗ deadlock: nothing can move any more
                thread 1 waits for lock 0x20, held by thread 2
                thread 2 waits for lock 0x10, held by thread 1
    "#]].assert_eq(&run.steady_stdout());
}

/// Its values are not known, so there are no states to compare; observers need none.
#[test]
fn algorithms_that_compare_states_are_refused() {
    let folder = Folder::with("writes.txt", WRITES);
    for algorithm in ["dpor-cs", "optimal-cs", "optimal-cs-observers"] {
        let run = folder.mazurka(&format!("trace explore writes.txt --algorithm {algorithm}"));
        let why = "compares states, and a recorded trace has none: its values are not known; \
                   use `event`, `em-dpor` or `optimal-observers`";
        assert_eq!((run.status, run.stderr), (2, format!("error: `{algorithm}` {why}\n")));
    }
    for algorithm in ["optimal-observers", "event-observers"] {
        let run = folder.mazurka(&format!("trace explore writes.txt --algorithm {algorithm}"));
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("1 complete execution,"), "{}", run.stdout);
    }
}

#[test]
fn the_classes_of_a_recorded_execution_are_counted() {
    let folder = Folder::with("writes.txt", WRITES);
    let command = "trace explore writes.txt --algorithm naive --classes --format json";
    let run = folder.mazurka(command);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let object = run.json();
    assert_eq!(object["program"], "writes");
    assert_eq!(object["params"], json!({}));
    assert_eq!(object["mailbox"], "fifo");
    assert_eq!(object["verdict"], "safe");
    assert_eq!(object["classes"], 2);
    assert!(object["executions"].is_number() && object["transitions"].is_number());
}

#[test]
fn dependences_order_what_the_trace_leaves_open() {
    let folder = Folder::with("writes.txt", WRITES);
    folder.write("order.txt", "src:4 dest:5\n");
    let command =
        "trace explore writes.txt --dependence order.txt --algorithm naive --classes --format json";
    assert_eq!(folder.mazurka(command).json()["classes"], 1);
}

#[test]
fn a_bad_trace_is_refused_with_its_line() {
    let folder = Folder::with("trace.txt", LOCKS.replace("0x20\n6", "0x99\n6"));
    let run = folder.mazurka("trace explore trace.txt");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    expect![[r#"
        error: trace.txt:5: thread 1 unlocks 0x99, which it does not hold
    "#]]
    .assert_eq(&run.stderr);
    let run = folder.mazurka("trace explore missing.txt");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
}

#[test]
fn text_becomes_json_and_text_again() {
    let folder = Folder::with("trace.txt", LOCKS);
    folder.write("order.txt", "src:6 dest:9\n");
    let run = folder.mazurka("trace convert trace.txt a.json --dependence order.txt");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let run = folder.mazurka("trace convert a.json again.txt");
    assert_eq!(run.status, 0);
    assert_eq!(run.stderr, "note: the dependences are in dependence.txt\n");
    let run = folder.mazurka("trace convert again.txt b.json --dependence dependence.txt");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(folder.read("a.json"), folder.read("b.json"));
}

#[test]
fn nothing_is_converted_onto_its_own_input() {
    let folder = Folder::with("trace.txt", LOCKS);
    let run = folder.mazurka("trace convert trace.txt trace.txt");
    assert_eq!((run.status, folder.read("trace.txt").as_str()), (2, LOCKS));
    assert!(run.stderr.contains("would overwrite the input"), "{}", run.stderr);
}

#[test]
fn a_consistent_trace_comes_with_an_order() {
    let folder = Folder::with("t.json", REORDERED);
    let command = "trace consistency t.json --mailbox multiset --verify --format json";
    let run = folder.mazurka(command);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let object = run.json();
    assert_eq!(object["verdict"], "consistent");
    assert_eq!(object["semantics"], "multiset");
    assert_eq!(object["order"].as_array().map(Vec::len), Some(8));
    assert_eq!(object["verified"], true);
    assert!(object["elapsed_seconds"].is_number());
}

#[test]
fn an_inconsistent_trace_comes_with_a_certificate() {
    let folder = Folder::with("t.json", REORDERED);
    for solver in ["sat", "saturation"] {
        let flags = format!("--mailbox fifo --solver {solver} --verify");
        let run = folder.mazurka(&format!("trace consistency t.json {flags} --format json"));
        assert_eq!((run.status, run.stderr.as_str()), (1, ""));
        let object = run.json();
        assert_eq!(object["verdict"], "inconsistent");
        assert!(matches!(&object["certificate"], Value::String(text) if !text.is_empty()));
    }
}

#[test]
fn the_default_of_consistency_is_fifo_in_words() {
    let folder = Folder::with("t.json", REORDERED);
    let run = folder.mazurka("trace consistency t.json --verify");
    assert_eq!(run.status, 1);
    expect![[r#"
        inconsistent under fifo: no execution has this trace
          4 messages, 8 events, TIME
          an independent checker agrees

        These 2 messages cannot be ordered:
          message 2 on handler 2, posted by event 0
          message 3 on handler 2, posted by event 3
        Message 2 before 3 is impossible:
          event 6 (start, in message 3) comes before event 7 (write of variable 0, in message 3): program order
          event 7 (write of variable 0, in message 3) comes before event 5 (read of variable 0, in message 2): reads-from
          event 5 (read of variable 0, in message 2) comes before event 6 (start, in message 3): message 2 is executed before message 3
        Message 3 before 2 is impossible:
          event 0 (post of message 2, in message 0) comes before event 1 (write of variable 1, in message 0): program order
          event 1 (write of variable 1, in message 0) comes before event 2 (read of variable 1, in message 1): reads-from
          event 2 (read of variable 1, in message 1) comes before event 3 (post of message 3, in message 1): program order
          event 3 (post of message 3, in message 1) comes before event 0 (post of message 2, in message 0): message 3 is executed before message 2, so it is posted before it
    "#]]
    .assert_eq(&run.steady_stdout());
    let run = folder.mazurka("trace consistency t.json --mailbox p2p");
    assert_eq!(run.status, 0);
    expect![[r#"
        consistent under p2p: there is an execution with this trace (8 events)
          4 messages, 8 events, TIME
    "#]]
    .assert_eq(&run.steady_stdout());
}

#[test]
fn other_files_are_not_partial_traces() {
    let folder = Folder::with("t.json", "{\"format\":\"ed-trace/7\"}");
    let run = folder.mazurka("trace consistency t.json");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    expect![[r#"
        error: t.json: format `ed-trace/7` is not supported: expected `ed-trace/1`
    "#]]
    .assert_eq(&run.stderr);
    for arguments in [".", "missing.json", "t.json --solver magic", "t.json --mailbox lifo"] {
        let run = folder.mazurka(&format!("trace consistency {arguments}"));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}

/// A picture arrives at a closed screen, with a lock and a second thread that is forked and joined.
const PROGRAM: &str = "\
var open = 1;
mutex m;
handler ui;
message show(p) { assert open == 1, \"closed\"; }
message close() { with m { open = 0; } }
task watch() { with m { let seen = open; } }
thread user { let w = fork watch(); join w; post close() to ui; }
thread download { post show(42) to ui; }
";

/// All names that a trace can be saved under; each asks for another format.
const NAMES: [&str; 4] = ["t.txt", "t.json", "t.partial.json", "t.json.gz"];

#[test]
fn what_check_saves_every_command_reads() {
    for name in NAMES {
        let folder = Folder::with("program.ed", PROGRAM);
        let run = folder.mazurka(&format!("check program.ed --save-trace {name}"));
        assert_eq!(run.status, 1, "{name}: {}", run.stderr);
        for command in ["explore", "races", "consistency"] {
            let run = folder.mazurka(&format!("trace {command} {name} --format json"));
            assert_eq!(run.status, 0, "{command} {name}: {}{}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn every_format_becomes_every_other() {
    let folder = Folder::with("program.ed", PROGRAM);
    let classes = |folder: &Folder, name: &str| {
        let run = folder.mazurka(&format!("trace explore {name} --classes --format json"));
        run.json()["classes"].as_u64().expect("a number")
    };
    let run = folder.mazurka("check program.ed --save-trace t.txt");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let recorded = classes(&folder, "t.txt");
    for from in NAMES {
        for to in NAMES.map(|name| format!("of-{from}-{name}")) {
            let run = folder.mazurka(&format!("trace convert {from} {to}"));
            assert_eq!(run.status, 0, "{from} to {to}: {}", run.stderr);
            let run = folder.mazurka(&format!("trace consistency {to}"));
            assert_eq!(run.status, 0, "{to}: {}{}", run.stdout, run.stderr);
        }
        // The next one is made from this one, so that each is read.
        let next = NAMES.iter().skip_while(|name| **name != from).nth(1);
        if let Some(next) = next {
            assert_eq!(folder.mazurka(&format!("trace convert {from} {next}")).status, 0);
        }
    }
    assert_eq!(classes(&folder, "t.json"), recorded, "nothing is lost between recorded traces");
}

#[test]
fn names_survive_conversion() {
    let folder = Folder::with("program.ed", PROGRAM);
    folder.mazurka("check program.ed --save-trace a.txt");
    folder.mazurka("trace convert a.txt b.json");
    folder.mazurka("trace convert b.json c.txt");
    let run = folder.mazurka("trace races c.txt");
    for name in ["open\n", "by close() on ui", "by show(42) on ui"] {
        assert!(run.stdout.contains(name), "{name}:\n{}", run.stdout);
    }
}

#[test]
fn an_execution_that_a_recorded_trace_cannot_say_is_refused() {
    let bag = "mailbox multiset; var x; handler h;
        message a() { x = 1; } message b() { assert x == 1; } thread t { post a() to h; post b() to h; }";
    let folder = Folder::with("bag.ed", bag);
    let run = folder.mazurka("check bag.ed --save-trace t.txt");
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert!(run.stderr.contains("mailboxes of a recorded trace are queues"), "{}", run.stderr);
    let run = folder.mazurka("check bag.ed --save-trace t.partial.json");
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(folder.mazurka("trace consistency t.partial.json --mailbox multiset").status, 0);
    let run = folder.mazurka("trace explore t.partial.json");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("no execution with FIFO mailboxes"), "{}", run.stderr);
}

#[test]
fn an_execution_that_passes_can_be_saved_too() {
    let folder = Folder::with("fine.ed", "var x; thread a { x += 1; } thread b { let y = x; }");
    assert_eq!(folder.mazurka("check fine.ed --save-trace t.json").status, 0);
    assert_eq!(folder.mazurka("trace races t.json --format json").status, 0);
    assert_eq!(folder.mazurka("run fine.ed --seed 3 --save-trace u.txt").status, 0);
    assert!(folder.read("u.txt").contains("# thread 1 is start"));
}

//! Honest ends: executions that do not end, loops that wait, time that is up. Whatever is given up is said, whatever was
//! found is told.

use crate::support::Folder;
use serde_json::Value;

const ALGORITHMS: [&str; 14] = [
    "naive",
    "dpor",
    "source",
    "optimal",
    "optimal-observers",
    "dpor-cs",
    "optimal-cs",
    "optimal-cs-observers",
    "event",
    "event-observers",
    "em-dpor",
    "r4",
    "random",
    "pct",
];

/// So much longer than its timeout a command may take.
const SLACK: f64 = 0.3;

/// A message that posts itself.
const ENDLESS: &str =
    "handler h; var x; message m() { x += 1; post m() to h; } thread a { post m() to h; }";

/// One that does until it is told to stop.
const HEARTBEAT: &str = "var stop; handler h;
    message beat() { if stop == 0 { post beat() to h; } }
    thread a { post beat() to h; }
    thread b { stop = 1; }";

fn json(program: &str, flags: &str, status: i32) -> Value {
    let folder = Folder::with("program.ed", program);
    let run = folder.mazurka(&format!("check program.ed --format json {flags}"));
    assert_eq!(run.status, status, "{flags}: {}{}", run.stdout, run.stderr);
    run.json()
}

#[test]
fn a_message_that_posts_itself_is_cut_and_named() {
    let folder = Folder::with("program.ed", ENDLESS);
    let (run, seconds) = folder.mazurka_timed("check program.ed --max-memory 2G", None);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(run.stdout.contains("1 cut at a bound"), "{}", run.stdout);
    assert!(run.stdout.contains("`m` posts itself"), "{}", run.stdout);
    assert!(seconds < 10.0, "{seconds} s with debug assertions");
    for algorithm in ALGORITHMS {
        let flags = format!("--algorithm {algorithm} --max-events 300 --max-executions 2");
        let object = json(ENDLESS, &flags, 3);
        assert_eq!(object["verdict"], "incomplete", "{algorithm}");
        assert!(object["truncated"].as_u64() > Some(0), "{algorithm}: {object}");
        let words = object["not_explored"].to_string();
        // What is one too many shows when it has been performed.
        let events = if algorithm == "r4" { "301 events" } else { "300 events" };
        assert!(words.contains("`m` posts itself") && words.contains(events), "{words}");
        assert!(object["incomplete_because"].to_string().contains("max-events"), "{algorithm}");
    }
}

#[test]
fn the_whole_round_is_named() {
    let program = "handler h; handler g; var x;
        message ping(n) { post pong(n + 1) to g; } message pong(n) { x = n; post ping(n) to h; }
        thread a { post ping(0) to h; }";
    let words = json(program, "--max-events 200", 3)["not_explored"].to_string();
    assert!(words.contains("`ping` and `pong` post each other"), "{words}");
    let program = "var x; thread a { for i in 0..1000 { x = i; } }";
    let words = json(program, "--max-events 200", 3)["not_explored"].to_string();
    assert!(words.contains("`a` goes on and on"), "{words}");
}

/// A program that can stop is shown to stop, after each number of rounds that the bound allows.
#[test]
fn the_others_are_explored_beside_an_execution_that_does_not_end() {
    for algorithm in ["naive", "dpor", "source", "optimal", "event", "em-dpor"] {
        let flags = format!("--algorithm {algorithm} --max-events 60 --classes");
        let object = json(HEARTBEAT, &flags, 3);
        assert_eq!(object["classes"], 19, "{algorithm}: {object}");
        assert!(object["truncated"].as_u64() > Some(0), "{algorithm}: {object}");
    }
    let failing = format!("{HEARTBEAT} finally {{ assert stop == 0; }}");
    assert_eq!(json(&failing, "", 1)["failures"][0]["kind"], "assertion");
}

/// Two threads that wait for each other do so whatever a heartbeat does, which never ends.
#[test]
fn a_deadlock_beside_an_execution_that_does_not_end_is_found() {
    let program = format!(
        "{ENDLESS} mutex left; mutex right;
        thread p {{ with left {{ with right {{ }} }} }} thread q {{ with right {{ with left {{ }} }} }}"
    );
    for algorithm in ["naive", "dpor", "source", "optimal", "event", "em-dpor"] {
        let flags = format!("--algorithm {algorithm} --max-events 40");
        let failure = &json(&program, &flags, 1)["failures"][0];
        let expected =
            "deadlock: p waits for lock right, held by q; q waits for lock left, held by p";
        assert_eq!((&failure["kind"], &failure["message"]), (&"deadlock".into(), &expected.into()));
    }
}

#[test]
fn memory_is_bounded() {
    let object = json(ENDLESS, "--max-memory 64M", 3);
    assert!(object["incomplete_because"].to_string().contains("max-memory"), "{object}");
    let object = json("var x; thread a[i in 0..9] { x += 1; }", "--max-memory 1M --classes", 3);
    assert_eq!(object["incomplete_because"], serde_json::json!(["max-memory"]), "{object}");
}

#[test]
fn a_loop_that_waits_has_as_many_executions_as_traces() {
    let spin = "var x; thread a { while x == 0 {} } thread b { x = 1; }";
    let locals =
        "var x; var y; thread a { let seen = 0; while seen == 0 { seen = x; let other = y; } }
        thread b { y = 2; x = 1; }";
    let lock =
        "var held; var n; thread a[i in 0..2] { while swap(held, 1) == 1 {} n += 1; held = 0; }";
    for (program, classes) in [(spin, 1), (locals, 1), (lock, 2)] {
        for algorithm in ["naive", "dpor", "source", "optimal", "event", "em-dpor"] {
            let object = json(program, &format!("--algorithm {algorithm} --classes"), 0);
            assert_eq!(object["classes"], classes, "{algorithm}: {object}");
            if algorithm == "optimal" || algorithm == "event" {
                assert_eq!(object["executions"], classes, "{algorithm}: {object}");
            }
        }
    }
}

#[test]
fn a_loop_that_never_ends_is_a_failure() {
    let never = "var x; thread a { while x == 0 {} } thread b { x = 0; }";
    let missed = "var x; thread a { while x == 0 {} } thread b { x = 1; x = 0; }";
    let message = "var x; handler h; message wait() { while x == 0 {} } message set() { x = 1; }
        thread a { post wait() to h; } thread b { post set() to h; }";
    for program in [never, missed, message] {
        for algorithm in ["naive", "dpor", "source", "optimal", "event", "em-dpor"] {
            let object = json(program, &format!("--algorithm {algorithm}"), 1);
            let failure = &object["failures"][0];
            assert_eq!(failure["kind"], "deadlock", "{algorithm}: {object}");
            let message = failure["message"].as_str().expect("a message");
            assert!(message.contains("goes round the loop at program.ed:1:"), "{message}");
        }
    }
    // The loop would end behind the other message, which cannot come.
    let contained = "mailbox multiset; var x; handler h; message wait() { while x == 0 {} }
        message set() { fork setter(); } task setter() { x = 1; }
        thread a { post set() to h; } thread b { post wait() to h; }";
    for mailbox in ["fifo", "multiset"] {
        for algorithm in ["naive", "optimal", "event", "em-dpor"] {
            let flags = format!("--algorithm {algorithm} --mailbox {mailbox}");
            assert_eq!(json(contained, &flags, 1)["failures"][0]["kind"], "deadlock", "{flags}");
        }
    }
    let object = json("var x; thread a { atomic { while x == 0 {} } }", "", 1);
    assert_eq!(object["failures"][0]["kind"], "fault", "{object}");
}

/// A loop that does change something is still cut at its own bound.
#[test]
fn a_loop_that_changes_something_does_not_wait() {
    let program = "var x; var n; thread a { while x == 0 { n += 1; } } thread b { x = 1; }";
    let object = json(program, "--unroll 5 --classes", 3);
    assert_eq!(object["classes"], 6, "{object}");
    assert_eq!(object["incomplete_because"], serde_json::json!(["unroll"]), "{object}");
}

/// The size of a report grows with its steps, not with their square.
#[test]
fn a_failure_behind_many_posts_is_short() {
    let program = "param n = 2000; handler h;
        message m(i) { if i == 0 { assert false; } else { post m(i - 1) to h; } }
        thread a { post m(n) to h; }";
    let folder = Folder::with("program.ed", program);
    let (run, seconds) =
        folder.mazurka_timed("check program.ed --format json --save-schedule s.json", None);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stdout.len() < 200_000, "{} bytes", run.stdout.len());
    assert!(seconds < 4.0, "{seconds} s with debug assertions");
    let again = folder.mazurka("replay program.ed s.json --format json");
    assert_eq!((again.status, &again.json()["reproduced"]), (1, &Value::Bool(true)));
}

#[test]
fn a_depth_that_no_bug_has() {
    let flags = "--algorithm pct --pct-depth 4294967295 --max-executions 3";
    assert_eq!(json("var x; thread a[i in 0..3] { x += 1; }", flags, 3)["executions"], 3);
}

/// All alternatives of a choice are explored, and algorithms make lists of them: a number like this one is a mistake.
#[test]
fn a_choice_among_too_many_is_a_failure() {
    let folder = Folder::with("program.ed", "var x; thread a { x = choose(4294967295); }");
    for algorithm in ALGORITHMS {
        let run = folder.mazurka(&format!("check program.ed --algorithm {algorithm} --timeout 5"));
        assert_eq!(run.status, 1, "{algorithm}: {}", run.stdout);
        assert!(
            run.stdout.contains("between 1 and 10000 alternatives"),
            "{algorithm}: {}",
            run.stdout
        );
    }
}

/// Two messages that post each other, as long as memory allows.
const TWO_HANDLERS: &str = "handler a, b; var x; message ping() { x += 1; post pong() to b; }
    message pong() { x += 1; post ping() to a; } thread t { post ping() to a; }";

/// Programs that take longer than anyone waits, each in a way of its own.
fn programs_without_end() -> [(&'static str, String); 19] {
    let idle =
        "param n = 200; handler h; handler g; var x; message touch(i) { x = i; } message idle() { }
        thread a { for i in 0..n { post idle() to g; } }
        thread b[i in 0..4] { post touch(i) to h; }";
    // Thousands of chains of messages that wait for others, none of which is a circle.
    let chains = "semaphore s[96]; handler h[12];
        message m(i) {
            for j in 0..8 { release s[i * 8 + j]; }
            if i > 0 { for j in 0..8 { acquire s[(i - 1) * 8 + j]; } }
        }
        thread a { for k in 0..8 { for i in 0..12 { post m(i) to h[i]; } } }";
    // Every release counts for whoever acquires, so sequences that undo a race are long.
    let permits = "semaphore s[200] = 1;
        thread t[k in 0..50] { for i in 0..200 { acquire s[i]; release s[i]; } }";
    let handlers = "handler h[20000]; var x; message m(i) { x += i; }
        thread a { for i in 0..20000 { post m(i) to h[i]; } }";
    let read = "var x; thread r { for k in 0..200000 { let seen = x; } }
        thread w { for k in 0..200000 { x = k; } }";
    let large =
        "var a[200000]; thread t[k in 0..3] { atomic { for i in 0..200000 { a[i] += k; } } }";
    [
        ("permits", permits.to_owned()),
        ("handlers", handlers.to_owned()),
        ("read", read.to_owned()),
        ("large", large.to_owned()),
        ("chains", chains.to_owned()),
        (
            "lock",
            "mutex l; var x; handler h[1500]; message m() { with l { x += 1; } }
            thread a { for i in 0..1500 { post m() to h[i]; } }"
                .to_owned(),
        ),
        (
            "joins",
            "task t(i) { if i > 0 { let w = fork t(i - 1); join w; } } thread a { fork t(20000); }"
                .to_owned(),
        ),
        ("throng", "var x; thread a[i in 0..100000] { x += 1; }".to_owned()),
        ("local", "var x; thread a { for i in 0..1000000000000 { } x = 1; }".to_owned()),
        (
            "atomic",
            "var x; thread a { atomic { for i in 0..1000000000000 { x = i; } } }".to_owned(),
        ),
        ("finally", "finally { for i in 0..1000000000000 { } }".to_owned()),
        ("endless", ENDLESS.to_owned()),
        ("heartbeat", HEARTBEAT.to_owned()),
        ("two", TWO_HANDLERS.to_owned()),
        ("crowd", "var x; thread a[i in 0..1000] { x += 1; }".to_owned()),
        ("many", "var x; thread a[i in 0..9] { x += i; x += 1; }".to_owned()),
        ("long", "var a[2]; thread t[i in 0..2] { for k in 0..200000 { a[i] = k; } }".to_owned()),
        ("idle", idle.to_owned()),
        (
            "bag",
            "mailbox multiset; handler h; var x; message m() { x += 1; }
            thread a { for i in 0..12000 { post m() to h; } }"
                .to_owned(),
        ),
    ]
}

#[test]
fn the_time_is_kept() {
    let allowed = 0.15;
    for (name, program) in programs_without_end() {
        let folder = Folder::with("program.ed", &program);
        for algorithm in ALGORITHMS {
            let flags =
                format!("--algorithm {algorithm} --timeout {allowed} --max-executions 100000");
            let (run, seconds) = folder.mazurka_timed(&format!("check program.ed {flags}"), None);
            assert!(seconds < allowed + SLACK, "{name}, {algorithm}: {seconds} s\n{}", run.stdout);
            assert!([0, 3].contains(&run.status), "{name}, {algorithm}: {}", run.stdout);
            let is_incomplete = run.stdout.contains("not everything was explored");
            assert_eq!(run.status == 3, is_incomplete, "{name}, {algorithm}: {}", run.stdout);
        }
    }
}

#[test]
fn an_interrupt_ends_it() {
    for (name, program) in programs_without_end() {
        let folder = Folder::with("program.ed", &program);
        let command = "check program.ed --max-events 100000000 --max-executions 100000000";
        let (run, seconds) = folder.mazurka_timed(command, Some(0.15));
        assert!(seconds < 0.15 + 0.5, "{name}: {seconds} s\n{}", run.stdout);
        assert!([0, 3].contains(&run.status), "{name}: {}", run.stdout);
    }
}

/// Thousands of operations that wait for ever, each with races of its own.
#[test]
fn the_time_is_kept_where_many_wait() {
    let stuck = "mutex m; handler h; thread a { lock m; } message w() { lock m; }
        thread b[i in 0..3000] { post w() to h; }";
    let growing = "mailbox multiset; handler h[4]; var x; thread a { post m(0) to h[0]; }
        message m(i) { x += 1; post m((i + 1) % 4) to h[i]; post m((i + 2) % 4) to h[(i + 1) % 4]; }";
    let allowed = 0.15;
    for program in [stuck, growing] {
        let folder = Folder::with("program.ed", program);
        for algorithm in ALGORITHMS {
            let flags = format!("--algorithm {algorithm} --timeout {allowed} --keep-going");
            let (run, seconds) = folder.mazurka_timed(&format!("check program.ed {flags}"), None);
            assert!(seconds < allowed + SLACK, "{algorithm}: {seconds} s\n{}", run.stdout);
            assert!([1, 3].contains(&run.status), "{algorithm}: {}", run.stdout);
        }
    }
}

/// What local code does when the time is up in the middle of it is not held against anybody.
#[test]
fn local_code_that_is_cut_short_is_no_mistake() {
    let program = "var x; mutex m; thread a[i in 0..5] { let ok = try_lock(m); for k in 0..300000 { } x += 1; }";
    let folder = Folder::with("program.ed", program);
    for algorithm in ["optimal", "optimal-cs", "event"] {
        for hundredths in 2..10 {
            let flags =
                format!("--algorithm {algorithm} --timeout 0.0{hundredths} --check --keep-going");
            let run = folder.mazurka(&format!("check program.ed {flags}"));
            // It may just have come to its end.
            assert!([0, 3].contains(&run.status), "{flags}: {}{}", run.stdout, run.stderr);
            assert!(!run.stdout.contains("mistake"), "{flags}: {}", run.stdout);
        }
    }
}

/// Nor is what is tried beside the execution, of which nothing may be left then.
#[test]
fn states_that_cannot_be_compared_any_more_are_not() {
    let program =
        "var x, y; thread a[i in 0..50] { for k in 0..1000 { atomic { x += 1; y = x; } } }";
    let folder = Folder::with("program.ed", program);
    for algorithm in ["optimal-cs", "optimal-cs-observers"] {
        for allowed in [0.1, 0.3, 0.5, 1.0] {
            let flags = format!("--algorithm {algorithm} --timeout {allowed}");
            let (run, seconds) = folder.mazurka_timed(&format!("check program.ed {flags}"), None);
            assert_eq!(run.status, 3, "{flags}: {}{}", run.stdout, run.stderr);
            assert!(seconds < allowed + SLACK, "{flags}: {seconds} s");
        }
    }
}

/// Two threads that take turns: there are hundreds of thousands of other orders to try, all in vain.
fn taking_turns(failures: usize) -> String {
    let asserts: String =
        (0..failures).map(|number| format!("assert x == 0, \"{number}\"; ")).collect();
    format!(
        "semaphore a = 1; semaphore b; var x;
        thread p {{ for i in 0..450 {{ acquire a; release b; }} x = 1; }}
        thread q {{ for i in 0..450 {{ acquire b; release a; }} {asserts} }}"
    )
}

/// The explanations of all failures that are shown take no more time than is left.
#[test]
fn the_time_is_kept_while_failures_are_explained() {
    let waiting = "mutex m; condition c; thread a[i in 0..400] { with m { wait c with m; } }
        thread b[i in 0..10] { notify c; }";
    let allowed = 0.2;
    for program in [&taking_turns(1), &taking_turns(20), waiting] {
        let folder = Folder::with("program.ed", program);
        let command = format!(
            "check program.ed --keep-going --max-executions 3 --timeout {allowed} --report r.html"
        );
        let (run, seconds) = folder.mazurka_timed(&command, None);
        assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
        assert!(seconds < allowed + SLACK, "{seconds} s\n{}", run.stdout);
        let command = "check program.ed --keep-going --max-executions 3 --report r.html";
        let (run, seconds) = folder.mazurka_timed(command, Some(0.1));
        assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
        assert!(seconds < 0.1 + 0.5, "{seconds} s\n{}", run.stdout);
    }
}

/// Races of a recorded execution: what there is no time for is not decided.
#[test]
fn the_time_is_kept_while_races_are_looked_for() {
    let messages = "handler h; var x; message m(i) { x += i; }
        thread a[k in 0..2] { for i in 0..1000 { post m(i) to h; } }";
    let threads = "var x; thread a[i in 0..500] { x += 1; }";
    // So many operations that what comes before what in every execution takes longer than there is time.
    let long = "handler h; var x; message m(i) { x = i; }
        thread a[k in 0..4] { for i in 0..3000 { post m(i) to h; } }";
    let allowed = 0.2;
    for program in [messages, threads, long] {
        let folder = Folder::with("program.ed", program);
        assert_eq!(folder.mazurka("run program.ed --save-trace trace.json").status, 0);
        let command = format!("trace races trace.json --timeout {allowed} --report r.html");
        let (run, seconds) = folder.mazurka_timed(&command, None);
        assert_eq!(run.status, 3, "{}{}", run.stdout, run.stderr);
        assert!(seconds < allowed + SLACK, "{seconds} s");
    }
}

/// Deadlocks that are looked for beside the exploration are told as well when a limit ends it.
#[test]
fn deadlocks_are_told_when_a_limit_is_reached() {
    // Behind `take`, `give` never starts; the execution is part of one in which `give` came first.
    let program = "handler h; semaphore s; var x;
        message take { acquire s; } message give { release s; }
        thread a { post give() to h; } thread b { post take() to h; }
        thread c[i in 0..6] { x += i; }";
    for limit in ["--max-executions 2", "--max-executions 50", "--timeout 0.2"] {
        let object = json(program, &format!("--keep-going {limit}"), 1);
        assert_eq!(object["failures"][0]["kind"], "deadlock", "{limit}: {object}");
    }
}

/// What was found before the time is up is told.
#[test]
fn failures_are_told_when_the_time_is_up() {
    let program = "var x; thread a[i in 0..9] { x += i; x += 1; assert x < 40; }";
    let object = json(program, "--keep-going --timeout 0.3", 1);
    assert_eq!(object["verdict"], "violation");
    assert!(object["incomplete_because"].to_string().contains("timeout"), "{object}");
}

/// One race with so many largest reversals that to go through what was left of them took another five seconds.
#[test]
fn the_search_for_reversals_of_one_race_keeps_the_time() {
    let folder = Folder::with("program.ed", include_str!("sixty-messages/many-reversals.ed"));
    let (run, seconds) = folder.mazurka_timed("check program.ed --timeout 2", None);
    assert_eq!(run.status, 3, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("the time limit of 2.0 s was reached"), "{}", run.stdout);
    assert!(seconds < 2.0 + SLACK, "{seconds} s");
}

//! Pages of recorded and of partial traces.

use crate::support::Folder;
use crate::tab::{DESK, Tab};

/// A thread posts a message and writes what the message reads.
const RECORDED: &str = "\
1 START
2 THREADINIT tid:1
3 ATTACH-Q tid:1 queue:5
4 LOOP tid:1
5 THREADINIT tid:2
6 POST src:2 msg:1 dest:1
7 WRITE tid:2 obj:0x10 class:Screen; field:3
8 THREADEXIT tid:2
9 CALL tid:1 msg:1
10 READ tid:1 obj:0x10 class:Screen; field:3
11 RET tid:1 msg:1
";

/// Two threads that each write one variable and read the initial value of the other one.
const IMPOSSIBLE: &str = r#"{"format": "ed-trace/1", "name": "store buffering", "handlers": 2, "vars": 2,
    "messages": [{"h": 0, "init": true, "ev": [["w", 0], ["r", 1, -1]]}, {"h": 1, "init": true, "ev": [["w", 1], ["r", 0, -1]]}],
    "co": [[0], [2]]}"#;

#[test]
fn races_are_shown_the_other_way_round() {
    let folder = Folder::with("trace.txt", RECORDED);
    let run = folder.mazurka("trace races trace.txt --report page.html");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("1 race"), "{}", run.stdout);
    let mut tab = Tab::open(&folder.path("page.html"), DESK);
    assert_eq!(tab.text("h1"), "recorded execution");
    assert_eq!(tab.count(".chip.decides"), 0);
    tab.keys(&["n"]);
    tab.keep("race");
    assert_eq!(tab.count(".chip.decides"), 2, "both sides of the race are marked");
    assert!(tab.text("#head").contains("sees"), "and what it leads to is said");
    assert!(tab.text(".line.here").contains("tid:"), "the trace is the source");
    tab.click(".why .link:last-child");
    assert_eq!(tab.text("h1"), "recorded execution");
}

#[test]
fn a_contradiction_is_a_cycle_and_a_witness_an_execution() {
    let folder = Folder::with("partial.json", IMPOSSIBLE);
    let run = folder.mazurka("trace consistency partial.json --report page.html");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let mut tab = Tab::open(&folder.path("page.html"), DESK);
    assert_eq!(tab.text(".verdict"), "fails");
    assert_eq!(
        tab.count(".arrow.cycle"),
        4,
        "each event comes before the next, and the last before the first"
    );
    // With the write of the other one read, there is an execution.
    folder.write("partial.json", IMPOSSIBLE.replace("[\"r\", 0, -1]", "[\"r\", 0, 0]"));
    let run = folder.mazurka("trace consistency partial.json --report page.html");
    assert_eq!(run.status, 0, "{}", run.stderr);
    tab.load(&folder.path("page.html"));
    assert_eq!(tab.text(".verdict"), "passes");
    assert_eq!(tab.text("h1"), "witness");
    assert_eq!(tab.count(".chip"), 4);
}

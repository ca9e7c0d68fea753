//! Everything that can be wrong in `trace.txt` and `dependence.txt`, with the exact message.

use expect_test::{Expect, expect};
use mazurka_traces::{TraceProgram, load};

/// Operations 2 to 5: thread 1 loops, thread 2 runs.
const HEAD: &str = "1 START\n2 THREADINIT tid:1\n3 ATTACH-Q tid:1 queue:1\n4 FORK par-tid:1 child-tid:2\n\
    5 LOOP tid:1 queue:1\n6 THREADINIT tid:2\n";

fn refused_file(content: &[u8], expected: Expect) {
    let error = load("trace.txt", content, None).expect_err("it is wrong");
    expected.assert_eq(&error.to_string());
}

fn refused(rest: &str, expected: Expect) {
    refused_file(format!("{HEAD}{rest}").as_bytes(), expected);
}

fn accepted(rest: &str) {
    let loaded = load("trace.txt", format!("{HEAD}{rest}").as_bytes(), None);
    let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
    TraceProgram::new(&loaded.trace).expect("it was checked");
}

fn warnings(rest: &str, expected: Expect) {
    let loaded = load("trace.txt", format!("{HEAD}{rest}").as_bytes(), None).expect("it is right");
    let lines: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    expected.assert_eq(&lines.join("\n"));
}

fn refused_edges(edges: &[u8], expected: Expect) {
    let content = format!("{HEAD}7 NOP tid:2\n8 NOP tid:2\n");
    let error = load("trace.txt", content.as_bytes(), Some(("dependence.txt", edges)))
        .expect_err("it is wrong");
    expected.assert_eq(&error.to_string());
}

#[test]
fn indexes() {
    refused(
        "7 NOP tid:2\n7 NOP tid:2\n",
        expect!["trace.txt:8: index 7 is used a second time (first on line 7)"],
    );
    refused(
        "3 NOP tid:2\n",
        expect!["trace.txt:7: index 3 is used a second time (first on line 3)"],
    );
    refused(
        "9 NOP tid:2\n8 NOP tid:2\n",
        expect!["trace.txt:8: index 8 stands after index 9: operations must be in ascending order"],
    );
    refused(
        "-7 NOP tid:2\n",
        expect!["trace.txt:7: index must be a number from 0 to 4294967295, not `-7`"],
    );
    refused(
        "7x NOP tid:2\n",
        expect!["trace.txt:7: index must be a number from 0 to 4294967295, not `7x`"],
    );
    refused(
        "4294967296 NOP tid:2\n",
        expect!["trace.txt:7: index must be a number from 0 to 4294967295, not `4294967296`"],
    );
    accepted("+7 NOP tid:2\n4294967295 NOP tid:2\n");
}

#[test]
fn queues() {
    refused(
        "7 POST src:2 msg:1 dest:1\n8 POST src:2 msg:2 dest:1\n9 CALL tid:1 msg:2\n",
        expect![
            "trace.txt:9: message 2 is called, but message 1 is at the front of the queue of thread 1"
        ],
    );
    refused(
        "7 ATTACH-Q tid:1 queue:1\n",
        expect![
            "trace.txt:7: ATTACH-Q of thread 1 outside CALL and RET: it loops since line 5, so it runs only messages"
        ],
    );
    refused(
        "7 ATTACH-Q tid:2 queue:1\n8 ATTACH-Q tid:2 queue:2\n",
        expect!["trace.txt:8: thread 2 gets a second queue (first on line 7)"],
    );
    refused(
        "7 POST src:2 msg:1 dest:2\n8 ATTACH-Q tid:2 queue:2\n",
        expect![
            "trace.txt:7: message 1 is posted to thread 2, which has no queue yet (no ATTACH-Q before)"
        ],
    );
    refused(
        "7 POST src:2 msg:1 dest:9\n",
        expect![
            "trace.txt:7: message 1 is posted to thread 9, which has no queue yet (no ATTACH-Q before)"
        ],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 POST src:2 msg:1 dest:1\n",
        expect!["trace.txt:8: message 1 is posted a second time (first on line 7)"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n",
        expect!["trace.txt:7: message 1 is posted but never handled: no CALL of it follows"],
    );
    refused(
        "7 CALL tid:1 msg:1\n",
        expect!["trace.txt:7: message 1 is called, but no POST of it stands before"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:1 msg:1\n",
        expect!["trace.txt:8: message 1 never returns: no RET of it follows"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:1 msg:1\n9 RET tid:1 msg:1\n10 CALL tid:1 msg:1\n",
        expect!["trace.txt:10: message 1 is called a second time (first on line 8)"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 POST src:2 msg:2 dest:1\n9 CALL tid:1 msg:1\n10 CALL tid:1 msg:2\n",
        expect!["trace.txt:10: message 2 is called while thread 1 still handles message 1"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:2 msg:1\n",
        expect!["trace.txt:8: message 1 is called on thread 2, but it was posted to thread 1"],
    );
    refused(
        "7 ATTACH-Q tid:2 queue:2\n8 POST src:2 msg:1 dest:2\n9 CALL tid:2 msg:1\n",
        expect![
            "trace.txt:9: message 1 is called on thread 2, which does not loop yet (no LOOP before)"
        ],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:1 msg:1\n9 RET tid:1 msg:2\n",
        expect!["trace.txt:9: message 2 returns, but thread 1 handles message 1"],
    );
    refused(
        "7 RET tid:1 msg:2\n",
        expect!["trace.txt:7: message 2 returns, but thread 1 handles no message"],
    );
    refused(
        "7 RET tid:2 msg:2\n",
        expect!["trace.txt:7: message 2 returns, but thread 2 handles no message"],
    );
}

#[test]
fn threads() {
    refused_file(
        b"2 THREADINIT tid:2\n",
        expect![
            "trace.txt:1: the first operation must be THREADINIT of thread 1, the initial thread"
        ],
    );
    refused_file(b"", expect!["trace.txt: there is no operation in the file"]);
    refused_file(
        b"1 START\nEnd of trace!!\n",
        expect!["trace.txt: there is no operation in the file"],
    );
    refused(
        "7 NOP tid:1\n",
        expect![
            "trace.txt:7: NOP of thread 1 outside CALL and RET: it loops since line 5, so it runs only messages"
        ],
    );
    refused(
        "7 LOOP tid:1\n",
        expect![
            "trace.txt:7: LOOP of thread 1 outside CALL and RET: it loops since line 5, so it runs only messages"
        ],
    );
    refused(
        "7 NOP tid:9\n",
        expect!["trace.txt:7: NOP of thread 9, which has not begun (no THREADINIT before)"],
    );
    refused(
        "7 FORK par-tid:2 child-tid:3\n8 NOP tid:3\n",
        expect!["trace.txt:8: NOP of thread 3, which has not begun (no THREADINIT before)"],
    );
    refused(
        "7 THREADEXIT tid:2\n8 NOP tid:2\n",
        expect!["trace.txt:8: NOP of thread 2, which ended on line 7"],
    );
    refused(
        "7 THREADINIT tid:2\n",
        expect!["trace.txt:7: thread 2 begins a second time (first on line 6)"],
    );
    refused(
        "7 FORK par-tid:2 child-tid:1\n",
        expect!["trace.txt:7: thread 1 is forked, but it began before, on line 2"],
    );
    refused(
        "7 FORK par-tid:2 child-tid:2\n",
        expect!["trace.txt:7: thread 2 is forked a second time (first on line 4)"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:1 msg:1\n9 LOOP tid:1\n",
        expect!["trace.txt:9: LOOP of thread 1 while it handles message 1"],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:1 msg:1\n9 THREADEXIT tid:1\n",
        expect!["trace.txt:9: THREADEXIT of thread 1 while it handles message 1"],
    );
    refused(
        "7 THREADEXIT tid:1\n8 POST src:2 msg:1 dest:1\n",
        expect!["trace.txt:8: POST to the queue of thread 1, which ended on line 7"],
    );
    refused(
        "7 NATIVE-ENTRY tid:3\n8 NATIVE-EXIT tid:3\n9 NOP tid:3\n",
        expect!["trace.txt:9: NOP of thread 3, which has not begun (no THREADINIT before)"],
    );
    accepted("7 THREADINIT tid:3\n8 NOP tid:3\n");
    accepted("7 NATIVE-ENTRY tid:3\n8 NATIVE-EXIT tid:3\n9 NATIVE-ENTRY tid:3\n10 NOP tid:3\n");
}

#[test]
fn locks() {
    refused("7 LOCK tid:2 lock-obj:0x11\n", expect!["trace.txt:7: lock 0x11 is never unlocked"]);
    refused(
        "7 UNLOCK tid:2 lock-obj:0x11\n",
        expect!["trace.txt:7: thread 2 unlocks 0x11, which it does not hold"],
    );
    refused(
        "7 LOCK tid:2 lock-obj:0x11\n8 LOCK tid:2 lock-obj:0x11\n9 UNLOCK tid:2 lock-obj:0x11\n",
        expect!["trace.txt:7: lock 0x11 is never unlocked"],
    );
    refused(
        "7 LOCK tid:2 lock-obj:0x11\n8 UNLOCK tid:2 lock-obj:0x11\n9 UNLOCK tid:2 lock-obj:0x11\n",
        expect!["trace.txt:9: thread 2 unlocks 0x11, which it does not hold"],
    );
    refused(
        "7 THREADINIT tid:3\n8 LOCK tid:2 lock-obj:0x11\n9 LOCK tid:3 lock-obj:0x11\n",
        expect!["trace.txt:9: lock 0x11 is taken by thread 3, but thread 2 holds it since line 8"],
    );
    refused(
        "7 THREADINIT tid:3\n8 LOCK tid:2 lock-obj:0x11\n9 UNLOCK tid:3 lock-obj:0x11\n",
        expect!["trace.txt:9: thread 3 unlocks 0x11, which it does not hold"],
    );
    refused(
        "7 LOCK tid:2 lock-obj:0x11\n8 THREADEXIT tid:2\n",
        expect![
            "trace.txt:8: lock 0x11 is still held at the THREADEXIT of thread 2; what takes a lock must give it back"
        ],
    );
    refused(
        "7 ATTACH-Q tid:2 queue:2\n8 LOCK tid:2 lock-obj:0x11\n9 LOOP tid:2\n",
        expect![
            "trace.txt:9: lock 0x11 is still held at the LOOP of thread 2; what takes a lock must give it back"
        ],
    );
    refused(
        "7 POST src:2 msg:1 dest:1\n8 CALL tid:1 msg:1\n9 LOCK tid:1 lock-obj:0x11\n10 RET tid:1 msg:1\n",
        expect![
            "trace.txt:10: lock 0x11 is still held at the RET of thread 1; what takes a lock must give it back"
        ],
    );
    accepted(
        "7 LOCK tid:2 lock-obj:0x11\n8 LOCK tid:2 lock-obj:0x11\n9 UNLOCK tid:2 lock-obj:0x11\n10 UNLOCK tid:2 lock-obj:0x11\n",
    );
}

#[test]
fn notifications() {
    refused(
        "7 WAIT tid:2\n",
        expect!["trace.txt:7: thread 2 waits, but nothing has notified it before"],
    );
    refused(
        "7 NOTIFY tid:2 notifiedTid:2\n8 WAIT tid:2\n9 WAIT tid:2\n",
        expect!["trace.txt:9: thread 2 waits, but nothing has notified it before"],
    );
    refused(
        "7 NOTIFY tid:2 notifiedTid:77\n",
        expect!["trace.txt:7: NOTIFY of thread 77, which is nowhere in the trace"],
    );
    accepted("7 NOTIFY tid:2 notifiedTid:2\n8 WAIT tid:2\n");
}

#[test]
fn lines() {
    refused(
        "7 POST src:2 msg:1\n",
        expect!["trace.txt:7: the line ends too early: POST needs dest"],
    );
    refused(
        "7 READ tid:2 obj:0x1 class:a;\n",
        expect!["trace.txt:7: the line ends too early: READ needs field"],
    );
    refused("7 READ tid:2\n", expect!["trace.txt:7: the line ends too early: READ needs obj"]);
    refused("7 NOP\n", expect!["trace.txt:7: the line ends too early: NOP needs tid"]);
    refused("7 NOP 2\n", expect!["trace.txt:7: expected `tid:...`, found `2`"]);
    refused(
        "7 NOP tid:-2\n",
        expect!["trace.txt:7: tid must be a number from 0 to 4294967295, not `-2`"],
    );
    refused(
        "7 NOP tid:two\n",
        expect!["trace.txt:7: tid must be a number from 0 to 4294967295, not `two`"],
    );
    refused("7 NOP  tid:2\n", expect!["trace.txt:7: expected `tid:...`, found ``"]);
    refused(
        "7 FORK par-tid:2 child-tid:4294967296\n",
        expect!["trace.txt:7: child-tid must be a number from 0 to 4294967295, not `4294967296`"],
    );
    refused(
        "7 LOCK tid:2 lock-obj:0xzz\n",
        expect![
            "trace.txt:7: lock-obj must be a number from 0 to 18446744073709551615, not `0xzz`"
        ],
    );
    refused(
        "7 LOCK tid:2 lock-obj:-1\n",
        expect!["trace.txt:7: lock-obj must be a number from 0 to 18446744073709551615, not `-1`"],
    );
    refused(
        "7 LOCK tid:2 lock-obj:0x11112222333344445\n",
        expect![
            "trace.txt:7: lock-obj must be a number from 0 to 18446744073709551615, not `0x11112222333344445`"
        ],
    );
    refused(
        "7 ENABLE-WINDOW-FOCUS tid:2 windowHash:x\n",
        expect!["trace.txt:7: windowHash must be a number, not `x`"],
    );
    refused_file(
        &[HEAD.as_bytes(), b"7 NOP tid:2\xff\n"].concat(),
        expect!["trace.txt:7: the line is not UTF-8 text"],
    );
    accepted(
        "7 ENABLE-WINDOW-FOCUS tid:2 windowHash:-5\r\n8 LOCK tid:2\t lock-obj:021 \n9 UNLOCK tid:2 lock-obj:17\n",
    );
    accepted(
        "7 FORK par-tid:2 child-tid:4294967295\n8 THREADINIT tid:4294967295\n9 NOP tid:4294967295\n",
    );
}

#[test]
fn what_is_ignored_is_said() {
    warnings(
        "7 JOIN tid:2\n8 DANCE tid:2\nEND of file\n\n9\n",
        expect![[r#"
            line 7: JOIN is ignored: nothing waits for the end of a thread
            line 8: unknown keyword `DANCE`; the line is ignored
            line 9: not an operation; the line is ignored
            line 11: not an operation; the line is ignored"#]],
    );
    warnings(
        "7 NOP tid:2 and more\n8 THREADEXIT tid:1\n9 FORK par-tid:2 child-tid:3\n",
        expect![[r#"
            line 7: the end of the line is ignored: `and more`
            line 8: THREADEXIT of thread 1 is left out: it loops, and a looper does not end
            line 9: thread 3 is forked, but it never begins"#]],
    );
}

#[test]
fn dependences() {
    refused_edges(
        b"src:1 dest:7\n",
        expect!["dependence.txt:1: dependence 1 -> 7: there is no operation with index 1"],
    );
    refused_edges(
        b"src:7 dest:99\n",
        expect!["dependence.txt:1: dependence 7 -> 99: there is no operation with index 99"],
    );
    refused_edges(
        b"src:6 dest:7\nsrc:8 dest:7\n",
        expect!["dependence.txt:2: dependence 8 -> 7: the recorded order has 7 before 8"],
    );
    refused_edges(
        b"src:7 dest:7\n",
        expect!["dependence.txt:1: dependence 7 -> 7: the recorded order has 7 before 7"],
    );
    refused_edges(
        b"src:6 des",
        expect![
            "dependence.txt:1: a dependence is written `src:<index> dest:<index>`, not `src:6 des`"
        ],
    );
    refused_edges(
        b"src:6\n",
        expect![
            "dependence.txt:1: a dependence is written `src:<index> dest:<index>`, not `src:6`"
        ],
    );
    refused_edges(
        b"src:-6 dest:7\n",
        expect!["dependence.txt:1: src must be a number from 0 to 4294967295, not `-6`"],
    );
    refused_edges(
        b"src:6 dest:7x\n",
        expect!["dependence.txt:1: dest must be a number from 0 to 4294967295, not `7x`"],
    );
    refused_edges(b"src:\xff dest:7\n", expect!["dependence.txt:1: the line is not UTF-8 text"]);
    let content = format!("{HEAD}7 THREADEXIT tid:1\n8 NOP tid:2\n");
    let edges = Some(("dependence.txt", &b"src:7 dest:8\n"[..]));
    let error =
        load("trace.txt", content.as_bytes(), edges).expect_err("the exit of a looper never runs");
    expect![
        "dependence.txt:1: dependence 7 -> 8: operation 7 never runs again after the recorded order"
    ]
    .assert_eq(&error.to_string());
}

#[test]
fn dependences_end_at_an_empty_line() {
    let content = format!("{HEAD}7 NOP tid:2\n8 NOP tid:2\n");
    let edges = Some(("dependence.txt", &b"src:6 dest:7\nsrc:6 dest:7\n\nsrc:6 dest:8\n"[..]));
    let loaded = load("trace.txt", content.as_bytes(), edges).expect("it is right");
    assert_eq!(loaded.trace.dependence_set(), [(6, 7)]);
    expect!["line 4: the dependence is ignored: the file ends for the reader at the empty line 3"]
        .assert_eq(&loaded.warnings.last().expect("the fourth line is ignored").to_string());
}

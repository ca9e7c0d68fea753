//! Removal of empty handlers.

use crate::common::samples;
use crate::driver::drive_recorded;
use expect_test::expect;
use mazurka_traces::{TraceProgram, cleanup::remove_empty_handlers, format::text, load};

/// Message 1 only posts 2, which only posts 3 (through a thread that waits); 4 reads.
const TRACE: &str = "\
2 THREADINIT tid:1
3 ATTACH-Q tid:1 queue:1
4 LOOP tid:1
5 THREADINIT tid:2
6 POST src:2 msg:1 dest:1
7 NATIVE-POST src:2 msg:4 dest:1
8 CALL tid:1 msg:1
9 POST src:1 msg:2 dest:1
10 RET tid:1 msg:1
11 CALL tid:1 msg:4
12 READ tid:1 obj:0x1 class:a; field:1
13 RET tid:1 msg:4
14 CALL tid:1 msg:2
15 FORK par-tid:1 child-tid:3
16 THREADINIT tid:3
17 DELAY-POST src:3 msg:3 dest:1
18 RET tid:1 msg:2
19 CALL tid:1 msg:3
20 RET tid:1 msg:3
21 THREADEXIT tid:3
";

#[test]
fn empty_messages_go_with_everything_that_only_posts_them() {
    let trace = load("trace.txt", TRACE.as_bytes(), None).expect("it is right").trace;
    let (cleaned, removed) = remove_empty_handlers(&trace);
    assert_eq!(removed, 3);
    expect![[r#"
        1 START
        2 THREADINIT tid:1
        3 ATTACH-Q tid:1 queue:1
        4 LOOP tid:1
        5 THREADINIT tid:2
        7 NATIVE-POST src:2 msg:4 dest:1
        11 CALL tid:1 msg:4
        12 READ tid:1 obj:0x1 class:a; field:1
        13 RET tid:1 msg:4
    "#]]
    .assert_eq(&text::write_trace(&cleaned).expect("it came from text"));
}

#[test]
fn a_dependence_keeps_its_ends() {
    let edges = "src:20 dest:21\n";
    let trace = load("trace.txt", TRACE.as_bytes(), Some(("d", edges.as_bytes())))
        .expect("it is right")
        .trace;
    let (cleaned, removed) = remove_empty_handlers(&trace);
    assert_eq!(removed, 0, "message 3 returns before something, and 1 and 2 lead to it");
    assert!(cleaned.same_content(&trace));
}

#[test]
fn published_traces_of_applications_have_no_empty_handlers() {
    for sample in samples() {
        let trace = sample.load().trace;
        let (cleaned, removed) = remove_empty_handlers(&trace);
        assert!(removed == 0 || !sample.name.starts_with("app-"), "{}", sample.name);
        let program = TraceProgram::new(&cleaned).expect("it stays right");
        assert_eq!(drive_recorded(&program), cleaned.operations.len());
    }
}

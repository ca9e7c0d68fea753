//! What one sees and does in a page: lanes, steps, source, state, order, lists.

use crate::support::Folder;
use crate::tab::{DESK, Look, PHONE, Tab};
use serde_json::json;

pub const CLOSED_SCREEN: &str = include_str!("../../../../programs/examples/closed-screen.ed");
const TWO_PHASE: &str = include_str!("../../../../programs/examples/two-phase-commit.ed");

/// The page of a program.
fn page(program: &str, flags: &str) -> Folder {
    let folder = Folder::with("program.ed", program);
    let run = folder.mazurka(&format!("check program.ed --report page.html {flags}"));
    assert!(run.status < 2, "{}", run.stderr);
    folder
}

fn opened(folder: &Folder, look: Look) -> Tab {
    Tab::open(&folder.path("page.html"), look)
}

/// The words of the current event, without the mark that it decides.
fn current(tab: &mut Tab) -> String {
    let words = tab.eval("document.querySelector('.chip.current').firstChild.data");
    words.as_str().expect("words").to_owned()
}

#[test]
fn a_failure_is_shown_where_it_happens() {
    let folder = page(CLOSED_SCREEN, "--no-shorten");
    let mut tab = opened(&folder, DESK);
    tab.keep("closed-screen");
    assert_eq!(tab.text("h1"), "assertion: drawing on a closed screen");
    assert_eq!(current(&mut tab), "read open = 0");
    assert_eq!(tab.count(".chip.bad.current"), 1);
    assert_eq!(tab.count(".box"), 2, "a box for each message");
    assert_eq!(tab.count(".arrow.post"), 2, "an arrow from each post");
    assert!(tab.text(".line.here").contains("assert open == 1"));
    assert!(tab.text("#state .values").contains("open"));
    let fault = tab.text("#step .wrong");
    assert!(fault.contains("open = 0, written by close() on ui"), "{fault}");
}

#[test]
fn keys_go_step_by_step() {
    let folder = page(CLOSED_SCREEN, "--no-shorten");
    let mut tab = opened(&folder, DESK);
    assert_eq!(tab.text("#where"), "7 / 7");
    tab.keys(&["ArrowLeft"]);
    assert_eq!(tab.text("#where"), "6 / 7");
    assert_eq!(current(&mut tab), "start show(42)");
    tab.keys(&["Home"]);
    assert_eq!(tab.text("#step h2"), "Before the first step");
    assert_eq!(tab.text(".values .cell"), "1", "the initial value of `open`");
    tab.keys(&["ArrowRight", "j", "ArrowDown", "ArrowDown", "ArrowDown"]);
    assert_eq!(current(&mut tab), "open = 0 ∎");
    assert_eq!(tab.text(".values .cell.new b"), "0");
    assert_eq!(tab.text(".values .cell.new s"), "1", "what it was before");
    tab.keys(&["K"]);
    assert_eq!(current(&mut tab), "start close()", "the event of the same task before it");
    tab.keys(&["f"]);
    assert_eq!(tab.text("#where"), "7 / 7");
    tab.keys(&["?"]);
    assert_eq!(tab.eval("document.querySelector('#help').open"), json!(true));
}

#[test]
fn clicks_and_the_pointer_do_the_same() {
    let folder = page(CLOSED_SCREEN, "--no-shorten");
    let mut tab = opened(&folder, DESK);
    tab.click("#previous");
    assert_eq!(tab.text("#where"), "6 / 7");
    tab.click("[data-event='1']");
    assert_eq!(tab.text("#where"), "2 / 7");
    assert!(tab.text(".queues").contains("close()"), "it waits in the mailbox");
    // What happens before the write of `open` is bright, what has no order with it is not.
    tab.point("[data-event='4']");
    tab.keep("closed-screen-order");
    let classes = |tab: &mut Tab, event: usize| {
        let found =
            tab.eval(&format!("document.querySelector('[data-event=\"{event}\"]').className"));
        found.as_str().expect("classes").to_owned()
    };
    assert!(classes(&mut tab, 0).contains("past"), "the read conflicts with the write");
    assert!(classes(&mut tab, 1).contains("past"));
    assert!(classes(&mut tab, 3).contains("unrelated"));
    assert!(classes(&mut tab, 6).contains("future"));
    tab.point("h1");
    assert_eq!(tab.count(".unrelated"), 0);
}

#[test]
fn a_two_phase_commit_shows_who_decided_what() {
    let folder = page(TWO_PHASE, "--no-shorten");
    let mut tab = opened(&folder, Look { width: 1500, height: 1000, dark: false });
    tab.keep("two-phase-commit");
    let fault = tab.text("#step .wrong");
    assert!(fault.contains("outcome[1] = 1, written by commit(1) on participant[1]"), "{fault}");
    assert!(fault.contains("outcome[0] = 2, written by commit(0) on participant[0]"), "{fault}");
    let state = tab.text("#state .values");
    assert!(state.contains("outcome") && state.contains("prepared"), "{state}");
    assert!(tab.text(".group").contains("participant × 2"));
    tab.click(".group");
    assert_eq!(tab.count(".head"), 4, "client, fate, both participants as one, coordinator");
    tab.keep("two-phase-commit-collapsed");
}

#[test]
fn several_executions_are_in_one_page() {
    let folder = page(TWO_PHASE, "--keep-going --no-shorten");
    let mut tab = opened(&folder, DESK);
    let list = tab.text("#list");
    assert!(list.contains("Failing") && list.contains("Passing"), "{list}");
    tab.keys(&["n"]);
    assert_eq!(tab.text(".verdict"), "passes");
    tab.click("[data-execution='0']");
    assert_eq!(tab.text(".verdict"), "fails");
}

#[test]
fn a_program_that_is_safe_has_a_page_too() {
    let folder = page("var x;\nthread a { x = 1; }\nthread b { x = 2; }\n", "");
    let mut tab = opened(&folder, DESK);
    assert_eq!(tab.text(".verdict"), "passes");
    assert_eq!(tab.count("#list .item"), 2);
}

#[test]
fn a_deadlock_shows_who_waits() {
    let program = "mutex a;\nmutex b;\n\
        thread left { lock a; lock b; unlock b; unlock a; }\n\
        thread right { lock b; lock a; unlock a; unlock b; }\n";
    let folder = page(program, "");
    let mut tab = opened(&folder, DESK);
    tab.keep("deadlock");
    let shown = tab.text("#plane");
    assert!(shown.contains("left waits for lock b, held by right"), "{shown}");
    let state = tab.text("#state .values");
    assert!(state.contains("left") && state.contains("right"), "who holds what: {state}");
}

#[test]
fn loops_are_folded_and_unfold() {
    let program = "var x;\nthread t { for i in 0..40 { x = x + 1; } assert x == 41; }\n";
    let folder = page(program, "");
    let mut tab = opened(&folder, DESK);
    tab.keep("folded");
    assert_eq!(tab.count(".fold"), 1);
    assert!(tab.text(".fold").contains("more rounds of the same"));
    tab.keys(&["Home", "ArrowRight", "ArrowRight", "ArrowRight"]);
    assert!(tab.count(".fold.current") == 1, "what is folded is one step");
    tab.click(".fold button");
    assert_eq!(tab.count(".fold"), 0);
}

#[test]
fn it_is_readable_in_the_dark() {
    let folder = page(CLOSED_SCREEN, "--no-shorten");
    let mut tab = opened(&folder, Look { dark: true, ..DESK });
    tab.keep("dark");
    let background = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(tab.eval(background), json!("rgb(15, 19, 24)"));
    tab.keys(&["t"]);
    assert_eq!(tab.eval(background), json!("rgb(255, 255, 255)"), "light, because one said so");
}

#[test]
fn it_fits_on_a_phone() {
    let folder = page(CLOSED_SCREEN, "--keep-going --no-shorten");
    let mut tab = opened(&folder, PHONE);
    tab.keep("phone");
    let overflow = "document.documentElement.scrollWidth - innerWidth";
    assert_eq!(tab.eval(overflow), json!(0), "nothing sticks out");
    tab.click("#tabs button:nth-child(3)");
    tab.keep("phone-source");
    assert!(tab.text(".line.here").contains("assert"));
    tab.click("#tabs button:nth-child(2)");
    assert!(tab.text("#state").contains("open"));
    tab.click("#previous");
    assert_eq!(tab.text("#where"), "6 / 7");
    assert_eq!(tab.eval(overflow), json!(0));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let folder = page(CLOSED_SCREEN, "--no-shorten");
    let html = folder.read("page.html");
    for external in ["src=", "http://", "https://", "@import", "url(h"] {
        let found = html.replace("http://www.w3.org/2000/svg", "").contains(external);
        assert!(!found, "the page contains {external}");
    }
    let mut tab = opened(&folder, DESK);
    assert_eq!(tab.eval("performance.getEntriesByType('resource').length"), json!(0));
}

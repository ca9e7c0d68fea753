//! How executions look to people: a snapshot of every form an account takes.

use crate::common::*;
use expect_test::{Expect, expect};
use mazurka_engine::{Action, Ending, Mode, Recording, Variable};
use mazurka_report::{AccountOptions, Palette, account};

fn check(recording: &Recording, options: AccountOptions, expected: Expect) {
    let text = account(recording, &options);
    for line in text.lines() {
        assert_eq!(line, line.trim_end(), "no line ends in spaces");
    }
    // Snapshots lose indentation that all of their lines have; this line has none.
    expected.assert_eq(&format!("account:\n{text}"));
}

#[test]
fn a_lost_update_in_columns() {
    check(
        &lost_update(),
        AccountOptions::default(),
        expect![[r#"
            account:
              step  left        right       lost.ed
              ─────────────────────────────────────
                 1  read x = 0              3:5
                 2              read x = 0  3:5
                 3  x = 1 ∎                 3:5
                 4              x = 1 ∎     3:5
              ∎ the last event of its thread or message
              the execution is complete
                  ✗ assertion: x == 2 is false (lost.ed:9:12)
        "#]],
    );
}

#[test]
fn a_failing_step_is_marked() {
    check(
        &failing_message(),
        AccountOptions::default(),
        expect![[r#"
            account:
              step  poster[0]             other      h               lost.ed
              ──────────────────────────────────────────────────────────────
                 1  post first(0) to h ∎                             4:5
                 2                                   start first(0)  6:5
                 3                        x: 0 -> 3                  5:5
            ✗    4                                   read x = 3      7:5
                  ✗ assertion: x == 0 is false, "<b>no & never</b>" (lost.ed:9:12)
              ∎ the last event of its thread or message
        "#]],
    );
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    check(
        &deadlock(),
        AccountOptions::default(),
        expect![[r#"
            account:
              step  left    right   lost.ed
              ─────────────────────────────
                 1  lock a          3:5
                 2          lock b  3:5
            ✗ deadlock: nothing can move any more
                    left waits for lock b, held by right
                    right waits for lock a, held by left
        "#]],
    );
}

#[test]
fn a_narrow_terminal_gets_a_list() {
    let options = AccountOptions { width: 44, ..AccountOptions::default() };
    check(
        &failing_message(),
        options,
        expect![[r#"
            account:
              1  poster[0]    post first(0) to h ∎ (4:5)
              2  h: first(0)  start first(0) (6:5)
              3  other        x: 0 -> 3 (5:5)
            ✗ 4  h: first(0)  read x = 3 (7:5)
                  ✗ assertion: x == 0 is false, "<b>no &
                    never</b>" (lost.ed:9:12)
              ∎ the last event of its thread or message
        "#]],
    );
}

#[test]
fn long_cells_are_broken_before_the_table_is_given_up() {
    let mut event = thread("left", 3, Action::Plain);
    for at in 0..4 {
        event = touching(event, Mode::Write, &format!("cell[{at}]"), (0, at));
    }
    let recording = Recording {
        events: vec![event, thread("right", 4, Action::Plain)],
        variables: (0..4)
            .map(|at| Variable { name: format!("cell[{at}]"), initial: Some(0) })
            .collect(),
        ..Recording::default()
    };
    let options = AccountOptions { width: 70, ..AccountOptions::default() };
    check(
        &recording,
        options,
        expect![[r#"
            account:
              step  left                                  right  lost.ed
              ──────────────────────────────────────────────────────────
                 1  atomic { cell[0] = 0; cell[1] = 1;           3:5
                    cell[2] = 2; cell[3] = 3 }
                 2                                        step   4:5
        "#]],
    );
}

#[test]
fn only_the_last_steps_of_a_long_execution_are_shown() {
    let options = AccountOptions { last: Some(2), ..AccountOptions::default() };
    check(
        &lost_update(),
        options,
        expect![[r#"
            account:
            … 2 earlier steps left out; --all-steps shows them
              step  left     right    lost.ed
              ───────────────────────────────
                 3  x = 1 ∎           3:5
                 4           x = 1 ∎  3:5
              ∎ the last event of its thread or message
              the execution is complete
                  ✗ assertion: x == 2 is false (lost.ed:9:12)
        "#]],
    );
}

#[test]
fn executions_that_an_assume_or_a_bound_ends_say_so() {
    let ended = |ending| Recording { ending: Some(ending), ..Recording::default() };
    check(
        &ended(Ending::Blocked),
        AccountOptions::default(),
        expect![[r#"
        account:
          no event has happened
          an assume is false, or a loop waits: the execution is blocked
    "#]],
    );
    check(
        &ended(Ending::Truncated),
        AccountOptions::default(),
        expect![[r#"
        account:
          no event has happened
          a loop reached its bound: the execution is cut
    "#]],
    );
}

#[test]
fn threads_of_one_name_have_columns_of_their_own() {
    let with_path = |path: &str| {
        let mut event = thread("worker(1)", 3, Action::Plain);
        event.path = path.to_owned();
        event
    };
    let recording = Recording {
        events: vec![with_path("main.1"), with_path("main.2")],
        ..Recording::default()
    };
    check(
        &recording,
        AccountOptions::default(),
        expect![[r#"
            account:
              step  worker(1) [main.1]  worker(1) [main.2]  lost.ed
              ─────────────────────────────────────────────────────
                 1  step                                    3:5
                 2                      step                3:5
        "#]],
    );
}

#[test]
fn colours_change_nothing_but_colours() {
    let recording = failing_message();
    let coloured = account(
        &recording,
        &AccountOptions { palette: Palette::COLOURS, ..AccountOptions::default() },
    );
    let mut plain = String::new();
    for (at, part) in coloured.split('\u{1b}').enumerate() {
        let text = if at == 0 { part } else { part.split_once('m').expect("a colour ends in m").1 };
        plain.push_str(text);
    }
    let lines = |text: &str| text.lines().map(|l| l.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&plain), lines(&account(&recording, &AccountOptions::default())));
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31m"), "failures are red");
}

//! Params and mailboxes given from outside.

use crate::support::program_with;
use expect_test::expect;
use mazurka_engine::{HandlerId, Mailbox, Program, Run};
use mazurka_lang::{Options, compile};

const TEXT: &str = "param n = 2; param size = n * n; mailbox multiset; handler d; handler f: fifo; handler m: multiset; var a[size];";

fn with_params(params: &[(&str, i64)]) -> Options {
    Options {
        params: params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        ..Options::default()
    }
}

#[test]
fn params_are_replaced_and_used_by_later_ones() {
    let program = program_with(TEXT, &Options::default());
    assert_eq!(program.params(), [("n".to_owned(), 2), ("size".to_owned(), 4)]);
    let program = program_with(TEXT, &with_params(&[("n", 5), ("n", 3)]));
    assert_eq!(program.params(), [("n".to_owned(), 3), ("size".to_owned(), 9)]);
    let program = program_with(TEXT, &with_params(&[("size", 1)]));
    assert_eq!(program.params(), [("n".to_owned(), 2), ("size".to_owned(), 1)]);
    assert_eq!(program.name(), "test");
}

#[test]
fn a_replaced_param_does_not_need_its_default() {
    let text = "param n = 1 / 0; var a[n];";
    assert!(compile("t.ed", text, &Options::default()).is_err());
    assert!(compile("t.ed", text, &with_params(&[("n", 1)])).is_ok());
}

#[test]
fn unknown_params_are_refused() {
    let errors = compile("t.ed", TEXT, &with_params(&[("sise", 1), ("zzz", 1)])).unwrap_err();
    expect![[r#"
        error: the program has no param `sise`
          = help: did you mean `size`?

        error: the program has no param `zzz`
          = help: its params are `n`, `size`

    "#]]
    .assert_eq(&errors.render(false));
    let errors = compile("t.ed", "", &with_params(&[("n", 1)])).unwrap_err();
    expect![[r#"
        error: the program has no param `n`
          = help: it has no params

    "#]]
    .assert_eq(&errors.render(false));
}

#[test]
fn the_override_changes_the_default_only() {
    use Mailbox::{Fifo, Multiset};
    let policies = |text: &str, mailbox| {
        let program = program_with(text, &Options { mailbox, ..Options::default() });
        let run = program.start();
        let policies: Vec<Mailbox> =
            (0..3).map(|handler| run.mailbox(HandlerId(handler))).collect();
        assert_eq!(program.has_mailbox(Fifo), policies.contains(&Fifo));
        assert_eq!(program.has_mailbox(Multiset), policies.contains(&Multiset));
        (program.mailbox(), policies)
    };
    assert_eq!(policies(TEXT, None), (Multiset, vec![Multiset, Fifo, Multiset]));
    assert_eq!(policies(TEXT, Some(Fifo)), (Fifo, vec![Fifo, Fifo, Multiset]));
    let without = "handler d; handler f: fifo; handler g;";
    assert_eq!(policies(without, None), (Fifo, vec![Fifo, Fifo, Fifo]));
    assert_eq!(policies(without, Some(Multiset)), (Multiset, vec![Multiset, Fifo, Multiset]));
}

#[test]
fn initial_values_are_computed_from_the_indices() {
    let program = program_with(
        "param n = 3; var a[i in 0..n][j in 0..2] = (i + j) % 2; var b[i in 2..4] = 10 * i; var c[2] = n; var d = -1, e;",
        &Options::default(),
    );
    let run = program.start();
    let values: Vec<i64> =
        (0..12).map(|object| run.value(mazurka_engine::ObjectId(object))).collect();
    assert_eq!(values, [0, 1, 1, 0, 0, 1, 20, 30, 3, 3, -1, 0]);
}

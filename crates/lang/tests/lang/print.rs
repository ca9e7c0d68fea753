//! Syntax trees back to source.

use crate::generate::{Random, program as random_program};
use crate::support::{Driver, program_with};
use expect_test::expect;
use mazurka_lang::ast::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use mazurka_lang::{Options, Source, parse};

fn printed(text: &str) -> String {
    parse(&Source::new("t.ed", text))
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .to_string()
}

const EVERYTHING: &str = r#"
    param n = 3; mailbox multiset; var x = -1; var a[n][i in 1..n] = (i + 2) * 3; mutex m, k[2]; handler h; handler g[2]: fifo;
    message first(p, q) { let a = p; a = a - (q - 1) - 2; x += a; x -= 1; post second() to g[1]; return; }
    message second { }
    task w(p) { fork w(p - 1); let v = fork w(1); join v; v = fork w(2); }
    thread t[i in 0..n] { lock m; unlock m; with k[0] { if x == 1 { } else if !x { x = 2; } else { x = 3; } } join t[0]; }
    thread u { while x < 3 && true || false { for i in 0..n { { let b = 1; } } } assert x, "a \"b\" \\ \n"; assert -x < -(1); assume !(x == 1);
               atomic { x = min(x, max(1, 2)); } cas(x, 1, 2); let c = swap(a[0][1], fetch_add(x, 1)); }
    finally { assert x == 1; }
"#;

#[test]
fn everything_is_printed() {
    expect![[r#"
        param n = 3;
        mailbox multiset;
        var x = -1;
        var a[n][i in 1..n] = (i + 2) * 3;
        mutex m;
        mutex k[2];
        handler h;
        handler g[2]: fifo;
        message first(p, q) {
            let a = p;
            a = a - (q - 1) - 2;
            x += a;
            x -= 1;
            post second() to g[1];
            return;
        }
        message second() { }
        task w(p) {
            fork w(p - 1);
            let v = fork w(1);
            join v;
            v = fork w(2);
        }
        thread t[i in 0..n] {
            lock m;
            unlock m;
            with k[0] {
                if x == 1 { } else if !x {
                    x = 2;
                } else {
                    x = 3;
                }
            }
            join t[0];
        }
        thread u {
            while x < 3 && true || false {
                for i in 0..n {
                    {
                        let b = 1;
                    }
                }
            }
            assert x, "a \"b\" \\ \n";
            assert -x < -(1);
            assume !(x == 1);
            atomic {
                x = min(x, max(1, 2));
            }
            cas(x, 1, 2);
            let c = swap(a[0][1], fetch_add(x, 1));
        }
        finally {
            assert x == 1;
        }
    "#]]
    .assert_eq(&printed(EVERYTHING));
}

#[test]
fn printing_and_parsing_again_changes_nothing() {
    let once = printed(EVERYTHING);
    assert_eq!(printed(&once), once);
    for seed in 0..100 {
        let text = random_program(&mut Random::new(seed));
        let once = printed(&text);
        assert_eq!(printed(&once), once, "seed {seed}");
    }
}

/// What the first task that can move does, up to 60 events.
fn account(text: &str) -> String {
    let program = program_with(text, &Options { unroll: 3, ..Options::default() });
    let mut driver = Driver::new(&program);
    for _ in 0..60 {
        let Some(task) = driver.enabled().first().copied() else {
            break;
        };
        driver.step(task);
    }
    driver.account()
}

#[test]
fn a_printed_program_does_the_same() {
    // Messages of failures quote the source, so only programs without asserts compare exactly.
    for seed in 0..60 {
        let text =
            random_program(&mut Random::new(seed)).replace("finally { assert x + y < 1000; }", "");
        let events = |text: &str| -> String {
            account(text)
                .lines()
                .map(|line| line.split(" !").next().unwrap_or("").to_owned() + "\n")
                .collect()
        };
        assert_eq!(events(&text), events(&printed(&text)), "seed {seed}");
    }
}

#[test]
fn trees_that_were_built_keep_their_meaning() {
    let number = |value| Expression::new(ExpressionKind::Integer(value));
    let negated =
        |inner| Expression::new(ExpressionKind::Unary(UnaryOperator::Negate, Box::new(inner)));
    let minus = |left, right| {
        Expression::new(ExpressionKind::Binary(
            BinaryOperator::Subtract,
            Box::new(left),
            Box::new(right),
        ))
    };
    let or = |left, right| {
        Expression::new(ExpressionKind::Binary(BinaryOperator::Or, Box::new(left), Box::new(right)))
    };
    assert_eq!(minus(number(1), minus(number(2), number(-3))).to_string(), "1 - (2 - -3)");
    assert_eq!(minus(minus(number(1), number(2)), number(3)).to_string(), "1 - 2 - 3");
    assert_eq!(negated(number(-1)).to_string(), "-(-1)");
    assert_eq!(negated(negated(minus(number(1), number(2)))).to_string(), "--(1 - 2)");
    assert_eq!(
        minus(or(number(1), number(0)), number(i64::MIN)).to_string(),
        "(1 || 0) - -9223372036854775808"
    );
}

//! No input makes the tool panic, hang or grow without bound.

use crate::generate::{Random, program as random_program};
use crate::support::Driver;
use mazurka_engine::{Next, Program, Run, Step, TaskId};
use mazurka_lang::{MAX_ERRORS, Options, compile};
use std::time::{Duration, Instant};

/// The aim is a second; a machine that does other things besides gets more.
const TIME: Duration = Duration::from_secs(5);

/// Compiles anything; what it says must be showable.
fn feed(text: &str) -> usize {
    match compile("x.ed", text, &Options::default()) {
        Ok(_) => 0,
        Err(errors) => {
            assert!(!errors.render(true).is_empty());
            assert!(errors.errors().len() <= MAX_ERRORS);
            errors.errors().len()
        }
    }
}

#[test]
fn ten_megabytes_of_nonsense_are_refused_quickly() {
    let mut random = Random::new(7);
    let size = 10 << 20;
    let letters: String = (0..size).map(|_| char::from(b' ' + random.below(95) as u8)).collect();
    let one_line = "a ".repeat(size / 2);
    let signs = "$".repeat(size);
    let blocks = "thread t { ".repeat(size / 11);
    let parentheses = format!("var x = {}", "(".repeat(size));
    let brackets = format!("thread t {{ x{}", "[x".repeat(size / 2));
    let sum = format!("var x = {}1;", "1 + ".repeat(size / 4));
    let minus = format!("var x = {}1;", "-".repeat(size));
    let quotes = "\"\n".repeat(size / 2);
    let comments = "/*".repeat(size / 2);
    let stars = format!("/*{}", "*".repeat(size));
    let lines = "thread\n".repeat(size / 7);
    for text in [
        letters,
        one_line,
        signs,
        blocks,
        parentheses,
        brackets,
        sum,
        minus,
        quotes,
        comments,
        stars,
        lines,
    ] {
        let start = Instant::now();
        assert!(feed(&text) > 0);
        let elapsed = start.elapsed();
        assert!(elapsed < TIME, "{elapsed:?} for {}…", &text[..20]);
    }
}

#[test]
fn nesting_is_bounded_and_generous() {
    for depth in [150, 500, 100_000] {
        let expression =
            format!("var x; thread t {{ x = {}x{}; }}", "(".repeat(depth), ")".repeat(depth));
        let unary = format!("var x; thread t {{ x = {}x; }}", "!".repeat(depth));
        let blocks = format!("thread t {{ {} {} }}", "{ ".repeat(depth), "} ".repeat(depth));
        let ifs = format!("thread t {{ {} {} }}", "if 1 { ".repeat(depth), "} ".repeat(depth));
        let calls =
            format!("var x; thread t {{ x = {}x{}; }}", "min(1, ".repeat(depth), ")".repeat(depth));
        let indices = format!(
            "var a[2]; thread t {{ a[0] = {}0{}; }}",
            "a[".repeat(depth),
            "]".repeat(depth)
        );
        for text in [expression, unary, blocks, ifs, calls, indices] {
            let errors = feed(&text);
            assert_eq!(
                errors == 0,
                depth == 150,
                "{errors} errors at depth {depth}: {}…",
                &text[..60]
            );
        }
    }
    let sum = format!("var x; thread t {{ x = {}1; }}", "x + ".repeat(350));
    assert_eq!(feed(&sum), 0);
    let branches =
        format!("var x; thread t {{ if x == 0 {{ }} {} }}", "else if x == 1 { } ".repeat(5000));
    assert_eq!(feed(&branches), 0);
}

#[test]
fn mutated_programs_never_panic() {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        ";",
        "=",
        "..",
        "[",
        "]",
        "-",
        "99999999999999999999",
        "post",
        "let",
        "\"",
        "/*",
        "é",
        "if",
        "0",
        "atomic {",
        "\0",
    ];
    let mut accepted = 0;
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let mut text: Vec<char> = random_program(&mut random).chars().collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            if random.below(4) > 0 {
                // Most changes leave the program a program.
                let Some(digit) = text[at..].iter_mut().find(|letter| letter.is_ascii_digit())
                else {
                    continue;
                };
                *digit = char::from(b'0' + random.below(10) as u8);
                continue;
            }
            let length = random.below(6).min(text.len() - at);
            let piece: Vec<char> = random.pick(&pieces).chars().collect();
            text.splice(at..at + length, piece);
        }
        let text: String = text.into_iter().collect();
        let Ok(program) = compile("x.ed", &text, &Options { unroll: 20, ..Options::default() })
        else {
            continue;
        };
        accepted += 1;
        let mut driver = Driver::new(&program);
        for _ in 0..50 {
            let enabled = driver.enabled();
            let Some(task) = enabled.get(random.below(enabled.len().max(1))) else {
                break;
            };
            driver.step(*task);
        }
        driver.rewind(0);
        assert_eq!(driver.run.depth(), 0);
    }
    assert!(accepted > 20, "only {accepted} mutated programs were accepted");
}

#[test]
fn random_bytes_never_panic() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.next() as u8).collect();
        feed(&String::from_utf8_lossy(&bytes));
    }
    assert_eq!(feed(""), 0);
    assert_eq!(feed("\u{feff}var x;\r\n// comment without end"), 0);
}

#[test]
fn many_locals_are_refused() {
    let text = format!("thread t {{ {} }}", "let a = 1; ".repeat(5000));
    assert!(feed(&text) > 0);
}

/// A 10,000-event execution must take less than 50 MB; this one takes about 1 MB.
#[test]
fn a_long_execution_is_small() {
    let text = "var x; thread t { for i in 0..10000 { x = i; } }";
    let program = compile("x.ed", text, &Options::default()).expect("right");
    let mut run = program.start();
    let mut step = Step::default();
    while let Next::Operation(_) = run.next(TaskId(0)) {
        step.clear();
        run.step(TaskId(0), 0, &mut step);
    }
    assert_eq!(run.depth(), 10_000);
    assert!(run.memory() < 4 << 20, "{} bytes", run.memory());
}

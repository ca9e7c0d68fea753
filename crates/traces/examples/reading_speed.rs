//! How fast the formats are read: a log of 100,000 lines in each of them.
//!
//! `cargo run --release -p mazurka-traces --example reading_speed`

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use mazurka_traces::{Format, TraceProgram, format, load};
use std::fmt::Write;
use std::time::Instant;

const LINES: u32 = 100_000;

/// A main thread that handles message after message, each with a few accesses and a lock.
fn log() -> String {
    let mut out = String::from(
        "1 START\n2 THREADINIT tid:1\n3 ATTACH-Q tid:1\t queue:1\n4 LOOP tid:1\t queue:1\n",
    );
    let (mut line, mut number, mut access, mut message) = (4, 4, 0, 0);
    while line < LINES {
        message += 1;
        let mut operation = |text: String| {
            number += 1;
            writeln!(out, "{number} {text}").expect("writing to a string");
        };
        operation("NATIVE-ENTRY tid:3thread-name:Binder Thread #1".to_owned());
        operation(format!("POST src:3 msg:{message} dest:-1 delay:0"));
        operation("NATIVE-EXIT tid:3thread-name:Binder Thread #1".to_owned());
        operation(format!("CALL tid:1\t msg:{message}"));
        operation(format!("LOCK tid:1\t lock-obj:0x{message:x}"));
        operation(format!("UNLOCK tid:1\t lock-obj:0x{message:x}"));
        for field in 0..20 {
            access += 1;
            writeln!(out, "rwId:{access} READ tid:1 obj:0x410628e8 class:Lcom/example/MainActivity; field:{field}")
                .expect("writing to a string");
        }
        number += 2;
        writeln!(
            out,
            "{} ACCESS tid:1\t accessId:{message}\n{number} RET tid:1\t msg:{message}",
            number - 1
        )
        .expect("writing to a string");
        line += 28;
    }
    out
}

fn main() -> Result<(), mazurka_traces::Error> {
    let raw = log();
    let trace = load("abc_log.txt", raw.as_bytes(), None)?.trace;
    println!("format    lines   milliseconds");
    row(Format::Raw, &raw)?;
    for written in [Format::Text, Format::Json] {
        row(written, &format::write(&trace, written)?.trace)?;
    }
    let begin = Instant::now();
    let program = TraceProgram::new(&trace)?;
    println!("program {:>7} {:>14.1}", program.event_count(), begin.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

fn row(format: Format, content: &str) -> Result<(), mazurka_traces::Error> {
    let begin = Instant::now();
    let loaded = load(format.name(), content.as_bytes(), None)?;
    let time = begin.elapsed().as_secs_f64() * 1e3;
    assert_eq!(loaded.format, format);
    println!("{:<7} {:>7} {time:>14.1}", format.name(), content.lines().count());
    Ok(())
}

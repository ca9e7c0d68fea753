//! Damaged files are either refused, with a line that exists, or can be executed as they were recorded.

use crate::common::samples;
use crate::driver::drive_recorded;
use mazurka_engine::rng::Rng;
use mazurka_traces::format::{self, Format};
use mazurka_traces::{TraceProgram, load};

/// Removes, repeats, exchanges or cuts lines, or changes single bytes.
fn damage(content: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        content.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=rng.below(2) {
        let line = rng.below(lines.len() as u64) as usize;
        let other = rng.below(lines.len() as u64) as usize;
        match rng.below(6) {
            0 if lines.len() > 1 => drop(lines.remove(line)),
            1 => lines.insert(other, lines[line].clone()),
            2 => lines.swap(line, other),
            3 => lines[line].truncate(rng.below(20) as usize),
            _ => {
                let place = rng.below(lines[line].len() as u64 + 1) as usize;
                if let Some(byte) = lines[line].get_mut(place) {
                    *byte = b"0123456789 :-x\xff"[rng.below(15) as usize];
                }
            }
        }
    }
    lines.join(&b'\n')
}

fn check(name: &str, content: &[u8], seed: u64) -> bool {
    match load(name, content, None) {
        Ok(loaded) => {
            let program = TraceProgram::new(&loaded.trace)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            drive_recorded(&program);
            true
        }
        Err(error) => {
            let lines = content.iter().filter(|&&byte| byte == b'\n').count() + 1;
            assert!(error.line as usize <= lines, "seed {seed}: {error}");
            false
        }
    }
}

#[test]
fn damaged_files_are_refused_or_work() {
    let samples = samples();
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let sample = &samples[rng.below(20) as usize];
        let text = sample.bytes("trace.txt");
        let content = match rng.below(4) {
            0 => format::write(&sample.load().trace, Format::Json)
                .expect("JSON says everything")
                .trace
                .into_bytes(),
            _ => text,
        };
        match check("t", &damage(&content, &mut rng), seed) {
            true => accepted += 1,
            false => refused += 1,
        }
    }
    assert!(accepted > 100 && refused > 1_000, "{accepted} {refused}");
}

#[test]
fn damaged_logs_are_refused_or_work() {
    let logs: Vec<Vec<u8>> =
        samples().iter().rev().take(3).map(|sample| sample.bytes("abc_log.txt")).collect();
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let log = &logs[rng.below(3) as usize];
        match check("abc_log.txt", &damage(log, &mut rng), seed) {
            true => accepted += 1,
            false => refused += 1,
        }
    }
    assert!(accepted > 20 && refused > 50, "{accepted} {refused}");
}

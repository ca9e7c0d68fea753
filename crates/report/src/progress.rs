//! The progress line: how far an exploration is, on one line that is written over and over.
//!
//! It says what has been done and how fast. It does not guess how much is left: nothing that is known
//! while exploring bounds the rest honestly.

use crate::text::{count, grouped, seconds};
use mazurka_engine::{Failure, Observer, Statistics};
use std::io::Write;
use std::time::Duration;

/// Explorations that are over sooner show no progress.
const QUIET_AT_FIRST: Duration = Duration::from_millis(300);
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Shows progress on a terminal. Erases the line when it is dropped.
pub struct ProgressLine<W: Write> {
    terminal: W,
    failures: u64,
    shown: bool,
}

impl<W: Write> ProgressLine<W> {
    /// On this terminal.
    pub fn new(terminal: W) -> Self {
        ProgressLine { terminal, failures: 0, shown: false }
    }

    /// A terminal that cannot be written to is no reason to stop exploring.
    fn show(&mut self, text: &str) {
        let _ = write!(self.terminal, "{CLEAR_LINE}{text}");
        let _ = self.terminal.flush();
    }
}

impl<W: Write> Observer for ProgressLine<W> {
    fn failure(&mut self, _failure: &Failure) {
        self.failures += 1;
    }

    fn progress(&mut self, statistics: &Statistics) {
        if statistics.elapsed >= QUIET_AT_FIRST {
            self.shown = true;
            self.show(&line(statistics, self.failures));
        }
    }
}

impl<W: Write> Drop for ProgressLine<W> {
    fn drop(&mut self) {
        if self.shown {
            self.show("");
        }
    }
}

/// `12,345 executions, 45,600 a second, 1.2 s, 1 failure`.
pub fn line(statistics: &Statistics, failures: u64) -> String {
    let ended = statistics.ended();
    let rate = ended as f64 / statistics.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut parts = vec![
        count(ended, "execution"),
        format!("{} a second", grouped(rate as u64)),
        seconds(statistics.elapsed),
    ];
    if failures > 0 {
        parts.push(count(failures, "failure"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(milliseconds: u64) -> Statistics {
        Statistics {
            executions: 24_000,
            blocked: 690,
            elapsed: Duration::from_millis(milliseconds),
            ..Statistics::default()
        }
    }

    #[test]
    fn the_line_tells_executions_rate_and_time() {
        assert_eq!(line(&after(2000), 1), "24,690 executions, 12,345 a second, 2.0 s, 1 failure");
    }

    #[test]
    fn short_explorations_leave_the_terminal_alone() {
        let mut terminal = Vec::new();
        ProgressLine::new(&mut terminal).progress(&after(10));
        assert_eq!(terminal, b"");
    }

    #[test]
    fn the_line_is_erased_at_the_end() {
        let mut terminal = Vec::new();
        ProgressLine::new(&mut terminal).progress(&after(2000));
        let text = String::from_utf8(terminal).expect("text");
        assert!(text.starts_with("\r\u{1b}[2K24,690"));
        assert!(text.ends_with("2.0 s\r\u{1b}[2K"));
    }
}

//! The progress line: how far an exploration is, on one line that is written over and over.
//!
//! It says what has been done and how fast, and about how much is left. It is never longer than the terminal is wide: what does not
//! fit is left out.

use crate::left;
use crate::text::{count, grouped, seconds, width};
use mazurka_engine::{Failure, Observer, Statistics};
use std::io::Write;
use std::time::Duration;

/// Explorations that are over sooner show no progress.
const QUIET_AT_FIRST: Duration = Duration::from_millis(300);
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Shows progress on a terminal. Erases the line when it is dropped.
pub struct ProgressLine<W: Write> {
    terminal: W,
    /// So many cells fit into a line.
    width: usize,
    failures: u64,
    shown: bool,
}

impl<W: Write> ProgressLine<W> {
    /// On this terminal, which is so many cells wide.
    pub fn new(terminal: W, width: usize) -> Self {
        ProgressLine { terminal, width, failures: 0, shown: false }
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
            self.show(&line(statistics, self.failures, self.width));
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

/// `12,345 executions, 1 failure, 1.2 s, about 40,000 (± 5,000) in all, 3 s left, 10,300 a second`; the last ones only if they fit in
/// front of the last cell of the line, where the cursor stands.
pub fn line(statistics: &Statistics, failures: u64, cells: usize) -> String {
    let ended = statistics.ended();
    let rate = ended as f64 / statistics.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut parts = vec![count(ended, "execution")];
    if failures > 0 {
        parts.push(count(failures, "failure"));
    }
    parts.push(seconds(statistics.elapsed));
    if let Some(estimate) = &statistics.estimate {
        parts.push(left::in_all(estimate));
        parts.push(left::time(estimate, statistics));
    }
    parts.push(format!("{} a second", grouped(rate as u64)));
    while parts.len() > 1 && width(&parts.join(", ")) >= cells {
        parts.pop();
    }
    let line = parts.join(", ");
    if width(&line) < cells { line } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_engine::Estimate;

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
        assert_eq!(
            line(&after(2000), 1, 100),
            "24,690 executions, 1 failure, 2.0 s, 12,345 a second"
        );
    }

    #[test]
    fn the_line_tells_how_much_is_left_and_fits() {
        let estimate =
            Some(Estimate { executions: 49_380, spread: 900, least: 25_000, is_guess: false });
        let statistics = Statistics { estimate, ..after(2000) };
        assert_eq!(
            line(&statistics, 0, 100),
            "24,690 executions, 2.0 s, about 49,000 (± 900) in all, 2 s left, 12,345 a second"
        );
        assert_eq!(
            line(&statistics, 0, 60),
            "24,690 executions, 2.0 s, about 49,000 (± 900) in all"
        );
        for cells in 0..100 {
            assert!(width(&line(&statistics, 3, cells)) < cells.max(1), "{cells}");
        }
    }

    #[test]
    fn short_explorations_leave_the_terminal_alone() {
        let mut terminal = Vec::new();
        ProgressLine::new(&mut terminal, 80).progress(&after(10));
        assert_eq!(terminal, b"");
    }

    #[test]
    fn the_line_is_erased_at_the_end() {
        let mut terminal = Vec::new();
        ProgressLine::new(&mut terminal, 80).progress(&after(2000));
        let text = String::from_utf8(terminal).expect("text");
        assert!(text.starts_with("\r\u{1b}[2K24,690"));
        assert!(text.ends_with("a second\r\u{1b}[2K"));
    }
}

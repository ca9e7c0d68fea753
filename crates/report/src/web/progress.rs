//! How far an exploration of a page is, and an estimate of the rest.

use crate::text::{count, seconds};
use std::time::Duration;

/// What is known while a page is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WebProgress {
    /// Sequences performed.
    pub explored: u64,
    /// Sequences that wait or are being performed, up to the number of reversals that is being explored.
    pub pending: u64,
    /// The number of reversals that is being explored.
    pub depth: u32,
    /// The largest number of reversals that will be explored; none for all.
    pub bound: Option<u32>,
    /// How many are performed at once.
    pub contexts: u32,
    /// How long the sequences took, added up.
    pub busy: Duration,
    /// Time since the start.
    pub elapsed: Duration,
}

impl WebProgress {
    /// How long a sequence takes.
    pub fn each(&self) -> Option<Duration> {
        let explored = u32::try_from(self.explored).ok()?;
        self.busy.checked_div(explored)
    }

    /// How long those take that are known to be left.
    pub fn left(&self) -> Option<Duration> {
        let pending = u32::try_from(self.pending).ok()?;
        self.each()?.checked_mul(pending)?.checked_div(self.contexts.max(1))
    }
}

/// `12 sequences, 8 pending with 1 reversal of at most 2, 0.420 s each, 5.1 s, at least 3.4 s left`. Sequences with more
/// reversals become known later, so unless these are the last ones there is no more to say than `at least`.
pub fn progress_line(progress: &WebProgress) -> String {
    let reversals = count(u64::from(progress.depth), "reversal");
    let of = match progress.bound {
        Some(bound) if progress.depth < bound => format!(" of at most {bound}"),
        _ => String::new(),
    };
    let mut parts = vec![
        count(progress.explored, "sequence"),
        format!("{} pending with {reversals}{of}", progress.pending),
    ];
    parts.extend(progress.each().map(|each| format!("{} each", seconds(each))));
    parts.push(seconds(progress.elapsed));
    let is_last = progress.bound.is_some_and(|bound| progress.depth >= bound);
    let how = if is_last { "about" } else { "at least" };
    parts.extend(progress.left().map(|left| format!("{how} {} left", seconds(left))));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_estimates_the_rest() {
        let mut progress = WebProgress {
            explored: 12,
            pending: 8,
            depth: 1,
            bound: Some(2),
            contexts: 2,
            busy: Duration::from_secs(6),
            elapsed: Duration::from_millis(3100),
        };
        assert_eq!(
            progress_line(&progress),
            "12 sequences, 8 pending with 1 reversal of at most 2, 0.500 s each, 3.1 s, at least 2.0 s left"
        );
        progress.bound = Some(1);
        assert!(progress_line(&progress).ends_with("3.1 s, about 2.0 s left"));
    }

    #[test]
    fn nothing_is_estimated_before_the_first_sequence() {
        let progress = WebProgress { bound: Some(1), ..WebProgress::default() };
        assert_eq!(
            progress_line(&progress),
            "0 sequences, 0 pending with 0 reversals of at most 1, 0.000 s"
        );
    }
}

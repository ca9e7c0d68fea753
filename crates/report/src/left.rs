//! How much is left of an exploration, in words. An estimate is rounded, so that nobody takes it for a count.

use crate::reasons::{Reason, reasons};
use crate::subject::Exploration;
use crate::text::grouped;
use mazurka_engine::{Estimate, Statistics};
use std::time::Duration;

/// The estimate of an exploration that a limit has ended.
pub(crate) fn at_limit(exploration: &Exploration<'_>) -> Option<Estimate> {
    let is_limit = |reason: &Reason| {
        use Reason::{Interrupted, MaxExecutions, MaxMemory, Timeout};
        matches!(reason, Timeout(_) | MaxExecutions(_) | MaxMemory(_) | Interrupted)
    };
    let estimate = exploration.outcome.statistics.estimate;
    estimate.filter(|_| reasons(exploration).iter().any(is_limit))
}

/// `about 40,000 (± 5,000) in all`, or `at least 510, perhaps 40,000 in all`.
pub(crate) fn in_all(estimate: &Estimate) -> String {
    let number = grouped(rounded(estimate.executions));
    let spread = rounded(estimate.spread);
    match (estimate.is_guess, spread) {
        (true, _) => format!("at least {}, perhaps {number} in all", grouped(estimate.least)),
        (false, 0) => format!("about {number} in all"),
        (false, spread) => format!("about {number} (± {}) in all", grouped(spread)),
    }
}

/// `3 min left`, `perhaps 2 h left`: if the rest takes as long for each execution as what was done.
pub(crate) fn time(estimate: &Estimate, statistics: &Statistics) -> String {
    let perhaps = if estimate.is_guess { "perhaps " } else { "" };
    format!("{perhaps}{} left", roughly(time_left(estimate, statistics)))
}

fn time_left(estimate: &Estimate, statistics: &Statistics) -> Duration {
    let done = statistics.ended().max(1) as f64;
    let left = (estimate.executions as f64 - done).max(0.0);
    Duration::try_from_secs_f64(statistics.elapsed.as_secs_f64() / done * left)
        .unwrap_or(Duration::MAX)
}

/// One or two digits of the largest unit.
fn roughly(time: Duration) -> String {
    let units = [("y", 31_557_600), ("d", 86_400), ("h", 3_600), ("min", 60)];
    let seconds = time.as_secs();
    match units.into_iter().find(|(_, length)| seconds >= 2 * length) {
        Some((name, length)) => format!("{} {name}", grouped(rounded(seconds / length))),
        None => format!("{seconds} s"),
    }
}

/// The number with two digits that are not zero.
fn rounded(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number.saturating_add(unit / 2) / unit).saturating_mul(unit)
}

/// The estimate for programs.
#[cfg(feature = "json")]
pub(crate) fn object(estimate: &Estimate, statistics: &Statistics) -> serde_json::Value {
    serde_json::json!({
        "executions": estimate.executions,
        "spread": estimate.spread,
        "at_least": estimate.least,
        "guessed": estimate.is_guess,
        "seconds_left": time_left(estimate, statistics).as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(executions: u64, spread: u64, is_guess: bool) -> Estimate {
        Estimate { executions, spread, least: 510, is_guess }
    }

    #[test]
    fn numbers_are_rounded() {
        assert_eq!(in_all(&estimate(40_320, 5_150, false)), "about 40,000 (± 5,200) in all");
        assert_eq!(in_all(&estimate(40_320, 5_150, true)), "at least 510, perhaps 40,000 in all");
        assert_eq!(in_all(&estimate(97, 0, false)), "about 97 in all");
        assert_eq!(rounded(u64::MAX), 18_000_000_000_000_000_000);
    }

    #[test]
    fn the_rest_takes_as_long_as_what_was_done() {
        let after = |executions| Statistics {
            executions,
            elapsed: Duration::from_secs(10),
            ..Statistics::default()
        };
        assert_eq!(time(&estimate(1_000, 0, false), &after(100)), "90 s left");
        assert_eq!(time(&estimate(100_000, 0, true), &after(100)), "perhaps 2 h left");
        assert_eq!(time(&estimate(50, 0, false), &after(100)), "0 s left");
        assert_eq!(time(&estimate(u64::MAX, 0, false), &after(1)), "580,000,000,000 y left");
    }
}

//! Explains a failure: a simpler execution that fails in the same way, and the nearest one that passes, with the pair of events
//! whose order decides.
//!
//! Works with any [`Program`]: everything is found by performing executions. The effort is bounded by a number of steps, so that the same
//! failure is explained in the same way everywhere, and by a [`Watch`].

mod again;
mod by_hand;
mod deed;
mod follow;
mod needed;
mod order;
mod shorten;
mod walker;
mod why;

pub use again::{Again, Departure, replay_again};
pub use by_hand::{ByHand, Offer};
pub use deed::{Deed, digest_of};
pub use why::Decision;

use crate::operation::{FailureKind, Fault};
use crate::outcome::Failure;
use crate::program::Program;
use crate::replay::{Recording, ReplayError, replay_watched};
use crate::schedule::Schedule;
use crate::watch::Watch;
use walker::Walker;

/// So many steps are made to shorten an execution, and as many to find one that passes, unless told. Where going back means to
/// execute again, the steps of that count.
pub const EFFORT: u64 = 100_000;
/// Longer executions are shown as they were found: what is tried takes time in proportion to the square of the length.
const MOST_EVENTS: usize = 2_000;
/// An execution that is tried may be longer than the failing one by this factor and this many events.
const MOST_GROWTH: (usize, usize) = (2, 100);

/// What became of the attempt to shorten an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortened {
    /// How often another thread or handler moved, as it was found and now.
    pub switches: [usize; 2],
    /// How many events there were, as it was found and now.
    pub events: [usize; 2],
    /// Was everything tried that we know to try? Otherwise the effort was spent before.
    pub exhausted: bool,
}

/// An execution that passes, near one that fails.
#[derive(Clone, Debug)]
pub struct Why {
    /// It.
    pub passing: Recording,
    /// How to get there.
    pub schedule: Schedule,
    /// The first step, counted from 0, in which the two differ.
    pub parts_at: usize,
    /// The pair of events whose order decides, if there is one.
    pub decision: Option<Decision>,
}

/// A failure with its explanation.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The failure, with the schedule that is shown. Its message differs where fewer wait in a deadlock.
    pub failure: Failure,
    /// What happens when that schedule is run.
    pub recording: Recording,
    /// What shortening did; `None` if it was not tried.
    pub shortened: Option<Shortened>,
    /// Why it fails; `None` if no execution that passes was found.
    pub why: Option<Why>,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wishes {
    /// Look for a simpler execution with the same failure?
    pub shorten: bool,
    /// Look for an execution that passes?
    pub why: bool,
    /// How many steps are made for each of these.
    pub effort: u64,
}

/// Explains a failure of a program as far as the time allows. Whatever cannot be done is left out; but its schedule must be
/// possible.
pub fn explain<P: Program>(
    program: &P,
    failure: &Failure,
    wishes: Wishes,
    watch: &Watch,
) -> Result<Explanation, ReplayError> {
    let found = replay_watched(program, &failure.schedule, watch)?;
    let plain =
        Explanation { failure: failure.clone(), recording: found, shortened: None, why: None };
    let is_stable = !matches!(failure.kind, FailureKind::Nondeterminism);
    let length = plain.recording.events.len();
    if !is_stable || length == 0 || length > MOST_EVENTS {
        return Ok(plain);
    }
    Ok(explained(program, &plain, wishes, watch).unwrap_or(plain))
}

fn explained<P: Program>(
    program: &P,
    plain: &Explanation,
    wishes: Wishes,
    watch: &Watch,
) -> Option<Explanation> {
    let Failure { kind, message, location, .. } = &plain.failure;
    let fault = Fault::new(*kind, message.clone(), location.clone());
    let mut walker = Walker::new(program, Some(fault), watch);
    if !walker.perform(&plain.failure.schedule) {
        return None;
    }
    let (factor, more) = MOST_GROWTH;
    walker.most_events = plain.recording.events.len() * factor + more;
    let mut explanation = plain.clone();
    if wishes.shorten {
        let before = walker.cost();
        let exhausted = walker.shorten(wishes.effort);
        let after = walker.cost();
        explanation.shortened = Some(Shortened {
            switches: [before.0, after.0],
            events: [before.1, after.1],
            exhausted,
        });
        if after < before {
            let schedule = walker.schedule();
            explanation.recording = replay_watched(program, &schedule, watch).ok()?;
            explanation.failure = shown(plain, &explanation.recording, schedule)?;
        } else {
            walker.perform(&plain.failure.schedule);
        }
    }
    if wishes.why
        && let Some(nearest) = walker.nearest_passing(wishes.effort)
        && let Ok(passing) = replay_watched(program, &nearest.schedule, watch)
    {
        explanation.why = Some(Why {
            passing,
            schedule: nearest.schedule,
            parts_at: nearest.parts_at,
            decision: nearest.decision,
        });
    }
    Some(explanation)
}

/// The failure as another execution shows it; `None` if it does not.
fn shown(plain: &Explanation, recording: &Recording, schedule: Schedule) -> Option<Failure> {
    let old = &plain.failure;
    let is_it = |fault: &&Fault| {
        fault.kind == old.kind
            && fault.location == old.location
            && (fault.message == old.message || fault.kind == FailureKind::Deadlock)
    };
    let fault = recording.faults().find(is_it)?;
    Some(Failure { message: fault.message.clone(), schedule, ..old.clone() })
}

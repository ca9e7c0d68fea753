//! Failures as they are shown: simpler than they were found, with why they happen.

use crate::runtime::program::RustProgram;
use mazurka_engine::explain::{Explanation, Wishes, explain};
use mazurka_engine::{Failure, Recording, Watch, replay};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// So many operations are executed to shorten a failure, and as many to find an execution that passes. Going back is executing from
/// the start, which counts.
const EFFORT: u64 = 50_000;
/// However slow the checked code is, it takes no longer than this.
const MOST_TIME: Duration = Duration::from_secs(3);

/// A failure with its explanation, or as it was found.
pub(crate) fn explained(program: &RustProgram, failure: &Failure, shorten: bool) -> Explanation {
    let wishes = Wishes { shorten, why: true, effort: EFFORT };
    let watch = Watch::lasting(MOST_TIME);
    // What is tried may turn out to do what no explored execution did, and the exploration would have to begin anew.
    let tried = catch_unwind(AssertUnwindSafe(|| explain(program, failure, wishes, &watch).ok()));
    tried.ok().flatten().unwrap_or_else(|| as_found(program, failure))
}

/// A failure as it was found. Some belong to no execution, and have nothing to show.
fn as_found(program: &RustProgram, failure: &Failure) -> Explanation {
    let again = catch_unwind(AssertUnwindSafe(|| replay(program, &failure.schedule)));
    let recording = again.ok().and_then(Result::ok).unwrap_or_default();
    plain(failure, recording)
}

/// A failure of which no more is known than what happened.
pub(crate) fn plain(failure: &Failure, recording: Recording) -> Explanation {
    Explanation { failure: failure.clone(), recording, shortened: None, why: None }
}

//! `MAZURKA_REPLAY`: one schedule again, in a test that may have changed since.

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::replay::{Recorded, signs_of};
use crate::runtime::program::RustProgram;
use mazurka_engine::explain::{Again, replay_again};
use mazurka_engine::{Ending, ReplayError, Schedule, Statistics, Watch, replay};

/// An execution that was replayed.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    /// What happened, and where it left what was recorded.
    pub again: Again,
    /// Does the recorded failure show, if it is known?
    pub shows: Option<bool>,
}

/// Runs one schedule as far as it goes, and tells what went wrong.
pub(crate) fn run(program: &RustProgram, recorded: &Recorded) -> Outcome {
    let again = match follow(program, recorded) {
        Ok(again) if again.fits => again,
        Ok(_) => return refused("it begins with tasks that this test does not have"),
        Err(error) => return refused(&error.to_string()),
    };
    let recording = &again.recording;
    let mut statistics =
        Statistics { transitions: recording.events.len() as u64, ..Statistics::default() };
    match recording.ending {
        Some(Ending::Complete) => statistics.executions = 1,
        Some(Ending::Blocked) => statistics.blocked = 1,
        Some(Ending::Deadlocked) => statistics.deadlocks = 1,
        Some(Ending::Truncated) => statistics.truncated = 1,
        None => {}
    }
    let failures = recording.faults().map(|fault| Failure {
        kind: fault.kind,
        message: fault.message.clone(),
        location: fault.location.clone(),
        schedule: again.schedule.clone(),
    });
    let mut outcome = Outcome::new(statistics, false, failures.collect());
    let is_it =
        |signs: &String| outcome.failures.iter().any(|it| signs_of(it.kind, &it.message) == *signs);
    let shows = recorded.failure.as_ref().map(is_it);
    outcome.replayed = Some(Replayed { again, shows });
    outcome
}

/// A test that has not changed runs once.
fn follow(program: &RustProgram, recorded: &Recorded) -> Result<Again, ReplayError> {
    let Recorded { schedule, deeds, .. } = recorded;
    if let Ok(recording) = replay(program, schedule)
        && let Some(again) = Again::exactly(recording, schedule, deeds)
    {
        return Ok(again);
    }
    replay_again(program, schedule, deeds, None, &Watch::default())
}

fn refused(why: &str) -> Outcome {
    let failure = Failure {
        kind: FailureKind::Fault,
        message: format!("the schedule of MAZURKA_REPLAY does not fit this test: {why}"),
        location: None,
        schedule: Schedule::default(),
    };
    Outcome::new(Statistics::default(), false, vec![failure])
}

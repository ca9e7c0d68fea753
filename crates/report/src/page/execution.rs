//! A recording as it is shown in a page.

use super::folds;
use super::lanes::Lanes;
use super::model::{After, Because, End, Event, Execution, Kind, PageFault, Seen, Verdict, Why};
use super::objects::Objects;
use super::sources::Sources;
use crate::account;
use crate::words;
use mazurka_engine::{
    Action, Cause, CauseKind, Ending, FailureKind, Fault, Mode, RecordedEvent, Recording,
};

/// An execution to be shown.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// Its name in the list.
    pub name: String,
    /// What happened.
    pub recording: &'a Recording,
    /// Sentences about it.
    pub notes: Vec<String>,
    /// Why it came out so, if that is known.
    pub why: Option<Why>,
    /// A line that shows it again, if there is one.
    pub replay: Option<String>,
}

impl<'a> Shown<'a> {
    /// An execution of which no more is known.
    pub fn new(name: impl Into<String>, recording: &'a Recording) -> Self {
        let name = name.into();
        Shown { name, recording, notes: Vec::new(), why: None, replay: None }
    }
}

pub(super) fn execution(shown: Shown<'_>, sources: &mut Sources) -> Execution {
    let recording = shown.recording;
    let Lanes { lanes, tasks, task_of } = Lanes::new(recording);
    let mut objects = Objects::new(recording);
    let mut events = Vec::with_capacity(recording.events.len());
    for (at, recorded) in recording.events.iter().enumerate() {
        let (changes, reads) = objects.follow(recorded);
        events.push(Event {
            task: task_of[at],
            words: words::event_with(recorded, &|object| objects.has_value(object)),
            kind: kind(recorded),
            place: recorded.location.as_deref().and_then(|place| sources.place(place)),
            last: recorded.ends_task,
            after: recording.causes.get(at).map_or_else(Vec::new, |causes| after(causes)),
            changes,
            reads,
            faults: faults(recording, &recorded.faults, at + 1, sources),
        });
    }
    let mut execution = Execution {
        name: shown.name,
        verdict: verdict(recording),
        notes: shown.notes,
        lanes,
        tasks,
        events,
        objects: objects.objects,
        folds: Vec::new(),
        why: shown.why,
        end: end(recording, sources),
        replay: shown.replay,
    };
    execution.folds = folds::folds(&execution, &roots(&execution));
    execution
}

fn verdict(recording: &Recording) -> Verdict {
    match recording.ending {
        _ if recording.faults().next().is_some() => Verdict::Fails,
        Some(Ending::Complete) => Verdict::Passes,
        _ => Verdict::Neutral,
    }
}

fn kind(event: &RecordedEvent) -> Kind {
    match &event.action {
        Action::Start => return Kind::Start,
        Action::Post { .. } | Action::Fork(_) => return Kind::Create,
        Action::Join(_) => return Kind::Sync,
        Action::Choose(_) | Action::Plain => {}
    }
    let has = |of: fn(Mode) -> bool| event.accesses.iter().any(|access| of(access.mode));
    if has(|mode| matches!(mode, Mode::Write | Mode::Update)) {
        Kind::Write
    } else if has(|mode| mode != Mode::Read) {
        Kind::Sync
    } else if event.accesses.is_empty() {
        Kind::Local
    } else {
        Kind::Read
    }
}

fn after(causes: &[Cause]) -> Vec<After> {
    let because = |kind| match kind {
        CauseKind::Program => Because::Program,
        CauseKind::Post => Because::Post,
        CauseKind::Fork => Because::Fork,
        CauseKind::Join => Because::Join,
        CauseKind::Signal => Because::Signal,
        CauseKind::Lock => Because::Lock,
        CauseKind::Conflict | CauseKind::Given => Because::Conflict,
    };
    causes.iter().map(|cause| After(cause.event, because(cause.kind))).collect()
}

/// Faults that were seen after so many events.
fn faults(
    recording: &Recording,
    faults: &[Fault],
    events: usize,
    sources: &mut Sources,
) -> Vec<PageFault> {
    let seen = |fault: &Fault| {
        let values = fault.values.iter().map(|value| Seen {
            name: value.name.clone(),
            value: value.value.to_string(),
            writer: recording.writer_of(&value.name, events).filter(|_| value.is_shared),
        });
        values.collect()
    };
    let fault = |fault: &Fault| PageFault {
        words: words::fault(fault),
        place: fault.location.as_deref().and_then(|place| sources.place(place)),
        values: seen(fault),
    };
    faults.iter().map(fault).collect()
}

fn end(recording: &Recording, sources: &mut Sources) -> End {
    // Of a deadlock the sentences say it all.
    let is_told =
        |fault: &&Fault| fault.kind == FailureKind::Deadlock && !recording.waiting.is_empty();
    let (deadlocks, others): (Vec<Fault>, Vec<Fault>) =
        recording.final_faults.iter().cloned().partition(|fault| is_told(&fault));
    let mut faults = faults(recording, &others, recording.events.len(), sources);
    if !deadlocks.is_empty() {
        let words = account::NOTHING_MOVES.to_owned();
        faults.insert(0, PageFault { words, place: None, values: Vec::new() });
    }
    End {
        words: recording.ending.map_or("", account::ending_words).to_owned(),
        faults,
        waiting: recording.waiting.clone(),
    }
}

/// The events that the failure shows in, or that wrote what it saw. None if it may depend on everything.
fn roots(execution: &Execution) -> Vec<usize> {
    let failing = execution.events.iter().position(|event| !event.faults.is_empty());
    if let Some(event) = failing {
        return vec![event];
    }
    let seen = execution.end.faults.iter().flat_map(|fault| &fault.values);
    seen.filter_map(|seen| seen.writer).collect()
}

//! Why an execution fails, in words.

use crate::account::{AccountOptions, Hints};
use crate::palette::Role;
use crate::rows::short_path;
use crate::text::{count, wrap};
use crate::words;
use mazurka_engine::explain::{Explanation, Shortened, Why};
use mazurka_engine::{Action, Fault, RecordedEvent, Recording, Value};

/// What stands below the headline of a failure: why it fails, where an execution that passes parts from it, and what was
/// shortened. Ends with a line break, unless there is nothing to say.
pub fn explanation(explanation: &Explanation, options: &AccountOptions) -> String {
    let AccountOptions { width, palette, hints, .. } = *options;
    let because = because(explanation).map(|text| (Role::Strong, format!("because {text}")));
    let parts = parts(explanation).map(|text| (Role::Faint, text));
    let shortened = explanation.shortened.as_ref().and_then(|it| shortened(it, hints));
    let shortened = shortened.map(|text| (Role::Faint, text));
    let mut out = String::new();
    for (role, text) in [because, parts, shortened].into_iter().flatten() {
        for line in wrap(&text, width.saturating_sub(2).max(20)) {
            out.push_str(&format!("  {}\n", palette.paint(role, &line)));
        }
    }
    out
}

/// The pair of events whose order decides, such as "`close()` started before `show(42)`".
pub fn because(explanation: &Explanation) -> Option<String> {
    let Why { passing, decision, .. } = explanation.why.as_ref()?;
    let decision = (*decision)?;
    let failing = &explanation.recording;
    let (recording, second) = match decision.second {
        Some(second) => (failing, second),
        None => (passing, decision.passing_second),
    };
    let [one, other] = [&failing.events[decision.first], &recording.events[second]];
    Some(if decision.is_of_messages {
        format!("{} started before {}", message(one), message(other))
    } else {
        format!("{} came before {}", told(failing, decision.first), told(recording, second))
    })
}

/// A message by its name; one without a name also by where it was posted.
fn message(event: &RecordedEvent) -> String {
    let place = event.location.as_deref().filter(|_| event.task == event.path);
    let place = place.map(|place| format!(" (posted at {})", short_path(place)));
    format!("`{}`{}", event.task, place.unwrap_or_default())
}

/// Where the nearest execution that passes leaves the failing one.
fn parts(explanation: &Explanation) -> Option<String> {
    let Why { passing, parts_at, .. } = explanation.why.as_ref()?;
    let failing = &explanation.recording;
    let other = (*parts_at < passing.events.len()).then(|| told(passing, *parts_at))?;
    Some(if *parts_at < failing.events.len() {
        let own = told(failing, *parts_at);
        let step = parts_at + 1;
        format!(
            "the nearest execution that passes parts from it in step {step}: {other} instead of {own}"
        )
    } else {
        format!("the nearest execution that passes goes on behind step {parts_at}: {other}")
    })
}

/// An event with who did it: `` `x = 1` of left ``.
fn told(recording: &Recording, at: usize) -> String {
    let event = &recording.events[at];
    let words = words::event_of(event, recording);
    match event.action {
        Action::Start => format!("`{words}`"),
        _ => format!("`{words}` of {}", event.task),
    }
}

/// What shortening did, if it did anything, and whether more may be possible.
fn shortened(shortened: &Shortened, hints: Hints) -> Option<String> {
    let Shortened { switches, events, exhausted } = *shortened;
    let given_up =
        if exhausted { "" } else { "; not everything was tried, so there may be a shorter one" };
    if (switches[0], events[0]) == (switches[1], events[1]) {
        return (!exhausted).then(|| {
            "not everything was tried to shorten it, so there may be a shorter one".to_owned()
        });
    }
    let [found, now] = [0, 1].map(|at| {
        let plural = if switches[at] == 1 { "" } else { "es" };
        format!("{} switch{plural} in {}", switches[at], count(events[at] as u64, "event"))
    });
    let as_found = hints.as_found.map(|hint| format!("; {hint}")).unwrap_or_default();
    Some(format!("shortened from {found} to {now}{given_up}{as_found}"))
}

/// What an assertion saw, a line each: `open = 0, written by close() in step 5`. `events`: it looked behind so many events.
pub(crate) fn values(recording: &Recording, fault: &Fault, events: usize) -> Vec<String> {
    fault.values.iter().map(|value| told_value(recording, value, events)).collect()
}

fn told_value(recording: &Recording, value: &Value, events: usize) -> String {
    let Value { name, value, is_shared } = value;
    if !is_shared {
        return format!("{name} = {value}");
    }
    match writer(recording, name, *value, events) {
        Some(writer) => {
            let who = &recording.events[writer].task;
            format!("{name} = {value}, written by {who} in step {}", writer + 1)
        }
        None => format!("{name} = {value}, as at the beginning"),
    }
}

/// The event that wrote what was seen: the last one before the variable was read, which may be some events ago.
fn writer(recording: &Recording, name: &str, value: i64, events: usize) -> Option<usize> {
    let writes = |at: &usize| {
        let accesses = &recording.events[*at].accesses;
        accesses.iter().any(|it| it.object == name && it.value_left() == Some(value))
    };
    let latest = recording.writer_of(name, events)?;
    (0..=latest).rev().find(writes)
}

/// The values of an assertion for programs.
#[cfg(feature = "json")]
pub(crate) fn values_json(
    recording: &Recording,
    fault: &Fault,
    events: usize,
) -> Vec<serde_json::Value> {
    let object = |seen: &Value| {
        let Value { name, value, is_shared } = seen;
        let writer = is_shared.then(|| writer(recording, name, *value, events)).flatten();
        serde_json::json!({
            "name": name,
            "value": value,
            "shared": is_shared,
            "written_in_step": writer.map(|at| at + 1),
            "written_by": writer.map(|at| &recording.events[at].task),
        })
    };
    fault.values.iter().map(object).collect()
}

/// The explanation for programs.
#[cfg(feature = "json")]
pub(crate) fn object(explanation: &Explanation) -> serde_json::Value {
    use crate::schedule_file::saved_moves;
    let steps = |at: Option<usize>| at.map(|at| at + 1);
    let shortened = explanation.shortened.map(|it| {
        serde_json::json!({
            "switches_found": it.switches[0],
            "switches": it.switches[1],
            "events_found": it.events[0],
            "events": it.events[1],
            "everything_tried": it.exhausted,
        })
    });
    let passing = explanation.why.as_ref().map(|why| {
        serde_json::json!({
            "parts_at_step": why.parts_at + 1,
            "schedule": saved_moves(&why.schedule),
        })
    });
    let decision = explanation.why.as_ref().and_then(|why| why.decision);
    let values: Vec<serde_json::Value> = failing(explanation)
        .map(|(fault, events)| values_json(&explanation.recording, fault, events))
        .unwrap_or_default();
    serde_json::json!({
        "because": because(explanation),
        "first_step": steps(decision.map(|it| it.first)),
        "second_step": steps(decision.and_then(|it| it.second)),
        "values": values,
        "shortened": shortened,
        "passing": passing,
    })
}

/// The failure in its recording, and behind how many events it shows.
#[cfg(feature = "json")]
fn failing(explanation: &Explanation) -> Option<(&Fault, usize)> {
    let Explanation { failure, recording, .. } = explanation;
    let is_it = |fault: &&Fault| fault.kind == failure.kind && fault.message == failure.message;
    let events = recording.events.iter().enumerate();
    let during = events
        .flat_map(|(at, event)| event.faults.iter().map(move |fault| (fault, at + 1)))
        .find(|(fault, _)| is_it(fault));
    let finally = || recording.final_faults.iter().find(is_it);
    during.or_else(|| finally().map(|fault| (fault, recording.events.len())))
}

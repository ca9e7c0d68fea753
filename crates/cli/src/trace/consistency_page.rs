//! The page of a partial trace: its witness, or the cycles that forbid one.

use crate::error::Error;
use crate::output;
use mazurka_consistency::explain::{Because as Reason, Explanation, Impossible, explain};
use mazurka_consistency::trace::{Event as TraceEvent, EventId};
use mazurka_consistency::{Answer, Limits, Trace, Verdict as Answered};
use mazurka_report::count;
use mazurka_report::page::PageBuilder;
use mazurka_report::page::model::{
    After, Because, Change, End, Event, Execution, Kind, Lane, Object, ObjectKind, PageFault, Task,
    Verdict,
};
use std::collections::HashMap;
use std::path::Path;

/// Of a longer witness the beginning is shown.
const MOST_EVENTS: usize = 20_000;

pub fn write(
    path: &Path,
    trace: &Trace,
    answer: &Answer,
    limits: &Limits<'_>,
) -> Result<(), Error> {
    let mut page = PageBuilder::new(answer.to_string(), trace.name());
    page.fact(format!(
        "{}, {}",
        count(trace.messages().len() as u64, "message"),
        count(trace.events().len() as u64, "event")
    ));
    match &answer.verdict {
        Answered::Consistent(order) => {
            let shown = &order[..order.len().min(MOST_EVENTS)];
            if shown.len() < order.len() {
                let left_out = count((order.len() - shown.len()) as u64, "event");
                page.fact(format!("the last {left_out} are not shown here; JSON has them all"));
            }
            page.add(witness(trace, shown));
        }
        Answered::Inconsistent(_) => match explain(trace, answer.policy, limits) {
            Some(why) => why.impossible.iter().for_each(|one| {
                page.add(cycle(trace, &why, one));
            }),
            None => page.fact("there was no time to say why"),
        },
        Answered::Unknown(_) => {}
    }
    output::write(path, &page.html(|_| None))
}

/// The parts of a trace that some of its events need.
struct Picture<'t> {
    trace: &'t Trace,
    execution: Execution,
    tasks: HashMap<u32, usize>,
    lanes: HashMap<u32, usize>,
    objects: HashMap<u32, usize>,
    /// Where events stand that have been added.
    places: HashMap<EventId, usize>,
}

impl<'t> Picture<'t> {
    fn new(trace: &'t Trace, name: String, verdict: Verdict) -> Self {
        Picture {
            trace,
            execution: Execution { name, verdict, ..Execution::default() },
            tasks: HashMap::new(),
            lanes: HashMap::new(),
            objects: HashMap::new(),
            places: HashMap::new(),
        }
    }

    /// Adds an event, with what it comes after among those that are there.
    fn add(&mut self, event: EventId) {
        let trace = self.trace;
        let message = trace.message_of(event);
        let task = self.task(message);
        let (words, kind) = match trace.events()[event as usize] {
            TraceEvent::Get => (format!("start message {message}"), Kind::Start),
            TraceEvent::Read { variable, from: Some(write) } => {
                (format!("read x{variable} of event {write}"), Kind::Read)
            }
            TraceEvent::Read { variable, from: None } => {
                (format!("read x{variable}, initial"), Kind::Read)
            }
            TraceEvent::Write { variable } => (format!("write x{variable}"), Kind::Write),
            TraceEvent::Post { message } => (format!("post message {message}"), Kind::Create),
        };
        let (reads, changes) = match trace.events()[event as usize] {
            TraceEvent::Read { variable, .. } => (vec![self.object(variable)], Vec::new()),
            TraceEvent::Write { variable } => {
                let value = Some(format!("event {event}"));
                (Vec::new(), vec![Change(self.object(variable), value)])
            }
            _ => (Vec::new(), Vec::new()),
        };
        let last = trace.messages()[message as usize].last() == Some(event);
        let after = self.after(event);
        self.places.insert(event, self.execution.events.len());
        let words = format!("{words} (event {event})");
        self.execution.events.push(Event {
            task,
            words,
            kind,
            last,
            after,
            reads,
            changes,
            ..Event::default()
        });
    }

    /// What comes directly before an event: in its message, its post, the write that it reads.
    fn after(&self, event: EventId) -> Vec<After> {
        let trace = self.trace;
        let message = trace.message_of(event);
        let own = trace.messages()[message as usize].events();
        let previous = own.contains(&event.wrapping_sub(1)).then(|| (event - 1, Because::Program));
        let post = trace.post_of(message).filter(|_| event == own.start);
        let read = match trace.events()[event as usize] {
            TraceEvent::Read { from, .. } => from,
            _ => None,
        };
        let causes = [
            previous,
            post.map(|post| (post, Because::Post)),
            read.map(|write| (write, Because::Conflict)),
        ];
        let known = causes.into_iter().flatten();
        known
            .filter_map(|(earlier, because)| Some(After(*self.places.get(&earlier)?, because)))
            .collect()
    }

    fn task(&mut self, message: u32) -> usize {
        if let Some(&task) = self.tasks.get(&message) {
            return task;
        }
        let handler = self.trace.messages()[message as usize].handler;
        let lanes = &mut self.execution.lanes;
        let lane = *self.lanes.entry(handler).or_insert_with(|| {
            let name = format!("handler {handler}");
            lanes.push(Lane { name, handler: true, group: "handler".to_owned() });
            lanes.len() - 1
        });
        let post = self.trace.post_of(message).and_then(|post| self.places.get(&post).copied());
        let name = format!("message {message}");
        self.execution.tasks.push(Task { name, lane, creator: post });
        self.tasks.insert(message, self.execution.tasks.len() - 1);
        self.execution.tasks.len() - 1
    }

    fn object(&mut self, variable: u32) -> usize {
        let objects = &mut self.execution.objects;
        *self.objects.entry(variable).or_insert_with(|| {
            let name = format!("x{variable}");
            let initial = Some("initial".to_owned());
            objects.push(Object { name, kind: ObjectKind::Variable, initial });
            objects.len() - 1
        })
    }
}

fn witness(trace: &Trace, order: &[EventId]) -> Execution {
    let mut picture = Picture::new(trace, "witness".to_owned(), Verdict::Passes);
    order.iter().for_each(|&event| picture.add(event));
    picture.execution.end.words = "an execution with this trace".to_owned();
    picture.execution
}

/// The events of a cycle, each with an arrow to the next, and the last with one to the first.
fn cycle(trace: &Trace, why: &Explanation<'_>, impossible: &Impossible) -> Execution {
    let orders: Vec<String> =
        impossible.orders.iter().map(|(a, b)| format!("message {a} before {b}")).collect();
    let name = match orders.as_slice() {
        [] => "what is given is already cyclic".to_owned(),
        [one] => format!("{one} is impossible"),
        several => format!("not all of these can hold: {}", several.join(", ")),
    };
    let mut picture = Picture::new(trace, name, Verdict::Fails);
    impossible.cycle.iter().for_each(|step| picture.add(step.from));
    for step in &impossible.cycle {
        let (Some(&from), Some(&to)) =
            (picture.places.get(&step.from), picture.places.get(&step.to))
        else {
            continue;
        };
        let after = &mut picture.execution.events[to].after;
        after.retain(|After(earlier, _)| *earlier != from);
        after.push(After(from, Because::Cycle));
    }
    let reasons = impossible.cycle.iter().map(|step| sentence(step.from, step.to, step.because));
    picture.execution.end = End {
        words: reasons.collect::<Vec<_>>().join("\n"),
        faults: vec![PageFault {
            words: "each comes before the next, and the last before the first".to_owned(),
            place: None,
            values: Vec::new(),
        }],
        waiting: Vec::new(),
    };
    if !why.messages.is_empty() {
        let messages: Vec<String> = why.messages.iter().map(u32::to_string).collect();
        picture.execution.notes =
            vec![format!("these messages cannot be ordered: {}", messages.join(", "))];
    }
    picture.execution
}

fn sentence(from: EventId, to: EventId, because: Reason) -> String {
    format!("event {from} comes before event {to}: {because}")
}

//! What is kept of each sequence, and the report that is made of it.

use super::Options;
use crate::compare::{Reversal, details, differences, judge};
use crate::error::Error;
use crate::locations::{Conflict, conflicts};
use crate::record::{Ending, Recording, Shared, Touched, lock};
use crate::schedule::Schedule;
use crate::trace::Event;
use mazurka_engine::Verdict;
use mazurka_engine::reorder::{Plan, Reversed};
use mazurka_report::web::{
    Difference, Incomplete, RaceEnd, Severity, WebEvent, WebFailure, WebRace, WebReport,
    WebSequence,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// A sequence that others come from.
struct Parent {
    index: usize,
    touched: Vec<Touched>,
    ending: Ending,
}

/// The results so far.
pub struct Gathered<'a> {
    options: &'a Options,
    shared: &'a Shared,
    sequences: Vec<WebSequence>,
    races: Vec<WebRace>,
    failures: Vec<WebFailure>,
    notes: BTreeSet<String>,
    cut: BTreeSet<String>,
    parents: HashMap<usize, Parent>,
    pictures: HashSet<Arc<[u8]>>,
    /// What the recorded execution throws.
    usual: HashSet<String>,
    is_replay: bool,
}

impl<'a> Gathered<'a> {
    /// Nothing yet.
    pub fn new(options: &'a Options, shared: &'a Shared) -> Gathered<'a> {
        Gathered {
            options,
            shared,
            sequences: Vec::new(),
            races: Vec::new(),
            failures: Vec::new(),
            notes: BTreeSet::new(),
            cut: BTreeSet::new(),
            parents: HashMap::new(),
            pictures: HashSet::new(),
            usual: HashSet::new(),
            is_replay: false,
        }
    }

    /// A sequence that could not be performed.
    pub fn lost(&mut self, plan: &Plan, error: &Error) {
        let events: Vec<u32> = plan.events.iter().map(|event| event.0).collect();
        if let Error::Crashed(_) = error {
            self.fail("crash", error.to_string(), None, &events);
        }
        self.notes.insert(error.to_string());
    }

    /// A sequence that was performed.
    pub fn add(&mut self, plan: &Plan, mut recording: Recording) {
        recording.ending.picture =
            recording.ending.picture.take().map(|picture| self.share(picture));
        self.notes.extend(recording.notes.iter().cloned());
        self.cut.extend(recording.cut.iter().cloned());
        let events: Vec<u32> = recording.steps.iter().map(|step| step.event.0).collect();
        let planned: HashSet<u32> = plan.events.iter().map(|event| event.0).collect();
        let new = events
            .iter()
            .copied()
            .filter(|event| plan.parent.is_some() && !planned.contains(event));
        let sequence = WebSequence {
            new: new.collect(),
            skipped: if plan.parent.is_some() { recording.skipped.clone() } else { Vec::new() },
            depth: plan.depth,
            screenshot: recording.ending.picture.clone(),
            events: events.clone(),
        };
        let index = self.sequences.len();
        if plan.parent.is_none() {
            // What cannot happen in another order has been skipped there. What cannot happen at all was asked for in vain.
            self.cut.extend(recording.missed.iter().cloned());
            let exceptions = &recording.ending.exceptions;
            self.usual = exceptions.iter().map(|one| one.message.clone()).collect();
            // They are no violation, but whoever reads the report wants to know.
            for one in exceptions.iter().filter(|one| !recording.cut.contains(&one.message)) {
                let place = one.place.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
                self.notes.insert(format!("the recorded execution throws: {}{place}", one.message));
            }
        }
        self.find_failures(&recording.ending, &events);
        self.sequences.push(sequence);
        if let (Some(parent), Some(reversed)) = (plan.parent, &plan.reversed) {
            self.compare(parent, index, reversed, &recording.ending);
        }
        // Only sequences with reversals left have children.
        if self.options.bound.is_none_or(|bound| plan.depth < bound) {
            let parent = Parent { index, touched: recording.touched, ending: recording.ending };
            self.parents.insert(plan.ticket, parent);
        }
    }

    /// The report on one sequence that was performed again.
    pub fn replayed(mut self, recording: Recording, elapsed: Duration) -> WebReport {
        let events: Vec<u32> = recording.steps.iter().map(|step| step.event.0).collect();
        self.find_failures(&recording.ending, &events);
        self.notes.extend(recording.notes);
        self.cut.extend(recording.cut);
        self.is_replay = true;
        self.sequences.push(WebSequence {
            events,
            skipped: recording.skipped,
            screenshot: recording.ending.picture,
            ..WebSequence::default()
        });
        self.report(Vec::new(), elapsed)
    }

    fn share(&mut self, picture: Arc<[u8]>) -> Arc<[u8]> {
        if let Some(known) = self.pictures.get(&picture) {
            return Arc::clone(known);
        }
        self.pictures.insert(Arc::clone(&picture));
        picture
    }

    fn find_failures(&mut self, ending: &Ending, events: &[u32]) {
        for exception in &ending.exceptions {
            if !self.usual.contains(&exception.message) {
                let place = exception.place.as_ref().map(ToString::to_string);
                let until = &events[..events.len().min(exception.position + 1)];
                self.fail("exception", exception.message.clone(), place, until);
            }
        }
        for (expression, holds, error) in &ending.asserts {
            if !holds {
                let why = if error.is_empty() { String::new() } else { format!(": {error}") };
                self.fail("assertion", format!("{expression} does not hold{why}"), None, events);
            }
        }
    }

    /// The same failure is told once.
    fn fail(&mut self, kind: &str, message: String, location: Option<String>, events: &[u32]) {
        if self.failures.iter().any(|known| {
            known.kind == kind && known.message == message && known.location == location
        }) {
            return;
        }
        let names = lock(&self.shared.names);
        let schedule = events.iter().map(|&event| words(names.event(event))).collect();
        self.failures.push(WebFailure { kind: kind.to_owned(), message, location, schedule });
    }

    fn compare(&mut self, parent: usize, index: usize, reversed: &Reversed, ending: &Ending) {
        let Some(parent) = self.parents.get(&parent) else { return };
        let sources = lock(&self.shared.sources);
        let found = match reversed.second_at {
            Some(second) => {
                conflicts(&parent.touched, reversed.first_at as usize, second as usize, &sources)
            }
            None => Vec::new(),
        };
        let events = (reversed.first.0, reversed.second.0);
        let (first, second) = match found.first() {
            Some(conflict) => conflict.ends(events, &sources),
            None if reversed.second_at.is_some() => without_location(events, "sends", "sends"),
            None => without_location(events, "cancels", "runs"),
        };
        drop(sources);
        let names = lock(&self.shared.names);
        let sequence = &self.sequences[index];
        let skipped: Vec<&Event> =
            sequence.skipped.iter().map(|&event| names.event(event)).collect();
        let new: Vec<&Event> = sequence.new.iter().map(|&event| names.event(event)).collect();
        // The handler of something that the user does is attached late (a filter of EventRacer).
        let by_user = names.event(reversed.second.0).by_user;
        let for_handlers = by_user && found.iter().any(Conflict::attaches_first);
        let reversal = Reversal { skipped: &skipped, new: &new, for_handlers };
        let judgement = judge(differences(&parent.ending, ending), &reversal);
        let location = match found.first() {
            Some(conflict) => conflict.name.clone(),
            None if reversed.second_at.is_some() => "the order of what they send".to_owned(),
            None => words(names.event(reversed.second.0)),
        };
        let actions = lock(&self.shared.actions).clone().unwrap_or_default();
        let schedule =
            Schedule::new(&self.options.page, &actions, sequence.events.iter().copied(), &names)
                .text();
        let race = WebRace {
            first,
            second,
            other_locations: other_names(&found, &location),
            location,
            class: judgement.class,
            severity: judgement.severity,
            reason: judgement.reason,
            parent: parent.index,
            sequence: index,
            schedule,
            details: details(&parent.ending, ending, &judgement.differences),
            differences: judgement.differences,
        };
        drop(names);
        if race.severity == Severity::High {
            self.report_race(&race);
        }
        self.races.push(race);
    }

    fn report_race(&mut self, race: &WebRace) {
        let names = lock(&self.shared.names);
        let name = |end: &RaceEnd| words(names.event(end.event));
        let differs: Vec<&str> = race.differences.iter().map(|&one| word(one)).collect();
        let message = format!(
            "{} and {} race for {}: their order changes {}",
            name(&race.first),
            name(&race.second),
            race.location,
            differs.join(", ")
        );
        drop(names);
        let events = self.sequences[race.sequence].events.clone();
        self.fail("race", message, race.second.place.clone(), &events);
    }

    /// The whole of it.
    pub fn report(self, mut incomplete: Vec<Incomplete>, elapsed: Duration) -> WebReport {
        for words in self.cut {
            incomplete.push(Incomplete { because: "cut".to_owned(), words });
        }
        let names = lock(&self.shared.names);
        let events = names.all().iter().map(web_event).collect();
        let verdict = match (self.failures.is_empty(), incomplete.is_empty()) {
            (false, _) => Verdict::Violation,
            (true, true) => Verdict::Safe,
            (true, false) => Verdict::Incomplete,
        };
        WebReport {
            page: self.options.page.clone(),
            is_replay: self.is_replay,
            bound: self.options.bound,
            verdict,
            events,
            sequences: self.sequences,
            races: self.races,
            failures: self.failures,
            incomplete,
            notes: self.notes.into_iter().collect(),
            elapsed,
        }
    }
}

/// A race for nothing that is stored: one event makes the other one impossible, or both put something into one queue.
fn without_location(events: (u32, u32), first: &str, second: &str) -> (RaceEnd, RaceEnd) {
    let end =
        |event, access: &str| RaceEnd { event, access: access.to_owned(), ..RaceEnd::default() };
    (end(events.0, first), end(events.1, second))
}

fn other_names(found: &[Conflict], first: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for conflict in found {
        if conflict.name != first && !names.contains(&conflict.name) {
            names.push(conflict.name.clone());
        }
    }
    names
}

fn words(event: &Event) -> String {
    let text = event
        .text
        .as_ref()
        .filter(|text| **text != event.name)
        .map_or_else(String::new, |text| format!(" {text:?}"));
    format!("{} {}{text}", event.kind, event.name).trim().to_owned()
}

fn word(difference: Difference) -> &'static str {
    match difference {
        Difference::Exception => "exceptions",
        Difference::Dom => "the document",
        Difference::Pixels => "the picture",
        Difference::Heap => "the heap",
        Difference::Network => "requests",
        Difference::Console => "the console",
        Difference::Assert => "assertions",
    }
}

fn web_event(event: &Event) -> WebEvent {
    WebEvent {
        kind: event.kind.clone(),
        name: event.name.clone(),
        place: event.place.clone(),
        creator: event.creator,
        by_user: event.by_user,
    }
}

//! The orders of events of a report in the page that steps through executions: a lane for the user and for each kind of event, both
//! orders of each race that hurts, with the two events marked.

use super::model::{WebRace, WebReport};
use crate::page::PageBuilder;
use crate::page::model::{After, Because, End, Event, Execution, Kind, Lane, Task, Verdict, Why};
use crate::text::count;
use std::collections::HashMap;

/// So many races are shown in both orders.
const MOST_RACES: usize = 20;

/// The page, as one file.
pub fn orders(report: &WebReport, races: &[&WebRace]) -> String {
    let mut page = PageBuilder::new(format!("orders of {}", report.page), report.page.clone());
    let harmful: Vec<&&WebRace> = races.iter().filter(|race| !race.is_harmless()).collect();
    for race in harmful.iter().take(MOST_RACES) {
        add_race(&mut page, report, race);
    }
    let left_out = harmful.len().saturating_sub(MOST_RACES);
    if left_out > 0 {
        page.fact(format!("{} not shown here", count(left_out as u64, "race")));
    }
    if harmful.is_empty() && !report.sequences.is_empty() {
        add(&mut page, report, 0, "the recorded order".to_owned(), Verdict::Neutral);
    }
    page.html(|_| None)
}

/// Both orders of a race, the one that hurts first.
fn add_race(page: &mut PageBuilder, report: &WebReport, race: &WebRace) {
    let [first, second] = [&race.first, &race.second].map(|end| report.event(end.event).words());
    let name = format!("{second} before {first}");
    let reversed = add(page, report, race.sequence, name, Verdict::Fails);
    let name = format!("{first} before {second}");
    let original = add(page, report, race.parent, name, Verdict::Neutral);
    let differs: Vec<&str> = race.differences.iter().map(|it| it.name()).collect();
    let words = format!("both touch {}; what differs: {}", race.location, differs.join(", "));
    let sequences = [(reversed, race.sequence, original), (original, race.parent, reversed)];
    for (number, sequence, other) in sequences {
        let events = &report.sequences[sequence].events;
        let at = |event: u32| events.iter().position(|&it| it == event);
        let pair = at(race.first.event).zip(at(race.second.event));
        let others = &report.sequences[race.parent + race.sequence - sequence].events;
        page.execution_mut(number).why = Some(Why {
            words: words.clone(),
            pair: pair.map(|(one, two)| (one.min(two), one.max(two))),
            other: Some(other),
            parts: events.iter().zip(others).position(|(one, other)| one != other),
        });
    }
}

fn add(
    page: &mut PageBuilder,
    report: &WebReport,
    sequence: usize,
    name: String,
    verdict: Verdict,
) -> usize {
    let order = &report.sequences[sequence].events;
    let positions: HashMap<u32, usize> =
        order.iter().enumerate().map(|(at, &event)| (event, at)).collect();
    let mut lanes = Lanes::default();
    let (mut tasks, mut events) = (Vec::new(), Vec::new());
    for (at, &number) in order.iter().enumerate() {
        let event = report.event(number);
        let creator = event.creator.and_then(|it| positions.get(&it)).copied();
        let creator = creator.filter(|&creator| creator < at);
        let lane = lanes.of(if event.by_user { "user" } else { &event.kind });
        tasks.push(Task { name: event.words(), lane, creator });
        events.push(Event {
            task: at,
            words: event.words(),
            kind: Kind::Start,
            place: event.place.as_deref().and_then(|place| page.sources().place(place)),
            last: true,
            after: creator.map(|it| After(it, Because::Post)).into_iter().collect(),
            ..Event::default()
        });
    }
    let skipped = report.sequences[sequence].skipped.iter();
    let skipped = skipped.map(|&it| format!("not possible: {}", report.event(it).words()));
    page.add(Execution {
        name,
        verdict,
        notes: skipped.collect(),
        lanes: lanes.lanes,
        tasks,
        events,
        end: End { words: "the page has come to rest".to_owned(), ..End::default() },
        ..Execution::default()
    })
}

/// A lane for each kind of event, in the order in which they come.
#[derive(Default)]
struct Lanes {
    lanes: Vec<Lane>,
}

impl Lanes {
    fn of(&mut self, name: &str) -> usize {
        let known = self.lanes.iter().position(|lane| lane.name == name);
        known.unwrap_or_else(|| {
            let name = name.to_owned();
            self.lanes.push(Lane { group: name.clone(), name, handler: true });
            self.lanes.len() - 1
        })
    }
}

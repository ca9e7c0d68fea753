//! Two orders of events side by side, with lines between the same events and the reversed pair marked.

use super::model::{WebEvent, WebRace, WebReport, WebSequence};
use crate::text::count;
use crate::text::escape;
use std::collections::{HashMap, HashSet};

/// Rows around one that matters.
const CONTEXT: usize = 2;
/// The height of a row, in pixels.
const ROW: usize = 28;
/// The width of what lies between the lanes.
const BETWEEN: usize = 90;

/// A row of a lane.
enum Row {
    /// The event at this position.
    Event(usize),
    /// So many events that are in the same order in both lanes.
    Same(usize),
}

struct Lane<'r> {
    sequence: &'r WebSequence,
    /// Where events stand.
    positions: HashMap<u32, usize>,
    rows: Vec<Row>,
}

impl<'r> Lane<'r> {
    fn new(sequence: &'r WebSequence) -> Self {
        let positions = sequence.events.iter().enumerate().map(|(at, &event)| (event, at));
        Lane { sequence, positions: positions.collect(), rows: Vec::new() }
    }

    /// Keeps what matters and what stands around it.
    fn fold(&mut self, matters: impl Fn(u32) -> bool) {
        let events = &self.sequence.events;
        let important: Vec<usize> = (0..events.len()).filter(|&at| matters(events[at])).collect();
        let is_near = |at: usize| important.iter().any(|other| other.abs_diff(at) <= CONTEXT);
        for at in 0..events.len() {
            match (is_near(at), self.rows.last_mut()) {
                (true, _) => self.rows.push(Row::Event(at)),
                (false, Some(Row::Same(number))) => *number += 1,
                (false, _) => self.rows.push(Row::Same(1)),
            }
        }
    }

    /// Where the middle of an event's row is, if it has one.
    fn height_of(&self, event: u32) -> Option<usize> {
        let at = *self.positions.get(&event)?;
        let row = self.rows.iter().position(|row| matches!(row, Row::Event(there) if *there == at));
        row.map(|row| row * ROW + ROW / 2)
    }
}

/// Both orders.
pub fn lanes(report: &WebReport, race: &WebRace) -> String {
    let mut before = Lane::new(&report.sequences[race.parent]);
    let mut after = Lane::new(&report.sequences[race.sequence]);
    let moved = moved(&before, &after, race);
    let matters = |event: u32| {
        let both = before.positions.contains_key(&event) && after.positions.contains_key(&event);
        !both || moved.contains(&event) || event == race.first.event || event == race.second.event
    };
    let important: HashSet<u32> = before
        .positions
        .keys()
        .chain(after.positions.keys())
        .copied()
        .filter(|&e| matters(e))
        .collect();
    before.fold(|event| important.contains(&event));
    after.fold(|event| important.contains(&event));
    let height = before.rows.len().max(after.rows.len()) * ROW;
    format!(
        "<h3>The two orders</h3>\n<div class=\"lanes\">\n{}<svg width=\"{BETWEEN}\" height=\"{height}\" \
         viewBox=\"0 0 {BETWEEN} {height}\" aria-hidden=\"true\">\n{}</svg>\n{}</div>\n",
        lane(report, race, &before, &after, "original order", "does not happen"),
        lines(race, &before, &after),
        lane(report, race, &after, &before, "reversed", "new"),
    )
}

/// Events that had to move with the second one, as it needs them.
fn moved(before: &Lane<'_>, after: &Lane<'_>, race: &WebRace) -> HashSet<u32> {
    let at = |lane: &Lane<'_>, event: u32| lane.positions.get(&event).copied();
    let (Some(first_before), Some(first_after)) =
        (at(before, race.first.event), at(after, race.first.event))
    else {
        return HashSet::new();
    };
    let changes_sides = |event: &u32| {
        let sides = at(before, *event).zip(at(after, *event));
        sides.is_some_and(|(b, a)| (b < first_before) != (a < first_after))
    };
    before.sequence.events.iter().copied().filter(changes_sides).collect()
}

fn lane(
    report: &WebReport,
    race: &WebRace,
    lane: &Lane<'_>,
    other: &Lane<'_>,
    title: &str,
    alone: &str,
) -> String {
    let rows: String = lane
        .rows
        .iter()
        .map(|row| match row {
            Row::Same(number) => {
                format!("<li class=\"same\">⋮ {}</li>\n", count(*number as u64, "event"))
            }
            Row::Event(at) => {
                let number = lane.sequence.events[*at];
                let is_alone = !other.positions.contains_key(&number);
                let is_pair = number == race.first.event || number == race.second.event;
                let class = match (is_pair, is_alone) {
                    (true, _) => " class=\"pair\"",
                    (false, true) => " class=\"alone\"",
                    (false, false) => "",
                };
                let note = match is_alone {
                    true => format!(" <em>{alone}</em>"),
                    false => String::new(),
                };
                format!("<li{class}>{}{note}</li>\n", event(at + 1, report.event(number)))
            }
        })
        .collect();
    format!("<div class=\"lane\"><h4>{title}</h4><ol>\n{rows}</ol></div>\n")
}

fn event(number: usize, event: &WebEvent) -> String {
    let user = if event.by_user { " user" } else { "" };
    let place = event
        .place
        .as_deref()
        .map_or(String::new(), |place| format!(" <span class=\"at\">{}</span>", escape(place)));
    format!(
        "<span class=\"n\">{number}</span> <span class=\"kind{user}\">{}</span> {}{place}",
        escape(&event.kind),
        escape(&event.name),
    )
}

/// A line between the two rows of every event that has both.
fn lines(race: &WebRace, before: &Lane<'_>, after: &Lane<'_>) -> String {
    let mut pair = String::new();
    let mut others = String::new();
    for &event in &before.sequence.events {
        let Some((left, right)) = before.height_of(event).zip(after.height_of(event)) else {
            continue;
        };
        let is_pair = event == race.first.event || event == race.second.event;
        let class = if is_pair { " class=\"pair\"" } else { "" };
        let line =
            format!("<line{class} x1=\"0\" y1=\"{left}\" x2=\"{BETWEEN}\" y2=\"{right}\"/>\n");
        if is_pair { pair.push_str(&line) } else { others.push_str(&line) }
    }
    others + &pair
}

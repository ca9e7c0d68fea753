//! The rows of an account, before anything is known about widths: what is shown of each event.

use crate::columns::{DECIDES, MARK, NO_MARK};
use crate::explanation;
use crate::lane_key::{Key, key_of, names};
use crate::page::parse;
use crate::words;
use mazurka_engine::{Fault, RecordedEvent, Recording};

/// Marks the last event of a thread or message.
const LAST_EVENT: &str = " ∎";

/// One event as it is shown.
pub(crate) struct Row<'a> {
    /// Its position in the execution, counted from 1.
    pub number: usize,
    /// Index into [`Rows::columns`].
    pub column: usize,
    /// The event itself.
    pub event: &'a RecordedEvent,
    /// What it did.
    pub words: String,
    /// Why it read what it read, where that is not what was written last.
    pub note: Option<&'a str>,
    /// Where in the source, without what all places have in common.
    pub place: String,
    /// Is it one of the two events whose order decides?
    pub decides: bool,
}

impl Row<'_> {
    /// What a failure of it saw, a line each.
    pub fn values(&self, rows: &Rows<'_>, fault: &Fault) -> Vec<String> {
        explanation::values(rows.recording, fault, self.number)
    }

    /// What stands left of its number.
    pub fn mark(&self) -> &'static str {
        match (self.event.faults.is_empty(), self.decides) {
            (false, _) => MARK,
            (true, true) => DECIDES,
            (true, false) => NO_MARK,
        }
    }
}

/// Everything an account shows.
pub(crate) struct Rows<'a> {
    /// The names of the threads, then of the handlers.
    pub columns: Vec<String>,
    /// The events, without those that are left out.
    pub rows: Vec<Row<'a>>,
    /// What is shown.
    pub recording: &'a Recording,
    /// How many events at the beginning are left out.
    pub left_out: usize,
    /// The file that all places are in, if it is one.
    pub file: Option<String>,
}

impl<'a> Rows<'a> {
    /// The last `last` events of a recording, or all of them, with those marked that decide.
    pub fn new(
        recording: &'a Recording,
        last: Option<usize>,
        deciding: [Option<usize>; 2],
    ) -> Rows<'a> {
        let events = &recording.events;
        let left_out = last.map_or(0, |last| events.len().saturating_sub(last));
        let shown = &events[left_out..];
        let keys = column_keys(shown);
        let file = common_file(shown);
        let place_of = |event| place_of(event, file);
        let rows = shown.iter().enumerate().map(|(at, event)| Row {
            number: left_out + at + 1,
            column: keys
                .iter()
                .position(|&key| key == key_of(event))
                .expect("every event has its column"),
            event,
            words: words_of(event, recording),
            note: words::remark(event).1,
            place: place_of(event),
            decides: deciding.contains(&Some(left_out + at)),
        });
        Rows {
            rows: rows.collect(),
            columns: names(&keys),
            recording,
            left_out,
            file: file.map(short_path),
        }
    }
}

fn words_of(event: &RecordedEvent, recording: &Recording) -> String {
    let has_value = |object: &str| recording.variables.iter().any(|it| it.name == object);
    let mut words = words::briefly(event, &has_value);
    if event.ends_task {
        words.push_str(LAST_EVENT);
    }
    words
}

/// Threads first, then handlers, each in the order of their first event.
fn column_keys(events: &[RecordedEvent]) -> Vec<Key<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    for event in events {
        let key = key_of(event);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.sort_by_key(|&(on_handler, ..)| on_handler);
    keys
}

fn common_file(events: &[RecordedEvent]) -> Option<&str> {
    let mut files = events.iter().filter_map(|event| event.location.as_deref()).map(file_of);
    let first = files.next()??;
    files.all(|file| file == Some(first)).then_some(first)
}

/// `a.ed` of `a.ed:3:4`, `trace.txt` of `trace.txt:3`.
fn file_of(location: &str) -> Option<&str> {
    parse(location).map(|(file, ..)| file)
}

/// Without the file, if that is the same for all.
fn place_of(event: &RecordedEvent, file: Option<&str>) -> String {
    let Some(location) = &event.location else {
        return String::new();
    };
    file.and_then(|file| location.strip_prefix(file)?.strip_prefix(':'))
        .map_or_else(|| short_path(location), str::to_owned)
}

/// The last two parts of a path, which is what people recognise.
pub(crate) fn short_path(path: &str) -> String {
    let cut = path.rmatch_indices(['/', '\\']).nth(1);
    cut.map_or(path, |(cut, _)| &path[cut + 1..]).to_owned()
}

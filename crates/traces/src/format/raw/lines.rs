//! The lines of a raw log.
//!
//! A block of accesses is logged before the ACCESS that stands for it, and happens where the ACCESS
//! stands: what other threads log in between comes before the block, as in the published traces.

use crate::action::{Action, MessageId, ThreadId};
use crate::error::{Error, Reason, Warning, WarningKind};
use crate::format::fields::{Fields, id};
use crate::format::{keyword, text};
use rustc_hash::FxHashMap;

/// What one line says.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// An operation that is the same in `trace.txt`.
    Operation(Action),
    /// A post; where to is not logged.
    Post { tid: ThreadId, message: MessageId, delayed: bool },
    /// A thread of the system begins to be seen, and what it is called.
    Native { tid: ThreadId, name: String },
    /// The running message of the thread is an idle handler.
    Idle(ThreadId),
}

impl Entry {
    /// The thread that the line is about.
    pub(super) fn tid(&self) -> ThreadId {
        match *self {
            Entry::Operation(ref action) => action.tid(),
            Entry::Post { tid, .. } | Entry::Native { tid, .. } | Entry::Idle(tid) => tid,
        }
    }
}

/// A line with its number.
pub(super) type Log = Vec<(u32, Entry)>;

/// Where the race report begins.
const REPORT: [&str; 2] = ["HB Graph", "Races detected"];
const HEADER: &str = "Android bug-checker log messages";

/// Reads the lines up to the race report.
pub(super) fn parse(name: &str, content: &[u8]) -> Result<(Log, Vec<Warning>), Error> {
    let mut log = Vec::new();
    let mut warnings = Vec::new();
    let mut numbers = Numbers::default();
    // Accesses of each thread that wait for the marker behind them.
    let mut blocks: FxHashMap<ThreadId, Log> = FxHashMap::default();
    for item in text::lines(name, content) {
        let (line, text) = item?;
        let text = text.trim_start();
        if REPORT.iter().any(|report| text.starts_with(report)) {
            break;
        }
        if text.is_empty() || text == HEADER {
            continue;
        }
        match parse_line(text, &mut numbers) {
            Ok(Line::Access(action)) => {
                blocks.entry(action.tid()).or_default().push((line, Entry::Operation(action)))
            }
            Ok(Line::BlockEnd(tid)) => log.append(blocks.entry(tid).or_default()),
            Ok(Line::Entry(entry)) => {
                // The marker comes first in every log we know; should it be missing, the thread's order counts.
                log.append(blocks.entry(entry.tid()).or_default());
                log.push((line, entry));
            }
            Ok(Line::Marker) => {}
            Ok(Line::Ignored(WarningKind::Start)) if line == 1 => {}
            Ok(Line::Ignored(kind)) => warnings.push(Warning { line, kind }),
            Err(reason) => {
                return Err(Error { file: name.to_owned(), line, reason });
            }
        }
        warnings.extend(numbers.gap.take().map(|kind| Warning { line, kind }));
    }
    let mut cut: Vec<_> = blocks.into_values().flatten().collect();
    cut.sort_unstable_by_key(|&(line, _)| line);
    log.append(&mut cut);
    Ok((log, warnings))
}

enum Line {
    Entry(Entry),
    /// One of a block of accesses, which stands where its marker does.
    Access(Action),
    /// The marker behind a block of accesses.
    BlockEnd(ThreadId),
    /// Dropped, because the log has it only for the race detector.
    Marker,
    Ignored(WarningKind),
}

/// The two numberings; both count without gaps, so a lost or repeated line shows.
#[derive(Default)]
struct Numbers {
    operation: Option<u32>,
    access: Option<u32>,
    gap: Option<WarningKind>,
}

impl Numbers {
    fn count(&mut self, text: &str, accesses: bool) -> Result<(), Reason> {
        let (field, last) = match accesses {
            true => ("rwId", &mut self.access),
            false => ("operation", &mut self.operation),
        };
        let found = id(field, text)?;
        match last.replace(found) {
            Some(previous) if found <= previous => {
                return Err(Reason::LogNotInOrder { field, found, previous });
            }
            Some(previous) if found > previous + 1 => {
                self.gap = Some(WarningKind::LogGap { field, found, previous });
            }
            _ => {}
        }
        Ok(())
    }
}

fn parse_line(text: &str, numbers: &mut Numbers) -> Result<Line, Reason> {
    let mut parts = text.splitn(3, ' ');
    let number = parts.next().unwrap_or_default();
    let keyword = parts.next().unwrap_or_default();
    let rest = parts.next();
    match number.strip_prefix("rwId:") {
        Some(number) => numbers.count(number, true)?,
        None if number.starts_with(|first: char| first.is_ascii_digit()) => {
            numbers.count(number, false)?
        }
        None => {
            return Err(Reason::NotALogLine { found: shorten(text) });
        }
    }
    entry(keyword, Fields::new(keyword, rest), rest.unwrap_or_default())
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

fn entry(keyword: &str, mut fields: Fields<'_>, rest: &str) -> Result<Line, Reason> {
    Ok(match keyword {
        "POST" => Line::Entry(post(fields)?),
        "NATIVE-ENTRY" => {
            let tid = native(fields)?;
            let name = rest.split_once("thread-name:").map_or("", |(_, name)| name);
            Line::Entry(Entry::Native { tid, name: name.to_owned() })
        }
        "NATIVE-EXIT" => Line::Entry(Entry::Operation(Action::NativeExit { tid: native(fields)? })),
        "QUEUE_IDLE" => Line::Entry(Entry::Idle(ThreadId(id("tid", fields.next("tid")?)?))),
        "ACCESS" => Line::BlockEnd(ThreadId(id("tid", fields.next("tid")?)?)),
        "INSTANCE-INTENT" | "ADD_IDLE_HANDLER" => Line::Marker,
        _ if keyword.starts_with("REMOVE") && keyword.contains("IDLE") => Line::Marker,
        "READ" | "WRITE" if rest.contains(" database:") => Line::Marker,
        "" => {
            return Err(Reason::Truncated {
                keyword: "the operation".to_owned(),
                field: "a keyword",
            });
        }
        _ => match keyword::parse(keyword, &mut fields)? {
            Some(action) if is_access(&action) => Line::Access(action),
            Some(action) => Line::Entry(Entry::Operation(action)),
            None if matches!(keyword, "START" | "JOIN") => Line::Ignored(text::ignored(keyword)),
            None => {
                return Err(Reason::UnknownOperation { keyword: keyword.to_owned() });
            }
        },
    })
}

fn is_access(action: &Action) -> bool {
    use Action::*;
    matches!(action, Read { .. } | Write { .. } | ReadStatic { .. } | WriteStatic { .. })
}

fn post(mut fields: Fields<'_>) -> Result<Entry, Reason> {
    let tid = ThreadId(id("src", fields.next("src")?)?);
    let message = MessageId(id("msg", fields.next("msg")?)?);
    // Always -1; where the message goes is known from its CALL.
    fields.next("dest")?;
    let delay = id("delay", fields.next("delay")?)?;
    Ok(Entry::Post { tid, message, delayed: delay > 0 })
}

/// `tid:3thread-name:Binder Thread #1`: there is no blank behind the number.
fn native(mut fields: Fields<'_>) -> Result<ThreadId, Reason> {
    let value = fields.next("tid")?;
    let digits = value.find(|c: char| !c.is_ascii_digit()).map_or(value, |end| &value[..end]);
    id("tid", digits).map(ThreadId)
}

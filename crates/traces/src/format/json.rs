//! The project's own format: one JSON file with a version, the same content as the text format.
//!
//! ```json
//! {
//!   "format": "mazurka-trace",
//!   "version": 1,
//!   "operations": [
//!     {"index": 2, "action": {"kind": "thread-init", "tid": 1}},
//!     {"index": 3, "action": {"kind": "post", "origin": "application", "tid": 1, "message": 5, "destination": 1}}
//!   ],
//!   "dependences": [[2, 3]],
//!   "names": {"thread 1": "main"}
//! }
//! ```
//!
//! The actions and their fields are those of [`Action`]. Unknown fields and versions are errors; dependences and
//! [names](crate::names) may be left out.

use crate::action::Action;
use crate::error::{Error, Reason};
use crate::names::Names;
use crate::trace::{Dependence, Recorded, RecordedTrace};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What `format` says in every file.
pub const FORMAT: &str = "mazurka-trace";
/// The version that is written, and the only one so far.
pub const VERSION: u32 = 1;

/// Only what every version has, to say early which one it is.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileToRead<'t> {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    /// Kept as text at first: its place in the file gives the line of each operation.
    #[serde(borrow)]
    operations: Vec<&'t RawValue>,
    #[serde(default)]
    dependences: Vec<Dependence>,
    #[serde(default)]
    names: Names,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<A> {
    index: u32,
    action: A,
}

/// Reads a file. Says nothing yet about whether the operations fit together: that is [`crate::check`].
pub fn read(name: &str, content: &[u8]) -> Result<RecordedTrace, Error> {
    let text = str::from_utf8(content).map_err(|error| {
        let line = content[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Error { file: name.to_owned(), line: line as u32 + 1, reason: Reason::NotUtf8 }
    })?;
    let head: Head = serde_json::from_str(text).map_err(|error| bad_json(name, 0, &error))?;
    check_head(&head).map_err(|reason| Error { file: name.to_owned(), line: 1, reason })?;
    let file: FileToRead<'_> =
        serde_json::from_str(text).map_err(|error| bad_json(name, 0, &error))?;
    Ok(RecordedTrace {
        name: name.to_owned(),
        dependence_name: name.to_owned(),
        operations: operations(name, text, &file.operations)?,
        dependences: file.dependences,
        names: file.names,
    })
}

fn check_head(head: &Head) -> Result<(), Reason> {
    if head.format != FORMAT {
        return Err(Reason::WrongFormat { expected: FORMAT, found: head.format.clone() });
    }
    if head.version != VERSION {
        return Err(Reason::WrongVersion { found: head.version, known: VERSION });
    }
    Ok(())
}

fn operations(name: &str, text: &str, raw: &[&RawValue]) -> Result<Vec<Recorded>, Error> {
    let mut line = 1;
    let mut seen = 0;
    let mut operations = Vec::with_capacity(raw.len());
    for value in raw {
        // A raw value is a slice of the text, so its address is its place.
        let place = value.get().as_ptr() as usize - text.as_ptr() as usize;
        line += text.as_bytes()[seen..place].iter().filter(|&&byte| byte == b'\n').count() as u32;
        seen = place;
        let entry: Entry<Action> =
            serde_json::from_str(value.get()).map_err(|error| bad_json(name, line - 1, &error))?;
        operations.push(Recorded { index: entry.index, line, action: entry.action });
    }
    Ok(operations)
}

/// The library's message ends with line and column, which the error says itself.
fn bad_json(name: &str, lines_before: u32, error: &serde_json::Error) -> Error {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    let line = lines_before + u32::try_from(error.line()).unwrap_or(u32::MAX - lines_before);
    Error { file: name.to_owned(), line, reason: Reason::BadJson { message: message.to_owned() } }
}

/// Writes a file: one operation on a line, so that two traces can be compared with the usual tools.
pub fn write(trace: &RecordedTrace) -> String {
    let mut out =
        format!("{{\n\"format\": \"{FORMAT}\",\n\"version\": {VERSION},\n\"operations\": [\n");
    let entries = trace.operations.iter().map(|recorded| {
        let entry = Entry { index: recorded.index, action: &recorded.action };
        serde_json::to_string(&entry).expect("an operation has nothing that JSON cannot say")
    });
    out.push_str(&entries.collect::<Vec<_>>().join(",\n"));
    out.push_str("\n],\n\"dependences\": [\n");
    let edges = trace
        .dependence_set()
        .into_iter()
        .map(|(source, destination)| format!("[{source},{destination}]"));
    out.push_str(&edges.collect::<Vec<_>>().join(",\n"));
    out.push_str("\n]");
    if !trace.names.is_empty() {
        let names = serde_json::to_string_pretty(&trace.names).expect("names are text");
        out.push_str(&format!(",\n\"names\": {names}"));
    }
    out.push_str("\n}\n");
    out
}

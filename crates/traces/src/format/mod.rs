//! The formats of recorded traces: which one a file is in, reading ([`load`]) and writing ([`write()`]) it. To
//! convert is to do both.
//!
//! | format | files | read | written |
//! |---|---|---|---|
//! | [`text`] | `trace.txt` and `dependence.txt` of EM-Explorer | yes | yes |
//! | [`raw`] | `abc_log.txt` of DroidRacer | yes, with its preprocessing | no: the log has more than a trace |
//! | [`json`] | one file of the project's own, versioned | yes | yes |

pub(crate) mod fields;
pub mod json;
mod keyword;
pub mod raw;
pub mod text;

use crate::check;
use crate::error::{Error, Reason, Warning};
use crate::trace::RecordedTrace;

/// How a recorded trace is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// EM-Explorer's `trace.txt`.
    Text,
    /// DroidRacer's raw log.
    Raw,
    /// The project's own JSON.
    Json,
}

impl Format {
    /// The format that the content looks like.
    pub fn detect(content: &[u8]) -> Format {
        match content.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => Format::Json,
            _ if raw::looks_raw(content) => Format::Raw,
            _ => Format::Text,
        }
    }

    /// All of them.
    pub const ALL: [Format; 3] = [Format::Text, Format::Raw, Format::Json];

    /// The word that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Raw => "raw",
            Format::Json => "json",
        }
    }
}

/// A trace that was read and passed its check.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file says.
    pub trace: RecordedTrace,
    /// What was ignored or repaired, in the order of the lines.
    pub warnings: Vec<Warning>,
    /// How the file was written.
    pub format: Format,
}

/// Reads a trace in any format and checks it. `name` is what errors call the file; `dependences` is
/// the name and content of the dependence file, which only [`Format::Text`] has.
pub fn load(
    name: &str,
    content: &[u8],
    dependences: Option<(&str, &[u8])>,
) -> Result<Loaded, Error> {
    let format = Format::detect(content);
    let (trace, mut warnings) = match format {
        Format::Text => text::read(name, content, dependences)?,
        Format::Raw => {
            no_dependences(dependences, "raw log")?;
            // Checked while it is read.
            raw::read(name, content, raw::EmptyHandlers::Remove)?
        }
        Format::Json => {
            no_dependences(dependences, "JSON trace")?;
            (json::read(name, content)?, Vec::new())
        }
    };
    if format != Format::Raw {
        warnings.extend(check::check(&trace)?.warnings);
    }
    warnings.sort_by_key(|warning| warning.line);
    Ok(Loaded { trace, warnings, format })
}

/// A trace as it stands in files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The content of the file.
    pub trace: String,
    /// The content of the dependence file, where the format has one.
    pub dependences: Option<String>,
}

/// Writes a trace. [`Format::Raw`] can only be read.
pub fn write(trace: &RecordedTrace, format: Format) -> Result<Written, Error> {
    match format {
        Format::Text => Ok(Written {
            trace: text::write_trace(trace)?,
            dependences: Some(text::write_dependences(trace)),
        }),
        Format::Json => Ok(Written { trace: json::write(trace), dependences: None }),
        Format::Raw => {
            Err(Error { file: trace.name.clone(), line: 0, reason: Reason::RawIsReadOnly })
        }
    }
}

/// An empty dependence file says nothing, so it may stand beside any trace.
fn no_dependences(dependences: Option<(&str, &[u8])>, format: &'static str) -> Result<(), Error> {
    match dependences {
        Some((name, content)) if !content.trim_ascii().is_empty() => Err(Error {
            file: name.to_owned(),
            line: 1,
            reason: Reason::NeedlessDependences { format },
        }),
        _ => Ok(()),
    }
}

//! Traces as files: which format a name asks for, and an execution, a recorded trace or a partial trace in any of them.
//!
//! | name | format |
//! |---|---|
//! | `x.json` | recorded, JSON |
//! | `x.partial.json`, `x.json.gz` | partial, `ed-trace/1` |
//! | anything else | recorded, EM-Explorer's text, with `dependence.txt` beside it if it has dependences |

use crate::error::Error;
use crate::output;
use crate::screen::Screen;
use mazurka_consistency::{Trace, read};
use mazurka_engine::partial_trace::PartialTrace;
use mazurka_engine::{Move, Program, Recording, Run, Schedule};
use mazurka_traces::format::{json, text};
use mazurka_traces::{RecordedTrace, TraceProgram, from_execution};
use std::path::{Path, PathBuf};

/// What EM-Explorer calls the file of the dependences.
pub const DEPENDENCE_FILE: &str = "dependence.txt";

/// How a trace is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Text,
    Json,
    Partial,
    PartialPacked,
}

impl Format {
    fn of(path: &Path) -> Format {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match &*name {
            name if name.ends_with(".partial.json") => Format::Partial,
            name if name.ends_with(".gz") => Format::PartialPacked,
            name if name.ends_with(".json") => Format::Json,
            _ => Format::Text,
        }
    }

    fn is_partial(self) -> bool {
        matches!(self, Format::Partial | Format::PartialPacked)
    }
}

/// Is a partial trace wanted?
pub fn wants_partial(path: &Path) -> bool {
    Format::of(path).is_partial()
}

/// A trace that is to be written.
pub struct TraceFile {
    path: PathBuf,
    content: Vec<u8>,
    dependences: Option<String>,
}

impl TraceFile {
    /// An execution of a program, as a trace of this name.
    pub fn of_execution<P: Program>(
        path: &Path,
        name: &str,
        program: &P,
        recording: &Recording,
    ) -> Result<Self, Error> {
        if !wants_partial(path) {
            return TraceFile::of_recorded(path, &from_execution(name, recording)?);
        }
        Ok(TraceFile::of_partial(path, &partial(program, &recording.schedule())?))
    }

    /// A recorded trace, whatever the format.
    pub fn of_recorded(path: &Path, trace: &RecordedTrace) -> Result<Self, Error> {
        let path = path.to_owned();
        Ok(match Format::of(&path) {
            Format::Json => {
                TraceFile { path, content: json::write(trace).into_bytes(), dependences: None }
            }
            Format::Text => {
                // Not every trace can be written so; then nothing is.
                let content = text::write_trace(trace)?.into_bytes();
                let is_free = trace.dependences.is_empty();
                let dependences = (!is_free).then(|| text::write_dependences(trace));
                TraceFile { path, content, dependences }
            }
            Format::Partial | Format::PartialPacked => {
                TraceFile::of_partial(&path, &partial_of_recorded(trace)?)
            }
        })
    }

    /// A partial trace, in one of the formats for those.
    pub fn of_partial(path: &Path, trace: &Trace) -> Self {
        let text = mazurka_consistency::format::write(trace) + "\n";
        let content = match Format::of(path) {
            Format::PartialPacked => read::packed(text.as_bytes()),
            _ => text.into_bytes(),
        };
        TraceFile { path: path.to_owned(), content, dependences: None }
    }

    /// Writes it. No input may be overwritten.
    pub fn write(&self, inputs: &[&Path], screen: &Screen) -> Result<(), Error> {
        let beside = self.path.with_file_name(DEPENDENCE_FILE);
        let beside = self.dependences.as_ref().map(|text| (beside.as_path(), text.as_bytes()));
        let files = [Some((self.path.as_path(), self.content.as_slice())), beside];
        for (path, _) in files.iter().flatten() {
            inputs.iter().try_for_each(|input| output::check_path(path, input))?;
        }
        for (path, content) in files.iter().flatten() {
            output::write_bytes(path, content)?;
        }
        if let Some((path, _)) = beside {
            screen.note(&format!("the dependences are in {}", path.display()));
        }
        Ok(())
    }
}

/// The recorded execution of a trace as a partial trace.
pub fn partial_of_recorded(trace: &RecordedTrace) -> Result<Trace, Error> {
    let program = TraceProgram::new(trace)?;
    let run = program.start();
    let moves = program.recorded_order().iter();
    let moves = moves.map(|&task| Move { task: run.task_path(task), choice: 0 }).collect();
    partial(&program, &Schedule { moves })
}

fn partial<P: Program>(program: &P, schedule: &Schedule) -> Result<Trace, Error> {
    let partial = PartialTrace::record(program, schedule).map_err(Error::NoPartialTrace)?;
    Ok(partial.trace)
}

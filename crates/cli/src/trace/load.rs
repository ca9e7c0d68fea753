//! Reads a recorded trace with its dependences.

use crate::args::TraceArgs;
use crate::error::Error;
use crate::input;
use crate::screen::Screen;
use mazurka_traces::{RecordedTrace, cleanup};

/// The trace, cleaned if asked for. What was ignored or repaired in it is said on standard error.
pub fn load(args: &TraceArgs, screen: &Screen) -> Result<RecordedTrace, Error> {
    let content = input::read_bytes(&args.file)?;
    let name = args.file.to_string_lossy();
    let dependences = match &args.dependence {
        Some(path) => Some((path.to_string_lossy(), input::read_bytes(path)?)),
        None => None,
    };
    let dependences =
        dependences.as_ref().map(|(name, content)| (name.as_ref(), content.as_slice()));
    let mut loaded = mazurka_traces::load(&name, &content, dependences)?;
    if let Some(file) = args.file.file_name() {
        // Places in reports have the file's name; only errors and warnings show the way to it.
        loaded.trace.name = file.to_string_lossy().into_owned();
    }
    for warning in &loaded.warnings {
        screen.note(&format!("{name}: {warning}"));
    }
    if args.remove_empty_handlers {
        let (cleaned, removed) = cleanup::remove_empty_handlers(&loaded.trace);
        screen.note(&format!("{removed} messages that do nothing are left out"));
        return Ok(cleaned);
    }
    Ok(loaded.trace)
}

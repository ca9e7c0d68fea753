//! Reads a recorded trace with its dependences.

use crate::args::TraceArgs;
use crate::error::Error;
use crate::input;
use crate::screen::Screen;
use mazurka_traces::{Format, RecordedTrace, cleanup};
use std::path::PathBuf;

/// What EM-Explorer calls the file of the dependences.
pub const DEPENDENCE_FILE: &str = "dependence.txt";

/// The trace, cleaned if asked for. What was ignored or repaired in it is said on standard error.
pub fn load(args: &TraceArgs, screen: &Screen) -> Result<RecordedTrace, Error> {
    let content = input::read_bytes(&args.file)?;
    let name = args.file.to_string_lossy();
    let beside = dependences_beside(args, &content, screen);
    let dependences = match args.dependence.as_ref().or(beside.as_ref()) {
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

/// The dependences of EM-Explorer's traces stand in a file beside them, which is used unless another one is named.
fn dependences_beside(args: &TraceArgs, content: &[u8], screen: &Screen) -> Option<PathBuf> {
    let is_wanted = args.dependence.is_none() && Format::detect(content) == Format::Text;
    let path = args.file.with_file_name(DEPENDENCE_FILE);
    let is_there = is_wanted && path != args.file && path.metadata().is_ok_and(|it| it.len() > 0);
    if is_there {
        screen.note(&format!("with the dependences of {}", path.display()));
    }
    is_there.then_some(path)
}

//! `mazurka trace convert`: from one format to another.

use super::load::{load, load_partial};
use crate::args::ConvertArgs;
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::trace_file::{TraceFile, wants_partial};

pub fn run(args: &ConvertArgs, screen: &Screen) -> Result<Status, Error> {
    let is_plain = args.trace.dependence.is_none() && !args.trace.remove_empty_handlers;
    let file = if wants_partial(&args.output) && is_plain {
        TraceFile::of_partial(&args.output, &load_partial(&args.trace.file, screen)?)
    } else {
        TraceFile::of_recorded(&args.output, &load(&args.trace, screen)?)?
    };
    let inputs = [Some(args.trace.file.as_path()), args.trace.dependence.as_deref()];
    let inputs: Vec<_> = inputs.into_iter().flatten().collect();
    file.write(&inputs, screen)?;
    Ok(Status::Fine)
}

//! `mazurka trace convert`: from one format to another.

use super::load::{DEPENDENCE_FILE, load};
use crate::args::ConvertArgs;
use crate::error::{Error, Status};
use crate::output;
use crate::screen::Screen;
use mazurka_traces::format::{json, text};
use std::path::Path;

pub fn run(args: &ConvertArgs, screen: &Screen) -> Result<Status, Error> {
    let trace = load(&args.trace, screen)?;
    check(&args.output, args)?;
    if args.output.extension().is_some_and(|end| end == "json") {
        output::write(&args.output, &json::write(&trace))?;
        return Ok(Status::Fine);
    }
    // Not every trace can be written so; then nothing is.
    let text = text::write_trace(&trace)?;
    if !trace.dependences.is_empty() {
        let path = args.output.with_file_name(DEPENDENCE_FILE);
        check(&path, args)?;
        output::write(&path, &text::write_dependences(&trace))?;
        screen.note(&format!("the dependences are in {}", path.display()));
    }
    output::write(&args.output, &text)?;
    Ok(Status::Fine)
}

/// Neither input may be overwritten.
fn check(path: &Path, args: &ConvertArgs) -> Result<(), Error> {
    output::check_path(path, &args.trace.file)?;
    match &args.trace.dependence {
        Some(dependence) => output::check_path(path, dependence),
        None => Ok(()),
    }
}

//! `mazurka trace explore`: the other interleavings of a recorded execution.

use super::load::load;
use crate::args::TraceExploreArgs;
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{explore, export, output};
use mazurka_engine::Mailbox;
use mazurka_report::Subject;
use mazurka_traces::TraceProgram;

pub fn run(args: &TraceExploreArgs, screen: &Screen) -> Result<Status, Error> {
    let program = TraceProgram::new(&load(&args.trace, screen)?)?;
    if let Some(path) = &args.output.report {
        output::check_path(path, &args.trace.file)?;
    }
    export::check_paths(&args.output, &args.trace.file)?;
    let stem = args.trace.file.file_stem().unwrap_or_default();
    let subject = Subject {
        program: stem.to_string_lossy().into_owned(),
        params: Vec::new(),
        mailbox: Mailbox::Fifo,
    };
    let outcome =
        explore::run(&program, &args.trace.file, subject, &args.exploration, &args.output, screen)?;
    Ok(outcome.verdict().into())
}

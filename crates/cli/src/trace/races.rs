//! `mazurka trace races`: what of a recorded execution can happen in the other order.

use super::load::load;
use super::races_page;
use crate::args::{Format, RacesArgs};
use crate::error::{Error, Status};
use crate::explore::TIME_TO_SHOW;
use crate::screen::Screen;
use crate::{interrupt, output};
use mazurka_engine::{Limits, Watch};
use mazurka_report::races;
use mazurka_traces::TraceProgram;
use std::time::{Duration, Instant};

pub fn run(args: &RacesArgs, screen: &Screen) -> Result<Status, Error> {
    if let Some(path) = &args.report {
        output::check_path(path, &args.trace.file)?;
    }
    let started = Instant::now();
    let program = TraceProgram::new(&load(&args.trace, screen)?)?;
    let watch = |timeout: Option<Duration>| {
        let limits = Limits { timeout, cancel: Some(interrupt::flag()), ..Limits::default() };
        Watch::new(&limits, started)
    };
    let found = mazurka_traces::races::races(&program, &watch(args.timeout));
    let stem = args.trace.file.file_stem().unwrap_or_default().to_string_lossy();
    screen.print(&match args.format {
        Format::Json => races::json(&stem, &found, started.elapsed()),
        Format::Text => {
            races::text(&stem, &found, started.elapsed(), args.witnesses, screen.palette())
        }
    })?;
    if let Some(path) = &args.report {
        let watch = watch(args.timeout.map(|time| time.saturating_add(TIME_TO_SHOW)));
        races_page::write(path, &args.trace.file, &program, &found, &watch)?;
    }
    Ok(if found.undecided == 0 { Status::Fine } else { Status::Incomplete })
}

//! Explores any program as the arguments say, with a progress line on a terminal, and reports.

use crate::args::{ExplorationArgs, Format, OutputArgs};
use crate::error::Error;
use crate::page::{self, Keeper, MOST_FAILURES, MOST_PASSING, Pictures};
use crate::screen::Screen;
use crate::{export, interrupt};
use mazurka_engine::{
    Algorithm, Config, Limits, Observer, Outcome, Program, Recording, ReplayError, Schedule, Watch,
    explore, replay_watched,
};
use mazurka_report::{
    Examined, Exploration, FileReport, ProgressLine, Subject, account, json, summary,
};
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// An exploration that has come to its end.
pub struct Explored {
    pub subject: Subject,
    pub config: Config,
    pub outcome: Outcome,
    /// What happens when the schedule of the first failure is run again.
    recording: Option<Recording>,
    /// What its page shows.
    pictures: Pictures,
}

/// What is shown while it goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// A line, on a terminal.
    Line,
    /// Nothing.
    Quiet,
}

impl Explored {
    /// What reports are made of.
    pub fn exploration(&self) -> Exploration<'_> {
        Exploration { subject: &self.subject, config: &self.config, outcome: &self.outcome }
    }

    /// The report for people.
    pub fn text(&self, args: &OutputArgs, screen: &Screen) -> String {
        let exploration = self.exploration();
        let palette = screen.palette();
        let mut out = summary(&exploration, palette);
        if let Some(failure) = self.outcome.failures.first() {
            out.push('\n');
            out.push_str(&summary::failure(failure, palette));
            out.push('\n');
            out.push_str(&match &self.recording {
                Some(recording) => account(recording, &screen.account_options(args.all_steps)),
                None => "the time is up: its steps are not shown\n".to_owned(),
            });
            let others = summary::other_failures(&exploration);
            if !others.is_empty() {
                out.push_str(&format!("\n{others}"));
            }
        }
        out
    }

    /// Writes the page about it, if one was asked for.
    pub fn write_page(&self, args: &OutputArgs, file: &Path) -> Result<(), Error> {
        match &args.report {
            Some(path) => page::write_exploration(path, file, &self.exploration(), &self.pictures),
            None => Ok(()),
        }
    }

    /// Writes the first failure for other tools, if that was asked for and there is one.
    pub fn write_exports(&self, args: &OutputArgs) -> Result<(), Error> {
        match (self.outcome.failures.first(), &self.recording) {
            (Some(failure), Some(recording)) => {
                export::write_execution(args, recording, Some(failure))
            }
            _ => Ok(()),
        }
    }
}

/// Explores `program`, prints the report, and writes the files that were asked for.
pub fn run<P: Program>(
    program: &P,
    file: &Path,
    subject: Subject,
    args: &ExplorationArgs,
    output: &OutputArgs,
    screen: &Screen,
) -> Result<Outcome, Error> {
    note_threads(args, screen);
    let explored = explored(program, subject, args, Progress::Line, output.report.is_some())?;
    screen.print(&match output.format {
        Format::Json => json::exploration(&explored.exploration()),
        Format::Text => explored.text(output, screen),
    })?;
    explored.write_page(output, file)?;
    explored.write_exports(output)?;
    let examined = Examined { exploration: explored.exploration(), compared: None };
    let report = FileReport { file: file.display().to_string(), result: Ok(vec![examined]) };
    export::write_results(output, &[report], explored.outcome.statistics.elapsed)?;
    Ok(explored.outcome)
}

/// Explores `program`. `with_page` keeps what a page shows.
pub fn explored<P: Program>(
    program: &P,
    subject: Subject,
    args: &ExplorationArgs,
    progress: Progress,
    with_page: bool,
) -> Result<Explored, Error> {
    let config = config(args)?;
    if config.algorithm.compares_states() && !program.compares_states() {
        return Err(Error::NoStates(config.algorithm.name()));
    }
    let (outcome, complete) = explore_with_progress(program, &config, progress);
    let steps = |schedule: &Schedule| steps_of(program, schedule, &config, &outcome);
    let recording = match outcome.failures.first() {
        Some(failure) => steps(&failure.schedule)?,
        None => None,
    };
    let pictures = match with_page {
        true => pictures(&outcome, &complete, steps)?,
        false => Pictures::default(),
    };
    Ok(Explored { subject, config, outcome, recording, pictures })
}

/// The executions that a page shows.
fn pictures(
    outcome: &Outcome,
    complete: &[Schedule],
    steps: impl Fn(&Schedule) -> Result<Option<Recording>, Error>,
) -> Result<Pictures, Error> {
    let mut pictures = Pictures::default();
    for failure in outcome.failures.iter().take(MOST_FAILURES) {
        // Without time for one there is none for the others.
        let Some(recording) = steps(&failure.schedule)? else { return Ok(pictures) };
        pictures.failures.push(recording);
    }
    for schedule in complete {
        if pictures.passing.len() == MOST_PASSING {
            break;
        }
        let Some(recording) = steps(schedule)? else { break };
        if recording.faults().next().is_none() {
            pictures.passing.push(recording);
        }
    }
    Ok(pictures)
}

/// So long after the time is up, the steps of a failure may still be shown.
const TIME_TO_SHOW: Duration = Duration::from_millis(150);

/// What happens when a schedule is run again; nothing if the time is up.
fn steps_of<P: Program>(
    program: &P,
    schedule: &Schedule,
    config: &Config,
    outcome: &Outcome,
) -> Result<Option<Recording>, Error> {
    let left = |timeout: Duration| timeout.saturating_sub(outcome.statistics.elapsed);
    let watch = match config.limits.timeout {
        _ if interrupt::flag().load(Ordering::Relaxed) => Watch::lasting(TIME_TO_SHOW),
        Some(timeout) => Watch::lasting(left(timeout).saturating_add(TIME_TO_SHOW)),
        None => Watch::default(),
    };
    match replay_watched(program, schedule, &watch) {
        Ok(recording) => Ok(Some(recording)),
        Err(ReplayError::TimeIsUp { .. }) => Ok(None),
        Err(error) => Err(Error::NotReproducible(error)),
    }
}

/// Says that one exploration is not split, if that was asked for.
pub fn note_threads(args: &ExplorationArgs, screen: &Screen) {
    if args.threads.is_some_and(|threads| threads.get() > 1) {
        screen.note("explorations are not split yet: one worker is used");
    }
}

/// What the engine is told.
fn config(args: &ExplorationArgs) -> Result<Config, Error> {
    if args.bound.is_some() && args.algorithm != Algorithm::R4 {
        return Err(Error::BoundIsForR4(args.algorithm.name()));
    }
    let defaults = Limits::default();
    Ok(Config {
        keep_going: args.keep_going,
        classes: args.classes,
        check: args.check,
        limits: Limits {
            max_executions: args.max_executions,
            timeout: args.timeout,
            cancel: Some(interrupt::flag()),
            max_events: args.max_events.or(defaults.max_events),
            max_memory: args.max_memory.or(defaults.max_memory),
        },
        seed: args.seed,
        pct_depth: args.pct_depth,
        bound: args.bound,
        ..Config::new(args.algorithm)
    })
}

/// The outcome, and the schedules of some complete executions.
fn explore_with_progress<P: Program>(
    program: &P,
    config: &Config,
    progress: Progress,
) -> (Outcome, Vec<Schedule>) {
    let mut line;
    let size = terminal_size::terminal_size_of(stderr());
    let width = size.map_or(usize::MAX, |(width, _)| usize::from(width.0));
    let observer: &mut dyn Observer = if progress == Progress::Line && stderr().is_terminal() {
        line = ProgressLine::new(stderr(), width);
        &mut line
    } else {
        &mut ()
    };
    let mut keeper = Keeper { inner: observer, schedules: Vec::new() };
    let outcome = explore(program, config, &mut keeper);
    (outcome, keeper.schedules)
}

//! Explores any program as the arguments say, with a progress line on a terminal, and reports.

use crate::args::{ExplorationArgs, Format, OutputArgs};
use crate::error::Error;
use crate::screen::Screen;
use crate::{export, interrupt, output};
use mazurka_engine::explain::{Explanation, Wishes, explain};
use mazurka_engine::{
    Algorithm, Config, Failure, Limits, Observer, Outcome, Program, Recording, ReplayError,
    Watch, explore,
};
use mazurka_report::{
    Examined, Exploration, FileReport, ProgressLine, Subject, account, explanation, html, json,
    schedule_file, summary,
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
    /// What happens in the first failure, and why it fails.
    explanation: Option<Explanation>,
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
        Exploration {
            subject: &self.subject,
            config: &self.config,
            outcome: &self.outcome,
            explanation: self.explanation.as_ref(),
        }
    }

    /// The report for people.
    pub fn text(&self, args: &OutputArgs, screen: &Screen) -> String {
        let exploration = self.exploration();
        let palette = screen.palette();
        let mut out = summary(&exploration, palette);
        if let Some(failure) = self.outcome.failures.first() {
            out.push('\n');
            out.push_str(&summary::failure(failure, palette));
            let options = screen.account_options(args.all_steps);
            out.push_str(&match &self.explanation {
                Some(it) => format!(
                    "{}\n{}",
                    explanation(it, options.width, palette),
                    account(&it.recording, &options.marking(it))
                ),
                None => "\nthe time is up: its steps are not shown\n".to_owned(),
            });
            let others = summary::other_failures(&exploration);
            if !others.is_empty() {
                out.push_str(&format!("\n{others}"));
            }
        }
        out
    }

    /// Writes the page about the first failure, if one was asked for and there is one.
    pub fn write_page(&self, args: &OutputArgs) -> Result<(), Error> {
        let failure = self.outcome.failures.first();
        if let (Some(path), Some(failure), Some(explanation)) =
            (&args.report, failure, &self.explanation)
        {
            let page = html::page(&self.exploration(), failure, &explanation.recording);
            output::write(path, &page)?;
        }
        Ok(())
    }

    /// Writes the schedule of the first failure, with what its steps do.
    pub fn write_schedule(&self, path: &Path, unroll: u64, failure: &Failure) -> Result<(), Error> {
        let nothing = Recording::default();
        let recording = self.explanation.as_ref().map_or(&nothing, |it| &it.recording);
        let Failure { schedule, .. } = failure;
        let text =
            schedule_file::write(&self.subject, Some(unroll), schedule, Some(failure), recording);
        output::write(path, &text)
    }

    /// Writes the first failure for other tools, if that was asked for and there is one.
    pub fn write_exports(&self, args: &OutputArgs) -> Result<(), Error> {
        match (self.outcome.failures.first(), &self.explanation) {
            (Some(failure), Some(explanation)) => {
                export::write_execution(args, &explanation.recording, Some(failure))
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
    let explored = explored(program, subject, args, Progress::Line)?;
    screen.print(&match output.format {
        Format::Json => json::exploration(&explored.exploration()),
        Format::Text => explored.text(output, screen),
    })?;
    explored.write_page(output)?;
    explored.write_exports(output)?;
    let examined = Examined { exploration: explored.exploration(), compared: None };
    let report = FileReport { file: file.display().to_string(), result: Ok(vec![examined]) };
    export::write_results(output, &[report], explored.outcome.statistics.elapsed)?;
    Ok(explored.outcome)
}

/// Explores `program`.
pub fn explored<P: Program>(
    program: &P,
    subject: Subject,
    args: &ExplorationArgs,
    progress: Progress,
) -> Result<Explored, Error> {
    let config = config(args)?;
    if config.algorithm.compares_states() && !program.compares_states() {
        return Err(Error::NoStates(config.algorithm.name()));
    }
    let mut outcome = explore_with_progress(program, &config, progress);
    let wishes = Wishes { shorten: !args.no_shorten, why: true };
    let explanation = match outcome.failures.first() {
        Some(failure) => explained(program, failure, wishes, &config, &outcome)?,
        None => None,
    };
    if let (Some(failure), Some(explanation)) = (outcome.failures.first_mut(), &explanation) {
        failure.clone_from(&explanation.failure);
    }
    Ok(Explored { subject, config, outcome, explanation })
}

/// So long after the time is up, the steps of a failure may still be shown.
const TIME_TO_SHOW: Duration = Duration::from_millis(150);

/// What happens when the schedule of a failure is run again, and why; nothing if the time is up.
fn explained<P: Program>(
    program: &P,
    failure: &Failure,
    wishes: Wishes,
    config: &Config,
    outcome: &Outcome,
) -> Result<Option<Explanation>, Error> {
    let left = |timeout: Duration| timeout.saturating_sub(outcome.statistics.elapsed);
    let watch = match config.limits.timeout {
        _ if interrupt::flag().load(Ordering::Relaxed) => Watch::lasting(TIME_TO_SHOW),
        Some(timeout) => Watch::lasting(left(timeout).saturating_add(TIME_TO_SHOW)),
        None => Watch::default(),
    };
    match explain(program, failure, wishes, &watch) {
        Ok(explanation) => Ok(Some(explanation)),
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

fn explore_with_progress<P: Program>(program: &P, config: &Config, progress: Progress) -> Outcome {
    let mut line;
    let size = terminal_size::terminal_size_of(stderr());
    let width = size.map_or(usize::MAX, |(width, _)| usize::from(width.0));
    let observer: &mut dyn Observer = if progress == Progress::Line && stderr().is_terminal() {
        line = ProgressLine::new(stderr(), width);
        &mut line
    } else {
        &mut ()
    };
    explore(program, config, observer)
}

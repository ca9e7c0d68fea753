//! Explores any program as the arguments say, with a progress line on a terminal, and reports.

use crate::args::{ExplorationArgs, Format, OutputArgs};
use crate::error::Error;
use crate::screen::Screen;
use crate::{interrupt, output};
use mazurka_engine::{
    Algorithm, Config, Failure, Limits, Observer, Outcome, Program, Recording, explore, replay,
};
use mazurka_report::{Exploration, ProgressLine, Subject, account, html, json, summary};
use std::io::{IsTerminal, stderr};

/// An exploration that has come to its end.
pub struct Explored {
    pub subject: Subject,
    pub config: Config,
    pub outcome: Outcome,
    /// What happens when the schedule of the first failure is run again.
    recording: Option<Recording>,
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

    /// The first failure, and what happens in its execution.
    fn failed(&self) -> Option<(&Failure, &Recording)> {
        self.outcome.failures.first().zip(self.recording.as_ref())
    }

    /// The report for people.
    pub fn text(&self, args: &OutputArgs, screen: &Screen) -> String {
        let exploration = self.exploration();
        let palette = screen.palette();
        let mut out = summary(&exploration, palette);
        if let Some((failure, recording)) = self.failed() {
            out.push('\n');
            out.push_str(&summary::failure(failure, palette));
            out.push('\n');
            out.push_str(&account(recording, &screen.account_options(args.all_steps)));
            let others = summary::other_failures(&exploration);
            if !others.is_empty() {
                out.push_str(&format!("\n{others}"));
            }
        }
        out
    }

    /// Writes the page about the first failure, if one was asked for and there is one.
    pub fn write_page(&self, args: &OutputArgs) -> Result<(), Error> {
        if let (Some(path), Some((failure, recording))) = (&args.report, self.failed()) {
            output::write(path, &html::page(&self.exploration(), failure, recording))?;
        }
        Ok(())
    }
}

/// Explores `program`, prints the report, and writes the page that was asked for.
pub fn run<P: Program>(
    program: &P,
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
    let outcome = explore_with_progress(program, &config, progress);
    let first = outcome.failures.first();
    let recording = first.map(|failure| replay(program, &failure.schedule)).transpose();
    let recording = recording.map_err(Error::NotReproducible)?;
    Ok(Explored { subject, config, outcome, recording })
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
    Ok(Config {
        keep_going: args.keep_going,
        classes: args.classes,
        limits: Limits {
            max_executions: args.max_executions,
            timeout: args.timeout,
            cancel: Some(interrupt::flag()),
        },
        seed: args.seed,
        pct_depth: args.pct_depth,
        bound: args.bound,
        ..Config::new(args.algorithm)
    })
}

fn explore_with_progress<P: Program>(program: &P, config: &Config, progress: Progress) -> Outcome {
    let mut line;
    let observer: &mut dyn Observer = if progress == Progress::Line && stderr().is_terminal() {
        line = ProgressLine::new(stderr());
        &mut line
    } else {
        &mut ()
    };
    explore(program, config, observer)
}

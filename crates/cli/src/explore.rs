//! Explores any program as the arguments say, with a progress line on a terminal, and reports.

use crate::args::{ExplorationArgs, Format, OutputArgs};
use crate::error::Error;
use crate::screen::Screen;
use crate::{interrupt, output};
use mazurka_engine::{
    Config, Failure, Limits, Observer, Outcome, Program, Recording, explore, replay,
};
use mazurka_report::{Exploration, ProgressLine, Subject, account, html, json, summary};
use std::io::{IsTerminal, stderr};

/// Explores `program`, prints the report, and writes the page that was asked for.
pub fn run<P: Program>(
    program: &P,
    subject: &Subject,
    args: &ExplorationArgs,
    output: &OutputArgs,
    screen: &Screen,
) -> Result<Outcome, Error> {
    let config = config(args, screen);
    let outcome = explore_with_progress(program, &config);
    let exploration = Exploration { subject, config: &config, outcome: &outcome };
    let failed = first_failure(program, &outcome)?;
    screen.print(&report(&exploration, failed.as_ref(), output, screen))?;
    if let (Some(path), Some((failure, recording))) = (&output.report, &failed) {
        output::write(path, &html::page(&exploration, failure, recording))?;
    }
    Ok(outcome)
}

/// What the engine is told.
fn config(args: &ExplorationArgs, screen: &Screen) -> Config {
    if args.threads.get() > 1 {
        screen.note("explorations are not split yet: one worker is used");
    }
    Config {
        keep_going: args.keep_going,
        classes: args.classes,
        limits: Limits {
            max_executions: args.max_executions,
            timeout: args.timeout,
            cancel: Some(interrupt::flag()),
        },
        seed: args.seed,
        pct_depth: args.pct_depth,
        ..Config::new(args.algorithm)
    }
}

fn explore_with_progress<P: Program>(program: &P, config: &Config) -> Outcome {
    let mut line;
    let observer: &mut dyn Observer = if stderr().is_terminal() {
        line = ProgressLine::new(stderr());
        &mut line
    } else {
        &mut ()
    };
    explore(program, config, observer)
}

/// The first failure, and what happens when its schedule is run again.
fn first_failure<'o, P: Program>(
    program: &P,
    outcome: &'o Outcome,
) -> Result<Option<(&'o Failure, Recording)>, Error> {
    let Some(failure) = outcome.failures.first() else {
        return Ok(None);
    };
    let recording = replay(program, &failure.schedule).map_err(Error::NotReproducible)?;
    Ok(Some((failure, recording)))
}

fn report(
    exploration: &Exploration<'_>,
    failed: Option<&(&Failure, Recording)>,
    args: &OutputArgs,
    screen: &Screen,
) -> String {
    if args.format == Format::Json {
        return json::exploration(exploration);
    }
    let palette = screen.palette();
    let mut out = summary(exploration, palette);
    if let Some((failure, recording)) = failed {
        out.push('\n');
        out.push_str(&summary::failure(failure, palette));
        out.push('\n');
        out.push_str(&account(recording, &screen.account_options(args.all_steps)));
        let others = summary::other_failures(exploration);
        if !others.is_empty() {
            out.push_str(&format!("\n{others}"));
        }
    }
    out
}

//! `mazurka web`: explore the orders of a page, or show one of them again.

use crate::args::{Format, WebArgs, WebCommand, WebExploreArgs, WebReplayArgs};
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{input, interrupt};
use mazurka_report::web::{WebEvent, WebProgress, WebReport, folder, json, progress_line, summary};
use mazurka_web::{Options, Progress, Schedule, actions};
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;

pub fn run(args: &WebArgs, screen: &Screen) -> Result<Status, Error> {
    match &args.command {
        Some(WebCommand::Replay(replay)) => run_replay(replay, screen),
        None => run_explore(&args.explore, screen),
    }
}

fn run_explore(args: &WebExploreArgs, screen: &Screen) -> Result<Status, Error> {
    let options = explore_options(args)?;
    let terminal = stderr().is_terminal();
    let mut show = |progress: Progress| {
        if terminal {
            show_progress(&line(&progress, &options));
        }
    };
    let result = mazurka_web::explore(&options, &interrupt::flag(), &mut show);
    if terminal {
        show_progress("");
    }
    let report = result?;
    write_folder(args.report.as_deref(), &report)?;
    screen.print(&match args.format {
        Format::Json => json(&report),
        Format::Text => summary(&report, screen.palette()),
    })?;
    Ok(report.verdict.into())
}

fn explore_options(args: &WebExploreArgs) -> Result<Options, Error> {
    let page = args.page.as_deref().unwrap_or_default();
    let actions = match &args.actions {
        Some(path) => Some(actions::read(&input::read_text(path)?)?),
        None => None,
    };
    let from = match &args.from {
        Some(path) => Some(Schedule::read(&input::read_text(path)?)?),
        None => None,
    };
    Ok(Options {
        actions,
        from,
        bound: args.bound.0,
        max_actions: args.max_actions,
        max_events: args.max_events,
        max_executions: args.max_executions,
        timeout: args.timeout,
        threads: args.threads.get(),
        asserts: args.asserts.clone(),
        browser: args.browser.path.clone(),
        record: args.browser.record.clone(),
        step: args.browser.step_timeout,
        ..Options::new(page)
    })
}

fn run_replay(args: &WebReplayArgs, screen: &Screen) -> Result<Status, Error> {
    // A report gives the text itself, its folder a file.
    let text = match args.schedule.trim_start().starts_with('{') {
        true => args.schedule.clone(),
        false => input::read_text(Path::new(&args.schedule))?,
    };
    let options = Options {
        from: Some(Schedule::read(&text)?),
        asserts: args.asserts.clone(),
        browser: args.browser.path.clone(),
        record: args.browser.record.clone(),
        step: args.browser.step_timeout,
        headed: args.headed,
        ..Options::new(&args.page)
    };
    let report = mazurka_web::replay(&options)?;
    write_folder(args.report.as_deref(), &report)?;
    screen.print(&match args.format {
        Format::Json => json(&report),
        Format::Text => account(&report),
    })?;
    Ok(report.verdict.into())
}

/// What happened in the one sequence of a report, event by event.
fn account(report: &WebReport) -> String {
    let mut out = String::new();
    for sequence in &report.sequences {
        for (number, &event) in sequence.events.iter().enumerate() {
            out.push_str(&format!(
                "{:>4}  {}\n",
                number + 1,
                words(&report.events[event as usize])
            ));
        }
        for &event in &sequence.skipped {
            out.push_str(&format!(
                "   -  {} was not possible\n",
                words(&report.events[event as usize])
            ));
        }
    }
    for failure in &report.failures {
        let place =
            failure.location.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
        out.push_str(&format!("{}: {}{place}\n", failure.kind, failure.message));
    }
    for note in &report.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    out
}

fn words(event: &WebEvent) -> String {
    let place = event.place.as_ref().filter(|place| **place != event.name);
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    format!("{} {}{place}", event.kind, event.name)
}

fn write_folder(path: Option<&Path>, report: &WebReport) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    for file in folder(report, &path.to_string_lossy()) {
        let target = path.join(&file.path);
        let write = || {
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&target, &file.bytes)
        };
        write().map_err(|source| Error::Write { path: target.clone(), source })?;
    }
    Ok(())
}

fn line(progress: &Progress, options: &Options) -> String {
    progress_line(&WebProgress {
        explored: progress.explored,
        pending: progress.pending,
        depth: progress.depth,
        bound: options.bound,
        contexts: u32::try_from(progress.threads).unwrap_or(1),
        busy: progress.busy,
        elapsed: progress.elapsed,
    })
}

/// Replaces the line; an empty one clears it.
fn show_progress(line: &str) {
    let _ = write!(stderr(), "\r\x1b[2K{line}");
}

//! Several programs: explored in parallel, reported in the order of their names, with a summary at the end.

use super::examine::{Examined, examine, reports};
use crate::args::{CheckArgs, Format};
use crate::error::{Error, Status};
use crate::explore::Progress;
use crate::export;
use crate::screen::Screen;
use mazurka_report::{FileReport, files};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

/// What came of a file: explorations, or what is wrong with it.
type Examination = Result<Vec<Examined>, Error>;

pub fn run(paths: &[PathBuf], args: &CheckArgs, screen: &Screen) -> Result<Status, Error> {
    refuse_single_outputs(paths, args)?;
    let begun = Instant::now();
    let results = in_order(paths, args, |path, result| show(path, result, args, screen))?;
    let status = Status::worst(results.iter().flat_map(statuses));
    let reports: Vec<FileReport<'_>> =
        paths.iter().zip(&results).map(|(path, result)| report(path, result)).collect();
    let elapsed = begun.elapsed();
    screen.print(&match args.output.format {
        Format::Json => files::several_files(&reports, elapsed, status as u8),
        Format::Text => files::summary(&reports, elapsed, screen.palette()),
    })?;
    export::write_results(&args.output, &reports, elapsed)?;
    Ok(status)
}

/// A page and a schedule are about one program.
fn refuse_single_outputs(paths: &[PathBuf], args: &CheckArgs) -> Result<(), Error> {
    let flags = [
        ("--report", &args.output.report),
        ("--save-schedule", &args.save_schedule),
        ("--save-trace", &args.save_trace),
    ];
    let single = flags.iter().find(|(_, path)| path.is_some()).map(|(flag, _)| *flag);
    match single.or(export::of_execution(&args.output).map(|_| "--export of an execution")) {
        Some(flag) => Err(Error::ForOneProgram { flag, programs: paths.len() }),
        None => paths.iter().try_for_each(|path| export::check_paths(&args.output, path)),
    }
}

/// Explores the files with several workers. Each result is handed to `show` in the order of the files, as soon as all
/// before it are there.
fn in_order(
    paths: &[PathBuf],
    args: &CheckArgs,
    mut show: impl FnMut(&Path, &Examination) -> Result<(), Error>,
) -> Result<Vec<Examination>, Error> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        for _ in 0..workers(args).min(paths.len()) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || work(paths, args, next, &sender));
        }
        drop(sender);
        let mut waiting: Vec<Option<Examination>> = paths.iter().map(|_| None).collect();
        let mut results = Vec::with_capacity(paths.len());
        for (at, result) in receiver {
            waiting[at] = Some(result);
            while let Some(result) = waiting.get_mut(results.len()).and_then(Option::take) {
                show(&paths[results.len()], &result)?;
                results.push(result);
            }
        }
        Ok(results)
    })
}

/// Takes files until there are none left, or nobody listens.
fn work(
    paths: &[PathBuf],
    args: &CheckArgs,
    next: &AtomicUsize,
    sender: &Sender<(usize, Examination)>,
) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(path) = paths.get(at) else {
            return;
        };
        if sender.send((at, examine(path, args, Progress::Quiet))).is_err() {
            return;
        }
    }
}

fn workers(args: &CheckArgs) -> usize {
    let asked_for = args.exploration.threads;
    asked_for.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// The report of one file for people: all of it, or a line if it is as expected.
fn show(path: &Path, result: &Examination, args: &CheckArgs, screen: &Screen) -> Result<(), Error> {
    let examined = match result {
        Ok(examined) => examined,
        Err(error) => {
            screen.complain(error);
            return Ok(());
        }
    };
    if args.output.format == Format::Json {
        return Ok(());
    }
    for one in examined {
        let expected = one.compared.as_ref().filter(|compared| compared.as_expected());
        screen.print(&match expected {
            Some(compared) => format!("{}: {}", path.display(), compared.text(screen.palette())),
            None => format!("{}\n{}\n", path.display(), one.text(args, screen)),
        })?;
    }
    Ok(())
}

fn statuses(result: &Examination) -> Vec<Status> {
    match result {
        Ok(examined) => examined.iter().map(Examined::status).collect(),
        Err(error) => vec![error.status()],
    }
}

fn report<'a>(path: &Path, result: &'a Examination) -> FileReport<'a> {
    FileReport {
        file: path.display().to_string(),
        result: match result {
            Ok(examined) => Ok(reports(examined)),
            Err(error) => Err(error.to_string()),
        },
    }
}

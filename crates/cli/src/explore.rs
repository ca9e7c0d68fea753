//! Explores any program as the arguments say, with a progress line on a terminal, and reports.

use crate::args::{ExplorationArgs, Format, OutputArgs};
use crate::error::Error;
use crate::page::{self, Keeper, MOST_FAILURES, MOST_PASSING, Pictures};
use crate::screen::Screen;
use crate::{export, interrupt, output};
use mazurka_engine::explain::{EFFORT, Wishes, explain};
use mazurka_engine::{
    Algorithm, Config, Failure, Interference, Limits, Observer, Outcome, Program, Recording,
    ReplayError, Schedule, Watch, explore, replay_watched,
};
use mazurka_report::{
    Examined, Exploration, FileReport, ProgressLine, Subject, account, explanation, json,
    schedule_file, summary,
};
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// An exploration that has come to its end.
pub struct Explored {
    pub subject: Subject,
    pub config: Config,
    pub outcome: Outcome,
    /// What happens in the first failures and why, as many as are shown, and some executions that pass.
    pictures: Pictures,
}

/// How much of an exploration is shown beside its first failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    pub failures: usize,
    pub passing: usize,
}

impl Shown {
    /// What was asked for.
    pub fn new(args: &OutputArgs) -> Self {
        let (failures, passing) =
            if args.report.is_some() { (MOST_FAILURES, MOST_PASSING) } else { (1, 0) };
        // What is exported where nothing fails is an execution that passes.
        let exported = usize::from(export::of_execution(args).is_some());
        Shown { failures, passing: passing.max(args.show).max(exported) }
    }
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
            explanation: self.pictures.failures.first(),
        }
    }

    /// The first failing execution, or else the first that passes, if it is shown.
    pub fn execution(&self) -> Option<&Recording> {
        let failing = self.pictures.failures.first().map(|it| &it.recording);
        failing.or(self.pictures.passing.first())
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
            out.push_str(&match self.pictures.failures.first() {
                Some(it) => format!(
                    "{}\n{}",
                    explanation(it, &options),
                    account(&it.recording, &options.marking(it))
                ),
                None => "\nthe time is up: its steps are not shown\n".to_owned(),
            });
            let others = summary::other_failures(&exploration);
            if !others.is_empty() {
                out.push_str(&format!("\n{others}"));
            }
        }
        for (number, recording) in self.pictures.passing.iter().take(args.show).enumerate() {
            let account = account(recording, &screen.account_options(args.all_steps));
            out.push_str(&format!("\npassing execution {}\n\n{account}", number + 1));
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

    /// Writes the first failure for other tools, or an execution that passes, if that was asked for and there is one.
    pub fn write_exports(&self, args: &OutputArgs) -> Result<(), Error> {
        let failure = self.pictures.failures.first().map(|it| &it.failure);
        match self.execution() {
            Some(recording) => export::write_to(&args.exports, recording, failure),
            None => Ok(()),
        }
    }

    /// Writes the schedule of the first failure, with what its steps do.
    pub fn write_schedule(&self, path: &Path, unroll: u64, failure: &Failure) -> Result<(), Error> {
        let nothing = Recording::default();
        let recording = self.pictures.failures.first().map_or(&nothing, |it| &it.recording);
        let schedule = &failure.schedule;
        let text =
            schedule_file::write(&self.subject, Some(unroll), schedule, Some(failure), recording);
        output::write(path, &text)
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
    let explored = explored(program, subject, args, Progress::Line, Shown::new(output))?;
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

/// Explores `program`, and keeps what is shown of it.
pub fn explored<P: Program>(
    program: &P,
    subject: Subject,
    args: &ExplorationArgs,
    progress: Progress,
    shown: Shown,
) -> Result<Explored, Error> {
    let config = config(args)?;
    if config.algorithm.compares_states() && !program.compares_states() {
        return Err(Error::NoStates(config.algorithm.name()));
    }
    let (mut outcome, complete) = explore_with_progress(program, &config, progress, shown.passing);
    let wishes = Wishes { shorten: !args.no_shorten, why: true, effort: EFFORT };
    let mut pictures = Pictures::default();
    let watch = watch(&config, outcome.statistics.elapsed);
    for failure in outcome.failures.iter_mut().take(shown.failures) {
        // Without time for one there is none for the others.
        let Some(it) = in_time(explain(program, failure, wishes, &watch))? else { break };
        failure.clone_from(&it.failure);
        pictures.failures.push(it);
    }
    for schedule in complete {
        if pictures.passing.len() == shown.passing {
            break;
        }
        let Some(recording) = in_time(replay_watched(program, &schedule, &watch))? else { break };
        if recording.faults().next().is_none() {
            pictures.passing.push(recording);
        }
    }
    Ok(Explored { subject, config, outcome, pictures })
}

/// So long after the time is up, the steps of failures may still be performed again. To write them into a page takes as long once more.
pub const TIME_TO_SHOW: Duration = Duration::from_millis(80);

/// How long executions may be shown, all together, after an exploration that took so long.
fn watch(config: &Config, elapsed: Duration) -> Watch {
    if interrupt::flag().load(Ordering::Relaxed) {
        return Watch::lasting(TIME_TO_SHOW);
    }
    let left = |timeout: Duration| timeout.saturating_sub(elapsed).saturating_add(TIME_TO_SHOW);
    let limits = Limits { timeout: config.limits.timeout.map(left), ..config.limits.clone() };
    Watch::new(&limits, Instant::now())
}

/// What was run again; nothing if the time is up.
fn in_time<T>(again: Result<T, ReplayError>) -> Result<Option<T>, Error> {
    match again {
        Ok(it) => Ok(Some(it)),
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
    let (algorithm, interference) = scheduling(args)?;
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
        bound: args.bound.or(args.max_preemptions).or(args.max_delays),
        interference,
        ..Config::new(algorithm)
    })
}

/// The algorithm, and what it counts. A bound on schedules needs no other word.
fn scheduling(args: &ExplorationArgs) -> Result<(Algorithm, Interference), Error> {
    let interference = match args.max_delays {
        Some(_) => Interference::Delays,
        None => Interference::Preemptions,
    };
    if args.max_preemptions.or(args.max_delays).is_none() {
        return Ok((args.algorithm, interference));
    }
    match args.algorithm {
        Algorithm::Event | Algorithm::Bounded => Ok((Algorithm::Bounded, interference)),
        other => Err(Error::BoundIsForBounded(other.name())),
    }
}

/// The outcome, and the schedules of some complete executions.
fn explore_with_progress<P: Program>(
    program: &P,
    config: &Config,
    progress: Progress,
    passing: usize,
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
    let mut keeper = Keeper::new(observer, passing);
    let outcome = explore(program, config, &mut keeper);
    (outcome, keeper.schedules)
}

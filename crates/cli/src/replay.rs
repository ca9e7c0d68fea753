//! `mazurka replay`: run one saved schedule and show it, as far as it goes if the program has changed since.

use crate::args::{Format, ReplayArgs};
use crate::check::subject;
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{input, output, page};
use mazurka_engine::explain::{Again, replay_again};
use mazurka_engine::{Fault, Watch};
use mazurka_lang::Options;
use mazurka_report::{
    ExpectedFailure, Role, ScheduleFile, Subject, account, again, json, schedule_file,
};
use std::path::Path;

pub fn run(args: &ReplayArgs, screen: &Screen) -> Result<Status, Error> {
    if let Some(path) = &args.report {
        output::check_path(path, &args.program.file)?;
    }
    let saved = read_schedule(&args.schedule)?;
    let options = args.program.setup.options(options_of(&saved));
    let program = input::read_program(&args.program.file, &options)?;
    let subject = subject(&program);
    if !saved.program.is_empty() && saved.program != subject.program {
        screen.note(&format!(
            "the schedule was saved for `{}`, this is `{}`",
            saved.program, subject.program
        ));
    }
    let expected = saved.failure.as_ref().and_then(fault);
    let watch = Watch::default();
    let again = replay_again(&program, &saved.schedule, &saved.deeds, expected.as_ref(), &watch)
        .map_err(|source| Error::DoesNotFit { path: args.schedule.clone(), source })?;
    if !again.fits && !saved.schedule.moves.is_empty() {
        return Err(Error::NothingFits { path: args.schedule.clone() });
    }
    let failures = json::failures_of(&again.recording);
    let text = match args.format {
        Format::Json => json::replayed_again(&subject, &again, saved.failure.as_ref()),
        Format::Text => describe(&subject, &again, &saved, &failures, screen),
    };
    screen.print(&text)?;
    if let Some(path) = &args.report {
        page::write_execution(path, &args.program.file, &subject, &again.recording)?;
    }
    Ok(if failures.is_empty() { Status::Fine } else { Status::FailureFound })
}

pub fn read_schedule(path: &Path) -> Result<ScheduleFile, Error> {
    let text = input::read_text(path)?;
    schedule_file::read(&text).map_err(|source| Error::Schedule { path: path.to_owned(), source })
}

/// What the schedule was saved with.
pub fn options_of(saved: &ScheduleFile) -> Options {
    let defaults = Options::default();
    Options {
        params: saved.params.clone().into_iter().collect(),
        mailbox: saved.mailbox,
        unroll: saved.unroll.unwrap_or(defaults.unroll),
    }
}

/// The saved failure as the engine knows it, wherever it is now: places move when a program is edited.
fn fault(expected: &ExpectedFailure) -> Option<Fault> {
    Some(Fault::new(expected.kind()?, expected.message.clone(), None))
}

fn describe(
    subject: &Subject,
    again: &Again,
    saved: &ScheduleFile,
    failures: &[ExpectedFailure],
    screen: &Screen,
) -> String {
    let palette = screen.palette();
    let account = account(&again.recording, &screen.account_options(true));
    let shows =
        |expected: &ExpectedFailure| failures.iter().any(|it| it.is_same_but_for_place(expected));
    let verdict = match (&saved.failure, failures.is_empty()) {
        (Some(expected), false) if shows(expected) => {
            palette.paint(Role::Bad, "violation: the saved failure shows again")
        }
        (Some(_), false) => {
            palette.paint(Role::Bad, "violation: another failure than the saved one")
        }
        (None, false) => palette.paint(Role::Bad, "violation"),
        (Some(_), true) => palette.paint(Role::Good, "passed: the saved failure does not show"),
        (None, true) => palette.paint(Role::Good, "passed"),
    };
    let left = again::departure(again)
        .map(|text| format!("{}\n", palette.paint(Role::Caution, &text)))
        .unwrap_or_default();
    format!("replay: {}\n\n{account}\n{left}{verdict}\n", subject.describe())
}

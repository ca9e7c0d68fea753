//! `mazurka replay`: run one saved schedule and show it.

use crate::args::{Format, ReplayArgs};
use crate::check::subject;
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{input, output, page};
use mazurka_engine::{Recording, replay};
use mazurka_lang::Options;
use mazurka_report::{ExpectedFailure, Role, ScheduleFile, Subject, account, json, schedule_file};

pub fn run(args: &ReplayArgs, screen: &Screen) -> Result<Status, Error> {
    let saved = read_schedule(args)?;
    if let Some(path) = &args.report {
        output::check_path(path, &args.program.file)?;
    }
    let options = args.program.setup.options(options_of(&saved));
    let program = input::read_program(&args.program.file, &options)?;
    let subject = subject(&program);
    if !saved.program.is_empty() && saved.program != subject.program {
        screen.note(&format!(
            "the schedule was saved for `{}`, this is `{}`",
            saved.program, subject.program
        ));
    }
    let recording = replay(&program, &saved.schedule)
        .map_err(|source| Error::DoesNotFit { path: args.schedule.clone(), source })?;
    let failures = json::failures_of(&recording);
    let text = match args.format {
        Format::Json => json::replayed(&subject, &recording, saved.failure.as_ref()),
        Format::Text => describe(&subject, &recording, &saved, &failures, screen),
    };
    screen.print(&text)?;
    if let Some(path) = &args.report {
        page::write_execution(path, &args.program.file, &subject, &recording)?;
    }
    Ok(if failures.is_empty() { Status::Fine } else { Status::FailureFound })
}

fn read_schedule(args: &ReplayArgs) -> Result<ScheduleFile, Error> {
    let text = input::read_text(&args.schedule)?;
    schedule_file::read(&text)
        .map_err(|source| Error::Schedule { path: args.schedule.clone(), source })
}

/// What the schedule was saved with.
fn options_of(saved: &ScheduleFile) -> Options {
    let defaults = Options::default();
    Options {
        params: saved.params.clone().into_iter().collect(),
        mailbox: saved.mailbox,
        unroll: saved.unroll.unwrap_or(defaults.unroll),
    }
}

fn describe(
    subject: &Subject,
    recording: &Recording,
    saved: &ScheduleFile,
    failures: &[ExpectedFailure],
    screen: &Screen,
) -> String {
    let palette = screen.palette();
    let account = account(recording, &screen.account_options(true));
    let verdict = match (&saved.failure, failures.is_empty()) {
        (Some(expected), false) if failures.contains(expected) => {
            palette.paint(Role::Bad, "violation: the saved failure shows again")
        }
        (Some(_), false) => {
            palette.paint(Role::Bad, "violation: another failure than the saved one")
        }
        (None, false) => palette.paint(Role::Bad, "violation"),
        (Some(_), true) => palette.paint(Role::Good, "passed: the saved failure does not show"),
        (None, true) => palette.paint(Role::Good, "passed"),
    };
    format!("replay: {}\n\n{account}\n{verdict}\n", subject.describe())
}

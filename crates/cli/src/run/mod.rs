//! `mazurka run`: one execution to look at, by seed, by schedule or by hand.

mod dialogue;

use crate::args::{Format, RunArgs};
use crate::check::subject;
use crate::error::{Error, Status};
use crate::replay::{options_of, read_schedule};
use crate::screen::Screen;
use crate::trace_file::TraceFile;
use crate::{export, input, output, page};
use mazurka_engine::explain::ByHand;
use mazurka_engine::{Failure, Program, Recording, Schedule, Watch, replay};
use mazurka_lang::Options;
use mazurka_report::{Role, Subject, account, json, schedule_file};

pub fn run(args: &RunArgs, screen: &Screen) -> Result<Status, Error> {
    for path in [&args.report, &args.save_schedule, &args.save_trace].into_iter().flatten() {
        output::check_path(path, &args.program.file)?;
    }
    for export in &args.exports {
        output::check_path(&export.path, &args.program.file)?;
    }
    let saved = args.schedule.as_ref().map(|path| read_schedule(path)).transpose()?;
    let defaults = saved.as_ref().map_or_else(Options::default, options_of);
    let options = args.program.setup.options(defaults);
    let program = input::read_program(&args.program.file, &options)?;
    let schedule = execution(&program, saved.map(|saved| saved.schedule), args, screen)?;
    let recording = replay(&program, &schedule).map_err(Error::NotReproducible)?;
    let subject = subject(&program);
    screen.print(&match args.format {
        Format::Json => json::replayed(&subject, &recording, None),
        Format::Text => text(&subject, &recording, args, screen),
    })?;
    leave_behind(&subject, options.unroll, &schedule, &recording, args)?;
    if let Some(path) = &args.save_trace {
        let file = TraceFile::of_execution(path, &subject.program, &program, &recording)?;
        file.write(&[&args.program.file], screen)?;
    }
    let has_failed = recording.faults().next().is_some();
    Ok(if has_failed { Status::FailureFound } else { Status::Fine })
}

/// The moves of the execution that was asked for.
fn execution<P: Program>(
    program: &P,
    schedule: Option<Schedule>,
    args: &RunArgs,
    screen: &Screen,
) -> Result<Schedule, Error> {
    let watch = Watch::default();
    let mut by_hand = ByHand::new(program, args.max_events as usize, &watch);
    if let Some(schedule) = &schedule
        && !by_hand.follow(schedule)
    {
        screen.note("the schedule does not fit the program; what fits of it is followed");
    }
    match () {
        () if args.by_hand => dialogue::hold(&mut by_hand, screen)?,
        () if schedule.is_some() => by_hand.go_on(),
        () => by_hand.go_on_at_random(args.seed),
    }
    Ok(by_hand.schedule())
}

fn text(subject: &Subject, recording: &Recording, args: &RunArgs, screen: &Screen) -> String {
    let palette = screen.palette();
    let how = match (&args.schedule, args.by_hand) {
        (_, true) => "by hand".to_owned(),
        (Some(path), false) => format!("schedule {}", path.display()),
        (None, false) => format!("seed {}", args.seed),
    };
    let verdict = if recording.faults().next().is_some() {
        palette.paint(Role::Bad, "violation")
    } else if recording.ending.is_none() {
        palette.paint(Role::Caution, "not at its end")
    } else {
        palette.paint(Role::Good, "passed")
    };
    let account = account(recording, &screen.account_options(true));
    format!("run: {}, {how}\n\n{account}\n{verdict}\n", subject.describe())
}

fn leave_behind(
    subject: &Subject,
    unroll: u64,
    schedule: &Schedule,
    recording: &Recording,
    args: &RunArgs,
) -> Result<(), Error> {
    let failure = recording.faults().next().map(|fault| Failure {
        kind: fault.kind,
        message: fault.message.clone(),
        location: fault.location.clone(),
        schedule: schedule.clone(),
    });
    if let Some(path) = &args.report {
        page::write_execution(path, &args.program.file, subject, recording)?;
    }
    if let Some(path) = &args.save_schedule {
        let text =
            schedule_file::write(subject, Some(unroll), schedule, failure.as_ref(), recording);
        output::write(path, &text)?;
    }
    export::write_to(&args.exports, recording, failure.as_ref())
}

//! `mazurka check`: explore, report, leave behind what was asked for.

use crate::args::{CheckArgs, Format, OutputArgs};
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{explore, input, output};
use mazurka_engine::{Failure, Program, Recording, replay};
use mazurka_lang::{EdProgram, Options};
use mazurka_report::{Exploration, Subject, account, html, json, schedule_file, summary};

pub fn run(args: &CheckArgs, screen: &Screen) -> Result<Status, Error> {
    let options = args.program.options(Options::default());
    let program = input::read_program(&args.program.file, &options)?;
    let outputs = [&args.output.report, &args.output.save_schedule];
    for path in outputs.into_iter().flatten() {
        output::check_path(path, &args.program.file)?;
    }
    let config = explore::config(&args.exploration, screen);
    let outcome = explore::run(&program, &config);
    let subject = subject(&program);
    let exploration = Exploration {
        subject: &subject,
        config: &config,
        outcome: &outcome,
    };
    let failed = match outcome.failures.first() {
        Some(failure) => {
            let recording = replay(&program, &failure.schedule);
            Some((failure, recording.map_err(Error::NotReproducible)?))
        }
        None => None,
    };
    screen.print(&report(&exploration, failed.as_ref(), &args.output, screen))?;
    if let Some((failure, recording)) = &failed {
        if let Some(path) = &args.output.report {
            output::write(path, &html::page(&exploration, failure, recording))?;
        }
        if let Some(path) = &args.output.save_schedule {
            let text = schedule_file::write(&subject, Some(options.unroll), failure);
            output::write(path, &text)?;
        }
    }
    Ok(outcome.verdict().into())
}

/// What a report says of the program.
pub fn subject(program: &EdProgram) -> Subject {
    Subject {
        program: program.name().to_owned(),
        params: program.params().to_vec(),
        mailbox: program.mailbox(),
    }
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

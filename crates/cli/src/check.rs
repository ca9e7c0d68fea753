//! `mazurka check`: explore, report, leave behind what was asked for.

use crate::args::CheckArgs;
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{explore, input, output};
use mazurka_engine::Program;
use mazurka_lang::{EdProgram, Options};
use mazurka_report::{Subject, schedule_file};

pub fn run(args: &CheckArgs, screen: &Screen) -> Result<Status, Error> {
    let options = args.program.options(Options::default());
    let program = input::read_program(&args.program.file, &options)?;
    let outputs = [&args.output.report, &args.save_schedule];
    for path in outputs.into_iter().flatten() {
        output::check_path(path, &args.program.file)?;
    }
    let subject = subject(&program);
    let outcome = explore::run(&program, &subject, &args.exploration, &args.output, screen)?;
    if let (Some(path), Some(failure)) = (&args.save_schedule, outcome.failures.first()) {
        let text = schedule_file::write(&subject, Some(options.unroll), failure);
        output::write(path, &text)?;
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

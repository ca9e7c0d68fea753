//! One file: explored once, or once for each of its `// expect:` lines.

use super::expect;
use crate::args::CheckArgs;
use crate::error::{Error, Status};
use crate::explore::{Explored, Progress, Shown, explored};
use crate::input;
use crate::screen::Screen;
use crate::trace_file::TraceFile;
use mazurka_engine::Program;
use mazurka_lang::{EdProgram, Options};
use mazurka_report::{Compared, Subject};
use std::path::Path;

/// One exploration of a file.
pub struct Examined {
    pub explored: Explored,
    /// The loop bound that it was explored with.
    pub unroll: u64,
    /// Its first failure, or else an execution that passes, as a trace, if that is wanted.
    pub trace: Option<TraceFile>,
    /// What the file says of it, under `--expect`.
    pub compared: Option<Compared>,
}

impl Examined {
    /// As expected is fine, whatever the verdict.
    pub fn status(&self) -> Status {
        match &self.compared {
            Some(compared) if compared.as_expected() => Status::Fine,
            Some(_) => Status::FailureFound,
            None => self.explored.outcome.verdict().into(),
        }
    }

    /// The report for people.
    pub fn text(&self, args: &CheckArgs, screen: &Screen) -> String {
        let report = self.explored.text(&args.output, screen);
        match &self.compared {
            Some(compared) => format!("{report}\n{}", compared.text(screen.palette())),
            None => report,
        }
    }
}

/// The explorations as reports want them.
pub fn reports(examined: &[Examined]) -> Vec<mazurka_report::Examined<'_>> {
    let all = examined.iter();
    all.map(|one| mazurka_report::Examined {
        exploration: one.explored.exploration(),
        compared: one.compared.as_ref(),
    })
    .collect()
}

/// Explores a file as the arguments say; under `--expect` once for each line of it that says what to expect, and then as
/// that line says. There is at least one exploration.
pub fn examine(file: &Path, args: &CheckArgs, progress: Progress) -> Result<Vec<Examined>, Error> {
    let text = input::read_text(file)?;
    let expectations = if args.expect { expect::read(file, &text)? } else { Vec::new() };
    if expectations.is_empty() {
        return Ok(vec![explore(file, &text, args, progress)?]);
    }
    let mut examined = Vec::new();
    for expectation in &expectations {
        let mut one = explore(file, &text, &expectation.arguments, progress)?;
        one.compared = Some(expectation.compare(&one.explored.outcome));
        examined.push(one);
    }
    Ok(examined)
}

fn explore(
    file: &Path,
    text: &str,
    args: &CheckArgs,
    progress: Progress,
) -> Result<Examined, Error> {
    let options = args.setup.options(Options::default());
    let program = input::program(file, text, &options)?;
    let mut shown = Shown::new(&args.output);
    shown.passing = shown.passing.max(usize::from(args.save_trace.is_some()));
    let explored = explored(&program, subject(&program), &args.exploration, progress, shown)?;
    let trace = match (&args.save_trace, explored.execution()) {
        (Some(path), Some(recording)) => {
            Some(TraceFile::of_execution(path, program.name(), &program, recording)?)
        }
        _ => None,
    };
    Ok(Examined { explored, unroll: options.unroll, trace, compared: None })
}

/// What a report says of the program.
pub fn subject(program: &EdProgram) -> Subject {
    Subject {
        program: program.name().to_owned(),
        params: program.params().to_vec(),
        mailbox: program.mailbox(),
    }
}

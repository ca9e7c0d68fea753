//! `mazurka fmt`: the one way to lay out programs.

use crate::args::FmtArgs;
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{files, input, output};
use mazurka_lang::{Source, format};
use std::io::Read;
use std::path::Path;

/// The name that means standard input.
const STDIN: &str = "-";

pub fn run(args: &FmtArgs, screen: &Screen) -> Result<Status, Error> {
    if args.paths.is_empty() || args.paths.iter().all(|path| path == Path::new(STDIN)) {
        return from_stdin(args, screen);
    }
    let mut statuses = Vec::new();
    for path in files::programs(&args.paths)? {
        statuses.push(one(&path, args, screen).unwrap_or_else(|error| {
            screen.complain(&error);
            error.status()
        }));
    }
    Ok(Status::worst(statuses))
}

/// Formats a file in place, or says that it is not formatted.
fn one(path: &Path, args: &FmtArgs, screen: &Screen) -> Result<Status, Error> {
    let text = input::read_text(path)?;
    let formatted = formatted(&path.to_string_lossy(), &text)?;
    if formatted == text {
        return Ok(Status::Fine);
    }
    if args.check {
        screen.print(&format!("{}\n", path.display()))?;
        return Ok(Status::FailureFound);
    }
    output::write(path, &formatted)?;
    Ok(Status::Fine)
}

fn from_stdin(args: &FmtArgs, screen: &Screen) -> Result<Status, Error> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(Error::Stdin)?;
    let text = input::text(bytes, Path::new("standard input"))?;
    let formatted = formatted("standard input", &text)?;
    if !args.check {
        screen.print(&formatted)?;
        return Ok(Status::Fine);
    }
    if formatted == text {
        return Ok(Status::Fine);
    }
    screen.print("standard input\n")?;
    Ok(Status::FailureFound)
}

fn formatted(name: &str, text: &str) -> Result<String, Error> {
    format(&Source::new(name, text)).map_err(|errors| Error::Program(Box::new(errors)))
}

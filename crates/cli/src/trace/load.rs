//! Reads a recorded trace with its dependences.

use crate::args::TraceArgs;
use crate::error::Error;
use crate::input;
use crate::interrupt;
use crate::screen::Screen;
use crate::trace_file::{DEPENDENCE_FILE, partial_of_recorded};
use mazurka_consistency::{Limits, Policy, Solver, Trace, Verdict, check, read};
use mazurka_traces::{Format, RecordedTrace, cleanup, from_partial};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The trace, cleaned if asked for; of a partial trace, an execution with it. What was ignored or repaired is said on standard error.
pub fn load(args: &TraceArgs, screen: &Screen) -> Result<RecordedTrace, Error> {
    let trace = match kind_of(&args.file)? {
        Kind::Partial => execution_of(&args.file, screen)?,
        Kind::Recorded | Kind::Other => recorded(args, screen)?,
    };
    if args.remove_empty_handlers {
        let (cleaned, removed) = cleanup::remove_empty_handlers(&trace);
        screen.note(&format!("{removed} messages that do nothing are left out"));
        return Ok(cleaned);
    }
    Ok(trace)
}

/// The partial trace of a file; of a recorded trace, that of the recorded execution.
pub fn load_partial(file: &Path, screen: &Screen) -> Result<Trace, Error> {
    match kind_of(file)? {
        Kind::Recorded => {
            let file = file.to_owned();
            let args = TraceArgs { file, dependence: None, remove_empty_handlers: false };
            partial_of_recorded(&recorded(&args, screen)?)
        }
        Kind::Partial | Kind::Other => read_partial(file),
    }
}

/// What a file looks like from its beginning.
enum Kind {
    Partial,
    Recorded,
    /// JSON that does not say what it is, or nothing at all.
    Other,
}

/// So many bytes are looked at.
const FIRST_LOOK: u64 = 4096;
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

fn kind_of(file: &Path) -> Result<Kind, Error> {
    let fail = |source| Error::Read { path: file.to_owned(), source };
    if file.is_dir() {
        return Err(Error::Directory(file.to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(file).map_err(fail)?.take(FIRST_LOOK).read_to_end(&mut bytes).map_err(fail)?;
    let says = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    Ok(match bytes.trim_ascii_start().first() {
        _ if bytes.starts_with(GZIP_MAGIC) => Kind::Partial,
        Some(b'{') if says(b"\"ed-trace/") => Kind::Partial,
        Some(b'{') if says(b"\"mazurka-trace\"") => Kind::Recorded,
        // Operations of the other formats are numbered.
        Some(first) if first.is_ascii_digit() || says(b"START") || says(b"THREADINIT") => {
            Kind::Recorded
        }
        _ => Kind::Other,
    })
}

fn read_partial(file: &Path) -> Result<Trace, Error> {
    read::read_file(file).map_err(|source| Error::PartialTrace { path: file.to_owned(), source })
}

/// An execution with queues that has a partial trace.
fn execution_of(file: &Path, screen: &Screen) -> Result<RecordedTrace, Error> {
    let partial = read_partial(file)?;
    let cancel = interrupt::flag();
    let limits = Limits { deadline: None, conflicts: None, cancel: Some(&cancel) };
    let path = file.to_owned();
    let order = match check(&partial, Policy::Fifo, Solver::Sat, &limits).verdict {
        Verdict::Consistent(order) => order,
        Verdict::Inconsistent(_) => return Err(Error::NoExecution { path }),
        Verdict::Unknown(why) => return Err(Error::Undecided { path, why: why.to_string() }),
    };
    let pending = partial.messages().iter().filter(|message| message.pending).count();
    if pending > 0 {
        screen.note(&format!("{pending} messages that were never executed are left out"));
    }
    Ok(from_partial(&file.file_name().unwrap_or_default().to_string_lossy(), &partial, &order))
}

fn recorded(args: &TraceArgs, screen: &Screen) -> Result<RecordedTrace, Error> {
    let content = input::read_bytes(&args.file)?;
    let name = args.file.to_string_lossy();
    let beside = dependences_beside(args, &content, screen);
    let dependences = match args.dependence.as_ref().or(beside.as_ref()) {
        Some(path) => Some((path.to_string_lossy(), input::read_bytes(path)?)),
        None => None,
    };
    let dependences =
        dependences.as_ref().map(|(name, content)| (name.as_ref(), content.as_slice()));
    let mut loaded = mazurka_traces::load(&name, &content, dependences)?;
    if let Some(file) = args.file.file_name() {
        // Places in reports have the file's name; only errors and warnings show the way to it.
        loaded.trace.name = file.to_string_lossy().into_owned();
    }
    for warning in &loaded.warnings {
        screen.note(&format!("{name}: {warning}"));
    }
    Ok(loaded.trace)
}

/// The dependences of EM-Explorer's traces stand in a file beside them, which is used unless another one is named.
fn dependences_beside(args: &TraceArgs, content: &[u8], screen: &Screen) -> Option<PathBuf> {
    let is_wanted = args.dependence.is_none() && Format::detect(content) == Format::Text;
    let path = args.file.with_file_name(DEPENDENCE_FILE);
    let is_there = is_wanted && path != args.file && path.metadata().is_ok_and(|it| it.len() > 0);
    if is_there {
        screen.note(&format!("with the dependences of {}", path.display()));
    }
    is_there.then_some(path)
}

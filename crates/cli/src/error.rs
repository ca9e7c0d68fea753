//! How the command ends: exit statuses, and what can be wrong with its input.

use mazurka_engine::{ReplayError, Verdict};
use mazurka_lang::Diagnostics;
use mazurka_report::ScheduleFileError;
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit statuses, a contract with scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Nothing found and everything explored.
    Fine = 0,
    /// A failure was found.
    FailureFound = 1,
    /// Bad input or usage. Clap uses the same number for bad arguments.
    BadInput = 2,
    /// Stopped by a limit with nothing found.
    Incomplete = 3,
}

impl Status {
    /// The worst of several: bad input, then a failure, then what is incomplete.
    pub fn worst(statuses: impl IntoIterator<Item = Status>) -> Status {
        let severity = |status: &Status| match status {
            Status::Fine => 0,
            Status::Incomplete => 1,
            Status::FailureFound => 2,
            Status::BadInput => 3,
        };
        statuses.into_iter().max_by_key(severity).unwrap_or(Status::Fine)
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Safe => Status::Fine,
            Verdict::Violation => Status::FailureFound,
            Verdict::Incomplete => Status::Incomplete,
        }
    }
}

/// Why the command could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// A folder stands where a file is expected.
    #[error("{} is a directory, not a file", .0.display())]
    Directory(PathBuf),
    /// A folder without programs.
    #[error("there are no `.ed` files in {}", .0.display())]
    NoPrograms(PathBuf),
    /// A flag that asks for one file where there are several programs.
    #[error("{flag} is about one program, and {programs} were named; check that one alone")]
    ForOneProgram { flag: &'static str, programs: usize },
    /// Only R4 counts reversals.
    #[error("--bound is for --algorithm r4, and this is {0}")]
    BoundIsForR4(&'static str),
    /// Only one algorithm counts preemptions and delays.
    #[error("--max-preemptions and --max-delays are for --algorithm bounded, and this is {0}")]
    BoundIsForBounded(&'static str),
    /// A file is larger than any program or schedule.
    #[error("{} is larger than {} MiB; that is not a program, a schedule or a trace", path.display(), limit >> 20)]
    TooLarge { path: PathBuf, limit: u64 },
    /// A file is not text.
    #[error("{} is not UTF-8 text (the first bad byte is at offset {offset})", path.display())]
    NotText { path: PathBuf, offset: usize },
    /// A program does not parse or resolve.
    #[error("{0}")]
    Program(Box<Diagnostics>),
    /// A file is not a schedule.
    #[error("cannot use the schedule {}: {source}", path.display())]
    Schedule { path: PathBuf, source: ScheduleFileError },
    /// A schedule belongs to another program, or to another version of it.
    #[error("the schedule {} does not fit the program: {source}", path.display())]
    DoesNotFit { path: PathBuf, source: ReplayError },
    /// A schedule of which no step is possible.
    #[error("nothing of the schedule {} fits the program", path.display())]
    NothingFits { path: PathBuf },
    /// A failure's schedule could not be run again.
    #[error("the failure cannot be shown again, the program is not deterministic: {0}")]
    NotReproducible(ReplayError),
    /// An algorithm that compares states, for a program that has none to compare.
    #[error(
        "`{0}` compares states, and a recorded trace has none: its values are not known; \
         use `event`, `em-dpor` or `optimal-observers`"
    )]
    NoStates(&'static str),
    /// A recorded trace cannot be read, or does not make sense.
    #[error(transparent)]
    Trace(#[from] mazurka_traces::Error),
    /// A partial trace cannot be read.
    #[error("{}: {source}", path.display())]
    PartialTrace { path: PathBuf, source: mazurka_consistency::read::ReadError },
    /// An execution has no form in the format for recorded traces.
    #[error("this execution cannot be written as a recorded trace: {0}")]
    NotRecordable(#[from] mazurka_traces::NotRecordable),
    /// An execution has no form in the format for partial traces.
    #[error("this execution cannot be written as a partial trace: {0}")]
    NoPartialTrace(mazurka_engine::partial_trace::PartialTraceError),
    /// A partial trace that no execution with queues has.
    #[error(
        "{}: no execution with FIFO mailboxes has this partial trace, so there is nothing to look at; \
         `mazurka trace consistency` says why", path.display()
    )]
    NoExecution { path: PathBuf },
    /// Nobody knows whether a partial trace is one of an execution.
    #[error("{}: whether there is an execution with this partial trace could not be decided: {why}", path.display())]
    Undecided { path: PathBuf, why: String },
    /// An independent checker does not agree with a solver.
    #[error("the answer cannot be verified: {0}")]
    NotVerified(mazurka_consistency::answer::NotVerified),
    /// A web page cannot be explored.
    #[error(transparent)]
    Web(#[from] mazurka_web::Error),
    /// An output file would replace an input file.
    #[error("{} would overwrite the input", .0.display())]
    OverwritesInput(PathBuf),
    /// An output file has no folder to be in.
    #[error("cannot write {}: there is no such directory", .0.display())]
    NoFolder(PathBuf),
    /// An output file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    /// The conversation with an editor broke off.
    #[error("the conversation with the editor broke off: {0}")]
    Server(mazurka_lsp::Error),
    /// Standard input cannot be read.
    #[error("cannot read standard input: {0}")]
    Stdin(std::io::Error),
    /// A command or topic that does not exist.
    #[error("there is no `{word}`; there are {known}")]
    NoSuchCommand { word: String, known: String },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(std::io::Error),
}

impl Error {
    /// The exit status that goes with it.
    pub fn status(&self) -> Status {
        Status::BadInput
    }
}

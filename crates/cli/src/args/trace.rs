//! The arguments of `mazurka trace`.

use super::{ExplorationArgs, Format, OutputArgs};
use crate::values;
use clap::{Args, Subcommand};
use mazurka_consistency::{Policy, Solver};
use std::path::PathBuf;
use std::time::Duration;

const EXPLORE_HELP: &str = "\
Examples:
  mazurka trace explore trace.txt --dependence dependence.txt
  mazurka trace explore abc_log.txt --algorithm em-dpor --keep-going --format json

Exit status:
  0  nothing found and everything explored
  1  a deadlock was found
  2  bad input or usage
  3  stopped by a limit (or only sampled) with nothing found";

const CONSISTENCY_HELP: &str = "\
Examples:
  mazurka trace consistency trace.json --mailbox fifo
  mazurka trace consistency trace.json.gz --mailbox multiset --verify --format json

Exit status:
  0  consistent: there is an execution with this trace
  1  inconsistent: there is none
  2  bad input or usage
  3  unknown: a limit came first";

const RACES_HELP: &str = "\
Examples:
  mazurka trace races trace.txt
  mazurka trace races abc_log.txt --format json | jq '.races[] | select(.leads.kind == \"deadlock\")'

A race is covered if another one decides about its order; those come last. What a race leads to is what one execution
with the other order shows.

Exit status:
  0  every pair was decided, whatever races there are
  2  bad input or usage
  3  the time was up, or a search was given up: the list may lack some";

const CONVERT_HELP: &str = "\
Examples:
  mazurka trace convert abc_log.txt trace.json
  mazurka trace convert trace.txt trace.json --dependence dependence.txt
  mazurka trace convert trace.json trace.txt

  mazurka trace convert trace.txt trace.partial.json

The format of IN is recognised, and every command of `trace` reads every format. The name of OUT says what is written:
`.partial.json` and `.json.gz` a partial trace (ed-trace/1), `.json` mazurka's own JSON, anything else EM-Explorer's text;
its dependences, if there are any, then go to `dependence.txt` beside it. Of a partial trace, an execution with FIFO
mailboxes is looked for.";

#[derive(Subcommand)]
pub enum TraceCommand {
    /// Explore the other interleavings of a recorded execution
    ///
    /// Runs the code that the recorded threads and messages executed under every other schedule, with FIFO
    /// queues. Reads EM-Explorer's traces, DroidRacer's raw logs, mazurka's own JSON, and partial traces, of which an
    /// execution is looked for first.
    #[command(after_help = EXPLORE_HELP)]
    Explore(TraceExploreArgs),

    /// Decide whether there is an execution with a partial trace
    ///
    /// Reads an ed-trace/1 file (program order, reads-from, coherence and posts; plain or gzipped) and looks for an order
    /// of the messages on each handler. The answer comes with what proves it: an order of all events, or a certificate. Of
    /// a recorded trace, its partial trace is taken.
    #[command(after_help = CONSISTENCY_HELP)]
    Consistency(ConsistencyArgs),

    /// List the races of a recorded execution
    ///
    /// Every pair of operations of different threads or messages that touch the same variable or lock and that can happen in
    /// the other order too: with an execution that shows it, and what that leads to.
    #[command(after_help = RACES_HELP)]
    Races(RacesArgs),

    /// Convert a recorded trace from one format to another
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArgs),
}

#[derive(Args)]
pub struct TraceExploreArgs {
    #[command(flatten)]
    pub trace: TraceArgs,
    #[command(flatten)]
    pub exploration: ExplorationArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Which recorded trace.
#[derive(Args)]
#[command(next_help_heading = "Trace")]
pub struct TraceArgs {
    /// The recorded trace
    #[arg(value_name = "TRACE")]
    pub file: PathBuf,

    /// The orderings that hold beside those of the trace (EM-Explorer's dependence.txt)
    #[arg(long, value_name = "FILE")]
    pub dependence: Option<PathBuf>,

    /// Leave out messages that do nothing, and their posts (raw logs are always cleaned so)
    #[arg(long)]
    pub remove_empty_handlers: bool,
}

#[derive(Args)]
pub struct RacesArgs {
    #[command(flatten)]
    pub trace: TraceArgs,

    /// Show for each race the order that exchanges it
    #[arg(long)]
    pub witnesses: bool,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub timeout: Option<Duration>,

    /// How to report: text for people, json for programs (one object on standard output)
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Write a page with the recorded execution and those that show the races, to step through in a browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub struct ConsistencyArgs {
    /// The trace: an ed-trace/1 file, plain or gzipped, or a recorded trace
    #[arg(value_name = "TRACE.json[.gz]")]
    pub file: PathBuf,

    /// What mailboxes promise: fifo (posts and messages in the same order), multiset (nothing), p2p (fifo for each
    /// sender)
    #[arg(long, value_name = "POLICY", default_value = "fifo")]
    pub mailbox: Policy,

    /// Who decides: sat (clause learning), saturation (closure, then enumeration), smt (Z3, in builds with it)
    #[arg(long, value_name = "NAME", default_value = "sat")]
    pub solver: Solver,

    /// Check the answer with an independent checker
    #[arg(long)]
    pub verify: bool,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub timeout: Option<Duration>,

    /// How to report: text for people, json for programs (one object on standard output)
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Write a page with the witness, or the cycles that forbid one, to step through in a browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub trace: TraceArgs,

    /// The file to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

//! The arguments. Names, meanings and defaults are a contract with scripts.

mod run;
mod tools;
mod trace;
mod web;

pub use run::RunArgs;
pub use tools::{CompletionsArgs, FmtArgs, HelpArgs, ManArgs};
pub use trace::{
    ConsistencyArgs, ConvertArgs, RacesArgs, TraceArgs, TraceCommand, TraceExploreArgs,
};

pub use web::{WebArgs, WebCommand, WebExploreArgs, WebReplayArgs};

use crate::export::{self, Export};
use crate::values;
use clap::{Args, Parser, Subcommand, ValueEnum};
use mazurka_engine::{Algorithm, Mailbox};
use mazurka_lang::Options;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

const EXIT_STATUSES: &str = "\
Exit status:
  0  nothing found and everything explored
  1  a failure was found
  2  bad input or usage
  3  stopped by a limit (or only sampled) with nothing found";

const CHECK_EXAMPLES: &str = "\
Examples:
  Look for a failure, and keep the schedule that leads to it:
      mazurka check lost.ed --save-schedule lost.json
  Show it again, step by step:
      mazurka replay lost.ed lost.json
  Count the distinct traces of a program with another parameter:
      mazurka check posters.ed --param n=2 --classes
  Check the algorithm against plain enumeration:
      mazurka check posters.ed --param n=2 --classes --algorithm naive
  Try a thousand random schedules of a program that is too large to explore:
      mazurka check big.ed --algorithm pct --max-executions 1000 --seed 7
  For scripts:
      mazurka check posters.ed --format json | jq .executions
  Check all programs of a folder, and hold them to what their `// expect:` lines say:
      mazurka check programs/examples --expect

Expectations:
  // expect: safe, 90 executions
  // expect: violation \"drawing on a closed screen\"
  // expect: deadlock, at least 2 blocked, no redundant
  // expect: safe, 6 classes with n = 2, mailbox multiset, algorithm optimal
  A verdict (safe, violation, incomplete, or the kind of a failure: assertion, deadlock, fault), the text that the
  failure's message contains, counts (executions, blocked, redundant, deadlocks, truncated, classes, transitions,
  failures), and flags of this command that say what is explored and how. Each line is an exploration of its own.

Several programs:
  They are explored in parallel and reported in the order of their names; a summary comes at the end. The exit status
  is the worst one: 2, then 1, then 3, then 0. With --expect, 0 is all as expected and 1 something not. In JSON there is
  one object with the totals, and in `files` one for each file, as a single program has it.
";

const REPLAY_EXAMPLES: &str = "\
Examples:
  mazurka check lost.ed --save-schedule lost.json
  mazurka replay lost.ed lost.json

Exit status:
  0  the schedule runs and nothing fails
  1  a failure shows
  2  bad input or usage; also a schedule of which nothing fits the program";

/// Finds the schedule that breaks an event-driven program.
///
/// Mazurka explores the executions of programs with threads, handlers and messages: one execution for each
/// way in which the order of events can matter, instead of hoping that a test hits the bad one.
/// When something fails it shows who ran what, and the schedule can be run again.
#[derive(Parser)]
#[command(name = "mazurka", version, after_help = EXIT_STATUSES, propagate_version = true, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours (NO_COLOR is respected)
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

#[derive(Subcommand)]
pub enum Command {
    /// Explore a program and report the failures found
    ///
    /// Explores every execution of an `.ed` program that differs in the order of conflicting events, and stops
    /// at the first false assertion, deadlock or run-time fault. If none is found, there is none (within the
    /// loop bound; `random` and `pct` only sample).
    #[command(after_help = EXIT_STATUSES, after_long_help = format!("{CHECK_EXAMPLES}\n{EXIT_STATUSES}"))]
    Check(CheckArgs),

    /// Run one saved schedule and show it step by step
    ///
    /// Runs the program as the schedule says, with the parameters and mailboxes it was saved with. If the program has changed since, the
    /// schedule is followed as far as it goes: what is not possible is left out, and it says where it left what was recorded.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),

    /// Show one execution: by seed, by schedule, or by hand
    ///
    /// By hand one chooses who moves at each step, takes steps back, and tries another order from there.
    #[command(after_help = run::EXAMPLES)]
    Run(RunArgs),

    /// Work with recorded traces: explore, list races, convert, decide whether one is possible
    #[command(subcommand)]
    Trace(TraceCommand),

    /// Explore the orders of events of a web page in a real browser
    ///
    /// Records one execution of the page, reverses its races, replays, and says which reversals hurt. The page is a file, a
    /// folder with an index.html, or an address on this machine. Nothing leaves the machine.
    #[command(after_help = EXIT_STATUSES, after_long_help = format!("{}\n{EXIT_STATUSES}", web::EXAMPLES))]
    Web(Box<WebArgs>),

    /// Lay out programs in the one way there is
    ///
    /// Rewrites the files (of a folder all `.ed` files in it), or formats standard input to standard output. What a
    /// program means does not change, comments stay, and formatting twice is formatting once.
    #[command(after_help = tools::FMT_EXAMPLES)]
    Fmt(FmtArgs),

    /// Serve an editor: errors as one types, definitions, explanations, completion, renaming, layout
    ///
    /// Speaks the language server protocol on standard input and output. The folder `editors/vscode` is an extension that
    /// starts it.
    Lsp,

    /// Print a script that makes a shell complete what is typed
    #[command(after_help = tools::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),

    /// Print the manual page of a command, or write those of all
    #[command(after_help = tools::MAN_EXAMPLES)]
    Man(ManArgs),

    /// Print a chapter of the manual (language, algorithms, formats), or the help of a command
    Help(HelpArgs),
}

#[derive(Args)]
pub struct CheckArgs {
    /// The programs: files, and folders whose `.ed` files are meant, with those of the folders in them
    #[arg(value_name = "FILE.ed|FOLDER", required = true, help_heading = "Program")]
    pub paths: Vec<PathBuf>,

    #[command(flatten)]
    pub setup: SetupArgs,
    #[command(flatten)]
    pub exploration: ExplorationArgs,
    #[command(flatten)]
    pub output: OutputArgs,

    /// Write the schedule of the first failure, for `mazurka replay`
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub save_schedule: Option<PathBuf>,

    /// Write the first failure, or an execution that passes if nothing fails, as a trace for `mazurka trace`
    ///
    /// The name says in which format: `.txt` EM-Explorer's text, `.json` mazurka's own JSON, `.partial.json` and `.json.gz`
    /// a partial trace.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save_trace: Option<PathBuf>,

    /// Compare with what the `// expect:` lines of the files say, and succeed if all is as they say
    #[arg(long, help_heading = "Output")]
    pub expect: bool,
}

#[derive(Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// The schedule, as --save-schedule wrote it
    #[arg(value_name = "SCHEDULE.json")]
    pub schedule: PathBuf,

    /// How to report: text for people, json for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Write a page with the execution: lanes, source and state, to step through in a browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// Which program, set up how.
#[derive(Args)]
#[command(next_help_heading = "Program")]
pub struct ProgramArgs {
    /// The program
    #[arg(value_name = "FILE.ed")]
    pub file: PathBuf,

    #[command(flatten)]
    pub setup: SetupArgs,
}

/// How a program is set up.
#[derive(Args)]
#[command(next_help_heading = "Program")]
pub struct SetupArgs {
    /// Replace a `param` of the program; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param)]
    pub params: Vec<(String, i64)>,

    /// Override the file's default mailbox policy: fifo (a handler takes its messages in the order of the
    /// posts) or multiset (in any order)
    #[arg(long, value_name = "POLICY", value_parser = values::mailboxes(), hide_possible_values = true)]
    pub mailbox: Option<Mailbox>,

    /// Cut an execution when a `while` loop has run N times [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub unroll: Option<u64>,
}

impl SetupArgs {
    /// What the compiler is told, on top of `defaults`.
    pub fn options(&self, defaults: Options) -> Options {
        let params = defaults.params.into_iter().chain(self.params.clone());
        Options {
            params: params.collect(),
            mailbox: self.mailbox.or(defaults.mailbox),
            unroll: self.unroll.unwrap_or(defaults.unroll),
        }
    }
}

/// How to explore, and for how long.
#[derive(Args)]
#[command(next_help_heading = "Exploration")]
pub struct ExplorationArgs {
    /// How to explore
    ///
    /// naive: every interleaving, the oracle that the others are tested against.
    /// dpor, source, optimal: partial order reduction, each exploring less than the one before it.
    /// event: optimal, and messages of one handler conflict only where their accesses do (the default).
    /// event-observers: event, and writes that nobody reads are not ordered.
    /// em-dpor: for FIFO mailboxes.
    /// optimal-observers: optimal, and writes that nobody reads are not ordered.
    /// dpor-cs, optimal-cs: what leads to the same state is explored in one order; every final state is reached.
    /// optimal-cs-observers: both; every combination of failures is found.
    /// These three compare states: `.ed` only. That nothing is missed is measured, not proved.
    /// r4: one execution, and what comes from it by reversing at most --bound races, few reversals first.
    /// bounded: schedules with few preemptions (or delays) first, and the first failure is one with the fewest.
    /// random, pct: sample executions at random; they find failures, and prove nothing.
    #[arg(long, value_name = "NAME", value_parser = values::algorithms(), hide_possible_values = true, default_value = "event", verbatim_doc_comment)]
    pub algorithm: Algorithm,

    /// Explore everything instead of stopping at the first failure
    #[arg(long)]
    pub keep_going: bool,

    /// Also count the distinct traces (or classes of the algorithm's own) among the executions
    #[arg(long)]
    pub classes: bool,

    /// The exploration checks itself while it goes (slower)
    #[arg(long)]
    pub check: bool,

    /// Stop after N executions (random and pct: 100 unless told)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub timeout: Option<Duration>,

    /// Cut an execution after N events of all its threads and messages, and go on with the others [default: 250000]
    ///
    /// A program whose messages post themselves for ever (a heartbeat, an animation) has executions that do not end. They
    /// count as truncated, and the verdict is incomplete.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_events: Option<u64>,

    /// Stop when the process takes so much memory, such as 512M or 2G [default: 4G]
    ///
    /// An execution that takes a 64th of it alone is cut, as by --max-events.
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub max_memory: Option<u64>,

    /// The largest number of races that r4 reverses in an execution [default: no bound]
    #[arg(long, value_name = "K")]
    pub bound: Option<u32>,

    /// Explore only schedules with at most K preemptions, fewer first (with --algorithm bounded)
    ///
    /// A preemption is a move of another thread or message while the last one could go on. The verdict is never safe.
    #[arg(long, value_name = "K", conflicts_with_all = ["max_delays", "bound"])]
    pub max_preemptions: Option<u32>,

    /// Explore only schedules with at most K delays, fewer first (with --algorithm bounded)
    ///
    /// A delay passes over a thread or message whose turn it is: the last one goes on, and when it cannot, the next one in a circle.
    /// The verdict is never safe.
    #[arg(long, value_name = "K", conflicts_with = "bound")]
    pub max_delays: Option<u32>,

    /// The seed of random and pct; the same seed gives the same schedules on every machine
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The depth of the bugs that pct looks for: its number of priority change points plus one
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub pct_depth: u32,

    /// Show a failure as it was found, not the simplest execution with the same failure that is found near it
    #[arg(long)]
    pub no_shorten: bool,

    /// Workers: for several programs [default: one for each processor], and for an exploration that can be
    /// split
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// What is shown, and what a failure leaves behind.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// How to report: text for people, json for programs (one object on standard output)
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Show all steps of a failing execution, not only the last 60
    #[arg(long)]
    pub all_steps: bool,

    /// Write a page with the failures and some executions that pass: lanes, source and state, to step through in a browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    /// Also show N of the explored executions in which nothing fails
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub show: usize,

    /// Write the first failure, or an execution that passes, for another tool (mermaid, shiviz, chrome, graphviz), or the
    /// results for continuous integration (junit, sarif); may be repeated
    #[arg(long = "export", value_name = "KIND=FILE", value_parser = export::parse)]
    pub exports: Vec<Export>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

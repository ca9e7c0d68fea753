//! The arguments of `mazurka web`.

use super::Format;
use crate::values;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

pub const EXAMPLES: &str = "\
Examples:
  Try what has handlers, and look at what one reversal does:
      mazurka web shop/
  Say what the user does, and write a report for people:
      mazurka web shop/ --actions buy.json --report report
  Two reversals, and something that must hold in the end:
      mazurka web shop/ --bound 2 --assert 'cart.total === 3'
  Show one order again, in a window:
      mazurka web replay shop/ report/schedules/race-1.json --headed
";

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct WebArgs {
    #[command(subcommand)]
    pub command: Option<WebCommand>,
    #[command(flatten)]
    pub explore: WebExploreArgs,
}

#[derive(Subcommand)]
pub enum WebCommand {
    /// Perform one order of events again and show it
    Replay(WebReplayArgs),
}

#[derive(Args)]
pub struct WebExploreArgs {
    /// A file, a folder with an index.html, or an address on this machine
    #[arg(value_name = "PAGE", required = true)]
    pub page: Option<String>,

    /// What the user does, in order: [{"click": "#next"}, {"type": ["#q", "ab"]}, {"press": "Enter"}, {"hover": ".menu"}].
    /// Without it, events that have handlers are triggered
    #[arg(long, value_name = "FILE.json", help_heading = "User")]
    pub actions: Option<PathBuf>,

    /// How many events are triggered where no actions are given
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "User")]
    pub max_actions: usize,

    /// A JavaScript expression that must hold when nothing is left to do; may be repeated
    #[arg(long = "assert", value_name = "EXPR", help_heading = "User")]
    pub asserts: Vec<String>,

    /// The largest number of conflicts that are reversed, or `none` for all orders
    #[arg(long, value_name = "K", default_value = "1", value_parser = bound, help_heading = "Exploration")]
    pub bound: Bound,

    /// Begin with this order of events instead of our own
    #[arg(long, value_name = "SCHEDULE.json", help_heading = "Exploration")]
    pub from: Option<PathBuf>,

    /// Stop after N executions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Exploration")]
    pub max_executions: Option<u64>,

    /// Stop an execution after N events
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Exploration")]
    pub max_events: usize,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, help_heading = "Exploration")]
    pub timeout: Option<Duration>,

    /// How many executions run at once
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Exploration")]
    pub threads: NonZeroUsize,

    #[command(flatten)]
    pub browser: BrowserArgs,

    /// Write a report for people into a folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// How to report: text for people, json for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
}

#[derive(Args)]
pub struct WebReplayArgs {
    /// A file, a folder with an index.html, or an address on this machine
    #[arg(value_name = "PAGE")]
    pub page: String,

    /// The schedule: a file of a report, or its text
    #[arg(value_name = "SCHEDULE.json")]
    pub schedule: String,

    /// A JavaScript expression that must hold when nothing is left to do; may be repeated
    #[arg(long = "assert", value_name = "EXPR")]
    pub asserts: Vec<String>,

    #[command(flatten)]
    pub browser: BrowserArgs,

    /// Show the browser's window
    #[arg(long)]
    pub headed: bool,

    /// Write a report for people into a folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    /// How to report: text for people, json for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}

/// Which browser, and what it is told by others.
#[derive(Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// The browser, a Chromium [default: $MAZURKA_BROWSER, or the usual names]
    #[arg(long = "browser", value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// Answers of other machines, as files DIR/host/path; other requests to them are refused
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,

    /// How long one event may take
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, default_value = "10")]
    pub step_timeout: Duration,
}

/// A number of reversals, or none for all.
#[derive(Clone, Copy)]
pub struct Bound(pub Option<u32>);

fn bound(text: &str) -> Result<Bound, String> {
    match text {
        "none" => Ok(Bound(None)),
        number => number
            .parse()
            .map(|number| Bound(Some(number)))
            .map_err(|_| "a number or `none` is expected".to_owned()),
    }
}

//! What `mazurka run` is told.

use super::{Format, ProgramArgs};
use crate::export::{self, Export};
use clap::Args;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  mazurka run lost.ed --seed 7
  mazurka run lost.ed --schedule lost.json
  mazurka run lost.ed --by-hand

Exit status:
  0  the execution ends and nothing fails
  1  a failure shows
  2  bad input or usage";

#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// Who moves is chosen at random with this seed; the same seed gives the same execution on every machine
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Begin with this schedule, as --save-schedule wrote it, and go on with few switches where it ends
    #[arg(long, value_name = "SCHEDULE.json", conflicts_with = "seed")]
    pub schedule: Option<PathBuf>,

    /// Choose who moves, step by step: shows who can, and reads the answers from standard input
    #[arg(long, conflicts_with = "seed")]
    pub by_hand: bool,

    /// How to report: text for people, json for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Write the execution as a page
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    /// Write the schedule of the execution, for `mazurka replay` and `mazurka run`
    #[arg(long, value_name = "FILE.json")]
    pub save_schedule: Option<PathBuf>,

    /// Write the execution as a trace for `mazurka trace`; the name says in which format, as for `mazurka check`
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,

    /// Write the execution for another tool (mermaid, shiviz, chrome, graphviz); may be repeated
    #[arg(long = "export", value_name = "KIND=FILE", value_parser = export::parse)]
    pub exports: Vec<Export>,

    /// Cut the execution after N events
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_events: u64,
}

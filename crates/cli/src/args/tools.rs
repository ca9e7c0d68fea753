//! The arguments of the everyday tools.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

pub const FMT_EXAMPLES: &str = "\
Examples:
  mazurka fmt programs/
  mazurka fmt --check programs/
  mazurka fmt < lost.ed

Exit status:
  0  done; with --check: everything is formatted
  1  with --check: the listed files are not
  2  bad input or usage";

pub const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  source <(mazurka completions bash)
  mazurka completions zsh > ~/.zfunc/_mazurka      (with `fpath+=~/.zfunc` before `compinit`)
  mazurka completions fish > ~/.config/fish/completions/mazurka.fish";

pub const MAN_EXAMPLES: &str = "\
Examples:
  mazurka man | man -l -
  mazurka man trace explore | man -l -
  mazurka man --out-dir /usr/local/share/man/man1";

#[derive(Args)]
pub struct FmtArgs {
    /// Files, and folders whose `.ed` files are meant; none, or `-`, is standard input
    #[arg(value_name = "FILE.ed|FOLDER")]
    pub paths: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted
    #[arg(long)]
    pub check: bool,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// The command, such as `trace explore`; none is `mazurka` itself
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,

    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub out_dir: Option<PathBuf>,
}

#[derive(Args)]
pub struct HelpArgs {
    /// `language`, `algorithms`, `formats`, or a command such as `trace explore`
    #[arg(value_name = "TOPIC|COMMAND")]
    pub words: Vec<String>,
}

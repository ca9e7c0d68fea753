//! The settings of an expectation are flags of the command line, and are read by the same parser.

use crate::args::{Arguments, CheckArgs, Command, ExplorationArgs, SetupArgs};
use clap::{Args, CommandFactory, FromArgMatches};
use mazurka_lang::{Diagnostic, Span};
use std::ffi::OsString;

/// Flags, as they would stand on the command line.
#[derive(Default)]
pub struct Settings(Vec<String>);

impl Settings {
    /// Adds a clause: `algorithm optimal`, `--algorithm=optimal`, `keep-going`, `n = 2`, `param n=2`.
    pub fn add(&mut self, span: Span, clause: &str) -> Result<(), Diagnostic> {
        let bare = clause.trim_start_matches('-');
        let length = bare.find(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
        let (name, rest) = bare.split_at(length.unwrap_or(bare.len()));
        let value = rest.trim_start().trim_start_matches(['=', ':']).trim();
        let known = flags();
        let flag = name.replace('_', "-");
        if known.contains(&flag) {
            let value = if flag == "param" { without_blanks(value) } else { value.to_owned() };
            self.0.push(if value.is_empty() {
                format!("--{flag}")
            } else {
                format!("--{flag}={value}")
            });
            Ok(())
        } else if rest.trim_start().starts_with('=') && !clause.starts_with('-') {
            self.0.push(format!("--param={name}={value}"));
            Ok(())
        } else {
            let message = format!("`{clause}` is neither a count nor a setting");
            let help = format!(
                "a count is `90 executions` or `at most 3 redundant`; settings are `NAME = VALUE` for a `param`, and {}",
                known.join(", ")
            );
            Err(Diagnostic::new(span, message).with_help(Some(help)))
        }
    }

    /// Classes are counted only where somebody wants to know.
    pub fn count_classes(&mut self) {
        self.0.push("--classes".to_owned());
    }

    /// The arguments of this run of the command with these flags on top.
    pub fn arguments(&self, span: Span) -> Result<CheckArgs, Diagnostic> {
        let mut words: Vec<OsString> = std::env::args_os().collect();
        // What stands behind `--` are files.
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(end..end, self.0.iter().map(OsString::from));
        // A flag of the line replaces the same one of the command line.
        let command = Arguments::command().args_override_self(true);
        let parsed = command.try_get_matches_from(words).and_then(|matches| {
            let arguments = Arguments::from_arg_matches(&matches)?;
            Ok(arguments.command)
        });
        match parsed {
            Ok(Command::Check(args)) => Ok(args),
            Ok(_) => unreachable!("this is `mazurka check`"),
            Err(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or("").trim_start_matches("error: ");
                Err(Diagnostic::new(span, format!("in this expectation: {first}")))
            }
        }
    }
}

/// `n = 2` as the command line has it.
fn without_blanks(value: &str) -> String {
    value.split_whitespace().collect()
}

/// The flags that say what is explored and how.
fn flags() -> Vec<String> {
    let command =
        ExplorationArgs::augment_args(SetupArgs::augment_args(clap::Command::new("expect")));
    command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

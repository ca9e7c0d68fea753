//! The `mazurka` command: arguments in, exit status out. What it does is done by the other crates.

mod args;
mod check;
mod error;
mod explore;
mod export;
mod files;
mod fmt;
mod help;
mod input;
mod interrupt;
mod manual;
mod output;
mod page;
mod replay;
mod run;
mod screen;
mod trace;
mod trace_file;
mod values;
mod web;

use args::{Arguments, Command};
use clap::Parser;
use error::{Error, Status};
use screen::Screen;
use std::process::ExitCode;

/// Explorations allocate many small things for a short time; this allocator is made for that and saves
/// a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let screen = Screen::new(arguments.color);
    let result = match &arguments.command {
        Command::Check(check) => check::run(check, &screen),
        Command::Replay(replay) => replay::run(replay, &screen),
        Command::Run(args) => run::run(args, &screen),
        Command::Trace(command) => trace::run(command, &screen),
        Command::Web(args) => web::run(args, &screen),
        Command::Fmt(fmt) => fmt::run(fmt, &screen),
        Command::Lsp => mazurka_lsp::serve_stdio().map(|()| Status::Fine).map_err(Error::Server),
        Command::Completions(args) => manual::completions(args, &screen),
        Command::Man(args) => manual::man(args, &screen),
        Command::Help(args) => help::run(args, &screen),
    };
    let status = result.unwrap_or_else(|error| {
        screen.complain(&error);
        error.status()
    });
    status.into()
}

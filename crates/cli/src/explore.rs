//! Explores any program as the arguments say, with a progress line on a terminal.

use crate::args::ExplorationArgs;
use crate::interrupt;
use crate::screen::Screen;
use mazurka_engine::{Config, Limits, Observer, Outcome, Program, explore};
use mazurka_report::ProgressLine;
use std::io::{IsTerminal, stderr};

/// What the engine is told.
pub fn config(args: &ExplorationArgs, screen: &Screen) -> Config {
    if args.threads.get() > 1 {
        screen.note("explorations are not split yet: one worker is used");
    }
    Config {
        keep_going: args.keep_going,
        classes: args.classes,
        limits: Limits {
            max_executions: args.max_executions,
            timeout: args.timeout,
            cancel: Some(interrupt::flag()),
        },
        seed: args.seed,
        pct_depth: args.pct_depth,
        ..Config::new(args.algorithm)
    }
}

/// Explores.
pub fn run<P: Program>(program: &P, config: &Config) -> Outcome {
    let mut line;
    let observer: &mut dyn Observer = if stderr().is_terminal() {
        line = ProgressLine::new(stderr());
        &mut line
    } else {
        &mut ()
    };
    explore(program, config, observer)
}

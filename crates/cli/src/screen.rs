//! The two streams: colours only on a terminal, the width of that terminal, quiet broken pipes.

use crate::args::Color;
use crate::error::Error;
use mazurka_report::{AccountOptions, Palette, Role};
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

/// Of a stream that is no terminal.
const DEFAULT_WIDTH: usize = 100;

/// Where reports and complaints go.
pub struct Screen {
    out_colours: bool,
    err_colours: bool,
}

impl Screen {
    /// With colours as asked for.
    pub fn new(color: Color) -> Screen {
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty()),
        };
        Screen {
            out_colours: wanted(stdout().is_terminal()),
            err_colours: wanted(stderr().is_terminal()),
        }
    }

    /// Colours for standard output.
    pub fn palette(&self) -> Palette {
        palette(self.out_colours)
    }

    /// How wide standard output is.
    pub fn width(&self) -> usize {
        let size = terminal_size::terminal_size_of(stdout());
        size.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0))
    }

    /// How accounts are laid out, with the last steps only or with all of them.
    pub fn account_options(&self, all_steps: bool) -> AccountOptions {
        let default = AccountOptions::default();
        AccountOptions {
            width: self.width(),
            last: if all_steps { None } else { default.last },
            palette: self.palette(),
            ..default
        }
    }

    /// Writes to standard output. A reader that has seen enough is no error.
    pub fn print(&self, text: &str) -> Result<(), Error> {
        let mut out = stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::Stdout(error)),
            _ => Ok(()),
        }
    }

    /// A remark on standard error.
    pub fn note(&self, text: &str) {
        let label = palette(self.err_colours).paint(Role::Caution, "note");
        to_stderr(&format!("{label}: {text}\n"));
    }

    /// An error on standard error.
    pub fn complain(&self, error: &Error) {
        let text = match error {
            Error::Program(diagnostics) => diagnostics.render(self.err_colours),
            error => {
                let label = palette(self.err_colours).paint(Role::Bad, "error");
                format!("{label}: {error}\n")
            }
        };
        to_stderr(&text);
    }
}

fn palette(colours: bool) -> Palette {
    if colours { Palette::COLOURS } else { Palette::PLAIN }
}

/// When even that fails there is nobody left to tell.
fn to_stderr(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

//! `mazurka help`: of the commands as `--help` has it, and pages of the book.

mod markdown;
mod table;

use crate::args::{Arguments, HelpArgs};
use crate::error::{Error, Status};
use crate::manual::no_such;
use crate::screen::Screen;
use clap::CommandFactory;
use markdown::Style;

/// Chapters of the book that are shown in the terminal: their names and texts.
const TOPICS: [(&str, &str); 3] = [
    ("language", include_str!("../../manual/language.md")),
    ("algorithms", include_str!("../../manual/algorithms.md")),
    ("formats", include_str!("../../manual/formats.md")),
];

pub fn run(args: &HelpArgs, screen: &Screen) -> Result<Status, Error> {
    if let [topic] = args.words.as_slice()
        && let Some((_, text)) = TOPICS.iter().find(|(name, _)| name == topic)
    {
        let style = Style { palette: screen.palette(), width: screen.width() };
        screen.print(&markdown::render(text, style))?;
        return Ok(Status::Fine);
    }
    let mut command = Arguments::command();
    command.build();
    for word in &args.words {
        let Some(found) = command.find_subcommand(word) else {
            return Err(no_such(&command, word, &TOPICS.map(|(name, _)| name)));
        };
        command = found.clone();
    }
    screen.print(&command.render_long_help().to_string())?;
    Ok(Status::Fine)
}

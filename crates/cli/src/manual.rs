//! `mazurka completions` and `mazurka man`: from the one description of the arguments that the parser uses.

use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::error::{Error, Status};
use crate::screen::Screen;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

/// The script that makes a shell complete what is typed.
pub fn completions(args: &CompletionsArgs, screen: &Screen) -> Result<Status, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "mazurka", &mut script);
    screen.print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Fine)
}

/// A page on standard output, or all pages into a folder.
pub fn man(args: &ManArgs, screen: &Screen) -> Result<Status, Error> {
    if let Some(folder) = &args.out_dir {
        let fail = |source| Error::Write { path: folder.clone(), source };
        std::fs::create_dir_all(folder).map_err(fail)?;
        clap_mangen::generate_to(Arguments::command(), folder).map_err(fail)?;
        return Ok(Status::Fine);
    }
    let command = subcommand(Arguments::command(), &args.command)?;
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(Error::Stdout)?;
    screen.print(&String::from_utf8_lossy(&page))?;
    Ok(Status::Fine)
}

/// The command that words such as `trace explore` name.
fn subcommand(mut command: Command, words: &[String]) -> Result<Command, Error> {
    command.build();
    for word in words {
        let Some(found) = command.find_subcommand(word) else {
            return Err(no_such(&command, word, &[]));
        };
        command = found.clone();
    }
    Ok(command)
}

/// There is no such command; these are, and these further words.
pub fn no_such(command: &Command, word: &str, further: &[&str]) -> Error {
    let known = command.get_subcommands().map(Command::get_name);
    let known: Vec<&str> = known.chain(further.iter().copied()).collect();
    Error::NoSuchCommand { word: word.to_owned(), known: known.join(", ") }
}

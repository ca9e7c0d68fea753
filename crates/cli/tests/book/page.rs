//! One page: its files are written, its commands are run, their output is compared.

use crate::blocks::{Block, blocks};
use crate::root;
use crate::session::{Session, steady};
use std::path::{Path, PathBuf};

/// A page of the book.
pub struct Page {
    path: PathBuf,
    lines: Vec<String>,
    /// What is wrong with it.
    pub complaints: Vec<String>,
}

/// A command of a page with the lines that are shown below it.
struct Command {
    text: String,
    /// The lines of its output.
    start: usize,
    end: usize,
}

impl Page {
    pub fn read(path: &Path) -> Page {
        let text = std::fs::read_to_string(path).expect("a page");
        let lines = text.lines().map(str::to_owned).collect();
        Page { path: path.to_owned(), lines, complaints: Vec::new() }
    }

    pub fn write(&self) {
        let text = self.lines.join("\n") + "\n";
        if std::fs::read_to_string(&self.path).is_ok_and(|old| old != text) {
            std::fs::write(&self.path, text).expect("the page can be written");
        }
    }

    /// Goes through its blocks; takes what is printed over if `update` says so. Answers with the number of commands.
    pub fn run(&mut self, update: bool) -> usize {
        let session = Session::new();
        let (mut count, mut moved) = (0, 0_isize);
        for block in blocks(&self.lines) {
            let block = moved_by(block, moved);
            match (block.language.as_str(), &block.file) {
                (_, Some(name)) => session.write(name, &self.text(&block)),
                ("ed", None) => self.compiles(&session, &block),
                ("console", None) => {
                    let before = self.lines.len();
                    count += self.console(&session, &block, update);
                    moved += self.lines.len() as isize - before as isize;
                }
                _ => {}
            }
        }
        count
    }

    fn text(&self, block: &Block) -> String {
        self.lines[block.start..block.end].iter().map(|line| format!("{line}\n")).collect()
    }

    fn compiles(&mut self, session: &Session, block: &Block) {
        session.write("unnamed.ed", &self.text(block));
        let (status, printed) = session.run("mazurka check unnamed.ed --max-executions 1");
        if status == 2 {
            self.complain(block.start, &format!("the program does not compile:\n{printed}"));
        }
    }

    /// The last command first, so that new output does not move those that are still to come.
    fn console(&mut self, session: &Session, block: &Block, update: bool) -> usize {
        let commands = self.commands(block);
        let printed: Vec<String> =
            commands.iter().map(|command| session.run(&command.text).1).collect();
        for (command, printed) in commands.iter().zip(&printed).rev() {
            let shown = &self.lines[command.start..command.end];
            if agrees(shown, printed) {
                continue;
            }
            if update && !shown.iter().any(|line| line == "...") {
                let new = printed.lines().map(|line| line.trim_end().to_owned());
                self.lines.splice(command.start..command.end, new);
            } else {
                self.complain(command.start, &format!("$ {}\nprints\n{printed}", command.text));
            }
        }
        commands.len()
    }

    fn commands(&self, block: &Block) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for number in block.start..block.end {
            match self.lines[number].strip_prefix("$ ") {
                Some(text) => {
                    commands.push(Command {
                        text: text.to_owned(),
                        start: number + 1,
                        end: number + 1,
                    });
                }
                None => commands.last_mut().expect("a command comes first").end = number + 1,
            }
        }
        commands
    }

    fn complain(&mut self, line: usize, what: &str) {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path).display().to_string();
        self.complaints.push(format!("{path}:{line}: {what}"));
    }
}

/// Where a block stands when what is above it has grown by so many lines.
fn moved_by(block: Block, lines: isize) -> Block {
    let moved = |line: usize| line.checked_add_signed(lines).expect("a line of the page");
    Block { start: moved(block.start), end: moved(block.end), ..block }
}

/// Is this what was printed, times and left out lines aside?
fn agrees(shown: &[String], printed: &str) -> bool {
    let printed: Vec<String> = printed.lines().map(|line| steady(line.trim_end())).collect();
    let shown: Vec<String> = shown.iter().map(|line| steady(line)).collect();
    let mut parts = shown.split(|line| line == "...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut open_end = false;
    for part in parts {
        open_end = part.is_empty();
        let Some(at) = (0..=rest.len()).find(|&at| rest[at..].starts_with(part)) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    open_end || rest.is_empty()
}

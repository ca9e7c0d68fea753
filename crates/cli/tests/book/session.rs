//! A folder in which the commands of a page run.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A folder of its own, with the project's programs in it.
pub struct Session(TempDir);

impl Session {
    pub fn new() -> Session {
        let folder = TempDir::new().expect("a temporary folder");
        let programs = crate::root().join("programs").canonicalize().expect("the programs");
        std::os::unix::fs::symlink(programs, folder.path().join("programs")).expect("a link");
        Session(folder)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("a file in a temporary folder");
    }

    /// Runs a command as a shell would; its status, and what it wrote to both outputs. A page has no time for commands
    /// that take more than half a minute of a processor.
    pub fn run(&self, command: &str) -> (i32, String) {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -t 30; {{ {command}\n}} 2>&1")])
            .current_dir(self.0.path())
            .env("PATH", path_with_mazurka())
            .env_remove("COLUMNS")
            .output()
            .expect("a shell");
        let status = output.status.code().expect("it was not killed");
        (status, String::from_utf8(output.stdout).expect("text"))
    }
}

fn path_with_mazurka() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_mazurka")).parent().expect("a folder");
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

/// A line without what differs from run to run: the time that something took.
pub fn steady(line: &str) -> String {
    if let Some((before, after)) = line.split_once("\"elapsed_seconds\":") {
        let rest = after
            .trim_start_matches(|sign: char| sign == ' ' || sign == '.' || sign.is_ascii_digit());
        return format!("{before}\"elapsed_seconds\": TIME{rest}");
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_unit =
        |at: usize| words.get(at).is_some_and(|word| word.trim_end_matches([',', ')']) == "s");
    let is_time = |at: usize, word: &str| is_unit(at + 1) && word.parse::<f64>().is_ok();
    let masked =
        words.iter().enumerate().map(|(at, &word)| if is_time(at, word) { "TIME" } else { word });
    masked.collect::<Vec<_>>().join(" ")
}

//! Runs the command in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with files for one test.
pub struct Folder(TempDir);

/// What a run of the command left.
pub struct Finished {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder(TempDir::new().expect("a temporary folder"))
    }

    /// With one file in it.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a file in a temporary folder");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file that should be there")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `mazurka` here, with arguments separated by spaces.
    pub fn mazurka(&self, arguments: &str) -> Finished {
        self.finish(self.command(arguments))
    }

    /// Runs `mazurka` here and kills it when it has used more than four seconds of processor time: what takes
    /// a release build a second takes this one, with its debug assertions, on a busy machine, up to that. (Not
    /// of the clock: the machine may be busy with other tests.)
    pub fn mazurka_within_a_second(&self, arguments: &str) -> Finished {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "ulimit -t 4 && exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_mazurka"))
            .args(arguments.split_whitespace());
        self.finish(self.prepared(shell))
    }

    /// Runs `mazurka` here and measures the processor time that it takes, in seconds: the clock would also measure what else
    /// the machine does. If told to, presses Ctrl-C so many seconds after it can be.
    pub fn mazurka_timed(&self, arguments: &str, interrupt: Option<f64>) -> (Finished, f64) {
        let wait = match interrupt {
            None => "wait $p".to_owned(),
            // Before the signal is caught (the second bit of the mask), it kills. It may also be over before anybody looks.
            Some(seconds) => format!(
                "until ! kill -0 $p || grep -qE '^State:.Z|^SigCgt:.*[2367abef]$' /proc/$p/status; \
                 do :; done 2>/dev/null; sleep {seconds}; kill -INT $p 2>/dev/null; wait $p"
            ),
        };
        let script = format!("\"$0\" \"$@\" & p=$!; {wait}; s=$?; times >times; exit $s");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .arg(env!("CARGO_BIN_EXE_mazurka"))
            .args(arguments.split_whitespace());
        let finished = self.finish(self.prepared(shell));
        // The second line is about the children: `0m1.5s 0m0.25s`.
        let times = self.read("times");
        let of_children = times.lines().nth(1).expect("two lines").split_whitespace();
        let seconds = of_children.map(|time| {
            let (minutes, seconds) = time.trim_end_matches('s').split_once('m').expect("a time");
            let number = |text: &str| text.replace(',', ".").parse::<f64>().expect("a number");
            60.0 * number(minutes) + number(seconds)
        });
        (finished, seconds.sum())
    }

    /// The command, not started yet, with its output kept.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mazurka"));
        command.args(arguments.split_whitespace());
        self.prepared(command)
    }

    fn prepared(&self, mut command: Command) -> Command {
        command
            .current_dir(self.0.path())
            .env_remove("NO_COLOR")
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn finish(&self, mut command: Command) -> Finished {
        let output = command.output().expect("the command can be started");
        Finished {
            status: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

impl Finished {
    /// Standard output with the one thing replaced that differs from run to run: the time.
    pub fn steady_stdout(&self) -> String {
        let steady = |line: &str| match line.rsplit_once(" events, ") {
            Some((before, _time)) => format!("{before} events, TIME\n"),
            None => format!("{line}\n"),
        };
        self.stdout.lines().map(steady).collect()
    }

    /// Standard output as the one JSON value it has to be.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).expect("one JSON object and nothing else")
    }
}

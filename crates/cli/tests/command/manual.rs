//! Completions load in their shells, and manual pages render.

use crate::support::Folder;
use std::io::Write;
use std::process::{Command, Output};

/// Says aloud, past the capture of the test runner, that something could not be tested here. `test.sh` installs these tools
/// where it can.
fn not_tested(what: &str, tool: &str) {
    let line = format!("\nNOT TESTED: {what}: there is no {tool} on this machine\n");
    std::io::stderr().write_all(line.as_bytes()).expect("there is a standard error");
}

fn has(tool: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {tool}")])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs a script in a shell with the folder of the command in its path.
fn shell(arguments: &[&str]) -> Output {
    let command = std::path::Path::new(env!("CARGO_BIN_EXE_mazurka"));
    let folder = command.parent().expect("a folder").display();
    let path = std::env::var("PATH").expect("a path");
    Command::new(arguments[0])
        .args(&arguments[1..])
        .env("PATH", format!("{folder}:{path}"))
        .output()
        .expect("the shell starts")
}

fn success(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && err.is_empty(), "{out}\n{err}");
    out.into_owned()
}

#[test]
fn completions_complete_in_bash() {
    let script = "eval \"$(mazurka completions bash)\"
        complete -p mazurka
        COMP_WORDS=(mazurka check --algorithm ev); COMP_CWORD=3
        _mazurka mazurka ev --algorithm; echo \"${COMPREPLY[@]}\"
        COMP_WORDS=(mazurka comp); COMP_CWORD=1
        _mazurka mazurka comp mazurka; echo \"${COMPREPLY[@]}\"";
    let out = success(&shell(&["bash", "--norc", "-c", script]));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].contains("_mazurka"), "{out}");
    assert!(lines[1].split(' ').any(|word| word == "event"), "{out}");
    assert_eq!(lines[2], "completions", "{out}");
}

#[test]
fn completions_load_in_zsh() {
    if !has("zsh") {
        return not_tested("whether the completions load in zsh", "zsh");
    }
    let script = "autoload -Uz compinit && compinit -u -D && eval \"$(mazurka completions zsh)\" \
                  && whence -w _mazurka && print $_comps[mazurka]";
    let out = success(&shell(&["zsh", "-f", "-c", script]));
    assert_eq!(out, "_mazurka: function\n_mazurka\n");
}

#[test]
fn the_other_shells_have_scripts() {
    for shell in ["fish", "elvish", "powershell"] {
        let run = Folder::new().mazurka(&format!("completions {shell}"));
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("mazurka") && run.stdout.contains("keep-going"), "{shell}");
    }
    assert_eq!(Folder::new().mazurka("completions tcsh").status, 2);
}

#[test]
fn the_manual_pages_render() {
    let folder = Folder::new();
    let run = folder.mazurka("man --out-dir pages");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    for (arguments, page) in [("man", "mazurka"), ("man trace explore", "mazurka-trace-explore")] {
        let text = folder.mazurka(arguments).stdout;
        assert_eq!(text, folder.read(&format!("pages/{page}.1")), "{page}");
        assert!(text.contains(&format!(".TH {page}")), "{text}");
    }
    let pages = folder.path("pages/mazurka-check.1");
    let page = pages.to_str().expect("text");
    let rendered = if has("mandoc") {
        shell(&["mandoc", "-T", "utf8", "-W", "error", page])
    } else if has("groff") {
        shell(&["groff", "-man", "-Tutf8", "-ww", page])
    } else {
        return not_tested("whether the manual pages render", "mandoc or groff");
    };
    let text = success(&rendered);
    // Bold letters are printed twice with a backspace between them.
    let plain: String = without_overstrikes(&text);
    assert!(plain.contains("--keep-going"), "{plain}");
    assert!(plain.contains("NAME") && plain.contains("SYNOPSIS"), "{plain}");
}

fn without_overstrikes(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\u{8}' => _ = out.pop(),
            other => out.push(other),
        }
    }
    out
}

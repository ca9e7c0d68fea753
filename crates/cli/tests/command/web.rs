//! `mazurka web` in a real browser, from the outside.

use crate::support::Folder;
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TWO_ANSWERS: &str = "<!DOCTYPE html><html><body><script>
    var last; for (const name of ['a', 'b']) fetch(name + '.txt').then(() => { last = name; });
</script></body></html>";

fn two_answers() -> Folder {
    let folder = Folder::with("index.html", TWO_ANSWERS);
    folder.write("a.txt", "");
    folder.write("b.txt", "");
    folder
}

#[test]
fn the_object_is_the_contract() {
    let folder = two_answers();
    let found = folder.mazurka("web . --bound none --format json --assert last==='b'");
    let report: Value = serde_json::from_str(&found.stdout).expect("an object");
    assert_eq!((found.status, &report["verdict"]), (1, &Value::from("violation")));
    assert_eq!((&report["bound"], &report["executions"]), (&Value::Null, &Value::from(2)));
    let race = &report["races"][0];
    assert_eq!(
        (&race["first"]["kind"], &race["first"]["name"]),
        (&"fetch".into(), &"a.txt".into())
    );
    assert_eq!((&race["location"], &race["class"]), (&"last".into(), &"different".into()));
    assert_eq!((&race["severity"], &race["skipped"]), (&"high".into(), &0.into()));
    assert_eq!(race["differences"], serde_json::json!(["heap", "assert"]));
    let words = folder.mazurka("web . --bound none").stdout;
    assert!(words.contains("2 sequences explored with any number of reversals"), "{words}");
}

#[test]
fn a_report_names_the_command_that_shows_a_race_again() {
    let folder = two_answers();
    let found = folder.mazurka("web . --report report");
    assert_eq!(found.status, 0, "{}", found.stderr);
    assert!(folder.read("report/index.html").contains("mazurka web replay"));
    let again = folder.mazurka("web replay . report/schedules/race-1.json");
    let lines: Vec<&str> = again.stdout.lines().map(str::trim).collect();
    let at = |name: &str| lines.iter().position(|line| line.contains(name)).expect("it happens");
    assert!(at("fetch b.txt") < at("fetch a.txt"), "{}", again.stdout);
    assert_eq!(again.status, 0, "{}", again.stderr);
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = two_answers();
    let said = |arguments: &str| {
        let found = folder.mazurka(arguments);
        assert!(found.status > 1, "{arguments}: {}", found.stdout);
        found.stderr
    };
    assert!(said("web nowhere").contains("nowhere"));
    assert!(said("web http://example.com/").contains("is not on this machine"));
    assert!(said("web . --browser /no/such/chromium").contains("/no/such/chromium"));
    folder.write("wrong.json", "[{\"tap\": \"#a\"}]");
    assert!(said("web . --actions wrong.json").contains("there is no action `tap`"));
    assert!(said("web replay . {}").contains("schedule"));
}

/// Starts `mazurka` on a page whose first script never ends, and waits until its browser runs. The browser's profile is in a
/// folder of the test, so its processes can be told from others.
#[cfg(target_os = "linux")]
fn stuck(folder: &Folder) -> Child {
    folder.write(
        "index.html",
        "<!DOCTYPE html><html><body><p>p</p><script>for(;;);</script></body></html>",
    );
    fs::create_dir(folder.path("tmp")).expect("a folder");
    let child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(["web", ".", "--step-timeout", "300"])
        .current_dir(folder.path("."))
        .env("TMPDIR", folder.path("tmp"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    while !browsers(folder).iter().any(|line| line.contains("--type=renderer")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "a browser starts");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(1));
    child
}

/// The command lines of the browser's processes.
#[cfg(target_os = "linux")]
fn browsers(folder: &Folder) -> Vec<String> {
    let own = folder.path("tmp").to_string_lossy().into_owned();
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&own)).collect()
}

#[cfg(target_os = "linux")]
fn is_gone(folder: &Folder) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        let profiles = fs::read_dir(folder.path("tmp")).expect("a folder").flatten();
        let left =
            profiles.filter(|one| one.file_name().to_string_lossy().starts_with("mazurka-web-"));
        if browsers(folder).is_empty() && left.count() == 0 {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn no_browser_is_left_after_an_interrupt_or_a_kill() {
    for signal in ["-INT", "-KILL"] {
        let folder = Folder::new();
        let mut child = stuck(&folder);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{signal}");
        let begun = Instant::now();
        child.wait().expect("it ends");
        assert!(begun.elapsed() < Duration::from_secs(20), "{signal}: it ends soon");
        assert!(is_gone(&folder), "{signal}: {:?}", browsers(&folder));
    }
}

//! A tab that crashes is named, and a panic leaves no browser behind. The only test of its process: it ends what it finds.

#![cfg(target_os = "linux")]

mod common;

use common::{options, page, try_run, user};
use mazurka_web::Options;
use mazurka_web::browser::{Browser, find};
use std::collections::HashMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// All processes that descend from this one, with their command lines.
fn descendants() -> Vec<(u32, String)> {
    let mut parents = HashMap::new();
    for entry in fs::read_dir("/proc").expect("processes").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name stands in brackets and may have anything in it.
        let Some(rest) = stat.rsplit_once(") ") else { continue };
        let mut fields = rest.1.split(' ');
        let is_dead = fields.next() == Some("Z");
        let parent = fields.next().and_then(|field| field.parse::<u32>().ok());
        if let Some(parent) = parent.filter(|_| !is_dead) {
            parents.insert(pid, parent);
        }
    }
    let own = std::process::id();
    let is_ours = |&&pid: &&u32| {
        let mut at = pid;
        while let Some(&parent) = parents.get(&at) {
            if parent == own {
                return true;
            }
            at = parent;
        }
        false
    };
    let command = |pid: u32| {
        let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&text).replace('\0', " ")
    };
    parents.keys().filter(is_ours).map(|&pid| (pid, command(pid))).collect()
}

/// Waits until nobody is left.
fn all_gone() -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if descendants().iter().all(|(_, command)| !command.contains("mazurka-web-")) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn a_crash_is_named_and_nothing_is_left_behind() {
    let folder = page("<button id=b onclick='for(;;);'>b</button>", &[]);
    let options = Options {
        actions: user(r##"[{"click": "#b"}]"##),
        step: Duration::from_secs(60),
        ..options(folder.path())
    };
    let killer = std::thread::spawn(|| {
        let begun = Instant::now();
        let busy = |pid: u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let times = stat.rsplit_once(") ").map_or("", |rest| rest.1).split(' ');
            times.skip(11).take(1).filter_map(|time| time.parse::<u64>().ok()).sum::<u64>()
        };
        // The tab that loops for ever is the one that has worked for two seconds (in ticks of a hundredth).
        while begun.elapsed() < Duration::from_secs(50) {
            let tabs =
                descendants().into_iter().filter(|(_, line)| line.contains("--type=renderer"));
            if let Some((pid, _)) = tabs.into_iter().find(|(pid, _)| busy(*pid) > 200) {
                let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
                return killed.is_ok_and(|status| status.success());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    });
    let error = try_run(&options).expect_err("the tab crashes");
    assert!(killer.join().expect("no panic"), "a tab was found");
    assert_eq!(error.to_string(), "the tab has crashed during click #b");
    assert!(all_gone(), "{:?}", descendants());

    let panics = std::thread::spawn(|| {
        let path = find(None).unwrap_or_else(|error| panic!("{error}"));
        let _browser = Browser::start(&path, false).unwrap_or_else(|error| panic!("{error}"));
        panic!("on purpose");
    });
    assert!(panics.join().is_err());
    assert!(all_gone(), "{:?}", descendants());
}

//! What takes minutes, or measures: a command of its own, `cargo test --release -p mazurka-web --test heavy -- --nocapture --test-threads 1`.

mod common;

use common::packages::{autocomplete, fetch, lightbox};
use common::{explored, options, run, sequences, site, try_run, two_callbacks, two_callbacks_page};
use mazurka_report::web::{WebReport, json};
use mazurka_web::browser::{Browser, find};
use mazurka_web::{Options, Progress, explore_in};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The whole object, but for the time and the folder.
fn object(report: WebReport) -> String {
    json(&WebReport { elapsed: Duration::ZERO, ..report })
}

#[test]
fn ten_runs_give_the_same_object() {
    let pages = [autocomplete(), lightbox("2.11.4"), lightbox("2.12.0")];
    for (_folder, options) in &pages {
        let first = object(run(options));
        for number in 2..=10 {
            assert_eq!(object(run(options)), first, "run {number}");
        }
    }
}

/// Both orders of two callbacks of each kind, twenty times: the same events, the same end, the same picture.
fn twenty_times(kind: &str, start: &str) {
    let folder = two_callbacks_page(start);
    let _browser = common::browser();
    let told = |report: &WebReport| {
        let pictures: Vec<_> =
            report.sequences.iter().map(|sequence| sequence.screenshot.clone()).collect();
        (sequences(report), pictures, object(report.clone()))
    };
    let first = told(&run(&options(folder.path())));
    assert_eq!(first.0.len(), 2, "{kind}");
    for number in 2..=20 {
        let again = told(&run(&options(folder.path())));
        assert_eq!(again.0, first.0, "{kind}, run {number}");
        assert!(again == first, "{kind}, run {number}: another end");
    }
}

macro_rules! all_twenty_times {
    ($($test:ident $kind:literal $start:expr;)*) => {
        $(#[test] fn $test() { super::twenty_times(stringify!($test), $start); })*
    };
}

mod every_kind_of_callback {
    super::common::callbacks!(all_twenty_times);
}

/// n! without a bound; with one reversal the n - 1 pairs of neighbours can be swapped, and there is the recorded order.
#[test]
fn four_answers_that_append_to_one_list() {
    let body = "<script>var list = []; for (let i = 0; i < 4; i++) fetch(i + '.txt').then(() => { list.push(i); });</script>";
    let files = [("0.txt", ""), ("1.txt", ""), ("2.txt", ""), ("3.txt", "")];
    assert_eq!(explored(body, &files, "[]", None).sequences.len(), 24);
    assert_eq!(explored(body, &files, "[]", Some(1)).sequences.len(), 4);
}

/// Five published libraries, 3 MB of scripts, and 500 events that use them.
fn large_page() -> tempfile::TempDir {
    let html = "<!DOCTYPE html><html><head><meta charset=utf-8></head><body><div id=app></div>
        <script src=jquery.js></script><script src=lodash.js></script><script src=d3.js></script>
        <script src=vue.js></script><script src=three.js></script><script>
        var seen = {}; var last;
        for (let i = 0; i < 160; i++) {
          setTimeout(() => { seen['timer' + i] = _.sum(_.range(i)); }, i);
          fetch('data.txt?' + i).then((r) => r.text()).then((t) => { seen['answer' + i] = d3.max([i, t.length]); if (i < 5) last = i; });
          const picture = new Image();
          picture.onload = () => { seen['picture' + i] = new THREE.Vector3(i, 0, 0).length(); };
          picture.src = 'p.svg?' + i;
        }
        for (let i = 0; i < 20; i++) setTimeout(() => { $('#app').toggleClass('c' + i); }, 500 + i);
        $(() => { Vue.createApp({ data: () => ({ n: 1 }), template: '<p>{{ n }}</p>' }).mount('#app'); });
        </script></body></html>";
    let picture = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>";
    let folder = site(&[("index.html", html), ("data.txt", "data"), ("p.svg", picture)]);
    let libraries = [
        ("jquery@3.7.1", "dist/jquery.js", "jquery.js"),
        ("lodash@4.17.21", "lodash.js", "lodash.js"),
        ("d3@7.9.0", "dist/d3.js", "d3.js"),
        ("vue@3.4.21", "dist/vue.global.js", "vue.js"),
        ("three@0.150.1", "build/three.js", "three.js"),
    ];
    let mut size = 0;
    for (package, file, name) in libraries {
        fetch(package, folder.path());
        let from = folder.path().join("package").join(file);
        size += std::fs::copy(from, folder.path().join(name)).expect("the library");
        std::fs::remove_dir_all(folder.path().join("package")).expect("the rest of the package");
    }
    assert!(size > 3_000_000, "{size} bytes of scripts");
    folder
}

/// Five answers write one variable, so four pairs of neighbours race, and there is the recorded order. Nothing else races.
const SEQUENCES: usize = 5;

/// The largest amount of memory that this process had, in MB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

#[test]
fn a_large_page_is_recorded_and_explored() {
    let folder = large_page();
    let begun = Instant::now();
    let recorded = run(&Options { max_executions: Some(1), ..options(folder.path()) });
    let time = begun.elapsed();
    let events = recorded.sequences[0].events.len();
    println!("{events} events recorded in {:.1} s, {:?}", time.as_secs_f64(), recorded.notes);
    assert!(events >= 500);
    assert!(time < Duration::from_secs(20), "{time:?}");
    assert!(time.as_millis() / (events as u128) < 60, "{time:?} for {events} events");

    let path = find(None).unwrap_or_else(|error| panic!("{error}"));
    let browser = Browser::start(&path, false).unwrap_or_else(|error| panic!("{error}"));
    let all = options(folder.path());
    let shared = all.shared().expect("a page");
    let mut seen = 0;
    let mut progress = |progress: Progress| {
        seen += 1;
        println!("{progress:?}");
    };
    let report = explore_in(&browser, &all, shared, &AtomicBool::new(false), &mut progress);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.sequences.len(), SEQUENCES, "{:?}", report.races);
    assert!(seen >= report.sequences.len(), "progress was told {seen} times");
    let peak = peak_memory();
    println!("explored in {:.1} s, {peak:?} MB at most", report.elapsed.as_secs_f64());
    assert!(peak.is_none_or(|peak| peak < 300), "{peak:?} MB");
}

/// Four answers append to a list, and do so much beside: 24 sequences of 8 events. What they take with so many contexts.
fn time_of_24_sequences(work: &str, threads: usize) -> Duration {
    let body = format!(
        "<script>var list = []; for (let i = 0; i < 4; i++) fetch(i + '.txt').then(() => {{ {work} list.push(i); }});</script>"
    );
    let files = [("0.txt", ""), ("1.txt", ""), ("2.txt", ""), ("3.txt", "")];
    let folder = common::page(&body, &files);
    let all = Options { bound: None, threads, ..options(folder.path()) };
    let begun = Instant::now();
    let report = try_run(&all).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.sequences.len(), 24);
    begun.elapsed()
}

/// A page whose sequences have nothing to do shows what a sequence costs before its first event.
#[test]
fn a_sequence_starts_within_a_second_and_contexts_run_in_parallel() {
    // The browser has started, and goes on until all is measured.
    let _browser = common::browser();
    drop(two_callbacks("fetch(n + '.txt').then(() => done(n));"));
    let nothing = "";
    let much = "for (let n = 0; n < 3e8; n++);";
    for (what, work) in [("nothing", nothing), ("much", much)] {
        let (alone, together) = (time_of_24_sequences(work, 1), time_of_24_sequences(work, 2));
        println!(
            "24 sequences of 8 events that do {what}: {:.1} s alone, {:.1} s with two contexts",
            alone.as_secs_f64(),
            together.as_secs_f64()
        );
        if work == nothing {
            assert!(alone / 24 < Duration::from_secs(1), "{alone:?}");
        }
    }
}

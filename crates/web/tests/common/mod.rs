//! One browser for all tests of a file, and pages that are written where they are used.

#![allow(dead_code, unused_macros, unused_imports, reason = "each file of tests uses a part of it")]

pub mod packages;

use mazurka_report::web::{WebEvent, WebRace, WebReport};
use mazurka_web::browser::{Browser, find};
use mazurka_web::{Options, actions, explore_in};
use std::path::Path;
use std::sync::{Arc, atomic::AtomicBool};
use std::sync::{Mutex, OnceLock, PoisonError, Weak};
use tempfile::TempDir;

/// The browser ends with the last test that uses it.
pub fn browser() -> Arc<Browser> {
    static BROWSER: OnceLock<Mutex<Weak<Browser>>> = OnceLock::new();
    let mut shared =
        BROWSER.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(browser) = shared.upgrade() {
        return browser;
    }
    let path = find(None).unwrap_or_else(|error| panic!("{error}"));
    let browser = Arc::new(Browser::start(&path, false).unwrap_or_else(|error| panic!("{error}")));
    *shared = Arc::downgrade(&browser);
    browser
}

/// A folder with these files.
pub fn site(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

/// A page with this body, and files beside it.
pub fn page(body: &str, files: &[(&str, &str)]) -> TempDir {
    let html =
        format!("<!DOCTYPE html><html><head><meta charset=utf-8></head><body>{body}</body></html>");
    let mut all = vec![("index.html", html.as_str())];
    all.extend_from_slice(files);
    site(&all)
}

/// The usual options for a folder, with no actions.
pub fn options(folder: &Path) -> Options {
    Options { actions: Some(Vec::new()), ..Options::new(&folder.to_string_lossy()) }
}

/// Explores with these options in the shared browser.
pub fn run(options: &Options) -> WebReport {
    try_run(options).unwrap_or_else(|error| panic!("{error}"))
}

/// The same where it may go wrong.
pub fn try_run(options: &Options) -> Result<WebReport, mazurka_web::Error> {
    let browser = browser();
    explore_in(&browser, options, options.shared()?, &AtomicBool::new(false), &mut |_| {})
}

/// The user's actions.
pub fn user(text: &str) -> Option<Vec<actions::Action>> {
    Some(actions::read(text).expect("actions"))
}

/// A page with actions, explored.
pub fn explored(body: &str, files: &[(&str, &str)], user: &str, bound: Option<u32>) -> WebReport {
    let folder = page(body, files);
    let actions = Some(actions::read(user).expect("actions"));
    run(&Options { actions, bound, ..options(folder.path()) })
}

/// `kind name` of an event.
pub fn words(event: &WebEvent) -> String {
    format!("{} {}", event.kind, event.name)
}

/// The first event and the second event of a race.
pub fn ends(report: &WebReport, race: &WebRace) -> (String, String) {
    let event = |number: u32| words(&report.events[number as usize]);
    (event(race.first.event), event(race.second.event))
}

/// Each sequence in words.
pub fn sequences(report: &WebReport) -> Vec<Vec<String>> {
    let event = |&number: &u32| words(&report.events[number as usize]);
    report.sequences.iter().map(|sequence| sequence.events.iter().map(event).collect()).collect()
}

/// `start(name)` begins something that calls `done(name)` later; it is begun twice.
pub fn two_callbacks(start: &str) -> WebReport {
    let folder = two_callbacks_page(start);
    run(&options(folder.path()))
}

/// The page for it.
pub fn two_callbacks_page(start: &str) -> TempDir {
    let body = format!(
        "<script>var list = []; const done = (n) => {{ list.push(n); }}; function start(n) {{ {start} }} start('a'); start('b');</script>"
    );
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>";
    let echo = "onmessage = (e) => postMessage(e.data);";
    let files = [
        ("a.svg", svg),
        ("b.svg", svg),
        ("a.js", "done('a')"),
        ("b.js", "done('b')"),
        ("a.css", "i{}"),
        ("b.css", "i{}"),
        ("a.txt", "a"),
        ("b.txt", "b"),
        ("a.html", "a"),
        ("b.html", "b"),
        ("a.mjs", "import './deep.mjs'; export default 1"),
        ("b.mjs", "import './deep.mjs'; export default 2"),
        ("deep.mjs", "export default 0"),
        ("worker-a.js", echo),
        ("worker-b.js", echo),
    ];
    page(&body, &files)
}

/// Every kind of callback: the name of a test, the kind of the event, and what begins it.
macro_rules! callbacks {
    ($with:ident) => {
        $with! {
            fetches "fetch" "fetch(n + '.txt').then(() => done(n));";
            requests "xhr" "const x = new XMLHttpRequest(); x.onload = () => done(n); x.open('GET', n + '.txt'); x.send();";
            pictures "load" "const i = new Image(); i.onload = () => done(n); i.src = n + '.svg';";
            decoded_pictures "decode" "const i = new Image(); i.src = n + '.svg'; i.decode().then(() => done(n));";
            bitmaps "decode" "createImageBitmap(new Blob(['x'])).catch(() => done(n));";
            scripts "script" "const s = document.createElement('script'); s.src = n + '.js'; document.head.appendChild(s);";
            modules "import" "import('./' + n + '.mjs').then(() => done(n));";
            styles "style" "const s = document.createElement('link'); s.rel = 'stylesheet'; s.onload = () => done(n); s.href = n + '.css'; document.head.appendChild(s);";
            fonts "font" "new FontFace(n, 'url(' + n + '.txt)').load().catch(() => done(n));";
            frames_in_the_page "load" "const f = document.createElement('iframe'); f.onload = () => done(n); f.src = n + '.html'; document.body.appendChild(f);";
            workers "worker" "const w = new Worker('worker-' + n + '.js'); w.onmessage = () => done(n); w.postMessage(1);";
            windows "message" "addEventListener('message', (e) => { if (e.data === n) done(n); }); fetch(n + '.txt').then(() => { postMessage(n, '*'); });";
            ports "message" "const c = new MessageChannel(); c.port1.onmessage = () => done(n); c.port2.postMessage(1);";
            channels "message" "new BroadcastChannel(n).onmessage = () => done(n); new BroadcastChannel(n).postMessage(1);";
            sockets_that_fail "websocket" "new WebSocket('ws://localhost/' + n).onclose = () => done(n);";
            sources_that_fail "eventsource" "new EventSource(n + '.txt').onerror = () => done(n);";
            digests "crypto" "crypto.subtle.digest('SHA-256', new Uint8Array([1])).then(() => done(n));";
            files "file" "const r = new FileReader(); r.onload = () => done(n); r.readAsText(new Blob(['x']));";
            blobs "blob" "new Blob(['x']).text().then(() => done(n));";
            caches "cache" "caches.open(n).then(() => done(n));";
            databases "database" "indexedDB.open(n).onsuccess = () => done(n);";
            locks "lock" "navigator.locks.request(n, () => { done(n); });";
            timers "timer" "fetch(n + '.txt').then(() => { setTimeout(() => done(n), 5); });";
            intervals "interval" "fetch(n + '.txt').then(() => { const i = setInterval(() => { clearInterval(i); done(n); }, 5); });";
            tasks "task" "fetch(n + '.txt').then(() => { scheduler.postTask(() => done(n)); });";
            animation_frames "frame" "fetch(n + '.txt').then(() => { requestAnimationFrame(() => done(n)); });";
            idle_callbacks "idle" "fetch(n + '.txt').then(() => { requestIdleCallback(() => done(n)); });";
            transitions "transition" "const d = document.createElement('div'); d.id = n; d.style.transition = 'width 1s'; d.style.width = '9px'; d.ontransitionend = () => done(n); document.body.appendChild(d); fetch(n + '.txt').then(() => { getComputedStyle(d).width; d.style.width = '20px'; });";
            sizes "observer" "const d = document.createElement('div'); document.body.appendChild(d); new ResizeObserver(() => done(n)).observe(d);";
            intersections "observer" "const d = document.createElement('div'); document.body.appendChild(d); new IntersectionObserver(() => done(n)).observe(d);";
            steps_in_history "history" "history.pushState(n, ''); if (n === 'b') { onpopstate = () => done('back'); history.back(); fetch('a.txt').then(() => done('answer')); }";
        }
    };
}
pub(crate) use callbacks;

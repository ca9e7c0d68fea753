//! A page for each kind of callback that is held: two of them race for a list, so there are two orders.

mod common;

use common::{explored, sequences};

/// `start(name)` begins something that calls `done(name)` later.
#[track_caller]
fn two_orders(kind: &str, start: &str) {
    let body = format!(
        "<script>var list = []; const done = (n) => {{ list.push(n); }}; function start(n) {{ {start} }} start('a'); start('b');</script>"
    );
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>";
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
        ("a.mjs", "export default 1"),
        ("b.mjs", "export default 2"),
    ];
    let report = explored(&body, &files, "[]", Some(1));
    assert_eq!(report.sequences.len(), 2, "{kind}: {:?} {:?}", sequences(&report), report.notes);
    assert!(!report.races[0].differences.is_empty(), "{kind}: the orders differ");
    let names = sequences(&report).concat();
    assert!(names.iter().any(|name| name.starts_with(&format!("{kind} "))), "{kind}: {names:?}");
}

macro_rules! kinds {
    ($($test:ident $kind:literal $start:literal)*) => {
        $(#[test] fn $test() { two_orders($kind, $start); })*
    };
}

kinds! {
    fetches "fetch" "fetch(n + '.txt').then(() => done(n));"
    requests "xhr" "const x = new XMLHttpRequest(); x.onload = () => done(n); x.open('GET', n + '.txt'); x.send();"
    pictures "load" "const i = new Image(); i.onload = () => done(n); i.src = n + '.svg';"
    scripts "script" "const s = document.createElement('script'); s.src = n + '.js'; document.head.appendChild(s);"
    styles "style" "const s = document.createElement('link'); s.rel = 'stylesheet'; s.onload = () => done(n); s.href = n + '.css'; document.head.appendChild(s);"
    ports "message" "const c = new MessageChannel(); c.port1.onmessage = () => done(n); c.port2.postMessage(1);"
    channels "message" "new BroadcastChannel(n).onmessage = () => done(n); new BroadcastChannel(n).postMessage(1);"
    digests "crypto" "crypto.subtle.digest('SHA-256', new Uint8Array([1])).then(() => done(n));"
    files "file" "const r = new FileReader(); r.onload = () => done(n); r.readAsText(new Blob(['x']));"
    blobs "blob" "new Blob(['x']).text().then(() => done(n));"
    timers "timer" "fetch(n + '.txt').then(() => { setTimeout(() => done(n), 5); });"
}

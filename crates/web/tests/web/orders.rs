//! A page for each rule of happens-before: two events push to one list, and without the rule they would race.

use crate::common::{options, page, run, sequences, user};
use mazurka_report::web::WebReport;
use mazurka_web::Options;

/// `pushes` is how many events push to the list: that they do is checked in the page.
fn explored(body: &str, actions: &str, pushes: usize) -> WebReport {
    let list = "<script>var list = []; const push = (n) => { list.push(n); };</script>";
    let files = [
        ("a.js", "push('a')"),
        ("b.js", "push('b')"),
        ("a.css", "i{}"),
        ("a.txt", "a"),
        ("b.txt", "b"),
        ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>"),
    ];
    let folder = page(&format!("{list}{body}"), &files);
    let report = run(&Options {
        actions: user(actions),
        asserts: vec![format!("list.length === {pushes}")],
        ..options(folder.path())
    });
    assert!(report.failures.iter().all(|one| one.kind == "race"), "{:?}", report.failures);
    report
}

#[track_caller]
fn ordered(body: &str, actions: &str, pushes: usize) {
    let report = explored(body, actions, pushes);
    assert_eq!(report.sequences.len(), 1, "{:?}\n{:?}", sequences(&report), report.races);
}

#[track_caller]
fn unordered(body: &str, actions: &str, pushes: usize) {
    let report = explored(body, actions, pushes);
    assert_eq!(report.sequences.len(), 2, "{:?}\n{:?}", sequences(&report), report.races);
}

#[test]
fn a_callback_comes_after_its_registration() {
    ordered("<script>push(1); setTimeout(() => push(2), 5);</script>", "[]", 2);
}

#[test]
fn an_answer_comes_after_its_request() {
    ordered("<script>push(1); fetch('a.txt').then(() => push(2));</script>", "[]", 2);
}

#[test]
fn timers_of_one_creator_come_by_delay() {
    ordered(
        "<script>setTimeout(() => push(2), 9); setTimeout(() => push(1), 5);</script>",
        "[]",
        2,
    );
}

#[test]
fn timers_with_equal_delays_come_in_order_of_creation() {
    ordered(
        "<script>setTimeout(() => push(1), 5); setTimeout(() => push(2), 5);</script>",
        "[]",
        2,
    );
}

#[test]
fn timers_of_different_creators_are_not_ordered() {
    unordered(
        "<script>for (const n of ['a', 'b']) fetch(n + '.txt').then(() => { setTimeout(() => push(n), 5); });</script>",
        "[]",
        2,
    );
}

#[test]
fn ticks_of_an_interval_are_ordered() {
    ordered(
        "<script>const i = setInterval(() => { push(1); if (list.length === 3) clearInterval(i); }, 5);</script>",
        "[]",
        3,
    );
}

#[test]
fn pieces_of_the_page_are_parsed_in_order() {
    ordered("<script>push(1);</script><p>between</p><script>push(2);</script>", "[]", 2);
}

#[test]
fn scripts_run_in_the_order_of_the_document() {
    ordered("<script src=a.js></script><p></p><script src=b.js></script>", "[]", 2);
}

#[test]
fn async_scripts_are_not_ordered() {
    unordered("<script async src=a.js></script><script async src=b.js></script>", "[]", 2);
}

#[test]
fn a_script_waits_for_the_stylesheets_before_it() {
    ordered(
        "<link rel=stylesheet href=a.css onload='push(1)'><p></p><script>push(2);</script>",
        "[]",
        2,
    );
}

#[test]
fn the_parser_waits_at_stylesheets_in_the_body() {
    ordered(
        "<link rel=stylesheet href=none.css onerror='push(1)'><p></p><link rel=stylesheet href=a.css onload='push(2)'><script>push(3);</script>",
        "[]",
        3,
    );
}

#[test]
fn the_parser_waits_at_scripts_that_are_written_into_the_page() {
    ordered(
        r"<script>for (const n of ['a', 'b']) document.write(`<script src=${n}.js><\/script>`);</script><script>push('c');</script>",
        "[]",
        3,
    );
}

#[test]
fn timers_of_one_worker_come_by_delay() {
    let worker = "onmessage = () => { setTimeout(() => postMessage(2), 9); setTimeout(() => postMessage(1), 5); };";
    let start = format!(
        "<script>const w = new Worker(URL.createObjectURL(new Blob([`{worker}`]))); w.onmessage = (e) => push(e.data); w.postMessage(0);"
    );
    ordered(&format!("{start}</script>"), "[]", 2);
    let answer = "fetch('a.txt').then(() => push(0));</script>";
    let report = explored(&format!("{start}{answer}"), "[]", 3);
    assert!(report.sequences.len() > 1, "the answer comes at any time: {:?}", sequences(&report));
}

#[test]
fn load_waits_for_pictures() {
    ordered("<img src=a.svg onload='push(1)'><script>onload = () => push(2);</script>", "[]", 2);
}

/// The parser asks for pictures that a script makes while the page is parsed, as it seems to the browser.
#[test]
fn a_picture_comes_after_the_script_that_asks_for_it() {
    ordered(
        "<p></p><script>push(1); const i = new Image(); i.onload = () => push(2); i.src = 'a.svg';</script>",
        "[]",
        2,
    );
}

#[test]
fn a_picture_comes_after_the_piece_of_the_page_that_has_it() {
    ordered("<p></p><script>push(1);</script><img src=a.svg onload='push(2)'>", "[]", 2);
}

#[test]
fn deferred_scripts_come_before_content_loaded_and_that_before_load() {
    ordered(
        "<script defer src=a.js></script><script defer src=b.js></script><script>
         document.addEventListener('DOMContentLoaded', () => push(3)); onload = () => push(4);</script>",
        "[]",
        4,
    );
}

#[test]
fn an_element_comes_before_its_events() {
    ordered(
        "<script>fetch('a.txt').then(() => {
           push(1); const b = document.createElement('button'); b.id = 'b'; b.onclick = () => push(2); document.body.append(b);
         });</script>",
        r##"[{"click": "#b"}]"##,
        2,
    );
}

#[test]
fn the_user_does_one_thing_after_the_other() {
    ordered(
        "<button id=a onclick='push(1)'>a</button><button id=b onclick='push(2)'>b</button>",
        r##"[{"click": "#a"}, {"click": "#b"}]"##,
        2,
    );
}

#[test]
fn the_events_of_one_request_are_ordered() {
    ordered(
        "<script>const x = new XMLHttpRequest(); x.onreadystatechange = () => { if (x.readyState === 4) push(1); };
         x.onload = () => push(2); x.onloadend = () => push(3); x.open('GET', 'a.txt'); x.send();</script>",
        "[]",
        3,
    );
}

#[test]
fn messages_of_one_channel_come_in_order() {
    ordered(
        "<script>const c = new MessageChannel(); c.port1.onmessage = (e) => push(e.data); c.port2.postMessage(1); c.port2.postMessage(2);</script>",
        "[]",
        2,
    );
}

#[test]
fn callbacks_of_one_frame_come_in_order() {
    ordered(
        "<script>requestAnimationFrame(() => push(1)); requestAnimationFrame(() => push(2));</script>",
        "[]",
        2,
    );
}

/// The second transaction sees what the first one has written, although the first one goes on when the second one has begun.
#[test]
fn transactions_of_one_database_come_in_order() {
    ordered(
        "<script>const open = indexedDB.open('shop', 1);
         open.onupgradeneeded = () => { open.result.createObjectStore('things', { keyPath: 'id' }).createIndex('name', 'name'); };
         open.onsuccess = () => {
           const first = open.result.transaction('things', 'readwrite').objectStore('things');
           const second = open.result.transaction('things').objectStore('things').index('name').getAll();
           first.put({ id: 1, name: 'b' }).onsuccess = () => { push(1); first.put({ id: 2, name: 'a' }).onsuccess = () => push(2); };
           second.onsuccess = () => { if (second.result.map((thing) => thing.id).join() === '2,1') push(3); };
         };</script>",
        "[]",
        3,
    );
}

/// Cursors, counters, constraints and aborted transactions of the stand-in do what those of browsers do.
#[test]
fn a_database_does_what_it_should() {
    let folder = page(
        "<script>var found = {}; const open = indexedDB.open('shop');
         open.onupgradeneeded = (e) => { found.versions = e.oldVersion + ',' + e.newVersion; open.result.createObjectStore('things', { autoIncrement: true }); };
         open.onsuccess = () => {
           const db = open.result;
           const write = db.transaction(['things'], 'readwrite');
           const things = write.objectStore('things');
           for (const name of ['a', 'b', 'c']) things.add(name);
           things.add('again', 2).onerror = (e) => { found.error = e.target.error.name; e.preventDefault(); };
           write.oncomplete = () => {
             const names = [];
             const read = db.transaction('things').objectStore('things');
             read.openCursor(IDBKeyRange.lowerBound(2), 'prev').onsuccess = (e) => {
               const cursor = e.target.result;
               if (cursor) { names.push(cursor.key + cursor.value); cursor.continue(); } else found.names = names.join();
             };
             const undone = db.transaction('things', 'readwrite');
             undone.objectStore('things').clear().onsuccess = () => undone.abort();
             undone.onabort = () => { db.transaction('things').objectStore('things').count().onsuccess = (e) => { found.count = e.target.result; }; };
           };
           try { db.transaction('none'); } catch (error) { found.missing = error.name; }
         };</script>",
        &[],
    );
    let wanted = "JSON.stringify(found) === JSON.stringify({ versions: '0,1', missing: 'NotFoundError', error: 'ConstraintError', names: '3c,2b', count: 3 })";
    let report = run(&Options { asserts: vec![wanted.to_owned()], ..options(folder.path()) });
    assert!(
        report.failures.is_empty() && report.notes.is_empty(),
        "{:?} {:?}",
        report.failures,
        report.notes
    );
    assert_eq!(report.sequences.len(), 1, "{:?}", report.races);
}

#[test]
fn an_observer_is_told_after_the_cause() {
    ordered(
        "<div id=d>d</div><script>push(1); new ResizeObserver(() => push(2)).observe(d);</script>",
        "[]",
        2,
    );
}

#[test]
fn a_cancel_is_a_write() {
    let folder = page(
        "<script>var list = []; const t = setTimeout(() => { list.push(1); }, 50); fetch('a.txt').then(() => clearTimeout(t));</script>",
        &[("a.txt", "")],
    );
    let report = run(&options(folder.path()));
    let timers = |sequence: &Vec<String>| sequence.iter().any(|name| name.starts_with("timer "));
    let with_timer: Vec<bool> = sequences(&report).iter().map(timers).collect();
    assert_eq!(with_timer, [false, true], "{:?}", sequences(&report));
}

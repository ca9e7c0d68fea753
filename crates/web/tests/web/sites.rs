//! Pages as sites have them: what they share, and what of it has two orders.

use crate::common::{ends, explored, run, sequences};
use mazurka_engine::Verdict;
use mazurka_report::web::{Difference, WebReport};
use mazurka_web::Options;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::Duration;

const FILES: [(&str, &str); 3] = [("a.txt", "a"), ("b.txt", "b"), ("c.txt", "c")];

/// Explores a page with these files beside `a.txt`, `b.txt` and `c.txt`.
fn site(body: &str, files: &[(&str, &str)], user: &str) -> WebReport {
    let all: Vec<_> = FILES.iter().chain(files).copied().collect();
    explored(body, &all, user, Some(1))
}

/// These two events race, and their order makes these differences.
#[track_caller]
fn race(report: &WebReport, first: &str, second: &str, differences: &[Difference]) {
    let pair = (first.to_owned(), second.to_owned());
    let race = report.races.iter().find(|race| ends(report, race) == pair);
    let known: Vec<_> = report.races.iter().map(|race| ends(report, race)).collect();
    let race = race.unwrap_or_else(|| panic!("{known:?} {:?}", sequences(report)));
    for difference in differences {
        assert!(race.differences.contains(difference), "{difference:?}: {:?}", race.differences);
    }
}

/// `import { live }` sees what the other module assigns later, under every name that it may have.
#[test]
fn variables_that_modules_export() {
    let state = "let live = 0; export { live as shown }; export function set(x) { live = x; }";
    let set = "import { set } from './state.mjs'; fetch('a.txt').then(() => set(1));";
    let show = |import: &str, read: &str| {
        format!("{import}; fetch('b.txt').then(() => {{ document.body.append({read}); }});")
    };
    let all = [
        show("import { shown } from './state.mjs'", "shown"),
        show("import * as state from './state.mjs'", "state.shown"),
    ];
    for show in &all {
        let body =
            "<script type=module src=set.mjs></script><script type=module src=show.mjs></script>";
        let files = [("state.mjs", state), ("set.mjs", set), ("show.mjs", show)];
        let report = site(body, &files, "[]");
        race(&report, "fetch a.txt", "fetch b.txt", &[Difference::Dom]);
    }
}

/// A module runs when all that it imports has come. What it does belongs to its own event, however long that takes: here the
/// first execution waits for a server, and the others have its answers at once.
#[test]
fn modules_that_wait_for_what_they_import() {
    let html = "<!DOCTYPE html><body><script type=module src=set.mjs></script><script type=module src=show.mjs></script>";
    let files = [
        ("/", "text/html", html),
        (
            "/state.mjs",
            "text/javascript",
            "export let live = 0; export function set(x) { live = x; }",
        ),
        (
            "/set.mjs",
            "text/javascript",
            "import { set } from './state.mjs'; fetch('a.txt').then(() => set(1));",
        ),
        (
            "/show.mjs",
            "text/javascript",
            "import { live } from './state.mjs'; fetch('b.txt').then(() => { document.body.append(live); });",
        ),
    ];
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let mut stream = stream.expect("a connection");
            std::thread::spawn(move || {
                let mut first = String::new();
                BufReader::new(&stream).read_line(&mut first).expect("a request");
                let path = first.split(' ').nth(1).unwrap_or_default();
                if path == "/state.mjs" {
                    std::thread::sleep(Duration::from_millis(300));
                }
                let file = files.iter().find(|file| file.0 == path);
                let (kind, body) = file.map_or(("text/plain", ""), |file| (file.1, file.2));
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}",
                    body.len()
                );
                // A browser may have gone away meanwhile.
                let _ = write!(stream, "{head}\r\nConnection: close\r\n\r\n{body}");
            });
        }
    });
    let page = format!("http://localhost:{port}/");
    let report = run(&Options { actions: Some(Vec::new()), ..Options::new(&page) });
    race(&report, "fetch a.txt", "fetch b.txt", &[Difference::Dom]);
}

/// What happens in a shadow tree is seen, and compared.
#[test]
fn shadow_trees_of_custom_elements() {
    for mode in ["open", "closed"] {
        let body = format!(
            "<my-el></my-el><script>customElements.define('my-el', class extends HTMLElement {{
               connectedCallback() {{
                 const root = this.attachShadow({{ mode: '{mode}' }});
                 for (const n of ['a', 'b']) fetch(n + '.txt').then(() => {{ root.innerHTML += '<p>' + n + '</p>'; }});
               }} }});</script>"
        );
        let report = site(&body, &[], "[]");
        race(&report, "fetch a.txt", "fetch b.txt", &[Difference::Dom, Difference::Pixels]);
    }
}

/// What workers ask for is answered, and what they say is held; the addresses of blobs are not left to chance.
#[test]
fn workers_that_ask() {
    let body = "<p id=o></p><script>let data = 'none';
        const w = new Worker('w.js'); w.onmessage = (e) => { o.textContent = e.data + data; }; w.postMessage('q');
        const text = 'onmessage = async () => { await new Promise((r) => setTimeout(r, 5)); postMessage(1); }';
        const blob = new Worker(URL.createObjectURL(new Blob([text]))); blob.onmessage = () => { window.seen = data; }; blob.postMessage(1);
        fetch('a.txt').then(() => { data = 'data'; });</script>";
    let script = "importScripts('i.js'); onmessage = async (e) => { const r = await fetch('b.txt'); postMessage(e.data + await r.text() + imported); };";
    let files = [("w.js", script), ("i.js", "var imported = 'i';")];
    let report = site(body, &files, "[]");
    let all = &sequences(&report)[0];
    for name in ["worker w.js", "timer blob:1", "worker blob:1"] {
        assert!(all.iter().any(|one| one == name), "{name}: {all:?} {:?}", report.notes);
    }
    assert!(report.incomplete.iter().all(|why| why.because != "cut"), "{:?}", report.incomplete);
    race(&report, "fetch a.txt", "worker w.js", &[Difference::Dom]);
}

/// Timers and answers of frames are events of the page.
#[test]
fn frames_that_wait() {
    let body = "<p id=o></p><iframe src=f.html></iframe><script>let data = 'none';
        onmessage = (e) => { o.textContent += e.data + data; }; fetch('a.txt').then(() => { data = 'data'; });</script>";
    let frame = "<script>setTimeout(() => { parent.postMessage('timer', '*'); }, 500);
        fetch('b.txt').then((r) => r.text()).then((t) => parent.postMessage(t + Math.random() + Date.now(), '*'));</script>";
    let report = site(body, &[("f.html", frame)], "[]");
    let all = &sequences(&report)[0];
    for name in ["timer f.html:1:9", "fetch b.txt"] {
        assert!(all.iter().any(|one| one == name), "{name}: {all:?}");
    }
    race(&report, "fetch a.txt", "message window", &[Difference::Dom]);
}

/// What a frame was to do is not done when it has gone, or shows something else.
#[test]
fn frames_that_go() {
    let body =
        "<iframe id=f src=f.html></iframe><iframe id=g src=f.html></iframe><script>var ticks = 0;
        onload = () => { f.remove(); g.src = 'a.html'; };</script>";
    let frame = "<script>setTimeout(() => { parent.ticks++; }, 500);</script>";
    let folder = crate::common::page(body, &[("f.html", frame), ("a.html", "a")]);
    let asserts = vec!["ticks === 0".to_owned()];
    let report = crate::common::run(&Options { asserts, ..crate::common::options(folder.path()) });
    let timers = sequences(&report)[0].iter().filter(|name| name.starts_with("timer ")).count();
    assert_eq!((timers, report.failures.len()), (2, 0), "{:?}", sequences(&report));
}

/// A stream that the page fills itself waits for whoever fills it, and nothing else waits for it.
#[test]
fn streams() {
    let body = "<p id=o></p><script>let text = '';
        async function read(stream) { const reader = stream.getReader(); for (;;) { const { done, value } = await reader.read(); if (done) break; text += value; } o.textContent = text; }
        for (const n of ['a', 'b']) fetch(n + '.txt').then((r) => read(r.body));
        read(new ReadableStream({ start(c) { fetch('c.txt').then(() => { c.enqueue('c'); c.close(); }); } }));</script>";
    let report = site(body, &[], "[]");
    race(&report, "fetch a.txt", "fetch b.txt", &[Difference::Dom]);
    race(&report, "fetch b.txt", "fetch c.txt", &[Difference::Dom]);
}

/// A mutation observer runs with its event; clicks are handled further up.
#[test]
fn observers_of_mutations_and_handlers_further_up() {
    let body = "<ul id=list></ul><p id=o></p><script>
        new MutationObserver(() => { o.textContent = list.lastChild.textContent; }).observe(list, { childList: true });
        document.body.addEventListener('click', (e) => { if (e.target.closest('#list')) window.seen = list.children.length; });
        for (const n of ['a', 'b']) fetch(n + '.txt').then(() => { const li = document.createElement('li'); li.textContent = n; list.append(li); });</script>";
    let report = site(body, &[], r##"[{"click": "#list"}]"##);
    race(&report, "fetch a.txt", "fetch b.txt", &[Difference::Dom]);
    race(&report, "fetch b.txt", "click #list", &[Difference::Heap]);
}

/// A form that is sent before its script is ready leaves the page.
#[test]
fn forms_that_are_sent_early() {
    let body = "<form id=f action=b.txt><input id=q name=q></form><script>let token = '';
        f.addEventListener('submit', (e) => { if (!token) return; e.preventDefault(); fetch('c.txt?' + token + q.value); });
        fetch('a.txt').then(() => { token = 't'; });</script>";
    let report = site(body, &[], r##"[{"type": ["#q", "x"]}, {"press": "Enter"}]"##);
    race(&report, "fetch a.txt", "press Enter", &[Difference::Network]);
    assert_eq!(report.notes, ["the page navigates to b.txt?q=x, which is not followed"]);
    assert_eq!(report.verdict, Verdict::Violation);
}

/// A script that is `async` comes at any time, one that is written stops the parser, and one that is `defer` waits for the end.
#[test]
fn scripts_in_any_order() {
    let body = "<script async src=one.js></script><script defer src=two.js></script>
        <script>document.write('<script src=written.js><\\/script>');</script>";
    let add = |n: &str| format!("window.order = (window.order || '') + '{n}';");
    let (one, two, written) = (add("1"), add("2"), add("w"));
    let report = site(body, &[("one.js", &one), ("two.js", &two), ("written.js", &written)], "[]");
    race(&report, "script one.js", "script written.js", &[Difference::Heap]);
    for names in sequences(&report) {
        let at = |wanted: &str| names.iter().position(|name| name == wanted).expect("it happens");
        assert!(at("script written.js") < at("script two.js"), "{names:?}");
    }
}

/// Browsers fetch icons, and some things ahead of time, when they like: that makes no difference. A picture that stands in its
/// own address comes with the event that asks for it.
#[test]
fn what_browsers_fetch_on_their_own() {
    let body = "<link rel=icon href=i.png><link rel=prefetch href=b.txt>
        <link rel=stylesheet href=s.css media=print onload='this.media=\"all\"'>
        <script>fetch('a.txt').then(() => { window.d = 1; const p = new Image(); p.onload = () => { window.p = p.width; };
          p.src = URL.createObjectURL(new Blob([`<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>`], { type: 'image/svg+xml' }));
          document.body.append(p); });</script>
        <img src=c.svg onload='window.seen = window.d'>";
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
    let report = site(body, &[("s.css", "p {}"), ("c.svg", svg)], "[]");
    let differences: Vec<_> = report.races.iter().map(|race| race.differences.clone()).collect();
    assert_eq!(differences, [[Difference::Heap]], "{:?}", sequences(&report));
    race(&report, "fetch a.txt", "load c.svg", &[Difference::Heap]);
}

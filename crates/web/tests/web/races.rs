//! A page for each way to share something: two answers race for it, so there are two orders.

use crate::common::{explored, page, run, sequences, user};
use mazurka_engine::Verdict;
use mazurka_web::Options;

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";

/// `first` runs with the answer `a.txt`, `second` with `b.txt`, which is recorded behind it.
#[track_caller]
fn two_orders(set_up: &str, first: &str, second: &str) {
    in_two_orders("", set_up, first, second);
}

#[track_caller]
fn in_two_orders(kind: &str, set_up: &str, first: &str, second: &str) {
    let body = format!(
        "<p id=p>p</p><script {kind}>{set_up};
         fetch('a.txt').then(() => {{ {first} }}); fetch('b.txt').then(() => {{ {second} }});</script>"
    );
    let report = explored(&body, &[("a.txt", ""), ("b.txt", "")], "[]", Some(1));
    let orders: Vec<Vec<String>> = sequences(&report)
        .into_iter()
        .map(|names| names.into_iter().filter(|name| name.starts_with("fetch ")).collect())
        .collect();
    let expected = [["fetch a.txt", "fetch b.txt"], ["fetch b.txt", "fetch a.txt"]]
        .map(|order| order.to_vec());
    assert_eq!(orders, expected, "{:?} {:?}", report.races, report.notes);
}

macro_rules! shared {
    ($($test:ident $set_up:literal $first:literal $second:literal;)*) => {
        $(#[test] fn $test() { two_orders($set_up, $first, $second); })*
    };
}

shared! {
    variables_of_blocks "{ let n = 0; var up = () => ++n; var down = () => --n; }" "up()" "down()";
    variables_of_functions_with_defaults "const [up, down] = (function ({ by } = {}, n = 0) { return [() => ++n, () => --n]; })()" "up()" "down()";
    private_fields "const o = new (class { #v = 0; set(v) { this.#v = v; } get() { return this.#v; } })()" "o.set(1)" "o.get()";
    patterns_that_write "var x = 0, o = {}" "[x, o.y] = [1, 1]" "({ x, y: o.y } = { x: 2, y: 2 })";
    patterns_that_read "var o = { v: 0 }, seen" "const { v } = o; seen = v;" "o.v = 1";
    variables_of_loops "var x = 0" "for (x of [1, 2]);" "x = 3";
    arrays_that_are_gone_through "var l = [0]" "for (const x of l) window.seen = x;" "l[0] = 1";
    arrays_that_are_spread "var l = [0]" "window.seen = [...l]" "l.push(1)";
    objects_that_are_gone_through "var o = { v: 0 }" "for (const k in o) window.seen = k;" "o.w = 1";
    objects_that_are_spread "var o = { v: 0 }" "window.seen = { ...o }" "o.v = 1";
    keys "var o = {}" "window.seen = 'v' in o" "o.v = 1";
    own_keys "var o = {}" "window.seen = o.hasOwnProperty('v')" "o.v = 1";
    assigned_objects "var o = {}" "Object.assign(o, { v: 1 })" "window.seen = o.v";
    reflected_objects "var o = {}" "Reflect.set(o, 'v', 1)" "window.seen = o.v";
    typed_arrays "var b = new Uint8Array(2)" "b[0] = 1" "b.fill(2)";
    maps "var m = new Map()" "m.set('k', 1)" "m.set('k', 2)";
    code_in_strings "var x" "new Function('x = 1')()" "(0, eval)('x = 2')";
    promises "var settle, kept = new Promise((resolve) => { settle = resolve; })" "settle(1)" "settle(2)";
    handlers_of_the_window "var x" "window.onhashchange = () => {}" "onhashchange = () => { x = 1; }";
    storage "var x" "localStorage.setItem('k', 1)" "localStorage.k = 2";
    cookies "var x" "document.cookie = 'k=1'" "document.cookie = 'k=2'";
    attributes "var x" "p.title = 'a'" "p.setAttribute('title', 'b')";
    styles "var x" "p.style.color = 'red'" "p.style.color = 'blue'";
    texts_that_are_there_already "var x" "p.textContent = 'p'" "p.textContent = 'q'";
    attributes_that_are_there_already "p.title = 'a'" "p.title = 'a'" "p.title = 'b'";
    variables_that_have_the_value_already "var x = 1" "x = 1" "x = 2";
    canvases "const c = document.body.appendChild(document.createElement('canvas')).getContext('2d')" "c.fillRect(0, 0, 9, 9)" "c.clearRect(0, 0, 9, 9)";
}

/// Who writes what another one has just written does not race with it.
#[test]
fn equal_values_are_written_in_any_order() {
    let body = "<script>var isDone = false; for (const n of ['a', 'b']) fetch(n + '.txt').then(() => { isDone = true; });</script>";
    let report = explored(body, &[("a.txt", ""), ("b.txt", "")], "[]", None);
    assert_eq!(report.sequences.len(), 1, "{:?}", report.races);
}

#[test]
fn variables_of_modules() {
    in_two_orders("type=module", "let n = 0", "n++; window.seen = n;", "n--");
}

/// The order in which keys were added is seen by those who go through them, and by nobody else.
#[test]
fn keys_in_the_order_in_which_they_were_added() {
    let body = |reader: &str| {
        format!(
            "<script>var o = {{}}; for (const n of ['a', 'b']) fetch(n + '.txt').then(() => {{ o[n] = 1; }}); {reader}</script>"
        )
    };
    let files = [("a.txt", ""), ("b.txt", "")];
    assert_eq!(explored(&body(""), &files, "[]", None).sequences.len(), 1);
    let reader = "setTimeout(() => { document.title = Object.keys(o); }, 99);";
    assert_eq!(
        explored(&body(reader), &files, "[]", None).sequences.len(),
        6,
        "all orders of three"
    );
}

/// What is called off, and by whom: whoever calls off first, and whoever comes first.
#[track_caller]
fn called_off(name: &str, set_up: &str) {
    let body = format!("<script>var told; {set_up}</script>");
    let echo = "onmessage = () => postMessage(1);";
    let files = [("a.txt", ""), ("b.txt", ""), ("a.svg", SVG), ("b.svg", SVG), ("w.js", echo)];
    let report = explored(&body, &files, "[]", Some(1));
    let happens: Vec<bool> =
        sequences(&report).iter().map(|names| names.contains(&name.to_owned())).collect();
    assert!(happens.contains(&true) && happens.contains(&false), "{:?}", sequences(&report));
}

#[test]
fn answers_are_called_off() {
    called_off(
        "fetch a.txt",
        "const c = new AbortController(); fetch('a.txt', { signal: c.signal }).then(() => { told = 1; }, () => {});
         fetch('b.txt').then(() => { c.abort(); });",
    );
    called_off(
        "xhr a.txt",
        "const x = new XMLHttpRequest(); x.open('GET', 'a.txt'); x.onload = () => { told = 1; }; x.send();
         setTimeout(() => x.abort(), 200);",
    );
}

#[test]
fn pictures_are_called_off() {
    called_off(
        "load a.svg",
        "const i = new Image(); i.onload = () => { told = i.src; }; i.src = 'a.svg'; setTimeout(() => { i.src = 'b.svg'; }, 200);",
    );
}

#[test]
fn messages_are_called_off() {
    called_off(
        "worker w.js",
        "const w = new Worker('w.js'); w.onmessage = () => { told = 1; }; w.postMessage(1); setTimeout(() => w.terminate(), 500);",
    );
}

/// Something that the user was to do and cannot do is no silent limit.
#[test]
fn an_action_without_its_element_is_said() {
    let folder = page("<p>p</p>", &[]);
    let options = Options {
        actions: user(r##"[{"click": "#none"}]"##),
        ..crate::common::options(folder.path())
    };
    let report = run(&options);
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(report.incomplete[0].words, "click #none did not happen: there is no such element");
}

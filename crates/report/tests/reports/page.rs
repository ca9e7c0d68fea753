//! The page: what is written into it, and whether its colours can be read. How it looks and behaves is tested in a browser.

use crate::common::*;
use mazurka_engine::Recording;
use mazurka_report::page::{PageBuilder, Shown};
use serde_json::{Value, json};

/// The page of one execution, and the model in it.
fn page(name: &str, recording: &Recording) -> (String, Value) {
    let mut page = PageBuilder::new(name, "lost (n = 3)");
    page.show(Shown::new(name, recording));
    let html = page.html(|file| (file == "lost.ed").then(|| "first\nsecond\n".to_owned()));
    let data = html.split_once("id=\"data\">").expect("data").1;
    let data = data.split_once("</script>").expect("an end").0;
    let model = serde_json::from_str(data).expect("JSON");
    (html, model)
}

#[test]
fn an_execution_in_the_model() {
    let (_, model) = page("assertion", &failing_message());
    let execution = &model["executions"][0];
    assert_eq!(execution["verdict"], "fails");
    assert_eq!(
        execution["lanes"],
        json!([
            {"name": "poster[0]", "handler": false, "group": "poster"},
            {"name": "other", "handler": false, "group": "other"},
            {"name": "h", "handler": true, "group": "h"},
        ])
    );
    let event = &execution["events"][3];
    assert_eq!(event["words"], "read x = 3");
    assert_eq!(event["kind"], "read");
    assert_eq!(event["place"], json!({"source": 0, "line": 7, "column": 5}));
    assert_eq!(execution["events"][0]["kind"], "create");
    assert_eq!(execution["events"][0]["last"], true);
    assert_eq!(execution["events"][1]["kind"], "start");
    assert_eq!(model["sources"][0]["pieces"][0]["lines"], json!(["first", "second"]));
}

#[test]
fn locks_have_holders_and_a_deadlock_says_who_waits() {
    let (_, model) = page("deadlock", &deadlock());
    let execution = &model["executions"][0];
    assert_eq!(execution["objects"][0], json!({"name": "a", "kind": "lock"}));
    assert_eq!(execution["events"][0]["changes"], json!([[0, "left"]]));
    assert_eq!(execution["end"]["waiting"][0], "left waits for lock b, held by right");
    assert_eq!(execution["end"]["faults"][0]["words"], "deadlock: nothing can move any more");
}

#[test]
fn text_of_users_cannot_leave_its_place() {
    let name = "</script><b>{{script}}&";
    let (html, model) = page(name, &failing_message());
    assert!(!html.contains("<b>"));
    assert!(html.contains("<title>&lt;/script&gt;&lt;b&gt;{{script}}&amp;</title>"));
    assert_eq!(model["executions"][0]["name"], name);
}

#[test]
fn nothing_is_loaded() {
    let (html, _) = page("assertion", &failing_message());
    for external in ["<script src", "@import", "url(h", "https:"] {
        assert!(!html.contains(external), "the page contains {external}");
    }
}

/// Text and what is behind it, by the names of the colours. WCAG AA asks for 4.5 to 1.
const PAIRS: [(&str, &str); 38] = [
    ("text", "back"),
    ("text", "panel"),
    ("text", "chip"),
    ("text", "band"),
    ("text", "box"),
    ("text", "past"),
    ("text", "future"),
    ("text", "sought"),
    ("text", "decides-back"),
    ("text", "bad-back"),
    ("soft", "back"),
    ("soft", "panel"),
    ("soft", "chip"),
    ("soft", "band"),
    ("soft", "bad-back"),
    ("soft", "past"),
    ("soft", "future"),
    ("bad", "back"),
    ("bad", "panel"),
    ("bad", "chip"),
    ("bad", "bad-back"),
    ("bad", "past"),
    ("bad", "future"),
    ("good", "good-back"),
    ("post", "back"),
    ("post", "panel"),
    ("post", "band"),
    ("post", "bad-back"),
    ("keyword", "back"),
    ("keyword", "band"),
    ("keyword", "bad-back"),
    ("string", "back"),
    ("string", "band"),
    ("string", "bad-back"),
    ("figure", "back"),
    ("figure", "band"),
    ("figure", "bad-back"),
    ("back", "decides"),
];

#[test]
fn every_text_can_be_read() {
    let styles = include_str!("../../src/page/assets/colours.css");
    for (front, back) in PAIRS {
        for scheme in [0, 1] {
            let ratio = contrast(colour(styles, front, scheme), colour(styles, back, scheme));
            let scheme = ["light", "dark"][scheme];
            assert!(ratio >= 4.5, "{front} on {back} in {scheme} has a contrast of {ratio:.2}");
        }
    }
}

/// `--name: light-dark(#rrggbb, #rrggbb);`
fn colour(styles: &str, name: &str, scheme: usize) -> [f64; 3] {
    let definition = format!("--{name}: light-dark(");
    let rest = styles.split_once(&definition).unwrap_or_else(|| panic!("no {name}")).1;
    let both = rest.split_once(')').expect("two colours").0;
    let hex = both.split(", ").nth(scheme).expect("two colours").trim_start_matches('#');
    let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a colour");
    [0, 2, 4].map(|at| f64::from(part(at)) / 255.0)
}

/// As WCAG 2 defines it.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(colour: [f64; 3]) -> f64 {
    let linear = colour.map(|part| match part <= 0.04045 {
        true => part / 12.92,
        false => ((part + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

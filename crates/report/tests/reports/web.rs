//! The report on a web page: terminal, JSON, folder.

use expect_test::{expect, expect_file};
use mazurka_engine::Verdict;
use mazurka_report::Palette;
use mazurka_report::web::{
    Changes, Difference, Exception, HeapChange, Incomplete, RaceClass, RaceDetails, RaceEnd,
    ReportFile, Severity, WebEvent, WebFailure, WebRace, WebReport, WebSequence, folder, json,
    summary,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A picture of a page with a button, and a photo if it is there.
fn picture(has_photo: bool) -> Arc<[u8]> {
    let (width, height) = (320, 200);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let colour = |x: u32, y: u32| match (x, y) {
        (20..=90, 20..=45) => [40, 90, 160],
        (120..=280, 60..=170) if has_photo => [(x % 256) as u8, 140, (y % 256) as u8],
        (180..=220, 105..=125) if !has_photo => [170, 170, 170],
        _ => [250, 250, 250],
    };
    let pixels: Vec<u8> =
        (0..height).flat_map(|y| (0..width).flat_map(move |x| colour(x, y))).collect();
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&pixels).expect("a picture");
    writer.finish().expect("an end");
    bytes.into()
}

fn event(kind: &str, name: &str, place: Option<&str>) -> WebEvent {
    WebEvent {
        kind: kind.to_owned(),
        name: name.to_owned(),
        place: place.map(str::to_owned),
        creator: None,
        by_user: kind == "click",
    }
}

fn end(event: u32, place: &str, access: &str, source: &str) -> RaceEnd {
    RaceEnd {
        event,
        place: Some(place.to_owned()),
        access: access.to_owned(),
        source: Some(source.to_owned()),
    }
}

/// A page like that of Figure 1 of the paper, with a bug: a click before the photo has come throws.
fn sample() -> WebReport {
    let mut events = vec![
        event("load", "window", Some("index.html:21:17")),
        event("load", "image2.png", Some("index.html:7:16")),
        event("click", "#next", Some("index.html:28:1")),
        event("load", "image3.png", Some("index.html:7:16")),
        event("timer", "showNextImage <100 ms>", Some("index.html:15:5")),
    ];
    events.extend((0..12).map(|at| event("fetch", &format!("stats/{at}.json"), None)));
    let mut recorded: Vec<u32> = vec![0, 1, 2, 3];
    recorded.extend(5..17);
    let mut early = vec![0, 2, 1, 4, 3];
    early.extend(5..17);
    let mut swapped = vec![0, 3, 1, 2];
    swapped.extend(5..17);
    let exception = Exception {
        message: "TypeError: can't access property \"src\" of undefined".to_owned(),
        place: Some("index.html:18:13".to_owned()),
    };
    let harmful = WebRace {
        first: end(1, "index.html:8:5", "writes", "    queue.push(img);"),
        second: end(2, "index.html:13:7", "reads", "  if (queue.length == 0) {"),
        location: "queue.length".to_owned(),
        other_locations: vec!["queue.0".to_owned()],
        class: RaceClass::Different,
        severity: Severity::High,
        differences: vec![
            Difference::Exception,
            Difference::Dom,
            Difference::Pixels,
            Difference::Heap,
        ],
        reason: None,
        parent: 0,
        sequence: 1,
        schedule: "{\"events\":[\"load window\",\"click #next\"]}".to_owned(),
        details: RaceDetails {
            dom: Some((
                "<body><button id=\"next\">Next</button><img src=\"image2.png\"></body>".to_owned(),
                "<body><button id=\"next\">Next</button><p>loading &amp; waiting</p></body>"
                    .to_owned(),
            )),
            exceptions_added: vec![exception.clone()],
            requests: Changes { removed: Vec::new(), added: vec!["GET /retry?<1>".to_owned()] },
            heap: vec![HeapChange {
                path: "queue.length".to_owned(),
                before: Some("0".to_owned()),
                after: None,
            }],
            ..RaceDetails::default()
        },
    };
    let harmless = WebRace {
        first: end(1, "index.html:8:5", "writes", "    queue.push(img);"),
        second: end(3, "index.html:8:5", "writes", "    queue.push(img);"),
        location: "queue.length".to_owned(),
        other_locations: Vec::new(),
        class: RaceClass::Equivalent,
        severity: Severity::Low,
        differences: Vec::new(),
        reason: None,
        parent: 0,
        sequence: 2,
        schedule: "{\"events\":[]}".to_owned(),
        details: RaceDetails::default(),
    };
    let sequence = |events, depth, photo| WebSequence {
        events,
        depth,
        screenshot: Some(picture(photo)),
        ..WebSequence::default()
    };
    WebReport {
        page: "photo viewer/index.html".to_owned(),
        is_replay: false,
        bound: Some(1),
        verdict: Verdict::Violation,
        events,
        sequences: vec![
            sequence(recorded, 0, true),
            WebSequence { new: vec![4], ..sequence(early, 1, false) },
            sequence(swapped, 1, true),
        ],
        races: vec![harmless, harmful],
        failures: vec![WebFailure {
            kind: "exception".to_owned(),
            message: exception.message,
            location: exception.place,
            schedule: vec!["load window".to_owned(), "click #next".to_owned()],
        }],
        incomplete: vec![Incomplete {
            because: "bound".to_owned(),
            words: "there are sequences with more than 1 reversal; --bound raises the bound"
                .to_owned(),
        }],
        notes: vec!["a request to <https://stats.example> was refused".to_owned()],
        elapsed: Duration::from_millis(3100),
    }
}

#[test]
fn the_terminal_shows_what_hurts_most_first() {
    expect![[r#"
        violation: photo viewer/index.html, 1 race (1 high)
          16 events recorded, 3 sequences explored with at most 1 reversal, 3.1 s
          not everything was explored: there are sequences with more than 1 reversal; --bound raises the bound
          note: a request to <https://stats.example> was refused

        exception: TypeError: can't access property "src" of undefined
          at index.html:18:13

        high  click #next comes before load image2.png
          they race for queue.length
          writes at index.html:8:5  queue.push(img);
          reads at index.html:13:7  if (queue.length == 0) {
          differs: exception, dom, pixels, heap
            uncaught: TypeError: can't access property "src" of undefined (index.html:18:13)
            new request: GET /retry?<1>
            queue.length: 0 -> nothing

        1 harmless race:
          1: both orders end in the same state
    "#]].assert_eq(&summary(&sample(), Palette::PLAIN));
}

#[test]
fn json_has_the_fields_of_the_contract() {
    expect![[r##"
        {
          "page": "photo viewer/index.html",
          "bound": 1,
          "verdict": "violation",
          "events": 16,
          "executions": 3,
          "races": [
            {
              "first": {
                "kind": "load",
                "name": "image2.png",
                "location": "index.html:8:5"
              },
              "second": {
                "kind": "load",
                "name": "image3.png",
                "location": "index.html:8:5"
              },
              "location": "queue.length",
              "class": "equivalent",
              "severity": "low",
              "differences": [],
              "depth": 1,
              "skipped": 0,
              "new": 0,
              "schedule": "{\"events\":[]}"
            },
            {
              "first": {
                "kind": "load",
                "name": "image2.png",
                "location": "index.html:8:5"
              },
              "second": {
                "kind": "click",
                "name": "#next",
                "location": "index.html:13:7"
              },
              "location": "queue.length",
              "other_locations": [
                "queue.0"
              ],
              "class": "different",
              "severity": "high",
              "differences": [
                "exception",
                "dom",
                "pixels",
                "heap"
              ],
              "depth": 1,
              "skipped": 0,
              "new": 1,
              "schedule": "{\"events\":[\"load window\",\"click #next\"]}"
            }
          ],
          "failures": [
            {
              "kind": "exception",
              "message": "TypeError: can't access property \"src\" of undefined",
              "location": "index.html:18:13",
              "schedule": [
                "load window",
                "click #next"
              ]
            }
          ],
          "incomplete_because": [
            "bound"
          ],
          "notes": [
            "a request to <https://stats.example> was refused"
          ],
          "elapsed_seconds": 3.1
        }
    "##]]
    .assert_eq(&json(&sample()));
}

#[test]
fn a_page_without_races_is_fine() {
    let report = WebReport {
        verdict: Verdict::Safe,
        races: Vec::new(),
        failures: Vec::new(),
        incomplete: Vec::new(),
        notes: Vec::new(),
        ..sample()
    };
    expect![[r#"
        safe: photo viewer/index.html, no race that matters
          16 events recorded, 3 sequences explored with at most 1 reversal, 3.1 s
    "#]]
    .assert_eq(&summary(&report, Palette::PLAIN));
    let files = folder(&report, "report");
    let paths: Vec<&str> = files.iter().map(|file| &file.path[..]).collect();
    assert_eq!(paths, ["index.html", "orders.html"]);
    assert!(text(&files[0]).contains("No race was found that makes a difference."));
    assert!(text(&files[1]).contains("the recorded order"));
}

#[test]
fn an_order_that_was_performed_again_is_shown_with_its_picture() {
    let mut report = WebReport { is_replay: true, races: Vec::new(), ..sample() };
    report.sequences.truncate(1);
    let files = folder(&report, "report");
    let paths: Vec<&str> = files.iter().map(|file| &file.path[..]).collect();
    assert_eq!(paths, ["index.html", "orders.html", "pictures/1.png"]);
    let page = text(&files[0]);
    for part in ["performed again", "<img src=\"pictures/1.png\"", "click #next"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("No race was found"));
}

#[test]
fn the_page_for_people() {
    let files = folder(&sample(), "my report");
    expect_file!["web.html"].assert_eq(text(&files[0]));
    let paths: Vec<&str> = files.iter().map(|file| &file.path[..]).collect();
    let expected = [
        "index.html",
        "orders.html",
        "pictures/1.png",
        "pictures/2.png",
        "schedules/race-1.json",
        "schedules/race-2.json",
    ];
    assert_eq!(paths, expected);
    let orders = text(&files[1]);
    for part in [" before ", "both touch ", "\"pair\":[", "\"name\":\"user\""] {
        assert!(orders.contains(part), "{part} is missing");
    }
    write_to_look_at(&files);
}

/// From disk, offline: whatever the page refers to is in the folder or on the page.
#[test]
fn the_page_refers_to_nothing_outside_its_folder() {
    let files = folder(&sample(), "report");
    let page = text(&files[0]);
    let references: Vec<&str> = ["src=\"", "href=\"", "url("]
        .iter()
        .flat_map(|mark| page.split(mark).skip(1))
        .filter_map(|rest| rest.split(['"', ')']).next())
        .collect();
    assert!(references.len() >= 3, "{references:?}");
    for reference in references {
        let is_file = files.iter().any(|file| file.path == reference);
        let is_place =
            reference.strip_prefix('#').is_some_and(|id| page.contains(&format!("id=\"{id}\"")));
        assert!(is_file || is_place, "{reference}");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn what_a_page_says_is_escaped() {
    let mut report = sample();
    let nasty = "</pre><script>alert(1)</script>\"'";
    report.page = nasty.to_owned();
    report.events.iter_mut().for_each(|event| event.name = nasty.to_owned());
    report.races.iter_mut().for_each(|race| {
        race.location = nasty.to_owned();
        race.first.source = Some(nasty.to_owned());
        race.reason = Some(nasty.to_owned());
        race.details.console.added.push(nasty.to_owned());
        race.details.dom = Some((nasty.to_owned(), "<p>".to_owned()));
    });
    report.notes = vec![nasty.to_owned()];
    let files = folder(&report, nasty);
    assert!(!text(&files[0]).contains("<script>alert"));
}

#[test]
fn long_sequences_show_only_what_matters() {
    let mut report = sample();
    let more = 17..2017;
    report.events.extend(more.clone().map(|at| event("timer", &format!("t{at}"), None)));
    report.sequences.iter_mut().for_each(|sequence| sequence.events.extend(more.clone()));
    let files = folder(&report, "report");
    assert!(text(&files[0]).contains("2,010 events"));
    assert!(files[0].bytes.len() < 100_000);
}

fn text(file: &ReportFile) -> &str {
    std::str::from_utf8(&file.bytes).expect("text")
}

/// In the build's folder for tests, to be opened in a browser.
fn write_to_look_at(files: &[ReportFile]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web-report");
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, &file.bytes).expect("a file");
    }
}

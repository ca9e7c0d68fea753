//! Figure 1 of the R4 paper. The statistics script is inserted by a script: a deferred one would have to run before `load`.

use crate::common::{options, run, sequences, site, user};
use mazurka_report::web::{RaceClass, Severity, WebReport};
use mazurka_web::{Options, Schedule};

const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<script>
var queue = Array();
function lazyLoad(src) {
  var img = new Image();
  img.onload = function() {
    queue.push(img);
  };
  img.src = src;
};
function showNextImage() {
  var shown = document.getElementById("shown");
  if (queue.length == 0) {
    shown.textContent = "loading";
    setTimeout(showNextImage, 100);
  } else {
    shown.textContent = queue.shift().getAttribute("src");
  }
}
window.onload = function() {
  lazyLoad("image2.svg");
  lazyLoad("image3.svg");
  var stats = document.createElement("script");
  stats.src = "stats.js";
  document.body.appendChild(stats);
};
</script>
</head><body>
<button id="next" onclick="showNextImage();">Next</button>
<p id="shown"></p>
</body></html>"#;

/// The events of the figure: images, clicks and timers.
fn orders(report: &WebReport) -> Vec<Vec<&'static str>> {
    let short = |name: &String| match name.as_str() {
        "load image2.svg" => Some("image2"),
        "load image3.svg" => Some("image3"),
        "click #next" => Some("click"),
        name if name.starts_with("timer ") => Some("timer"),
        _ => None,
    };
    sequences(report).iter().map(|names| names.iter().filter_map(short).collect()).collect()
}

#[test]
fn figure_1_has_its_seven_sequences_at_bound_2_and_q3_is_harmless() {
    let image = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
    let folder = site(&[
        ("index.html", PAGE),
        ("stats.js", "var stats = 1;"),
        ("image2.svg", image),
        ("image3.svg", image),
    ]);
    let usual = Options {
        actions: user(r##"[{"click": "#next"}, {"click": "#next"}]"##),
        bound: Some(2),
        ..options(folder.path())
    };
    // Our own recording has both images before the clicks. The figure begins with Q1, which is one of the orders around it.
    let around = run(&usual);
    let q1 = ["image2", "click", "click", "image3", "timer"];
    let at = orders(&around).iter().position(|order| order[..] == q1).expect("Q1 is explored");
    let race = around.races.iter().find(|race| race.sequence == at).expect("its race");
    let from = Some(Schedule::read(&race.schedule).expect("a schedule"));

    let report = run(&Options { from, ..usual });
    let mut found = orders(&report);
    assert_eq!(found[0], q1);
    found.sort();
    let mut expected = [
        vec!["image2", "click", "click", "image3", "timer"],
        vec!["image2", "click", "click", "timer", "image3", "timer"],
        vec!["image2", "click", "image3", "click"],
        vec!["click", "image2", "click", "image3", "timer"],
        vec!["image2", "image3", "click", "click"],
        vec!["click", "image2", "image3", "click", "timer"],
        vec!["click", "click", "image2", "image3", "timer", "timer"],
    ];
    expected.sort();
    assert_eq!(found, expected);

    let q3 = ["image2", "click", "image3", "click"];
    let at = orders(&report).iter().position(|order| order[..] == q3).expect("Q3 is explored");
    let race = report.races.iter().find(|race| race.sequence == at).expect("its race");
    assert_eq!((race.class, race.severity), (RaceClass::Approximate, Severity::Low));
    assert!(race.reason.as_deref().is_some_and(|why| why.contains("ad-hoc synchronisation")));
    assert_eq!(report.sequences[at].skipped.len(), 1, "the timer is skipped");
}

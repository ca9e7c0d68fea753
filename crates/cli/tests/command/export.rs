//! `--export`: what other tools read.

use crate::support::Folder;
use expect_test::expect;
use serde_json::Value;

const PROGRAM: &str = "\
var open = 1;
handler ui;
message show(p) { assert open == 1, \"closed\"; }
message close() { open = 0; }
thread download { if open == 1 { post show(42) to ui; } }
thread user { post close() to ui; }
";

/// The program's first failure in one of the formats.
fn exported(kind: &str) -> String {
    let folder = Folder::with("screen.ed", PROGRAM);
    let run = folder.mazurka(&format!("check screen.ed --export {kind}=out"));
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    folder.read("out")
}

#[test]
fn a_sequence_diagram() {
    let text = exported("mermaid");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    for part in [
        " as download\n",
        "-)p",
        ": show(42)\n",
        "    activate p",
        "    deactivate p",
        "✗ assertion: closed\n",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert_eq!(text.matches("activate p").count() - text.matches("deactivate p").count(), 2);
}

/// Each event is one more on its host than the one before it there, and knows what its causes know.
#[test]
fn a_log_with_vector_clocks() {
    let text = exported("shiviz");
    let lines: Vec<&str> = text.lines().collect();
    let mut last: std::collections::BTreeMap<String, u64> = Default::default();
    let mut seen_post = None;
    for pair in lines.chunks(2) {
        let (host, clock) = pair[0].split_once(' ').expect("a host and a clock");
        let clock: Value = serde_json::from_str(clock).expect("JSON");
        let own = clock[host].as_u64().expect("a number");
        assert_eq!(own, last.get(host).copied().unwrap_or(0) + 1, "{text}");
        last.insert(host.to_owned(), own);
        if pair[1].starts_with("post show(42)") {
            seen_post = Some(own);
        }
        if pair[1].starts_with("start show(42)") {
            assert_eq!(clock["download"].as_u64(), seen_post, "{text}");
        }
    }
    assert!(lines.last().is_some_and(|line| line.contains("✗ assertion: closed")), "{text}");
}

#[test]
fn a_trace_for_browsers() {
    let trace: Value = serde_json::from_str(&exported("chrome")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of_phase = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!(of_phase("M"), 3, "a track for each thread and handler");
    assert_eq!(of_phase("s"), of_phase("f"), "arrows have two ends");
    assert_eq!(of_phase("s"), 2, "two messages were posted and began");
    assert_eq!(of_phase("i"), 1, "the failure");
    let slices = events.iter().filter(|event| event["ph"] == "X");
    assert!(slices.clone().any(|event| event["cat"] == "message" && event["name"] == "show(42)"));
    assert!(slices.clone().all(|event| event["dur"].as_u64() > Some(0)));
}

#[test]
fn a_graph_of_happens_before() {
    let text = exported("graphviz");
    assert!(text.starts_with("digraph execution {\n") && text.ends_with("}\n"), "{text}");
    assert_eq!(text.matches("subgraph cluster_").count(), 3, "{text}");
    assert_eq!(text.matches("[style=bold]").count(), 2, "two messages begin:\n{text}");
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert!(text.contains("label=\"assertion: closed\""), "{text}");
}

#[test]
fn results_for_continuous_integration() {
    let folder = Folder::with("screen.ed", PROGRAM);
    folder.write("fine.ed", "var x; thread t { x = 1; }");
    folder.write("bad.ed", "thread t { x = <1>; }");
    let run = folder
        .mazurka("check screen.ed fine.ed bad.ed --export junit=out.xml --export sarif=out.sarif");
    assert_eq!(run.status, 2);
    let steady: String = folder
        .read("out.xml")
        .lines()
        .map(|line| {
            let (before, rest) = line.split_once("time=\"").unwrap_or((line, ""));
            let after = rest.split_once('"').map_or("", |(_, after)| after);
            let time = if rest.is_empty() { "" } else { "time=\"TIME\"" };
            format!("{before}{time}{after}\n")
        })
        .collect();
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="mazurka" tests="3" failures="1" errors="1" skipped="0" time="TIME">
          <testsuite name="mazurka" tests="3" failures="1" errors="1" skipped="0" time="TIME">
            <testcase classname="screen.ed" name="screen (fifo)" time="TIME">
              <failure message="assertion: closed" type="assertion">assertion: closed&#10;  at screen.ed:3:19&#10;</failure>
            </testcase>
            <testcase classname="fine.ed" name="fine (fifo)" time="TIME"/>
            <testcase classname="bad.ed" name="compiles" time="TIME">
              <error message="error: expected an expression, found `&lt;`" type="input">error: expected an expression, found `&lt;`&#10; --&gt; bad.ed:1:16&#10;  |&#10;1 | thread t { x = &lt;1&gt;; }&#10;  |                ^&#10;  = help: at most is `&lt;=`&#10;&#10;</error>
            </testcase>
          </testsuite>
        </testsuites>
    "#]].assert_eq(&steady);
    let log: Value = serde_json::from_str(&folder.read("out.sarif")).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    let violation = results.iter().find(|it| it["ruleId"] == "assertion").expect("the violation");
    let place = &violation["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "screen.ed");
    assert_eq!(place["region"]["startLine"], 3);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
    }
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = Folder::with("a.ed", "var x; thread t { x = 1; }");
    folder.write("b.ed", "var x;");
    for (arguments, why) in [
        ("check a.ed --export picture=out", "there are mermaid, shiviz"),
        ("check a.ed --export mermaid", "expected KIND=FILE"),
        ("check a.ed --export mermaid=a.ed", "would overwrite the input"),
        ("check a.ed --export junit=no/such/folder", "there is no such directory"),
        ("check a.ed b.ed --export mermaid=out", "is about one program"),
    ] {
        let run = folder.mazurka(arguments);
        assert_eq!(run.status, 2, "{arguments}");
        assert!(run.stderr.contains(why), "{arguments}: {}", run.stderr);
    }
}

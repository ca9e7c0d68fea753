//! Conversion between the formats.

use crate::common::samples;
use expect_test::{Expect, expect};
use mazurka_traces::{Format, format, load};

#[test]
fn json_of_a_small_trace() {
    let text = "1 START\n2 THREADINIT tid:1\n3 ATTACH-Q tid:1 queue:7\n4 READ tid:1 obj:0x10 class:La; field:3\n5 LOOP tid:1\n";
    let loaded =
        load("trace.txt", text.as_bytes(), Some(("d", b"src:2 dest:4\n"))).expect("it is right");
    let written = format::write(&loaded.trace, Format::Json).expect("JSON can say everything");
    expect![[r#"
        {
        "format": "mazurka-trace",
        "version": 1,
        "operations": [
        {"index":2,"action":{"kind":"thread-init","tid":1}},
        {"index":3,"action":{"kind":"attach-queue","tid":1,"queue":7}},
        {"index":4,"action":{"kind":"read","tid":1,"object":16,"class":"La;","field":3}},
        {"index":5,"action":{"kind":"loop","tid":1}}
        ],
        "dependences": [
        [2,4]
        ]
        }
    "#]]
    .assert_eq(&written.trace);
}

#[test]
fn every_format_is_detected_and_converts_to_every_other() {
    for sample in samples() {
        for file in ["trace.txt", "abc_log.txt"] {
            if !sample.folder.join(file).exists() {
                continue;
            }
            let content = sample.bytes(file);
            let trace = load(file, &content, None).expect("a sample").trace;
            for format in [Format::Text, Format::Json] {
                let written = format::write(&trace, format).expect("these can be written");
                let edges = written.dependences.as_deref().map(|edges| ("d", edges.as_bytes()));
                let again = load(file, written.trace.as_bytes(), edges).expect("we wrote it");
                assert_eq!(again.format, format);
                assert!(
                    trace.same_content(&again.trace),
                    "{} {file} {}",
                    sample.name,
                    format.name()
                );
            }
        }
    }
}

#[test]
fn a_raw_log_is_only_read() {
    let sample = samples().pop().expect("a sample");
    let content = sample.bytes("abc_log.txt");
    let loaded = load("abc_log.txt", &content, Some(("dependence.txt", b" \n"))).expect("a sample");
    assert_eq!(loaded.format, Format::Raw);
    let error = format::write(&loaded.trace, Format::Raw).expect_err("it cannot be written");
    assert_eq!(
        error.to_string(),
        "abc_log.txt: a raw log cannot be written: it has more in it than a trace"
    );
    let error = load("abc_log.txt", &content, Some(("dependence.txt", b"src:1 dest:2\n")))
        .expect_err("not both");
    assert_eq!(error.to_string(), "dependence.txt:1: a raw log needs no dependence file beside it");
}

fn refused(json: &str, expected: Expect) {
    let error = load("trace.json", json.as_bytes(), None).expect_err("it is wrong");
    expected.assert_eq(&error.to_string());
}

#[test]
fn wrong_json_is_refused_with_its_line() {
    refused("{", expect!["trace.json:1: the file is not valid: EOF while parsing an object"]);
    refused(
        r#"{"format": "other", "version": 1}"#,
        expect![[r#"trace.json:1: `format` must be "mazurka-trace", not "other""#]],
    );
    refused(
        r#"{"format": "mazurka-trace", "version": 2}"#,
        expect!["trace.json:1: version 2 of the format is unknown; this program reads version 1"],
    );
    refused(
        r#"{"format": "mazurka-trace", "version": 1}"#,
        expect!["trace.json:1: the file is not valid: missing field `operations`"],
    );
    let file = |operations: &str| {
        format!(
            "{{\"format\": \"mazurka-trace\",\n\"version\": 1, \"operations\": [\n{operations}\n]}}"
        )
    };
    refused(&file(""), expect!["trace.json: there is no operation in the file"]);
    let begin = r#"{"index": 1, "action": {"kind": "thread-init", "tid": 1}}"#;
    refused(
        &file(&format!(
            "{begin},\n{{\"index\": 2, \"action\": {{\"kind\": \"dance\", \"tid\": 1}}}}"
        )),
        expect![
            "trace.json:4: the file is not valid: unknown variant `dance`, expected one of `thread-init`, `thread-exit`, `native-entry`, `native-exit`, `fork`, `attach-queue`, `loop`, `post`, `call`, `return`, `read`, `write`, `read-static`, `write-static`, `lock`, `unlock`, `notify`, `wait`, `nop`, `enable-lifecycle`, `trigger-lifecycle`, `trigger-service`, `enable-event`, `trigger-event`, `enable-window-focus`, `trigger-window-focus`, `trigger-broadcast`, `access`"
        ],
    );
    refused(
        &file(&format!(
            "{begin},\n{{\"index\": 2, \"action\": {{\"kind\": \"wait\", \"tid\": -1}}}}"
        )),
        expect!["trace.json:4: the file is not valid: invalid value: integer `-1`, expected u32"],
    );
    refused(
        &file(&format!(
            "{begin},\n{{\"index\": 2, \"action\": {{\"kind\": \"wait\", \"tid\": 1, \"x\": 1}}}}"
        )),
        expect!["trace.json:4: the file is not valid: unknown field `x`, expected `tid`"],
    );
    refused(
        &file(&format!(
            "{begin},\n{{\"index\": 2, \"action\": {{\"kind\": \"wait\", \"tid\": 1}}}}"
        )),
        expect!["trace.json:4: thread 1 waits, but nothing has notified it before"],
    );
    refused(
        &file(&format!(
            "{begin},\n{{\"index\": 4294967296, \"action\": {{\"kind\": \"nop\", \"tid\": 1}}}}"
        )),
        expect![
            "trace.json:4: the file is not valid: invalid value: integer `4294967296`, expected u32"
        ],
    );
}

#[test]
fn not_every_json_text_fits_into_the_text_format() {
    let json = r#"{"format": "mazurka-trace", "version": 1, "operations": [
        {"index": 1, "action": {"kind": "thread-init", "tid": 1}},
        {"index": 2, "action": {"kind": "read-static", "tid": 1, "class": "a b", "field": 1}}]}"#;
    let trace = load("trace.json", json.as_bytes(), None).expect("it is right").trace;
    let error = format::write(&trace, Format::Text).expect_err("a blank does not fit");
    assert_eq!(
        error.to_string(),
        "trace.json:3: operation 2 has a text that `trace.txt` cannot say"
    );
}

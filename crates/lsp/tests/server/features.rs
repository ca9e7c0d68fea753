//! What the server can be asked.

use crate::client::{Client, place, range};
use serde_json::{Value, json};

const PROGRAM: &str = "\
param n = 2;
var open = 1;
handler ui;
message show(p) { assert open == p; open = p + n; }
thread user { let a = 1; post show(a) to ui; }
";

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().expect("a list").iter().map(|it| it["label"].as_str().expect("text")).collect()
}

#[test]
fn diagnostics_come_and_go() {
    let mut client = Client::open("var x;\nthread t { y = 1; }\n");
    let errors = client.diagnostics();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["range"], range(1, 11, 12));
    assert_eq!(
        errors[0]["message"],
        "there is no variable named `y`\nhelp: declare it with `var y;` or `let y = …;`"
    );
    assert_eq!(errors[0]["severity"], 1);
    client.change(json!([{ "range": range(1, 11, 12), "text": "x" }]));
    assert_eq!(client.diagnostics(), [Value::Null; 0]);
    client.change(json!([{ "text": "const n = 3;" }]));
    let errors = client.diagnostics();
    assert_eq!(errors.len(), 1);
    assert_eq!(
        errors[0]["message"],
        "expected a declaration, found `const`\nhelp: a constant is `param n = 3;`, outside of threads and messages"
    );
}

#[test]
fn columns_count_utf16_units() {
    let mut client = Client::open("/* 😀 ä */ var x; thread t { zz = 1; }");
    assert_eq!(client.diagnostics()[0]["range"], range(0, 29, 31));
    client.change(json!([{ "range": range(0, 29, 31), "text": "x" }]));
    assert!(client.diagnostics().is_empty());
}

#[test]
fn definitions_and_mentions() {
    let mut client = Client::open(PROGRAM);
    let definition = client.ask_at("textDocument/definition", 3, 26);
    assert_eq!(definition["range"], range(1, 4, 8));
    let definition = client.ask_at("textDocument/definition", 4, 31);
    assert_eq!(definition["range"], range(3, 8, 12), "the message");
    let definition = client.ask_at("textDocument/definition", 4, 36);
    assert_eq!(definition["range"], range(4, 18, 19), "the local");
    assert_eq!(client.ask_at("textDocument/definition", 3, 19), Value::Null);
    let mut params = place(1, 5);
    params["context"] = json!({ "includeDeclaration": true });
    let mentions = client.ask("textDocument/references", params);
    let ranges: Vec<&Value> =
        mentions.as_array().expect("a list").iter().map(|it| &it["range"]).collect();
    assert_eq!(ranges, [&range(1, 4, 8), &range(3, 25, 29), &range(3, 36, 40)]);
}

#[test]
fn explanations_have_the_form_and_the_events() {
    let mut client = Client::open(PROGRAM);
    let text = |hover: Value| hover["contents"]["value"].as_str().expect("text").to_owned();
    let post = text(client.ask_at("textDocument/hover", 4, 26));
    assert!(post.contains("post m(e, …) to h;"), "{post}");
    assert!(post.contains("Events: the reads in the arguments"), "{post}");
    assert!(post.contains("1. post `show` to `ui`"), "{post}");
    let assignment = text(client.ask_at("textDocument/hover", 3, 41));
    assert_eq!(assignment, "Events of this statement:\n\n1. write `open`");
    let name = text(client.ask_at("textDocument/hover", 3, 27));
    assert!(name.contains("var open = 1") && name.contains("shared variable"), "{name}");
    assert!(name.contains("1. read `open`"), "{name}");
    assert_eq!(client.ask_at("textDocument/hover", 5, 0), Value::Null);
}

#[test]
fn completions_fit_the_place() {
    let mut client = Client::open(PROGRAM);
    let at = |client: &mut Client, line, character| {
        client.ask_at("textDocument/completion", line, character)
    };
    let top = at(&mut client, 0, 0);
    assert!(labels(&top).contains(&"handler") && !labels(&top).contains(&"post"), "{top}");
    let body = at(&mut client, 4, 25);
    for word in ["post", "assert", "choose", "open", "a", "n"] {
        assert!(labels(&body).contains(&word), "{word}: {body}");
    }
    assert!(!labels(&body).contains(&"p"), "a parameter of another message: {body}");
    assert_eq!(labels(&at(&mut client, 4, 43)), ["ui"], "behind `to`");
    assert_eq!(labels(&at(&mut client, 4, 31)), ["show"], "behind `post`");
}

#[test]
fn renaming_changes_all_mentions_and_nothing_else() {
    let mut client = Client::open(PROGRAM);
    let mut params = place(1, 5);
    params["newName"] = json!("visible");
    let edits = client.ask("textDocument/rename", params.clone());
    let edits = edits["changes"]["file:///test.ed"].as_array().expect("edits").clone();
    assert_eq!(edits.len(), 3);
    assert!(edits.iter().all(|edit| edit["newText"] == "visible"));
    for (bad, why) in [
        ("2x", "is not a name"),
        ("post", "is a word of the language"),
        ("ui", "already a handler"),
    ] {
        params["newName"] = json!(bad);
        let error = client.request("textDocument/rename", params.clone()).expect_err(bad);
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(client.ask_at("textDocument/prepareRename", 1, 5), range(1, 4, 8));
    assert_eq!(client.ask_at("textDocument/prepareRename", 1, 1), Value::Null);
}

#[test]
fn formatting_is_that_of_the_command() {
    let mut client = Client::open("var x;thread t{x=1;}");
    let params = json!({ "textDocument": { "uri": "file:///test.ed" }, "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = client.ask("textDocument/formatting", params.clone());
    assert_eq!(edits[0]["newText"], "var x;\nthread t { x = 1; }\n");
    assert_eq!(edits[0]["range"], range(0, 0, 20));
    client.change(json!([{ "text": "var" }]));
    assert_eq!(
        client.ask("textDocument/formatting", params),
        json!([]),
        "a bad program is left alone"
    );
}

#[test]
fn outlines_show_what_is_declared() {
    let mut client = Client::open(PROGRAM);
    let symbols = client.ask(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": "file:///test.ed" } }),
    );
    let names: Vec<&str> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].as_str().expect("text"))
        .collect();
    assert_eq!(names, ["n", "open", "ui", "show", "user"]);
}

#[test]
fn bad_requests_are_refused_and_survived() {
    let mut client = Client::open(PROGRAM);
    for (method, params) in [
        ("textDocument/hover", json!({})),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": "file:///other.ed" }, "position": { "line": 0, "character": 0 } }),
        ),
        ("textDocument/unheard", Value::Null),
    ] {
        assert!(client.request(method, params).is_err(), "{method}");
    }
    client.tell("textDocument/didChange", json!({ "nonsense": 1 }));
    client.tell("unheard", Value::Null);
    assert_eq!(client.ask_at("textDocument/definition", 3, 26)["range"], range(1, 4, 8));
}

//! Puts the page together: one HTML file with its style, its script and its data.

use super::model::Page;
use crate::text::escape;
use crate::written::to_json;

const FRAME: &str = include_str!("assets/page.html");

const STYLES: [&str; 4] = [
    include_str!("assets/colours.css"),
    include_str!("assets/frame.css"),
    include_str!("assets/lanes.css"),
    include_str!("assets/panels.css"),
];

/// In this order: each may use what stands before it while the page is read, and everything once it is.
const SCRIPTS: [&str; 14] = [
    include_str!("assets/dom.js"),
    include_str!("assets/model.js"),
    include_str!("assets/view.js"),
    include_str!("assets/layout.js"),
    include_str!("assets/head.js"),
    include_str!("assets/list.js"),
    include_str!("assets/diagram.js"),
    include_str!("assets/arrows.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/step.js"),
    include_str!("assets/state.js"),
    include_str!("assets/source.js"),
    include_str!("assets/bar.js"),
    include_str!("assets/keys.js"),
];
const MAIN: &str = include_str!("assets/main.js");

/// The page as one file.
pub(super) fn html(page: &Page) -> String {
    let script: String = SCRIPTS.iter().chain([&MAIN]).copied().collect();
    // The frame is cut at its places, so that nothing that is put in is looked at again.
    let parts = [
        ("{{title}}", escape(&page.title)),
        ("{{style}}", STYLES.concat()),
        ("{{data}}", data(page)),
        ("{{script}}", script),
    ];
    let mut out = String::new();
    let mut rest = FRAME;
    for (place, content) in parts {
        let (before, after) = rest.split_once(place).expect("the frame has every place, in order");
        out.push_str(before);
        out.push_str(&content);
        rest = after;
    }
    out + rest
}

/// The model as JSON that can stand in a script element: no `<`, so nothing in it ends the element or begins a comment.
fn data(page: &Page) -> String {
    to_json(page).replace('<', "\\u003c")
}

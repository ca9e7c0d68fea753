//! The script that is injected before the page's own: it holds every callback and reports accesses.
//!
//! It is one function made of several files, so that its parts share names that the page cannot reach.

use serde_json::json;

const PARTS: [&str; 16] = [
    include_str!("core.js"),
    include_str!("time.js"),
    include_str!("messages.js"),
    include_str!("promises.js"),
    include_str!("refused.js"),
    include_str!("observers.js"),
    include_str!("access.js"),
    include_str!("collections.js"),
    include_str!("helpers.js"),
    include_str!("dom.js"),
    include_str!("drawing.js"),
    include_str!("frames.js"),
    include_str!("requests.js"),
    include_str!("once.js"),
    include_str!("indexeddb.js"),
    include_str!("user.js"),
];
const LAST: &str = include_str!("state.js");
const WORKER: &str = include_str!("worker.js");

/// The attribute by which the parser's arrival at a script is seen; it is removed at once.
pub const MARK: &str = "data-mazurka-gate";

/// The whole script. `name` is what the helpers' names begin with; the page cannot guess it.
/// `live` says that a server answers, so that sockets to it make sense.
pub fn source(name: &str, origin: &str, live: bool) -> String {
    let mut text = format!(
        "(function(){{'use strict';if(window!==window.top||window.{name})return;const NAME={};const SELF={};const MARK={};\
         const CONFIG={{origin:{},live:{live}}};\n",
        json!(name),
        json!(name),
        json!(MARK),
        json!(origin),
    );
    for part in PARTS {
        text.push_str(part);
        text.push('\n');
    }
    text.push_str(LAST);
    text.push_str(&format!("\n}})();\n{}\n//# sourceURL={name}.js\n", in_frame(name)));
    text
}

/// What runs in a frame: it asks the page to take it in. Frames of other origins may not even ask.
fn in_frame(name: &str) -> String {
    format!("if(window!==window.top)try{{window.top.{name}.adoptFrame(window)}}catch{{}}")
}

/// What runs in a worker before its own script.
pub fn worker_source(name: &str) -> String {
    format!("(function(SELF){{'use strict';\n{WORKER}\n}})({})", json!(name))
}

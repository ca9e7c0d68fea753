//! Names for what a trace has only numbers for.
//!
//! DroidRacer logs what threads of the system are called, and an execution of a program has names for everything. They are kept beside the
//! operations under what a report would call the thing without them: `thread 3`, `message 5`, `lock 0x11`, `static x.0`. In the
//! text format a name is a line that other readers pass over: `# thread 3 is Binder Thread #1`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What things can be called.
const KINDS: [&str; 5] = ["thread ", "message ", "lock ", "static ", "obj "];
const BEGINS: &str = "# ";
const IS: &str = " is ";

/// The names of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// Gives a name to what is called `plain` otherwise. The first name stays; one without letters, or on several lines, is none.
    pub fn add(&mut self, plain: impl Into<String>, name: &str) {
        if !name.trim().is_empty() && !name.contains('\n') {
            self.0.entry(plain.into()).or_insert_with(|| name.trim().to_owned());
        }
    }

    /// The name of what is called `plain` otherwise.
    pub fn get(&self, plain: &str) -> Option<&str> {
        self.0.get(plain).map(String::as_str)
    }

    /// The name, or else `plain` itself.
    pub fn or_plain(&self, plain: String) -> String {
        self.0.get(&plain).cloned().unwrap_or(plain)
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads a line of the text format. Says whether it is a name.
    pub(crate) fn read_line(&mut self, line: &str) -> bool {
        let named = line.strip_prefix(BEGINS).and_then(|line| line.split_once(IS));
        let named = named.filter(|(plain, _)| KINDS.iter().any(|kind| plain.starts_with(kind)));
        named.map(|(plain, name)| self.add(plain, name)).is_some()
    }

    /// The lines of the text format.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(plain, name)| format!("{BEGINS}{plain}{IS}{name}"))
    }
}

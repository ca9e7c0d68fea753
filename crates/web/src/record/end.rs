//! What is left when nothing is left to do.

use crate::rewrite::Place;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An uncaught exception.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Exception {
    /// What it says.
    pub message: String,
    /// Where it was thrown.
    pub place: Option<Place>,
    /// The position of the event in which it was thrown.
    pub position: usize,
}

/// The final state of a page, as far as it is compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ending {
    /// The document, in a canonical form.
    pub dom: String,
    /// Values by their path from `window`.
    pub heap: BTreeMap<String, String>,
    /// A PNG picture.
    pub picture: Option<Arc<[u8]>>,
    /// Uncaught exceptions.
    pub exceptions: Vec<Exception>,
    /// Errors on the console.
    pub console: Vec<String>,
    /// What was said to servers: method, address and body, sorted.
    pub requests: Vec<String>,
    /// Assertions: the expression, whether it holds, and what went wrong with it.
    pub asserts: Vec<(String, bool, String)>,
}

impl Ending {
    /// Was an exception thrown, or does an assertion not hold?
    pub fn is_wrong(&self) -> bool {
        !self.exceptions.is_empty() || self.asserts.iter().any(|(_, holds, _)| !holds)
    }
}

/// What an event did with a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The event's position.
    pub position: usize,
    /// Did it read?
    pub reads: bool,
    /// Did it write?
    pub writes: bool,
    /// Did it add something, which commutes with other additions?
    pub adds: bool,
    /// Did it write what was there already? That commutes with whoever put it there, but not with those who change it later.
    pub keeps: bool,
    /// Where it read, 0 if unknown.
    pub read_site: u32,
    /// Where it wrote, 0 if unknown.
    pub write_site: u32,
}

impl Access {
    /// Did it nothing but write what was there already?
    pub fn only_keeps(&self) -> bool {
        self.keeps && !(self.reads || self.writes || self.adds)
    }

    /// Does the order of this access and a later one matter?
    pub fn conflicts(&self, later: &Access) -> bool {
        match (self.only_keeps(), later.only_keeps()) {
            (_, true) => false,
            (true, false) => later.writes,
            (false, false) => {
                let adds_and_reads = (self.adds && later.reads) || (later.adds && self.reads);
                self.writes || later.writes || adds_and_reads
            }
        }
    }
}

/// A location that several events touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// Is it beside the heap: a node's children, a handler, a timer, …? Then `key` is its whole name.
    pub shadow: bool,
    /// The name of the property or variable.
    pub key: String,
    /// Who touches it, by position.
    pub accesses: Vec<Access>,
}

//! What a page shows. It is written into the page as JSON, and the scripts beside this file draw it; their fields have these names.
//!
//! Events, tasks, lanes and objects are named by their positions in their lists. Values are text: a script's numbers are
//! not exact beyond 2^53, and not every value is a number.

use crate::written::{Written, written_names};
use crate::written_object;

/// Everything in a page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    /// What stands in the title of the window.
    pub title: String,
    /// What was examined, such as `posters (n = 3, fifo)`.
    pub subject: String,
    /// Sentences about the whole: what was explored, what was left out.
    pub facts: Vec<String>,
    /// What can be looked at, the most interesting first.
    pub executions: Vec<Execution>,
    /// The texts that places refer to.
    pub sources: Vec<Source>,
}

/// One execution, or an order of events that has the form of one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Execution {
    /// Its name in the list.
    pub name: String,
    /// How it came out.
    pub verdict: Verdict,
    /// Sentences about it, in the order in which they are shown.
    pub notes: Vec<String>,
    /// The threads and handlers, in the order in which they stand side by side.
    pub lanes: Vec<Lane>,
    /// The threads and messages.
    pub tasks: Vec<Task>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// What the events touched.
    pub objects: Vec<Object>,
    /// Stretches that need not be read one by one. They are in order and do not overlap.
    pub folds: Vec<Fold>,
    /// Why it came out so, if that is known.
    pub why: Option<Why>,
    /// What stands below the last event.
    pub end: End,
    /// A line that shows it again, if there is one.
    pub replay: Option<String>,
}

/// How an execution came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verdict {
    /// Something is wrong with it.
    Fails,
    /// It came to its end with nothing wrong.
    Passes,
    /// Neither: recorded, blocked, cut.
    #[default]
    Neutral,
}

/// A thread, or a handler with its messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Is it a handler?
    pub handler: bool,
    /// Lanes next to each other with the same group can be shown as one.
    pub group: String,
}

/// A thread or a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// Where its events stand.
    pub lane: usize,
    /// The event that posted or forked it.
    pub creator: Option<usize>,
}

/// One event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// Whose it is.
    pub task: usize,
    /// What it did, in a few words.
    pub words: String,
    /// What kind of thing it did, which decides about its colour.
    pub kind: Kind,
    /// Where in the source.
    pub place: Option<Place>,
    /// Is it the last one of its task?
    pub last: bool,
    /// The events that it comes directly after; what happens before it can be reached this way.
    pub after: Vec<After>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// The objects that it looked at without changing them.
    pub reads: Vec<usize>,
    /// What went wrong with it.
    pub faults: Vec<PageFault>,
}

/// What kind of thing an event did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// It began a message.
    Start,
    /// It posted a message or forked a thread.
    Create,
    /// It read.
    Read,
    /// It wrote.
    Write,
    /// It took or gave back a lock, signalled or waited, or joined.
    Sync,
    /// It picked an alternative, or did nothing that others see.
    #[default]
    Local,
}

/// An event that another one comes directly after: which one, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct After(pub usize, pub Because);

/// Why one event comes after another. All but the last two are drawn as arrows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// It began the message.
    Post,
    /// It began the thread.
    Fork,
    /// It was the end that was waited for.
    Join,
    /// It gave what was waited for.
    Signal,
    /// It handed over a lock.
    Lock,
    /// It is part of a contradiction: each of these comes before the next, and the last before the first.
    Cycle,
    /// The same task did it before.
    Program,
    /// Both touch the same, or the program says so.
    Conflict,
}

/// A place in one of the sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which source.
    pub source: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1; 0 if it is not known.
    pub column: usize,
}

/// Something that events touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
    /// What it holds at the beginning, where values are known.
    pub initial: Option<String>,
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// It is read and written.
    Variable,
    /// It is taken and given back.
    Lock,
    /// It is signalled and waited for.
    Semaphore,
}

/// What an event changed: which object, and what it holds now. A lock holds the name of its holder, or nothing. Without a value
/// only who changed it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change(pub usize, pub Option<String>);

/// Something that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageFault {
    /// What, in words.
    pub words: String,
    /// Where in the source.
    pub place: Option<Place>,
    /// What the failed check looked at.
    pub values: Vec<Seen>,
}

/// A value that a failed check looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The name of what it looked at.
    pub name: String,
    /// What it saw.
    pub value: String,
    /// The event that wrote that.
    pub writer: Option<usize>,
}

/// A stretch of events that is shown as one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The first event.
    pub from: usize,
    /// One past the last event.
    pub to: usize,
    /// What it is, in words.
    pub words: String,
}

/// Why an execution came out as it did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Why {
    /// A sentence.
    pub words: String,
    /// The two events whose order decides, the earlier one first.
    pub pair: Option<(usize, usize)>,
    /// The execution of this page that comes out differently.
    pub other: Option<usize>,
    /// The first event in which the two differ.
    pub parts: Option<usize>,
}

/// What stands below the last event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct End {
    /// How it ended, in words.
    pub words: String,
    /// What is wrong with the end.
    pub faults: Vec<PageFault>,
    /// Who waits for what, a sentence each.
    pub waiting: Vec<String>,
}

/// A text that places refer to, or those pieces of it that are needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// Its pieces in order.
    pub pieces: Vec<Piece>,
}

/// Lines that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The number of the first line, counted from 1.
    pub first: usize,
    /// The lines.
    pub lines: Vec<String>,
}

written_object!(Page { title, subject, facts, executions, sources });
written_object!(Execution { name, verdict, notes, lanes, tasks, events, objects, folds, end; maybe why, replay });
written_names!(Verdict { Fails = "fails", Passes = "passes", Neutral = "neutral" });
written_object!(Lane { name, handler, group });
written_object!(Task { name, lane; maybe creator });
written_object!(Event { task, words, kind; maybe place, last, after, changes, reads, faults });
written_names!(Kind { Start = "start", Create = "create", Read = "read", Write = "write", Sync = "sync", Local = "local" });

impl Written for After {
    fn write(&self, out: &mut String) {
        (self.0, &self.1).write(out);
    }
}

written_names!(Because { Post = "post", Fork = "fork", Join = "join", Signal = "signal", Lock = "lock", Cycle = "cycle", Program = "program", Conflict = "conflict" });
written_object!(Place { source, line, column });
written_object!(Object { name, kind; maybe initial });
written_names!(ObjectKind { Variable = "variable", Lock = "lock", Semaphore = "semaphore" });

impl Written for Change {
    fn write(&self, out: &mut String) {
        (self.0, &self.1).write(out);
    }
}

written_object!(PageFault { words; maybe place, values });
written_object!(Seen { name, value; maybe writer });
written_object!(Fold { from, to, words });
written_object!(Why { words; maybe pair, other, parts });
written_object!(End { words; maybe faults, waiting });
written_object!(Source { name, pieces });
written_object!(Piece { first, lines });

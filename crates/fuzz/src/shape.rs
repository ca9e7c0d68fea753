//! Which features random programs have, and how large they may grow.

use mazurka_engine::Mailbox;

/// Where code may depend on the values it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branching {
    /// In threads and forked tasks, not in messages.
    Threads,
    /// Everywhere.
    Everywhere,
}

/// A mix of features.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name on the command line.
    pub name: &'static str,
    /// The largest number of threads, at least one.
    pub threads: usize,
    /// The largest number of handlers; with more than none there is at least one.
    pub handlers: usize,
    /// The policies that handlers may have.
    pub mailboxes: &'static [Mailbox],
    /// The largest number of mutexes; with more than none there is at least one.
    pub mutexes: usize,
    /// Are mutexes taken for reading?
    pub readers: bool,
    /// The largest number of semaphores; with more than none there is at least one.
    pub semaphores: usize,
    /// The largest number of conditions; with more than none there is at least one. They need mutexes.
    pub conditions: usize,
    /// The largest number of barriers; with more than none there is at least one.
    pub barriers: usize,
    /// Are there attempts: `try_lock` and the like?
    pub attempts: bool,
    /// Is there `choose`?
    pub choose: bool,
    /// Where code may branch.
    pub branching: Branching,
    /// Is there `assume`?
    pub assume: bool,
    /// Are there arrays?
    pub arrays: bool,
    /// Are there atomic blocks?
    pub atomic: bool,
    /// Are there forks and joins?
    pub forks: bool,
    /// A bound on the estimated number of interleavings. Programs are trimmed to bounds up to this.
    pub max_interleavings: f64,
}

const MULTISET: &[Mailbox] = &[Mailbox::Multiset];
const FIFO: &[Mailbox] = &[Mailbox::Fifo];
const MIXED: &[Mailbox] = &[Mailbox::Multiset, Mailbox::Fifo];

/// A few milliseconds for the oracle.
const MAX_INTERLEAVINGS: f64 = 1_500.0;

const PLAIN: Shape = Shape {
    name: "",
    threads: 3,
    handlers: 2,
    mailboxes: MULTISET,
    mutexes: 0,
    readers: false,
    semaphores: 0,
    conditions: 0,
    barriers: 0,
    attempts: false,
    choose: false,
    branching: Branching::Threads,
    assume: false,
    arrays: false,
    atomic: false,
    forks: false,
    max_interleavings: MAX_INTERLEAVINGS,
};

/// Every shape, simplest first.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "threads",
        threads: 4,
        handlers: 0,
        branching: Branching::Everywhere,
        arrays: true,
        atomic: true,
        forks: true,
        ..PLAIN
    },
    Shape { name: "multiset", ..PLAIN },
    Shape { name: "rich", handlers: 3, arrays: true, atomic: true, forks: true, ..PLAIN },
    Shape {
        name: "branching",
        branching: Branching::Everywhere,
        arrays: true,
        atomic: true,
        ..PLAIN
    },
    Shape { name: "locks", handlers: 1, mutexes: 2, branching: Branching::Everywhere, ..PLAIN },
    Shape {
        name: "fifo-locks",
        handlers: 2,
        mailboxes: FIFO,
        mutexes: 2,
        readers: true,
        forks: true,
        ..PLAIN
    },
    Shape {
        name: "guards",
        mailboxes: MIXED,
        mutexes: 2,
        readers: true,
        semaphores: 2,
        attempts: true,
        branching: Branching::Everywhere,
        ..PLAIN
    },
    Shape { name: "semaphores", mailboxes: MIXED, semaphores: 2, forks: true, ..PLAIN },
    Shape { name: "fifo-semaphores", mailboxes: FIFO, semaphores: 2, forks: true, ..PLAIN },
    Shape {
        name: "choose",
        mailboxes: MIXED,
        choose: true,
        branching: Branching::Everywhere,
        ..PLAIN
    },
    Shape { name: "assume", assume: true, branching: Branching::Everywhere, ..PLAIN },
    Shape { name: "fifo", mailboxes: FIFO, ..PLAIN },
    Shape {
        name: "mixed",
        mailboxes: MIXED,
        handlers: 3,
        branching: Branching::Everywhere,
        ..PLAIN
    },
    Shape {
        name: "conditions",
        mailboxes: MIXED,
        mutexes: 1,
        conditions: 2,
        branching: Branching::Everywhere,
        forks: true,
        ..PLAIN
    },
    Shape { name: "barriers", mailboxes: MIXED, barriers: 2, forks: true, ..PLAIN },
    Shape {
        name: "everything",
        threads: 4,
        handlers: 3,
        mailboxes: MIXED,
        mutexes: 2,
        readers: true,
        semaphores: 1,
        attempts: true,
        choose: true,
        branching: Branching::Everywhere,
        assume: true,
        arrays: true,
        atomic: true,
        forks: true,
        ..PLAIN
    },
];

impl Shape {
    /// The shape with this name.
    pub fn named(name: &str) -> Option<&'static Shape> {
        SHAPES.iter().find(|shape| shape.name == name)
    }
}

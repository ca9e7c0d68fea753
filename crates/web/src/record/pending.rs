//! Callbacks that can happen, or wait for others.

use super::order::{Role, precedes};
use std::collections::HashSet;

/// What the order of an event depends on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meta {
    /// Its number.
    pub event: u32,
    /// Its kind.
    pub kind: String,
    /// The position of the event that registered it.
    pub creator: Option<usize>,
    /// The position of another event without which it would not be.
    pub also_after: Option<usize>,
    /// When it was registered, among all.
    pub order: u64,
    /// What it is in the life of the page.
    pub role: Role,
    /// For timers.
    pub delay: Option<u64>,
    /// For timers of workers: which worker.
    pub thread: Option<u64>,
    /// For messages.
    pub channel: Option<String>,
    /// For animation frames.
    pub frame: Option<u64>,
    /// Does `load` wait for it?
    pub delays_load: bool,
    /// When it is due, in the page's time.
    pub due: u64,
    /// How many callbacks lead to it without anything from outside.
    pub generation: u32,
    /// When the first of these happened.
    pub since: u64,
    /// Would it not be without something that the user has done?
    pub by_user: bool,
    /// Does it come over the network?
    pub is_answer: bool,
}

/// How an event is let go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Release {
    /// The navigation to the page.
    Navigation,
    /// A callback that the page holds.
    Held(u64),
    /// A request that the browser holds.
    Request(String),
    /// Something that the user does.
    Action(usize),
}

/// A callback that has not happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// What its order depends on.
    pub meta: Meta,
    /// How it is let go.
    pub release: Release,
}

/// How many callbacks may follow each other without anything from outside, …
const GENERATIONS: u32 = 10;
/// … if they take longer than this, in milliseconds of the page's time.
const PERIOD: u64 = 2000;

impl Pending {
    /// Is it part of something that never ends: an interval, an animation loop, a poll?
    pub fn is_endless(&self, now: u64) -> bool {
        self.meta.generation >= GENERATIONS && self.meta.due.max(now) > self.meta.since + PERIOD
    }
}

/// All of them.
#[derive(Default)]
pub struct Table {
    all: Vec<Pending>,
    /// Gates that the parser has come to.
    pub gates: HashSet<usize>,
    /// Is the element of the user's next action there?
    pub wanted: bool,
}

impl Table {
    /// One more.
    pub fn add(&mut self, pending: Pending) {
        self.all.push(pending);
    }

    /// The callback that the page has withdrawn.
    pub fn withdraw(&mut self, held: u64) {
        self.all.retain(|pending| pending.release != Release::Held(held));
    }

    /// Requests that the browser has called off will not be answered.
    pub fn withdraw_requests(&mut self, is_over: impl Fn(&str) -> bool) {
        self.all.retain(|pending| match &pending.release {
            Release::Request(id) => !is_over(id),
            _ => true,
        });
    }

    /// Takes an event out, to let it go.
    pub fn take(&mut self, event: u32) -> Option<Pending> {
        let at = self.all.iter().position(|pending| pending.meta.event == event)?;
        Some(self.all.remove(at))
    }

    /// Everything that has not happened.
    pub fn all(&self) -> &[Pending] {
        &self.all
    }

    /// Those that can happen now, in the order in which they were registered.
    pub fn possible(&self, now: u64) -> impl Iterator<Item = &Pending> {
        self.all.iter().filter(move |pending| self.is_possible(pending) && !pending.is_endless(now))
    }

    fn is_possible(&self, pending: &Pending) -> bool {
        let there = match &pending.meta.role {
            Role::Stop(number, _) | Role::Parsed(number) => self.gates.contains(number),
            Role::Deferred(_) => self.all.iter().any(|other| {
                matches!(other.meta.role, Role::Parsed(number) if self.gates.contains(&number))
            }),
            Role::Loaded => !self.all.iter().any(|other| matches!(other.meta.role, Role::Parsed(_))),
            Role::Action(_) => self.wanted,
            _ => true,
        };
        there && !self.all.iter().any(|other| precedes(&other.meta, &pending.meta))
    }

    /// Is a stylesheet held, so that nothing is painted?
    pub fn is_unpainted(&self) -> bool {
        self.all.iter().any(|pending| matches!(pending.meta.role, Role::Style(_)))
    }
}

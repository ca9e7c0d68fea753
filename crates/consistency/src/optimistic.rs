//! An optimistic run over the terminals: what a friendly scheduler would do.
//!
//! Terminals are executed as soon as everything before them has been: ends of messages first, then starts that the mailbox
//! allows, then posts in the order in which they became possible. When only starts remain that the mailbox forbids, the
//! oldest is taken all the same and the run is no longer clean. A clean run is a solution; the order of any run is where
//! the search begins. Cost: the number of reachable pairs of terminals; over a graph of all nodes, its edges.

use crate::bits::ones;
use crate::closure::Closure;
use crate::graph::Graph;
use crate::terminals::{NONE, Terminals};
use std::collections::VecDeque;

/// What comes before what: the closure of the terminals, or a graph in which every node is a terminal.
pub(crate) trait Precedence {
    /// For each terminal the number of visits that [`Precedence::for_each_after`] makes to it in all.
    fn count_before(&self, terminals: usize, counts: &mut Vec<u32>);
    /// Visits terminals that come after `terminal`, at least its direct successors.
    fn for_each_after(&self, terminal: usize, visit: impl FnMut(usize));
}

impl Precedence for Closure {
    fn count_before(&self, terminals: usize, counts: &mut Vec<u32>) {
        counts.clear();
        let ones =
            |terminal| self.before(terminal).iter().map(|word| word.count_ones()).sum::<u32>();
        counts.extend((0..terminals).map(ones));
    }

    fn for_each_after(&self, terminal: usize, visit: impl FnMut(usize)) {
        ones(self.after(terminal)).for_each(visit);
    }
}

impl Precedence for Graph {
    fn count_before(&self, terminals: usize, counts: &mut Vec<u32>) {
        counts.clear();
        counts.resize(terminals, 0);
        for node in 0..terminals as u32 {
            self.successors(node).iter().for_each(|&successor| counts[successor as usize] += 1);
        }
    }

    fn for_each_after(&self, terminal: usize, mut visit: impl FnMut(usize)) {
        self.successors(terminal as u32).iter().for_each(|&successor| visit(successor as usize));
    }
}

/// The run and its buffers.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// When each terminal was executed.
    pub(crate) when: Vec<u32>,
    clock: u32,
    missing: Vec<u32>,
    /// Terminals that nothing but mailboxes can hold back.
    free: Vec<u32>,
    posts: VecDeque<u32>,
    /// Per group: starts that the mailbox holds back, oldest first.
    held: Vec<Vec<u32>>,
    /// Per group: a message is being executed.
    busy: Vec<bool>,
    /// Per class: messages in the order of their posts.
    queues: Vec<VecDeque<u32>>,
    started: Vec<bool>,
    /// Groups whose held starts may be allowed now.
    awake: Vec<u32>,
}

impl Run {
    /// Runs everything; true if no mailbox was violated.
    pub(crate) fn run(
        &mut self,
        terminals: &Terminals,
        order: &impl Precedence,
        groups: usize,
    ) -> bool {
        self.prepare(terminals, order, groups);
        let mut clean = true;
        while (self.clock as usize) < terminals.len() {
            if let Some(terminal) = self.free.pop() {
                self.execute(terminal, terminals, order);
            } else if let Some(group) = self.awake.pop() {
                self.wake(group as usize, terminals);
            } else if let Some(terminal) = self.posts.pop_front() {
                self.execute(terminal, terminals, order);
            } else {
                clean = false;
                self.violate(terminals);
            }
        }
        clean
    }

    fn prepare(&mut self, terminals: &Terminals, order: &impl Precedence, groups: usize) {
        let size = terminals.len();
        self.clock = 0;
        self.when.clear();
        self.when.resize(size, NONE);
        order.count_before(size, &mut self.missing);
        self.free.clear();
        self.posts.clear();
        self.awake.clear();
        self.busy.clear();
        self.busy.resize(groups, false);
        self.started.clear();
        self.started.resize(terminals.places.len(), false);
        self.held.iter_mut().for_each(Vec::clear);
        self.held.resize(self.held.len().max(groups), Vec::new());
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.queues.resize(self.queues.len().max(terminals.places.len()), VecDeque::new());
        for (message, place) in terminals.places.iter().enumerate() {
            if place.post == NONE && place.class != NONE {
                self.queues[place.class as usize].push_back(message as u32);
            }
        }
        for terminal in 0..size {
            if self.missing[terminal] == 0 {
                self.release(terminal as u32, terminals);
            }
        }
    }

    /// All before `terminal` has been executed.
    fn release(&mut self, terminal: u32, terminals: &Terminals) {
        let message = terminals.get_of[terminal as usize];
        if message != NONE {
            let group = terminals.places[message as usize].group;
            self.held[group as usize].push(terminal);
            self.awake.push(group);
        } else if terminals.posted[terminal as usize] != NONE {
            self.posts.push_back(terminal);
        } else {
            self.free.push(terminal);
        }
    }

    /// Starts the oldest held message of a group that its mailbox allows.
    fn wake(&mut self, group: usize, terminals: &Terminals) {
        if self.busy[group] {
            return;
        }
        let allowed =
            self.held[group].iter().position(|&terminal| self.allowed(terminal, terminals));
        if let Some(position) = allowed {
            let terminal = self.held[group].remove(position);
            self.free.push(terminal);
        }
    }

    fn allowed(&self, terminal: u32, terminals: &Terminals) -> bool {
        let message = terminals.get_of[terminal as usize];
        let place = &terminals.places[message as usize];
        if place.class == NONE {
            return true;
        }
        // Messages posted before everything are in no particular order among themselves.
        let queue = &self.queues[place.class as usize];
        let ahead =
            queue.iter().take_while(|&&m| m != message).find(|&&m| !self.started[m as usize]);
        ahead.is_none_or(|&m| place.post == NONE && terminals.places[m as usize].post == NONE)
    }

    fn violate(&mut self, terminals: &Terminals) {
        let oldest = self.held.iter().enumerate().filter(|(_, held)| !held.is_empty());
        let (group, _) = oldest
            .min_by_key(|(_, held)| held.len())
            .expect("an acyclic graph has a minimal terminal");
        let terminal = self.held[group].remove(0);
        debug_assert_ne!(terminals.get_of[terminal as usize], NONE);
        self.free.push(terminal);
    }

    fn execute(&mut self, terminal: u32, terminals: &Terminals, order: &impl Precedence) {
        self.when[terminal as usize] = self.clock;
        self.clock += 1;
        let started = terminals.get_of[terminal as usize];
        if started != NONE {
            self.start(started, terminals);
        }
        for message in terminals.posted_by(terminal as usize) {
            let place = &terminals.places[message as usize];
            if place.class != NONE {
                self.queues[place.class as usize].push_back(message);
                self.awake.push(place.group);
            }
        }
        let ended = terminals.last_of[terminal as usize];
        if ended != NONE {
            let group = terminals.places[ended as usize].group;
            self.busy[group as usize] = false;
            self.awake.push(group);
        }
        order.for_each_after(terminal as usize, |later| {
            self.missing[later] -= 1;
            if self.missing[later] == 0 {
                self.release(later as u32, terminals);
            }
        });
    }

    fn start(&mut self, message: u32, terminals: &Terminals) {
        let place = &terminals.places[message as usize];
        self.busy[place.group as usize] = true;
        self.started[message as usize] = true;
        if place.class != NONE {
            let queue = &mut self.queues[place.class as usize];
            while queue.front().is_some_and(|&front| self.started[front as usize]) {
                queue.pop_front();
            }
        }
    }
}

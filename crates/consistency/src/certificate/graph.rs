//! The edges of a trace as the checker sees them, written from the format page and nothing else.

use super::Order;
use crate::policy::Policy;
use crate::trace::{Event, EventId, Trace};
use std::collections::HashMap;

/// Successors of every event (and of one node for each mailbox lane with pending messages).
pub(super) struct Edges<'a> {
    trace: &'a Trace,
    policy: Policy,
    successors: Vec<Vec<u32>>,
    /// Are the fixed edges cyclic by themselves? Computed when first asked.
    fixed_cycle: Option<bool>,
    visited: Vec<u32>,
    round: u32,
}

impl<'a> Edges<'a> {
    pub(super) fn new(trace: &'a Trace, policy: Policy) -> Self {
        let successors = vec![Vec::new(); trace.events().len()];
        let mut edges =
            Self { trace, policy, successors, fixed_cycle: None, visited: Vec::new(), round: 0 };
        edges.add_messages();
        edges.add_accesses();
        for &(first, second) in trace.order_edges() {
            edges.successors[first as usize].push(second);
        }
        edges.add_pending();
        edges.visited = vec![0; edges.successors.len()];
        edges
    }

    fn add_messages(&mut self) {
        let mut initial_end = HashMap::new();
        for message in self.trace.messages().iter().filter(|message| message.initial) {
            initial_end.insert(message.handler, message.last());
        }
        for (id, message) in (0..).zip(self.trace.messages()) {
            for event in message.events().skip(1) {
                self.successors[event as usize - 1].push(event);
            }
            if message.initial || message.pending {
                continue;
            }
            let post = self.trace.post_of(id);
            let end = initial_end.get(&message.handler).copied().flatten();
            for before in post.into_iter().chain(end) {
                self.successors[before as usize].push(message.start);
            }
        }
    }

    fn add_accesses(&mut self) {
        let mut place = HashMap::new();
        for variable in 0..self.trace.variables() {
            let writes = self.trace.coherence(variable);
            for (index, &write) in writes.iter().enumerate() {
                place.insert(write, index);
                if let Some(&next) = writes.get(index + 1) {
                    self.successors[write as usize].push(next);
                }
            }
        }
        for (event, kind) in (0..).zip(self.trace.events()) {
            if let Event::Read { variable, from } = *kind {
                let later = from.map_or(0, |write: EventId| place[&write] + 1);
                if let Some(write) = from {
                    self.successors[write as usize].push(event);
                }
                if let Some(&overwrite) = self.trace.coherence(variable).get(later) {
                    self.successors[event as usize].push(overwrite);
                }
            }
        }
    }

    /// Executed messages are posted before pending ones: through one node for each lane, to stay linear.
    fn add_pending(&mut self) {
        if self.policy == Policy::Multiset {
            return;
        }
        let mut lanes = HashMap::new();
        for (id, message) in (0..).zip(self.trace.messages()) {
            let Some(post) = self.trace.post_of(id) else {
                continue;
            };
            let sender = if self.policy == Policy::P2p { self.trace.sender_of(id) } else { None };
            let lane = *lanes.entry((message.handler, sender)).or_insert_with(|| {
                self.successors.push(Vec::new());
                self.successors.len() as u32 - 1
            });
            let (from, to) = if message.pending { (lane, post) } else { (post, lane) };
            self.successors[from as usize].push(to);
        }
    }

    /// Are the fixed edges cyclic?
    pub(super) fn cyclic(&mut self) -> bool {
        if self.fixed_cycle.is_none() {
            let all = 0..self.successors.len() as u32;
            self.fixed_cycle = Some(self.search(all.collect(), &HashMap::new()));
        }
        self.fixed_cycle == Some(true)
    }

    /// Are the fixed edges cyclic together with these orders?
    pub(super) fn cyclic_with(&mut self, orders: impl Iterator<Item = Order>) -> bool {
        if self.cyclic() {
            return true;
        }
        let mut extra: HashMap<u32, Vec<u32>> = HashMap::new();
        for (x, y) in orders {
            let (first, second) =
                (&self.trace.messages()[x as usize], &self.trace.messages()[y as usize]);
            extra.entry(first.end - 1).or_default().push(second.start);
            let keeps_posts = match self.policy {
                Policy::Fifo => true,
                Policy::Multiset => false,
                Policy::P2p => self.trace.sender_of(x) == self.trace.sender_of(y),
            };
            if let (true, Some(a), Some(b)) =
                (keeps_posts, self.trace.post_of(x), self.trace.post_of(y))
            {
                extra.entry(a).or_default().push(b);
            }
        }
        // A cycle must use one of the new edges, so it is found from their ends.
        self.search(extra.values().flatten().copied().collect(), &extra)
    }

    /// Depth-first from `starts`: is there a way back to a node that is still open?
    fn search(&mut self, starts: Vec<u32>, extra: &HashMap<u32, Vec<u32>>) -> bool {
        let (open, closed) = (self.round + 1, self.round + 2);
        self.round += 2;
        let none = Vec::new();
        let mut stack = Vec::new();
        for start in starts {
            if self.visited[start as usize] == closed {
                continue;
            }
            self.visited[start as usize] = open;
            stack.push((start, 0));
            while let Some((node, next)) = stack.last_mut() {
                let fixed = &self.successors[*node as usize];
                let added = extra.get(node).unwrap_or(&none);
                let Some(&successor) = fixed.get(*next).or_else(|| added.get(*next - fixed.len()))
                else {
                    self.visited[*node as usize] = closed;
                    stack.pop();
                    continue;
                };
                *next += 1;
                if self.visited[successor as usize] == open {
                    return true;
                }
                if self.visited[successor as usize] != closed {
                    self.visited[successor as usize] = open;
                    stack.push((successor, 0));
                }
            }
        }
        false
    }
}

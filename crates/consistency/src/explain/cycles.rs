//! Shortest cycles of events, each step with its reason.

use super::{Because, Step};
use crate::fixed::{Relation, for_each_edge};
use crate::policy::Policy;
use crate::trace::{MessageId, Trace};
use rustc_hash::FxHashMap;

/// The fixed edges of a trace with their reasons; nodes past the events are the lanes of mailboxes with pending messages.
pub(super) struct Cycles<'a> {
    trace: &'a Trace,
    policy: Policy,
    successors: Vec<Vec<(u32, Because)>>,
}

impl<'a> Cycles<'a> {
    pub(super) fn new(trace: &'a Trace, policy: Policy) -> Self {
        let mut successors = vec![Vec::new(); trace.events().len()];
        for_each_edge(trace, |from, to, relation| {
            successors[from as usize].push((to, Because::Fixed(relation)))
        });
        let mut cycles = Self { trace, policy, successors };
        cycles.add_pending();
        cycles
    }

    /// In the order in which the order problem numbers its extra nodes, so that its cycles can be labelled.
    fn add_pending(&mut self) {
        let mut lanes = FxHashMap::default();
        for waiting in [true, false] {
            for (id, message) in
                (0..).zip(self.trace.messages()).filter(|(_, m)| m.pending == waiting)
            {
                let Some(post) = self.trace.post_of(id) else {
                    continue;
                };
                let sender = match self.policy {
                    Policy::Multiset => continue,
                    Policy::Fifo => None,
                    Policy::P2p => self.trace.sender_of(id),
                };
                let key = (message.handler, sender);
                if waiting && !lanes.contains_key(&key) {
                    lanes.insert(key, self.successors.len() as u32);
                    self.successors.push(Vec::new());
                }
                let Some(&lane) = lanes.get(&key) else {
                    continue;
                };
                let (from, to) = if waiting { (lane, post) } else { (post, lane) };
                self.successors[from as usize].push((to, Because::Pending));
            }
        }
    }

    /// Gives each edge of a cycle its reason, and joins what belongs together.
    pub(super) fn label(&self, edges: &[(u32, u32)]) -> Vec<Step> {
        let because = |(from, to): (u32, u32)| {
            let known =
                self.successors[from as usize].iter().find(|(successor, _)| *successor == to);
            known.map_or(Because::Fixed(Relation::ProgramOrder), |(_, because)| *because)
        };
        self.join(
            edges
                .iter()
                .map(|&(from, to)| Step { from, to, because: because((from, to)) })
                .collect(),
        )
    }

    /// A shortest cycle that the fixed edges close together with these orders.
    pub(super) fn shortest_with(&mut self, orders: &[(MessageId, MessageId)]) -> Vec<Step> {
        let added: Vec<Step> = orders.iter().flat_map(|&order| self.edges_of(order)).collect();
        for step in &added {
            self.successors[step.from as usize].push((step.to, step.because));
        }
        let cycles = added.iter().filter_map(|step| {
            let mut path = self.path(step.to, step.from)?;
            path.push(*step);
            Some(path)
        });
        let shortest = cycles.min_by_key(Vec::len).unwrap_or_default();
        for step in added.iter().rev() {
            self.successors[step.from as usize].pop();
        }
        self.join(shortest)
    }

    fn edges_of(&self, (a, b): (MessageId, MessageId)) -> Vec<Step> {
        let messages = self.trace.messages();
        let (first, second) = (&messages[a as usize], &messages[b as usize]);
        let mut steps =
            vec![Step { from: first.end - 1, to: second.start, because: Because::Executed(a, b) }];
        let keeps_posts = match self.policy {
            Policy::Fifo => true,
            Policy::Multiset => false,
            Policy::P2p => self.trace.sender_of(a) == self.trace.sender_of(b),
        };
        if let (true, Some(from), Some(to)) =
            (keeps_posts, self.trace.post_of(a), self.trace.post_of(b))
        {
            steps.push(Step { from, to, because: Because::Posted(a, b) });
        }
        steps
    }

    /// A shortest path, breadth-first.
    fn path(&self, from: u32, to: u32) -> Option<Vec<Step>> {
        let mut parent: FxHashMap<u32, (u32, Because)> = FxHashMap::default();
        let mut queue = vec![from];
        let mut next = 0;
        while from != to && !parent.contains_key(&to) {
            let node = *queue.get(next)?;
            next += 1;
            for &(successor, because) in &self.successors[node as usize] {
                if successor != from && !parent.contains_key(&successor) {
                    parent.insert(successor, (node, because));
                    queue.push(successor);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        while at != from {
            let (before, because) = parent[&at];
            steps.push(Step { from: before, to: at, because });
            at = before;
        }
        steps.reverse();
        Some(steps)
    }

    /// Runs of program order become one step, and so does the way through a mailbox's lane. The cycle may begin anywhere,
    /// so it is turned to where such a run begins.
    fn join(&self, mut steps: Vec<Step>) -> Vec<Step> {
        let joined = |a: &Step, b: &Step| {
            let program_order = Because::Fixed(Relation::ProgramOrder);
            let lane = a.to as usize >= self.trace.events().len();
            lane || a.because == program_order && b.because == program_order
        };
        let start = (0..steps.len())
            .find(|&i| !joined(&steps[(i + steps.len() - 1) % steps.len()], &steps[i]));
        steps.rotate_left(start.unwrap_or(0));
        let mut merged: Vec<Step> = Vec::new();
        for step in steps {
            match merged.last_mut() {
                Some(last) if joined(last, &step) => last.to = step.to,
                _ => merged.push(step),
            }
        }
        merged
    }
}

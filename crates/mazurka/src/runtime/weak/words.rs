//! What a report says of an access: its ordering, which store it read if not the newest, and why it may.

use super::access::{Access, Deed, Node, Source};
use super::{Graph, acquires};
use std::sync::atomic::Ordering;

/// So many synchronisations are followed to find the one that is missing.
const LONGEST_CHAIN: usize = 16;

impl Graph {
    /// What people should know of the last step.
    pub(crate) fn remark(&self) -> Option<String> {
        let last = self.nodes.len().checked_sub(1)?;
        match &self.nodes[last].deed {
            Deed::Fence(order) => Some(format!("fence, {}", name(*order))),
            Deed::Other(_) => None,
            Deed::Atomic(access) => Some(match self.passed_over(access, last as u32) {
                None => name(access.order).to_owned(),
                Some(passed) => {
                    format!("{}: {}", name(access.order), self.explain(access, last, passed))
                }
            }),
        }
    }

    /// The newest store that an access puts behind itself.
    fn passed_over(&self, access: &Access, node: u32) -> Option<u32> {
        let newest = self.locations.get(&access.object)?.newest();
        let behind = match access.reads.filter(|_| !access.writes) {
            Some(source) => source,
            None => Some(node),
        };
        newest.filter(|_| newest != behind)
    }

    fn explain(&self, access: &Access, last: usize, passed: u32) -> String {
        let what = match (access.writes, access.reads) {
            (false, Some(source)) => format!("reads {}, not step {}", store(source), passed + 1),
            (_, Some(source)) => {
                format!("reads {} and comes before step {} in its order", store(source), passed + 1)
            }
            _ => format!("comes before step {} in the order of its stores", passed + 1),
        };
        format!("{what}; {}", self.reason(last, passed))
    }

    /// Why does the passed store not happen before the last step?
    fn reason(&self, last: usize, passed: u32) -> String {
        let mut from = &self.nodes[passed as usize];
        for _ in 0..LONGEST_CHAIN {
            let Some((source, reader)) = self.carries(from, last) else { break };
            let Deed::Atomic(store) = &self.nodes[source as usize].deed else { break };
            let Deed::Atomic(load) = &self.nodes[reader as usize].deed else { break };
            if !store.released.hb.has(from.task, from.step) {
                return format!(
                    "step {} is {}, so it publishes nothing",
                    source + 1,
                    name(store.order)
                );
            }
            if !acquires(load.order) {
                return format!(
                    "step {} is {}, so it acquires nothing",
                    reader + 1,
                    name(load.order)
                );
            }
            from = &self.nodes[reader as usize];
        }
        format!("nothing makes step {} happen before it", passed + 1)
    }

    /// The first load of another task that reads what the task of `from` stored then or later, in the past of the last step.
    fn carries(&self, from: &Node, last: usize) -> Option<(u32, u32)> {
        let past = &self.nodes[last].trace;
        self.nodes[..last].iter().enumerate().find_map(|(at, node)| {
            let Deed::Atomic(Access { reads: Some(Some(source)), .. }) = &node.deed else {
                return None;
            };
            let store = &self.nodes[*source as usize];
            (store.task == from.task
                && store.step >= from.step
                && node.task != from.task
                && past.has(node.task, node.step))
            .then_some((*source, at as u32))
        })
    }
}

fn store(source: Source) -> String {
    source.map_or_else(|| "the initial value".to_owned(), |step| format!("step {}", step + 1))
}

fn name(order: Ordering) -> &'static str {
    match order {
        Ordering::Relaxed => "Relaxed",
        Ordering::Release => "Release",
        Ordering::Acquire => "Acquire",
        Ordering::AcqRel => "AcqRel",
        _ => "SeqCst",
    }
}

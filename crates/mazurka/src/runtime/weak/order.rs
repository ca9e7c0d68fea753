//! The order of all that is `SeqCst`: the relation `psc` of RC11 (section 3 of the paper) must have no cycle.
//!
//! ```text
//! scb      = po ∪ po≠loc ; hb ; po≠loc ∪ hb|loc ∪ mo ∪ fr
//! psc_base = ([E_sc] ∪ [F_sc] ; hb?) ; scb ; ([E_sc] ∪ hb? ; [F_sc])
//! psc_F    = [F_sc] ; (hb ∪ hb ; eco ; hb) ; [F_sc]
//! ```

use super::Graph;
use super::access::{Access, Deed, Node, Rank};
use crate::runtime::clock::Clock;
use mazurka_engine::ObjectId;

/// An access of an atomic, or a fence that is `SeqCst`, with what is asked of it often.
struct Point<'g> {
    node: &'g Node,
    access: Option<&'g Access>,
    rank: Rank,
    /// The first step of its task behind it that touches something else.
    next_elsewhere: u32,
    /// What the last step of its task before it knew that touches something else.
    last_elsewhere: &'g Clock,
}

impl Point<'_> {
    fn object(&self) -> Option<ObjectId> {
        self.access.map(|access| access.object)
    }

    fn shares_object(&self, other: &Point<'_>) -> bool {
        self.access.is_some() && self.object() == other.object()
    }

    fn writes(&self) -> bool {
        self.access.is_some_and(|access| access.writes)
    }

    fn is_fence(&self) -> bool {
        self.access.is_none()
    }

    fn is_sequential(&self) -> bool {
        self.node.deed.is_sequential()
    }

    fn is(&self, other: &Point<'_>) -> bool {
        self.node.task == other.node.task && self.node.step == other.node.step
    }

    fn happens_before(&self, later: &Point<'_>) -> bool {
        !self.is(later) && later.node.hb.has(self.node.task, self.node.step)
    }

    /// `eco`: reads-from, modification order, from-read and what follows from them.
    fn is_older(&self, later: &Point<'_>) -> bool {
        self.shares_object(later) && self.rank < later.rank
    }

    /// `scb`.
    fn comes_before(&self, later: &Point<'_>) -> bool {
        let in_task = self.node.task == later.node.task && self.node.step < later.node.step;
        in_task
            || self.shares_object(later) && self.happens_before(later)
            // Modification order and from-read.
            || self.is_older(later) && later.writes()
            || later.last_elsewhere.has(self.node.task, self.next_elsewhere)
    }
}

impl Graph {
    /// Is there one order of all that is `SeqCst`? Looks only at what is in `past`, if that is given, and at the last step.
    pub(super) fn is_ordered(&self, past: Option<&Clock>) -> bool {
        let points = self.points(past);
        let sequential: Vec<&Point<'_>> = points.iter().filter(|it| it.is_sequential()).collect();
        let edges: Vec<Vec<bool>> =
            sequential.iter().map(|from| successors(from, &points, &sequential)).collect();
        !has_cycle(&edges)
    }

    fn points(&self, past: Option<&Clock>) -> Vec<Point<'_>> {
        let last = self.nodes.len() - 1;
        let counts = |(at, node): &(usize, &Node)| {
            *at == last || past.is_none_or(|past| past.has(node.task, node.step))
        };
        let nodes = self.nodes.iter().enumerate().filter(counts);
        nodes
            .filter_map(|(at, node)| {
                let access = match &node.deed {
                    Deed::Atomic(access) => Some(access),
                    Deed::Fence(_) if node.deed.is_sequential() => None,
                    Deed::Fence(_) | Deed::Other(_) => return None,
                };
                Some(Point {
                    node,
                    access,
                    rank: access.map_or(0, |access| self.rank(access, at as u32)),
                    next_elsewhere: self.next_elsewhere(node),
                    last_elsewhere: self.last_elsewhere(node),
                })
            })
            .collect()
    }

    fn touches_elsewhere(&self, node: &Node, other: u32) -> bool {
        let object = node.deed.object();
        object.is_none() || self.nodes[other as usize].deed.object() != object
    }

    fn next_elsewhere(&self, node: &Node) -> u32 {
        let steps = &self.steps[node.task.index()];
        let behind = &steps[node.step as usize..];
        let same = behind.iter().take_while(|&&other| !self.touches_elsewhere(node, other)).count();
        // Behind the last one is its end.
        node.step + 1 + same as u32
    }

    fn last_elsewhere(&self, node: &Node) -> &Clock {
        let before = &self.steps[node.task.index()][..node.step as usize - 1];
        match before.iter().rev().find(|&&other| self.touches_elsewhere(node, other)) {
            Some(&other) => &self.nodes[other as usize].hb,
            None => self.births.get(node.task.index()).map_or(&NOTHING, |birth| &birth.hb),
        }
    }
}

/// What a task knew that nobody created.
static NOTHING: Clock = Clock::new();

/// `psc`: which of the sequential ones come directly behind `from`?
fn successors(from: &Point<'_>, points: &[Point<'_>], sequential: &[&Point<'_>]) -> Vec<bool> {
    let behind = |it: &Point<'_>| from.is_fence() && from.happens_before(it);
    let begins: Vec<&Point<'_>> = points.iter().filter(|it| it.is(from) || behind(it)).collect();
    let reached: Vec<&Point<'_>> = points
        .iter()
        .filter(|it| begins.iter().any(|begin| !begin.is(it) && begin.comes_before(it)))
        .collect();
    // Only for fences.
    let newer: Vec<&Point<'_>> = points
        .iter()
        .filter(|it| begins.iter().any(|begin| behind(begin) && begin.is_older(it)))
        .collect();
    let comes = |to: &&Point<'_>| {
        let ends = |it: &&Point<'_>| it.is(to) || to.is_fence() && it.happens_before(to);
        reached.iter().any(ends)
            || from.is_fence()
                && to.is_fence()
                && (from.happens_before(to) || newer.iter().any(|it| it.happens_before(to)))
    };
    sequential.iter().map(comes).collect()
}

fn has_cycle(edges: &[Vec<bool>]) -> bool {
    // 0: not seen, 1: on the way, 2: left without a cycle.
    let mut state = vec![0_u8; edges.len()];
    (0..edges.len()).any(|root| state[root] == 0 && leads_back(edges, root, &mut state))
}

fn leads_back(edges: &[Vec<bool>], root: usize, state: &mut [u8]) -> bool {
    let mut way = vec![(root, 0)];
    state[root] = 1;
    while let Some((at, next)) = way.last_mut() {
        let at = *at;
        match (*next..edges.len()).find(|&to| edges[at][to]) {
            Some(to) => {
                *next = to + 1;
                match state[to] {
                    1 => return true,
                    0 => {
                        state[to] = 1;
                        way.push((to, 0));
                    }
                    _ => {}
                }
            }
            None => {
                state[at] = 2;
                way.pop();
            }
        }
    }
    false
}

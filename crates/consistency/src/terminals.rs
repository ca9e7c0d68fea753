//! The reduction to terminals: of all nodes only posts, gets and last nodes of messages matter for the order of messages.
//!
//! A literal "a before b" adds last(a) -> get(b) and, where the mailbox keeps the order of posts, post(a) -> post(b).
//! Every cycle therefore alternates between such edges and paths of fixed edges from terminal to terminal, and the
//! reachability between terminals is all that a solver needs. One pass over the graph for each 512 terminals, with 64
//! bytes for each node.

use crate::bits::BitMatrix;
use crate::graph::Graph;
use crate::order::{Group, Message};
use crate::policy::Policy;
use rustc_hash::FxHashMap;

/// "No message", "no terminal", "no class".
pub(crate) const NONE: u32 = u32::MAX;

/// Words of the rows carried through the graph in one pass.
const PASS_WORDS: usize = 8;

/// Where a message's terminals are, and what they are compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) group: u32,
    /// Position in the group's list of messages.
    pub(crate) slot: u32,
    /// Messages of one class keep the order of their posts; `NONE` for a multiset.
    pub(crate) class: u32,
    pub(crate) post: u32,
    pub(crate) get: u32,
    /// `NONE` for a message that has not ended.
    pub(crate) last: u32,
}

/// The terminals of a problem and the parts they play. A node that plays several parts is one terminal.
#[derive(Debug, Default)]
pub(crate) struct Terminals {
    /// The node of each terminal.
    pub(crate) node: Vec<u32>,
    /// Per message.
    pub(crate) places: Vec<Place>,
    /// The message whose get a terminal is.
    pub(crate) get_of: Vec<u32>,
    /// The message whose last node a terminal is.
    pub(crate) last_of: Vec<u32>,
    /// The first message posted by a terminal; the others follow in `next_posted`.
    pub(crate) posted: Vec<u32>,
    pub(crate) next_posted: Vec<u32>,
    /// Per group: its last nodes.
    pub(crate) last_mask: BitMatrix,
    /// Per class: its posts.
    pub(crate) post_mask: BitMatrix,
    /// Per group, its messages: `members[start[g]..start[g + 1]]`.
    pub(crate) start: Vec<u32>,
    pub(crate) members: Vec<u32>,
    /// Reachability by fixed edges.
    pub(crate) reach: BitMatrix,
    of_node: Vec<u32>,
    classes: FxHashMap<(u32, u32), u32>,
    carried: Vec<u64>,
}

impl Terminals {
    pub(crate) fn len(&self) -> usize {
        self.node.len()
    }

    pub(crate) fn group(&self, group: usize) -> &[u32] {
        &self.members[self.start[group] as usize..self.start[group + 1] as usize]
    }

    /// The messages posted by `terminal`.
    pub(crate) fn posted_by(&self, terminal: usize) -> impl Iterator<Item = u32> + '_ {
        let first = self.posted[terminal];
        std::iter::successors((first != NONE).then_some(first), |&message| {
            let next = self.next_posted[message as usize];
            (next != NONE).then_some(next)
        })
    }

    /// Names the terminals of `messages`; reachability is not computed yet.
    pub(crate) fn assign(&mut self, nodes: usize, groups: &[Group], messages: &[Message]) {
        self.node.clear();
        self.places.clear();
        self.classes.clear();
        self.of_node.clear();
        self.of_node.resize(nodes, NONE);
        self.list_members(groups.len(), messages);
        for message in messages {
            let class = self.class(groups[message.group as usize].policy, message);
            let post = message.post.map_or(NONE, |node| self.terminal(node));
            let get = self.terminal(message.get);
            let last = if message.complete { self.terminal(message.last) } else { NONE };
            self.places.push(Place { group: message.group, slot: 0, class, post, get, last });
        }
        for group in 0..groups.len() {
            for place in self.start[group]..self.start[group + 1] {
                let message = self.members[place as usize];
                self.places[message as usize].slot = place - self.start[group];
            }
        }
        self.assign_parts();
    }

    /// Makes every node a terminal of the same number, for a problem that is too large for matrices.
    pub(crate) fn assign_all(&mut self, nodes: usize, groups: &[Group], messages: &[Message]) {
        self.assign(nodes, groups, messages);
        let Self { places, node, get_of, last_of, posted, .. } = self;
        let spread = |parts: &mut Vec<u32>| {
            let mut all = vec![NONE; nodes];
            node.iter().zip(parts.iter()).for_each(|(&node, &part)| all[node as usize] = part);
            *parts = all;
        };
        [get_of, last_of, posted].into_iter().for_each(spread);
        let to_node = |terminal: &mut u32| {
            *terminal = if *terminal == NONE { NONE } else { node[*terminal as usize] }
        };
        for place in places {
            [&mut place.post, &mut place.get, &mut place.last].into_iter().for_each(to_node);
        }
        self.node = (0..nodes as u32).collect();
    }

    fn list_members(&mut self, groups: usize, messages: &[Message]) {
        self.start.clear();
        self.start.resize(groups + 2, 0);
        for message in messages {
            self.start[message.group as usize + 2] += 1;
        }
        for group in 2..groups + 2 {
            self.start[group] += self.start[group - 1];
        }
        self.members.clear();
        self.members.resize(messages.len(), 0);
        for (index, message) in messages.iter().enumerate() {
            let place = &mut self.start[message.group as usize + 1];
            self.members[*place as usize] = index as u32;
            *place += 1;
        }
    }

    fn class(&mut self, policy: Policy, message: &Message) -> u32 {
        let sender = match policy {
            Policy::Multiset => return NONE,
            Policy::Fifo => 0,
            Policy::P2p if message.post.is_none() => return NONE,
            Policy::P2p => message.sender,
        };
        let next = self.classes.len() as u32;
        *self.classes.entry((message.group, sender)).or_insert(next)
    }

    fn terminal(&mut self, node: u32) -> u32 {
        let terminal = &mut self.of_node[node as usize];
        if *terminal == NONE {
            *terminal = self.node.len() as u32;
            self.node.push(node);
        }
        *terminal
    }

    fn assign_parts(&mut self) {
        let size = self.len();
        for parts in [&mut self.get_of, &mut self.last_of, &mut self.posted] {
            parts.clear();
            parts.resize(size, NONE);
        }
        self.next_posted.clear();
        self.next_posted.resize(self.places.len(), NONE);
        for (message, place) in self.places.iter().enumerate() {
            self.get_of[place.get as usize] = message as u32;
            if place.last != NONE {
                self.last_of[place.last as usize] = message as u32;
            }
            if place.post != NONE {
                let first = &mut self.posted[place.post as usize];
                self.next_posted[message] = std::mem::replace(first, message as u32);
            }
        }
    }

    /// Computes which terminal reaches which through `graph`, which is sorted and acyclic.
    pub(crate) fn connect(&mut self, graph: &Graph) {
        let size = self.len();
        self.mask();
        self.reach.reset(size, size);
        let words = self.reach.words();
        for first in (0..words).step_by(PASS_WORDS) {
            self.pass(graph, first, PASS_WORDS.min(words - first));
        }
    }

    fn mask(&mut self) {
        let size = self.len();
        self.last_mask.reset(self.start.len() - 2, size);
        self.post_mask.reset(self.classes.len(), size);
        for place in &self.places {
            if place.last != NONE {
                self.last_mask.set(place.group as usize, place.last as usize);
            }
            if place.post != NONE && place.class != NONE {
                self.post_mask.set(place.class as usize, place.post as usize);
            }
        }
    }

    /// Carries the terminals of `width` words, from word `first` on, backwards through the graph.
    fn pass(&mut self, graph: &Graph, first: usize, width: usize) {
        self.carried.clear();
        self.carried.resize(graph.nodes() * width, 0);
        let mut row = [0u64; PASS_WORDS];
        for &node in graph.order().iter().rev() {
            row[..width].fill(0);
            for &successor in graph.successors(node) {
                let base = successor as usize * width;
                for (word, &carried) in row.iter_mut().zip(&self.carried[base..base + width]) {
                    *word |= carried;
                }
            }
            let terminal = self.of_node[node as usize];
            if terminal != NONE {
                self.reach.row_mut(terminal as usize)[first..first + width]
                    .copy_from_slice(&row[..width]);
                let word = (terminal as usize / 64).wrapping_sub(first);
                if word < width {
                    row[word] |= 1 << (terminal % 64);
                }
            }
            self.carried[node as usize * width..][..width].copy_from_slice(&row[..width]);
        }
    }
}

//! The theory of the search: orders of messages as edges between terminals, forced orders, cycles and why they close.
//!
//! One boolean stands for each unordered pair of messages of a group. Setting "a before b" inserts last(a) -> get(b) and,
//! where the mailbox keeps the order of posts, post(a) -> post(b). From then on the closure knows that
//!
//! * get(a) reaching last(b) forces a before b (rule 1 of the paper, with `eo` only a special case of it), and
//! * post(a) reaching post(b) in one class forces a before b (rules 2 and 3: the reverse would close a cycle at once).
//!
//! That is complete: an order whose reverse closes a cycle by itself is always forced. Explanations are paths with the
//! fewest orders on them, found by breadth-first search when the conflict analysis asks, not when the order is forced.

use crate::bits::{BitMatrix, mark, ones, test};
use crate::closure::{Closure, Word};
use crate::proof::Lit;
use crate::terminals::{NONE, Terminals};

/// An order's edge, kept at its source.
#[derive(Debug, Clone, Copy)]
struct Edge {
    to: u32,
    lit: Lit,
    /// Position of `lit` on the trail of the search.
    when: u32,
}

/// An order that must hold because terminal `from` reaches terminal `to`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forced {
    pub(crate) lit: Lit,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// The path that an edge against it would turn into a cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// Pairs of messages and the closure that their orders grow.
#[derive(Debug, Default)]
pub(crate) struct Theory {
    pub(crate) terminals: Terminals,
    pub(crate) closure: Closure,
    /// Orders found to be forced and not taken yet.
    pub(crate) forced: Vec<Forced>,
    pairs: Vec<(u32, u32)>,
    first_pair: Vec<u32>,
    edges: Vec<Vec<Edge>>,
    inserted: Vec<u32>,
    search: Search,
}

/// Buffers of the search for explanations.
#[derive(Debug, Default)]
struct Search {
    /// From which entry a terminal was reached by fixed edges.
    entry: Vec<u32>,
    /// How an entry was reached: from which terminal, by which order.
    came: Vec<(u32, Lit)>,
    seen: Vec<u64>,
    corridor: Vec<u64>,
    queue: Vec<u32>,
}

/// A point to go back to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    closure: usize,
    inserted: usize,
}

impl Theory {
    /// Numbers the pairs and starts from the reachability of the fixed edges.
    pub(crate) fn start(&mut self) {
        let size = self.terminals.len();
        self.closure.load(&self.terminals.reach, size);
        self.edges.iter_mut().for_each(Vec::clear);
        if self.edges.len() < size {
            self.edges.resize(size, Vec::new());
        }
        self.inserted.clear();
        self.forced.clear();
        self.search.entry.resize(size, NONE);
        self.search.came.resize(size, (NONE, 0));
        self.number_pairs();
    }

    fn number_pairs(&mut self) {
        self.pairs.clear();
        self.first_pair.clear();
        for group in 0..self.terminals.start.len() - 2 {
            self.first_pair.push(self.pairs.len() as u32);
            let members = self.terminals.group(group);
            for (slot, &later) in members.iter().enumerate() {
                self.pairs.extend(members[..slot].iter().map(|&earlier| (earlier, later)));
            }
        }
    }

    pub(crate) fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// The literal "a before b" of two messages of one group.
    pub(crate) fn lit(&self, a: u32, b: u32) -> Lit {
        let (first, second) =
            (&self.terminals.places[a as usize], &self.terminals.places[b as usize]);
        debug_assert_eq!(first.group, second.group);
        let base = self.first_pair[first.group as usize];
        let pair = |low: u32, high: u32| base + high * high.wrapping_sub(1) / 2 + low;
        if first.slot < second.slot {
            pair(first.slot, second.slot) * 2
        } else {
            pair(second.slot, first.slot) * 2 + 1
        }
    }

    /// The messages of a literal: the first is executed before the second.
    pub(crate) fn messages(&self, lit: Lit) -> (u32, u32) {
        let (a, b) = self.pairs[lit as usize / 2];
        if lit & 1 == 0 { (a, b) } else { (b, a) }
    }

    /// The edges that a literal stands for.
    pub(crate) fn edges_of(&self, lit: Lit) -> [Option<(u32, u32)>; 2] {
        let (a, b) = self.messages(lit);
        let (a, b) = (&self.terminals.places[a as usize], &self.terminals.places[b as usize]);
        let executed = (a.last != NONE).then_some((a.last, b.get));
        let keeps_posts = a.class != NONE && a.class == b.class && a.post != b.post;
        let posted = (keeps_posts && a.post != NONE && b.post != NONE).then_some((a.post, b.post));
        [executed, posted]
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { closure: self.closure.mark(), inserted: self.inserted.len() }
    }

    pub(crate) fn undo(&mut self, mark: Mark) {
        self.closure.undo(mark.closure);
        for source in self.inserted.drain(mark.inserted..) {
            self.edges[source as usize].pop();
        }
        self.forced.clear();
    }

    /// Finds what the fixed edges alone force.
    pub(crate) fn force_initial(&mut self) {
        let Self { terminals, forced, first_pair, .. } = self;
        let finder = Finder { terminals, first_pair };
        let mut row = Vec::new();
        for terminal in 0..terminals.len() {
            row.clear();
            let words = (0..).zip(terminals.reach.row(terminal).iter().copied());
            row.extend(words.filter(|&(_, word)| word != 0));
            finder.find(terminal, &row, forced);
        }
    }

    /// The path that forces `lit`, if there is one: the rules of the module's head, for one pair.
    pub(crate) fn forcing(&self, lit: Lit) -> Option<Path> {
        let against = self.edges_of(lit ^ 1).into_iter().flatten();
        let mut paths = against.map(|(from, to)| Path { from: to, to: from });
        paths.find(|path| {
            path.from == path.to || self.closure.reaches(path.from as usize, path.to as usize)
        })
    }

    /// Inserts the edges of `lit`, the search's assignment number `when`; new forced orders go to `forced`. An error is
    /// the path that the literal turns into a cycle.
    pub(crate) fn insert(&mut self, lit: Lit, when: u32) -> Result<(), Path> {
        for (from, to) in self.edges_of(lit).into_iter().flatten() {
            if from == to || self.closure.reaches(to as usize, from as usize) {
                return Err(Path { from: to, to: from });
            }
            // What is reached already needs no edge of its own: the path that reaches it explains as well.
            if self.closure.reaches(from as usize, to as usize) {
                continue;
            }
            self.edges[from as usize].push(Edge { to, lit, when });
            self.inserted.push(from);
            let Self { terminals, closure, forced, first_pair, .. } = self;
            let finder = Finder { terminals, first_pair };
            closure.insert(from as usize, to as usize, |x, fresh| finder.find(x, fresh, forced));
        }
        Ok(())
    }

    /// Explains why `path` exists: appends the negations of the orders on it (only those assigned before `when`) to
    /// `lits`, and its fixed parts to `segments`.
    pub(crate) fn explain(
        &mut self,
        path: Path,
        when: u32,
        lits: &mut Vec<Lit>,
        segments: &mut Vec<(u32, u32)>,
    ) {
        self.find_path(path, when);
        let mut at = path.to;
        loop {
            let entry = self.search.entry[at as usize];
            if entry != at {
                segments.push((entry, at));
            }
            if entry == path.from {
                break;
            }
            let (source, lit) = self.search.came[entry as usize];
            lits.push(lit ^ 1);
            at = source;
        }
    }

    /// Breadth-first over orders; fixed paths cost nothing. Everything outside the corridor (after `from`, before `to`)
    /// is never looked at.
    fn find_path(&mut self, path: Path, when: u32) {
        let (from, to) = (path.from as usize, path.to as usize);
        let Self { closure, terminals, edges, search, .. } = self;
        search.corridor.clear();
        search
            .corridor
            .extend(closure.after(from).iter().zip(closure.before(to)).map(|(a, b)| a & b));
        mark(&mut search.corridor, from);
        mark(&mut search.corridor, to);
        search.seen.clear();
        search.seen.resize(search.corridor.len(), 0);
        search.queue.clear();
        search.enter(from, &terminals.reach);
        let mut next = 0;
        while !test(&search.seen, to) {
            let at = search.queue[next] as usize;
            next += 1;
            for edge in edges[at].iter().take_while(|edge| edge.when < when) {
                let target = edge.to as usize;
                if test(&search.corridor, target) && !test(&search.seen, target) {
                    search.came[target] = (at as u32, edge.lit);
                    search.enter(target, &terminals.reach);
                }
            }
        }
    }
}

impl Search {
    /// Marks `entry` and all that it reaches by fixed edges.
    fn enter(&mut self, entry: usize, reach: &BitMatrix) {
        let mut visit = |terminal: usize, seen: &mut Vec<u64>| {
            mark(seen, terminal);
            self.entry[terminal] = entry as u32;
            self.queue.push(terminal as u32);
        };
        visit(entry, &mut self.seen);
        for (w, &row) in reach.row(entry).iter().enumerate() {
            let fresh = row & self.corridor[w] & !self.seen[w];
            for bit in ones(&[fresh]) {
                visit(w * 64 + bit, &mut self.seen);
            }
        }
    }
}

/// Finds the orders that new reachability forces.
struct Finder<'a> {
    terminals: &'a Terminals,
    first_pair: &'a [u32],
}

impl Finder<'_> {
    /// Terminal `x` now reaches `fresh`.
    fn find(&self, x: usize, fresh: &[Word], forced: &mut Vec<Forced>) {
        let terminals = self.terminals;
        let started = terminals.get_of[x];
        if started != NONE {
            let mask = terminals.last_mask.row(terminals.places[started as usize].group as usize);
            for y in common(fresh, mask) {
                self.push(started, terminals.last_of[y], x, y, forced);
            }
        }
        for posted in terminals.posted_by(x) {
            let class = terminals.places[posted as usize].class;
            if class == NONE {
                continue;
            }
            for y in common(fresh, terminals.post_mask.row(class as usize)) {
                let later = terminals.posted_by(y);
                for other in later.filter(|&m| terminals.places[m as usize].class == class) {
                    self.push(posted, other, x, y, forced);
                }
            }
        }
    }

    fn push(&self, a: u32, b: u32, x: usize, y: usize, forced: &mut Vec<Forced>) {
        if a == b {
            return;
        }
        let (first, second) =
            (&self.terminals.places[a as usize], &self.terminals.places[b as usize]);
        let (low, high) = (first.slot.min(second.slot), first.slot.max(second.slot));
        let pair = self.first_pair[first.group as usize] + high * (high - 1) / 2 + low;
        let lit = pair * 2 + u32::from(first.slot > second.slot);
        forced.push(Forced { lit, from: x as u32, to: y as u32 });
    }
}

/// The positions of the ones that `words` and `mask` share.
fn common<'a>(words: &'a [Word], mask: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
    words.iter().flat_map(|&(w, word)| {
        let mut rest = word & mask[w as usize];
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                w as usize * 64 + bit
            })
        })
    })
}

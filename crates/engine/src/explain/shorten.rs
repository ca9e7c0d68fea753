//! A simpler execution with the same failure.
//!
//! First what the failure does not need is left out, and the rest is ordered with the fewest switches between threads and handlers
//! ([`super::order`]). Then other executions are tried: parts are left out, moved or exchanged, the rest is followed as far as
//! it is possible, and what still fails in the same way with fewer switches, or as many switches and fewer events, is kept
//! (delta debugging; Zeller and Hildebrandt, TSE 2002). It ends where nothing helps, or where the effort is spent.

use super::follow::without;
use super::walker::{End, Lane, Moves, Walker};
use crate::ids::TaskId;
use crate::program::Program;

/// How hard an execution is to read: switches, then events.
pub(super) type Cost = (usize, usize);

/// The best execution found so far.
struct Best {
    moves: Moves,
    cost: Cost,
}

impl<'p, P: Program> Walker<'p, P> {
    /// Shortens the execution so far, which fails. The walker stands behind the result. Says whether nothing more helps; otherwise the
    /// effort was spent before.
    pub(super) fn shorten(&mut self, effort: u64) -> bool {
        self.allow(effort / 4);
        self.leave_out_needless();
        self.order();
        let was_spent = self.is_spent();
        self.allow(effort / 2);
        let mut best = Best { moves: self.moves(), cost: self.cost() };
        while self.improve(&mut best) {}
        let is_exhausted = !self.is_spent() && !was_spent;
        // A few steps are always allowed: the result is performed.
        self.allow(u64::MAX);
        self.perform_moves(&best.moves);
        self.allow(effort / 4);
        self.order();
        is_exhausted && !self.is_spent()
    }

    /// How hard the execution so far is to read.
    pub(super) fn cost(&self) -> Cost {
        (self.switches(), self.depth())
    }

    /// Leaves out what a failure in the last event does not need.
    fn leave_out_needless(&mut self) {
        if !self.has_failed() {
            return;
        }
        let moves = self.moves();
        let needed = self.needed_for_last();
        let fewer = without(&moves, |at| !needed[at]);
        if self.follow(&fewer) != End::Failed {
            self.follow(&moves);
        }
    }

    /// Tries everything until something helps.
    fn improve(&mut self, best: &mut Best) -> bool {
        let moves = best.moves.clone();
        for candidate in candidates(&moves, &self.blocks(&moves)) {
            if self.is_spent() {
                return false;
            }
            if self.follow(&candidate) != End::Failed {
                continue;
            }
            self.leave_out_needless();
            let cost = self.cost();
            if cost < best.cost {
                self.order();
                *best = Best { moves: self.moves(), cost: self.cost() };
                return true;
            }
        }
        false
    }

    /// The longest parts that stay in one lane.
    fn blocks<'m>(&self, moves: &'m [(TaskId, u32)]) -> Vec<Block<'m>> {
        moves
            .chunk_by(|one, next| self.lane(one.0) == self.lane(next.0))
            .map(|moves| Block { lane: self.lane(moves[0].0), moves })
            .collect()
    }
}

/// Moves that stay in one lane.
struct Block<'m> {
    lane: Lane,
    moves: &'m [(TaskId, u32)],
}

/// Other orders to try: without a task, without a part, with parts moved to others of their lane, with neighbours exchanged. There
/// may be more than fit into memory: each is made when its turn comes.
fn candidates<'m>(moves: &'m Moves, blocks: &'m [Block<'m>]) -> impl Iterator<Item = Moves> {
    let mut tasks: Vec<TaskId> = moves.iter().map(|it| it.0).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let count = blocks.len();
    let without_task = tasks.into_iter().map(|task| without(moves, |at| moves[at].0 == task));
    let without_block = (0..count).map(|out| joined(blocks.iter().enumerate(), |at| at != out));
    let pairs = (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)));
    let fits = |&(from, to): &(usize, usize)| {
        from != to && (blocks[from].lane == blocks[to].lane || from.abs_diff(to) == 1)
    };
    let with_moved = pairs.filter(fits).map(|(from, to)| moved(blocks, from, to));
    without_task.chain(without_block).chain(with_moved)
}

fn joined<'m>(
    blocks: impl Iterator<Item = (usize, &'m Block<'m>)>,
    is_kept: impl Fn(usize) -> bool,
) -> Moves {
    blocks.filter(|(at, _)| is_kept(*at)).flat_map(|(_, block)| block.moves).copied().collect()
}

/// With one part directly behind another one that comes earlier, or directly before one that comes later.
fn moved(blocks: &[Block<'_>], from: usize, to: usize) -> Moves {
    let mut order: Vec<usize> = (0..blocks.len()).filter(|&at| at != from).collect();
    let target = order.iter().position(|&at| at == to).unwrap_or(0);
    let behind = usize::from(
        to < from && blocks[from].lane == blocks[to].lane
            || from < to && blocks[from].lane != blocks[to].lane,
    );
    order.insert(target + behind, from);
    order.iter().flat_map(|&at| blocks[at].moves).copied().collect()
}

//! Puts posts where the queue wants them.
//!
//! In Android a queue is ordered by the time at which a message is due, so a delayed message is handled
//! after messages that were posted later; idle handlers overtake everything. A recorded trace must be
//! first in first out. Posts of the user, of the system and with a delay are done by threads of their own
//! and can move: such a post goes directly behind the post of the message that is handled before its own,
//! if it stands before that, or if a post that cannot move stands before it although its message is
//! handled later.

use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::trace::{Recorded, RecordedTrace};
use rustc_hash::FxHashMap;

/// A place in the new order: behind which old position, and how far behind.
type Place = (usize, u32);

/// One post.
struct Post {
    /// Where its thread begins: it cannot move before that.
    begun: usize,
    /// The operations that move together, as positions: NOP, post, THREADEXIT. Only the post itself for
    /// one that cannot move.
    block: Vec<usize>,
    movable: bool,
    place: Place,
}

/// Numbers the operations anew if it changes their order. Moves posts until every queue is first in first out, as far as they can be moved.
pub(super) fn reorder(trace: &mut RecordedTrace) {
    let mut posts = posts(trace);
    let mut places: Vec<Place> =
        (0..trace.operations.len()).map(|position| (position, 0)).collect();
    for queue in call_order(trace).values() {
        let earliest = earliest_fixed(queue, &posts);
        for (pair, &limit) in queue.windows(2).zip(&earliest[1..]) {
            let Some(before) = posts.get(&pair[0]).map(|post| post.place) else {
                continue;
            };
            let Some(post) = posts.get_mut(&pair[1]) else {
                continue;
            };
            let late = post.begun <= before.0 && limit.is_some_and(|limit| limit < post.place);
            if post.movable && (post.place < before || late) {
                post.place = (before.0, before.1 + 1);
                post.block.iter().for_each(|&position| places[position] = post.place);
            }
        }
    }
    if places.is_sorted() {
        return;
    }
    let operations = std::mem::take(&mut trace.operations);
    let mut placed: Vec<_> = places.into_iter().zip(operations).collect();
    // Stable: what moves together keeps its order.
    placed.sort_by_key(|&(place, _)| place);
    let sorted =
        placed.into_iter().zip(2..).map(|((_, recorded), index)| Recorded { index, ..recorded });
    trace.operations = sorted.collect();
}

/// The messages of each thread in the order in which they are handled.
fn call_order(trace: &RecordedTrace) -> FxHashMap<ThreadId, Vec<MessageId>> {
    let mut queues: FxHashMap<ThreadId, Vec<MessageId>> = FxHashMap::default();
    for recorded in &trace.operations {
        if let Action::Call { tid, message } = recorded.action {
            queues.entry(tid).or_default().push(message);
        }
    }
    queues
}

/// For each message of a queue: where the first post stands that cannot move and whose message is
/// handled later.
fn earliest_fixed(queue: &[MessageId], posts: &FxHashMap<MessageId, Post>) -> Vec<Option<Place>> {
    let mut earliest = vec![None; queue.len()];
    let mut first: Option<Place> = None;
    for (slot, message) in earliest.iter_mut().zip(queue).rev() {
        *slot = first;
        if let Some(post) = posts.get(message).filter(|post| !post.movable) {
            first = Some(first.map_or(post.place, |first| first.min(post.place)));
        }
    }
    earliest
}

fn posts(trace: &RecordedTrace) -> FxHashMap<MessageId, Post> {
    let mut code: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
    for (position, recorded) in trace.operations.iter().enumerate() {
        code.entry(recorded.action.tid()).or_default().push(position);
    }
    let mut posts = FxHashMap::default();
    for positions in code.values() {
        for (at, &position) in positions.iter().enumerate() {
            if let Action::Post { origin, message, .. } = trace.operations[position].action {
                let (block, movable) = block(trace, origin, positions, at);
                posts.insert(
                    message,
                    Post { begun: positions[0], block, movable, place: (position, 0) },
                );
            }
        }
    }
    posts
}

/// What moves with a post. A system thread that does more than post cannot be moved.
fn block(trace: &RecordedTrace, origin: PostKind, code: &[usize], at: usize) -> (Vec<usize>, bool) {
    let is = |at: usize, wanted: fn(&Action) -> bool| {
        code.get(at).is_some_and(|&position| wanted(&trace.operations[position].action))
    };
    let gated = at > 0 && is(at - 1, |action| matches!(action, Action::Nop { .. }));
    let exits = is(at + 1, |action| matches!(action, Action::ThreadExit { .. }));
    let with_gate = &code[at - usize::from(gated)..=at];
    match origin {
        PostKind::Application => (vec![code[at]], false),
        PostKind::Delayed => (vec![code[at]], code.len() <= at + 2),
        PostKind::User => (with_gate.to_vec(), gated),
        PostKind::Native => {
            let alone = gated && at == 2 && code.len() <= at + 1 + usize::from(exits);
            (code[at - usize::from(gated)..].to_vec(), alone)
        }
    }
}

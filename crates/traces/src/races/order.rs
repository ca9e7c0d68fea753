//! What comes before what: in every execution of the tasks, and in those with one more ordering.
//!
//! A row for each operation holds what must come after it. An ordering is added with what follows from it: a looper takes the messages of its
//! queue in the order of their posts and one at a time, and a lock is given back before it is taken again. If an operation must come before
//! itself, there is no such execution; if not, there may still be none.

use super::steps::Steps;
use crate::program::TraceProgram;
use mazurka_engine::pace::Pace;
use mazurka_engine::{Effect, Mode, ObjectId, TaskId, Watch, bits};
use rustc_hash::FxHashMap;

/// From a lock to its unlock.
#[derive(Clone, Copy)]
struct Section {
    lock: usize,
    unlock: usize,
}

/// An order of operations.
#[derive(Clone)]
pub(super) struct Order {
    /// What must come after each.
    after: Vec<bits::Bits>,
    /// Of each message its post, its first and its last operation, by looper.
    messages: std::rc::Rc<Vec<Vec<[usize; 3]>>>,
    /// The sections of each lock.
    sections: std::rc::Rc<Vec<Vec<Section>>>,
}

impl Order {
    /// What holds in every execution. Nothing if the time is up.
    pub(super) fn of_every_execution(
        program: &TraceProgram,
        steps: &Steps,
        watch: &Watch,
    ) -> Option<Order> {
        let words = steps.len().div_ceil(64);
        let mut pace = Pace::new(watch);
        let mut order = Order {
            after: Vec::with_capacity(steps.len()),
            messages: std::rc::Rc::new(messages(program, steps)),
            sections: std::rc::Rc::new(sections(steps)),
        };
        // Edges go forward, so the rows of later operations are complete; the last one is the first of them.
        for position in (0..steps.len()).rev() {
            let mut row = bits::empty(words);
            for later in successors(program, steps, position) {
                bits::union(&mut row, &order.after[steps.len() - 1 - later]);
                bits::insert(&mut row, later);
            }
            order.after.push(row);
            if pace.is_up_after(words) {
                return None;
            }
        }
        order.after.reverse();
        for position in 0..steps.len() {
            let event = steps.event(program, position);
            if watch.is_up() {
                return None;
            }
            for &(task, count) in &program.gates[event.gate.start as usize..event.gate.end as usize]
            {
                let earlier = steps.of_task(task)[count as usize - 1];
                order.add(earlier, position);
            }
        }
        let is_possible = order.follow(watch);
        debug_assert!(is_possible, "the recorded execution is one");
        Some(order)
    }

    /// Must the first come before the second?
    pub(super) fn is_before(&self, first: usize, second: usize) -> bool {
        bits::contains(&self.after[first], second)
    }

    /// The order with one more ordering and what follows from it, as far as there is time; nothing if it contradicts itself.
    pub(super) fn with(&self, first: usize, second: usize, watch: &Watch) -> Option<Order> {
        let mut order = self.clone();
        (order.add(first, second) && order.follow(watch)).then_some(order)
    }

    /// Says whether that is possible.
    fn add(&mut self, first: usize, second: usize) -> bool {
        if first == second || self.is_before(second, first) {
            return false;
        }
        if self.is_before(first, second) {
            return true;
        }
        let mut new = self.after[second].clone();
        bits::insert(&mut new, second);
        for earlier in 0..self.after.len() {
            if earlier == first || bits::contains(&self.after[earlier], first) {
                bits::union(&mut self.after[earlier], &new);
            }
        }
        true
    }

    /// Adds what follows until nothing does, or the time is up; says whether that is possible.
    fn follow(&mut self, watch: &Watch) -> bool {
        loop {
            let new = self.implied(watch);
            if new.is_empty() {
                return true;
            }
            for (first, second) in new {
                if watch.is_up() {
                    return true;
                }
                if !self.add(first, second) {
                    return false;
                }
            }
        }
    }

    /// Orderings that follow from queues and locks, and are not there yet. Fewer if the time is up.
    fn implied(&self, watch: &Watch) -> Vec<(usize, usize)> {
        let mut new = Vec::new();
        let mut want = |first: usize, second: usize| {
            if !self.is_before(first, second) {
                new.push((first, second));
            }
        };
        for of_looper in self.messages.iter() {
            for (at, &[post, start, end]) in of_looper.iter().enumerate() {
                if watch.is_up() {
                    return new;
                }
                for &[other_post, other_start, other_end] in &of_looper[at + 1..] {
                    // Anything of the one before anything of the other: then its beginning before the other's end.
                    if self.is_before(post, other_post) || self.is_before(start, other_end) {
                        want(end, other_start);
                        want(post, other_post);
                    }
                    if self.is_before(other_post, post) || self.is_before(other_start, end) {
                        want(other_end, start);
                        want(other_post, post);
                    }
                }
            }
        }
        for of_lock in self.sections.iter() {
            for (at, one) in of_lock.iter().enumerate() {
                if watch.is_up() {
                    return new;
                }
                for other in &of_lock[at + 1..] {
                    if self.is_before(one.lock, other.unlock) {
                        want(one.unlock, other.lock);
                    }
                    if self.is_before(other.lock, one.unlock) {
                        want(other.unlock, one.lock);
                    }
                }
            }
        }
        new
    }
}

/// What an operation comes directly before: the next of its task, and the first of the task that it begins.
fn successors(program: &TraceProgram, steps: &Steps, position: usize) -> Vec<usize> {
    let own = steps.of_task(steps.task(position));
    let next = own.get(own.partition_point(|&other| other <= position)).copied();
    let begun = match steps.event(program, position).effect {
        Effect::Fork(child) | Effect::Post(child, _) => steps.of_task(child).first().copied(),
        _ => None,
    };
    next.into_iter().chain(begun).collect()
}

fn messages(program: &TraceProgram, steps: &Steps) -> Vec<Vec<[usize; 3]>> {
    let mut posts: FxHashMap<TaskId, usize> = FxHashMap::default();
    for position in 0..steps.len() {
        if let Effect::Post(message, _) = steps.event(program, position).effect {
            posts.insert(message, position);
        }
    }
    let mut by_looper = vec![Vec::new(); program.loopers.len()];
    for task in steps.tasks() {
        if let (Some(looper), [first, .., last] | [first @ last]) =
            (steps.looper(task), steps.of_task(task))
        {
            by_looper[looper as usize].push([posts[&task], *first, *last]);
        }
    }
    by_looper
}

fn sections(steps: &Steps) -> Vec<Vec<Section>> {
    let mut open: FxHashMap<(ObjectId, TaskId), usize> = FxHashMap::default();
    let mut closed: FxHashMap<ObjectId, Vec<Section>> = FxHashMap::default();
    for position in 0..steps.len() {
        let task = steps.task(position);
        match steps.access(position) {
            Some((object, Mode::Lock)) => _ = open.insert((object, task), position),
            Some((object, Mode::Unlock)) => {
                if let Some(lock) = open.remove(&(object, task)) {
                    closed.entry(object).or_default().push(Section { lock, unlock: position });
                }
            }
            _ => {}
        }
    }
    closed.into_values().collect()
}

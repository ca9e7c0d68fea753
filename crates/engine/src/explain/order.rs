//! The execution of a trace with the fewest switches.
//!
//! A depth-first search over the executions of the trace: the lane that moved last goes on as long as the trace lets it, and where it
//! cannot, every other lane is tried, with one switch more allowed each time. Sets of events that were reached before with as few
//! switches are not entered again. What is found is an execution with the same trace; that it has the fewest switches holds
//! only if the effort sufficed, and a task is interrupted only before it posts to a queue.

use super::walker::{End, Lane, Moves, Walker};
use crate::bits;
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::{Mailbox, Program, Run};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The trace that is ordered anew.
struct Trace {
    /// For each event who moves, and what happens before it.
    events: Vec<(TaskId, u32)>,
    before: Vec<Vec<u64>>,
    /// For each task its events.
    tasks: FxHashMap<TaskId, Vec<usize>>,
    /// Does the event post to a queue?
    queues: Vec<bool>,
}

/// What is searched for.
struct Search {
    trace: Trace,
    /// The events that have been performed.
    done: Vec<u64>,
    /// So many switches are allowed.
    most: usize,
    /// The fewest switches with which a set was reached, by its hash and the lane.
    reached: FxHashMap<(u64, Option<Lane>), usize>,
}

impl<'p, P: Program> Walker<'p, P> {
    /// Orders the events so far with fewer switches, if that is found. The walker stands behind the result.
    pub(super) fn order(&mut self) {
        let best = self.moves();
        let switches = self.switches();
        let mut search = Search {
            trace: self.trace(),
            done: Vec::new(),
            most: 0,
            reached: FxHashMap::default(),
        };
        let lanes = {
            let mut lanes: Vec<Lane> = best.iter().map(|&(task, _)| self.lane(task)).collect();
            lanes.dedup();
            lanes.sort_by_key(|lane| format!("{lane:?}"));
            lanes.dedup();
            lanes.len()
        };
        for most in lanes.saturating_sub(1)..switches {
            search.most = most;
            search.reached.clear();
            search.done = vec![0; best.len().div_ceil(64)];
            self.rewind(0);
            if self.search(&mut search, 0) {
                return;
            }
            if self.is_spent() {
                break;
            }
        }
        self.perform_moves(&best);
    }

    /// Performs moves that are known to be possible, as far as there is time: local code that is cut short does not come to its next event.
    pub(super) fn perform_moves(&mut self, moves: &Moves) {
        let shared = self.turn_to(moves);
        for &(task, choice) in &moves[shared..] {
            if !self.can_move(task) {
                debug_assert!(self.is_spent(), "moves that should be possible are not");
                break;
            }
            self.step(task, choice);
        }
    }

    fn trace(&self) -> Trace {
        let events = self.execution.events();
        let mut tasks: FxHashMap<TaskId, Vec<usize>> = FxHashMap::default();
        for (at, event) in events.iter().enumerate() {
            tasks.entry(event.task).or_default().push(at);
        }
        let is_queue = |effect| match effect {
            Effect::Post(_, handler) => self.run.mailbox(handler) == Mailbox::Fifo,
            _ => false,
        };
        Trace {
            events: self.moves(),
            before: (0..events.len()).map(|at| self.execution.before(at).to_vec()).collect(),
            tasks,
            queues: events.iter().map(|event| is_queue(event.effect)).collect(),
        }
    }

    fn search(&mut self, search: &mut Search, switches: usize) -> bool {
        if self.depth() == search.trace.events.len() {
            // Queues may hold their messages in another order now, so that somebody can move where nobody could.
            return self.end() == End::Failed;
        }
        if self.is_spent() || !self.is_new(search, switches) {
            return false;
        }
        let depth = self.depth();
        for event in self.options(search) {
            let (task, choice) = search.trace.events[event];
            let last = self.last_lane();
            let more = usize::from(last.is_some_and(|last| last != self.lane(task)));
            if switches + more > search.most {
                continue;
            }
            self.step(task, choice);
            bits::insert(&mut search.done, event);
            if self.search(search, switches + more) {
                return true;
            }
            search.done[event / 64] &= !(1 << (event % 64));
            self.rewind(depth);
        }
        false
    }

    fn is_new(&self, search: &mut Search, switches: usize) -> bool {
        let mut hasher = FxHasher::default();
        search.done.hash(&mut hasher);
        let fewest =
            search.reached.entry((hasher.finish(), self.last_lane())).or_insert(usize::MAX);
        let is_new = switches < *fewest;
        *fewest = (*fewest).min(switches);
        is_new
    }

    /// The events of the trace that can come next, those without a switch first.
    fn options(&self, search: &Search) -> Vec<usize> {
        let trace = &search.trace;
        let next = |task: TaskId| {
            let event = *trace.tasks.get(&task)?.get(self.state.events_of(task) as usize)?;
            let before = &trace.before[event];
            let is_due = before.iter().zip(&search.done).all(|(before, done)| before & !done == 0);
            (is_due && self.can_move(task)).then_some(event)
        };
        let last = self.execution.events().last().map(|event| event.task);
        let same_task = last.and_then(next);
        if let Some(event) = same_task.filter(|&event| !trace.queues[event]) {
            return vec![event];
        }
        let lane = self.last_lane();
        let mut options: Vec<usize> =
            self.state.alive().iter().filter_map(|&task| next(task)).collect();
        let is_switch = |event: usize| Some(self.lane(trace.events[event].0)) != lane;
        options.sort_by_key(|&event| (Some(event) != same_task, is_switch(event), event));
        options
    }
}

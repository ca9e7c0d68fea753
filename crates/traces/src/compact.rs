//! The same program with fewer events: local operations happen together with what their task did before.
//!
//! A local operation that waits for nothing commutes with everything and can be performed as soon as its task
//! has come to it. So every execution of the compact program is one of the program itself in which such
//! operations are performed at once, and both have the same classes, complete and deadlocked. There are far
//! fewer interleavings, which is what the oracle needs. What waits for an operation that is left out waits for the
//! one before it, or for the fork of its thread.

use crate::program::TraceProgram;
use mazurka_engine::{Effect, Move, Operation, Program, Run, Schedule, TaskId};
use rustc_hash::FxHashMap;

impl TraceProgram {
    /// The program without the local events that wait for nothing.
    pub fn compact(&self) -> TraceProgram {
        let kept = self.kept();
        let mut compact = self.clone();
        compact.gates.clear();
        for (task, code) in compact.tasks.iter_mut().enumerate() {
            let mut keep = kept[task].iter().copied();
            code.events.retain(|_| keep.next().unwrap_or(true));
            for event in &mut code.events {
                let begin = compact.gates.len() as u32;
                let gate = &self.gates[event.gate.start as usize..event.gate.end as usize];
                compact.gates.extend(gate.iter().filter_map(|&source| self.moved(source, &kept)));
                event.gate = begin..compact.gates.len() as u32;
            }
        }
        compact.forget_recorded_order();
        compact
    }

    /// A schedule of the program as one of its compact form: without the moves that make local events.
    pub fn compact_schedule(&self, schedule: Schedule) -> Schedule {
        let run = self.start();
        let paths = (0..self.tasks.len()).map(|task| run.task_path(TaskId::from(task)));
        let kept = self.kept();
        let mut events: FxHashMap<String, _> = paths.zip(kept.iter().map(|of| of.iter())).collect();
        let stays = |next: &Move| {
            let event = events.get_mut(&next.task).and_then(Iterator::next);
            event.copied().unwrap_or(true)
        };
        Schedule { moves: schedule.moves.into_iter().filter(stays).collect() }
    }

    /// For each task and event: does it stay?
    fn kept(&self) -> Vec<Vec<bool>> {
        let stays = |event: &crate::program::Event| {
            event.operation != Operation::Local || !event.gate.is_empty()
        };
        self.tasks.iter().map(|code| code.events.iter().map(stays).collect()).collect()
    }

    /// Where what waits for the n-th event of a task waits now; `None`: it does not wait.
    fn moved(&self, (task, n): (TaskId, u32), kept: &[Vec<bool>]) -> Option<(TaskId, u32)> {
        let among = |task: TaskId, n: u32| {
            let stays = kept[task.index()][..n as usize].iter().filter(|stays| **stays);
            stays.count() as u32
        };
        match among(task, n) {
            0 => {
                let (parent, position) = self.creation(task)?;
                Some((parent, among(parent, position)))
            }
            count => Some((task, count)),
        }
    }

    /// The event that forks or posts a task, by number.
    fn creation(&self, child: TaskId) -> Option<(TaskId, u32)> {
        self.tasks.iter().enumerate().find_map(|(task, code)| {
            let creates = |effect: Effect| {
                matches!(effect, Effect::Fork(other) | Effect::Post(other, _) if other == child)
            };
            let position = code.events.iter().position(|event| creates(event.effect))?;
            Some((TaskId::from(task), position as u32 + 1))
        })
    }
}

//! Executes a plan under a random schedule.

use super::plan::Plan;
use crate::action::{Action, MessageId, ThreadId};
use crate::trace::Recorded;
use mazurka_engine::rng::Rng;
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Thread(ThreadId),
    Message(MessageId),
}

#[derive(Default)]
struct Looper {
    queue: VecDeque<MessageId>,
    loops: bool,
    running: bool,
}

struct Machine<'p> {
    plan: &'p Plan,
    /// Tasks that exist, with how far they have got.
    positions: BTreeMap<Name, usize>,
    /// Threads that have a queue.
    loopers: BTreeMap<ThreadId, Looper>,
    /// Who holds each lock, how often.
    locks: BTreeMap<u64, (ThreadId, u32)>,
    notified: BTreeMap<ThreadId, u32>,
    /// Thread 1 has begun: it comes first in every recorded trace.
    begun: bool,
}

/// One complete execution; `None` if it ran into a deadlock.
pub(super) fn execute(rng: &mut Rng, plan: &Plan) -> Option<Vec<Recorded>> {
    let mut machine = Machine {
        plan,
        positions: plan.roots.iter().map(|&tid| (Name::Thread(tid), 0)).collect(),
        loopers: BTreeMap::new(),
        locks: BTreeMap::new(),
        notified: BTreeMap::new(),
        begun: false,
    };
    let mut operations = Vec::new();
    loop {
        let enabled: Vec<Name> =
            machine.positions.keys().copied().filter(|&name| machine.is_enabled(name)).collect();
        if enabled.is_empty() {
            return machine.is_over().then_some(operations);
        }
        let name = enabled[rng.below(enabled.len() as u64) as usize];
        let action = machine.step(name);
        let number = operations.len() as u32;
        operations.push(Recorded { index: number + 2, line: number + 1, action });
    }
}

impl<'p> Machine<'p> {
    fn code(&self, name: Name) -> &'p [Action] {
        match name {
            Name::Thread(tid) => &self.plan.threads[tid.0 as usize - 1],
            Name::Message(message) => &self.plan.messages[message.0 as usize - 1],
        }
    }

    fn next(&self, name: Name) -> Option<&'p Action> {
        self.code(name).get(self.positions[&name])
    }

    fn is_over(&self) -> bool {
        self.positions.keys().all(|&name| self.next(name).is_none())
    }

    fn is_enabled(&self, name: Name) -> bool {
        let Some(action) = self.next(name) else {
            return false;
        };
        match *action {
            Action::ThreadInit { tid } | Action::NativeEntry { tid } => {
                self.begun || tid == ThreadId(1)
            }
            Action::Post { destination, .. } => self.loopers.contains_key(&destination),
            Action::Call { tid, message } => self.loopers.get(&tid).is_some_and(|looper| {
                looper.loops && !looper.running && looper.queue.front() == Some(&message)
            }),
            Action::Lock { tid, object } => {
                self.locks.get(&object).is_none_or(|&(holder, _)| holder == tid)
            }
            Action::Wait { tid } => self.notified.get(&tid).is_some_and(|&count| count > 0),
            _ => true,
        }
    }

    fn step(&mut self, name: Name) -> Action {
        let action = self.next(name).expect("an enabled task has something to do").clone();
        *self.positions.get_mut(&name).expect("it exists") += 1;
        match action {
            Action::ThreadInit { .. } => self.begun = true,
            Action::Fork { child, .. } => drop(self.positions.insert(Name::Thread(child), 0)),
            Action::AttachQueue { tid, .. } => drop(self.loopers.insert(tid, Looper::default())),
            Action::Loop { tid, .. } => self.looper(tid).loops = true,
            Action::Post { message, destination, .. } => {
                self.looper(destination).queue.push_back(message);
                self.positions.insert(Name::Message(message), 0);
            }
            Action::Call { tid, .. } => {
                let looper = self.looper(tid);
                looper.queue.pop_front();
                looper.running = true;
            }
            Action::Return { tid, .. } => self.looper(tid).running = false,
            Action::Lock { tid, object } => self.locks.entry(object).or_insert((tid, 0)).1 += 1,
            Action::Unlock { object, .. } => self.unlock(object),
            Action::Notify { notified, .. } => *self.notified.entry(notified).or_default() += 1,
            Action::Wait { tid } => *self.notified.entry(tid).or_default() -= 1,
            _ => {}
        }
        action
    }

    fn looper(&mut self, tid: ThreadId) -> &mut Looper {
        self.loopers.entry(tid).or_default()
    }

    fn unlock(&mut self, object: u64) {
        if let Some((_, depth)) = self.locks.get_mut(&object) {
            *depth -= 1;
            if *depth == 0 {
                self.locks.remove(&object);
            }
        }
    }
}

//! Random straight-line code for threads and messages. What the environment does stands in `environment`.

use super::Shape;
use crate::action::{Action, MessageId, PostKind, ThreadId};
use mazurka_engine::rng::Rng;

/// The code of every thread and message.
pub(super) struct Plan {
    /// Thread k + 1 at position k.
    pub(super) threads: Vec<Vec<Action>>,
    /// Which threads exist from the start.
    pub(super) roots: Vec<ThreadId>,
    /// Message k + 1 at position k, from its CALL to its RET.
    pub(super) messages: Vec<Vec<Action>>,
}

/// What is left to give away, and what has been made.
pub(super) struct Planner<'r> {
    pub(super) rng: &'r mut Rng,
    pub(super) shape: Shape,
    pub(super) loopers: Vec<ThreadId>,
    pub(super) threads: u32,
    actions: u32,
    /// Messages that have been posted and have no code yet: their thread.
    pending: Vec<ThreadId>,
    /// Threads that will be notified and do not wait for it yet.
    owed: Vec<ThreadId>,
    /// Threads that do nothing but post, numbered behind the others.
    pub(super) posters: Vec<Vec<Action>>,
}

pub(super) fn plan(rng: &mut Rng, shape: &Shape) -> Plan {
    let threads = 2 + rng.below(u64::from(shape.threads.max(2) - 1)) as u32;
    let loopers = 1 + rng.below(u64::from(shape.loopers.clamp(1, threads))) as u32;
    let first = rng.below(u64::from(threads)) as u32;
    let loopers = (0..loopers).map(|k| ThreadId(1 + (first + k) % threads)).collect();
    let least = shape.actions.max(2) / 2;
    let actions = least + rng.below(u64::from(shape.actions.max(2) - least + 1)) as u32;
    let (pending, owed, posters) = (Vec::new(), Vec::new(), Vec::new());
    Planner { rng, shape: *shape, loopers, threads, actions, pending, owed, posters }.plan()
}

impl Planner<'_> {
    fn plan(mut self) -> Plan {
        let parents = self.parents();
        let mut threads = Vec::new();
        for tid in (1..=self.threads).map(ThreadId) {
            let children = (2..=self.threads)
                .map(ThreadId)
                .filter(|child| parents[child.0 as usize - 1] == Some(tid));
            let children: Vec<ThreadId> = children.collect();
            threads.push(self.thread(tid, &children, parents[tid.0 as usize - 1].is_none()));
        }
        self.environment(&mut threads[0]);
        let mut messages = Vec::new();
        while let Some(&tid) = self.pending.get(messages.len()) {
            let message = MessageId(messages.len() as u32 + 1);
            messages.push(self.message(tid, message));
        }
        let roots =
            (1..=self.threads).map(ThreadId).filter(|tid| parents[tid.0 as usize - 1].is_none());
        let roots = roots.collect();
        threads.append(&mut self.posters);
        Plan { threads, roots, messages }
    }

    /// Who forks whom: somebody older, or (seldom) nobody.
    fn parents(&mut self) -> Vec<Option<ThreadId>> {
        let parent = |tid: u32, rng: &mut Rng| match tid {
            1 => None,
            _ if rng.below(8) == 0 => None,
            _ => Some(ThreadId(1 + rng.below(u64::from(tid) - 1) as u32)),
        };
        (1..=self.threads).map(|tid| parent(tid, self.rng)).collect()
    }

    fn thread(&mut self, tid: ThreadId, children: &[ThreadId], is_root: bool) -> Vec<Action> {
        let loops = self.loopers.contains(&tid);
        let native = is_root && tid.0 > 1 && !loops && self.shape.environment;
        let mut code = match native {
            true => vec![Action::NativeEntry { tid }],
            false => vec![Action::ThreadInit { tid }],
        };
        if loops {
            code.push(Action::AttachQueue { tid, queue: i64::from(tid.0) });
        }
        code.extend(children.iter().map(|&child| Action::Fork { tid, child }));
        let length = if loops { self.rng.below(2) } else { 1 + self.rng.below(3) };
        self.body(tid, length, 0, &mut code);
        if loops {
            code.push(Action::Loop { tid, queue: None });
        } else if native {
            code.push(Action::NativeExit { tid });
        } else if self.rng.below(4) == 0 {
            code.push(Action::ThreadExit { tid });
        }
        code
    }

    fn message(&mut self, tid: ThreadId, message: MessageId) -> Vec<Action> {
        let mut code = vec![Action::Call { tid, message }];
        let length = 1 + self.rng.below(2);
        // Threads have taken their share; a message that does nothing shows nothing.
        self.actions = self.actions.max(self.rng.below(4).min(1) as u32);
        self.body(tid, length, 0, &mut code);
        code.push(Action::Return { tid, message });
        code
    }

    fn body(&mut self, tid: ThreadId, length: u64, depth: u32, code: &mut Vec<Action>) {
        if self.owed.contains(&tid) && self.rng.below(2) == 0 {
            code.push(self.notification(tid));
        }
        for _ in 0..length {
            if self.actions == 0 {
                return;
            }
            self.actions -= 1;
            match self.rng.below(13) {
                0..5 => code.push(self.access(tid)),
                5..8 if !self.has_enough_messages() => code.push(self.post(tid)),
                8..10 if self.shape.locks > 0 && depth < 2 => self.locked(tid, depth, code),
                10..11 if self.shape.notifications => code.push(self.notification(tid)),
                _ => code.push(self.access(tid)),
            }
        }
    }

    fn access(&mut self, tid: ThreadId) -> Action {
        let field = self.rng.below(u64::from(self.shape.variables.max(1))) as i64;
        let class = "La;".to_owned();
        match self.rng.below(16) {
            0..4 => Action::Read { tid, object: 0x10, class, field },
            4..12 => Action::Write { tid, object: 0x10, class, field },
            12 => Action::ReadStatic { tid, class, field: 0 },
            13 => Action::WriteStatic { tid, class, field: 0 },
            14 if self.shape.environment => self.marker(tid),
            _ => Action::Nop { tid },
        }
    }

    /// A post by the task itself, or seldom by a thread that it forks for it.
    fn post(&mut self, tid: ThreadId) -> Action {
        match self.shape.environment && self.rng.below(6) == 0 {
            true => self.delayed_post(tid),
            false => self.post_as(PostKind::Application, tid),
        }
    }

    pub(super) fn post_as(&mut self, origin: PostKind, tid: ThreadId) -> Action {
        let destination = self.loopers[self.rng.below(self.loopers.len() as u64) as usize];
        self.pending.push(destination);
        let message = MessageId(self.pending.len() as u32);
        Action::Post { origin, tid, message, destination }
    }

    /// Have as many messages been posted as there may be?
    pub(super) fn has_enough_messages(&self) -> bool {
        self.pending.len() as u32 >= self.shape.messages
    }

    /// A lock with something inside, perhaps another lock or the same again.
    fn locked(&mut self, tid: ThreadId, depth: u32, code: &mut Vec<Action>) {
        let object = 0x20 + self.rng.below(u64::from(self.shape.locks));
        code.push(Action::Lock { tid, object });
        if depth == 0 && self.rng.below(2) == 0 {
            self.locked(tid, depth + 1, code);
        }
        let length = self.rng.below(2);
        self.body(tid, length, depth + 1, code);
        code.push(Action::Unlock { tid, object });
    }

    /// Waits if somebody has been made to notify the thread, and otherwise notifies somebody. (A wait may
    /// still come too early in some schedules.)
    fn notification(&mut self, tid: ThreadId) -> Action {
        if let Some(owed) = self.owed.iter().position(|&notified| notified == tid) {
            self.owed.remove(owed);
            return Action::Wait { tid };
        }
        let notified = ThreadId(1 + self.rng.below(u64::from(self.threads)) as u32);
        self.owed.push(notified);
        Action::Notify { tid, notified }
    }
}

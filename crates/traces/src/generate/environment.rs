//! What the system and the user do in random traces: posts by threads of their own, as the logs of
//! real applications have them, and operations that mark something.

use super::plan::Planner;
use crate::action::{Action, PostKind, ThreadId};

impl Planner<'_> {
    /// Native posts, each by a thread of its own, and posts of the user, all by one thread; thread 1 forks them.
    pub(super) fn environment(&mut self, initial: &mut Vec<Action>) {
        if !self.shape.environment || self.rng.below(3) > 0 {
            return;
        }
        let origin = if self.rng.below(2) == 0 { PostKind::Native } else { PostKind::User };
        let posts = 1 + self.rng.below(2);
        for number in 0..posts {
            if self.has_enough_messages() {
                return;
            }
            match (origin, number) {
                (PostKind::User, 1) => self.post_more(),
                _ => {
                    let child = self.poster(origin);
                    initial.insert(1, Action::Fork { tid: ThreadId(1), child });
                }
            }
        }
    }

    /// The fork of a thread that posts.
    pub(super) fn delayed_post(&mut self, tid: ThreadId) -> Action {
        let child = self.poster(PostKind::Delayed);
        Action::Fork { tid, child }
    }

    /// A new thread that posts once.
    fn poster(&mut self, origin: PostKind) -> ThreadId {
        let tid = ThreadId(self.threads + self.posters.len() as u32 + 1);
        let mut code = vec![Action::ThreadInit { tid }];
        if origin != PostKind::Delayed && self.rng.below(2) == 0 {
            code.push(Action::Nop { tid });
        }
        code.push(self.post_as(origin, tid));
        if self.rng.below(2) == 0 {
            code.push(Action::ThreadExit { tid });
        }
        self.posters.push(code);
        tid
    }

    /// The latest poster posts once more.
    fn post_more(&mut self) {
        let Some(mut code) = self.posters.pop() else {
            return;
        };
        let tid = code[0].tid();
        let end = code.iter().position(|action| matches!(action, Action::ThreadExit { .. }));
        let post = self.post_as(PostKind::User, tid);
        code.insert(end.unwrap_or(code.len()), post);
        self.posters.push(code);
    }

    /// An operation that only says something about the environment.
    pub(super) fn marker(&mut self, tid: ThreadId) -> Action {
        let (component, state) = ("dummy".to_owned(), "RESUME".to_owned());
        let id = 7;
        match self.rng.below(9) {
            0 => Action::EnableLifecycle { tid, component, id, state },
            1 => Action::TriggerLifecycle { tid, component, id, state },
            2 => Action::TriggerService { tid, component, id, state },
            3 => Action::EnableEvent { tid, view: 3, event: 0 },
            4 => Action::TriggerEvent { tid, view: 3, event: 0 },
            5 => Action::EnableWindowFocus { tid, window: 5 },
            6 => Action::TriggerWindowFocus { tid, window: 5 },
            7 => Action::TriggerBroadcast {
                tid,
                action: "boot".to_owned(),
                component,
                intent: "1".to_owned(),
                on_receive_later: "0".to_owned(),
                state,
            },
            _ => Action::Access { tid },
        }
    }
}

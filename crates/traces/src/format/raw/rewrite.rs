//! From a log to operations that can be re-executed: destinations of posts, threads for posts that no
//! thread of the application does, and an end for everything that is open.

use super::lines::{Entry, Log};
use super::survey::Survey;
use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::error::{Warning, WarningKind};
use crate::trace::Recorded;
use rustc_hash::{FxHashMap, FxHashSet};

const MAIN: ThreadId = ThreadId(1);

/// Rewrites a log. The operations are numbered from 2, as after a START. Also what the threads of the system are called.
pub(super) fn rewrite(
    log: Log,
    warnings: &mut Vec<Warning>,
) -> (Vec<Recorded>, Vec<(ThreadId, String)>) {
    let survey = Survey::of(&log);
    let mut rewriter = Rewriter::new(survey, warnings);
    for (line, entry) in log {
        rewriter.entry(line, entry);
    }
    rewriter.finish()
}

/// The part of a native thread's life between NATIVE-ENTRY and NATIVE-EXIT: a thread of its own.
struct Section {
    name: String,
    tid: Option<ThreadId>,
    gated: bool,
}

struct Rewriter<'w> {
    survey: Survey,
    warnings: &'w mut Vec<Warning>,
    operations: Vec<(u32, Action)>,
    /// Threads to fork at the start, with a line to blame.
    forked: Vec<(u32, ThreadId)>,
    next_native: u32,
    next_fresh: u32,
    sections: FxHashMap<ThreadId, Section>,
    /// Message that each looping thread handles now, and the line of its CALL.
    looping: FxHashMap<ThreadId, Option<(MessageId, u32)>>,
    /// Open locks, outermost first.
    locks: FxHashMap<ThreadId, Vec<(u64, u32)>>,
    /// Threads of the log in the order of their THREADINIT, with its line.
    begun: Vec<(u32, ThreadId)>,
    exited: FxHashSet<ThreadId>,
    /// What threads are called.
    called: Vec<(ThreadId, String)>,
}

impl<'w> Rewriter<'w> {
    fn new(survey: Survey, warnings: &'w mut Vec<Warning>) -> Self {
        Rewriter {
            next_native: survey.fresh,
            next_fresh: survey.fresh + survey.native_sections,
            survey,
            warnings,
            operations: Vec::new(),
            forked: Vec::new(),
            sections: FxHashMap::default(),
            looping: FxHashMap::default(),
            locks: FxHashMap::default(),
            begun: Vec::new(),
            exited: FxHashSet::default(),
            called: Vec::new(),
        }
    }

    fn emit(&mut self, line: u32, action: Action) {
        match action {
            Action::ThreadInit { tid } => self.begun.push((line, tid)),
            Action::ThreadExit { tid } => drop(self.exited.insert(tid)),
            Action::Loop { tid, .. } => drop(self.looping.insert(tid, None)),
            Action::Call { tid, message } => drop(self.looping.insert(tid, Some((message, line)))),
            Action::Return { tid, .. } => drop(self.looping.insert(tid, None)),
            Action::Lock { tid, object } => self.locks.entry(tid).or_default().push((object, line)),
            Action::Unlock { tid, object } => {
                let held = self.locks.entry(tid).or_default();
                if let Some(place) = held.iter().rposition(|&(lock, _)| lock == object) {
                    held.remove(place);
                }
            }
            _ => {}
        }
        self.operations.push((line, action));
    }

    fn entry(&mut self, line: u32, entry: Entry) {
        match entry {
            Entry::Idle(_) => {}
            Entry::Native { tid, name } => {
                self.sections.insert(tid, Section { name, tid: None, gated: false });
            }
            Entry::Post { tid, message, delayed } => self.post(line, tid, message, delayed),
            Entry::Operation(action) => self.operation(line, action),
        }
    }

    fn operation(&mut self, line: u32, mut action: Action) {
        if let Action::NativeExit { tid } = action {
            self.leave(line, tid);
        } else if let Some(section) =
            self.sections.contains_key(&action.tid()).then(|| action.tid())
        {
            // What the system itself enables and triggers says nothing about the application.
            if !action.is_environment() {
                let tid = self.native_thread(line, section, true);
                *action.tid_mut() = tid;
                self.emit(line, action);
            }
        } else if let Some(notified) = self.notifies_unknown(&action) {
            self.warnings.push(Warning { line, kind: WarningKind::NotifyLeftOut { notified } });
        } else {
            self.emit(line, action);
        }
    }

    fn notifies_unknown(&self, action: &Action) -> Option<ThreadId> {
        match *action {
            Action::Notify { notified, .. } if !self.survey.known.contains(&notified) => {
                Some(notified)
            }
            _ => None,
        }
    }

    /// The thread that stands for the present section of a native thread; `gated` if it does something.
    fn native_thread(&mut self, line: u32, native: ThreadId, gated: bool) -> ThreadId {
        let next = ThreadId(self.next_native);
        let section = self.sections.entry(native).or_insert(Section {
            name: String::new(),
            tid: None,
            gated: false,
        });
        let tid = *section.tid.get_or_insert(next);
        let gates = gated && !section.gated;
        section.gated |= gated;
        if tid == next {
            self.next_native += 1;
            self.called.push((tid, section.name.clone()));
            self.forked.push((line, tid));
        }
        if gates {
            self.emit(line, Action::Nop { tid });
        }
        tid
    }

    fn leave(&mut self, line: u32, native: ThreadId) {
        if let Some(Section { tid: Some(tid), gated: true, .. }) = self.sections.remove(&native) {
            self.emit(line, Action::ThreadExit { tid });
        }
    }

    fn post(&mut self, line: u32, tid: ThreadId, message: MessageId, delayed: bool) {
        let destination = self.survey.called.get(&message).copied();
        let native = self.sections.contains_key(&tid);
        if native {
            self.native_thread(line, tid, destination.is_some());
        }
        let Some(destination) = destination else {
            self.warnings.push(Warning { line, kind: WarningKind::PostLeftOut { message } });
            return;
        };
        let outside = matches!(self.looping.get(&tid), Some(None));
        let (origin, tid) = if native {
            (PostKind::Native, self.native_thread(line, tid, true))
        } else if self.survey.idle.contains(&message) {
            (PostKind::Delayed, self.idle_thread(line))
        } else if outside {
            (PostKind::User, self.user_thread(line))
        } else if delayed {
            (PostKind::Delayed, self.delayer(line, tid))
        } else {
            (PostKind::Application, tid)
        };
        self.emit(line, Action::Post { origin, tid, message, destination });
    }

    fn fresh(&mut self) -> ThreadId {
        self.next_fresh += 1;
        ThreadId(self.next_fresh - 1)
    }

    /// An idle handler runs when nothing else is to be done: any time, as far as we know.
    fn idle_thread(&mut self, line: u32) -> ThreadId {
        let tid = self.fresh();
        self.forked.push((line, tid));
        tid
    }

    /// One thread does all that the user does, so that it stays in order.
    fn user_thread(&mut self, line: u32) -> ThreadId {
        let tid = match self.survey.user {
            Some(tid) => tid,
            None => {
                let tid = self.fresh();
                self.forked.push((line, tid));
                self.survey.user = Some(tid);
                tid
            }
        };
        self.emit(line, Action::Nop { tid });
        tid
    }

    /// A delayed post happens any time later: a thread of its own does it.
    fn delayer(&mut self, line: u32, parent: ThreadId) -> ThreadId {
        let child = self.fresh();
        self.emit(line, Action::Fork { tid: parent, child });
        self.emit(line, Action::ThreadInit { tid: child });
        child
    }

    /// Closes what is open, and puts the threads of the system at the start.
    fn finish(mut self) -> (Vec<Recorded>, Vec<(ThreadId, String)>) {
        self.close_locks();
        self.close_messages();
        self.close_threads();
        let start = self.forked.iter().flat_map(|&(line, child)| {
            [(line, Action::Fork { tid: MAIN, child }), (line, Action::ThreadInit { tid: child })]
        });
        let mut body = self.operations.into_iter();
        let first = body.next();
        let all = first.into_iter().chain(start).chain(body);
        let recorded = |((line, action), index)| Recorded { index, line, action };
        (all.zip(2..).map(recorded).collect(), self.called)
    }

    fn close_locks(&mut self) {
        let mut open: Vec<_> = std::mem::take(&mut self.locks).into_iter().collect();
        open.sort_unstable_by_key(|&(tid, _)| tid);
        for (tid, held) in open {
            for (object, line) in held.into_iter().rev() {
                self.warnings.push(Warning { line, kind: WarningKind::UnlockAdded { object } });
                self.operations.push((line, Action::Unlock { tid, object }));
            }
        }
    }

    fn close_messages(&mut self) {
        let running = self
            .looping
            .iter()
            .filter_map(|(&tid, &now)| now.map(|(message, line)| (line, tid, message)));
        let mut running: Vec<_> = running.collect();
        running.sort_unstable();
        for (line, tid, message) in running {
            self.warnings.push(Warning { line, kind: WarningKind::ReturnAdded { message } });
            self.operations.push((line, Action::Return { tid, message }));
        }
    }

    /// A looper does not end; everything else does.
    fn close_threads(&mut self) {
        let forked = self.forked.iter().copied();
        let alive = forked.chain(self.begun.iter().copied());
        let left =
            alive.filter(|(_, tid)| !self.exited.contains(tid) && !self.looping.contains_key(tid));
        let exits: Vec<_> = left.map(|(line, tid)| (line, Action::ThreadExit { tid })).collect();
        self.operations.extend(exits);
    }
}

//! How threads begin, fork, come, go and end in the recorded order, and whose code an operation is.

use super::TaskKind;
use super::machine::{Machine, Phase, Thread};
use crate::action::{Action, ThreadId};
use crate::check::Task;
use crate::error::{Reason, Warning, WarningKind};
use std::collections::VecDeque;

impl Machine<'_> {
    pub(super) fn new_task(&mut self, kind: TaskKind) -> usize {
        self.checked.tasks.push(Task { kind, operations: Vec::new() });
        self.checked.tasks.len() - 1
    }

    pub(super) fn new_thread(&mut self, tid: ThreadId, phase: Phase) -> &mut Thread {
        let task = self.new_task(TaskKind::Thread(tid));
        if phase != Phase::Forked {
            self.checked.roots.push(task);
        }
        self.threads.entry(tid).or_insert(Thread {
            task,
            phase,
            forked: None,
            begun: None,
            attached: None,
            looped: None,
            queue: VecDeque::new(),
        })
    }

    /// THREADINIT.
    pub(super) fn begin(&mut self, tid: ThreadId, line: u32) -> Result<usize, Reason> {
        if let Some(Thread { begun: Some(first), .. }) = self.threads.get(&tid) {
            return Err(Reason::BegunTwice { tid, first: *first });
        }
        if !self.threads.contains_key(&tid) {
            self.new_thread(tid, Phase::Running);
        }
        let thread = self.threads.get_mut(&tid).expect("it was just made");
        thread.phase = Phase::Running;
        thread.begun = Some(line);
        Ok(thread.task)
    }

    /// NATIVE-ENTRY: a thread of the system comes and goes, its code is one piece all the same.
    pub(super) fn enter(&mut self, tid: ThreadId, line: u32) -> Result<usize, Reason> {
        match self.threads.get_mut(&tid) {
            Some(thread) if thread.phase == Phase::Away => {
                thread.phase = Phase::Running;
                Ok(thread.task)
            }
            _ => self.begin(tid, line),
        }
    }

    /// NATIVE-EXIT.
    pub(super) fn leave(&mut self, tid: ThreadId) -> Result<(), Reason> {
        self.holds_nothing("NATIVE-EXIT", tid)?;
        self.thread("NATIVE-EXIT", tid)?.phase = Phase::Away;
        Ok(())
    }

    /// THREADEXIT. An idle looper stops, but its own code is over since LOOP: no task has this event.
    pub(super) fn exit(&mut self, tid: ThreadId, line: u32) -> Result<Option<usize>, Reason> {
        const KEYWORD: &str = "THREADEXIT";
        self.holds_nothing(KEYWORD, tid)?;
        let thread = self.thread(KEYWORD, tid)?;
        let task = match thread.phase {
            Phase::Looping(Some(message)) => {
                return Err(Reason::InsideMessage { keyword: KEYWORD, tid, message });
            }
            Phase::Looping(None) => None,
            _ => Some(thread.task),
        };
        thread.phase = Phase::Ended(line);
        if task.is_none() {
            self.checked.warnings.push(Warning { line, kind: WarningKind::LooperExit { tid } });
        }
        Ok(task)
    }

    /// A thread that has begun and not ended.
    pub(super) fn thread(
        &mut self,
        keyword: &'static str,
        tid: ThreadId,
    ) -> Result<&mut Thread, Reason> {
        match self.threads.get_mut(&tid) {
            Some(Thread { phase: Phase::Ended(ended), .. }) => {
                Err(Reason::ExitedThread { keyword, tid, ended: *ended })
            }
            Some(thread) if !matches!(thread.phase, Phase::Forked | Phase::Away) => Ok(thread),
            _ => Err(Reason::UnknownThread { keyword, tid }),
        }
    }

    /// The task that an ordinary operation belongs to.
    pub(super) fn task_of(&mut self, action: &Action) -> Result<usize, Reason> {
        let (keyword, tid) = (action.keyword(), action.tid());
        let trace = self.trace;
        let thread = self.thread(keyword, tid)?;
        match (thread.phase, action) {
            (Phase::Looping(Some(message)), Action::Loop { .. } | Action::NativeExit { .. }) => {
                Err(Reason::InsideMessage { keyword, tid, message })
            }
            (Phase::Looping(Some(message)), _) => Ok(self.messages[&message].task),
            (Phase::Looping(None), &Action::Return { message, .. }) => {
                Err(Reason::ReturnOutside { message, tid })
            }
            (Phase::Looping(None), _) => {
                let since = thread.looped.map_or(0, |position| trace.operations[position].line);
                Err(Reason::OutsideMessage { keyword, tid, since })
            }
            (_, &Action::Return { message, .. }) => Err(Reason::ReturnOutside { message, tid }),
            _ => Ok(thread.task),
        }
    }

    pub(super) fn fork(&mut self, child: ThreadId, line: u32) -> Result<(), Reason> {
        match self.threads.get(&child) {
            Some(Thread { forked: Some(first), .. }) => {
                Err(Reason::ForkedTwice { child, first: *first })
            }
            Some(thread) => Err(Reason::ForkedLate { child, begun: thread.begun.unwrap_or(0) }),
            None => {
                self.new_thread(child, Phase::Forked).forked = Some(line);
                Ok(())
            }
        }
    }

    pub(super) fn warn_of_empty_threads(&mut self) {
        let empty = self.threads.iter().filter_map(|(&child, thread)| match thread.phase {
            Phase::Forked => {
                Some(Warning { line: thread.forked?, kind: WarningKind::NeverBegins { child } })
            }
            _ => None,
        });
        self.checked.warnings.extend(empty);
        self.checked.warnings.sort_by_key(|warning| warning.line);
    }
}

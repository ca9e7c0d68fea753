//! How tasks would go on that wait in an explored execution: as they did elsewhere.
//!
//! That is a guess. It is right where nothing branches, and it does no harm where it is wrong: it is only asked whether the class that it
//! leads to is known, and a class that is known begins as it should, however it was guessed.

use super::explored::End;
use crate::execution::{Event, Execution};
use crate::ids::{HandlerId, TaskId};
use crate::operation::{Access, Effect, Mode};
use crate::program::{Mailbox, Run};
use crate::sequence::{EventName, Happening};
use crate::touch::{Touch, slot};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What has been seen of tasks, of each the longest.
#[derive(Default)]
pub struct Scripts {
    tasks: Vec<Script>,
    /// What `finally` read when it was last looked.
    final_reads: Vec<u32>,
    /// The initial permits of semaphores, by slot.
    permits: FxHashMap<u32, i64>,
}

#[derive(Default)]
struct Script {
    lines: Vec<Line>,
    /// Does the task end behind them?
    ends: bool,
}

/// An event that was performed somewhere.
#[derive(Clone, Debug)]
struct Line {
    event: Event,
    what: Happening,
    handler: Option<(HandlerId, Mailbox)>,
}

impl Scripts {
    /// Takes note of what an event accesses.
    pub fn note_semaphores(&mut self, run: &impl Run, accesses: &[Access]) {
        for access in accesses.iter().filter(|it| matches!(it.mode, Mode::Wait | Mode::Signal)) {
            self.permits.insert(slot(access.object), i64::from(run.permits(access.object)));
        }
    }

    /// Takes note of an execution.
    pub fn note(&mut self, execution: &Execution, end: &End) {
        if let Some(final_reads) = &end.final_reads {
            self.final_reads.clone_from(final_reads);
        }
        if self.tasks.len() < execution.task_count() {
            self.tasks.resize_with(execution.task_count(), Script::default);
        }
        let alive: FxHashSet<TaskId> = end.alive.iter().copied().collect();
        for (number, script) in self.tasks.iter_mut().enumerate().take(execution.task_count()) {
            let task = TaskId(number as u32);
            let seen = execution.events_of(task);
            let ends = !alive.contains(&task);
            if seen.len() > script.lines.len() || (script.lines.is_empty() && ends) {
                let line = |&event: &u32| line(execution, event as usize);
                *script = Script { lines: seen.iter().map(line).collect(), ends };
            }
        }
    }

    /// How the tasks that wait at the end of an execution would go on.
    pub fn imagine(&self, execution: &Execution, end: &End) -> Imagined {
        let permits = self.permits.clone();
        let mut imagined = Imagined { all_end: true, permits, ..Imagined::default() };
        let mut open = end.alive.clone();
        while let Some(task) = open.pop() {
            let script = self.tasks.get(task.index());
            imagined.all_end &= script.is_some_and(|script| script.ends);
            let lines = script.into_iter().flat_map(|script| &script.lines);
            for line in lines.skip(execution.events_of(task).len()) {
                if let Effect::Post(child, _) | Effect::Fork(child) = line.event.effect {
                    open.push(child);
                }
                imagined.lines.push(line.clone());
            }
        }
        let numbers = imagined.numbers(execution);
        let pasts = imagined.lines.iter().map(|line| past(execution, &numbers, &line.what.past));
        let Some(pasts) = pasts.collect() else {
            // Somebody did something else there than here.
            return Imagined { permits: imagined.permits, ..Imagined::default() };
        };
        let final_reads = end.final_reads.as_ref().unwrap_or(&self.final_reads).clone();
        Imagined { pasts, final_reads, ..imagined }
    }
}

fn line(execution: &Execution, event: usize) -> Line {
    let it = execution.events()[event];
    let handler = execution.handler(it.task).map(|handler| (handler, execution.mailbox(handler)));
    Line { event: it, what: Happening::performed(execution, event), handler }
}

/// How tasks would go on. The events are numbered behind those of the execution.
#[derive(Default)]
pub struct Imagined {
    lines: Vec<Line>,
    pasts: Vec<Past>,
    /// Do all tasks come to their end, if all events are performed?
    all_end: bool,
    /// What `finally` would read.
    final_reads: Vec<u32>,
    /// The initial permits of semaphores, by slot.
    pub permits: FxHashMap<u32, i64>,
}

type Past = SmallVec<[u32; 2]>;

impl Imagined {
    /// The numbers of its events.
    fn numbers(&self, execution: &Execution) -> FxHashMap<EventName, u32> {
        let names = self.lines.iter().map(|line| (line.event.task, line.event.index));
        names.zip(execution.len() as u32..).collect()
    }
}

/// The numbers of these events of an execution and of those that are imagined, if all of them are there.
fn past(
    execution: &Execution,
    imagined: &FxHashMap<EventName, u32>,
    names: &[EventName],
) -> Option<Past> {
    let number = |name: &EventName| {
        let performed = execution.events_of(name.0).get(name.1 as usize - 1);
        performed.or_else(|| imagined.get(name)).copied()
    };
    names.iter().map(number).collect()
}

/// The events of an execution, and behind them those that are imagined.
#[derive(Clone, Copy)]
pub struct Events<'e> {
    execution: &'e Execution,
    imagined: Option<&'e Imagined>,
}

impl<'e> Events<'e> {
    /// Those of an execution and no others.
    pub fn performed(execution: &'e Execution) -> Self {
        Events { execution, imagined: None }
    }

    /// Those of an execution, and those that are imagined.
    pub fn new(execution: &'e Execution, imagined: &'e Imagined) -> Self {
        Events { execution, imagined: Some(imagined) }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.execution.len() + self.imagined.map_or(0, |imagined| imagined.lines.len())
    }

    /// What `finally` reads when all of them have been performed, if all tasks end with them.
    pub fn final_reads(self) -> Option<&'e [u32]> {
        let imagined = self.imagined.filter(|imagined| imagined.all_end)?;
        Some(&imagined.final_reads)
    }

    /// The first imagined event of a task.
    pub fn first_imagined(self, task: TaskId) -> Option<usize> {
        let lines = self.imagined?.lines.iter();
        let at = lines.map(|line| line.event.task).position(|other| other == task)?;
        Some(self.execution.len() + at)
    }

    /// An event.
    pub fn event(self, event: usize) -> &'e Event {
        self.line(event).map_or_else(|| &self.execution.events()[event], |it| &it.0.event)
    }

    /// What it touches.
    pub fn touches(self, event: usize) -> &'e [Touch] {
        self.line(event).map_or_else(|| self.execution.touches(event), |it| &it.0.what.touches)
    }

    /// The events that it follows whatever the schedule.
    pub fn past(self, event: usize) -> &'e [u32] {
        self.line(event).map_or_else(|| self.execution.program_past(event), |it| it.1)
    }

    /// The handler of its task, and the mailbox of that.
    pub fn handler(self, event: usize) -> Option<(HandlerId, Mailbox)> {
        match self.line(event) {
            Some((line, _)) => line.handler,
            None => {
                let handler = self.execution.handler(self.execution.events()[event].task)?;
                Some((handler, self.execution.mailbox(handler)))
            }
        }
    }

    fn line(self, event: usize) -> Option<(&'e Line, &'e [u32])> {
        let at = event.checked_sub(self.execution.len())?;
        let imagined = self.imagined?;
        Some((&imagined.lines[at], &imagined.pasts[at]))
    }
}

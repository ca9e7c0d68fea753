//! An execution as a partial trace of the consistency crate, and a witness of that crate as a schedule.
//!
//! **What**: the trace of Abdulla, Atig, Govind, Grahn and Thinniyam, "Checking Consistency of Event-driven
//! Traces": each thread is a handler with one initial message, each message of the program is one of the trace;
//! reads have the write that they read from, variables the order of their writes. Forks, joins and operations
//! on locks and semaphores are fixed edges. **Guarantee**: every execution's trace is consistent under the policy of its
//! mailboxes, and every witness is an execution with the same events. **Cost**: O(events²) for locks.
//! **Deviations**: an event that is neither a get, a post, a read nor a write becomes the only write of a
//! variable of its own; an unfinished message comes after all others of its handler by fixed edges, because the format
//! takes all messages to be complete. Indivisible events on several objects cannot be said in the format.

use crate::execution::Execution;
use crate::ids::{ObjectId, TaskId};
use crate::operation::{Effect, Mode};
use crate::program::{Program, Run};
use crate::replay::{self, ReplayError};
use crate::schedule::{Move, Schedule};
use mazurka_consistency::Trace;
use mazurka_consistency::trace::{Builder, Event, EventId, MessageId};
use mazurka_consistency::well_formed::Malformed;
use rustc_hash::FxHashMap;
use std::fmt;

/// The trace of an execution, and the way back.
#[derive(Clone, Debug)]
pub struct PartialTrace {
    /// The trace.
    pub trace: Trace,
    /// What each event of the trace is in a schedule; nothing for the first half of an update.
    moves: Vec<Option<Move>>,
}

/// Why an execution has no partial trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartialTraceError {
    /// The schedule does not fit the program.
    Replay(ReplayError),
    /// An indivisible event does several things at once.
    Indivisible {
        /// Its position in the schedule, counted from 1.
        step: usize,
    },
    /// The trace breaks a rule of the format.
    Malformed(Malformed),
}

impl fmt::Display for PartialTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartialTraceError::Replay(error) => error.fmt(f),
            PartialTraceError::Indivisible { step } => write!(
                f,
                "step {step} does several things in one indivisible event, which a partial trace cannot say"
            ),
            PartialTraceError::Malformed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PartialTraceError {}

impl PartialTrace {
    /// The trace of the execution that a schedule leads to.
    pub fn record<P: Program>(program: &P, schedule: &Schedule) -> Result<Self, PartialTraceError> {
        let (run, execution) =
            replay::execute(program, schedule).map_err(PartialTraceError::Replay)?;
        let mut writer = Writer::new(&execution);
        writer.number();
        let order = writer.number_messages();
        let moves = writer.write(&run, &order)?;
        writer.order();
        let trace = writer.builder.finish().map_err(PartialTraceError::Malformed)?;
        Ok(PartialTrace { trace, moves })
    }

    /// The schedule that performs the events in the order of a witness.
    pub fn schedule(&self, witness: &[EventId]) -> Schedule {
        let moves = witness.iter().filter_map(|&event| self.moves.get(event as usize)?.clone());
        Schedule { moves: moves.collect() }
    }
}

/// A trace that is being written.
struct Writer<'e> {
    execution: &'e Execution,
    builder: Builder,
    /// The variable of each object that is read or written.
    variables: FxHashMap<ObjectId, u32>,
    /// The variable of each event that only has its own.
    silent: FxHashMap<usize, u32>,
    messages: FxHashMap<TaskId, MessageId>,
    /// Of each event of the execution its first and its last event in the trace.
    places: Vec<(EventId, EventId)>,
}

impl<'e> Writer<'e> {
    fn new(execution: &'e Execution) -> Self {
        Writer {
            execution,
            builder: Builder::default(),
            variables: FxHashMap::default(),
            silent: FxHashMap::default(),
            messages: FxHashMap::default(),
            places: vec![(0, 0); execution.len()],
        }
    }

    fn is_silent(&self, event: usize) -> bool {
        let shown = self.execution.accesses(event).iter().any(|access| is_data(access.mode));
        !shown && !matches!(self.execution.events()[event].effect, Effect::Start | Effect::Post(..))
    }

    /// Gives objects and silent events their variables.
    fn number(&mut self) {
        let mut count = 0;
        for event in 0..self.execution.len() {
            for access in self.execution.accesses(event).iter().filter(|a| is_data(a.mode)) {
                self.variables.entry(access.object).or_insert_with(|| next(&mut count));
            }
            if self.is_silent(event) {
                self.silent.insert(event, next(&mut count));
            }
        }
        let handlers = self.execution.handler_count() + self.execution.task_count();
        self.builder = Builder::new(handlers as u32, count);
    }

    /// The tasks that have events or were posted, in the order of their messages.
    fn number_messages(&mut self) -> Vec<TaskId> {
        let execution = self.execution;
        let tasks: Vec<TaskId> = (0..execution.task_count())
            .map(TaskId::from)
            .filter(|&task| {
                let posted = execution.handler(task).is_some() && execution.creator(task).is_some();
                posted || !execution.events_of(task).is_empty()
            })
            .collect();
        self.messages.extend(tasks.iter().zip(0..).map(|(&task, message)| (task, message)));
        tasks
    }

    fn write(
        &mut self,
        run: &impl Run,
        tasks: &[TaskId],
    ) -> Result<Vec<Option<Move>>, PartialTraceError> {
        self.place_events(tasks)?;
        let sources = self.sources();
        let mut moves = Vec::new();
        for &task in tasks {
            let own = self.execution.events_of(task);
            let handler = self.execution.handler(task).map_or_else(
                || self.execution.handler_count() as u32 + task.0,
                |handler| handler.0,
            );
            let is_thread = self.execution.handler(task).is_none();
            self.builder.message(handler, is_thread, !is_thread && own.is_empty());
            for &event in own {
                let event = event as usize;
                for part in self.parts(event, &sources) {
                    self.builder.event(part);
                    moves.push(None);
                }
                let choice = self.execution.events()[event].choice;
                let last = moves.last_mut().expect("an event has a part");
                *last = Some(Move { task: run.task_path(task), choice });
            }
        }
        self.write_coherence();
        Ok(moves)
    }

    /// Where each event will stand.
    fn place_events(&mut self, tasks: &[TaskId]) -> Result<(), PartialTraceError> {
        let mut count = 0;
        let nothing = FxHashMap::default();
        for &task in tasks {
            for &event in self.execution.events_of(task) {
                let event = event as usize;
                let first = count;
                count += self.parts(event, &nothing).len() as u32;
                if self.acts(event) > 1 {
                    return Err(PartialTraceError::Indivisible { step: event + 1 });
                }
                self.places[event] = (first, count - 1);
            }
        }
        Ok(())
    }

    /// How many things an event does; an update is one.
    fn acts(&self, event: usize) -> usize {
        let effect = self.execution.events()[event].effect;
        self.execution.accesses(event).len()
            + usize::from(matches!(effect, Effect::Start | Effect::Post(..)))
    }

    /// What each reading event reads from.
    fn sources(&self) -> FxHashMap<usize, EventId> {
        let mut latest = FxHashMap::default();
        let mut sources = FxHashMap::default();
        for event in 0..self.execution.len() {
            for access in self.execution.accesses(event) {
                if matches!(access.mode, Mode::Read | Mode::Update)
                    && let Some(&source) = latest.get(&access.object)
                {
                    sources.insert(event, source);
                }
                if matches!(access.mode, Mode::Write | Mode::Update) {
                    latest.insert(access.object, self.places[event].1);
                }
            }
        }
        sources
    }

    /// An event in the words of the trace.
    fn parts(&self, event: usize, sources: &FxHashMap<usize, EventId>) -> Vec<Event> {
        let mut parts = Vec::new();
        match self.execution.events()[event].effect {
            Effect::Start => parts.push(Event::Get),
            Effect::Post(message, _) => {
                parts.push(Event::Post { message: self.messages[&message] });
            }
            _ => {}
        }
        for access in self.execution.accesses(event).iter().filter(|a| is_data(a.mode)) {
            let variable = self.variables[&access.object];
            if access.mode != Mode::Write {
                parts.push(Event::Read { variable, from: sources.get(&event).copied() });
            }
            if access.mode != Mode::Read {
                parts.push(Event::Write { variable });
            }
        }
        parts.extend(self.silent.get(&event).map(|&variable| Event::Write { variable }));
        parts
    }

    fn write_coherence(&mut self) {
        let mut writes = vec![Vec::new(); self.variables.len() + self.silent.len()];
        for event in 0..self.execution.len() {
            let place = self.places[event].1;
            for access in self.execution.accesses(event) {
                if matches!(access.mode, Mode::Write | Mode::Update) {
                    writes[self.variables[&access.object] as usize].push(place);
                }
            }
            if let Some(&variable) = self.silent.get(&event) {
                writes[variable as usize].push(place);
            }
        }
        for of_variable in &writes {
            self.builder.coherence(of_variable);
        }
    }

    /// The fixed edges.
    fn order(&mut self) {
        let execution = self.execution;
        for event in 0..execution.len() {
            for &earlier in execution.program_past(event) {
                self.edge(earlier as usize, event);
            }
            let waits = execution.accesses(event).iter().any(|access| !is_data(access.mode));
            for &touch in execution.touches(event).iter().filter(|_| waits) {
                for earlier in execution.conflicting_with(touch).filter(|&other| other < event) {
                    self.edge(earlier, event);
                }
            }
        }
        for &task in self.messages.keys() {
            let Some(start) = execution.start_of(task) else { continue };
            let Some(handler) = execution.handler(task) else { continue };
            if execution.end_of(task).is_none() {
                let others = execution.posted(handler).iter().filter(|&&other| other != task);
                for end in others.filter_map(|&other| execution.end_of(other)) {
                    self.builder.order(self.places[end].1, self.places[start].0);
                }
            }
        }
    }

    fn edge(&mut self, first: usize, second: usize) {
        self.builder.order(self.places[first].1, self.places[second].0);
    }
}

/// Is this an access of a variable?
fn is_data(mode: Mode) -> bool {
    matches!(mode, Mode::Read | Mode::Write | Mode::Update)
}

fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count - 1
}

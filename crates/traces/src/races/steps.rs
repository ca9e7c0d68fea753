//! The operations of the recorded execution in their order, with their tasks.

use crate::program::{Event, TraceProgram};
use mazurka_engine::execution::Execution;
use mazurka_engine::pace::Pace;
use mazurka_engine::touch::Dependence;
use mazurka_engine::{
    Mode, ObjectId, Operation, Program, Run, Step as Performed, TaskId, Watch, bits,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::rc::Rc;

/// An operation of the recorded execution.
#[derive(Clone, Copy)]
struct Step {
    task: TaskId,
    /// The how-manieth of its task.
    index: usize,
    access: Option<(ObjectId, Mode)>,
    /// Operations of a task with nothing between them that others wait for, or that waits for others, have the same number.
    row: usize,
}

/// The recorded execution.
pub(super) struct Steps {
    steps: Vec<Step>,
    /// The positions of each task's operations.
    of_task: Vec<Vec<usize>>,
    /// The looper of each task that is a message.
    loopers: Vec<Option<u32>>,
    /// What happens before what, once somebody asks.
    execution: OnceCell<Execution>,
}

impl Steps {
    pub(super) fn new(program: &TraceProgram) -> Steps {
        let mut of_task = vec![Vec::new(); program.tasks.len()];
        let mut steps = Vec::with_capacity(program.event_count());
        let awaited: FxHashSet<(TaskId, u32)> = program.gates.iter().copied().collect();
        let mut rows = vec![0; program.tasks.len()];
        for (position, &task) in program.recorded_order().iter().enumerate() {
            let index = of_task[task.index()].len();
            of_task[task.index()].push(position);
            let event = &program.tasks[task.index()].events[index];
            let access = match event.operation {
                Operation::Access(object, mode) => Some((object, mode)),
                _ => None,
            };
            let row = &mut rows[task.index()];
            let is_data = matches!(access, Some((_, Mode::Read | Mode::Write)));
            *row += usize::from(!is_data || !event.gate.is_empty());
            steps.push(Step { task, index, access, row: *row });
            *row += usize::from(awaited.contains(&(task, index as u32 + 1)));
        }
        let loopers = program.tasks.iter().map(|task| task.handler.map(|handler| handler.0));
        Steps { steps, of_task, loopers: loopers.collect(), execution: OnceCell::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn task(&self, position: usize) -> TaskId {
        self.steps[position].task
    }

    pub(super) fn access(&self, position: usize) -> Option<(ObjectId, Mode)> {
        self.steps[position].access
    }

    /// The positions of a task's operations, in order.
    pub(super) fn of_task(&self, task: TaskId) -> &[usize] {
        &self.of_task[task.index()]
    }

    pub(super) fn tasks(&self) -> impl Iterator<Item = TaskId> {
        (0..self.of_task.len()).map(TaskId::from)
    }

    pub(super) fn looper(&self, task: TaskId) -> Option<u32> {
        self.loopers[task.index()]
    }

    pub(super) fn event<'p>(&self, program: &'p TraceProgram, position: usize) -> &'p Event {
        let step = self.steps[position];
        &program.tasks[step.task.index()].events[step.index]
    }

    /// Do both belong to messages of one looper, which takes them one after the other?
    pub(super) fn take_turns(&self, first: usize, second: usize) -> bool {
        let looper = |position| self.looper(self.task(position));
        looper(first).is_some() && looper(first) == looper(second)
    }

    /// Pairs of operations of different tasks that touch the same object, one of them to change it or both to lock it. Of
    /// accesses that a task repeats with nothing but accesses in between only the first counts: what holds for it holds for them. There may be
    /// millions of pairs; they come in order.
    pub(super) fn conflicts(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut by_object: FxHashMap<ObjectId, Vec<usize>> = FxHashMap::default();
        for position in self.candidates() {
            let Some((object, _)) = self.access(position) else { continue };
            by_object.entry(object).or_default().push(position);
        }
        let mut firsts: Vec<(usize, usize, Rc<[usize]>)> = Vec::new();
        for positions in by_object.into_values() {
            let positions: Rc<[usize]> = positions.into();
            let numbered = positions.iter().enumerate();
            firsts.extend(numbered.map(|(at, &first)| (first, at, Rc::clone(&positions))));
        }
        firsts.sort_unstable_by_key(|it| it.0);
        firsts.into_iter().flat_map(move |(first, at, positions)| {
            let others = (at + 1..positions.len()).map(move |at| positions[at]);
            others.filter(move |&it| self.conflict(first, it)).map(move |it| (first, it))
        })
    }

    /// The operations that pairs are made of.
    pub(super) fn candidates(&self) -> impl Iterator<Item = usize> {
        let mut seen: FxHashSet<(ObjectId, TaskId, Mode, usize)> = FxHashSet::default();
        let mut is_first = move |step: &Step| {
            step.access.is_some_and(|(object, mode)| {
                matches!(mode, Mode::Read | Mode::Write | Mode::Lock)
                    && seen.insert((object, step.task, mode, step.row))
            })
        };
        (0..self.len()).filter(move |&position| is_first(&self.steps[position]))
    }

    fn conflict(&self, first: usize, second: usize) -> bool {
        let (a, b) = (self.steps[first], self.steps[second]);
        let both = (a.access.map(|it| it.1), b.access.map(|it| it.1));
        // A message does not wait for a lock of its own looper's thread.
        let is_own_lock = both.0 == Some(Mode::Lock) && self.take_turns(first, second);
        a.task != b.task && both != (Some(Mode::Read), Some(Mode::Read)) && !is_own_lock
    }

    /// Does something lie between the two in happens-before of the recorded execution? Between two locks that is not the unlock of the
    /// first, nor what else its task does. Nothing if the time is up.
    pub(super) fn is_covered(
        &self,
        program: &TraceProgram,
        (first, second): (usize, usize),
        watch: &Watch,
    ) -> Option<bool> {
        let execution = match self.execution.get() {
            Some(execution) => execution,
            None => {
                let execution = execution(program, program.recorded_order(), watch)?;
                self.execution.get_or_init(|| execution)
            }
        };
        let is_lock = self.access(first).is_some_and(|(_, mode)| mode == Mode::Lock);
        let counts = |it: &usize| !is_lock || self.task(*it) != self.task(first);
        let past = execution.before(second);
        let mut between = bits::iter_from(&past, first + 1).filter(counts);
        Some(between.any(|it| execution.happens_before(first, it)))
    }

    /// The name of what an operation touches; with the class, where the trace says it.
    pub(super) fn object_name(&self, program: &TraceProgram, object: ObjectId) -> String {
        let name = program.start().object_name(object);
        match program.class_of(object) {
            Some(class) => format!("{name} ({})", class.trim_end_matches(';')),
            None => name,
        }
    }

    pub(super) fn place(&self, program: &TraceProgram, position: usize) -> String {
        program.start().location(self.event(program, position).location)
    }
}

/// The execution in which the tasks move in this order, unless the time is up.
fn execution(program: &TraceProgram, order: &[TaskId], watch: &Watch) -> Option<Execution> {
    let mut execution = Execution::new(Dependence::Conflicts);
    let mut run = program.start();
    let mut step = Performed::default();
    let mut pace = Pace::new(watch);
    for &task in order {
        if pace.is_up_after(execution.words()) {
            return None;
        }
        let gate = run.gate_of(task).to_vec();
        step.clear();
        run.step(task, 0, &mut step);
        execution.push(&run, task, 0, &step, &gate);
    }
    Some(execution)
}

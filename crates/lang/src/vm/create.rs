//! The beginning of a run, and the creation of tasks.

use super::local::{Stop, run_local};
use super::pace::Pace;
use super::{TaskState, VmRun};
use crate::code::Register;
use crate::program::EdProgram;
use mazurka_engine::names::TaskNames;
use mazurka_engine::{Fault, HandlerId, Next, Operation, TaskId, Watch};
use rustc_hash::FxHashMap;

impl<'p> VmRun<'p> {
    pub(crate) fn new(program: &'p EdProgram, watch: &Watch) -> VmRun<'p> {
        let mut run = VmRun {
            program,
            names: TaskNames::default(),
            roots: Vec::new(),
            tasks: Vec::new(),
            registers: Vec::new(),
            values: program.initial.clone(),
            shared: Vec::new(),
            steps: Vec::new(),
            saved: Vec::new(),
            overwritten: Vec::new(),
            handles: FxHashMap::default(),
            pace: Pace::new(watch),
            interrupted: false,
            final_reads: Default::default(),
            merge: Default::default(),
        };
        for (array, &routine) in program.threads.iter().zip(&program.thread_routines) {
            for offset in 0..array.count() {
                run.create_root(routine, &array.indices(offset));
            }
        }
        // Only now: a thread may begin with a join of a later one.
        for root in 0..run.roots.len() {
            run.begin_root(run.roots[root]);
        }
        run
    }

    fn create_root(&mut self, routine: u16, indices: &[i64]) {
        let number = self.roots.len() as u32;
        let task = self.names.root(number);
        self.roots.push(task);
        let start = self.registers.len();
        self.registers.extend_from_slice(indices);
        self.extend_task(task, routine, start, None, stable_handle(0, number));
    }

    /// Runs a thread's local code up to its first event.
    fn begin_root(&mut self, task: TaskId) {
        let mut faults = Vec::new();
        self.run_prologue(task, &mut faults);
        if !faults.is_empty() {
            // The failure must belong to a step: the local code runs again, as an event of its own.
            let state = &mut self.tasks[task.index()];
            let code = &self.program.code.routines[state.routine as usize];
            state.next = Next::Operation(Operation::Local);
            state.instruction = code.entry;
            let (base, count) = (state.base as usize, code.parameters as usize);
            self.registers.copy_within(base - count..base, base);
        }
    }

    /// Creates a child of `creator` with the arguments in its registers from `arguments` on.
    pub(super) fn create_child(
        &mut self,
        creator: TaskId,
        routine: u16,
        arguments: Register,
        handler: Option<HandlerId>,
    ) -> TaskId {
        let parent = &mut self.tasks[creator.index()];
        let position = parent.children;
        parent.children += 1;
        let handle = stable_handle(parent.handle, position);
        let first = parent.base as usize + arguments as usize;
        let count = self.program.code.routines[routine as usize].parameters as usize;
        let task = self.names.child(creator, position);
        // The arguments are on the stack of registers that the child is put on top of.
        let start = self.registers.len();
        self.registers.extend_from_within(first..first + count);
        self.extend_task(task, routine, start, handler, handle);
        self.note_creation(task);
        task
    }

    /// Completes a task whose arguments have just been pushed at `start`.
    fn extend_task(
        &mut self,
        task: TaskId,
        routine: u16,
        start: usize,
        handler: Option<HandlerId>,
        handle: i64,
    ) {
        let code = &self.program.code.routines[routine as usize];
        let base = self.registers.len();
        self.registers.extend_from_within(start..base);
        self.registers.resize(base + code.registers as usize, 0);
        let state = TaskState {
            next: Next::Operation(Operation::Start),
            instruction: code.entry,
            base: u32::try_from(base).expect("fewer than 2^32 registers fit into memory"),
            children: 0,
            changes: 0,
            handler,
            handle,
            routine,
            exists: true,
        };
        if task.index() == self.tasks.len() {
            self.values.push(0);
            self.tasks.push(state);
        } else {
            self.tasks[task.index()] = state;
        }
    }

    /// Runs a new thread's local code up to its first event.
    pub(super) fn run_prologue(&mut self, task: TaskId, faults: &mut Vec<Fault>) {
        let at = self.tasks[task.index()].instruction;
        self.go_on(task, at, faults);
    }

    /// Runs local code from `at` on, up to the task's next event, and notes where the task stands then.
    #[inline]
    pub(super) fn go_on(&mut self, task: TaskId, mut at: u32, faults: &mut Vec<Fault>) {
        let TaskState { base, changes, .. } = self.tasks[task.index()];
        let registers = &mut self.registers[base as usize..];
        let stop = run_local(self.program, registers, &mut at, faults, &mut self.pace, changes);
        self.settle(task, at, stop, faults);
    }

    /// Notes where a task stands.
    #[inline]
    pub(super) fn settle(&mut self, task: TaskId, at: u32, stop: Stop, faults: &mut Vec<Fault>) {
        let next = match stop {
            Stop::Event => match self.announce(task, at) {
                Ok(operation) => Next::Operation(operation),
                Err(error) => {
                    faults.push(error.at(self.program, at));
                    Next::Ended
                }
            },
            Stop::Ended | Stop::AtomicEnd => Next::Ended,
            Stop::Blocked | Stop::Spinning => Next::Blocked,
            Stop::Truncated => Next::Truncated,
            Stop::Interrupted => {
                self.interrupted = true;
                Next::Truncated
            }
            Stop::Fault(error) => {
                faults.push(error.at(self.program, at));
                Next::Ended
            }
        };
        let state = &mut self.tasks[task.index()];
        state.instruction = at;
        state.next = next;
    }
}

/// The handle of the child at a position: the same in every execution and in every process, and different for
/// different tasks (up to a collision of 62-bit hashes). Never 0, so that 0 can stand for no thread.
fn stable_handle(creator: i64, position: u32) -> i64 {
    let mut mixed =
        (creator as u64) ^ (u64::from(position) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 2) as i64 | 1
}

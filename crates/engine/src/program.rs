//! The seam between front-ends and algorithms: a [`Program`] starts a [`Run`], and a run is driven one
//! event at a time.
//!
//! Who may move is the engine's business (handlers run one message at a time, mailboxes have a policy,
//! locks are held, joins wait: see [`crate::state`]); a run only executes code.

use crate::ids::{HandlerId, LocationId, ObjectId, TaskId};
use crate::operation::{Fault, Next, Operation, Step};
use crate::watch::Watch;

/// Which posted message an idle handler may take next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mailbox {
    /// Any of them.
    Multiset,
    /// Only the one that was posted first.
    Fifo,
}

impl Mailbox {
    /// The word that the language, the command line and JSON use.
    pub fn name(self) -> &'static str {
        match self {
            Mailbox::Multiset => "multiset",
            Mailbox::Fifo => "fifo",
        }
    }
}

/// What need not be compared of two states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaveOut {
    /// Everything counts.
    Nothing,
    /// The values of objects that no code that can still run may read.
    Unreadable,
    /// The values of all objects. Too much: see [`crate::Decision::CompareWhatCanBeRead`].
    Values,
}

/// Something that can be executed under every schedule.
pub trait Program {
    /// The state of one execution.
    type Run<'p>: Run
    where
        Self: 'p;

    /// Begins at the initial state.
    fn start(&self) -> Self::Run<'_>;

    /// As [`Program::start`], for an exploration that may have to stop: long local code looks at the watch.
    fn start_watched(&self, watch: &Watch) -> Self::Run<'_> {
        let _ = watch;
        self.start()
    }

    /// Its name, for reports.
    fn name(&self) -> &str;

    /// Can its states be compared ([`Run::difference`])? What rests on that is refused otherwise.
    fn compares_states(&self) -> bool {
        false
    }
}

/// An execution in progress. Task, handler and object numbers hold for the life of the run, across
/// every [`Run::rewind`]: the k-th child of a task has the same number in every interleaving
/// ([`crate::names::TaskNames`] does that).
pub trait Run {
    /// The tasks that exist from the start (threads), in a fixed order.
    fn roots(&self) -> &[TaskId];

    /// Where `task` stands. Asked only of tasks that exist now. A message that has been posted and
    /// not begun answers [`crate::Operation::Start`]. Must be cheap: it is asked at every step.
    fn next(&self, task: TaskId) -> Next;

    /// How many alternatives the next operation of `task` has, in the present state. More than one: a
    /// [`Operation::Choose`], or an access of which the front-end knows several outcomes (a load that may read one of several
    /// stores). Those of an access must be a function of its past: of what happens before it. Alternative 0 is always there.
    fn alternatives(&self, task: TaskId) -> u32 {
        match self.next(task) {
            Next::Operation(Operation::Choose(count)) => count,
            _ => 1,
        }
    }

    /// Has the execution turned out to be one that cannot happen? Then what it comes to is no result, and it counts as blocked.
    fn is_impossible(&self) -> bool {
        false
    }

    /// What the last step did, where its accesses say too little to people.
    fn words(&self) -> Option<String> {
        None
    }

    /// What a task waits for whose next operation is to take a permit of this semaphore.
    fn awaited(&self, semaphore: ObjectId) -> String {
        format!("a signal on {}", self.object_name(semaphore))
    }

    /// Does going back mean to execute everything again from the start?
    fn goes_back_by_executing(&self) -> bool {
        false
    }

    /// What people should know of the last step beside what it did.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Where the next operation of `task` stands in the source, if that is known.
    fn place(&self, task: TaskId) -> Option<LocationId> {
        let _ = task;
        None
    }

    /// Is what it does a function of the schedule by construction? Otherwise executions are compared
    /// ([`crate::determinism`]).
    fn is_deterministic(&self) -> bool {
        false
    }

    /// Is a task [`Next::Blocked`] in a loop that changes nothing?
    fn waits_in_loop(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }

    /// Does a task that is [`Next::Blocked`] go round a loop that changes nothing, and would it go round it again in the
    /// present state? Asked only where nobody can move.
    fn spins_for_ever(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }

    /// Performs the next operation of `task` (the engine has made sure that it is enabled) and the
    /// local code behind it, up to the task's next operation. `choice` picks one of its
    /// [`Run::alternatives`]. `step` comes in cleared.
    fn step(&mut self, task: TaskId, choice: u32, step: &mut Step);

    /// How many steps have been performed.
    fn depth(&self) -> usize;

    /// Goes back to the state after `depth` steps.
    fn rewind(&mut self, depth: usize);

    /// Called when every task has ended: what the program says of its final state (`finally`).
    /// Must not change the state.
    fn finish(&mut self) -> Vec<Fault> {
        Vec::new()
    }

    /// The objects that the last [`Run::finish`] looked at. For algorithms that ask who reads what was written: these
    /// are read behind everything.
    fn final_reads(&self) -> &[ObjectId] {
        &[]
    }

    /// May code that can still run read an object?
    fn may_still_read(&self, object: ObjectId) -> bool {
        let _ = object;
        true
    }

    /// In what the present state differs from the one after `depth` steps, written down so that two ends that were reached
    /// from there are the same state exactly if this is the same for both: values of objects, who holds a lock, where
    /// tasks stand and what they will still use of their locals. (Mailboxes, and what has failed, are known to the engine.) Must take time
    /// in proportion to what happened since. `None`: states of this program cannot be compared.
    fn difference(&self, depth: usize, leave_out: LeaveOut) -> Option<Vec<i64>> {
        let _ = (depth, leave_out);
        None
    }

    /// The policy of a handler's mailbox.
    fn mailbox(&self, handler: HandlerId) -> Mailbox;

    /// The handler that `task` is posted to; `None` for a thread.
    fn handler(&self, task: TaskId) -> Option<HandlerId>;

    /// Events that must have happened before the next operation of `task`, whatever that is, and that
    /// happen before it: `(task, n)` is the n-th event (counted from 1) of that task.
    fn gate_of(&self, task: TaskId) -> &[(TaskId, u32)] {
        let _ = task;
        &[]
    }

    /// May two lock operations by messages of one handler be exchanged? (Recorded Android traces say
    /// yes: a looper never competes with itself.)
    fn locks_ignore_own_handler(&self) -> bool {
        false
    }

    /// The initial number of permits of a semaphore.
    fn permits(&self, semaphore: ObjectId) -> u32 {
        let _ = semaphore;
        0
    }

    /// A name that is unique and the same in every execution and in every process, such as
    /// `poster[0]` for a thread and `poster[0].1` for its first child; schedules are written with it.
    fn task_path(&self, task: TaskId) -> String;

    /// Is that longer than people read? Schedules then call the task by the step that creates it.
    fn has_long_path(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }

    /// What people call the task, such as `first(0)`.
    fn task_label(&self, task: TaskId) -> String;

    /// What people call all tasks that run the same code, such as `first`.
    fn task_kind(&self, task: TaskId) -> String {
        let label = self.task_label(task);
        label.split(['(', '[']).next().unwrap_or_default().to_owned()
    }

    /// What people call the handler.
    fn handler_name(&self, handler: HandlerId) -> String;

    /// What a variable holds at the beginning, if that is known without executing anything.
    fn initial_value(&self, object: ObjectId) -> Option<i64> {
        let _ = object;
        None
    }

    /// What people call the object.
    fn object_name(&self, object: ObjectId) -> String;

    /// `file:line:column` of a place.
    fn location(&self, location: LocationId) -> String;
}

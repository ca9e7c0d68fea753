//! EM-DPOR: posts to one queue are independent, and are reordered only where a race asks for it.
//!
//! **Explores** each trace (happens-before without mailbox order) at least once, some several times.
//! **Source**: Maiya, Gupta, Kanade, Majumdar, "A partial order reduction technique for event-driven
//! multi-threaded programs", algorithms 1 to 4 and appendix C. **Guarantee**: every class of the oracle, complete
//! and deadlocked, on the sample traces and on every random program and trace of the ordinary test run and of
//! longer hunts. It is measured, not proved, because of deviations 3 to 6 and 10.
//! **Cost**: one frame and one bit row for each event of the current execution; the number of executions is
//! bounded by the orders of posts.
//!
//! **Deviations**
//! 1. Races of performed events, and of operations that wait for ever, are dealt with at the end of an execution instead of
//!    for the next operations of every state: it is known then what a message that is in the way does to its end.
//!    Messages behind one that never ends are reordered with it. Events of two messages of one queue race only if
//!    nothing of the first message happens before the second event: otherwise they cannot come the other way round.
//! 2. Semaphores race too, unless the permit of the first event is needed and the two run in different threads.
//! 3. Waiting messages are rescheduled as in the paper, but all of them, and as soon as no candidate is going to be explored.
//!    (The paper explores every candidate before. Here none is added if the message at the front of a candidate's queue is
//!    being explored. To wait for one that nobody has asked for is to wait for ever, and the race may be in no other
//!    execution: a permit may be missing there, or another branch be taken, as in
//!    `regressions/fifo-an-acquisition-between-two-releases.ed`.)
//!    What conflicts with the second event and comes after the first counts as leading to it; this replaces the
//!    temporary edges of appendix C.
//! 4. Reordered posts are not ordered (rule 3 of Definition 3.1 is left out).
//! 5. There are sleep sets, where posts to one queue conflict. What sleeps is a reason not to explore anything for a race
//!    only if it is what the reversed race begins with, also where its lane has another message to run first: the
//!    paper takes anybody who leads to the second event, which passes over classes once there are sleep sets
//!    (`regressions/fifo-what-sleeps-does-not-begin-the-sequence.ed`). A post that sleeps is none if another post to its
//!    queue comes before it in what is reversed: what was explored from it has its message before those of all later
//!    posts, and the race may need another order (`regressions/fifo-sleeping-post-is-no-excuse.ed`).
//! 6. When nothing leads to the second event, every pair of earlier posts to one queue is reordered, without
//!    the growing relation of algorithm 4.
//! 7. A message that had to wait for something that an earlier one of its queue had to do is reordered with
//!    that: the other order is a deadlock (see `waits`). So is one that waits for ever with those before it, where an assumption ends the execution.
//! 8. Messages of multiset handlers are threads that take a lock on their handler.
//! 9. Where the second event of a race may touch something else without the first (a compare-and-swap, an atomic block
//!    that branches), what leads to it is not known, and everybody is explored before the first
//!    (`regressions/an-atomic-block-writes-only-before-another-write.ed`).
//! 10. If an event of one message comes before an event of a later one of its queue, the whole message does, and what leads to
//!     its end leads to the second event. Without that, a message that sleeps seems to begin what is reversed although something
//!     else has to wake it first (`regressions/fifo-a-race-behind-a-message-that-sleeps.ed`).

mod order;
mod races;
mod target;
mod waits;

use crate::algorithms::waiting_loops::WaitingLoops;
use crate::bits;
use crate::config::Config;
use crate::driver::Driver;
use crate::ids::{HandlerId, TaskId};
use crate::operation::{Effect, Next, Operation};
use crate::outcome::{Ending, Observer, Outcome};
use crate::program::{Mailbox, Program, Run};
use crate::touch::{Dependence, Touch, conflict};
use order::Order;
use races::{Second, can_do_without, races_with};
use smallvec::SmallVec;
use std::ops::Range;

/// Explores every trace at least once.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Multisets);
    EmDpor {
        driver,
        order: Order::default(),
        frames: Vec::new(),
        races: Vec::new(),
        waiting_loops: WaitingLoops::default(),
    }
    .explore()
}

/// What the paper calls a thread: what runs one task at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lane {
    /// A thread, or a message of a multiset handler.
    Task(TaskId),
    /// A FIFO handler.
    Queue(HandlerId),
}

/// An event that has been explored from some state.
#[derive(Clone, Debug)]
struct Explored {
    task: TaskId,
    touches: SmallVec<[Touch; 2]>,
    /// The queue it posts to.
    queue: Option<HandlerId>,
}

/// The races of one event.
#[derive(Debug)]
struct Races {
    second: usize,
    firsts: Vec<usize>,
    /// The firsts, and all that the second event comes after in any case.
    before: Vec<u64>,
}

/// One state of the current execution.
#[derive(Default, Debug)]
struct Frame {
    /// Who can move.
    enabled: Vec<TaskId>,
    /// Whose next event need not be explored: it was, from an earlier state, and nothing since conflicts.
    sleep: Vec<Explored>,
    /// Who shall be explored.
    backtrack: Vec<TaskId>,
    /// Who has been explored.
    done: Vec<Explored>,
    /// Who is being explored, and its alternatives that have not been.
    current: Option<(TaskId, Range<u32>)>,
}

impl Frame {
    fn sleeps(&self, task: TaskId) -> bool {
        self.sleep.iter().any(|event| event.task == task)
    }

    fn has_tried(&self, task: TaskId) -> bool {
        self.sleeps(task) || self.done.iter().any(|event| event.task == task)
    }

    /// Will it be explored from here?
    fn is_pending(&self, task: TaskId) -> bool {
        let is_current = self.current.as_ref().is_some_and(|&(current, _)| current == task);
        !is_current && self.backtrack.contains(&task) && !self.has_tried(task)
    }

    /// Is, has been or will be explored from here, or need not be.
    fn covers(&self, task: TaskId) -> bool {
        self.backtrack.contains(&task) || self.sleeps(task)
    }

    /// Has the next event of `task` explored from here, even if it sleeps.
    fn add(&mut self, task: TaskId) {
        self.sleep.retain(|event| event.task != task);
        self.backtrack.push(task);
    }
}

struct EmDpor<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    order: Order,
    /// The states before each event of the current execution.
    frames: Vec<Frame>,
    /// The races of the current execution, in the order of the second events.
    races: Vec<Races>,
    waiting_loops: WaitingLoops,
}

impl<P: Program> EmDpor<'_, P> {
    fn explore(mut self) -> Outcome {
        loop {
            self.enter();
            if self.driver.stopped() {
                return self.driver.outcome(false);
            }
            let Some((task, choice)) = self.next_move() else {
                return self.driver.outcome(true);
            };
            self.driver.step(task, choice);
            if self.driver.stopped() {
                return self.driver.outcome(false);
            }
            self.order.push(self.driver.execution());
            let last = self.driver.depth() - 1;
            self.find_races_of(last);
            self.reorder_awaited(last);
        }
    }

    /// Opens a frame for the state just reached, or counts the execution that ends there.
    fn enter(&mut self) {
        let mut enabled = Vec::new();
        self.driver.enabled(&mut enabled);
        if enabled.is_empty() {
            let ending = self.driver.finish();
            self.reorder_races();
            if ending != Ending::Complete && !self.driver.stopped() {
                self.reorder_waiting();
            }
            if ending == Ending::Blocked && !self.driver.stopped() {
                self.reorder_waiting_for_ever();
                self.waiting_loops.search(&mut self.driver);
            }
            return;
        }
        let mut frame = Frame { enabled, sleep: self.still_asleep(), ..Frame::default() };
        let awake = frame.enabled.iter().copied().find(|&task| !frame.sleeps(task));
        match awake {
            Some(first) => frame.backtrack.push(first),
            None => {
                self.driver.abandon();
                self.reorder_races();
                self.reorder_waiting();
            }
        }
        self.frames.push(frame);
    }

    /// What slept or was done before the last event and does not conflict with it.
    fn still_asleep(&self) -> Vec<Explored> {
        let Some(frame) = self.frames.last() else {
            return Vec::new();
        };
        let last = self.explored(self.frames.len() - 1);
        let known = frame.sleep.iter().chain(&frame.done);
        known.filter(|event| event.task != last.task && !event.conflicts(&last)).cloned().collect()
    }

    fn explored(&self, event: usize) -> Explored {
        let execution = self.driver.execution();
        let it = &execution.events()[event];
        let queue = match it.effect {
            Effect::Post(_, handler) if self.driver.walk.run.mailbox(handler) == Mailbox::Fifo => {
                Some(handler)
            }
            _ => None,
        };
        Explored { task: it.task, touches: execution.touches(event).into(), queue }
    }

    /// Goes back to the deepest state from which something waits to be explored, and says what.
    fn next_move(&mut self) -> Option<(TaskId, u32)> {
        loop {
            let depth = self.frames.len().checked_sub(1)?;
            if self.driver.depth() > depth {
                self.leave(depth);
            }
            let frame = &mut self.frames[depth];
            if let Some((task, alternatives)) = &mut frame.current
                && let Some(choice) = alternatives.next()
            {
                return Some((*task, choice));
            }
            frame.current = None;
            let open = frame.backtrack.iter().copied().find(|&task| !frame.has_tried(task));
            if let Some(task) = open {
                let count = match self.driver.walk.run.next(task) {
                    Next::Operation(Operation::Choose(count)) => count,
                    _ => 1,
                };
                frame.current = Some((task, 1..count));
                return Some((task, 0));
            }
            self.frames.pop();
        }
    }

    /// Comes back to a state.
    fn leave(&mut self, depth: usize) {
        let explored = self.explored(depth);
        self.driver.rewind(depth);
        self.order.truncate(depth);
        let kept = self.races.partition_point(|races| races.second < depth);
        self.races.truncate(kept);
        let frame = &mut self.frames[depth];
        if frame.current.as_ref().is_none_or(|(_, alternatives)| alternatives.is_empty()) {
            frame.done.push(explored);
        }
    }

    /// Takes note of the races of a new event.
    fn find_races_of(&mut self, event: usize) {
        let execution = self.driver.execution();
        let it = &execution.events()[event];
        let touches = execution.touches(event);
        let waits = !it.data_dependent && touches.iter().any(|touch| touch.may_block());
        let past = self.order.closure(execution.program_past(event).iter().map(|&p| p as usize));
        let second = Second { task: it.task, touches, waits, past: &past };
        let firsts = self.races_with(&second, event);
        if !firsts.is_empty() {
            let before = self.order.closure(firsts.iter().copied().chain(bits::iter(&past)));
            self.races.push(Races { second: event, firsts, before });
        }
    }

    /// Reorders the races of the current execution.
    fn reorder_races(&mut self) {
        let races = std::mem::take(&mut self.races);
        for Races { second, firsts, before } in &races {
            let it = &self.driver.execution().events()[*second];
            let (task, data_dependent) = (it.task, it.data_dependent);
            for &first in firsts {
                if self.driver.is_time_up() {
                    break;
                }
                self.reorder(first, task, before);
                if data_dependent {
                    self.reorder_blindly(first);
                }
            }
        }
        self.races = races;
    }

    /// The races of an event that comes after the first `end` ones. A message can come before another one of its
    /// queue even if it has to wait for that then.
    fn races_with(&self, second: &Second<'_>, end: usize) -> Vec<usize> {
        let (execution, order) = (self.driver.execution(), &self.order);
        let lane = self.lane(second.task);
        races_with(execution, order, second, |first| {
            let task = execution.events()[first].task;
            if self.lane(task) == lane {
                // One message comes before the other as a whole.
                let start = execution.start_of(task);
                return start.is_none_or(|start| !bits::contains(second.past, start));
            }
            let run = &self.driver.walk.run;
            // An attempt does not wait, so it needs nothing.
            !second.waits || can_do_without(run, execution, order, first, second.touches, end)
        })
    }

    /// Reorders what keeps operations from being performed at the end of an execution.
    fn reorder_waiting(&mut self) {
        for task in self.driver.walk.state.alive().to_vec() {
            let Next::Operation(operation) = self.driver.walk.run.next(task) else {
                continue;
            };
            if operation == Operation::Start && matches!(self.lane(task), Lane::Queue(_)) {
                self.reorder_with_stuck_message(task);
                continue;
            }
            let (execution, run) = (self.driver.execution(), &self.driver.walk.run);
            let Some(waiting) = execution.races_of_waiting(run, task, operation) else {
                continue;
            };
            let touches: SmallVec<[Touch; 2]> = waiting.touches;
            let past = self.order.closure(waiting.past.iter().map(|&event| event as usize));
            let second = Second { task, touches: &touches, waits: true, past: &past };
            let races = self.races_with(&second, self.driver.depth());
            let before = self.order.closure(races.iter().copied().chain(bits::iter(&past)));
            for first in races {
                if self.driver.is_time_up() {
                    return;
                }
                self.reorder(first, task, &before);
            }
        }
    }

    /// A message waits in a queue behind one that never ends.
    fn reorder_with_stuck_message(&mut self, message: TaskId) {
        let Some(handler) = self.driver.walk.run.handler(message) else {
            return;
        };
        let waiting = self.driver.walk.state.mailbox(handler).iter().copied();
        let stuck = self.driver.walk.state.active(handler).into_iter().chain(waiting);
        for before in stuck.take_while(|&before| before != message).collect::<Vec<_>>() {
            if self.driver.is_time_up() {
                return;
            }
            self.reorder_posts(before, message);
        }
    }

    fn lane(&self, task: TaskId) -> Lane {
        match self.driver.walk.run.handler(task) {
            Some(handler) if self.driver.walk.run.mailbox(handler) == Mailbox::Fifo => {
                Lane::Queue(handler)
            }
            _ => Lane::Task(task),
        }
    }
}

impl Explored {
    /// Does the order of the two matter to anything, be it the order of two messages in a queue?
    fn conflicts(&self, other: &Explored) -> bool {
        conflict(&self.touches, &other.touches)
            || (self.queue.is_some() && self.queue == other.queue)
    }
}

//! A whole message is an event, as in the paper, as long as it might as well be indivisible: messages of multiset mailboxes that
//! neither wait nor choose, and that race with nobody but messages of their own handler.
//!
//! Whether that holds is looked up in every execution. If it ever fails, it fails in an execution with undivided messages: up to the
//! first access that tells, whatever happened between the steps of a message can be exchanged with them.

use super::performer::Performer;
use crate::bits;
use crate::execution::Execution;
use crate::ids::{HandlerId, ObjectId};
use crate::operation::{Effect, Mode};
use crate::outcome::Ending;
use crate::program::{Mailbox, Program, Run};
use crate::reorder::{Happened, Recorded, Sequence};
use rustc_hash::FxHashMap;

/// What has just been performed; nothing if its messages cannot be taken as indivisible. If the time is up it is good for nothing.
pub fn sequence<P: Program>(performer: &mut Performer<'_, P>, ending: Ending) -> Option<Sequence> {
    let is_plain = ending == Ending::Complete && steps_are_plain(performer);
    let execution = performer.driver.lend_execution();
    let driver = &mut performer.driver;
    (is_plain && messages_keep_to_themselves(&execution, || driver.is_time_up())).then(|| {
        let mut sequence = recorded(performer, &execution).into_sequence();
        sequence.puts_off = true;
        sequence
    })
}

/// Does nothing wait, choose in a message, or pass through a queue?
fn steps_are_plain<P: Program>(performer: &Performer<'_, P>) -> bool {
    let execution = performer.driver.execution();
    let handlers = 0..execution.handler_count();
    let queues = handlers.map(HandlerId::from).any(|handler| {
        !execution.posted(handler).is_empty() && execution.mailbox(handler) == Mailbox::Fifo
    });
    // A message that had to wait has gone on later.
    let mut named = performer.performed.iter().map(|performed| performer.named(performed.event));
    let is_divided =
        named.any(|step| step.index > 1 && performer.driver.walk.run.handler(step.task).is_some());
    let mut events = execution.events().iter().enumerate();
    !queues
        && !is_divided
        && events.all(|(at, event)| {
            let is_message = execution.handler(event.task).is_some();
            let waits = matches!(event.effect, Effect::Choose(_) | Effect::Join(_));
            let modes = execution.accesses(at).iter().map(|access| access.mode);
            !(is_message && waits) && modes.into_iter().all(is_plain)
        })
}

fn is_plain(mode: Mode) -> bool {
    matches!(mode, Mode::Read | Mode::Write | Mode::Update)
}

/// The events, with what they follow whatever the schedule and what they access. Fewer if the time is up.
fn recorded<P: Program>(performer: &mut Performer<'_, P>, execution: &Execution) -> Recorded {
    let count = performer.performed.len();
    let events = (0..count).map_while(|at| {
        if performer.driver.is_time_up() {
            return None;
        }
        let (appeared, vanished) = performer.changes(at);
        let mut happened = Happened {
            event: performer.performed[at].event,
            appeared,
            vanished,
            ..Happened::default()
        };
        for step in steps_of(performer, at) {
            let earlier = execution.program_past(step).iter();
            let earlier = earlier.map(|&before| event_of(performer, before as usize));
            happened.after.extend(earlier.filter(|&before| before != at).map(|at| at as u32));
            write_accesses(execution, step, &mut happened);
        }
        Some(happened)
    });
    let events = events.collect();
    Recorded { initially: performer.possible[0].clone(), events, cut: false }
}

fn write_accesses(execution: &Execution, step: usize, happened: &mut Happened) {
    for access in execution.accesses(step) {
        let into =
            if access.mode == Mode::Read { &mut happened.reads } else { &mut happened.writes };
        into.push(access.object.0);
    }
}

/// The steps of the event at a position.
fn steps_of<P: Program>(performer: &Performer<'_, P>, at: usize) -> std::ops::Range<usize> {
    let end = performer.performed.get(at + 1).map(|next| next.first_step);
    performer.performed[at].first_step..end.unwrap_or(performer.driver.depth())
}

/// The position of the event that a step belongs to.
fn event_of<P: Program>(performer: &Performer<'_, P>, step: usize) -> usize {
    performer.performed.partition_point(|event| event.first_step <= step) - 1
}

/// Is every conflict of a message one with a message of its handler, or one whose order no schedule changes? No if the time is up.
fn messages_keep_to_themselves(
    execution: &Execution,
    mut is_time_up: impl FnMut() -> bool,
) -> bool {
    let fixed = fixed_order(execution);
    let task = |step: usize| execution.events()[step].task;
    let owner = |step: usize| execution.handler(task(step));
    let mut accesses: FxHashMap<ObjectId, Vec<(usize, Mode)>> = FxHashMap::default();
    for (step, past) in fixed.iter().enumerate() {
        if is_time_up() {
            return false;
        }
        for access in execution.accesses(step) {
            let earlier = accesses.entry(access.object).or_default();
            let is_told = |&(first, mode): &(usize, Mode)| {
                // Steps of threads are events of their own.
                mode.conflicts(access.mode)
                    && owner(first) != owner(step)
                    && !bits::contains(past, first)
            };
            if earlier.iter().any(is_told) {
                return false;
            }
            earlier.push((step, access.mode));
        }
    }
    true
}

/// For each step, those that come before it whatever the schedule. (Not for each message: what it forks may run beside it.)
fn fixed_order(execution: &Execution) -> Vec<bits::Bits> {
    let mut rows: Vec<bits::Bits> = Vec::with_capacity(execution.len());
    for step in 0..execution.len() {
        let mut row = bits::empty(execution.words());
        for &before in execution.program_past(step) {
            bits::union(&mut row, &rows[before as usize]);
            bits::insert(&mut row, before as usize);
        }
        rows.push(row);
    }
    rows
}

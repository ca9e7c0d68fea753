//! Every step of a task is an event: the dependence and the races are those that other algorithms see.

use super::performer::Performer;
use crate::algorithms::sleep_sets::WORK_FOR_AN_EVENT;
use crate::algorithms::staying::{Awaited, Staying};
use crate::execution::Execution;
use crate::operation::Next;
use crate::outcome::Ending;
use crate::pace::Pace;
use crate::program::{Program, Run};
use crate::reorder::{Race, Second, Sequence};

/// What has just been performed.
pub fn sequence<P: Program>(performer: &mut Performer<'_, P>, ending: Ending) -> Sequence {
    let words = performer.driver.execution().words();
    let mut sequence = Sequence::new(words, performer.possible[0].clone(), false);
    for at in 0..performer.performed.len() {
        // What is worked out is good for nothing then.
        if performer.driver.is_time_up() {
            return sequence;
        }
        let (appeared, vanished) = performer.changes(at);
        let execution = performer.driver.execution();
        let touches = execution.touches(at).to_vec();
        let event = performer.performed[at].event;
        sequence.push(event, &execution.before(at), touches, appeared, vanished);
    }
    sequence.puts_off = true;
    sequence.races = races(performer, ending);
    sequence
}

/// The races. Fewer if the time is up, which whoever asks sees too.
fn races<P: Program>(performer: &mut Performer<'_, P>, ending: Ending) -> Vec<Race> {
    let (execution, run) = (performer.driver.execution(), &performer.driver.walk.run);
    let performed = |&(first, second): &(u32, u32)| {
        let event = second as usize;
        let (touches, past) = (execution.touches(event), execution.program_past(event));
        let waits = !execution.events()[event].data_dependent;
        let awaited = waits.then_some(Awaited { touches, past });
        race(execution, run, first, awaited, Second::Event(second))
    };
    let mut pace = Pace::new(performer.driver.watch());
    let is_time = |_: &&(u32, u32)| !pace.is_up_after(WORK_FOR_AN_EVENT * execution.len());
    let mut all: Vec<Race> = execution.races().iter().take_while(is_time).map(performed).collect();
    other_choices(performer, &mut all);
    if ending != Ending::Complete {
        races_of_waiting(performer, &mut all);
    }
    all.sort_by_key(|race| race.first);
    all
}

/// Picking one alternative makes the others impossible.
fn other_choices<P: Program>(performer: &Performer<'_, P>, races: &mut Vec<Race>) {
    for (at, performed) in performer.performed.iter().enumerate() {
        let picked = performer.named(performed.event);
        let others = performer.possible[at].iter().filter(|&&event| {
            let step = performer.named(event);
            step.task == picked.task && step.choice != picked.choice
        });
        races.extend(others.map(|&event| Race {
            first: at as u32,
            others: Vec::new(),
            second: Second::Missed { event, past: Vec::new() },
        }));
    }
}

/// What waits for ever could be performed before what it waits for.
fn races_of_waiting<P: Program>(performer: &mut Performer<'_, P>, races: &mut Vec<Race>) {
    for task in performer.driver.walk.state.alive().to_vec() {
        let Next::Operation(operation) = performer.driver.walk.run.next(task) else { continue };
        let event = performer.next_event(task, 0);
        let (execution, run) = (performer.driver.execution(), &performer.driver.walk.run);
        let Some(waiting) = execution.races_of_waiting(run, task, operation) else { continue };
        let awaited = Awaited { touches: &waiting.touches, past: &waiting.past };
        races.extend(waiting.races.iter().map(|&first| {
            let past = waiting.past.to_vec();
            race(execution, run, first, Some(awaited), Second::Missed { event, past })
        }));
    }
}

/// A race, with all who hold the lock that the second event waits for.
fn race(
    execution: &Execution,
    run: &impl Run,
    first: u32,
    awaited: Option<Awaited<'_>>,
    second: Second,
) -> Race {
    let unaffected_behind = |event| execution.unaffected_behind(event);
    let staying = awaited.and_then(|awaited| {
        Staying::so_that_it_goes(execution, run, first as usize, awaited, unaffected_behind)
    });
    // Where it is not known to help, it is tried.
    let Some(Staying { left_out, depth, .. }) = staying else {
        return Race { first, others: Vec::new(), second };
    };
    let others = left_out.iter().filter(|&&event| event != depth).map(|&event| event as u32);
    Race { first: depth as u32, others: others.collect(), second }
}

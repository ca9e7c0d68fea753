//! Every step of a task is an event: the dependence and the races are those that other algorithms see.

use super::performer::Performer;
use crate::operation::Next;
use crate::outcome::Ending;
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

fn races<P: Program>(performer: &mut Performer<'_, P>, ending: Ending) -> Vec<Race> {
    let races = performer.driver.execution().races().iter();
    let mut all: Vec<Race> =
        races.map(|&(first, second)| Race { first, second: Second::Event(second) }).collect();
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
        races.extend(waiting.races.iter().map(|&first| {
            let past = waiting.past.to_vec();
            Race { first, second: Second::Missed { event, past } }
        }));
    }
}

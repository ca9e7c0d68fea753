//! What Flanagan and Godefroid's algorithm, Source-DPOR and Optimal-DPOR share: sleep sets, and races of the
//! conflict relation that are reversed at the end of every execution. They differ in what a reversed race leaves
//! behind ([`Wakeups`]): a whole wakeup sequence, or only its first step.

use crate::algorithms::frames::{Frame, Reduction};
use crate::algorithms::settled::Settled;
use crate::algorithms::staying::{Awaited, Staying};
use crate::bits;
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::operation::{Next, Operation};
use crate::outcome::Ending;
use crate::pace::Pace;
use crate::program::{Program, Run};
use crate::reversal::{Last, Reversal};
use crate::wakeup::{Explored, WakeupTree};

/// To reverse a race is to go through the whole execution in steps as wide as a row, each of which takes as long as so many words.
pub const WORK_FOR_AN_EVENT: usize = 16;

/// What an algorithm keeps of a reversed race.
pub trait Wakeups {
    /// Keeps of `sequence` what the algorithm needs, in the tree of branches that wait at its point, unless
    /// one of `explored` (asleep there, or explored from there) or of the branches covers it. Says
    /// whether there is a new branch.
    fn keep(
        &self,
        explored: Explorations<'_>,
        pending: &mut WakeupTree,
        sequence: Reversal<'_>,
    ) -> bool;
}

/// What has been explored at some point: what sleeps there, and what was explored from there.
#[derive(Clone, Copy)]
pub struct Explorations<'f> {
    sleep: &'f [Explored],
    done: &'f [Explored],
}

impl Explorations<'_> {
    /// Has an execution that contains the sequence been explored?
    pub fn cover(&self, sequence: &Reversal<'_>) -> bool {
        self.sleep.iter().chain(self.done).any(|event| event.is_weak_initial(sequence))
    }

    /// Has an initial of the sequence been explored from this very point?
    pub fn include_initial(&self, sequence: &Reversal<'_>) -> bool {
        self.done.iter().any(|event| event.is_initial(sequence))
    }

    /// Has the next event of this task, with this alternative, been explored from here?
    pub fn include(&self, next: (TaskId, u32)) -> bool {
        self.done.iter().any(|event| (event.task, event.choice) == next)
    }
}

/// The reduction by sleep sets. For each prefix are kept the events that need not be explored from there: explored
/// from a shorter prefix, and nothing since conflicts with them.
pub struct SleepSets<W> {
    wakeups: W,
    settled: Settled,
}

impl<W: Wakeups> SleepSets<W> {
    /// With this to keep of races.
    pub fn new(wakeups: W) -> Self {
        SleepSets { wakeups, settled: Settled::default() }
    }
}

type Sleep = Vec<Explored>;

impl<W: Wakeups> Reduction for SleepSets<W> {
    type Kept = Sleep;

    /// What slept or was done before the last event and does not conflict with it.
    fn inherit<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Sleep>],
        _pending: &WakeupTree,
    ) -> Sleep {
        let Some(frame) = frames.last() else { return Vec::new() };
        if frame.kept.is_empty() && frame.done.is_empty() {
            return Vec::new();
        }
        let last = frames.len() - 1;
        let task = driver.execution().events()[last].task;
        let touches = driver.execution().touches(last);
        let stays = |event: &&Explored| {
            event.task != task && !crate::touch::conflict(&event.touches, touches)
        };
        frame.kept.iter().chain(&frame.done).filter(stays).cloned().collect()
    }

    fn sleeps(&self, frames: &[Frame<Sleep>], task: TaskId, choice: u32) -> bool {
        let is_it = |event: &Explored| event.task == task && event.choice == choice;
        let mut known = frames.last().into_iter().flat_map(|f| f.kept.iter().chain(&f.done));
        known.any(is_it)
    }

    fn ended<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Sleep>],
        ending: Option<Ending>,
    ) {
        self.reverse_races(driver, frames);
        if ending != Some(Ending::Complete) {
            each_waiting(driver, |driver, first, last| {
                self.reverse(driver, frames, first, last);
            });
        }
    }

    fn went_back<P: Program>(&mut self, driver: &Driver<'_, P>) {
        self.settled.truncate(driver.depth(), driver.execution().races().len());
    }
}

impl<W: Wakeups> SleepSets<W> {
    fn reverse_races<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Sleep>],
    ) {
        self.settled.begin(driver.execution());
        let watch = driver.watch().clone();
        let mut pace = Pace::new(&watch);
        for at in 0..driver.execution().races().len() {
            if pace.is_up_after(WORK_FOR_AN_EVENT * driver.depth()) {
                driver.is_time_up();
                return;
            }
            let execution = driver.execution();
            let (first, second) = execution.races()[at];
            let (first, second) = (first as usize, second as usize);
            if !self.settled.is_settled(at, first) {
                self.settled.consider(execution, at, &execution.unaffected_by(first));
                let last = Last::performed(execution, second);
                self.reverse(driver, frames, first, last);
            }
        }
        self.settled.considered(driver.execution());
    }

    /// Makes a wakeup sequence that performs `last` without `first`, and keeps it if nothing explored
    /// covers it.
    fn reverse<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Sleep>],
        first: usize,
        last: Last,
    ) {
        driver.statistics.races += 1;
        let Some((depth, sequence)) = reversal_of(driver, first, last) else { return };
        let frame = &mut frames[depth];
        let explored = Explorations { sleep: &frame.kept, done: &frame.done };
        if self.wakeups.keep(explored, &mut frame.pending, sequence) {
            driver.statistics.wakeups += 1;
        }
    }
}

/// What stays without `first`, and then `last`, if that can be performed; and after how many events that is.
pub fn reversal_of<'d, P: Program>(
    driver: &'d mut Driver<'_, P>,
    first: usize,
    last: Last,
) -> Option<(usize, Reversal<'d>)> {
    let execution = driver.execution();
    let unaffected_behind = |event| execution.unaffected_behind(event);
    // An attempt does not wait: it is tried, and may do something else.
    let (staying, last) = if last.data_dependent {
        let staying = Staying::without(first, unaffected_behind(first));
        let last = try_last(driver, first, &staying.members, last);
        (staying, last)
    } else {
        let awaited = Awaited { touches: &last.touches, past: &last.past };
        let run = &driver.walk.run;
        let staying = Staying::so_that_it_goes(execution, run, first, awaited, unaffected_behind)?;
        (staying, last)
    };
    let last = last.behind(driver.execution(), |event| staying.contains(event));
    Some((staying.depth, Reversal::new(driver.execution(), staying.members, last)))
}

/// The second event of a race as it turns out without the first.
fn try_last<P: Program>(
    driver: &mut Driver<'_, P>,
    first: usize,
    members: &[u64],
    last: Last,
) -> Last {
    let events = driver.execution().events();
    let mut moves: Vec<_> =
        bits::iter(members).map(|event| (events[event].task, events[event].choice)).collect();
    moves.push((last.task, last.choice));
    last.as_tried(driver.walk.try_last(first, &moves))
}

/// The races between events that happened and operations that wait for ever, until the time is up.
pub fn each_waiting<'a, P: Program>(
    driver: &mut Driver<'a, P>,
    mut reverse: impl FnMut(&mut Driver<'a, P>, usize, Last),
) {
    driver.walk.come_back();
    for task in driver.walk.state.alive().to_vec() {
        driver.walk.come_back();
        let Next::Operation(operation) = driver.walk.run.next(task) else {
            continue;
        };
        let (execution, run) = (driver.execution(), &driver.walk.run);
        let Some(waiting) = execution.races_of_waiting(run, task, operation) else {
            continue;
        };
        let starts = operation == Operation::Start;
        for &first in &waiting.races {
            if driver.is_time_up() {
                return;
            }
            reverse(driver, first as usize, Last::waiting(task, &waiting, starts));
        }
    }
}

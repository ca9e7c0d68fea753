//! Source-DPOR with context-sensitive independence: what leads to the same state is explored in one order.
//!
//! **Explores** at least one execution to each final state. **Source**: Albert, Gómez-Zamalloa, Isabel, Rubio, "Constrained
//! dynamic partial order reduction" and its predecessor "Context-sensitive dynamic partial order reduction", CAV 2017,
//! as recalled in section 3.1 of Albert, Garcia de la Banda, Gómez-Zamalloa, Isabel, Stuckey, JSS 2023. Sleep sets hold
//! sequences: where two events that race lead to the same state in either order, the other order sleeps.
//! **Guarantee**: every final state is reached, complete, blocked or deadlocked, and with it every failure; explorations may
//! be begun that sleep sets stop (`redundant`). Only for programs whose states can be compared. Messages of one handler
//! conflict as in [`super::optimal`], and mailboxes are part of the state. **Cost**: as [`super::source`], and for each race twice the
//! events that happen before its second one.
//!
//! **Deviations**
//! 1. States are compared directly behind the two events, not behind all that happens after the first (D1 of
//!    [`super::optimal_cs`]; `programs/context/overwritten.ed` loses a result otherwise).
//! 2. The sequence that sleeps is the past of the second event and the two events, nothing else.
//! 3. Locks, deadlocks and choices as in [`super::optimal`].

use crate::algorithms::dont_do::{DontDo, Inheritance, add, can_be_compared, inherited};
use crate::algorithms::frames::{Frame, Frames, Reduction};
use crate::algorithms::sleep_sets::{WORK_FOR_AN_EVENT, each_waiting, reversal_of};
use crate::config::Config;
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::outcome::{Ending, Observer, Outcome};
use crate::pace::Pace;
use crate::program::{LeaveOut, Program};
use crate::reversal::{Last, Reversal};
use crate::touch::Dependence;
use crate::wakeup::{Branch, Explored, WakeupTree};
use smallvec::SmallVec;

/// Explores at least one execution to each final state.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    Frames::new(driver, SleepingSequences).explore()
}

/// The reduction.
struct SleepingSequences;

/// What is kept for a prefix.
#[derive(Default, Debug)]
struct Kept {
    /// Sequences that need not be performed from here.
    sleep: Vec<DontDo>,
    /// Events of the backtrack set that sleep.
    passed_over: Vec<Explored>,
}

type Prefix = Frame<Kept>;

impl Reduction for SleepingSequences {
    type Kept = Kept;

    fn inherit<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        _pending: &WakeupTree,
    ) -> Kept {
        let depth = frames.len();
        let Some(frame) = frames.last() else { return Kept::default() };
        let event = Explored::performed(driver.execution(), depth - 1);
        let done = frame.done.iter().cloned().map(DontDo::from);
        let known: Vec<DontDo> = frame.kept.sleep.iter().cloned().chain(done).collect();
        Kept { sleep: inherited(&known, &event, Inheritance::Plain), passed_over: Vec::new() }
    }

    fn sleeps(&self, frames: &[Prefix], task: TaskId, choice: u32) -> bool {
        frames.last().is_some_and(|frame| {
            let is_done = |event: &Explored| event.task == task && event.choice == choice;
            frame.kept.sleep.iter().any(|it| it.is_only(task, choice))
                || frame.done.iter().any(is_done)
        })
    }

    fn pass_over<P: Program>(
        &mut self,
        _driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        branch: Branch,
    ) {
        if let Some(frame) = frames.last_mut() {
            frame.kept.passed_over.push(branch.event);
        }
    }

    /// The races of the last event.
    fn performed<P: Program>(&mut self, driver: &mut Driver<'_, P>, frames: &mut [Prefix]) {
        let second = driver.depth() - 1;
        let races = driver.execution().races().iter().rev();
        let own = races.take_while(|&&(_, event)| event as usize == second);
        let firsts: SmallVec<[usize; 4]> = own.map(|&(first, _)| first as usize).collect();
        let watch = driver.watch().clone();
        let mut pace = Pace::new(&watch);
        for first in firsts {
            if pace.is_up_after(WORK_FOR_AN_EVENT * second) && driver.is_time_up() {
                break;
            }
            driver.statistics.races += 1;
            let last = Last::performed(driver.execution(), second);
            if let Some((depth, sequence)) = reversal_of(driver, first, last) {
                backtrack(&mut frames[depth], &sequence);
            }
            compare(driver, &mut frames[first], first, second);
        }
        driver.walk.come_back();
    }

    fn ended<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        ending: Option<Ending>,
    ) {
        if ending != Some(Ending::Complete) {
            each_waiting(driver, |driver, first, last| {
                if let Some((depth, sequence)) = reversal_of(driver, first, last) {
                    backtrack(&mut frames[depth], &sequence);
                }
            });
        }
    }
}

/// Adds the first event of a sequence to the backtrack set, unless it has an initial of the sequence.
fn backtrack(frame: &mut Prefix, sequence: &Reversal<'_>) {
    let is_initial = |event: &Explored| event.is_initial(sequence);
    let waits = frame.pending.branches.iter().any(|branch| is_initial(&branch.event));
    let mut explored = frame.done.iter().chain(&frame.kept.passed_over);
    if !waits && !explored.any(is_initial) {
        frame.pending.append_first(sequence);
    }
}

/// If both orders of a race lead to the same state, the other one sleeps.
fn compare<P: Program>(
    driver: &mut Driver<'_, P>,
    frame: &mut Prefix,
    first: usize,
    second: usize,
) {
    if !can_be_compared(driver, first, second) {
        return;
    }
    let execution = driver.execution();
    let happens_before_it = |&event: &usize| execution.happens_before(event, second);
    let ancestors: Vec<usize> = (first + 1..second).filter(happens_before_it).collect();
    let race = (first, second);
    if let Some(it) = DontDo::of_race(driver, race, &ancestors, &[], LeaveOut::Nothing) {
        add(&mut frame.kept.sleep, it);
    }
}

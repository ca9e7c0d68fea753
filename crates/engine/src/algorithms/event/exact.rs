//! Event-DPOR without wakeup trees: each trace of an event-driven program once, whatever the program does.
//!
//! **Explores** the traces that [`super`] explores. **Source**: the traces, races and reversals of Event-DPOR (Abdulla and others, ATVA
//! 2023, Definitions 1, 2 and 5, Algorithm 2). In place of its Algorithms 1, 3 and 4 (sleeping messages, wakeup trees, parked sequences)
//! the traces that have been found are remembered by name. **Guarantee**, for every program and both kinds of mailboxes: every complete trace and
//! every deadlock, and every trace that an assumption cuts short, unless it is contained in another one; none is explored twice, also where messages
//! branch, choose or wait for ever. Where a reversal leads is tried aside, which is not counted. **Cost**: 16 bytes for each trace, and the moves of
//! those that wait; for each reversal of a race an execution, which is often one of a known trace. So it takes one to six
//! times the time of [`super`].
//!
//! **Invariant**. For each reversal that has been considered, a trace that contains it is known: it has been explored, or waits.
//!
//! **Why nothing is missed**. Let F be an execution that ends, and let E be an explored one whose trace contains as many of the first events of F
//! as possible, with the same past. Say the next event e of F is not among them. The program has come as far in E, so the task
//! of e has the same operation next there. Either it waits for ever in E, or it has been performed behind something else, x say, that comes before e in E
//! and not in F (or it is a choice, made otherwise). The first events of F do not happen after x. They can be performed, and e behind them,
//! so some largest reversal of the race of x and e contains them, and e comes behind less of E than before. A trace that contains this
//! reversal is known. Doing the same there again and again, e comes behind nothing but what it comes behind in F: that trace contains one more of
//! the first events of F.

use super::aside::Aside;
use super::deadlocks::Deadlocks;
use super::decision;
use super::kept::Moves;
use super::reverse_race::Race;
use super::waiting_races;
use crate::algorithms::settled::{Settled, Verdict};
use crate::algorithms::waiting_loops::WaitingLoops;
use crate::config::Config;
use crate::driver::{Driver, Move, shared};
use crate::estimate::Waiting as Queue;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::outcome::{Ending, Observer, Outcome};
use crate::program::{Program, Run};
use crate::reversal::Last;
use crate::rng::Rng;
use crate::touch::Dependence;
use rustc_hash::FxHashSet;

/// Explores one execution of each trace.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Queues);
    decision::watch(driver.watch().clone());
    Exploration {
        driver,
        known: FxHashSet::default(),
        frames: vec![Frame::default()],
        aside: Aside::default(),
        settled: Settled::default(),
        deadlocks: Deadlocks::default(),
        waiting_loops: WaitingLoops::default(),
        rng: config.shuffle.map(Rng::new),
    }
    .explore()
}

/// From this length on the clock is watched during the reversal of races too.
const LONG_EXECUTION: usize = 128;

/// A prefix of the current execution.
#[derive(Default)]
struct Frame {
    /// How many alternatives the event behind it had.
    alternatives: u32,
    /// Executions that wait to be explored and began with it when they were found, but not with the next longer one.
    pending: Vec<Moves>,
}

impl Frame {
    fn waiting(&self) -> Queue {
        Queue { certain: self.pending.len(), perhaps: 0 }
    }
}

struct Exploration<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    /// The names of the traces that have been found. Each has been explored, or waits.
    known: FxHashSet<Fingerprint>,
    /// One for each prefix of the current execution, the whole of it included.
    frames: Vec<Frame>,
    aside: Aside,
    settled: Settled,
    deadlocks: Deadlocks,
    waiting_loops: WaitingLoops,
    /// Makes the free choices, if they are to be made at random.
    rng: Option<Rng>,
}

impl<P: Program> Exploration<'_, P> {
    fn explore(mut self) -> Outcome {
        self.find(&[]);
        while !self.driver.stopped()
            && let Some(moves) = self.backtrack()
        {
            self.perform(&moves);
            if !self.driver.stopped() {
                self.finish();
            }
            self.driver.survey(self.frames.iter().map(Frame::waiting));
        }
        let exhausted = !self.driver.stopped();
        if decision::has_given_up() {
            self.driver.give_up(
                "whether messages can be ordered in some way was too large a question for the solver",
            );
        }
        // Whatever has ended the exploration: what it has found is told.
        self.deadlocks.report(&mut self.driver);
        let exhausted = exhausted && !self.driver.stopped();
        self.driver.outcome(exhausted)
    }

    /// Makes these moves aside, and goes on to the end of an execution. If its trace is new, it waits to be explored.
    fn find(&mut self, moves: &[Move]) {
        let Some((moves, execution)) =
            self.aside.perform(&mut self.driver, moves, self.rng.as_mut())
        else {
            return self.driver.give_up(
                "a reversal of a race that should be possible is not; a mistake in Mazurka, please report it",
            );
        };
        if self.known.insert(execution.fingerprint_of(0..execution.len())) {
            self.driver.statistics.wakeups += 1;
            let depth = shared(self.driver.walk.path(), moves);
            self.frames[depth].pending.push(Moves::new(moves));
        }
    }

    /// The next execution: one that waits at the longest prefix.
    fn backtrack(&mut self) -> Option<Vec<Move>> {
        let depth = self.frames.iter().rposition(|frame| !frame.pending.is_empty())?;
        let next = self.frames[depth].pending.remove(0).read();
        if self.driver.depth() > 0 {
            self.driver.branch_is_explored(depth, self.frames[depth].waiting());
        }
        Some(next)
    }

    /// Makes these moves, from the initial state to the end of an execution.
    fn perform(&mut self, moves: &[Move]) {
        let shared = shared(self.driver.walk.path(), moves);
        self.driver.rewind(shared);
        self.frames.truncate(shared + 1);
        self.settled.truncate(shared, self.driver.execution().races().len());
        for &(task, choice) in &moves[shared..] {
            let alternatives = self.driver.walk.run.alternatives(task);
            let before = self.driver.depth();
            self.driver.step(task, choice);
            if self.driver.depth() > before {
                self.frames[before].alternatives = alternatives;
                self.frames.push(Frame::default());
            }
            if self.driver.stopped() {
                return;
            }
        }
    }

    /// Counts the current execution and reverses its races.
    fn finish(&mut self) {
        let ending = self.driver.finish();
        if self.driver.stopped() {
            return;
        }
        let execution = self.driver.lend_execution();
        self.settled.begin(&execution);
        for (at, &(first, second)) in execution.races().iter().enumerate() {
            let (first, second) = (first as usize, second as usize);
            if self.settled.judge(&execution, at, first, second) != Verdict::Settled {
                self.reverse(&execution, first, Last::performed(&execution, second));
            }
            // Long executions have many races.
            if execution.len() > LONG_EXECUTION && self.driver.is_time_up() {
                return;
            }
        }
        self.settled.considered(&execution);
        self.choose_otherwise(&execution);
        if ending != Ending::Complete {
            self.reverse_waiting(&execution);
        }
        drop(execution);
        if ending == Ending::Deadlocked {
            self.deadlocks.explored(self.driver.execution());
        }
        self.deadlocks.search(&mut self.driver);
        if ending == Ending::Blocked && !self.driver.stopped() {
            self.waiting_loops.search(&mut self.driver);
        }
        self.driver.walk.come_back();
    }

    /// A choice races with its other alternatives: whatever does not happen after it may come before one of them.
    fn choose_otherwise(&mut self, execution: &Execution) {
        for first in 0..execution.len() {
            let chosen = execution.events()[first].choice;
            for choice in (0..self.frames[first].alternatives).filter(|&other| other != chosen) {
                // There may be thousands of them.
                if self.driver.is_time_up() {
                    return;
                }
                let last = Last { choice, ..Last::performed(execution, first) };
                self.reverse(execution, first, last);
            }
        }
    }

    /// Reverses races of operations that wait for ever.
    fn reverse_waiting(&mut self, execution: &Execution) {
        self.driver.walk.come_back();
        for task in self.driver.walk.state.alive().to_vec() {
            for race in waiting_races::of(&mut self.driver.walk, execution, task) {
                self.consider(&race);
            }
        }
    }

    fn reverse(&mut self, execution: &Execution, first: usize, last: Last) {
        let race = waiting_races::race(&self.driver.walk, execution, first, last);
        self.consider(&race);
    }

    /// Sees to it that a trace with each reversal of a race is known.
    fn consider(&mut self, race: &Race<'_>) {
        if race.longest_prefix().is_none() {
            return;
        }
        self.driver.statistics.races += 1;
        let (maximal, _) = race.maximal_at(0, &mut || self.driver.is_time_up());
        for found in &maximal {
            self.find(&race.moves(found));
        }
    }
}

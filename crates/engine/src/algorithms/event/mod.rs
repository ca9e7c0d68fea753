//! Event-DPOR: one execution for each trace of an event-driven program, where messages of one handler
//! conflict only where their accesses do.
//!
//! **Explores** every trace (Definitions 1 and 2: happens-before without the order of messages on handlers
//! or of posts to mailboxes). **Source**: Abdulla, Atig, Bønneland, Das, Jonsson, Lång, Sagonas, "Tailoring
//! stateless model checking for event-driven multi-threaded programs", ATVA 2023, with traces that are remembered by name in place of its wakeup
//! trees. **Guarantee**, for every program, under multiset and FIFO mailboxes: every complete trace and
//! every deadlock, and every trace that an assumption cuts short, unless it is contained in another one; none is explored twice, also where
//! messages branch, choose or wait for ever, where the paper promises that for programs that do not branch. **Cost**: 16 bytes for each trace, and the
//! moves of the reversals that wait; what the latest traces contain takes some twenty megabytes at most. An execution that is begun may turn out to be of
//! a known trace (`redundant`), but only where what an operation does depends on values, or where what old traces contain has been forgotten. A reversal takes
//! O(events²/64) where the first attempt at an order succeeds. Deciding whether a set of events can be performed at all is NP-hard.
//!
//! | file | paper |
//! |---|---|
//! | here | Algorithm 1, `Explore`; its redundancy checks, and insertion into wakeup trees (Algorithms 3 and 4), are a look at the known traces |
//! | [`reverse_race`] | Algorithm 2, `ReverseRace` |
//! | [`maximal`], [`cores`] | lines 8 to 16 of Algorithm 2: the largest sets of messages that can all be there, and messages that cannot |
//! | [`scenario`], [`realise`] | lines 26 to 31 of Algorithm 2, the witness construction: the one question, is there an order? |
//! | [`passes`], [`advice`] | the same, for an order that is nearly at hand |
//! | [`machine`] | the execution model, section 4: handlers and mailboxes, an event at a time |
//! | [`saturation`] | Definition 6 |
//! | [`decision`] | the decision procedure, by the solver of the consistency crate |
//! | [`reversed`] | not in the paper: races that need not be reversed again |
//! | [`known`] | not in the paper: traces that have been found, and what they contain |
//! | [`waiting_races`] | not in the paper: races of operations that wait for ever |
//! | [`deadlocks`] | not in the paper: deadlocks of messages that wait for each other |
//! | [`pending`] | reversals that wait |
//! | [`check`] | not in the paper: nothing that was considered is lost |
//!
//! **Words**. A *race* is a pair of events whose order can be reversed (Definition 5). A *reversal* is a largest set of events that can be
//! performed without the first event of a race and allows the second, which is its *last*. A *scenario* is a set of events of which is asked whether it
//! can be performed. A trace is *known* when an execution of it has been explored; it *contains* a set of events
//! if they are among its events, each with the same past. The *frontier* of a reversal are its latest events.
//!
//! **Invariant**. For each reversal of each race of the explored executions, a trace that contains it, or a larger set without the first event, is known, or it
//! waits to be performed. The exploration is over when nothing waits.
//!
//! **Why nothing is missed**. Let F be an execution that ends, and let E be an explored one whose trace contains as many of the first events of F
//! as possible. Say the next event e of F is not among them. The program has come as far in E, so the task
//! of e has the same operation next there. Either it waits for ever in E, or it has been performed behind something else, x say, that comes before e in E
//! and not in F (or it is a choice, made otherwise). The first events of F do not happen after x. They can be performed, and e behind them,
//! so some largest reversal of the race of x and e contains them, and e comes behind less of E than before: not behind x, and behind nothing that it did not
//! come behind in E, since what comes behind e in E comes behind x too. In the end a trace that contains this reversal, or a larger set without x, is known. Doing the same there again and again, e comes behind nothing but what it comes behind in F: that trace contains
//! one more of the first events of F.
//!
//! **Why nothing is explored twice**. A trace is explored when its name is new, and names are the same for the same trace ([`Fingerprint`]).
//!
//! **Deviations** (others stand in the files)
//! 1. Wakeup trees. What the paper has to find out beforehand, whether a reversal leads to something that has been explored, it finds out
//!    from what messages did elsewhere: an NP-hard question, which has no answer where messages branch. Here a reversal that no known trace
//!    contains ([`known`]) is performed, and the name of its trace says the rest.
//! 2. FIFO mailboxes. A message of a FIFO handler that can start is the only one that can, so starting
//!    it is never a choice; posting to the mailbox is. The order of the posts is no part of a trace, so
//!    posts do not conflict; where an order of messages asks for an order of posts, [`realise`] finds it.
//! 3. Blocked executions. An operation that waits for ever at the end of an execution races with the
//!    acquisitions that it could have come before; a message that waits behind one that is blocked
//!    races with the start of that one, or with its post if it cannot start. Deadlocks whose traces are part
//!    of others are searched for ([`deadlocks`]).
//! 4. A choice races with its other alternatives.

mod advice;
mod check;
mod cores;
mod deadlocks;
mod decision;
mod known;
mod machine;
mod maximal;
mod passes;
mod pending;
mod realise;
mod reverse_race;
mod reversed;
mod saturation;
mod scenario;
mod waiting_races;

use crate::algorithms::settled::Settled;
use crate::algorithms::waiting_loops::WaitingLoops;
use crate::bits::Bits;
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
use check::{Check, Fate};
pub use deadlocks::Deadlocks;
use known::Known;
use maximal::{Looked, Maximal};
use pending::{Pending, Read};
use reverse_race::{Frontier, Race, what_has_to_wait};
use reversed::Reversed;
use std::collections::VecDeque;

/// Explores one execution of each trace.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Queues);
    decision::watch(driver.watch().clone());
    Exploration {
        driver,
        known: Known::default(),
        frames: Vec::new(),
        choices: Vec::new(),
        settled: Settled::default(),
        reversed: Reversed::default(),
        deadlocks: Deadlocks::default(),
        waiting_loops: WaitingLoops::default(),
        check: config.check.then(Check::default),
        rng: config.shuffle.map(Rng::new),
        scratch: Vec::new(),
        races: Vec::new(),
    }
    .explore()
}

/// What is said of a reversal that was found to be possible and is not.
const IMPOSSIBLE: &str =
    "a reversal of a race that should be possible is not; a mistake in Mazurka, please report it";

/// From this length on the clock is watched during the reversal of races too, and during the search for messages that wait.
const LONG_EXECUTION: usize = 128;

/// When so many sets have been looked at for reversals of one race, the clock is looked at too.
const MANY: usize = 16;

/// A prefix of the current execution.
#[derive(Default)]
struct Frame {
    /// Reversals that wait to be performed and began with it when they were found, but not with the next longer one.
    pending: VecDeque<Pending>,
}

impl Frame {
    fn waiting(&self) -> Queue {
        Queue { certain: 0, perhaps: self.pending.len() }
    }
}

/// A race of the current execution, and its name.
struct NamedRace {
    first: u32,
    second: u32,
    /// What does not happen after the first event, or the start of its message if the whole message has to wait.
    unaffected: Bits,
    name: Fingerprint,
}

struct Exploration<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    /// The traces that have been explored.
    known: Known,
    /// One for each prefix of the current execution, the whole of it included, as far as something waits there. Where nothing waits any more, frames
    /// stay, with their memory.
    frames: Vec<Frame>,
    /// Which events of the current execution had alternatives, and how many.
    choices: Vec<(usize, u32)>,
    settled: Settled,
    reversed: Reversed,
    deadlocks: Deadlocks,
    waiting_loops: WaitingLoops,
    /// Looks for reversals that got lost, if that is wanted.
    check: Option<Check>,
    /// Makes the free choices, if they are to be made at random.
    rng: Option<Rng>,
    /// Where reversals are written down.
    scratch: Vec<u8>,
    /// Where races are gathered.
    races: Vec<NamedRace>,
}

impl<P: Program> Exploration<'_, P> {
    fn explore(mut self) -> Outcome {
        let mut next = Some((0, Vec::new()));
        while let Some((depth, moves)) = next {
            if self.perform(depth, &moves) {
                self.finish();
            }
            self.driver.survey(self.frames.iter().map(Frame::waiting));
            next = if self.driver.stopped() { None } else { self.backtrack() };
        }
        let exhausted = !self.driver.stopped();
        let asked = decision::asked();
        self.driver.statistics.redundancy_checks.decision = asked.questions;
        if asked.has_given_up {
            self.driver.give_up(
                "whether messages can be ordered in some way was too large a question for the solver",
            );
        }
        let lost = self.check.iter().filter(|_| exhausted).find_map(Check::lost);
        if let Some(fate) = lost {
            self.driver.give_up(format!(
                "--check: a reversal of a race is in no explored trace ({fate:?}); a mistake in Mazurka, please report it"
            ));
        }
        // Whatever has ended the exploration: what it has found is told.
        self.deadlocks.report(&mut self.driver);
        let exhausted = exhausted && !self.driver.stopped();
        self.driver.outcome(exhausted)
    }

    /// The next reversal: one that waits at the longest prefix, and is not contained in a trace that was found since it waits. As the length of the
    /// prefix, and the moves behind it.
    fn backtrack(&mut self) -> Option<(usize, Vec<Move>)> {
        loop {
            let prefixes = &self.frames[..self.frames.len().min(self.driver.depth() + 1)];
            let depth = prefixes.iter().rposition(|frame| !frame.pending.is_empty())?;
            let next = self.frames[depth].pending.pop_front()?;
            self.driver.branch_is_explored(depth, self.frames[depth].waiting());
            let Read { names, positions, moves } = next.read();
            self.known.close_from(depth);
            if !self.known.contains(&names, &positions) {
                return Some((depth, moves));
            }
            self.driver.statistics.redundancy_checks.simple += 1;
        }
    }

    /// Makes these moves behind the first `depth` ones, and then those of everybody who can move on, to the end of an execution. Says whether its
    /// trace is new.
    fn perform(&mut self, depth: usize, moves: &[Move]) -> bool {
        let made = shared(&self.driver.walk.path()[depth..], moves);
        self.driver.rewind(depth + made);
        self.choices.truncate(self.choices.partition_point(|choice| choice.0 < depth + made));
        self.settled.truncate(depth + made, self.driver.execution().races().len());
        for &step in &moves[made..] {
            if !self.driver.can_step(step.0) {
                self.driver.give_up(IMPOSSIBLE);
                return false;
            }
            self.step(step);
            if self.driver.stopped() {
                return false;
            }
        }
        while let Some(task) = self.driver.pick_enabled(self.rng.as_mut(), |_| true) {
            self.step((task, 0));
            if self.driver.stopped() {
                return false;
            }
        }
        let execution = self.driver.execution();
        let name = execution.fingerprint_of_first(execution.len());
        let is_new = self.known.insert(name, execution.fingerprints());
        if !is_new {
            self.driver.statistics.redundancy_checks.witness += 1;
            self.driver.abandon();
        }
        is_new
    }

    fn step(&mut self, (task, choice): Move) {
        let alternatives = self.driver.walk.run.alternatives(task);
        let before = self.driver.depth();
        self.driver.step(task, choice);
        if alternatives > 1 && self.driver.depth() > before {
            self.choices.push((before, alternatives));
        }
    }

    /// Counts the current execution and reverses its races.
    fn finish(&mut self) {
        let ending = self.driver.finish();
        if self.driver.stopped() {
            return;
        }
        let execution = self.driver.lend_execution();
        if let Some(check) = &mut self.check {
            check.explored(&execution);
        }
        self.reverse_races(&execution);
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
    }

    /// Reverses the races of the current execution.
    fn reverse_races(&mut self, execution: &Execution) {
        let races = self.new_races(execution);
        for races in races.chunk_by(|one, other| one.second == other.second) {
            let last = self.performed(execution, races[0].second as usize);
            for race in races {
                let first = what_has_to_wait(execution, race.first as usize, last.task);
                self.consider(&Race::without(execution, first, &last, race.unaffected.clone()));
                // Long executions have many races.
                if execution.len() > LONG_EXECUTION && self.driver.is_time_up() {
                    return;
                }
            }
        }
        self.races = races;
        self.settled.considered(execution);
    }

    /// The races of the current execution that are not settled and have not been reversed, with their names.
    fn new_races(&mut self, execution: &Execution) -> Vec<NamedRace> {
        self.settled.begin(execution);
        let mut races = std::mem::take(&mut self.races);
        races.clear();
        for (at, &race) in execution.races().iter().enumerate() {
            let (first, second) = race;
            let task = execution.events()[second as usize].task;
            let waits = what_has_to_wait(execution, first as usize, task);
            if self.settled.is_settled(at, waits) {
                self.driver.statistics.redundancy_checks.happens_before += 1;
                self.note_performed(execution, race, Fate::Settled);
            } else {
                let unaffected = execution.unaffected_by(waits);
                self.settled.consider(execution, at, &unaffected);
                let name = reverse_race::name(execution, waits, &unaffected, second as usize);
                races.push(NamedRace { first, second, unaffected, name });
            }
            if execution.len() > LONG_EXECUTION && self.driver.is_time_up() {
                break;
            }
        }
        // All at once: the table is large, so the processor had better wait for several of its places at the same time.
        races.retain(|race| {
            let is_new = !self.has_been_reversed(race.name);
            if !is_new {
                self.note_performed(execution, (race.first, race.second), Fate::Reversed);
            }
            is_new
        });
        races
    }

    /// The second event of a race.
    fn performed(&self, execution: &Execution, second: usize) -> Last {
        self.with_permits(Last::performed(execution, second))
    }

    /// With what the semaphore has that it takes a permit from.
    fn with_permits(&self, mut last: Last) -> Last {
        if let Some((object, _)) = last.touches.iter().find_map(|touch| touch.waits_on()) {
            last.permits = i64::from(self.driver.walk.run.permits(object));
        }
        last
    }

    /// A choice races with its other alternatives: whatever does not happen after it may come before one of them.
    fn choose_otherwise(&mut self, execution: &Execution) {
        for at in 0..self.choices.len() {
            let (first, alternatives) = self.choices[at];
            let chosen = execution.events()[first].choice;
            for choice in (0..alternatives).filter(|&other| other != chosen) {
                // There may be thousands of them.
                if self.driver.is_time_up() {
                    return;
                }
                let last = Last { choice, ..self.performed(execution, first) };
                self.consider_if_new(&Race::new(execution, first, &last));
            }
        }
    }

    /// Reverses races of operations that wait for ever.
    fn reverse_waiting(&mut self, execution: &Execution) {
        self.driver.walk.come_back();
        for task in self.driver.walk.state.alive().to_vec() {
            let Some(waiting) = waiting_races::of(&mut self.driver.walk, execution, task) else {
                continue;
            };
            let last = self.with_permits(waiting.last);
            let races = waiting.firsts.iter().map(|&first| Race::new(execution, first, &last));
            let queue = waiting.post.map(|first| Race::in_queue(execution, first, &last));
            for race in races.chain(queue) {
                // Thousands may wait.
                if self.driver.is_time_up() {
                    return;
                }
                self.consider_if_new(&race);
            }
        }
    }

    /// Has a race with this name been reversed lately? It has now.
    fn has_been_reversed(&mut self, name: Fingerprint) -> bool {
        let is_known = !self.reversed.insert(name);
        self.driver.statistics.redundancy_checks.simple += u64::from(is_known);
        is_known
    }

    /// The same for a race of an event that has not been performed.
    fn consider_if_new(&mut self, race: &Race<'_>) {
        if self.has_been_reversed(race.name()) {
            return self.note(race, Fate::Reversed);
        }
        self.consider(race);
    }

    /// Sees to it that a trace with each reversal of a race is known, or that the reversal waits. What is part of something that a known trace
    /// contains, or that waits, need not be looked at.
    fn consider(&mut self, race: &Race<'_>) {
        let Exploration { driver, known, reversed, check, .. } = self;
        driver.statistics.races += 1;
        let mut looked_at = 0;
        let reversals = race.reversals(&mut |members| {
            looked_at += 1;
            let takes_long = looked_at > MANY || race.execution.len() > LONG_EXECUTION;
            if takes_long && driver.is_time_up() {
                return Looked::Stop;
            }
            let frontier = race.frontier(members);
            if !reversed.contains(race.name_of(&frontier))
                && !known.contains(&[frontier.last], &frontier.events)
            {
                return Looked::Wanted(frontier);
            }
            driver.statistics.redundancy_checks.simple += 1;
            check.iter_mut().for_each(|check| check.considered(race, members, Fate::Covered));
            Looked::Known
        });
        for reversal in &reversals {
            self.reversed.insert(race.name_of(&reversal.frontier));
            if let Some(check) = &mut self.check {
                check.considered(race, &reversal.members, Fate::Inserted);
            }
            self.insert(race, reversal);
        }
    }

    /// A reversal waits to be performed.
    fn insert(&mut self, race: &Race<'_>, reversal: &Maximal) {
        let execution = race.execution;
        let depth = reversal.shared();
        let moves = reversal.moves_from(depth, execution, Some(race.last));
        let Frontier { last, events } = &reversal.frontier;
        let (new, shared) = events.split_at(events.len() - reversal.frontier.shared(depth));
        let names = new.iter().map(|&event| execution.fingerprints()[event as usize]);
        let pending = Pending::new(*last, names, shared, moves, &mut self.scratch);
        if self.frames.len() <= depth {
            self.frames.resize_with(depth + 1, Frame::default);
        }
        self.frames[depth].pending.push_back(pending);
        self.driver.statistics.wakeups += 1;
    }

    /// Takes note of what has become of a race of two performed events.
    fn note_performed(&mut self, execution: &Execution, (first, second): (u32, u32), fate: Fate) {
        if self.check.is_some() {
            let last = self.performed(execution, second as usize);
            self.note(&Race::new(execution, first as usize, &last), fate);
        }
    }

    /// Takes note of what has become of a race that is not considered, if the exploration checks itself.
    fn note(&mut self, race: &Race<'_>, fate: Fate) {
        let Some(check) = &mut self.check else { return };
        let mut look = |_: &[u64]| {
            let is_time_up = self.driver.is_time_up();
            if is_time_up { Looked::Stop } else { Looked::Wanted(Frontier::default()) }
        };
        for reversal in race.reversals(&mut look) {
            check.considered(race, &reversal.members, fate);
        }
    }
}

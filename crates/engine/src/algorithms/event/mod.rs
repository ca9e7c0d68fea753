//! Event-DPOR: one execution for each trace of an event-driven program, where messages of one handler
//! conflict only where their accesses do.
//!
//! **Explores** every trace (Definition 1 and 2: happens-before without the order of messages on handlers
//! or of posts to mailboxes). **Source**: Abdulla, Atig, Bønneland, Das, Jonsson, Lång, Sagonas, "Tailoring
//! stateless model checking for event-driven multi-threaded programs", ATVA 2023, Algorithms 1 to 4 and
//! appendix A. **Guarantee**: every complete trace and every deadlock, of every program, under multiset and FIFO
//! mailboxes, and every trace that an assumption cuts short, unless it is contained in another one; hardly any trace is
//! explored twice. That is what random programs show, and what has no proof
//! beyond the paper's. **Cost**: as Optimal-DPOR for races between threads; a reversal that must reorder messages
//! takes O(events²/64) where the first attempt succeeds. Deciding whether a set of events can be performed at all is
//! NP-hard.
//!
//! **Known exception**: a few executions in 100,000 of random programs are of a trace explored before, where messages choose,
//! exchange by comparison, or wait for ever.
//!
//! | file | paper |
//! |---|---|
//! | here | Algorithm 1, `Explore` |
//! | [`reverse_race`] | Algorithm 2, `ReverseRace` |
//! | [`cores`] | lines 8 to 16 of Algorithm 2: messages that cannot all be there |
//! | [`reversed`] | not in the paper: races that need not be reversed again |
//! | [`insert`] | Algorithms 3 and 4, insertion into wakeup trees, parked sequences |
//! | [`wakeup_tree`] | Definition 7, wakeup trees, with parked sequences |
//! | [`wakeup_sequence`] | what is inserted |
//! | [`redundancy`] | appendix A.3, the sequence of redundancy checks |
//! | [`scenario`], [`realise`] | lines 26 to 31 of Algorithm 2: the one question, is there an order? |
//! | [`point`], [`machine`] | where a sequence begins; handlers and queues from there on |
//! | [`saturation`] | Definition 6 |
//! | [`decision`] | the decision procedure, by the solver of the consistency crate |
//! | [`waiting_races`] | not in the paper: races of operations that wait for ever |
//! | [`deadlocks`] | not in the paper: deadlocks of messages that wait for each other |
//! | [`kept`] | what parked sequences are made of |
//! | [`check`] | not in the paper: nothing that was considered is lost |
//! | [`exact`] | not in the paper: the same traces without wakeup trees, each once |
//! | [`access_sequences`] | lines 22 to 31 of Algorithm 1, access sequences of messages |
//!
//! **Words**. A *place* is a handler (multiset) or a position in a queue (FIFO); starting or posting a message takes one.
//! *Rivals* are messages that want the same place, the *lead* is the one that goes first. A *point* is a set of events that have
//! happened; a *path* is a way there. A *sequence* is a set of events to be performed from a point, with the second event of a race
//! and an order. It is *parked* where its relation to a branch is known only when that has been explored.
//!
//! **Invariant**. Take any prefix of the current execution and any class of executions that begin with it. Then one of these holds,
//! and the exploration is over when only the first does at the empty prefix:
//! 1. the class can begin with an event that has been explored from there or is asleep there, and is found behind that event;
//! 2. it contains a sequence that is pending or parked there, and is found when that has been explored;
//! 3. it can begin with the event that is being explored from there;
//! 4. it differs from an execution found behind that event by the order of a race; a reversal of that race, which the class
//!    contains, will be considered there.
//!
//! So a sequence may be dropped only if it is a part of another one that waits, or if something explored is a weak initial of it.
//! Where the latter rests on what a message did elsewhere, an execution that shows it is performed; where that cannot be known yet, the
//! sequence is parked. A reversal that cannot be performed whole is replaced by all its largest parts that can, for every prefix
//! from which they may differ.
//!
//! **Deviations** (others stand in the files)
//! 1. FIFO mailboxes. A message of a FIFO handler that can start is the only one that can, so starting
//!    it is never a choice; posting to the mailbox is. The order of the posts is no part of a trace, so
//!    posts do not conflict; where an order of messages asks for an order of posts, [`realise`] finds it.
//! 2. Blocked executions. An operation that waits for ever at the end of an execution races with the
//!    acquisitions that it could have come before; a message that waits behind one that is blocked
//!    races with the start of that one, or with its post if it cannot start. Deadlocks whose traces are part
//!    of others are searched for ([`deadlocks`]).
//! 3. A choice races with its other alternatives. They cannot just be explored where it is made: that a message may go first
//!    with one of them says nothing of the others.
//! 4. Races that were reversed before, behind the same prefix and with the same events to choose from, are
//!    not reversed again ([`reversed`]).

mod access_sequences;
mod aside;
mod check;
mod cores;
mod deadlocks;
mod decision;
pub mod exact;
mod insert;
mod kept;
mod machine;
mod point;
mod realise;
mod redundancy;
mod reverse_race;
mod reversed;
mod saturation;
mod scenario;
mod waiting_races;
mod wakeup_sequence;
mod wakeup_tree;

use crate::algorithms::settled::{Settled, Verdict};
use crate::algorithms::waiting_loops::WaitingLoops;
use crate::bits::{self, Bits};
use crate::config::Config;
use crate::driver::{Driver, Expected};
use crate::estimate::Waiting as Queue;
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::outcome::{Ending, Observer, Outcome, RedundancyChecks};
use crate::program::{Mailbox, Program, Run};
use crate::reversal::Last;
use crate::rng::Rng;
use crate::touch::{Dependence, conflict};
use crate::wakeup::Explored;
use access_sequences::{AccessSequences, Recent};
use check::{Check, Fate};
pub use deadlocks::Deadlocks;
use insert::Inserter;
use kept::Kept;
use point::Point;
use redundancy::{Answer, Candidate, Kind, LazySaturation, Question};
use reverse_race::{Elsewhere, Maximal, Race, Reserve};
use reversed::Reversed;
use smallvec::SmallVec;
use std::rc::Rc;
use wakeup_sequence::{Path, WakeupSequence};
use wakeup_tree::{Descent, Parked, WakeupTree};

/// Explores one execution of each trace.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Queues);
    decision::watch(driver.watch().clone());
    Exploration {
        driver,
        frames: Vec::new(),
        frames_begun: 0,
        settled: Settled::default(),
        reversed: Reversed::default(),
        recent: Recent::default(),
        kept: Kept::default(),
        deadlocks: Deadlocks::default(),
        waiting_loops: WaitingLoops::default(),
        check: config.check.then(Check::default),
        rng: config.shuffle.map(Rng::new),
    }
    .explore()
}

/// From this length on the clock is watched during the reversal of races too.
const LONG_EXECUTION: usize = 128;

/// When a race cannot be reversed from so many prefixes, it is asked whether it can be reversed at all.
const FIRST_PREFIXES: usize = 3;

/// An event whose exploration from some prefix is over.
#[derive(Debug)]
struct Done {
    event: Explored,
    kind: Kind,
    sequences: AccessSequences,
}

/// Where events stand that were explored before: the prefix's length, and the position among what was
/// explored from there.
type Sleep = SmallVec<[(u32, u32); 4]>;

/// The exploration from one prefix of the current execution.
#[derive(Debug)]
struct Frame {
    /// No other frame has this number.
    number: u64,
    /// Explored from shorter prefixes, and possibly still a weak initial of what has happened since.
    sleep: Sleep,
    /// Explored from here.
    done: Vec<Done>,
    /// The event that is being explored.
    kind: Kind,
    /// How many alternatives it has.
    alternatives: u32,
    /// The access sequences seen so far of the message that it starts or posts.
    sequences: AccessSequences,
    /// Sequences that wait until it has been explored.
    parked: Vec<Parked>,
    /// Branches that wait to be explored from here.
    pending: WakeupTree,
}

impl Frame {
    /// Does something wait to be explored from here, or perhaps?
    fn has_more(&self) -> bool {
        !self.pending.is_empty() || !self.parked.is_empty()
    }

    /// How many branches wait to be explored from here, or perhaps.
    fn waiting(&self) -> Queue {
        Queue { certain: self.pending.len(), perhaps: self.parked.len() }
    }
}

struct Exploration<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    frames: Vec<Frame>,
    /// How many frames there have been.
    frames_begun: u64,
    settled: Settled,
    reversed: Reversed,
    recent: Recent,
    kept: Kept,
    deadlocks: Deadlocks,
    waiting_loops: WaitingLoops,
    /// Looks for sequences that got lost, if that is wanted.
    check: Option<Check>,
    /// Makes the free choices, if they are to be made at random.
    rng: Option<Rng>,
}

impl<P: Program> Exploration<'_, P> {
    fn explore(mut self) -> Outcome {
        let mut tree = WakeupTree::default();
        while !self.driver.stopped() {
            self.extend(tree);
            self.driver.survey(self.frames.iter().map(Frame::waiting));
            if self.driver.stopped() {
                break;
            }
            match self.backtrack() {
                Some(next) => tree = next,
                None => break,
            }
        }
        let exhausted = !self.driver.stopped();
        if decision::has_given_up() {
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

    /// Goes on from the current prefix to a maximal execution, following `tree` first, and reverses its
    /// races.
    fn extend(&mut self, mut tree: WakeupTree) {
        loop {
            let sleep = self.sleep_after_last_step();
            let next = match tree.descend() {
                Some(next) => next,
                None => match self.pick_awake(&sleep) {
                    Some(task) => {
                        let choice = self.first_awake(&sleep, task).unwrap_or(0);
                        Descent { task, choice, parked: Vec::new(), others: WakeupTree::default() }
                    }
                    None if self.driver.first_enabled(|_| true).is_some() => {
                        return self.driver.abandon();
                    }
                    None => return self.finish(),
                },
            };
            let alternatives = self.alternatives(next.task);
            let Some(kind) = self.perform(next.task, next.choice) else { return };
            self.frames_begun += 1;
            self.frames.push(Frame {
                number: self.frames_begun,
                sleep,
                done: Vec::new(),
                kind,
                alternatives,
                sequences: AccessSequences::default(),
                parked: next.parked,
                pending: next.others,
            });
            if self.driver.stopped() {
                return;
            }
        }
    }

    /// A task that can move to where nothing has been explored.
    fn pick_awake(&mut self, sleep: &Sleep) -> Option<TaskId> {
        let mut rng = self.rng.take();
        let is_awake = |task| self.first_awake(sleep, task).is_some();
        let task = self.driver.pick_enabled(rng.as_mut(), is_awake);
        self.rng = rng;
        task
    }

    /// The first alternative of the next operation of a task that does not lead to what has been explored.
    fn first_awake(&self, sleep: &Sleep, task: TaskId) -> Option<u32> {
        (0..self.alternatives(task)).find(|&choice| !self.is_asleep(sleep, task, choice))
    }

    /// How many alternatives the next operation of a task has.
    fn alternatives(&self, task: TaskId) -> u32 {
        self.driver.walk.run.alternatives(task)
    }

    /// Would this alternative of the next operation of the task lead to what has been explored?
    fn is_asleep(&self, sleep: &Sleep, task: TaskId, choice: u32) -> bool {
        sleep.iter().any(|&(depth, at)| {
            let done = &self.frames[depth as usize].done[at as usize];
            done.kind == Kind::Free && done.event.task == task && done.event.choice == choice
        })
    }

    /// Performs an event. Nothing if the exploration cannot go on.
    fn perform(&mut self, task: TaskId, choice: u32) -> Option<Kind> {
        let before = self.driver.depth();
        self.driver.step(task, choice);
        (self.driver.depth() > before).then(|| Kind::of(self.driver.execution(), before))
    }

    /// What was explored before and may still be a weak initial of what has happened since.
    fn sleep_after_last_step(&self) -> Sleep {
        let Some(frame) = self.frames.last() else {
            return Sleep::new();
        };
        if frame.sleep.is_empty() && frame.done.is_empty() {
            return Sleep::new();
        }
        let depth = self.frames.len() as u32 - 1;
        let done = (0..frame.done.len() as u32).map(|at| (depth, at));
        frame
            .sleep
            .iter()
            .copied()
            .chain(done)
            .filter(|&(depth, at)| self.may_sleep(depth as usize, at as usize))
            .collect()
    }

    /// Can something explored from a prefix still be a weak initial, given the event performed last?
    fn may_sleep(&self, depth: usize, at: usize) -> bool {
        let done = &self.frames[depth].done[at];
        let execution = self.driver.execution();
        let last = execution.len() - 1;
        match done.kind {
            Kind::Free => {
                execution.events()[last].task != done.event.task
                    && !conflict(&done.event.touches, execution.touches(last))
            }
            Kind::Start(_) | Kind::Post(..) => !self.is_overtaken(done, depth),
        }
    }

    /// Is the event performed last behind the start of another message that has taken the place, and is it one
    /// of the message of `done`, or does it conflict with whatever that could still do?
    fn is_overtaken(&self, done: &Done, depth: usize) -> bool {
        let execution = self.driver.execution();
        let last = execution.len() - 1;
        let touches = execution.touches(last);
        let (message, handler) = match done.kind {
            Kind::Start(handler) => (done.event.task, handler),
            Kind::Post(message, handler) => (message, handler),
            Kind::Free => return false,
        };
        let is_post = matches!(done.kind, Kind::Post(..));
        let is_behind_rival = || {
            execution.posted(handler).iter().any(|&rival| {
                rival != message
                    && (!is_post || execution.creator(rival).is_some_and(|post| post >= depth))
                    && execution.start_of(rival).is_some_and(|start| {
                        start >= depth && (start == last || execution.happens_before(start, last))
                    })
            })
        };
        let performed = execution.events_of(message).len();
        let conflicts_with_rest = |sequence: &Rc<access_sequences::AccessSequence>| {
            sequence.conflicts_from(performed, touches)
        };
        let is_own = execution.events()[last].task == message;
        (is_own || !touches.is_empty())
            && is_behind_rival()
            && (is_own || done.sequences.complete().iter().all(conflicts_with_rest))
    }

    /// Goes back to the deepest prefix from which something waits to be explored, and begins that.
    fn backtrack(&mut self) -> Option<WakeupTree> {
        loop {
            let depth = self.frames.iter().rposition(Frame::has_more)?;
            self.frames.truncate(depth + 1);
            let event = explored_at(self.driver.execution(), depth);
            let frame = &mut self.frames[depth];
            let sequences = std::mem::take(&mut frame.sequences);
            frame.done.push(Done { event, kind: frame.kind, sequences });
            self.driver.branch_is_explored(depth, frame.waiting());
            self.driver.rewind(depth);
            self.settled.truncate(depth, self.driver.execution().races().len());
            self.insert_parked();
            let frame = &mut self.frames[depth];
            let mut tree = std::mem::take(&mut frame.pending);
            let Some(Descent { task, choice, parked, others }) = tree.descend() else {
                self.frames.pop();
                continue;
            };
            frame.parked = parked;
            frame.pending = others;
            self.frames[depth].alternatives = self.alternatives(task);
            self.frames[depth].kind = self.perform(task, choice)?;
            return Some(tree);
        }
    }

    /// Places the sequences that waited for what has just been explored (Algorithm 4).
    fn insert_parked(&mut self) {
        let depth = self.frames.len() - 1;
        for parked in std::mem::take(&mut self.frames[depth].parked) {
            if self.driver.is_time_up() {
                return;
            }
            let Parked { moves, mut sequence, is_reordered, without, .. } = parked;
            let Some(execution) = self.kept.recall(&mut self.driver, &moves) else { return };
            let point = sequence.path.point(&execution);
            sequence.last = sequence.last.among(&execution, &point.happened, &sequence.members);
            let question = sequence.question(&point);
            let done = self.frames[depth].done.last().expect("just explored");
            if ask(&mut self.driver, depth, question, done) == Answer::Yes {
                self.note(&execution, &sequence, Fate::ExploredLater);
            } else {
                if is_reordered {
                    sequence.order = sequence.scenario(&point).realise().map(|order| order.events);
                }
                let reserve = Reserve::new(&execution, without, &sequence.last.past);
                self.insert(&execution, &reserve, depth, None, sequence);
            }
            self.kept.give_back(execution);
        }
    }

    /// Counts a maximal execution, collects access sequences and reverses races.
    fn finish(&mut self) {
        let ending = self.driver.finish();
        if self.driver.stopped() {
            return;
        }
        self.collect_sequences();
        let execution = self.driver.lend_execution();
        if let Some(check) = &mut self.check {
            check.explored(&execution);
        }
        self.kept.turn_to_explored();
        self.settled.begin(&execution);
        for (at, &(first, second)) in execution.races().iter().enumerate() {
            let (first, second) = (first as usize, second as usize);
            let verdict = self.settled.judge(&execution, at, first, second);
            if verdict == Verdict::Settled {
                continue;
            }
            let race = self.race(&execution, first, Last::performed(&execution, second));
            if verdict == Verdict::New
                || self.reversed.is_new(&race, self.frames[race.first].number)
            {
                self.reverse(&race);
            }
        }
        self.settled.considered(&execution);
        self.choose_otherwise(&execution);
        drop(execution);
        if ending != Ending::Complete {
            self.driver.walk.come_back();
            self.reverse_waiting();
        }
        if ending == Ending::Deadlocked {
            self.deadlocks.explored(self.driver.execution());
        }
        self.deadlocks.search(&mut self.driver);
        if ending == Ending::Blocked && !self.driver.stopped() {
            self.waiting_loops.search(&mut self.driver);
        }
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
                let race = self.race(execution, first, last);
                if self.reversed.is_new(&race, self.frames[first].number) {
                    self.reverse(&race);
                }
            }
        }
    }

    /// Takes note of what messages did that did not end in the execution considered last.
    fn collect_sequences(&mut self) {
        let execution = self.driver.execution();
        for handler in (0..execution.handler_count()).map(HandlerId::from) {
            for end in bits::iter_from(execution.ends_on(handler), self.settled.shared()) {
                let message = execution.events()[end].task;
                let takes_place = match execution.mailbox(handler) {
                    Mailbox::Multiset => execution.start_of(message),
                    Mailbox::Fifo => execution.creator(message),
                };
                let sequences = &mut self.frames[takes_place.expect("it ended")].sequences;
                sequences.collect(execution, message, &mut self.recent);
            }
        }
    }

    /// Reverses races between events that happened and operations that wait for ever.
    fn reverse_waiting(&mut self) {
        for task in self.driver.walk.state.alive().to_vec() {
            let execution = self.driver.lend_execution();
            for race in waiting_races::of(&mut self.driver.walk, &execution, task) {
                if self.reversed.is_new(&race, self.frames[race.first].number) {
                    self.reverse(&race);
                }
            }
        }
    }

    fn race<'e>(&self, execution: &'e Execution, first: usize, last: Last) -> Race<'e> {
        waiting_races::race(&self.driver.walk, execution, first, last)
    }

    /// Reverses a race from every prefix from which the reversal may differ.
    fn reverse(&mut self, race: &Race<'_>) {
        self.driver.statistics.races += 1;
        let execution = race.execution;
        // What is possible from the start is the most that is possible from anywhere.
        let mut wanted: Option<Vec<Bits>> = None;
        let mut found_so_far: SmallVec<[Bits; 2]> = SmallVec::new();
        let Some(mut next) = race.longest_prefix() else { return };
        let mut tried = 0;
        for depth in race.depths() {
            if depth > next {
                continue;
            }
            tried += 1;
            // Where nothing is possible from the first prefixes, something mostly is from the next one.
            if tried > FIRST_PREFIXES || !found_so_far.is_empty() {
                let wanted = wanted.get_or_insert_with(|| {
                    let (maximal, _) = race.maximal_at(0, &mut || self.driver.is_time_up());
                    maximal.into_iter().map(|found| found.members).collect()
                });
                wanted.retain(|set| !found_so_far.iter().any(|found| bits::is_subset(set, found)));
                if wanted.is_empty() {
                    return;
                }
            }
            let (maximal, elsewhere) = race.maximal_at(depth, &mut || self.driver.is_time_up());
            // Long executions have many races, and many prefixes to reverse them from.
            if execution.len() > LONG_EXECUTION && self.driver.is_time_up() {
                return;
            }
            if elsewhere != Elsewhere::Same {
                let prefix = Point::at_depth(execution, depth).happened;
                found_so_far.extend(maximal.iter().map(|found| {
                    let mut with_prefix = found.members.clone();
                    bits::union(&mut with_prefix, &prefix);
                    with_prefix
                }));
            }
            for found in maximal {
                self.reverse_from(race, depth, found);
            }
            match elsewhere {
                Elsewhere::Differs { at_most }
                    if !found_so_far.iter().any(|found| race.is_all(found)) =>
                {
                    next = at_most;
                }
                _ => return,
            }
        }
    }

    /// Considers one maximal reversal from the prefix of this length.
    fn reverse_from(&mut self, race: &Race<'_>, depth: usize, found: Maximal) {
        let execution = race.execution;
        let path = Path { depth, placed: Vec::new() };
        let last = race.last.among(execution, &path.point(execution).happened, &found.members);
        let Maximal { members, order } = found;
        let saturation = LazySaturation::new();
        let mut sequence = WakeupSequence { path, members, order, last, saturation };
        if depth != race.first && self.goes_on(execution, depth, &sequence) {
            return self.note(execution, &sequence, Fate::LeftToLongerPrefix);
        }
        sequence.try_last(execution, &mut self.driver);
        self.consider(execution, &race.reserve, depth, sequence);
    }

    /// Takes note of what has become of a sequence, if the exploration checks itself.
    fn note(&mut self, execution: &Execution, sequence: &WakeupSequence, fate: Fate) {
        if let Some(check) = &mut self.check {
            check.considered(execution, sequence, fate);
        }
    }

    /// Can the sequence begin with the event that the explored execution performs there? Then it is a
    /// matter of a longer prefix.
    fn goes_on(&self, execution: &Execution, depth: usize, sequence: &WakeupSequence) -> bool {
        let point = sequence.path.point(execution);
        let question = sequence.question(&point);
        bits::contains(&sequence.members, depth)
            && question.is_uncontended(Kind::of(execution, depth), execution.events()[depth].task)
    }

    /// Inserts a sequence unless something explored, or the event being explored, covers it.
    fn consider(
        &mut self,
        execution: &Execution,
        reserve: &Reserve,
        depth: usize,
        sequence: WakeupSequence,
    ) {
        if is_explored(&self.frames, depth, execution, &sequence, &mut self.driver) {
            return self.note(execution, &sequence, Fate::Explored);
        }
        self.note(execution, &sequence, Fate::Inserted);
        let current = explored_at(execution, depth);
        self.insert(execution, reserve, depth, Some(&current), sequence);
    }

    /// Inserts a sequence into the tree at the end of a prefix, unless the event that is being explored
    /// from there covers it.
    fn insert(
        &mut self,
        execution: &Execution,
        reserve: &Reserve,
        depth: usize,
        current: Option<&Explored>,
        sequence: WakeupSequence,
    ) {
        let mut pending = std::mem::take(&mut self.frames[depth].pending);
        let mut parked = std::mem::take(&mut self.frames[depth].parked);
        let frames = &self.frames;
        let is_explored = |sequence: &WakeupSequence, driver: &mut Driver<'_, P>| {
            is_explored(frames, depth, execution, sequence, driver)
        };
        let mut inserter = Inserter {
            execution,
            kept: &mut self.kept,
            depth,
            current: current.map(|event| (event, frames[depth].kind)),
            parked: &mut parked,
            left: Vec::new(),
            reserve,
            is_explored: &is_explored,
            driver: &mut self.driver,
        };
        if !inserter.is_left_to_current(&sequence) {
            inserter.insert(&mut pending, sequence);
        }
        self.frames[depth].pending = pending;
        self.frames[depth].parked = parked;
    }
}

impl Done {
    fn candidate(&self) -> Candidate<'_> {
        Candidate { event: &self.event, kind: self.kind, sequences: Some(&self.sequences) }
    }
}

/// An event of an execution as one that is explored.
fn explored_at(execution: &Execution, event: usize) -> Explored {
    let it = &execution.events()[event];
    let touches = SmallVec::from_slice(execution.touches(event));
    Explored { task: it.task, choice: it.choice, touches }
}

/// Asks whether something explored from the prefix of length `depth` is a weak initial of a sequence there.
fn ask<P: Program>(
    driver: &mut Driver<'_, P>,
    depth: usize,
    question: Question<'_, '_>,
    done: &Done,
) -> Answer {
    let mut checks = RedundancyChecks::default();
    let mut trial = |moves: &[Expected<'_>]| match driver.walk.can_perform(depth, moves) {
        true => Answer::Yes,
        false => Answer::No,
    };
    let answer = question.asks(done.candidate(), &mut checks, &mut trial);
    driver.statistics.redundancy_checks.add(&checks);
    answer
}

/// Line 10 of Algorithm 1: has something been explored from a prefix of the path that is a weak initial of
/// what follows there?
fn is_explored<P: Program>(
    frames: &[Frame],
    depth: usize,
    execution: &Execution,
    sequence: &WakeupSequence,
    driver: &mut Driver<'_, P>,
) -> bool {
    let WakeupSequence { path, members, last, saturation, .. } = sequence;
    let frame = &frames[depth];
    if frame.sleep.is_empty() && frame.done.is_empty() {
        return false;
    }
    let end = path.point(execution).happened;
    let own = (0..frame.done.len()).map(|at| (depth, at));
    let asleep = frame.sleep.iter().map(|&(from, at)| (from as usize, at as usize));
    asleep.chain(own).any(|(from, at)| {
        let point = path.point_at(execution, from);
        let mut sequence = end.clone();
        bits::subtract(&mut sequence, &point.happened);
        bits::union(&mut sequence, members);
        let question = Question { point: &point, members: &sequence, last, saturation };
        ask(driver, from, question, &frames[from].done[at]) == Answer::Yes
    })
}

//! Observers for event-driven programs: one execution for each class of executions that differ only in writes nobody reads
//! and in orders of messages that nobody notices.
//!
//! **Explores** every class of happens-before with observers ([`crate::relation`]) in which neither the order of messages on a
//! handler nor that of posts to a mailbox counts, as in [`super::event`]: the same events, in the same order where one of
//! two reads what the other writes (and as ever in tasks, from posts to starts, for locks), and everybody reads what
//! the same event wrote. `finally` reads behind everything. **Source**: nobody's; the relation is that of Aronis, Jonsson, Lång,
//! Sagonas, TACAS 2018, with the traces of Event-DPOR (ATVA 2023). **Guarantee**, for every program and both kinds of mailboxes: every class of complete
//! executions, every deadlock (of those that are contained in other classes at least one, [`super::event`]), every class that is
//! cut short and not contained in another one, and with them every failure. Executions are one for each class, whatever
//! the program does; where what a task does depends on what it reads, or on who came first (a condition, a barrier, an attempt), explorations may turn out
//! to lead to a class that is known (`redundant`). Otherwise there are none.
//! **Cost**: memory for a name of 16 bytes for each class, and for the moves of executions whose reversals have not been looked at.
//! For each execution as many questions as it has races and alternatives of who is read, each NP-hard in general
//! but mostly decided by a look at the explored order.
//!
//! **How**. There is no tree. Known classes are remembered by name, and from each explored execution E others are looked for, until all of
//! them are known:
//!
//! 1. for each race of two events a and e that conflict with something being read, or take the same lock: as much as possible
//!    that does not happen after a, and then e;
//! 2. for each event e that reads, and each other write w that comes before it: as much as possible that does not happen after e, with w the last
//!    to write, and then e;
//! 3. for each choice its other alternatives, behind as much as possible that does not happen after it;
//! 4. for each operation that waits for ever: behind as much as possible without what keeps it from going on;
//! 5. for a complete execution, and each variable that `finally` reads: all events, with another write the last.
//!
//! "As much as possible" are all largest sets of events that can be performed so that each reads what the same event wrote
//! ([`largest`]). Where an event reads several variables, those it read before the one at hand are kept, the later ones are free. How an execution that begins so goes
//! on is foretold ([`machine`]), for those who waited in E from what they did elsewhere ([`imagined`]); if the class that this leads to is known, nothing is
//! done, and otherwise it is performed. A wrong forecast costs an exploration in vain and nothing else: a class that is known contains what is wanted.
//!
//! **Why nothing is missed**. Let F = f1 … fm be any execution that ends, and E one of those explored such that the first k events
//! of F happen in E too, with nothing else in their past and reading the same, with k as large as possible. Say k < m, and e is
//! the next event of F. It can be performed behind f1 … fk, so its task is as far in E, and either e is in E too, with something else in its past or reading something
//! else, or it waits there. (If it is a choice, with another alternative.) If the first thing that it reads differently in F was written by one of f1 … fk, (2) gives an
//! execution in which it reads that. Otherwise something in the past of e in E is not among f1 … fk; a last one of these
//! is in a race with e, and (1) gives an execution with less in its past. In both the largest sets contain f1 … fk, because these and e can be performed. Each
//! time more is right, until k grows. At k = m either F is found, or it stops only because a message went first that keeps others waiting, or
//! `finally` reads something else, and then (5) goes on variable by variable.

mod explored;
mod imagined;
mod largest;
mod machine;
mod order;
mod wanted;

use crate::algorithms::event::Deadlocks;
use crate::algorithms::sequences::{before, races};
use crate::algorithms::waiting_loops::WaitingLoops;
use crate::bits;
use crate::config::Config;
use crate::driver::{Driver, Move, Walk};
use crate::execution::{Execution, rivals};
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::operation::{Mode, Next, Operation};
use crate::outcome::{Ending, Observer, Outcome};
use crate::program::{Program, Run};
use crate::rng::Rng;
use crate::touch::{Dependence, slot, touches_of_waiting};
use explored::{End, Explored, Names, Waiting};
use imagined::{Events, Scripts};
use largest::{Found, largest};
use machine::forecast;
use order::Orders;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use wanted::{Target, Wanted};

/// Explores one execution of each class.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let mut driver = Driver::<P>::new(program, config, observer, Dependence::Queues);
    driver.expect_tables(TABLES);
    Exploration {
        driver,
        rng: config.shuffle.map(Rng::new),
        alternatives: Vec::new(),
        known: FxHashSet::default(),
        performed: FxHashSet::default(),
        unexpanded: Vec::new(),
        scripts: Scripts::default(),
        orders: Orders::default(),
        names: Names::default(),
        deadlocks: Deadlocks::default(),
        waiting_loops: WaitingLoops::default(),
    }
    .explore()
}

/// Each explored execution has a relation, names that are made from it, and what was dropped from it, all for each pair of events.
const TABLES: u64 = 4;

/// Moves from the initial state.
type Moves = Vec<Move>;

struct Exploration<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    /// Who moves first where that is free, if not the oldest.
    rng: Option<Rng>,
    /// For each event of the current execution how many alternatives it had.
    alternatives: Vec<u32>,
    /// The names of the classes that have been explored.
    known: FxHashSet<Fingerprint>,
    /// The names of beginnings that have been performed though it was not known where they lead.
    performed: FxHashSet<Fingerprint>,
    /// Explored executions from which others have not been looked for.
    unexpanded: Vec<(Moves, End)>,
    scripts: Scripts,
    orders: Orders,
    names: Names,
    deadlocks: Deadlocks,
    waiting_loops: WaitingLoops,
}

impl<P: Program> Exploration<'_, P> {
    fn explore(mut self) -> Outcome {
        self.perform(&[], 0);
        while !self.driver.is_time_up()
            && let Some((moves, end)) = self.unexpanded.pop()
        {
            let mut execution = Execution::new(Dependence::Queues);
            if self.driver.walk.recall(&moves, &mut execution)
                && let Some(explored) =
                    Explored::new(execution, end, &self.scripts, self.driver.watch())
            {
                // If the time is up, the loop sees it too.
                let _ = self.expand(&explored);
            }
        }
        let exhausted = !self.driver.stopped();
        self.deadlocks.report(&mut self.driver);
        let exhausted = exhausted && !self.driver.stopped();
        self.driver.outcome(exhausted)
    }

    /// Performs these moves, the first `certain` of them in any case and the others as far as they are possible, and then whatever
    /// can be performed. Counts the execution if its class is new.
    fn perform(&mut self, moves: &[Move], certain: usize) {
        let events = self.driver.execution().events().iter();
        let shared = events.zip(moves).take_while(|(e, it)| (e.task, e.choice) == **it).count();
        self.driver.rewind(shared);
        self.alternatives.truncate(shared);
        for (at, &(task, choice)) in moves.iter().enumerate().skip(shared) {
            if self.driver.is_cut() {
                break;
            }
            if self.driver.walk.is_enabled(task) {
                self.step(task, choice);
            } else if at < certain {
                debug_assert!(self.driver.stopped(), "what was found possible is not");
                self.driver.give_up("a sequence that should be possible is not; a mistake in Mazurka, please report it");
                return;
            }
            if self.driver.stopped() {
                return;
            }
        }
        while let Some(task) = self.next() {
            self.step(task, 0);
            if self.driver.stopped() {
                return;
            }
        }
        self.finish();
    }

    fn next(&mut self) -> Option<TaskId> {
        let Some(rng) = &mut self.rng else { return self.driver.first_enabled(|_| true) };
        let mut enabled = Vec::new();
        self.driver.enabled(&mut enabled);
        (!enabled.is_empty()).then(|| enabled[rng.below(enabled.len() as u64) as usize])
    }

    fn step(&mut self, task: TaskId, choice: u32) {
        let count = self.driver.walk.run.alternatives(task);
        let before = self.driver.depth();
        self.driver.step(task, if choice < count { choice } else { 0 });
        if self.driver.depth() > before {
            self.alternatives.push(count);
            let accesses = self.driver.execution().accesses(before);
            self.scripts.note_semaphores(&self.driver.walk.run, accesses);
        }
    }

    /// Counts the current execution and keeps it, if its class is new.
    fn finish(&mut self) {
        let end = self.end();
        let execution = self.driver.execution();
        let order: Vec<usize> = (0..execution.len()).collect();
        let events = Events::performed(execution);
        let (final_reads, watch) = (end.final_reads.as_deref(), self.driver.watch());
        let Some(name) = self.names.class(events, &order, None, final_reads, watch) else { return };
        if !self.known.insert(name) {
            return self.driver.abandon();
        }
        self.scripts.note(execution, &end);
        let moves = execution.events().iter().map(|event| (event.task, event.choice)).collect();
        self.unexpanded.push((moves, end));
        let ending = self.driver.finish();
        if self.driver.stopped() {
            return;
        }
        if ending == Ending::Deadlocked {
            self.deadlocks.explored(self.driver.execution());
        }
        self.deadlocks.search(&mut self.driver);
        if ending == Ending::Blocked && !self.driver.stopped() {
            self.waiting_loops.search(&mut self.driver);
        }
    }

    /// What can be said of the end of the current execution.
    fn end(&mut self) -> End {
        self.driver.walk.come_back();
        let execution = self.driver.lend_execution();
        let Walk { run, state, .. } = &mut self.driver.walk;
        let is_complete = state.ending(run) == Ending::Complete;
        let final_reads = is_complete.then(|| {
            // What it finds is told when the execution is counted.
            run.finish();
            run.final_reads().iter().copied().map(slot).collect()
        });
        let alive = state.alive().to_vec();
        let waiting = alive.iter().filter_map(|&task| waiting(run, &execution, task)).collect();
        End { alive, waiting, final_reads, alternatives: self.alternatives.clone() }
    }

    /// Looks for other executions, until it is told to stop.
    fn expand(&mut self, explored: &Explored) -> ControlFlow<()> {
        let execution = &explored.execution;
        for (first, second) in races(execution, &explored.relation) {
            self.reverse(explored, first, second)?;
        }
        for event in 0..execution.len() {
            self.look_at_clock()?;
            self.read_otherwise(explored, event)?;
            self.choose_otherwise(explored, event)?;
        }
        for waiting in &explored.end.waiting {
            self.go_on(explored, waiting)?;
        }
        self.finish_otherwise(explored)
    }

    /// Performs the second event of a race without the first (1).
    fn reverse(&mut self, explored: &Explored, first: usize, second: usize) -> ControlFlow<()> {
        self.driver.statistics.races += 1;
        let mut wanted = wanted(explored, second).without(explored, first);
        // What it reads first may be what it has to read, and later ones depend on that.
        self.consider(explored, &wanted)?;
        for &(slot, writer) in &explored.sources[second] {
            let Some(writer) = writer else { continue };
            if !bits::contains(&wanted.available, writer) {
                break;
            }
            wanted = wanted.written_by(explored, slot, writer);
            self.consider(explored, &wanted)?;
        }
        ControlFlow::Continue(())
    }

    /// Lets an event read what somebody else wrote (2).
    fn read_otherwise(&mut self, explored: &Explored, event: usize) -> ControlFlow<()> {
        let mut wanted = wanted(explored, event);
        for &(slot, writer) in &explored.sources[event] {
            for other in explored.relation.writers(slot).take_while(|&other| other < event) {
                if Some(other) != writer {
                    self.consider(explored, &wanted.clone().written_by(explored, slot, other))?;
                }
            }
            if let Some(writer) = writer {
                wanted = wanted.written_by(explored, slot, writer);
            }
        }
        ControlFlow::Continue(())
    }

    /// Picks other alternatives (3).
    fn choose_otherwise(&mut self, explored: &Explored, event: usize) -> ControlFlow<()> {
        let chosen = explored.execution.events()[event].choice;
        for choice in (0..explored.end.alternatives[event]).filter(|&other| other != chosen) {
            let mut wanted = wanted(explored, event);
            wanted.target.iter_mut().for_each(|target| target.choice = choice);
            self.consider(explored, &wanted)?;
        }
        ControlFlow::Continue(())
    }

    /// Lets an operation go on that waits for ever (4).
    fn go_on(&mut self, explored: &Explored, waiting: &Waiting) -> ControlFlow<()> {
        let Waiting { target, past } = waiting;
        let event = explored.events().first_imagined(target.task);
        let target = Target { event, ..target.clone() };
        let wanted = || Wanted::new(explored, Some(target.clone()), past);
        let Some(touch) = target.waits_on else {
            return self.consider(explored, &wanted());
        };
        let history = explored.relation.history(touch.slot);
        let mut firsts = Vec::new();
        rivals(history, touch, |a, b| before(&explored.relation, a, b), &mut firsts);
        if touch.mode == Mode::Wait {
            let waits = history.iter().filter(|(_, earlier)| earlier.mode == Mode::Wait);
            firsts.extend(waits.map(|&(event, _)| event));
            firsts.sort_unstable();
            firsts.dedup();
        }
        for first in firsts {
            if !explored.is_needed(first as usize, past) {
                self.consider(explored, &wanted().without(explored, first as usize))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Lets `finally` read what somebody else wrote (5).
    fn finish_otherwise(&mut self, explored: &Explored) -> ControlFlow<()> {
        let mut wanted = Wanted::new(explored, None, &[]);
        for &slot in explored.end.final_reads.iter().flatten() {
            let Some(last) = explored.relation.last_writer(slot) else { continue };
            for writer in explored.relation.writers(slot).filter(|&writer| writer != last) {
                self.consider(explored, &wanted.clone().written_by(explored, slot, writer))?;
            }
            wanted = wanted.written_by(explored, slot, last);
        }
        ControlFlow::Continue(())
    }

    /// Performs what is wanted, unless it is known where that leads and that has been explored.
    fn consider(&mut self, explored: &Explored, wanted: &Wanted) -> ControlFlow<()> {
        for Found { order, .. } in largest(&mut self.orders, &mut self.driver, explored, wanted) {
            if self.driver.is_time_up() {
                break;
            }
            self.follow(explored, wanted, order);
        }
        self.look_at_clock()
    }

    fn look_at_clock(&mut self) -> ControlFlow<()> {
        if self.driver.is_time_up() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Performs events in this order, and then what is wanted. If the time is up, nothing is performed, and whoever asked for it sees that too.
    fn follow(&mut self, explored: &Explored, wanted: &Wanted, mut order: Vec<usize>) {
        let events = explored.events();
        let target = wanted.target.as_ref();
        let event = target.and_then(|target| target.event);
        order.extend(event);
        let changed = event.zip(target.map(|target| target.choice));
        // What has never been seen leads nowhere that is known.
        let unseen = target.filter(|target| target.event.is_none());
        let watch = self.driver.watch();
        let forecast = if unseen.is_none() { forecast(explored, &order, watch) } else { None };
        if let Some((all, final_reads)) = &forecast {
            let name = self.names.class(events, all, changed, *final_reads, watch);
            if name.is_none_or(|name| self.known.contains(&name)) {
                return;
            }
        }
        let Some(mut name) = self.names.class(events, &order, changed, None, watch) else { return };
        if let Some(target) = unseen {
            // No event has the index 0.
            name = name.and(Fingerprint::of_event(target.task, 0, target.choice)).mixed();
        }
        if target.is_some() && !self.performed.insert(name) {
            return;
        }
        let move_of = |&event: &usize| {
            let it = events.event(event);
            let choice = changed.filter(|&(other, _)| other == event).map_or(it.choice, |it| it.1);
            (it.task, choice)
        };
        let all = forecast.as_ref().map_or(&order, |(all, _)| all);
        let moves: Moves = all.iter().map(move_of).collect();
        let unseen = unseen.map(|target| (target.task, target.choice));
        let moves: Moves = moves.into_iter().chain(unseen).collect();
        self.perform(&moves, order.len() + usize::from(unseen.is_some()));
    }
}

/// An event behind as much as possible that does not happen after it.
fn wanted(explored: &Explored, event: usize) -> Wanted {
    let target = Target::performed(&explored.execution, event);
    let past = explored.execution.program_past(event);
    Wanted::new(explored, Some(target), past).without(explored, event)
}

/// The next operation of a task at the end of an execution, if it waits for ever.
fn waiting(run: &impl Run, execution: &Execution, task: TaskId) -> Option<Waiting> {
    let Next::Operation(operation) = run.next(task) else { return None };
    let past = execution.past_of_waiting(run, task)?;
    let touches = touches_of_waiting(execution.dependence(), run, task, operation);
    let starts = operation == Operation::Start;
    let waits_on = touches.first().copied();
    let target = Target { task, choice: 0, event: None, starts, waits_on };
    (starts || waits_on.is_some()).then_some(Waiting { target, past })
}

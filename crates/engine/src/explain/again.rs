//! A schedule again in a program that may have changed since: followed as far as it goes.
//!
//! What happened is recorded beside who moved ([`Deed`]). A move whose task does something else now is looked for a few events later in
//! the same task (something was added), and left out where it is not found (something was removed): the approximate replay of
//! R4 (Jensen, Møller, Raychev, Dimitrov, Vechev, OOPSLA 2015). Children are known by the deed that created them, so that a
//! message keeps its name when others are posted before it.
//!
//! Names change too. A task that does something of the same kind with another name (it posts another message to the same handler, it
//! reads another variable) is taken to do what was recorded, unless that is recorded for a later step. A thread that is not there any more is taken to
//! be a new one that begins with the same deed.

use super::deed::Deed;
use super::walker::Walker;
use crate::ids::TaskId;
use crate::operation::Fault;
use crate::program::{Program, Run};
use crate::replay::{RecordedEvent, Recording, ReplayError, replay_watched};
use crate::schedule::Schedule;
use crate::watch::Watch;
use rustc_hash::FxHashMap;

/// So many events of a task are looked at to find one that was recorded.
const LOOKAHEAD: usize = 16;
/// An execution that is followed may be longer than the recorded one by this factor and this many events.
const MOST_GROWTH: (usize, usize) = (4, 1000);

/// Where a replay left what was recorded for the first time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Departure {
    /// This step, counted from 1, was left out: its task does not exist, waits, or does not do it any more.
    LeftOut {
        /// The step of the schedule.
        step: usize,
        /// Who would have moved.
        task: String,
    },
    /// In this step the same kind of thing was done to something with another name.
    Renamed {
        /// The step of the schedule.
        step: usize,
        /// What was recorded.
        was: Deed,
        /// What is done now.
        event: Box<RecordedEvent>,
    },
    /// A thread is not there any more, and another one begins as it did.
    OtherThread {
        /// The step of the schedule.
        step: usize,
        /// The thread that was recorded.
        was: String,
        /// The one that is taken for it.
        thread: String,
    },
    /// Before this step its task did something that was not recorded.
    Added {
        /// The step of the schedule.
        step: usize,
        /// What was added.
        event: Box<RecordedEvent>,
    },
}

/// A schedule that was followed as far as it goes.
#[derive(Clone, Debug)]
pub struct Again {
    /// What happened.
    pub recording: Recording,
    /// The moves that were made.
    pub schedule: Schedule,
    /// Where it left the recorded execution; `None` if it did not.
    pub departure: Option<Departure>,
    /// Does the program have any of the threads that the schedule begins with?
    pub fits: bool,
    /// How many of the recorded steps were made.
    pub followed: usize,
    /// How many were left out.
    pub left_out: usize,
    /// How many steps were made that were not recorded, at the end too.
    pub added: usize,
}

/// Follows `schedule` as far as it goes, then goes on until `failure` shows or nobody can move. `deeds`: what the steps did when they
/// were recorded, if that is known.
pub fn replay_again<'p, P: Program>(
    program: &'p P,
    schedule: &'p Schedule,
    deeds: &'p [Deed],
    failure: Option<&Fault>,
    watch: &'p Watch,
) -> Result<Again, ReplayError> {
    let mut walker = Walker::new(program, failure.cloned(), watch);
    let (factor, more) = MOST_GROWTH;
    walker.most_events = schedule.moves.len() * factor + more;
    let mut follower = Follower {
        walker,
        schedule,
        deeds,
        tasks: FxHashMap::default(),
        children: FxHashMap::default(),
        departure: None,
        followed: 0,
        left_out: 0,
    };
    follower.enter_roots();
    follower.match_other_threads();
    let fits = schedule.moves.iter().any(|next| follower.tasks.contains_key(&next.task));
    for (at, next) in schedule.moves.iter().enumerate() {
        if follower.walker.has_failed() {
            break;
        }
        follower.make(at, &next.task, next.choice);
    }
    let goes_on = follower.departure.is_some() && !follower.walker.has_failed();
    if goes_on {
        follower.walker.finish();
    }
    let Follower { walker, departure, followed, left_out, .. } = follower;
    let schedule = walker.schedule();
    let recording = replay_watched(program, &schedule, watch)?;
    let added = recording.events.len().saturating_sub(followed);
    Ok(Again { recording, schedule, departure, fits, followed, left_out, added })
}

impl Again {
    /// A schedule that was performed as it stands, if that did what was recorded.
    pub fn exactly(recording: Recording, schedule: &Schedule, deeds: &[Deed]) -> Option<Again> {
        let same = |(event, deed): (&RecordedEvent, &Deed)| {
            let now = Deed::of(event);
            *deed == if deed.is_digest() { now.digest() } else { now }
        };
        let is_same = recording.events.iter().zip(deeds).all(same);
        let followed = recording.events.len();
        is_same.then(|| Again {
            recording,
            schedule: schedule.clone(),
            departure: None,
            fits: true,
            followed,
            left_out: 0,
            added: 0,
        })
    }
}

struct Follower<'p, P: Program + 'p> {
    walker: Walker<'p, P>,
    schedule: &'p Schedule,
    deeds: &'p [Deed],
    /// The tasks by their names in the schedule.
    tasks: FxHashMap<String, TaskId>,
    /// How many children each task of the schedule had so far.
    children: FxHashMap<String, usize>,
    departure: Option<Departure>,
    followed: usize,
    left_out: usize,
}

impl<P: Program> Follower<'_, P> {
    fn enter_roots(&mut self) {
        for &root in self.walker.run.roots() {
            self.tasks.insert(self.walker.run.task_path(root), root);
        }
    }

    /// Threads of the schedule that are not there any more are those new ones that begin with the same deed, or the same kind of deed.
    fn match_other_threads(&mut self) {
        let roots = self.walker.run.roots().to_vec();
        let mut seen: Vec<&str> = Vec::new();
        for (at, (next, deed)) in self.schedule.moves.iter().zip(self.deeds).enumerate() {
            let is_root = !next.task.contains(['.', '@']);
            if !is_root || seen.contains(&next.task.as_str()) || self.tasks.contains_key(&next.task)
            {
                continue;
            }
            seen.push(&next.task);
            let is_recorded = |path: &str| self.schedule.moves.iter().any(|it| it.task == path);
            let new: Vec<TaskId> = roots
                .iter()
                .copied()
                .filter(|&root| !is_recorded(&self.walker.run.task_path(root)))
                .filter(|root| !seen.iter().any(|name| self.tasks.get(*name) == Some(root)))
                .collect();
            let begins = |follower: &mut Self, root: TaskId| follower.next_deed(root);
            let deeds: Vec<(TaskId, Deed)> =
                new.into_iter().filter_map(|root| Some((root, begins(self, root)?))).collect();
            let same = deeds.iter().find(|it| it.1 == *deed);
            let alike = || deeds.iter().find(|it| it.1.kind() == deed.kind());
            if let Some(&(root, _)) = same.or_else(alike) {
                self.tasks.insert(next.task.clone(), root);
                let (was, thread) = (next.task.clone(), self.walker.run.task_path(root));
                self.departure.get_or_insert(Departure::OtherThread { step: at + 1, was, thread });
            }
        }
    }

    /// What an event did, in the form in which it is recorded.
    fn deed_of(&self, event: &RecordedEvent) -> Deed {
        let deed = Deed::of(event);
        if self.deeds.first().is_some_and(Deed::is_digest) { deed.digest() } else { deed }
    }

    /// What a task would do next, if it can move.
    fn next_deed(&mut self, task: TaskId) -> Option<Deed> {
        if !self.walker.can_move(task) {
            return None;
        }
        let depth = self.walker.depth();
        self.walker.step(task, 0);
        let deed = self.walker.last_recorded().as_ref().map(|event| self.deed_of(event));
        self.walker.rewind(depth);
        deed
    }

    /// Makes one move of the schedule, if it can be made.
    fn make(&mut self, at: usize, name: &str, choice: u32) {
        let deed = self.deeds.get(at);
        let count = self.children.entry(name.to_owned()).or_default();
        let creates = deed.is_some_and(Deed::creates);
        *count += usize::from(creates);
        let child = format!("{name}.{count}");
        let is_made =
            self.task(name, deed.is_some()).is_some_and(|task| self.find(at, task, choice, deed));
        if !is_made {
            self.left_out += 1;
            let task = name.to_owned();
            self.departure.get_or_insert(Departure::LeftOut { step: at + 1, task });
            return;
        }
        self.followed += 1;
        if let Some(made) = self.walker.last_child() {
            if creates {
                self.tasks.insert(child, made);
            }
            self.tasks.insert(format!("@{}", at + 1), made);
        }
    }

    /// The task that a schedule calls so. Without deeds, children are known by their paths.
    fn task(&self, name: &str, has_deeds: bool) -> Option<TaskId> {
        let by_path = || {
            let mut alive = self.walker.state.alive().iter().copied();
            alive.find(|&task| self.walker.run.task_path(task) == name)
        };
        self.tasks.get(name).copied().or_else(|| if has_deeds { None } else { by_path() })
    }

    /// Makes the next event of a task, or a later one that does what was recorded with those before it.
    fn find(&mut self, at: usize, task: TaskId, choice: u32, deed: Option<&Deed>) -> bool {
        let depth = self.walker.depth();
        let mut first_added = None;
        for _ in 0..LOOKAHEAD {
            if !self.walker.can_move(task) {
                break;
            }
            let choice = self.walker.possible_choice(task, choice);
            self.walker.step(task, choice);
            let Some(event) = self.walker.last_recorded() else { break };
            if deed.is_none_or(|deed| *deed == self.deed_of(&event)) {
                if let Some(event) = first_added {
                    self.departure.get_or_insert(Departure::Added { step: at + 1, event });
                }
                return true;
            }
            first_added.get_or_insert(Box::new(event));
        }
        self.walker.rewind(depth);
        deed.is_some_and(|deed| self.make_renamed(at, task, choice, deed))
    }

    /// Makes the next event of a task if it is of the recorded kind, and is not what is recorded for a later step of the task.
    fn make_renamed(&mut self, at: usize, task: TaskId, choice: u32, was: &Deed) -> bool {
        let Some(deed) = self.next_deed(task) else { return false };
        let moves = self.schedule.moves.iter().zip(self.deeds).skip(at + 1);
        let mut own = moves.filter(|(next, _)| next.task == self.schedule.moves[at].task);
        if deed.kind() != was.kind() || own.any(|(_, later)| *later == deed) {
            return false;
        }
        let choice = self.walker.possible_choice(task, choice);
        self.walker.step(task, choice);
        if let Some(event) = self.walker.last_recorded() {
            let (was, event) = (was.clone(), Box::new(event));
            self.departure.get_or_insert(Departure::Renamed { step: at + 1, was, event });
        }
        true
    }
}

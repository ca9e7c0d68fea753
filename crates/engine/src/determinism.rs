//! Is the program a function of the schedule?
//!
//! What a task does next depends on what it did and on what happened before that, and on nothing else: wherever an
//! event has the same past, it reads and writes the same values, and its task comes to the same operation behind it.
//! Every algorithm rests on that, since it predicts executions from others in which independent events came in
//! another order. A program that keeps state where the engine does not see it breaks it, and is told so, with both
//! operations and their places.
//!
//! The name of an event is a hash of its own and of the names of what comes directly before it: the event before in
//! its task (or the one that created it), the end that it joins, and what it conflicts with. Messages of one handler
//! depend on each other only where their accesses do, whatever the algorithm assumes. What followed an event is kept
//! in a table of fixed size, in which later events replace earlier ones: what is forgotten is compared by nobody, and
//! what is remembered costs O(1).

use crate::fingerprint::Fingerprint;
use crate::ids::{LocationId, ObjectId, TaskId};
use crate::operation::{Access, Effect, FailureKind, Fault, Mode, Next, Step};
use crate::program::Run;
use crate::words::{describe_access, describe_next};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// So many events are remembered.
const REMEMBERED: usize = 1 << 16;
/// More than so many are kept in a [`Table`].
const FEW: usize = 1 << 11;

/// What an event did, and where its task, or the thread that it started, stood then.
#[derive(Clone, Copy, Debug)]
struct Known {
    event: Fingerprint,
    what: What,
    place: Option<LocationId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum What {
    /// Its first access, with the values.
    Did(Access),
    /// Where the task came to.
    Reached(Next),
}

impl Known {
    /// A hash of the name, and one of what happened. Never 0.
    fn brief(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.what, self.place).hash(&mut hasher);
        let happened = hasher.finish() >> 32;
        u64::from(self.event.tag() | 1) << 32 | happened
    }
}

/// What is remembered. A small exploration pays for what it has seen only.
#[derive(Default, Debug)]
struct Memory {
    few: FxHashMap<Fingerprint, Known>,
    many: Option<Table>,
}

impl Memory {
    /// Remembers an event. Returns what was known of the same event, if that may differ.
    fn replace(&mut self, now: Known) -> Option<Known> {
        if let Some(many) = &mut self.many {
            return many.replace(now);
        }
        let known = self.few.insert(now.event, now);
        if self.few.len() > FEW {
            let mut many = Table::default();
            std::mem::take(&mut self.few).into_values().for_each(|known| {
                many.replace(known);
            });
            self.many = Some(many);
        }
        known
    }
}

/// A place for each event that is remembered, where another one may take it.
#[derive(Debug)]
struct Table {
    /// [`Known::brief`] of each entry, 0 where there is none: enough to see that nothing differs, and small enough for the
    /// caches of a processor.
    brief: Vec<u64>,
    entries: Vec<Option<Known>>,
}

impl Default for Table {
    fn default() -> Self {
        Table { brief: vec![0; REMEMBERED], entries: vec![None; REMEMBERED] }
    }
}

impl Table {
    fn replace(&mut self, now: Known) -> Option<Known> {
        let (place, brief) = (now.event.place(REMEMBERED), now.brief());
        if std::mem::replace(&mut self.brief[place], brief) == brief {
            return None;
        }
        self.entries[place].replace(now).filter(|known| known.event == now.event)
    }
}

/// What has been done to one object: everything up to `base`, then accesses that do not conflict with each other.
#[derive(Clone, Copy, Default, Debug)]
struct Accesses {
    base: Fingerprint,
    /// Which mode those accesses have.
    mode: Option<Mode>,
    /// Their names.
    sum: Fingerprint,
}

/// What is needed to take a step back.
#[derive(Debug)]
struct Taken {
    task: TaskId,
    choice: u32,
    effect: Effect,
    before: Fingerprint,
    objects: usize,
}

/// The names of what has happened, and what has followed such events so far.
#[derive(Default, Debug)]
pub struct Determinism {
    /// For each task, the name of its last event, or of what created it.
    tasks: Vec<Fingerprint>,
    objects: FxHashMap<ObjectId, Accesses>,
    steps: Vec<Taken>,
    replaced: Vec<(ObjectId, Accesses)>,
    known: Memory,
}

impl Determinism {
    /// Who has moved so far, what it picked and what it did.
    pub fn moves(&self) -> impl Iterator<Item = (TaskId, u32, Effect)> + '_ {
        self.steps.iter().map(|step| (step.task, step.choice, step.effect))
    }

    /// Follows a step that `run` has just performed. Says how it differs from what the same step did before.
    pub fn follow(
        &mut self,
        run: &impl Run,
        task: TaskId,
        choice: u32,
        step: &Step,
    ) -> Option<Fault> {
        let before = self.name_of(task);
        let created = match step.effect {
            Effect::Post(child, _) | Effect::Fork(child) => Some(child),
            _ => None,
        };
        let (effect, objects) = (step.effect, self.replaced.len());
        self.steps.push(Taken { task, choice, effect, before, objects });
        let mut name = before.plus(u64::from(task.0) << 32 | u64::from(choice));
        if let Effect::Join(other) = step.effect {
            name = name.plus(1).and(self.name_of(other)).mixed();
        }
        for access in &step.accesses {
            name = name.plus(u64::from(access.object.0) << 8 | access.mode as u64);
            name = name.and(self.touch(access)).mixed();
        }
        for access in &step.accesses {
            self.touched(access, name);
        }
        *self.task_mut(task) = name;
        if let Some(child) = created {
            *self.task_mut(child) = name.plus(2);
        }
        let access = step.accesses.first().copied().filter(|_| !step.opaque);
        let values = access.and_then(|access| {
            // What is written does not depend on what was there; what is read does.
            let blind = access.mode == Mode::Write;
            let event = if blind { before.plus(u64::from(task.0)).plus(4) } else { name.plus(5) };
            let access = if blind { Access { read: 0, ..access } } else { access };
            self.compare(run, task, Known { event, what: What::Did(access), place: step.location })
        });
        let reached = |determinism: &mut Self, event, task| {
            let (what, place) = (What::Reached(run.next(task)), run.place(task));
            determinism.compare(run, task, Known { event, what, place })
        };
        let own = reached(self, name, task);
        let child = match step.effect {
            Effect::Fork(child) => reached(self, name.plus(3), child),
            _ => None,
        };
        values.or(own).or(child)
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        let Some(step) = self.steps.pop() else { return };
        while self.replaced.len() > step.objects {
            if let Some((object, before)) = self.replaced.pop() {
                self.objects.insert(object, before);
            }
        }
        *self.task_mut(step.task) = step.before;
    }

    /// Everything that has been done to an object and conflicts with this access. Begins a new set of accesses that do
    /// not conflict with each other, if this one does not belong to the last.
    fn touch(&mut self, access: &Access) -> Fingerprint {
        let accesses = self.objects.entry(access.object).or_default();
        self.replaced.push((access.object, *accesses));
        if accesses.mode.is_none_or(|mode| mode.conflicts(access.mode)) {
            accesses.base = accesses.base.and(accesses.sum).mixed();
            accesses.sum = Fingerprint::default();
            accesses.mode = Some(access.mode);
        }
        accesses.base
    }

    fn touched(&mut self, access: &Access, event: Fingerprint) {
        let accesses = self.objects.entry(access.object).or_default();
        accesses.sum = accesses.sum.and(event);
        // An atomic block may read what it wrote: others come after the write.
        if accesses.mode == Some(Mode::Read) {
            accesses.mode = Some(access.mode);
        }
    }

    fn compare(&mut self, run: &impl Run, task: TaskId, now: Known) -> Option<Fault> {
        let before = self.known.replace(now)?;
        difference(run, task, &before, &now)
    }

    fn name_of(&self, task: TaskId) -> Fingerprint {
        self.tasks.get(task.index()).copied().unwrap_or_default()
    }

    fn task_mut(&mut self, task: TaskId) -> &mut Fingerprint {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, Fingerprint::default());
        }
        &mut self.tasks[task.index()]
    }
}

fn difference(run: &impl Run, task: TaskId, before: &Known, now: &Known) -> Option<Fault> {
    let place = |known: &Known| known.place.map(|place| run.location(place));
    // One place can have several numbers.
    if before.what == now.what && (before.place == now.place || place(before) == place(now)) {
        return None;
    }
    let describe = |known: &Known| {
        let what = match &known.what {
            What::Did(access) => describe_access(run, access),
            What::Reached(next) => describe_next(run, *next),
        };
        with_place(what, place(known).as_deref())
    };
    let verb = match now.what {
        What::Did(_) => "did",
        What::Reached(_) => "came to",
    };
    let who = run.task_label(task);
    let words = format!("{who} first {verb} {} and then {}", describe(before), describe(now));
    Some(fault(words, place(now).or_else(|| place(before))))
}

/// What is reported when a task cannot do what it did where the same had happened before. `next` says where it stands,
/// if it exists.
pub fn cannot_move(run: &impl Run, task: TaskId, next: Option<Next>) -> Fault {
    let place = next.and_then(|_| run.place(task)).map(|place| run.location(place));
    let stands = match next {
        None => "it has not been created".to_owned(),
        Some(next) => {
            format!("it stands at {}", with_place(describe_next(run, next), place.as_deref()))
        }
    };
    let who = run.task_label(task);
    let words = format!(
        "{who} was to go on as it did when independent operations came in another order, but {stands} and cannot"
    );
    fault(words, place)
}

fn with_place(what: String, place: Option<&str>) -> String {
    match place {
        Some(place) => format!("{what} at {place}"),
        None => what,
    }
}

fn fault(words: String, location: Option<String>) -> Fault {
    let message = format!(
        "the program is not a function of the schedule: {words}, although all that it depends on was the same. \
         Something that the checker does not see decides: state that is shared without its knowledge (a std atomic or \
         lock, a static), time, a random number, an address, the order of a hash map"
    );
    Fault::new(FailureKind::Nondeterminism, message, location)
}

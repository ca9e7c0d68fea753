//! How many pairs of operations there are to look at, without going through them: there may be more than there is time for.

use super::steps::Steps;
use mazurka_engine::{Mode, ObjectId};
use rustc_hash::FxHashMap;

/// What [`Steps::conflicts`] makes pairs of, counted.
#[derive(Default)]
struct Accesses {
    all: Groups,
    reads: Groups,
}

/// How many there are, in all and in each group. Those of one group make no pairs.
#[derive(Default)]
struct Groups {
    all: usize,
    by_group: FxHashMap<Group, usize>,
}

/// A task; for locks the looper of a message, which does not wait for itself.
#[derive(PartialEq, Eq, Hash)]
enum Group {
    Task(u32),
    Looper(u32),
}

/// The number of pairs.
pub(super) fn count(steps: &Steps) -> usize {
    let mut objects: FxHashMap<ObjectId, Accesses> = FxHashMap::default();
    for position in steps.candidates() {
        let Some((object, mode)) = steps.access(position) else { continue };
        let accesses = objects.entry(object).or_default();
        accesses.all.add(group(steps, position, mode));
        if mode == Mode::Read {
            accesses.reads.add(group(steps, position, mode));
        }
    }
    objects.values().map(|it| it.all.pairs() - it.reads.pairs()).sum()
}

fn group(steps: &Steps, position: usize, mode: Mode) -> Group {
    let task = steps.task(position);
    match steps.looper(task).filter(|_| mode == Mode::Lock) {
        Some(looper) => Group::Looper(looper),
        None => Group::Task(task.0),
    }
}

impl Groups {
    fn add(&mut self, group: Group) {
        self.all += 1;
        *self.by_group.entry(group).or_default() += 1;
    }

    fn pairs(&self) -> usize {
        let pairs = |count: usize| count * count.saturating_sub(1) / 2;
        pairs(self.all) - self.by_group.values().copied().map(pairs).sum::<usize>()
    }
}

//! Which pair to decide next: a binary heap by activity.

/// Pairs ordered by activity, the most active on top.
#[derive(Debug, Default)]
pub(super) struct Heap {
    activity: Vec<f64>,
    heap: Vec<u32>,
    /// Index in `heap`, or `ABSENT`.
    place: Vec<u32>,
    increment: f64,
}

const ABSENT: u32 = u32::MAX;
const RESCALE: f64 = 1e100;
const DECAY: f64 = 1.0 / 0.95;

impl Heap {
    /// Empty, for `pairs` pairs without activity.
    pub(super) fn reset(&mut self, pairs: usize) {
        self.activity.clear();
        self.activity.resize(pairs, 0.0);
        self.place.clear();
        self.place.resize(pairs, ABSENT);
        self.heap.clear();
        self.increment = 1.0;
    }

    /// Gives a pair its first activity; only before it is pushed.
    pub(super) fn prefer(&mut self, pair: u32, activity: f64) {
        self.activity[pair as usize] = activity;
    }

    pub(super) fn push(&mut self, pair: u32) {
        if self.place[pair as usize] == ABSENT {
            self.place[pair as usize] = self.heap.len() as u32;
            self.heap.push(pair);
            self.rise(self.heap.len() - 1);
        }
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        let top = *self.heap.first()?;
        self.place[top as usize] = ABSENT;
        let last = self.heap.pop().expect("not empty");
        if last != top {
            self.heap[0] = last;
            self.place[last as usize] = 0;
            self.sink(0);
        }
        Some(top)
    }

    /// A pair took part in a conflict.
    pub(super) fn bump(&mut self, pair: u32) {
        let activity = &mut self.activity[pair as usize];
        *activity += self.increment;
        if *activity > RESCALE {
            self.activity.iter_mut().for_each(|activity| *activity /= RESCALE);
            self.increment /= RESCALE;
        }
        let place = self.place[pair as usize];
        if place != ABSENT {
            self.rise(place as usize);
        }
    }

    pub(super) fn decay(&mut self) {
        self.increment *= DECAY;
    }

    fn above(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.above(self.heap[at], self.heap[(at - 1) / 2]) {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let children =
                [2 * at + 1, 2 * at + 2].into_iter().filter(|&child| child < self.heap.len());
            let Some(child) =
                children.reduce(|a, b| if self.above(self.heap[b], self.heap[a]) { b } else { a })
            else {
                return;
            };
            if !self.above(self.heap[child], self.heap[at]) {
                return;
            }
            self.swap(at, child);
            at = child;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.place[self.heap[a] as usize] = a as u32;
        self.place[self.heap[b] as usize] = b as u32;
    }
}

//! Which task allocated a block of memory, and as which of its blocks.
//!
//! The constructors of the stand-ins are `const fn`, as in `std`, so nothing runs when an object is
//! made; it gets its name when it is first used, which may be by any task. The name must not depend on
//! who came first: it is taken from the place of the object in memory, told as "byte 16 of the second
//! 64-byte block that `main` allocated", which is the same in every interleaving.
//!
//! Only allocations made by checked code are noted; everything else costs one thread-local load.
//! Without the feature `track-allocations`, and without a [`TrackingAllocator`] of one's own, objects on the
//! heap are told apart by the source line that made them and by the order of their first use.
#![expect(unsafe_code, reason = "a global allocator notes allocations")]

use rustc_hash::FxHashMap;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;

/// One allocation of checked code.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: usize,
    size: usize,
    align: usize,
    task: u32,
}

impl Block {
    fn holds(&self, address: usize) -> bool {
        address >= self.start && address - self.start < self.size
    }
}

/// The allocations of one execution, oldest first. A freed block stays: a later one at the same address
/// hides it.
#[derive(Default, Debug)]
pub(crate) struct Log {
    blocks: Vec<Block>,
    /// The starts of the blocks that were given back, and how many blocks there were by then.
    freed: Vec<(usize, usize)>,
    task: u32,
    index: Index,
}

/// So many blocks are searched one by one; more of them are worth an index.
const FEW: usize = 128;

/// A block, how many of its like came before, and its position in the log.
type Indexed = (Block, u32, usize);

/// The blocks of a long log by their address.
#[derive(Default, Debug)]
struct Index {
    /// How many blocks of the log are in the index.
    known: usize,
    /// Blocks that do not overlap, by their start.
    by_start: BTreeMap<usize, Indexed>,
    /// How many blocks of each task, size and alignment there are.
    counts: FxHashMap<(u32, usize, usize), u32>,
}

impl Index {
    /// Takes in what the log has noted since the last time. A new block replaces those that were there before.
    fn catch_up(&mut self, blocks: &[Block]) {
        for (position, &block) in blocks.iter().enumerate().skip(self.known) {
            let count = self.counts.entry((block.task, block.size, block.align)).or_default();
            let end = block.start + block.size.max(1);
            while let Some((&start, &(old, ..))) = self.by_start.range(..end).next_back() {
                if start + old.size.max(1) <= block.start {
                    break;
                }
                self.by_start.remove(&start);
            }
            self.by_start.insert(block.start, (block, *count, position));
            *count += 1;
        }
        self.known = blocks.len();
    }

    fn find(&self, address: usize) -> Option<Indexed> {
        let (_, &found) = self.by_start.range(..=address).next_back()?;
        found.0.holds(address).then_some(found)
    }

    fn clear(&mut self) {
        if self.known > 0 {
            *self = Index::default();
        }
    }
}

/// Where a block comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Origin {
    /// The number of the task that allocated it.
    pub task: u32,
    /// Its size.
    pub size: usize,
    /// How many blocks of this size and alignment the task had allocated before.
    pub nth: u32,
    /// The place asked for, counted from the start of the block.
    pub offset: usize,
}

impl Log {
    /// Forgets everything: a new execution begins.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.freed.clear();
        self.index.clear();
    }

    /// Allocations are now made by this task.
    pub(crate) fn set_task(&mut self, task: u32) {
        self.task = task;
    }

    /// The block that holds `address`, if checked code allocated it, and its position in the log.
    pub(crate) fn find(&mut self, address: usize) -> Option<(Origin, usize)> {
        let (block, nth, position) = if self.blocks.len() <= FEW {
            self.find_among_few(address)?
        } else {
            self.index.catch_up(&self.blocks);
            self.index.find(address)?
        };
        let offset = address - block.start;
        Some((Origin { task: block.task, size: block.size, nth, offset }, position))
    }

    /// Which of these positions of the log have a block that is still allocated? Gives its start and size.
    pub(crate) fn alive(
        &self,
        positions: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Option<(usize, usize)>> {
        // How many blocks there were when the last one at a start was given back.
        let last: Option<FxHashMap<usize, usize>> =
            (self.freed.len() > FEW).then(|| self.freed.iter().copied().collect());
        positions.map(move |position| {
            let block = self.blocks[position];
            let gone = match &last {
                Some(last) => last.get(&block.start).is_some_and(|later| *later > position),
                None => self.freed.iter().any(|freed| freed.0 == block.start && freed.1 > position),
            };
            (!gone).then_some((block.start, block.size))
        })
    }

    fn find_among_few(&self, address: usize) -> Option<Indexed> {
        let position = self.blocks.iter().rposition(|block| block.holds(address))?;
        let block = self.blocks[position];
        let alike = |other: &&Block| {
            other.task == block.task && other.size == block.size && other.align == block.align
        };
        let nth = self.blocks[..position].iter().filter(alike).count() as u32;
        Some((block, nth, position))
    }
}

thread_local! {
    /// Where to note allocations; null while no checked code runs on this OS thread.
    static LOG: Cell<*mut Log> = const { Cell::new(std::ptr::null_mut()) };
}

/// Notes allocations in `log` from now on (null: nowhere); returns where they went before.
#[inline]
pub(crate) fn redirect(log: *mut Log) -> *mut Log {
    LOG.replace(log)
}

/// A global allocator with an eye on what checked code allocates.
///
/// With the default feature `track-allocations` the crate installs it around the system's allocator. A crate that has
/// an allocator of its own switches the feature off and wraps it:
///
/// ```text
/// #[global_allocator]
/// static GLOBAL: mazurka::TrackingAllocator<MyAllocator> = mazurka::TrackingAllocator::new(MyAllocator);
/// ```
#[derive(Debug)]
pub struct TrackingAllocator<A = System> {
    inner: A,
}

#[cfg(feature = "track-allocations")]
#[global_allocator]
static GLOBAL: TrackingAllocator = TrackingAllocator::new(System);

impl<A> TrackingAllocator<A> {
    /// An allocator that hands every request to `inner`.
    pub const fn new(inner: A) -> Self {
        TrackingAllocator { inner }
    }

    #[inline]
    fn note(start: *mut u8, size: usize, align: usize) {
        let log = LOG.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
        if !log.is_null() {
            Self::push(log, Block { start: start as usize, size, align, task: 0 });
        }
    }

    #[inline]
    fn push(log: *mut Log, block: Block) {
        // SAFETY: the runtime sets the pointer only around code that runs while the log is alive on
        // this OS thread and not borrowed; it is null otherwise.
        let log_is_full = unsafe {
            let (task, blocks) = ((*log).task, &mut (*log).blocks);
            let full = blocks.len() == blocks.capacity();
            if !full {
                blocks.push(Block { task, ..block });
            }
            full
        };
        if log_is_full {
            Self::grow_and_push(log, block);
        }
    }

    #[inline]
    fn note_free(start: *mut u8) {
        let log = LOG.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
        if !log.is_null() {
            LOG.set(std::ptr::null_mut());
            // SAFETY: as in `push`.
            unsafe { (*log).freed.push((start as usize, (*log).blocks.len())) };
            LOG.set(log);
        }
    }

    #[cold]
    fn grow_and_push(log: *mut Log, block: Block) {
        // The log's own growth must not be noted.
        LOG.set(std::ptr::null_mut());
        // SAFETY: as in `push`.
        unsafe {
            let task = (*log).task;
            (*log).blocks.push(Block { task, ..block });
        }
        LOG.set(log);
    }
}

// SAFETY: every request is handed to the inner allocator unchanged; the note taken beside it neither
// unwinds nor touches the block.
unsafe impl<A: GlobalAlloc> GlobalAlloc for TrackingAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the inner allocator's.
        let start = unsafe { self.inner.alloc(layout) };
        Self::note(start, layout.size(), layout.align());
        start
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Self::note_free(block);
        // SAFETY: as above; the block came from the inner allocator.
        unsafe { self.inner.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let start = unsafe { self.inner.alloc_zeroed(layout) };
        Self::note(start, layout.size(), layout.align());
        start
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let start = unsafe { self.inner.realloc(block, layout, size) };
        if !start.is_null() {
            Self::note_free(block);
        }
        Self::note(start, size, layout.align());
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_told_by_its_task_and_its_position_among_its_like() {
        let mut log = Log::default();
        for (start, size, task) in [(100, 8, 0), (200, 8, 1), (300, 8, 0), (400, 16, 0)] {
            log.blocks.push(Block { start, size, align: 8, task });
        }
        let (second, position) = log.find(304).expect("inside the third block");
        let alive = |log: &Log, position| log.alive(std::iter::once(position)).next().flatten();
        assert_eq!((position, alive(&log, position)), (2, Some((300, 8))));
        assert_eq!((second.task, second.size, second.nth, second.offset), (0, 8, 1, 4));
        assert_eq!(log.find(400).map(|(origin, _)| origin.nth), Some(0));
        assert_eq!(log.find(108), None);
        log.freed.push((300, 4));
        assert_eq!((alive(&log, 2), alive(&log, 0)), (None, Some((100, 8))));
    }

    #[test]
    fn the_index_of_a_long_log_says_the_same_as_a_search() {
        let mut log = Log::default();
        for number in 0..3 * FEW {
            // Later blocks lie across earlier ones.
            let (start, size) = (1000 + number * 7919 % 997, 8 + number % 3 * 8);
            log.blocks.push(Block { start, size, align: 8, task: (number % 2) as u32 });
        }
        let mut found = 0;
        for address in 990..2100 {
            let searched = log.find_among_few(address);
            let indexed =
                log.find(address).map(|(origin, _)| (origin.task, origin.size, origin.nth));
            // A block that a later one overlaps is gone, so the index may know less, never something else.
            if let Some(indexed) = indexed {
                let (block, nth, _) = searched.expect("the search finds it too");
                assert_eq!(indexed, (block.task, block.size, nth));
                found += 1;
            }
        }
        assert!(found > 500, "{found}");
    }
}

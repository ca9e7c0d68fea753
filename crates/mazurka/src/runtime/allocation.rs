//! Which task allocated a block of memory, and as which of its blocks.
//!
//! The constructors of the stand-ins are `const fn`, as in `std`, so nothing runs when an object is
//! made; it gets its name when it is first used, which may be by any task. The name must not depend on
//! who came first: it is taken from the place of the object in memory, told as "byte 16 of the second
//! 64-byte block that `main` allocated", which is the same in every interleaving.
//!
//! Only allocations made by checked code are noted; everything else costs one thread-local load.
//! Without the feature `track-allocations` (for crates that bring a global allocator of their own)
//! objects on the heap are told apart by the source line that made them and by the order of their first use.
#![expect(unsafe_code, reason = "a global allocator notes allocations")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// One allocation of checked code.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: usize,
    size: usize,
    align: usize,
    task: u32,
}

/// The allocations of one execution, oldest first. A freed block stays: a later one at the same address
/// hides it.
#[derive(Default, Debug)]
pub(crate) struct Log {
    blocks: Vec<Block>,
    task: u32,
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
    }

    /// Allocations are now made by this task.
    pub(crate) fn set_task(&mut self, task: u32) {
        self.task = task;
    }

    /// The block that holds `address`, if checked code allocated it.
    pub(crate) fn find(&self, address: usize) -> Option<Origin> {
        let inside = |block: &Block| address >= block.start && address - block.start < block.size;
        let position = self.blocks.iter().rposition(inside)?;
        let block = self.blocks[position];
        let alike = |other: &&Block| {
            other.task == block.task && other.size == block.size && other.align == block.align
        };
        let nth = self.blocks[..position].iter().filter(alike).count() as u32;
        Some(Origin { task: block.task, size: block.size, nth, offset: address - block.start })
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

/// The global allocator: the system's, with an eye on what checked code allocates.
#[derive(Debug)]
pub struct TrackingAllocator;

#[cfg(feature = "track-allocations")]
#[global_allocator]
static GLOBAL: TrackingAllocator = TrackingAllocator;

impl TrackingAllocator {
    #[inline]
    fn note(start: *mut u8, size: usize, align: usize) {
        let log = LOG.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
        if !log.is_null() {
            Self::push(log, Block { start: start as usize, size, align, task: 0 });
        }
    }

    #[cold]
    fn push(log: *mut Log, block: Block) {
        // The log's own growth must not be noted.
        LOG.set(std::ptr::null_mut());
        // SAFETY: the runtime sets the pointer only around code that runs while the log is alive on
        // this OS thread and not borrowed; it is null otherwise.
        unsafe {
            let task = (*log).task;
            (*log).blocks.push(Block { task, ..block });
        }
        LOG.set(log);
    }
}

// SAFETY: every request is handed to the system allocator unchanged; the note taken beside it neither
// unwinds nor touches the block.
unsafe impl GlobalAlloc for TrackingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let start = unsafe { System.alloc(layout) };
        Self::note(start, layout.size(), layout.align());
        start
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; the block came from the system allocator.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let start = unsafe { System.alloc_zeroed(layout) };
        Self::note(start, layout.size(), layout.align());
        start
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let start = unsafe { System.realloc(block, layout, size) };
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
        let second = log.find(304).expect("inside the third block");
        assert_eq!((second.task, second.size, second.nth, second.offset), (0, 8, 1, 4));
        assert_eq!(log.find(400).map(|origin| origin.nth), Some(0));
        assert_eq!(log.find(108), None);
    }
}

//! Memory of the engine and of the runtime while an exploration runs.
//!
//! It lies at addresses of its own, for one reason: a search for pointers into the memory of checked code must not read
//! it. It has none that count, but much that passes for them: padding and unused parts of what was made on a stack, and
//! whatever lay in a block before. Blocks come in sizes, each with a list of those that are free.
#![expect(unsafe_code, reason = "blocks are cut out of chunks")]

use super::slab;
use std::alloc::Layout;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// All addresses. Only what is used is backed by pages.
const ROOM: usize = 1 << 38;
/// So much is taken at once.
const CHUNK: usize = 1 << 20;
/// Sizes up to this one are multiples of [`STEP`], those above are powers of two.
const FINE: usize = 1 << 10;
const STEP: usize = 16;
/// Larger blocks do not come from here.
pub(crate) const LARGEST: usize = 1 << 16;
const CLASSES: usize = FINE / STEP + (LARGEST / FINE).ilog2() as usize;

/// Where the addresses begin. 0: not asked for; 1: the system refuses.
static BASE: AtomicUsize = AtomicUsize::new(0);
/// The heaps that no exploration uses, and the offset of the next chunk.
static IDLE: Mutex<(Vec<Heap>, usize)> = Mutex::new((Vec::new(), 0));

/// Blocks for one OS thread.
pub(crate) struct Heap {
    /// The first free block of each size, as an address; each begins with the address of the next. 0: there is none.
    free: [usize; CLASSES],
    /// The rest of the last chunk.
    rest: Range<usize>,
}

/// Is this the address of a block of any heap?
#[inline]
pub(crate) fn contains(address: usize) -> bool {
    let base = BASE.load(Relaxed);
    base > 1 && address.wrapping_sub(base) < ROOM
}

/// The addresses of all heaps.
pub(crate) fn addresses() -> Option<Range<usize>> {
    let base = BASE.load(Relaxed);
    (base > 1).then(|| base..base + ROOM)
}

/// The size of the blocks that are used for this layout, and the number of that size.
#[inline]
fn class(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size().max(STEP);
    if layout.align() > STEP || size > LARGEST {
        return None;
    }
    if size <= FINE {
        let steps = size.div_ceil(STEP);
        return Some((steps * STEP, steps - 1));
    }
    let size = size.next_power_of_two();
    Some((size, FINE / STEP - 1 + (size / FINE).ilog2() as usize))
}

/// Have blocks of these two layouts the same size?
pub(crate) fn is_same_size(one: Layout, other: Layout) -> bool {
    class(one) == class(other)
}

impl Heap {
    /// A heap that nobody uses.
    pub(crate) fn take() -> Heap {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).0.pop();
        idle.unwrap_or(Heap { free: [0; CLASSES], rest: 0..0 })
    }

    /// Leaves it for others. Its blocks may still be in use.
    pub(crate) fn leave(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).0.push(self);
    }

    /// A block; `None` if it is too large, or the system gives no memory.
    #[inline]
    pub(crate) fn allocate(&mut self, layout: Layout) -> Option<*mut u8> {
        let (size, class) = class(layout)?;
        let first = self.free[class];
        if first == 0 {
            return self.cut(size);
        }
        // SAFETY: a free block begins with the address of the next one.
        self.free[class] = unsafe { (first as *const usize).read() };
        Some(first as *mut u8)
    }

    /// Takes a block back, which may be of another heap.
    #[inline]
    pub(crate) fn free(&mut self, block: *mut u8, layout: Layout) {
        let Some((_, class)) = class(layout) else { return };
        // SAFETY: the block has at least this size and alignment, and nobody uses it any more.
        unsafe { block.cast::<usize>().write(self.free[class]) };
        self.free[class] = block as usize;
    }

    #[cold]
    fn cut(&mut self, size: usize) -> Option<*mut u8> {
        if self.rest.len() < size {
            self.rest = chunk()?;
        }
        let block = self.rest.start;
        self.rest.start += size;
        Some(block as *mut u8)
    }
}

/// A block is given back where no exploration runs.
#[cold]
pub(crate) fn free_outside(block: *mut u8, layout: Layout) {
    // Without a heap it is lost.
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(heap) = idle.0.first_mut() {
        heap.free(block, layout);
    }
}

fn chunk() -> Option<Range<usize>> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if BASE.load(Relaxed) == 0 {
        BASE.store(slab::reserve(ROOM).unwrap_or(1), Relaxed);
    }
    let base = BASE.load(Relaxed);
    if base == 1 || idle.1 == ROOM {
        return None;
    }
    let start = base + idle.1;
    slab::make_writable(start, CHUNK).then(|| {
        idle.1 += CHUNK;
        start..start + CHUNK
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a good layout")
    }

    #[test]
    fn every_size_has_a_class_that_is_large_enough() {
        let mut last = 0;
        for size in 0..=LARGEST {
            let (real, number) = class(layout(size)).expect("a class");
            assert!(real >= size && number < CLASSES, "{size}: {real}, {number}");
            assert!(number == last || number == last + 1, "{size}: {number} after {last}");
            last = number;
        }
        assert_eq!(last, CLASSES - 1);
        assert_eq!(class(layout(LARGEST + 1)), None);
    }

    #[test]
    fn what_is_given_back_is_used_again() {
        let mut heap = Heap::take();
        let Some(block) = heap.allocate(layout(100)) else { return };
        assert!(contains(block as usize));
        let other = heap.allocate(layout(100)).expect("room");
        assert_ne!(block, other);
        heap.free(block, layout(100));
        assert_eq!(heap.allocate(layout(112)), Some(block));
        heap.free(other, layout(100));
        heap.leave();
    }
}

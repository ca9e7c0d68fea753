//! The global allocator: hands requests of checked code to the [`Arena`] of its execution, all others to another allocator.
//!
//! The constructors of the stand-ins are `const fn`, as in `std`, so nothing runs when an object is made; it gets its
//! name when it is first used, which may be by any task. The name must not depend on who came first: it is taken from the
//! place of the object in memory, told as "byte 16 of the second 64-byte block that `main` allocated".
//!
//! Everything that is not checked code costs one thread-local load, and for each block that is given back a comparison.
#![expect(unsafe_code, reason = "a global allocator")]

use super::arena::Arena;
use super::slab;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;

thread_local! {
    /// The memory of the checked code that runs on this OS thread; null while none does.
    static ARENA: Cell<*mut Arena> = const { Cell::new(std::ptr::null_mut()) };
}

/// Blocks of the engine: where they begin, and how large they are.
type Blocks = Vec<(usize, usize)>;

thread_local! {
    /// The larger blocks of the exploration that runs on this OS thread; null while none does.
    static ENGINE: Cell<*mut Blocks> = const { Cell::new(std::ptr::null_mut()) };
}

/// Smaller blocks are not noted.
const LARGE: usize = 1024;

/// Notes the larger blocks that the engine allocates, until this is dropped.
pub(crate) struct EngineBlocks {
    before: *mut Blocks,
    /// Boxed, so that it stays where it is.
    own: Box<UnsafeCell<Blocks>>,
}

impl EngineBlocks {
    pub(crate) fn new() -> Self {
        let own = Box::new(UnsafeCell::new(Vec::new()));
        EngineBlocks { before: ENGINE.replace(own.get()), own }
    }
}

impl Drop for EngineBlocks {
    fn drop(&mut self) {
        if ENGINE.get() == self.own.get() {
            ENGINE.set(self.before);
        }
    }
}

/// Where the larger blocks of this OS thread's exploration lie.
pub(crate) fn engine_blocks() -> Vec<Range<usize>> {
    let blocks = ENGINE.replace(std::ptr::null_mut());
    let copy = match blocks.is_null() {
        true => Vec::new(),
        // SAFETY: as in `note`.
        false => unsafe { &*blocks }.iter().map(|(start, size)| *start..start + size).collect(),
    };
    ENGINE.set(blocks);
    copy
}

/// Code that is not checked has given back a block (or null) and got another (or null), of this size.
#[inline]
fn note(old: *mut u8, new: *mut u8, size: usize) {
    let blocks = ENGINE.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
    if size >= LARGE && !blocks.is_null() && !serves_checked_code() {
        ENGINE.set(std::ptr::null_mut());
        // SAFETY: `EngineBlocks` sets the pointer while what it points to is alive, on this OS thread, and it is null
        // while it is borrowed here.
        let known = unsafe { &mut *blocks };
        known.retain(|(start, _)| *start != old as usize);
        if !new.is_null() {
            known.push((new as usize, size));
        }
        ENGINE.set(blocks);
    }
}

/// Allocates from this arena from now on (null: from none); returns where from before.
#[inline]
pub(crate) fn redirect(arena: *mut Arena) -> *mut Arena {
    ARENA.replace(arena)
}

/// Does checked code run on this OS thread, and no code of the runtime in it?
pub(crate) fn serves_checked_code() -> bool {
    !ARENA.try_with(Cell::get).unwrap_or(std::ptr::null_mut()).is_null()
}

/// A global allocator that gives checked code memory of its own.
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
    /// An allocator that hands every request of code that is not checked to `inner`.
    pub const fn new(inner: A) -> Self {
        TrackingAllocator { inner }
    }
}

/// Runs `f` on the arena of the checked code that runs here, if any does. What `f` allocates is nobody's.
#[inline]
fn with_arena<R>(f: impl FnOnce(&mut Arena) -> R) -> Option<R> {
    let arena = ARENA.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
    if arena.is_null() {
        return None;
    }
    ARENA.set(std::ptr::null_mut());
    // SAFETY: the runtime sets the pointer only around code that runs while the arena is alive on this OS thread and not
    // borrowed, and it is null while it is borrowed here.
    let result = f(unsafe { &mut *arena });
    ARENA.set(arena);
    Some(result)
}

// SAFETY: a block comes either from the arena, which gives out each address once in an execution, or from the inner
// allocator, and goes back to where it came from: the addresses of arenas are disjoint from all others.
unsafe impl<A: GlobalAlloc> GlobalAlloc for TrackingAllocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match with_arena(|arena| arena.allocate(layout)).flatten() {
            Some(block) => block,
            None => {
                // SAFETY: the caller's contract is the inner allocator's.
                let block = unsafe { self.inner.alloc(layout) };
                note(std::ptr::null_mut(), block, layout.size());
                block
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if slab::contains(block as usize) {
            // Outside of checked code nothing happens: the slab is searched before it is used again.
            with_arena(|arena| arena.free(block as usize));
            return;
        }
        note(block, std::ptr::null_mut(), layout.size());
        // SAFETY: as above; the block came from the inner allocator.
        unsafe { self.inner.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match with_arena(|arena| arena.allocate(layout)).flatten() {
            // Earlier executions have used the memory.
            // SAFETY: the block is new and has this size.
            Some(block) => unsafe {
                block.write_bytes(0, layout.size());
                block
            },
            None => {
                // SAFETY: as above.
                let block = unsafe { self.inner.alloc_zeroed(layout) };
                note(std::ptr::null_mut(), block, layout.size());
                block
            }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !slab::contains(block as usize) {
            // What was made outside stays there.
            // SAFETY: as above.
            let new = unsafe { self.inner.realloc(block, layout, size) };
            if !new.is_null() {
                note(block, std::ptr::null_mut(), layout.size());
                note(std::ptr::null_mut(), new, size);
            }
            return new;
        }
        // SAFETY: the caller promises a layout that is good for the new size; the new block is another one, at least
        // as large as what is copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

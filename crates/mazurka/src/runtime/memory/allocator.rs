//! The global allocator: hands requests of checked code to the [`Arena`] of its execution, those of the engine to a [`Heap`], all
//! others to another allocator.
//!
//! The constructors of the stand-ins are `const fn`, as in `std`, so nothing runs when an object is made; it gets its
//! name when it is first used, which may be by any task. The name must not depend on who came first: it is taken from the
//! place of the object in memory, told as "byte 16 of the second 64-byte block that `main` allocated".
//!
//! Everything outside of explorations costs two thread-local loads, and for each block that is given back two comparisons.
#![expect(unsafe_code, reason = "a global allocator")]

use super::arena::Arena;
use super::heap::{self, Heap};
use super::slab;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;

thread_local! {
    /// The memory of the checked code that runs on this OS thread; null while none does.
    static ARENA: Cell<*mut Arena> = const { Cell::new(std::ptr::null_mut()) };
}

thread_local! {
    /// The engine's memory for the exploration that runs on this OS thread; null while none does.
    static ENGINE: Cell<*mut Engine> = const { Cell::new(std::ptr::null_mut()) };
}

/// What the engine has allocated.
struct Engine {
    heap: Heap,
    /// What is too large for the heap: where it begins, and its size.
    large: Vec<(usize, usize)>,
}

/// Gives the engine memory of its own, until this is dropped.
pub(crate) struct EngineMemory {
    /// Nothing where that has been done before.
    own: Option<Box<UnsafeCell<Engine>>>,
}

impl EngineMemory {
    pub(crate) fn new() -> Self {
        if !ENGINE.get().is_null() {
            return EngineMemory { own: None };
        }
        let engine = Engine { heap: Heap::take(), large: Vec::new() };
        let own = Box::new(UnsafeCell::new(engine));
        ENGINE.set(own.get());
        EngineMemory { own: Some(own) }
    }
}

impl Drop for EngineMemory {
    fn drop(&mut self) {
        if let Some(own) = self.own.take() {
            ENGINE.set(std::ptr::null_mut());
            own.into_inner().heap.leave();
        }
    }
}

/// Runs `f` on the engine's memory of this OS thread, if an exploration runs here.
#[inline]
fn with_engine<R>(f: impl FnOnce(&mut Engine) -> R) -> Option<R> {
    let engine = ENGINE.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
    if engine.is_null() {
        return None;
    }
    ENGINE.set(std::ptr::null_mut());
    // SAFETY: `EngineMemory` sets the pointer while what it points to is alive, on this OS thread, and it is null while
    // it is borrowed here.
    let result = f(unsafe { &mut *engine });
    ENGINE.set(engine);
    Some(result)
}

/// Where the memory of the engine lies: that of all explorations, but of what is large only that of this OS thread.
pub(crate) fn engine_memory() -> Vec<Range<usize>> {
    let large = with_engine(|engine| engine.large.clone()).unwrap_or_default();
    large.into_iter().map(|(start, size)| start..start + size).chain(heap::addresses()).collect()
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

impl<A: GlobalAlloc> TrackingAllocator<A> {
    /// A block for code that is not checked.
    #[inline]
    fn allocate_aside(&self, layout: Layout) -> *mut u8 {
        if let Some(block) = with_engine(|engine| engine.heap.allocate(layout)).flatten() {
            return block;
        }
        // SAFETY: the caller's contract is the inner allocator's.
        let block = unsafe { self.inner.alloc(layout) };
        if layout.size() > heap::LARGEST && !block.is_null() {
            with_engine(|engine| engine.large.push((block as usize, layout.size())));
        }
        block
    }

    /// Takes back a block that does not lie in a slab.
    #[inline]
    fn free_aside(&self, block: *mut u8, layout: Layout) {
        if heap::contains(block as usize) {
            if with_engine(|engine| engine.heap.free(block, layout)).is_none() {
                heap::free_outside(block, layout);
            }
            return;
        }
        if layout.size() > heap::LARGEST {
            forget_large(block, layout.size());
        }
        // SAFETY: the block came from the inner allocator.
        unsafe { self.inner.dealloc(block, layout) }
    }
}

/// A large block is given back. What the engine left in it would pass for pointers.
fn forget_large(block: *mut u8, size: usize) {
    let is_engines = with_engine(|engine| {
        let position = engine.large.iter().position(|(start, _)| *start == block as usize);
        position.map(|position| engine.large.swap_remove(position)).is_some()
    });
    if is_engines == Some(true) {
        // SAFETY: the block has this size, and nobody uses it any more.
        unsafe { block.write_bytes(0, size) };
    }
}

// SAFETY: a block comes either from the arena, which gives out each address once in an execution, or from the inner
// allocator, and goes back to where it came from: the addresses of arenas are disjoint from all others.
unsafe impl<A: GlobalAlloc> GlobalAlloc for TrackingAllocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = with_arena(|arena| arena.allocate(layout));
        match block {
            Some(Some(block)) => block,
            // SAFETY: the caller's contract is the inner allocator's.
            Some(None) => unsafe { self.inner.alloc(layout) },
            None => self.allocate_aside(layout),
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if slab::contains(block as usize) {
            // Outside of checked code nothing happens: the slab is searched before it is used again.
            with_arena(|arena| arena.free(block as usize));
        } else {
            self.free_aside(block, layout);
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let is_aside = !serves_checked_code() && layout.size() > heap::LARGEST;
        if is_aside && ENGINE.get().is_null() {
            // The system may have memory that needs no zeros.
            // SAFETY: the caller's contract is the inner allocator's.
            return unsafe { self.inner.alloc_zeroed(layout) };
        }
        // SAFETY: the block is new and has this size; it may have been used before.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let is_ours = slab::contains(block as usize) || heap::contains(block as usize);
        if !is_ours && !is_large_of_engine(block, layout.size()) {
            // What was made outside stays there.
            // SAFETY: as above.
            return unsafe { self.inner.realloc(block, layout, size) };
        }
        // SAFETY: the caller promises a layout that is good for the new size; the new block is another one, at least
        // as large as what is copied.
        unsafe {
            let larger = Layout::from_size_align_unchecked(size, layout.align());
            if heap::contains(block as usize) && heap::is_same_size(layout, larger) {
                return block;
            }
            // What is not checked code's does not become it.
            let is_checked = slab::contains(block as usize);
            let new = if is_checked { self.alloc(larger) } else { self.allocate_aside(larger) };
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

fn is_large_of_engine(block: *mut u8, size: usize) -> bool {
    let is_known = |engine: &mut Engine| engine.large.iter().any(|it| it.0 == block as usize);
    size > heap::LARGEST && with_engine(is_known) == Some(true)
}

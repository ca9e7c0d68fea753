//! Ranges of addresses, one for each execution in progress and for each that has left something alive.
#![expect(unsafe_code, reason = "addresses are reserved from the system")]

use super::search;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The size of a slab. It is address space, not memory: only what is used is backed by pages.
pub(crate) const SIZE: usize = 1 << 28;
/// All slabs of the process.
const MOST: usize = 1 << 14;
/// So many bytes of slabs are put aside before the memory of the process is searched for pointers into them.
const ASIDE: usize = 64 << 20;
/// So many slabs, at most.
const MANY: usize = 512;
const PAGE: usize = 4096;

/// Where the slabs are. 0: not asked for; 1: the system refuses.
static BASE: AtomicUsize = AtomicUsize::new(0);
static SLABS: Mutex<Slabs> =
    Mutex::new(Slabs { clean: Vec::new(), known: 0, aside: Vec::new(), unsearched: (0, 0) });

/// The slabs that no execution uses.
struct Slabs {
    /// Nobody points into these.
    clean: Vec<Slab>,
    /// The slabs up to this one have been used.
    known: u32,
    /// Somebody may point into these.
    aside: Vec<Retired>,
    /// How many of those came since the last search, and what they take.
    unsearched: (usize, usize),
}

/// A slab, by its number. (An address would look like a pointer into it.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slab(u32);

/// A slab of an execution that left something alive, and the parts of it that it used; or that of an exploration that is over.
pub(crate) struct Retired {
    pub slab: Slab,
    /// Offsets. Empty: nothing in it is alive, but what lies on stacks and in memory that was given back may be taken for
    /// pointers into any part of it, which would hide leaks of who uses it next.
    pub used: Vec<(u32, u32)>,
}

impl Slab {
    /// Its first address.
    pub(crate) fn start(self) -> usize {
        BASE.load(Relaxed) + self.0 as usize * SIZE
    }

    /// Its number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The slab that holds an address, and where in it.
    pub(crate) fn of(address: usize) -> Option<(Slab, usize)> {
        let offset = offset(address)?;
        Some((Slab((offset / SIZE) as u32), offset % SIZE))
    }
}

/// Is this the address of something that checked code allocated?
#[inline]
pub(crate) fn contains(address: usize) -> bool {
    offset(address).is_some()
}

#[inline]
fn offset(address: usize) -> Option<usize> {
    let base = BASE.load(Relaxed);
    let offset = address.wrapping_sub(base);
    (base > 1 && offset < SIZE * MOST).then_some(offset)
}

/// A slab that nobody uses, if the system gives one.
///
/// # Panics
///
/// If there are no more.
pub(crate) fn take() -> Option<Slab> {
    let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
    if slabs.clean.is_empty() && slabs.known as usize == MOST {
        slabs.sweep();
        assert!(
            !slabs.clean.is_empty(),
            "{MOST} executions have left memory to which something outside of them still points: a collection that grows in \
             every execution? Build what it keeps outside of checked code, or explore less"
        );
    }
    slabs.clean.pop().or_else(|| slabs.fresh())
}

/// Nobody uses a slab any more.
pub(crate) fn retire(retired: Retired) {
    let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
    slabs.unsearched.0 += 1;
    slabs.unsearched.1 += retired.bytes();
    slabs.aside.push(retired);
    if slabs.unsearched.0 > MANY || slabs.unsearched.1 > ASIDE {
        slabs.sweep();
    }
}

/// An exploration is over, and nothing in its slab is alive.
pub(crate) fn retire_empty(slab: Slab) {
    give_pages_back(slab.start(), SIZE);
    retire(Retired { slab, used: Vec::new() });
}

/// How many slabs have ever been used.
#[cfg(test)]
pub(crate) fn known() -> u32 {
    SLABS.lock().unwrap_or_else(PoisonError::into_inner).known
}

impl Retired {
    /// Did the execution use the byte at this offset?
    pub(crate) fn uses(&self, offset: usize) -> bool {
        self.used.is_empty()
            || self.used.iter().any(|&(from, to)| (from as usize..to as usize).contains(&offset))
    }

    fn bytes(&self) -> usize {
        self.used.iter().map(|(from, to)| ((to - from) as usize).next_multiple_of(PAGE)).sum()
    }
}

impl Slabs {
    fn fresh(&mut self) -> Option<Slab> {
        if BASE.load(Relaxed) == 0 {
            BASE.store(reserve(SIZE * MOST).unwrap_or(1), Relaxed);
        }
        if BASE.load(Relaxed) == 1 {
            return None;
        }
        let slab = Slab(self.known);
        make_writable(slab.start(), SIZE).then(|| {
            self.known += 1;
            slab
        })
    }

    /// Takes back the slabs into which nobody points. Those that are left are kept for ever if they stay in use, so the
    /// next search waits until as much again has been put aside.
    fn sweep(&mut self) {
        self.unsearched = (0, 0);
        let Some(referenced) = search::referenced(&self.aside) else { return };
        let mut is_referenced = referenced.into_iter();
        let clean = &mut self.clean;
        self.aside.retain(|retired| {
            let keep = is_referenced.next().unwrap_or(true);
            if !keep {
                clean.push(retired.slab);
            }
            keep
        });
    }
}

#[cfg(all(unix, target_pointer_width = "64"))]
pub(super) fn reserve(size: usize) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping of nobody's memory.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), size + SIZE, libc::PROT_NONE, flags, -1, 0) };
    // Aligned, so that the low bits of an address are the same in every slab.
    (start != libc::MAP_FAILED).then(|| (start as usize).next_multiple_of(SIZE))
}

#[cfg(all(unix, target_pointer_width = "64"))]
pub(super) fn make_writable(start: usize, size: usize) -> bool {
    // SAFETY: the range lies in the mapping that `reserve` made.
    let done = unsafe { libc::mprotect(start as *mut _, size, libc::PROT_READ | libc::PROT_WRITE) };
    done == 0
}

#[cfg(all(unix, target_pointer_width = "64"))]
fn give_pages_back(start: usize, size: usize) {
    // SAFETY: the range lies in the mapping that `reserve` made, and nobody uses what is there.
    unsafe { libc::madvise(start as *mut _, size, libc::MADV_DONTNEED) };
}

#[cfg(not(all(unix, target_pointer_width = "64")))]
fn give_pages_back(_start: usize, _size: usize) {}

#[cfg(not(all(unix, target_pointer_width = "64")))]
pub(super) fn reserve(_size: usize) -> Option<usize> {
    None
}

#[cfg(not(all(unix, target_pointer_width = "64")))]
pub(super) fn make_writable(_start: usize, _size: usize) -> bool {
    false
}

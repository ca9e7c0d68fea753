//! Who points into the memory of an execution that is over?
//!
//! The writable memory of the process is read word by word. A word that could be a pointer into a slab is taken for one, so
//! what is found may be none, but what is not found has no owner (unless its pointer is hidden: encrypted, or kept by
//! the kernel). Left out are the stacks of coroutines, which are dead between two executions, the stack of this OS thread up to
//! the call that began the exploration, and the memory of the engine ([`super::heap`]).
//! Only on Linux; elsewhere nothing is ever said to have no owner.
#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "memory is read as it is"))]

use super::slab::{Retired, Slab};
use std::cell::Cell;

/// For each slab: does anything outside of it point into it? `None` if that cannot be found out.
pub(crate) fn referenced(slabs: &[Retired]) -> Option<Vec<bool>> {
    let mut found = vec![false; slabs.len()];
    let index: rustc_hash::FxHashMap<u32, usize> =
        slabs.iter().enumerate().map(|(at, retired)| (retired.slab.number(), at)).collect();
    let complete = pointers(&mut |slab, offset| {
        if let Some(&at) = index.get(&slab.number())
            && slabs[at].uses(offset)
        {
            found[at] = true;
        }
    });
    // Something may have been put behind something else that is held.
    for (at, retired) in slabs.iter().enumerate() {
        words_of(retired.slab, &retired.used, &mut |word| {
            if let Some((slab, offset)) = Slab::of(word)
                && let Some(&other) = index.get(&slab.number())
                && other != at
                && slabs[other].uses(offset)
            {
                found[other] = true;
            }
        });
    }
    complete.then_some(found)
}

thread_local! {
    /// An address on the stack of this OS thread: the frames of its exploration are below.
    static BEGINNING: Cell<usize> = const { Cell::new(0) };
}

/// An exploration begins on this OS thread. Its frames will lie below this address, which is on the stack.
pub(crate) fn begins_below(address: usize) {
    BEGINNING.set(address);
}

/// Tells `hear` of every word outside of all slabs that points into one: into which, and where. Says whether everything was
/// read.
#[cfg(target_os = "linux")]
pub(crate) fn pointers(hear: &mut dyn FnMut(Slab, usize)) -> bool {
    linux::pointers(hear).is_some()
}

/// Not possible here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pointers(_hear: &mut dyn FnMut(Slab, usize)) -> bool {
    false
}

/// Tells `hear` of every word in these parts of a slab.
pub(crate) fn words_of(slab: Slab, parts: &[(u32, u32)], hear: &mut dyn FnMut(usize)) {
    const WORD: usize = size_of::<usize>();
    for &(from, to) in parts {
        let start = slab.start() + (from as usize).next_multiple_of(WORD);
        let end = slab.start() + to as usize;
        for address in (start..end.saturating_sub(WORD - 1)).step_by(WORD) {
            // SAFETY: the part has been used, so it is readable; no code runs that could write to it.
            hear(unsafe { (address as *const usize).read_volatile() });
        }
    }
}

/// Tells `hear` of every word in a value.
pub(crate) fn words_in<T>(value: &T, hear: &mut dyn FnMut(usize)) {
    let start = std::ptr::from_ref(value).cast::<usize>();
    assert!(start.is_aligned(), "what holds pointers is aligned like one");
    for at in 0..size_of::<T>() / size_of::<usize>() {
        // SAFETY: the word belongs to the value. It may be padding; it is only compared.
        hear(unsafe { start.add(at).read_volatile() });
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{BEGINNING, Slab};
    use crate::runtime::coroutine;
    use crate::runtime::memory::allocator;
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::ops::Range;
    use std::os::unix::fs::FileExt;

    const WORD: usize = size_of::<usize>();
    /// So many bytes are read at once.
    const CHUNK: usize = 1 << 18;

    pub(super) fn pointers(hear: &mut dyn FnMut(Slab, usize)) -> Option<()> {
        // A file is read instead of the memory itself: other threads may unmap theirs meanwhile.
        let memory = File::open("/proc/self/mem").ok()?;
        let mut buffer = vec![0_u8; CHUNK];
        let own = buffer.as_ptr() as usize..buffer.as_ptr() as usize + CHUNK;
        let mut left_out = coroutine::stacks();
        left_out.extend(allocator::engine_memory());
        left_out.push(own);
        for mapping in writable()? {
            let mapping = without_dead_stack(mapping);
            for range in without(mapping, &left_out) {
                read(&memory, range, &mut buffer, hear);
            }
        }
        // Nothing of what was read stays behind.
        buffer.fill(0);
        std::hint::black_box(&buffer);
        Some(())
    }

    fn read(
        memory: &File,
        range: Range<usize>,
        buffer: &mut [u8],
        hear: &mut dyn FnMut(Slab, usize),
    ) {
        let mut at = range.start;
        while at < range.end {
            let wanted = buffer.len().min(range.end - at);
            let Ok(read @ WORD..) = memory.read_at(&mut buffer[..wanted], at as u64) else {
                return;
            };
            for word in buffer[..read].chunks_exact(WORD) {
                let word = usize::from_ne_bytes(word.try_into().expect("a word's bytes"));
                if let Some((slab, offset)) = Slab::of(word) {
                    hear(slab, offset);
                }
            }
            at += read - read % WORD;
        }
    }

    /// The writable mappings of the process, without the slabs.
    fn writable() -> Option<Vec<Range<usize>>> {
        let maps = BufReader::new(File::open("/proc/self/maps").ok()?);
        let mut found = Vec::new();
        for line in maps.lines() {
            let line = line.ok()?;
            let mut fields = line.split_ascii_whitespace();
            let (range, rights) = (fields.next()?, fields.next()?);
            let (start, end) = range.split_once('-')?;
            let start = usize::from_str_radix(start, 16).ok()?;
            let end = usize::from_str_radix(end, 16).ok()?;
            let is_device = line.contains("/dev/") || line.ends_with("[vvar]");
            if rights.starts_with("rw") && !is_device && Slab::of(start).is_none() {
                found.push(start..end);
            }
        }
        Some(found)
    }

    /// The stack of this OS thread grows down: what is below here is dead, and what is below the beginning of the exploration
    /// is the engine's, with what earlier calls have left there.
    fn without_dead_stack(mapping: Range<usize>) -> Range<usize> {
        let here = 0_u8;
        let here = &raw const here as usize;
        if !mapping.contains(&here) {
            return mapping;
        }
        let beginning = BEGINNING.get();
        let is_above = (here..mapping.end).contains(&beginning);
        let from = if is_above { beginning } else { here };
        from & !(WORD - 1)..mapping.end
    }

    fn without(mapping: Range<usize>, left_out: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut rest = vec![mapping];
        for out in left_out {
            rest = rest
                .into_iter()
                .flat_map(|range| {
                    let before = range.start..range.end.min(out.start);
                    let after = range.start.max(out.end)..range.end;
                    [before, after]
                })
                .filter(|range| range.start < range.end)
                .collect();
        }
        rest
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use crate::Builder;
    use crate::runtime::memory::slab;
    use crate::sync::Arc;
    use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
    use crate::thread;

    #[test]
    fn slabs_of_abandoned_executions_are_used_again() {
        let outcome = Builder::new().explore(|| {
            let (flag, counter) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
            for _ in 0..4 {
                let (flag, counter) = (Arc::clone(&flag), Arc::clone(&counter));
                thread::spawn(move || {
                    let boxed = Box::new([0_u8; 3000]);
                    counter.fetch_add(u32::from(boxed[0]) + 1, SeqCst);
                    while !flag.load(SeqCst) {
                        thread::yield_now();
                    }
                });
            }
            flag.store(true, SeqCst);
        });
        assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
        assert!(outcome.blocked > 1200, "{outcome:?}");
        assert!(slab::known() < 700, "{} slabs", slab::known());
    }
}

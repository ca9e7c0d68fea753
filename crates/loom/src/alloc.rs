//! Memory that is watched for leaks.
#![expect(unsafe_code, reason = "the interface is that of std::alloc")]

use mazurka::__private::Tracked;
pub use std::alloc::Layout;

/// Stands in for [`std::alloc::alloc`]; what is not given back is a leak.
///
/// # Safety
///
/// As [`std::alloc::alloc`].
#[track_caller]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's contract is the same.
    let block = unsafe { std::alloc::alloc(layout) };
    mazurka::__private::track(block);
    block
}

/// Stands in for [`std::alloc::alloc_zeroed`]; what is not given back is a leak.
///
/// # Safety
///
/// As [`std::alloc::alloc_zeroed`].
#[track_caller]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's contract is the same.
    let block = unsafe { std::alloc::alloc_zeroed(layout) };
    mazurka::__private::track(block);
    block
}

/// Stands in for [`std::alloc::dealloc`].
///
/// # Safety
///
/// As [`std::alloc::dealloc`].
#[track_caller]
pub unsafe fn dealloc(block: *mut u8, layout: Layout) {
    mazurka::__private::untrack(block);
    // SAFETY: the caller's contract is the same.
    unsafe { std::alloc::dealloc(block, layout) }
}

/// A value that must be dropped before the test ends.
#[derive(Debug)]
pub struct Track<T> {
    value: T,
    _tracked: Tracked,
}

impl<T> Track<T> {
    /// Watches a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Track { value, _tracked: Tracked::new() }
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The value, which is not watched any more.
    pub fn into_inner(self) -> T {
        self.value
    }
}

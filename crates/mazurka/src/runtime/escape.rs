//! Leaving a panic hook for good.
//!
//! A task that panics in a destructor during unwinding would end the process. It is suspended for ever instead, in the
//! panic hook; but `std` holds a lock while a hook runs, and whoever sets another hook would wait for it for ever. So the
//! frames between here and the caller of the hook are unwound by force (as `pthread_exit` does), which gives the lock back,
//! and the task is suspended behind them.
//!
//! Only where the unwinder is known to have forced unwinding; elsewhere the process ends, as it would without the checker.
#![expect(unsafe_code, reason = "the unwinder is a C library")]

/// Unwinds the frames up to that which holds the value at `inside`, and calls `then` instead of going on, which must not
/// return. Returns only where that is not possible.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn leave_frame_of(inside: usize, then: impl FnMut() + 'static) {
    // The stack of this frame is used again while it is unwound, so nothing lies on it.
    let escape = Box::leak(Box::new(unwinder::Escape::new(inside, Box::new(then))));
    unwinder::unwind(escape);
}

/// Not possible.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn leave_frame_of(_inside: usize, _then: impl FnMut() + 'static) {}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod unwinder {
    use std::ffi::{c_int, c_void};

    /// `_Unwind_Exception` of the Itanium C++ ABI.
    #[repr(C, align(16))]
    struct Exception {
        class: u64,
        cleanup: usize,
        private: [usize; 2],
    }

    pub(super) struct Escape {
        exception: Exception,
        /// An address in the last frame that is to be unwound.
        inside: usize,
        /// The end of that frame, once it has been found.
        frame: usize,
        then: Box<dyn FnMut()>,
    }

    impl Escape {
        pub(super) fn new(inside: usize, then: Box<dyn FnMut()>) -> Self {
            let exception =
                Exception { class: u64::from_be_bytes(*b"MAZURKA\0"), cleanup: 0, private: [0; 2] };
            Escape { exception, inside, frame: 0, then }
        }
    }

    type Stop =
        extern "C-unwind" fn(c_int, c_int, u64, *mut Exception, *mut c_void, *mut c_void) -> c_int;

    unsafe extern "C-unwind" {
        fn _Unwind_ForcedUnwind(exception: *mut Exception, stop: Stop, with: *mut c_void) -> c_int;
        fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    }

    pub(super) fn unwind(escape: *mut Escape) {
        // SAFETY: the escape lives for ever, and `stop` is called with it.
        unsafe { _Unwind_ForcedUnwind(&raw mut (*escape).exception, stop, escape.cast()) };
    }

    /// Called before each frame is unwound, also a second time when its cleanup is done.
    extern "C-unwind" fn stop(
        _version: c_int,
        _actions: c_int,
        _class: u64,
        _exception: *mut Exception,
        context: *mut c_void,
        escape: *mut c_void,
    ) -> c_int {
        // SAFETY: `unwind` passes an escape that nobody else uses; the context is the unwinder's.
        let (escape, end) = unsafe { (&mut *escape.cast::<Escape>(), _Unwind_GetCFA(context)) };
        if escape.frame == 0 {
            if end > escape.inside {
                escape.frame = end;
            }
        } else if end > escape.frame {
            (escape.then)();
        }
        0
    }
}

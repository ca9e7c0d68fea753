//! What [`crate::lazy_static!`] is made of.

use mazurka::sync::LazyLock;
use std::fmt;

/// What a `thread_local!` that is gone answers; here for those who look for it where loom has it.
pub use mazurka::thread::AccessError;

/// A value that is made when it is first needed, anew in every execution.
pub struct Lazy<T: 'static>(LazyLock<T>);

impl<T> Lazy<T> {
    /// A value that `init` makes.
    #[doc(hidden)]
    #[track_caller]
    pub const fn new(init: fn() -> T) -> Self {
        Lazy(LazyLock::new(init))
    }

    /// The value.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        mazurka::__private::excuse_counted();
        LazyLock::force(&self.0)
    }
}

impl<T> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Lazy { .. }")
    }
}

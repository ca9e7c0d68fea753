//! Small numbers that stand for tasks, handlers and objects.
//!
//! A number is given once for a whole exploration (see [`crate::names::TaskNames`]), so the same
//! message, variable or lock has the same number in every interleaving. Names for people are looked
//! up only when something is printed.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index into a table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            #[inline]
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than u32::MAX ids"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

id! {
    /// A thread, or one posted message: whatever has a program order of its own.
    TaskId
}
id! {
    /// A handler thread: it has a mailbox and runs one message at a time, to completion.
    HandlerId
}
id! {
    /// A shared variable, an array element, a mutex or a semaphore.
    ObjectId
}
id! {
    /// An event of [`crate::reorder`]: the same in every sequence.
    EventId
}
id! {
    /// A place in the checked program's source, resolved by [`crate::Run::location`].
    LocationId
}

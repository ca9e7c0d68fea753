//! Nondeterminism of data: [`choose`], and [`assume`].

use crate::runtime::context::{Presence, announce, presence, stop_for_ever, with};
use crate::runtime::state::Source;
use mazurka_engine::{Effect, MOST_ALTERNATIVES, Next, Operation};
use std::ops::Range;

/// A type of numbers that [`choose`] can choose from: the integers.
pub trait Choice: Copy + PartialOrd + sealed::Count {}

mod sealed {
    /// How many numbers a range has, and which is the n-th.
    pub trait Count: Sized {
        fn count(from: Self, to: Self) -> Option<u32>;
        fn nth(from: Self, n: u32) -> Self;
    }
}

macro_rules! choices {
    ($($int:ty)*) => {
        $(
            impl Choice for $int {}

            impl sealed::Count for $int {
                fn count(from: Self, to: Self) -> Option<u32> {
                    u32::try_from((to as i128).checked_sub(from as i128)?).ok()
                }

                fn nth(from: Self, n: u32) -> Self {
                    // Smaller than the length of the range, so it fits.
                    from.wrapping_add(n as $int)
                }
            }
        )*
    };
}

choices!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
use std::panic::Location;

/// One of the numbers of the range: the exploration tries each.
///
/// # Panics
///
/// If the range is empty or has more than 10,000 numbers, or outside of an exploration.
///
/// ```
/// let outcome = mazurka::Builder::new().explore(|| {
///     assert!(mazurka::choose(0..3) < 3);
/// });
/// assert_eq!(outcome.executions, 3);
/// ```
#[track_caller]
pub fn choose<T: Choice>(range: Range<T>) -> T {
    assert!(range.start < range.end, "mazurka::choose needs at least one number to choose from");
    match presence() {
        Presence::Outside => panic!("mazurka::choose works inside of mazurka::check only"),
        Presence::Task => {
            let alternatives = T::count(range.start, range.end)
                .filter(|&alternatives| alternatives <= MOST_ALTERNATIVES)
                .unwrap_or_else(|| {
                    panic!("mazurka::choose has at most {MOST_ALTERNATIVES} numbers to choose from")
                });
            T::nth(range.start, choose_at(alternatives, Location::caller()))
        }
    }
}

/// One of so many alternatives. Called by tasks only.
pub(crate) fn choose_at(alternatives: u32, source: Source) -> u32 {
    if alternatives < 2 {
        return 0;
    }
    announce(Operation::Choose(alternatives), source);
    with(|state| {
        state.performed.effect = Effect::Choose(state.choice);
        state.choice
    })
}

/// Goes on only if the condition holds; the execution counts as blocked otherwise.
///
/// # Panics
///
/// Outside of an exploration, if the condition is false.
#[track_caller]
pub fn assume(condition: bool) {
    match presence() {
        Presence::Outside => assert!(condition, "an assumption is false outside of mazurka::check"),
        Presence::Task if !condition => stop_for_ever(Next::Blocked, Location::caller()),
        Presence::Task => {}
    }
}

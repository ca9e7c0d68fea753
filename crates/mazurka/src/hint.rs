//! Stand-ins for [`std::hint`].

use crate::runtime::context::{Presence, presence, round_ends, stop_for_ever, with};
use crate::runtime::state::Source;
use mazurka_engine::Next;
use std::panic::Location;

pub use std::hint::black_box;

/// Says that a loop waits for another thread.
///
/// When a round of the loop saw the same as the round before and left everything as it was, the task is held back until
/// somebody changes something: the execution counts as blocked, and those in which it sees something else are explored.
/// If nobody is left to change anything, the loop is reported. The number of repeated rounds to allow is
/// [`crate::Builder::spin_bound`].
#[track_caller]
pub fn spin_loop() {
    match presence() {
        Presence::Outside => std::hint::spin_loop(),
        Presence::Task => spins(Location::caller()),
    }
}

/// A round of a waiting loop ends.
pub(crate) fn spins(source: Source) {
    if round_ends(source) > with(|state| state.settings.spin_bound) {
        with(|state| {
            state.held_back = Some(source);
            state.waiting.push((state.current, source));
        });
        stop_for_ever(Next::Blocked, source);
    }
}

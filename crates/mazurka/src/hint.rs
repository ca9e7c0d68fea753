//! Stand-ins for [`std::hint`].

use crate::runtime::context::{Presence, presence, stop_for_ever, with};
use crate::runtime::state::Source;
use mazurka_engine::Next;
use std::panic::Location;

pub use std::hint::black_box;

/// Says that a loop waits for another thread.
///
/// When a round of the loop read the same as the round before and wrote nothing, the task is held back: the
/// execution counts as blocked, and those in which it reads something else are explored. The number of
/// repeated rounds to allow is [`crate::Builder::spin_bound`].
#[track_caller]
pub fn spin_loop() {
    match presence() {
        Presence::Outside => std::hint::spin_loop(),
        Presence::Inert => {}
        Presence::Task => spins(Location::caller()),
    }
}

/// A round of a waiting loop ends.
pub(crate) fn spins(source: Source) {
    let held_back = with(|state| {
        let bound = state.settings.spin_bound;
        let held_back = state.current_task().spin.round_ends() > bound;
        if held_back {
            state.held_back = Some(source);
        }
        held_back
    });
    if held_back {
        stop_for_ever(Next::Blocked, source);
    }
}

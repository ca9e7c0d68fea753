//! Ctrl-C: the first one asks the exploration to end, the second one kills.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells report of a program that SIGINT ended.
const KILLED_BY_INTERRUPT: i32 = 130;

/// The flag that the first Ctrl-C sets. Where no handler can be installed, Ctrl-C kills at once, as it
/// does with every other program.
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let pressed = Arc::clone(&flag);
    let _ = ctrlc::set_handler(move || {
        if pressed.swap(true, Ordering::Relaxed) {
            std::process::exit(KILLED_BY_INTERRUPT);
        }
    });
    flag
}

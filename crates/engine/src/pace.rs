//! Work that takes long looks at the clock now and then.

use crate::watch::Watch;

/// So many words of memory are gone through between two looks: less than a millisecond.
const WORK_BETWEEN_LOOKS: usize = 1 << 18;

/// Counts what has been done since somebody looked.
#[derive(Debug)]
pub struct Pace<'w> {
    watch: &'w Watch,
    left: usize,
}

impl<'w> Pace<'w> {
    /// Looks at this watch.
    pub fn new(watch: &'w Watch) -> Self {
        Pace { watch, left: WORK_BETWEEN_LOOKS }
    }

    /// So many words have been gone through. Says whether the time is up.
    #[inline]
    pub fn is_up_after(&mut self, work: usize) -> bool {
        if work < self.left {
            self.left -= work;
            return false;
        }
        self.left = WORK_BETWEEN_LOOKS;
        self.watch.is_up()
    }
}

//! Long local code looks at the clock.

use mazurka_engine::Watch;

/// So many rounds of loops are made between two looks.
const ROUNDS_BETWEEN_LOOKS: u32 = 1 << 14;

/// Counts the rounds of loops.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    watch: Watch,
    left: u32,
}

impl Pace {
    pub(super) fn new(watch: &Watch) -> Self {
        Pace { watch: watch.clone(), left: ROUNDS_BETWEEN_LOOKS }
    }

    /// A loop begins another round. Says whether the time is up.
    #[inline]
    pub(super) fn round(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        self.left = ROUNDS_BETWEEN_LOOKS;
        self.watch.is_up()
    }
}

//! [`Notify`].

use mazurka::__private::Bell;

/// Wakes one thread that waits. A notification that nobody waits for is kept; several are one.
#[derive(Debug, Default)]
pub struct Notify {
    bell: Bell,
}

impl Notify {
    /// One that nobody has notified.
    #[track_caller]
    pub fn new() -> Self {
        Notify { bell: Bell::new() }
    }

    /// Wakes the thread that waits, or the next one that does.
    #[track_caller]
    pub fn notify(&self) {
        self.bell.ring();
    }

    /// Waits for a notification. Only one thread may.
    #[track_caller]
    pub fn wait(&self) {
        self.bell.wait();
    }
}

//! Data races of plain memory.

use crate::common::agree;
use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicBool, Ordering};
use mazurka::sync::{Arc, Mutex};
use mazurka::{FailureKind, Outcome, thread};

struct Slot {
    value: UnsafeCell<u32>,
    ready: AtomicBool,
    lock: Mutex<()>,
}

// SAFETY: that is what these tests are about.
#[expect(unsafe_code, reason = "plain memory is shared on purpose")]
unsafe impl Sync for Slot {}

impl Slot {
    fn new() -> Arc<Self> {
        Arc::new(Slot {
            value: UnsafeCell::new(0),
            ready: AtomicBool::new(false),
            lock: Mutex::new(()),
        })
    }

    #[track_caller]
    #[expect(unsafe_code, reason = "plain memory is shared on purpose")]
    fn read(&self) -> u32 {
        // SAFETY: tasks of an exploration never run at the same time.
        self.value.with(|value| unsafe { *value })
    }

    #[track_caller]
    #[expect(unsafe_code, reason = "plain memory is shared on purpose")]
    fn write(&self, new: u32) {
        // SAFETY: tasks of an exploration never run at the same time.
        self.value.with_mut(|value| unsafe { *value = new });
    }
}

fn message_passing(store: Ordering, load: Ordering) {
    let slot = Slot::new();
    let other = Arc::clone(&slot);
    thread::spawn(move || {
        other.write(1);
        other.ready.store(true, store);
    });
    if slot.ready.load(load) {
        assert_eq!(slot.read(), 1);
    }
}

fn races(outcome: &Outcome) -> usize {
    outcome.failures.iter().filter(|failure| failure.kind == FailureKind::DataRace).count()
}

#[test]
fn release_and_acquire_publish() {
    let outcome = agree(|| message_passing(Ordering::Release, Ordering::Acquire));
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn relaxed_does_not_publish() {
    let outcome = agree(|| message_passing(Ordering::Relaxed, Ordering::Acquire));
    assert_eq!(races(&outcome), 1, "{outcome:?}");
    let message = &outcome.failures[0].message;
    assert!(message.contains("read by main") && message.contains("write by main.1"), "{message}");
    assert_eq!(races(&agree(|| message_passing(Ordering::Release, Ordering::Relaxed))), 1);
}

#[test]
fn two_writers_race_without_a_lock_and_not_with_one() {
    let unlocked = agree(|| {
        let slot = Slot::new();
        let other = Arc::clone(&slot);
        thread::spawn(move || other.write(1));
        slot.write(2);
    });
    assert!(races(&unlocked) > 0);
    let locked = agree(|| {
        let slot = Slot::new();
        let other = Arc::clone(&slot);
        thread::spawn(move || {
            let _guard = other.lock.lock().unwrap();
            other.write(1);
        });
        let _guard = slot.lock.lock().unwrap();
        slot.write(2);
    });
    assert_eq!((locked.executions, locked.failures.len()), (2, 0));
}

#[test]
fn joining_and_starting_order() {
    let outcome = agree(|| {
        let slot = Slot::new();
        slot.write(1);
        let other = Arc::clone(&slot);
        let thread = thread::spawn(move || other.write(other.read() + 1));
        thread.join().unwrap();
        assert_eq!(slot.read(), 2);
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (1, 0));
}

#[test]
fn messages_of_one_handler_do_not_race() {
    let outcome = agree(|| {
        let slot = Slot::new();
        let handler = mazurka::handler::Handler::spawn_unordered("h");
        for value in 1..=2 {
            let slot = Arc::clone(&slot);
            handler.post(move || slot.write(value));
        }
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

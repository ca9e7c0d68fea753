//! A channel for one message, which its two ends share by a raw pointer.
#![expect(unsafe_code, reason = "as in the crate")]

use crate::found_and_fixed;
use mazurka::FailureKind;
use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicU8, Ordering::SeqCst};
use mazurka::{hint, thread};

const RECEIVING: u8 = 0;
const UNPARKING: u8 = 1;
const DISCONNECTED: u8 = 2;
const MESSAGE: u8 = 4;

struct Channel {
    state: AtomicU8,
    waker: UnsafeCell<u32>,
}

/// The sender has found a receiver that waits: it takes the waker, then it says that there is a message.
unsafe fn send(channel: *const Channel) {
    let channel = unsafe { &*channel };
    if channel.state.fetch_add(1, SeqCst) == RECEIVING {
        channel.waker.with(|waker| unsafe { *waker });
        channel.state.swap(MESSAGE, SeqCst);
    }
}

/// The receiver is dropped. Who comes last gives the channel back.
unsafe fn drop_receiver(channel: *const Channel, fixed: bool) -> bool {
    let state = unsafe { &(*channel).state };
    let swapped = match fixed {
        false => state.swap(DISCONNECTED, SeqCst),
        true => match state.compare_exchange(RECEIVING, DISCONNECTED, SeqCst, SeqCst) {
            Ok(before) | Err(before) => before,
        },
    };
    if swapped == UNPARKING {
        // The sender is about to set the last state; but here the receiver may see its own.
        while !matches!(state.load(SeqCst), MESSAGE | DISCONNECTED) {
            hint::spin_loop();
        }
    }
    swapped != RECEIVING
}

/// oneshot 0.1.13 and 0.2.1: a receiver that was polled and is dropped while the sender wakes it up replaces the state for which
/// it is about to wait, and gives the channel back under the hands of the sender. Found by the crate's own loom test
/// `poll_then_drop_receiver_during_send`.
#[test]
fn oneshot_receiver_dropped_while_the_sender_wakes_it_up() {
    fn program(fixed: bool) {
        let channel =
            Box::new(Channel { state: AtomicU8::new(RECEIVING), waker: UnsafeCell::new(7) });
        let channel = Box::into_raw(channel) as usize;
        let sender = thread::spawn(move || unsafe { send(channel as *const Channel) });
        let is_last = unsafe { drop_receiver(channel as *const Channel, fixed) };
        if is_last {
            drop(unsafe { Box::from_raw(channel as *mut Channel) });
        }
        sender.join().unwrap();
        if !is_last {
            drop(unsafe { Box::from_raw(channel as *mut Channel) });
        }
    }
    found_and_fixed(program, FailureKind::Fault, "use after free");
}

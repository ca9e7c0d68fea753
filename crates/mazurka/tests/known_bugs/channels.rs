//! Channels of tokio, crossbeam and flume.

use crate::found_and_fixed;
use mazurka::FailureKind;
use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Arc, Condvar, Mutex};
use mazurka::{hint, thread};
use std::collections::VecDeque;

/// tokio, "Race leads to panic in `oneshot::Sender::send()`": a sender that finds the channel closed takes its value
/// back, which the receiver may have taken. <https://github.com/tokio-rs/tokio/issues/4225>, RUSTSEC-2021-0124.
#[test]
fn tokio_4225_oneshot_closed_while_sending() {
    const SENT: usize = 1;
    const CLOSED: usize = 2;
    struct Channel {
        state: AtomicUsize,
        value: Mutex<Option<u32>>,
    }
    impl Channel {
        /// Marks the value as sent; says whether the channel is open.
        fn complete(&self, fixed: bool) -> bool {
            if !fixed {
                return self.state.fetch_or(SENT, SeqCst) & CLOSED == 0;
            }
            let mark = |state: usize| (state & CLOSED == 0).then_some(state | SENT);
            self.state.fetch_update(SeqCst, SeqCst, mark).is_ok()
        }

        fn send(&self, value: u32, fixed: bool) {
            *self.value.lock().unwrap() = Some(value);
            if !self.complete(fixed) {
                self.value.lock().unwrap().take().expect("the value is still there");
            }
        }

        fn close_and_try_recv(&self) -> Option<u32> {
            self.state.fetch_or(CLOSED, SeqCst);
            if self.state.load(SeqCst) & SENT == 0 {
                return None;
            }
            self.value.lock().unwrap().take()
        }
    }
    fn program(fixed: bool) {
        let channel = Arc::new(Channel { state: AtomicUsize::new(0), value: Mutex::new(None) });
        let receiver = Arc::clone(&channel);
        thread::spawn(move || receiver.close_and_try_recv());
        channel.send(1, fixed);
    }
    found_and_fixed(program, FailureKind::Assertion, "still there");
}

/// crossbeam-channel, "double free on `Drop`": a receiver that discards messages and waits for the first block to be
/// installed reads it without taking it out. <https://github.com/crossbeam-rs/crossbeam/pull/1187>, RUSTSEC-2025-0024.
#[test]
fn crossbeam_1187_double_free_of_the_first_block() {
    struct Channel {
        messages: AtomicUsize,
        head_block: AtomicUsize,
        frees: AtomicUsize,
    }
    const BLOCK: usize = 1;
    fn discard_all_messages(channel: &Channel, fixed: bool) {
        let sent = channel.messages.load(SeqCst);
        let mut block = channel.head_block.swap(0, SeqCst);
        while sent > 0 && block == 0 {
            hint::spin_loop();
            block = if fixed {
                channel.head_block.swap(0, SeqCst)
            } else {
                channel.head_block.load(SeqCst)
            };
        }
        if block != 0 {
            channel.frees.fetch_add(1, SeqCst);
        }
    }
    fn program(fixed: bool) {
        let channel = Arc::new(Channel {
            messages: AtomicUsize::new(0),
            head_block: AtomicUsize::new(0),
            frees: AtomicUsize::new(0),
        });
        let sender = Arc::clone(&channel);
        let sender = thread::spawn(move || {
            sender.messages.fetch_add(1, SeqCst);
            sender.head_block.store(BLOCK, SeqCst);
        });
        discard_all_messages(&channel, fixed);
        sender.join().unwrap();
        // The channel is dropped.
        if channel.head_block.load(SeqCst) != 0 {
            channel.frees.fetch_add(1, SeqCst);
        }
        assert!(channel.frees.load(SeqCst) <= 1, "double free");
    }
    found_and_fixed(program, FailureKind::Assertion, "double free");
}

/// tokio, "broadcast: Fix sender lost wakeup bug": the last reader of a slot notifies without the lock that the
/// sender checks under. <https://github.com/tokio-rs/tokio/pull/2134>.
#[test]
fn tokio_2134_broadcast_sender_is_not_woken() {
    struct Shared {
        tail: Mutex<()>,
        readers: AtomicUsize,
        done: Condvar,
    }
    fn program(fixed: bool) {
        let shared = Arc::new(Shared {
            tail: Mutex::new(()),
            readers: AtomicUsize::new(1),
            done: Condvar::new(),
        });
        let reader = Arc::clone(&shared);
        thread::spawn(move || {
            if reader.readers.fetch_sub(1, SeqCst) == 1 {
                if fixed {
                    drop(reader.tail.lock().unwrap());
                }
                reader.done.notify_one();
            }
        });
        let mut tail = shared.tail.lock().unwrap();
        while shared.readers.load(SeqCst) != 0 {
            tail = shared.done.wait(tail).unwrap();
        }
    }
    found_and_fixed(program, FailureKind::Deadlock, "main waits");
}

/// flume, "Race condition in the async code when sender drops too quickly": the receiver looks for a message, then
/// for senders, and misses what was sent between. <https://github.com/zesterer/flume/issues/120>.
#[test]
fn flume_120_message_lost_when_the_sender_drops() {
    struct Channel {
        queue: Mutex<VecDeque<u32>>,
        senders: AtomicUsize,
    }
    impl Channel {
        fn pop(&self) -> Option<u32> {
            self.queue.lock().unwrap().pop_front()
        }

        /// `Ok(None)`: nothing yet.
        fn poll(&self, fixed: bool) -> Result<Option<u32>, &'static str> {
            if let Some(message) = self.pop() {
                return Ok(Some(message));
            }
            if self.senders.load(SeqCst) == 0 {
                let last = if fixed { self.pop() } else { None };
                return last.map(Some).ok_or("disconnected without the message");
            }
            Ok(None)
        }
    }
    fn program(fixed: bool) {
        let channel = Arc::new(Channel { queue: Mutex::default(), senders: AtomicUsize::new(1) });
        let sender = Arc::clone(&channel);
        thread::spawn(move || {
            sender.queue.lock().unwrap().push_back(1);
            sender.senders.store(0, SeqCst);
        });
        let message = channel.poll(fixed).unwrap();
        assert!(message.is_none() || message == Some(1));
    }
    found_and_fixed(program, FailureKind::Assertion, "disconnected without the message");
}

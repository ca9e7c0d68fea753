//! A message lost by cancellation: a future takes a message from a queue and is dropped at its next await, by a
//! time-out or a `select!`.
//!
//! `cargo run --example async_cancellation` shows how it goes wrong, and that the fixed receiver does not.

use mazurka::future::block_on;
use mazurka::sync::Arc;
use mazurka::tokio::sync::{Mutex, mpsc};
use mazurka::tokio::{spawn, time};
use std::time::Duration;

struct Log {
    inbox: Mutex<mpsc::UnboundedReceiver<u32>>,
    written: Mutex<Vec<u32>>,
}

impl Log {
    /// Takes the message, then waits for the place to write it to: dropped there, the message is gone.
    async fn take_then_lock(&self) {
        let message = self.inbox.lock().await.recv().await;
        self.written.lock().await.extend(message);
    }

    /// Waits for the place first: between taking and writing nothing is awaited.
    async fn lock_then_take(&self) {
        let mut inbox = self.inbox.lock().await;
        let mut written = self.written.lock().await;
        written.extend(inbox.recv().await);
    }
}

fn one_message(careful: bool) {
    block_on(async move {
        let (sender, inbox) = mpsc::unbounded_channel();
        let log = Arc::new(Log { inbox: Mutex::new(inbox), written: Mutex::new(Vec::new()) });
        let reader = Arc::clone(&log);
        let busy = spawn(async move {
            let written = reader.written.lock().await;
            mazurka::task::yield_now().await;
            drop(written);
        });
        sender.send(1).unwrap();
        drop(sender);
        let first =
            async { if careful { log.lock_then_take().await } else { log.take_then_lock().await } };
        // Gives up after a while, and tries once more.
        if time::timeout(Duration::from_secs(1), first).await.is_err() {
            log.lock_then_take().await;
        }
        busy.await.unwrap();
        assert_eq!(*log.written.lock().await, [1], "the message is lost");
    });
}

fn main() {
    let failed = std::panic::catch_unwind(|| mazurka::check(|| one_message(false)));
    assert!(failed.is_err(), "the lost message is found");
    mazurka::check(|| one_message(true));
}

//! An actor that loses an update: it answers "deposit" by asking itself to store what it has computed from a balance
//! that another message changes in between.
//!
//! `cargo run --example actor_lost_update` shows how it goes wrong, and that the fixed actor does not.

use mazurka::handler::Handler;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicU64, Ordering::SeqCst};
use mazurka::thread;

#[derive(Clone)]
struct Account {
    actor: Handler,
    balance: Arc<AtomicU64>,
}

impl Account {
    fn open() -> Self {
        Account { actor: Handler::spawn("account"), balance: Arc::new(AtomicU64::new(0)) }
    }

    /// Reads in one message and writes in a second one: other deposits come between.
    fn deposit_in_two_messages(&self, amount: u64) {
        let account = self.clone();
        self.actor.post(move || {
            let balance = account.balance.load(SeqCst);
            let inner = account.clone();
            account.actor.post(move || inner.balance.store(balance + amount, SeqCst));
        });
    }

    /// Reads and writes in one message, which runs to completion.
    fn deposit(&self, amount: u64) {
        let account = self.clone();
        self.actor.post(move || {
            let balance = account.balance.load(SeqCst);
            account.balance.store(balance + amount, SeqCst);
        });
    }
}

fn two_customers(deposit: fn(&Account, u64)) {
    let account = Account::open();
    let customers = [50, 70].map(|amount| {
        let account = account.clone();
        thread::spawn(move || deposit(&account, amount))
    });
    for customer in customers {
        customer.join().unwrap();
    }
    // Posted behind the deposits; with two messages for each, the second ones may come later.
    let last = account.clone();
    account.actor.post(move || {
        let check = last.clone();
        last.actor.post(move || assert_eq!(check.balance.load(SeqCst), 120, "a deposit is lost"));
    });
}

fn main() {
    let failed = std::panic::catch_unwind(|| {
        mazurka::check(|| two_customers(Account::deposit_in_two_messages))
    });
    assert!(failed.is_err(), "the lost update is found");
    mazurka::check(|| two_customers(Account::deposit));
}

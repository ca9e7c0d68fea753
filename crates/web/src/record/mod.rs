//! One execution of the page: from a fresh tab to the state that is left when nothing is left to do.

mod answers;
mod driver;
mod end;
mod finish;
mod loading;
mod order;
mod pending;
mod recording;
mod registered;
mod requests;
mod tab;
mod user;
mod workers;

pub use driver::{record, record_first};
pub use end::{Access, Ending, Exception, Touched};
pub use order::Role;
pub use pending::Meta;
pub use recording::{Plan, Queued, Recording};

use crate::actions::Action;
use crate::rewrite::{Page, Sources};
use crate::server::Server;
use crate::trace::Names;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What all executions of a page have in common.
pub struct Shared {
    /// Who answers its requests.
    pub server: Server,
    /// What was rewritten.
    pub sources: Mutex<Sources>,
    /// Pages that were rewritten.
    pub pages: Mutex<HashMap<String, Page>>,
    /// The numbers of events.
    pub names: Mutex<Names>,
    /// What the names of helpers begin with.
    pub helper: String,
    /// What the user does; fixed once the page has been recorded.
    pub actions: Mutex<Option<Vec<Action>>>,
    /// How many actions are tried where none are given.
    pub max_actions: usize,
    /// Expressions that must hold in the end.
    pub asserts: Vec<String>,
    /// How many events an execution may have.
    pub max_events: usize,
    /// How long one event may take.
    pub step: Duration,
    /// Has everything been told to stop?
    pub is_stopped: AtomicBool,
    /// Does the user wait for answers where the order is ours?
    pub is_patient: AtomicBool,
}

/// Locks what no panic can leave half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

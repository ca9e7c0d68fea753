//! What an algorithm promises for a program.

use crate::coarse::{Obligation, obligation};
use crate::description::Description;
use crate::properties::{is_non_branching, only_mailbox};
use mazurka_engine::{Algorithm, Mailbox};

/// What matters of a program for the promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// Does it have handlers?
    pub handlers: bool,
    /// Are all mailboxes multisets?
    pub only_multiset: bool,
    /// Are all mailboxes FIFO queues?
    pub only_fifo: bool,
    /// Do the accesses of tasks not depend on values?
    pub non_branching: bool,
}

impl Traits {
    /// Those of a description.
    pub fn of(description: &Description) -> Self {
        Traits {
            handlers: !description.handlers.is_empty(),
            only_multiset: only_mailbox(description, Mailbox::Multiset),
            only_fifo: only_mailbox(description, Mailbox::Fifo),
            non_branching: is_non_branching(description),
        }
    }
}

/// What an algorithm promises beside finding every class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promise {
    /// Does the order of messages on a handler make a difference to it?
    pub ordered: bool,
    /// If there is any deadlock, one is found, even if every deadlocked trace is contained in another trace.
    pub deadlocks: bool,
    /// No class is explored twice.
    pub once: bool,
    /// No exploration is begun and abandoned.
    pub nothing_in_vain: bool,
}

/// Is the algorithm made for such programs, and judged by its traces? (For others see [`crate::coarse`].)
pub fn applies(algorithm: Algorithm, traits: Traits) -> bool {
    match algorithm {
        Algorithm::EmDpor => traits.only_fifo,
        _ if obligation(algorithm).is_some_and(|owes| owes != Obligation::Traces) => false,
        _ => true,
    }
}

/// What it promises for such programs.
pub fn promise(algorithm: Algorithm, traits: Traits) -> Promise {
    let optimal = matches!(algorithm, Algorithm::Optimal | Algorithm::Bounded | Algorithm::Event);
    Promise {
        ordered: traits.handlers
            && matches!(
                algorithm,
                Algorithm::Dpor | Algorithm::Source | Algorithm::Optimal | Algorithm::Bounded
            ),
        deadlocks: true,
        once: optimal,
        // What an event will do that depends on values, `event` finds out by performing it.
        nothing_in_vain: optimal && (algorithm != Algorithm::Event || traits.non_branching),
    }
}

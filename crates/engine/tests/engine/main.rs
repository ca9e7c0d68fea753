//! The engine by itself: small scripts instead of a language, and plain definitions to compare with.

//!
//! Deliberate mistakes in the engine, each made by hand, and the tests of this crate that fail then:
//!
//! | mistake | caught by |
//! |---|---|
//! | what follows from queues is no part of happens-before (`order_by_queue` leaves FIFO handlers out) | `happens_before::what_follows_from_queues` |
//! | a FIFO mailbox gives out any message (`State::admits`) | `state::it_agrees_with_the_oracle_and_can_be_undone` |
//! | a message that is taken back goes to the end of its mailbox (`State::undo`) | the same, and all of `algorithms` |
//! | an explored event is a weak initial although it conflicts (`Explored::is_weak_initial`) | two of `wakeup_trees`, `algorithms::optimal` |
//! | a read and a write do not conflict (`Mode::conflicts`) | all of `algorithms` |

mod algorithms;
mod happens_before;
mod names;
mod script;
mod state;
mod wakeup_trees;

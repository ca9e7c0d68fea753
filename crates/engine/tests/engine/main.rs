//! The engine by itself: small scripts instead of a language, and plain definitions to compare with.
//!
//! Deliberate mistakes in the engine, each made by hand, and the tests of this crate that fail then:
//!
//! | mistake | caught by |
//! |---|---|
//! | what follows from queues is no part of happens-before (`Execution::order`) | `happens_before::what_follows_from_queues` |
//! | a FIFO mailbox gives out any message (`State::admits`) | `state::it_agrees_with_the_oracle_and_can_be_undone` |
//! | a message that is taken back goes to the end of its mailbox (`State::undo`) | the same, and all of `algorithms` |
//! | an explored event is a weak initial although it conflicts (`Explored::is_weak_initial`) | two of `wakeup_trees`, `algorithms::optimal` |
//! | a read and a write do not conflict (`Mode::conflicts`) | all of `algorithms` |
//! | what follows from queues is no part of names (`Execution::order`) | `names::where_queues_order`, `algorithms::event_explores_nothing_twice_and_loses_nothing` |
//! | a trace contains a reversal if it has its second event (`Known::contains`) | two of `algorithms`, a test of its own |
//! | a queue hands out in any order (`Saturation::take_turn`; `Machine::admits`) | `realise_agrees_with_all_orders` |
//! | what happens after an event that has to wait need not wait (`Passes::perform`) | the same |
//! | the first events come as explored although one of them is missing (`Passes::behind_shared`) | the same |
//! | a handler is idle after them (`Machine::after`) | the same, one of `algorithms` |
//! | who has started is still in the queue (`Machine::after`) | the same: the first attempt at an order fails too often |
//! | in the explored order a message may start behind one that does not end (`Scenario::takes_turns`) | the same, one of `algorithms` |
//! | a race counts as reversed whatever is behind it (`Race::name`) | two of `algorithms` |
//! | columns of an earlier execution are used (`Columns::forget`) | five of `algorithms` |
//! | a few bits of a name say which event it is (`Chapter::place_of`) | `algorithms::event_explores_nothing_twice_and_loses_nothing` |
//! | choices of an earlier execution are made otherwise (`event`) | the same |
//! | a race is settled although something does not come behind it (`Settled::is_settled`) | a test of its own |
//! | every execution is of a new trace (`event`) | `algorithms::event_explores_nothing_twice_and_loses_nothing` |

mod algorithms;
mod happens_before;
mod names;
mod script;
mod state;
mod wakeup_trees;

//! The engine by itself: small scripts instead of a language, and plain definitions to compare with.

mod algorithms;
mod happens_before;
mod script;
mod state;
mod wakeup_trees;

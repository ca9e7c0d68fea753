//! The built command, from the outside: what people and scripts rely on.
//! `UPDATE_EXPECT=1` takes new snapshots.

mod bad_input;
mod check;
mod expect;
mod help;
mod json;
mod programs;
mod replay;
mod several;
mod support;
mod trace;

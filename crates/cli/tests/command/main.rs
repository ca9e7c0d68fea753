//! The built command, from the outside: what people and scripts rely on.
//! `UPDATE_EXPECT=1` takes new snapshots.

mod bad_input;
mod bounded;
mod check;
mod ends;
mod expect;
mod export;
mod fmt;
mod growth;
mod help;
mod json;
mod lsp;
mod manual;
mod programs;
mod r4;
mod replay;
mod several;
mod support;
mod trace;
mod web;

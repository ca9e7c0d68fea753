//! Snapshots of every report. `UPDATE_EXPECT=1` takes new ones.

mod account;
mod common;
mod exploration;
mod page;
mod web;

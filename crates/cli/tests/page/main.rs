//! The page in a real browser: opened from disk, clicked, stepped through with keys, measured.
//!
//! `MAZURKA_SCREENSHOTS=folder` keeps pictures of what the tests see; `UPDATE_PICTURES=1` makes the picture of the manual
//! anew.

mod large;
mod looks;
mod pictures;
#[path = "../command/support.rs"]
#[expect(dead_code, reason = "the tests of the command use more of it")]
mod support;
mod tab;
mod traces;
mod words;

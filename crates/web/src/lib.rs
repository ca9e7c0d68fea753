//! Web pages in a real browser.
pub mod actions;
pub mod browser;
pub mod error;
pub mod record;
pub mod rewrite;
pub mod scheduler;
pub mod server;
pub mod trace;

//! Web pages in a real browser.
pub mod browser;
pub mod error;
pub mod rewrite;
pub mod actions;
pub mod server;
pub mod scheduler;

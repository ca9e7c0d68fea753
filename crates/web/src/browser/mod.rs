//! The browser: found, started, spoken to, and always ended.

mod connection;
mod find;
mod process;

pub use connection::{Connection, Message};
pub use find::find;
pub use process::Browser;

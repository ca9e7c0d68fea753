//! The server over its protocol, in one process: every message goes through JSON values as it does on a pipe.

mod client;
mod edits;
mod features;

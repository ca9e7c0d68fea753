//! Scripts and pages on their way to the browser: accesses are reported, and the parser gets gates to wait at.
//!
//! Nothing is generated: text is inserted between the spans of the original, without line breaks, so that
//! places in the browser's own messages can be traced back.

mod edits;
mod html;
mod script;
mod sources;

pub use edits::{Edit, Edits};
pub use html::{Page, Stop, page};
pub use script::{Goal, script};
pub use sources::{Place, Site, Sources};

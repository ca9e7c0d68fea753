//! What `mazurka web` found: for the terminal, as JSON, and as a folder with a page for people that works from disk.
//!
//! A [`WebReport`] is plain data that whoever explores a page fills in. Nothing here knows browsers.

mod model;

pub use model::{
    Changes, Difference, Exception, HeapChange, Incomplete, RaceClass, RaceDetails, RaceEnd,
    Severity, WebEvent, WebFailure, WebRace, WebReport, WebSequence,
};

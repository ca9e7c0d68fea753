//! What `mazurka web` found: for the terminal, as JSON, and as a folder with a page for people that works from disk.
//!
//! A [`WebReport`] is plain data that whoever explores a page fills in. Nothing here knows browsers.

mod card;
mod details;
mod document;
mod folder;
mod json;
mod lanes;
mod model;
mod order;
mod orders;
mod page;
mod pictures;
mod progress;
mod summary;

pub use folder::{ReportFile, folder};
pub use json::json;
pub use model::{
    Changes, Difference, Exception, HeapChange, Incomplete, RaceClass, RaceDetails, RaceEnd,
    Severity, WebEvent, WebFailure, WebRace, WebReport, WebSequence,
};
pub use pictures::{Marked, Marks, compare_pictures, look_different};
pub use progress::{WebProgress, progress_line};
pub use summary::summary;

//! How outcomes look to people and programs: the readable account of an execution, the summary of an
//! exploration, JSON, the page, saved schedules and the progress line.
//!
//! Everything here turns values of the engine into text. Nothing is explored, and no file is opened.

pub mod account;
pub mod again;
pub mod explanation;
#[cfg(feature = "json")]
pub mod export;
#[cfg(feature = "json")]
pub mod files;
#[cfg(feature = "json")]
pub mod json;
pub mod page;
pub mod palette;
pub mod progress;
#[cfg(feature = "traces")]
pub mod races;
pub mod reasons;
pub mod rust_test;
#[cfg(feature = "json")]
pub mod schedule_file;
pub mod subject;
pub mod summary;
#[cfg(feature = "web")]
pub mod web;
pub mod written;

mod columns;
mod lane_key;
mod left;
mod list;
mod rows;
mod steps;
mod text;
mod words;

pub use account::{AccountOptions, Hints, account};
pub use explanation::explanation;
#[cfg(feature = "json")]
pub use files::{Compared, Examined, FileReport};
pub use palette::{Palette, Role};
pub use progress::ProgressLine;
pub use reasons::{Reason, reasons};
#[cfg(feature = "json")]
pub use schedule_file::{ExpectedFailure, ScheduleFile, ScheduleFileError};
pub use subject::{Exploration, Subject};
pub use summary::summary;
pub use text::count;
pub use words::{headline, offer};

//! What can go wrong outside the page.

use std::path::PathBuf;

/// Why a page could not be explored. What is wrong with the page itself is a result, not an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no browser.
    #[error(
        "no browser found: install Chromium (on Debian and Ubuntu: apt-get install chromium), or name one with --browser PATH or MAZURKA_BROWSER"
    )]
    NoBrowser,
    /// The browser that was asked for does not exist.
    #[error("there is no browser at {}", .0.display())]
    NoSuchBrowser(PathBuf),
    /// The browser does not start.
    #[error("the browser {} does not start: {why}", path.display())]
    Start {
        /// Which browser.
        path: PathBuf,
        /// What it said last.
        why: String,
    },
    /// No folder for the browser's profile.
    #[error("cannot make a folder for the browser's profile: {0}")]
    Profile(std::io::Error),
    /// The browser has ended.
    #[error("the browser has ended unexpectedly")]
    Gone,
    /// A command was refused.
    #[error("the browser refused {method}: {why}")]
    Refused {
        /// The command.
        method: String,
        /// The browser's words.
        why: String,
    },
    /// The tab has crashed.
    #[error("the tab has crashed during {0}")]
    Crashed(String),
    /// It was told to stop.
    #[error("stopped before the page was recorded")]
    Stopped,
    /// The page cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder without a page.
    #[error("{} has no index.html", .0.display())]
    NoIndex(PathBuf),
    /// A page on another machine.
    #[error("{0} is not on this machine: only files, folders and http://localhost are opened")]
    NotHere(String),
    /// The page did not load.
    #[error("the page {0} does not load: {1}")]
    NotLoaded(String, String),
    /// The list of actions cannot be used.
    #[error("cannot use the actions: {0}")]
    Actions(String),
    /// The schedule cannot be used.
    #[error("cannot use the schedule: {0}")]
    Schedule(String),
}

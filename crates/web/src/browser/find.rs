//! Where the browser is.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// The variable that names the browser, for those who do not want to say it each time.
const VARIABLE: &str = "MAZURKA_BROWSER";

const NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
];

const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The browser that was asked for, or the first one of the usual names.
pub fn find(asked: Option<&Path>) -> Result<PathBuf, Error> {
    let variable = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    match asked.map(Path::to_path_buf).or(variable) {
        Some(path) => on_path(&path).ok_or(Error::NoSuchBrowser(path)),
        None => NAMES
            .iter()
            .chain(&PLACES)
            .find_map(|name| on_path(Path::new(name)))
            .ok_or(Error::NoBrowser),
    }
}

/// A plain name is looked up as a shell does it.
fn on_path(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_path_buf());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_is_not_there_is_named() {
        let error = find(Some(Path::new("/nowhere/chromium"))).expect_err("it is not there");
        assert!(error.to_string().contains("/nowhere/chromium"), "{error}");
    }

    #[test]
    fn plain_names_are_looked_up() {
        assert!(on_path(Path::new("sh")).is_some_and(|path| path.is_absolute()));
        assert_eq!(on_path(Path::new("no-such-browser-at-all")), None);
    }
}

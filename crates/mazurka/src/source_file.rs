//! The text of source files, where they are at hand.

use std::path::PathBuf;

/// The text of a file as the compiler calls it.
pub(crate) fn text(file: &str) -> Option<String> {
    std::fs::read_to_string(find(file)?).ok()
}

/// Paths in the compiler's output count from the folder of the workspace, and tests run in that of their package.
fn find(file: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(file)).find(|path| path.is_file())
}

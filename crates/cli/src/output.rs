//! Output files: looked at before the work begins, written when there is something to write.

use crate::error::Error;
use std::path::Path;

/// Refuses a path that cannot become a file, or that is the input itself, before anything is explored.
pub fn check_path(path: &Path, input: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Directory(path.to_owned()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Error::NoFolder(path.to_owned()));
    }
    match (path.canonicalize(), input.canonicalize()) {
        (Ok(one), Ok(other)) if one == other => Err(Error::OverwritesInput(path.to_owned())),
        _ => Ok(()),
    }
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file that need not be text.
pub fn write_bytes(path: &Path, content: &[u8]) -> Result<(), Error> {
    std::fs::write(path, content).map_err(|source| Error::Write { path: path.to_owned(), source })
}

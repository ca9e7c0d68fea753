//! The programs that a list of files and folders means.

use crate::error::Error;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The extension of programs.
const EXTENSION: &str = "ed";

/// The files as they are named, and the `.ed` files below the folders in the order of their names. A file that is meant
/// twice is there once.
pub fn programs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            collect(path, &mut files)?;
            if files.len() == before {
                return Err(Error::NoPrograms(path.clone()));
            }
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    Ok(files)
}

/// Hidden folders are left out, and folders behind a link, which may lead in a circle.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let fail = |source| Error::Read { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(fail)?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(fail)?;
        let is_folder = entry.file_type().map_err(fail)?.is_dir();
        paths.push((entry.path(), is_folder));
    }
    paths.sort();
    for (path, is_folder) in paths {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_folder && !hidden {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file()
        {
            files.push(path);
        }
    }
    Ok(())
}

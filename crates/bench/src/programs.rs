//! The `.ed` programs in the folder `programs`.

use mazurka_lang::{Diagnostics, EdProgram, Options, compile};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Names and values of parameters.
pub type Params = Vec<(String, i64)>;

/// Why a program cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is no program.
    #[error("{0}")]
    Compile(#[from] Diagnostics),
}

/// Loads a program by folder and name, such as `event-dpor/writers`.
pub fn load(name: &str, params: &[(String, i64)]) -> Result<EdProgram, LoadError> {
    let path = folder().join(format!("{name}.ed"));
    let text = read(&path)?;
    let options = Options { params: params.to_vec(), ..Options::default() };
    Ok(compile(&path.to_string_lossy(), &text, &options)?)
}

/// The text of the table of expected counts.
pub fn expected_counts() -> Result<String, LoadError> {
    read(&folder().join("event-dpor/expected.tsv"))
}

/// All programs, by folder and name.
pub fn all() -> Result<Vec<String>, LoadError> {
    let mut names = Vec::new();
    for sub in entries(&folder())?.into_iter().filter(|path| path.is_dir()) {
        for path in
            entries(&sub)?.into_iter().filter(|path| path.extension() == Some("ed".as_ref()))
        {
            let name = |path: &Path| path.file_stem().map(|it| it.to_string_lossy().into_owned());
            names.extend(name(&sub).zip(name(&path)).map(|(sub, name)| format!("{sub}/{name}")));
        }
    }
    Ok(names)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = read().map_err(|error| LoadError::Read { path: folder.to_owned(), error })?;
    paths.sort();
    Ok(paths)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

fn read(path: &Path) -> Result<String, LoadError> {
    std::fs::read_to_string(path).map_err(|error| LoadError::Read { path: path.to_owned(), error })
}

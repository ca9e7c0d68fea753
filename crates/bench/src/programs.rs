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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

fn read(path: &Path) -> Result<String, LoadError> {
    std::fs::read_to_string(path).map_err(|error| LoadError::Read { path: path.to_owned(), error })
}

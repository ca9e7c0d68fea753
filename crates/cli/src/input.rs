//! Reads programs, schedules and traces, and says clearly what is wrong with a file.

use crate::error::Error;
use mazurka_lang::{EdProgram, Options, compile};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Larger files are refused: nobody writes such programs, and endless ones (`/dev/zero`) exist.
const LARGEST: u64 = 64 << 20;

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Error> {
    text(read_bytes(path)?, path)
}

/// Bytes as text; `path` says of what they are the content.
pub fn text(bytes: Vec<u8>, path: &Path) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| Error::NotText {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The content of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    if path.is_dir() {
        return Err(Error::Directory(path.to_owned()));
    }
    let fail = |source| Error::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(fail)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::TooLarge { path: path.to_owned(), limit: LARGEST });
    }
    Ok(bytes)
}

/// The compiled program of a file.
pub fn read_program(path: &Path, options: &Options) -> Result<EdProgram, Error> {
    program(path, &read_text(path)?, options)
}

/// The compiled program of a file whose text is known.
pub fn program(path: &Path, text: &str, options: &Options) -> Result<EdProgram, Error> {
    compile(&path.to_string_lossy(), text, options)
        .map_err(|diagnostics| Error::Program(Box::new(diagnostics)))
}

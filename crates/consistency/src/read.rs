//! Trace files: plain or gzipped, never more than a limit of bytes, and refused early when it cannot be a trace.

use crate::format::{self, FormatError};
use crate::trace::Trace;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use thiserror::Error;

/// The most bytes of JSON that are read unless the caller says otherwise: room for some 9 million events.
pub const DEFAULT_LIMIT: u64 = 128 << 20;

/// How much is looked at before it is decided whether this may be JSON at all.
const FIRST_LOOK: u64 = 4096;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why a file gives no trace.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be read, or its compressed data is damaged.
    #[error("cannot read the trace: {0}")]
    Io(#[from] io::Error),
    /// It does not begin like a JSON object.
    #[error("not an {} file: it does not begin with `{{`", format::VERSION)]
    NotAnObject,
    /// It is larger (after decompression) than the limit.
    #[error("the trace has more than {limit} bytes of JSON, the most that is read")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// Its text is no trace.
    #[error(transparent)]
    Format(#[from] FormatError),
}

/// Reads a `.json` or `.json.gz` file of at most [`DEFAULT_LIMIT`] bytes of JSON. Whether it is compressed is seen from its
/// first bytes.
pub fn read_file(path: impl AsRef<Path>) -> Result<Trace, ReadError> {
    read(File::open(path)?, DEFAULT_LIMIT)
}

/// A text as the content of a `.gz` file.
#[must_use]
pub fn packed(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text).and_then(|()| packer.finish()).expect("memory can be written to")
}

/// Reads a trace, plain or gzipped, of at most `limit` bytes of JSON. Memory: the JSON text and the trace.
pub fn read(mut source: impl Read, limit: u64) -> Result<Trace, ReadError> {
    let mut start = Vec::new();
    source.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let text = if start == GZIP_MAGIC {
        read_text(MultiGzDecoder::new(start.chain(source)), limit)?
    } else {
        read_text(start.chain(source), limit)?
    };
    Ok(format::parse(&text)?)
}

fn read_text(mut source: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut text = Vec::new();
    source.by_ref().take(FIRST_LOOK.min(limit)).read_to_end(&mut text)?;
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(ReadError::NotAnObject);
    }
    let room = (limit + 1).saturating_sub(text.len() as u64);
    source.take(room).read_to_end(&mut text)?;
    if text.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(text)
}

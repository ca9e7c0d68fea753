//! Programs as `.ed` text: descriptions through the language's front-end, and files.

use crate::compare::{Disagreement, Report, Subject, ask_oracle, compare_with};
use crate::description::Description;
use crate::promise::{Traits, applies, promise};
use crate::render::render_ed;
use mazurka_engine::{Algorithm, Mailbox};
use mazurka_lang::{EdProgram, Options};
use std::path::Path;

/// The comment that tells that a file's messages access the same whatever they read.
pub const NON_BRANCHING: &str = "// non-branching";

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum EdError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Which file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a program.
    #[error("{0}")]
    Compile(String),
}

/// Writes a description as text and compiles it.
pub fn compile(description: &Description) -> Result<EdProgram, EdError> {
    compile_text("description.ed", &render_ed(description))
}

fn compile_text(name: &str, text: &str) -> Result<EdProgram, EdError> {
    mazurka_lang::compile(name, text, &Options::default())
        .map_err(|diagnostics| EdError::Compile(diagnostics.to_string()))
}

/// A compiled `.ed` file, with what matters for the promises.
#[derive(Debug)]
pub struct EdFile {
    program: EdProgram,
    traits: Traits,
}

impl EdFile {
    /// Reads and compiles a file. It is taken to be branching unless it says [`NON_BRANCHING`].
    pub fn read(path: &Path) -> Result<Self, EdError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| EdError::Read { path: name.clone(), source })?;
        let program = compile_text(&name, &text)?;
        let (multiset, fifo) =
            (program.has_mailbox(Mailbox::Multiset), program.has_mailbox(Mailbox::Fifo));
        let traits = Traits {
            handlers: multiset || fifo,
            only_multiset: !fifo,
            only_fifo: !multiset,
            non_branching: text.lines().any(|line| line == NON_BRANCHING),
        };
        Ok(EdFile { program, traits })
    }

    /// The program.
    pub fn program(&self) -> &EdProgram {
        &self.program
    }

    /// Compares an algorithm with the oracle. `Ok(None)`: more interleavings than `limit`, or the algorithm
    /// is not made for such programs.
    pub fn compare(
        &self,
        algorithm: Algorithm,
        limit: u64,
    ) -> Result<Option<Report>, Disagreement> {
        if !applies(algorithm, self.traits) {
            return Ok(None);
        }
        let Some(truth) = ask_oracle(&self.program, limit) else {
            return Ok(None);
        };
        let promise = promise(algorithm, self.traits);
        compare_with(Subject::new(&self.program), truth, algorithm, promise).map(Some)
    }
}

//! Builds the book in `docs/` and refuses warnings, links that lead nowhere and pages outside of the summary.
//!
//! `cargo run --manifest-path docs/builder/Cargo.toml` leaves the pages in `target/book`.

mod links;
mod markdown;
mod warnings;

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let mut complaints = build(&root.join("docs"))?;
    complaints.extend(pages_without_entry(&root.join("docs/src"))?);
    complaints.extend(links::broken(&root.join("target/book"))?);
    complaints.extend(markdown::broken(&root)?);
    if complaints.is_empty() {
        return Ok(());
    }
    bail!("the book has {} mistakes:\n  {}", complaints.len(), complaints.join("\n  "))
}

/// Builds the book; answers with the warnings.
fn build(book: &Path) -> Result<Vec<String>> {
    let warnings = warnings::listen()?;
    MDBook::load(book)
        .and_then(|book| book.build())
        .with_context(|| format!("the book in {} cannot be built", book.display()))?;
    Ok(warnings.heard())
}

/// Pages that nobody would find, because the summary does not lead to them.
fn pages_without_entry(source: &Path) -> Result<Vec<String>> {
    let summary = std::fs::read_to_string(source.join("SUMMARY.md"))?;
    let mut lost = Vec::new();
    for page in markdown::files(source)? {
        let name = page.strip_prefix(source)?.to_string_lossy().into_owned();
        if name != "SUMMARY.md" && !summary.contains(&format!("({name})")) {
            lost.push(format!("{name} is not in SUMMARY.md"));
        }
    }
    Ok(lost)
}

//! The book and the README: their programs run, and what they show is what the command prints.
//!
//! `UPDATE_EXPECT=1 cargo test -p mazurka-cli --test book` writes into the pages what is printed now.
//!
//! In a page, a block ```` ```ed file=NAME ```` (or `json`, `text`) is a file that later commands use; an `ed` block without
//! a name is a program of its own, which has to compile. A ```` ```console ```` block holds commands after `$ `, each with
//! its output below it. A line `...` in an output stands for any number of lines.

mod blocks;
mod examples;
mod page;
mod session;

use page::Page;
use std::path::{Path, PathBuf};

/// The project's folder.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files below a folder, with those in its folders.
fn pages_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the book") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages_below(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}

#[test]
fn what_the_pages_show_is_what_is_printed() {
    let mut paths = vec![root().join("README.md")];
    pages_below(&root().join("docs/src"), &mut paths);
    paths.sort();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let (mut commands, mut complaints) = (0, Vec::new());
    for path in paths {
        let mut page = Page::read(&path);
        commands += page.run(update);
        complaints.append(&mut page.complaints);
        if update {
            page.write();
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    assert!(commands >= 20, "only {commands} commands were found in the pages");
}

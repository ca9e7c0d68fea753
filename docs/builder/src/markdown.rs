//! Links of the project's Markdown files outside of the book: each leads to a file that is there.

use crate::links::leads_away;
use anyhow::Result;
use mdbook_markdown::pulldown_cmark::{Event, Parser, Tag};
use std::path::{Path, PathBuf};

/// Complaints about links of the Markdown files of the project.
pub fn broken(root: &Path) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for file in files(root)?.into_iter().filter(|file| !file.starts_with(root.join("docs/src"))) {
        let text = std::fs::read_to_string(&file)?;
        for link in links(&text).into_iter().filter(|link| !leads_away(link)) {
            let path = link.split('#').next().unwrap_or_default();
            let target = file.parent().unwrap_or(root).join(path);
            if !path.is_empty() && !target.exists() {
                let file = file.strip_prefix(root)?.display();
                complaints.push(format!("{file}: the link to {link}: there is no such file"));
            }
        }
    }
    Ok(complaints)
}

/// All Markdown files below a folder, except what tools have put there. Links to chapters, which packages carry with
/// them, are no files of their own.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules"
            {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md")
                && !path.is_symlink()
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn links(text: &str) -> Vec<String> {
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    Parser::new(text).filter_map(target).collect()
}

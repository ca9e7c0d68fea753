//! Links of the built pages: each leads to a file of the book, and to a heading of it where it says so.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a page offers and where it leads.
struct Page {
    anchors: BTreeSet<String>,
    links: BTreeSet<String>,
}

impl Page {
    fn of(text: &str) -> Page {
        let mut links = attributes(text, " href=\"");
        links.extend(attributes(text, " src=\""));
        Page { anchors: attributes(text, " id=\""), links }
    }
}

/// Complaints about links of the book that was built in `folder`.
pub fn broken(folder: &Path) -> Result<Vec<String>> {
    let pages = pages(folder)?;
    let mut complaints = Vec::new();
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !leads_away(link)) {
            if let Some(why) = mistake(path, link, &pages) {
                complaints.push(format!(
                    "{}: the link to {link}: {why}",
                    path.strip_prefix(folder)?.display()
                ));
            }
        }
    }
    Ok(complaints)
}

/// Is it the address of something outside, which cannot be checked without a network?
pub fn leads_away(link: &str) -> bool {
    ["http://", "https://", "mailto:", "data:", "javascript:"]
        .iter()
        .any(|scheme| link.starts_with(scheme))
}

fn mistake(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> Option<String> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let file = file.split('?').next().unwrap_or_default();
    let target = if file.is_empty() { from.to_path_buf() } else { from.parent()?.join(file) };
    let Ok(target) = target.canonicalize() else {
        return Some("there is no such file".to_owned());
    };
    match pages.get(&target) {
        Some(page) if !anchor.is_empty() && !page.anchors.contains(anchor) => {
            Some("there is no such heading".to_owned())
        }
        _ => None,
    }
}

fn pages(folder: &Path) -> Result<BTreeMap<PathBuf, Page>> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![folder.canonicalize()?];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html")
                && !is_frame(&path)
            {
                let text = std::fs::read_to_string(&path)?;
                pages.insert(path, Page::of(&text));
            }
        }
    }
    Ok(pages)
}

/// Pages that mdBook makes for itself: the table of contents of every page, all pages in one, and the page for wrong
/// addresses, whose links start from wherever one came from.
fn is_frame(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name == "toc.html" || name == "print.html" || name == "404.html")
}

/// The values of an attribute, however often it occurs.
fn attributes(text: &str, opening: &str) -> BTreeSet<String> {
    let values = text.split(opening).skip(1).filter_map(|rest| rest.split_once('"'));
    values.map(|(value, _)| value.replace("&amp;", "&")).collect()
}

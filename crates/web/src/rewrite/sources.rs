//! What was rewritten, and where accesses stand in it. One for all workers.

use super::edits::Edits;
use std::collections::HashMap;
use std::fmt;

/// A place in a file, as people count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file, as the page names it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An access in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Which file.
    pub file: u32,
    /// Where the access stands.
    pub at: u32,
    /// The object whose property is accessed: where it begins and ends.
    pub object: (u32, u32),
}

struct File {
    name: String,
    text: String,
    edits: Edits,
}

/// So many characters are shown before a place in a long line, and behind it.
const AROUND: usize = 60;

/// What stands around a place of a line, with marks where something is left out.
fn around(line: &str, column: usize) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() <= 2 * AROUND {
        return line.trim().to_owned();
    }
    let from = column.saturating_sub(AROUND);
    let to = characters.len().min(column + AROUND);
    let text: String = characters[from..to].iter().collect();
    let (before, after) =
        (if from > 0 { "…" } else { "" }, if to < characters.len() { "…" } else { "" });
    format!("{before}{}{after}", text.trim())
}

/// The longest text of an object that is shown whole.
const SHOWN: usize = 40;

/// All files and sites.
#[derive(Default)]
pub struct Sources {
    files: Vec<File>,
    sites: Vec<Site>,
    by_name: HashMap<String, u32>,
    rewritten: HashMap<(String, String), String>,
}

impl Sources {
    /// What a text was rewritten to, if it was.
    pub fn known(&self, name: &str, text: &str) -> Option<String> {
        self.rewritten.get(&(name.to_owned(), text.to_owned())).cloned()
    }

    /// Keeps a file; its sites get the numbers from `first_site()` on.
    pub fn add(&mut self, name: &str, text: &str, edits: Edits, sites: Vec<Site>) -> String {
        let file = self.files.len() as u32;
        let result = edits.apply(text);
        self.sites.extend(sites.into_iter().map(|site| Site { file, ..site }));
        self.files.push(File { name: name.to_owned(), text: text.to_owned(), edits });
        self.by_name.insert(name.to_owned(), file);
        self.rewritten.insert((name.to_owned(), text.to_owned()), result.clone());
        result
    }

    /// The number of the next site. 0 is no site.
    pub fn first_site(&self) -> u32 {
        self.sites.len() as u32 + 1
    }

    fn site(&self, site: u32) -> Option<(&Site, &File)> {
        let site = self.sites.get((site as usize).checked_sub(1)?)?;
        Some((site, &self.files[site.file as usize]))
    }

    /// Where a site is.
    pub fn place(&self, site: u32) -> Option<Place> {
        let (site, file) = self.site(site)?;
        let before = &file.text[..site.at as usize];
        let line = before.matches('\n').count() as u32 + 1;
        let column = (before.len() - before.rfind('\n').map_or(0, |at| at + 1)) as u32 + 1;
        Some(Place { file: file.name.clone(), line, column })
    }

    /// The source text of the object whose property a site accesses.
    pub fn object(&self, site: u32) -> Option<String> {
        let (site, file) = self.site(site)?;
        let text = file.text.get(site.object.0 as usize..site.object.1 as usize)?;
        let short: String = text.chars().take(SHOWN).collect();
        let ends = if short.len() < text.len() { "…" } else { "" };
        (!short.is_empty()).then(|| format!("{short}{ends}"))
    }

    /// The line of source of a place; of a long one what stands around the place.
    pub fn line(&self, place: &Place) -> Option<String> {
        let file = &self.files[*self.by_name.get(&place.file)? as usize];
        let line = file.text.lines().nth(place.line.checked_sub(1)? as usize)?;
        let column =
            line.get(..place.column as usize - 1).map_or(0, |before| before.chars().count());
        Some(around(line, column))
    }

    /// The original of a place that the browser names.
    pub fn original(&self, file: &str, line: u32, column: u32) -> Place {
        let traced = self.by_name.get(file).map(|&at| {
            let file = &self.files[at as usize];
            file.edits.original(&file.text, line, column)
        });
        let (line, column) = traced.unwrap_or((line, column));
        Place { file: file.to_owned(), line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_around_the_place() {
        let line = format!("{}here{}", "a".repeat(500), "b".repeat(500));
        let shown = around(&line, 500);
        assert_eq!(shown, format!("…{}here{}…", "a".repeat(60), "b".repeat(56)));
        assert_eq!(around("  short  ", 3), "short");
    }
}

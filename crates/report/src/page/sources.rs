//! The texts that places refer to.

use super::model::{Piece, Place, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Longer texts are shown in pieces: so many lines around each place.
const MOST_LINES: usize = 5000;
const AROUND: usize = 12;

/// The files that places are in, and the lines that are needed of them.
#[derive(Debug, Default)]
pub struct Sources {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    lines: Vec<BTreeSet<usize>>,
}

impl Sources {
    /// A place as it is written in reports: `file:line:column` or `file:line`.
    pub fn place(&mut self, location: &str) -> Option<Place> {
        let (file, line, column) = parse(location)?;
        let source = *self.numbers.entry(file.to_owned()).or_insert_with(|| {
            self.names.push(file.to_owned());
            self.lines.push(BTreeSet::new());
            self.names.len() - 1
        });
        self.lines[source].insert(line);
        Some(Place { source, line, column })
    }

    /// The texts, as far as they are known.
    pub(super) fn finish(self, text_of: impl Fn(&str) -> Option<String>) -> Vec<Source> {
        let files = self.names.into_iter().zip(self.lines);
        files
            .map(|(name, lines)| {
                let pieces = text_of(&name).map_or_else(Vec::new, |text| pieces(&text, &lines));
                Source { name, pieces }
            })
            .collect()
    }
}

/// The text, whole or around the lines that are needed.
fn pieces(text: &str, needed: &BTreeSet<usize>) -> Vec<Piece> {
    let all: Vec<&str> = text.lines().collect();
    let piece = |from: usize, to: usize| Piece {
        first: from + 1,
        lines: all[from..to].iter().map(|&line| line.to_owned()).collect(),
    };
    if all.len() <= MOST_LINES {
        return vec![piece(0, all.len())];
    }
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &line in needed.iter().filter(|&&line| line <= all.len()) {
        let (from, to) = (line.saturating_sub(AROUND + 1), (line + AROUND).min(all.len()));
        match ranges.last_mut() {
            Some(last) if from <= last.1 => last.1 = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges.into_iter().map(|(from, to)| piece(from, to)).collect()
}

/// File, line and column of `a.ed:3:4` or `trace.txt:3`; no column is 0.
pub(crate) fn parse(location: &str) -> Option<(&str, usize, usize)> {
    let (rest, last) = numbered(location)?;
    match numbered(rest) {
        Some((file, line)) => Some((file, line, last)),
        None => Some((rest, last, 0)),
    }
}

fn numbered(text: &str) -> Option<(&str, usize)> {
    let (rest, last) = text.rsplit_once(':')?;
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    Some((rest, last.parse().ok().filter(|_| is_number)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        assert_eq!(parse("a.ed:3:4"), Some(("a.ed", 3, 4)));
        assert_eq!(parse("C:\\a.txt:3"), Some(("C:\\a.txt", 3, 0)));
        assert_eq!(parse("somewhere"), None);
        assert_eq!(parse("a:+3"), None);
    }

    #[test]
    fn long_texts_are_shown_around_what_is_needed() {
        let text: String = (1..=6000).map(|line| format!("line {line}\n")).collect();
        let needed = BTreeSet::from([1, 20, 5000, 7000]);
        let pieces = pieces(&text, &needed);
        let shown: Vec<(usize, usize)> =
            pieces.iter().map(|piece| (piece.first, piece.lines.len())).collect();
        assert_eq!(shown, [(1, 32), (4988, 25)]);
        assert_eq!(pieces[1].lines[12], "line 5000");
    }
}

//! Insertions into a text, and the way back from the result to the original.

/// A piece of text that stands in place of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// Where, in the original.
    pub at: u32,
    /// How much of the original goes.
    pub remove: u32,
    /// What comes instead. It has no line break.
    pub insert: String,
}

/// All edits of a text, by place.
#[derive(Clone, Default, Debug)]
pub struct Edits(Vec<Edit>);

impl Edits {
    /// In the order in which they were made; those at the same place stay in that order.
    pub fn new(mut edits: Vec<Edit>) -> Edits {
        edits.sort_by_key(|edit| edit.at);
        Edits(edits)
    }

    /// The text with all of them.
    pub fn apply(&self, text: &str) -> String {
        let extra: usize = self.0.iter().map(|edit| edit.insert.len()).sum();
        let mut result = String::with_capacity(text.len() + extra);
        let mut from = 0;
        for edit in &self.0 {
            result.push_str(&text[from..edit.at as usize]);
            result.push_str(&edit.insert);
            from = (edit.at + edit.remove) as usize;
        }
        result.push_str(&text[from..]);
        result
    }

    /// Where in the original the place with this line and column of the result is (both from 1).
    pub fn original(&self, text: &str, line: u32, column: u32) -> (u32, u32) {
        let start = line_start(text, line);
        let mut left = column.saturating_sub(1) as usize;
        let mut at = start;
        for edit in self.0.iter().filter(|edit| edit.at as usize >= start) {
            let plain = edit.at as usize - at;
            if left <= plain {
                break;
            }
            left -= plain;
            at = edit.at as usize;
            if left < edit.insert.len() {
                left = 0;
                break;
            }
            left -= edit.insert.len();
            at += edit.remove as usize;
        }
        (line, (at - start + left) as u32 + 1)
    }
}

fn line_start(text: &str, line: u32) -> usize {
    let mut breaks = text.match_indices('\n');
    match line.checked_sub(2) {
        Some(skipped) => breaks.nth(skipped as usize).map_or(text.len(), |(at, _)| at + 1),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(at: u32, text: &str) -> Edit {
        Edit { at, remove: 0, insert: text.to_owned() }
    }

    #[test]
    fn edits_at_one_place_keep_their_order() {
        let edits = Edits::new(vec![insert(1, "["), insert(3, "]"), insert(1, "(")]);
        assert_eq!(edits.apply("abcd"), "a[(bc]d");
    }

    #[test]
    fn places_are_traced_back() {
        let text = "ab\ncd.e = 1\n";
        let edits = Edits::new(vec![insert(3, " $w("), insert(5, ",\"e\",7)")]);
        assert_eq!(edits.apply(text), "ab\n $w(cd,\"e\",7).e = 1\n");
        assert_eq!(edits.original(text, 2, 5), (2, 1));
        assert_eq!(edits.original(text, 2, 6), (2, 2));
        assert_eq!(edits.original(text, 2, 15), (2, 4));
        assert_eq!(edits.original(text, 2, 20), (2, 9));
    }
}

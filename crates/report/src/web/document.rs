//! Documents as lines, and how two of them differ.

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};
use std::time::{Duration, Instant};

/// Lines around a difference.
const CONTEXT: usize = 3;
/// Documents that have hardly anything in common are not compared to the last line.
const PATIENCE: Duration = Duration::from_secs(1);
/// Elements that have no end.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr", "!doctype",
];

/// One line of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// In both.
    Same(String),
    /// Only before.
    Removed(String),
    /// Only after.
    Added(String),
    /// Lines that are the same, and are left out.
    Gap,
}

/// The lines that differ, with a few around them.
pub fn difference(before: &str, after: &str) -> Vec<Line> {
    let (old, new) = (lines(before), lines(after));
    let deadline = Some(Instant::now() + PATIENCE);
    let operations = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let mut difference = Vec::new();
    for (at, group) in group_diff_ops(operations, CONTEXT).iter().enumerate() {
        if at > 0 {
            difference.push(Line::Gap);
        }
        group.iter().for_each(|operation| write(operation, &old, &new, &mut difference));
    }
    difference
}

fn write(operation: &DiffOp, old: &[String], new: &[String], into: &mut Vec<Line>) {
    let (_, before, after) = operation.as_tag_tuple();
    if let DiffOp::Equal { .. } = operation {
        return into.extend(old[before].iter().cloned().map(Line::Same));
    }
    into.extend(old[before].iter().cloned().map(Line::Removed));
    into.extend(new[after].iter().cloned().map(Line::Added));
}

/// A line for each tag and each piece of text, indented.
fn lines(document: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut depth = 0usize;
    let mut rest = document;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(end_of_piece(rest));
        rest = behind;
        let name = tag_name(piece);
        if piece.starts_with("</") {
            depth = depth.saturating_sub(1);
        }
        let texts = piece.lines().map(str::trim).filter(|text| !text.is_empty());
        lines.extend(texts.map(|text| format!("{}{text}", "  ".repeat(depth))));
        let Some(name) = name else { continue };
        if !VOID.contains(&&name[..]) {
            depth += 1;
        }
        if name == "script" || name == "style" {
            // What stands in there is no markup.
            let end = rest.find(&format!("</{name}")).unwrap_or(rest.len());
            let (text, behind) = rest.split_at(end);
            let texts = text.lines().map(str::trim).filter(|text| !text.is_empty());
            lines.extend(texts.map(|text| format!("{}{text}", "  ".repeat(depth))));
            rest = behind;
        }
    }
    lines
}

/// Where the tag or the text at the beginning ends. A tag may have its end sign in a quoted value.
fn end_of_piece(text: &str) -> usize {
    if !text.starts_with('<') {
        return text.find('<').unwrap_or(text.len());
    }
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |end| end + 3);
    }
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The name of an element that begins here.
fn tag_name(piece: &str) -> Option<String> {
    let inside = piece.strip_prefix('<')?;
    if inside.starts_with(['/', '-']) || inside.starts_with("!--") {
        return None;
    }
    let end = inside.find(|c: char| c.is_whitespace() || c == '>' || c == '/');
    Some(inside[..end.unwrap_or(inside.len())].to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_and_text_has_a_line() {
        let document = "<ul class=\"a>b\"><li>one<br>two</li></ul><script>if (a<b) x()</script>";
        assert_eq!(
            lines(document),
            [
                "<ul class=\"a>b\">",
                "  <li>",
                "    one",
                "    <br>",
                "    two",
                "  </li>",
                "</ul>",
                "<script>",
                "  if (a<b) x()",
                "</script>",
            ]
        );
    }

    #[test]
    fn lines_far_from_a_difference_are_left_out() {
        let items = |last: &str| {
            let items: String = (0..20).map(|item| format!("<p>{item}</p>")).collect();
            format!("<b>first</b>{items}<b>{last}</b>")
        };
        let difference = difference(&items("last"), &items("end"));
        assert_eq!(difference.len(), 3 + 2 + 1);
        assert!(difference.contains(&Line::Removed("  last".to_owned())));
        assert!(difference.contains(&Line::Added("  end".to_owned())));
    }

    #[test]
    fn equal_documents_do_not_differ() {
        assert_eq!(difference("<p>a</p>", "<p>a</p>"), []);
    }

    #[test]
    fn broken_documents_are_lines_too() {
        assert_eq!(lines("<p class='a"), ["<p class='a"]);
        assert_eq!(lines("</p></p>x"), ["</p>", "</p>", "x"]);
    }
}

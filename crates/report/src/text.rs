//! Small things that every text report needs: widths, wrapping, counting words.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many terminal cells the text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text, filled up with spaces to so many cells.
pub(crate) fn pad(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(width(text))))
}

/// Breaks a text into lines of at most so many cells, between words where it can.
pub(crate) fn wrap(text: &str, cells: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrap_line(line, cells.max(1))).collect()
}

/// One line, whose indentation all its parts keep.
fn wrap_line(text: &str, cells: usize) -> Vec<String> {
    let words = text.trim_start_matches(' ');
    let indent = &text[..text.len() - words.len()];
    let lines = wrap_words(words, cells.saturating_sub(indent.len()).max(1));
    lines.into_iter().map(|line| format!("{indent}{line}")).collect()
}

fn wrap_words(text: &str, cells: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if width(line) + 1 + width(word) <= cells {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
        split_last(&mut lines, cells);
    }
    lines
}

/// Cuts the last line until it fits; only a single long word can make that necessary.
fn split_last(lines: &mut Vec<String>, cells: usize) {
    loop {
        let line = lines.last_mut().expect("there is always a line");
        if width(line) <= cells {
            return;
        }
        let at = fitting(line, cells);
        if at == line.len() {
            return;
        }
        let rest = line.split_off(at);
        lines.push(rest);
    }
}

/// How many bytes of a line fit, at least one character.
fn fitting(line: &str, cells: usize) -> usize {
    let too_much = line
        .char_indices()
        .skip(1)
        .find(|&(at, c)| width(&line[..at]) + c.width().unwrap_or(0) > cells);
    too_much.map_or(line.len(), |(at, _)| at)
}

/// Text that can stand anywhere in a page.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// `512 MiB`, `4 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, shift)| bytes >> shift > 0);
    unit.map_or_else(
        || count(bytes, "byte"),
        |(name, shift)| {
            let whole = bytes as f64 / (1u64 << shift) as f64;
            if whole.fract() == 0.0 {
                format!("{whole} {name}")
            } else {
                format!("{whole:.1} {name}")
            }
        },
    )
}

/// `1 execution`, `90 executions`, `12,345 executions`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds as people read them.
pub(crate) fn seconds(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 {
        format!("{seconds:.3} s")
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_break_between_words_and_inside_long_ones() {
        assert_eq!(wrap("post first(0) to h", 9), ["post", "first(0)", "to h"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("a b\n c", 9), ["a b", " c"]);
        assert_eq!(wrap("日本", 1), ["日", "本"]);
    }

    #[test]
    fn numbers_are_grouped_and_nouns_agree() {
        assert_eq!(count(1, "execution"), "1 execution");
        assert_eq!(count(1_234_567, "event"), "1,234,567 events");
        assert_eq!(grouped(123), "123");
    }

    #[test]
    fn times_have_the_precision_that_matters() {
        assert_eq!(seconds(Duration::from_millis(4)), "0.004 s");
        assert_eq!(seconds(Duration::from_millis(61_230)), "61.2 s");
        assert_eq!(seconds(Duration::from_secs(150)), "2 min 30 s");
    }
}

//! The fields of one line: tokens separated by one space, each `key:value`, found by position.
//!
//! Keys are not compared: the original does not look at them either. What it reads with `atoi` (so
//! that anything is a number) must be a number here.

use crate::error::{Reason, WarningKind};

/// The rest of a line behind its keyword.
pub(crate) struct Fields<'t> {
    keyword: &'t str,
    rest: Option<&'t str>,
}

impl<'t> Fields<'t> {
    pub(crate) fn new(keyword: &'t str, rest: Option<&'t str>) -> Self {
        Fields { keyword, rest }
    }

    /// The value of the next token.
    pub(crate) fn next(&mut self, field: &'static str) -> Result<&'t str, Reason> {
        let rest = self.rest.ok_or_else(|| self.truncated(field))?;
        let (token, rest) = match rest.split_once(' ') {
            Some((token, rest)) => (token, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        value(field, token)
    }

    /// The value of the last token of the line, whatever stands before it.
    pub(crate) fn last(&mut self, field: &'static str) -> Result<&'t str, Reason> {
        let rest = self.rest.take().ok_or_else(|| self.truncated(field))?;
        let token = rest.rsplit_once(' ').map_or(rest, |(_, token)| token);
        value(field, token)
    }

    /// Is there another token?
    pub(crate) fn more(&self) -> bool {
        self.rest.is_some()
    }

    /// What is left when everything needed has been read.
    pub(crate) fn trailing(&self) -> Option<WarningKind> {
        let text = self.rest?.trim();
        (!text.is_empty()).then(|| WarningKind::TrailingText { text: text.to_owned() })
    }

    fn truncated(&self, field: &'static str) -> Reason {
        Reason::Truncated { keyword: self.keyword.to_owned(), field }
    }
}

/// What follows the first colon. A tabulator may stand before the space that ends a token.
fn value<'t>(field: &'static str, token: &'t str) -> Result<&'t str, Reason> {
    let (_, value) =
        token.split_once(':').ok_or_else(|| Reason::NoColon { field, found: token.to_owned() })?;
    Ok(value.trim_end_matches('\t'))
}

/// A thread, message or operation number.
pub(crate) fn id(field: &'static str, text: &str) -> Result<u32, Reason> {
    let bad = || Reason::BadNumber { field, max: u32::MAX.into(), found: text.to_owned() };
    if text.starts_with('-') {
        return Err(bad());
    }
    text.parse().map_err(|_| bad())
}

/// An address: hexadecimal with `0x`, octal with `0`, or decimal.
pub(crate) fn address(field: &'static str, text: &str) -> Result<u64, Reason> {
    let bad = || Reason::BadNumber { field, max: u64::MAX, found: text.to_owned() };
    let (radix, digits) = radix(text);
    match digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => u64::from_str_radix(digits, radix).map_err(|_| bad()),
        false => Err(bad()),
    }
}

/// A number that may be negative, such as a hash; in the same notations.
pub(crate) fn number(field: &'static str, text: &str) -> Result<i64, Reason> {
    let bad = || Reason::BadValue { field, found: text.to_owned() };
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => (true, unsigned),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = address(field, unsigned).ok().and_then(|value| i64::try_from(value).ok());
    value.map(|value| if negative { -value } else { value }).ok_or_else(bad)
}

fn radix(text: &str) -> (u32, &str) {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        (16, digits)
    } else if text.len() > 1 && text.starts_with('0') {
        (8, &text[1..])
    } else {
        (10, text)
    }
}

//! The table of expected counts, `programs/event-dpor/expected.tsv`.

use mazurka_engine::Algorithm;
use thiserror::Error;

/// What is known of one program with one choice of parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The program's name: its file is `programs/event-dpor/<name>.ed`.
    pub program: String,
    /// Names and values of parameters, in the order of the table.
    pub params: Vec<(String, i64)>,
    /// Executions when the messages of a handler are ordered.
    pub optimal: Option<u64>,
    /// Executions when they are not.
    pub event: Option<u64>,
    /// Blocked executions, the same for both.
    pub blocked: u64,
    /// Is it quick enough for the ordinary test run?
    pub test: bool,
    /// Where the numbers come from.
    pub note: String,
}

impl Row {
    /// The executions that an algorithm is expected to explore, where that is known.
    pub fn executions(&self, algorithm: Algorithm) -> Option<u64> {
        match algorithm {
            Algorithm::Event => self.event,
            Algorithm::Optimal => self.optimal,
            _ => None,
        }
    }

    /// Such as `mat-mult(4,3,5)`.
    pub fn label(&self) -> String {
        let values: Vec<String> = self.params.iter().map(|(_, v)| v.to_string()).collect();
        match values.is_empty() {
            true => self.program.clone(),
            false => format!("{}({})", self.program, values.join(",")),
        }
    }
}

/// A line of the table that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TableError {
    /// Not as many columns as there should be.
    #[error("line {line}: {found} columns instead of {COLUMNS}")]
    Columns {
        /// The line, counted from 1.
        line: usize,
        /// How many there are.
        found: usize,
    },
    /// A number or parameter that is none.
    #[error("line {line}: cannot read `{text}`")]
    Value {
        /// The line, counted from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
}

const COLUMNS: usize = 7;

/// Reads a table: comments begin with `#`, the first other line names the columns.
pub fn parse(text: &str) -> Result<Vec<Row>, TableError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        .skip(1)
        .map(|(at, line)| parse_row(at + 1, line))
        .collect()
}

fn parse_row(line: usize, text: &str) -> Result<Row, TableError> {
    let fields: Vec<&str> = text.split('\t').collect();
    let &[program, params, optimal, event, blocked, test, note] = &fields[..] else {
        let found = fields.len();
        return Err(TableError::Columns { line, found });
    };
    Ok(Row {
        program: program.to_owned(),
        params: parse_params(params).ok_or_else(|| bad(line, params))?,
        optimal: count(line, optimal)?,
        event: count(line, event)?,
        blocked: count(line, blocked)?.unwrap_or(0),
        test: test == "yes",
        note: note.trim().to_owned(),
    })
}

/// Reads `m=4,n=3`; nothing is no parameters.
pub fn parse_params(text: &str) -> Option<Vec<(String, i64)>> {
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=')?;
            Some((name.trim().to_owned(), value.trim().parse().ok()?))
        })
        .collect()
}

fn count(line: usize, text: &str) -> Result<Option<u64>, TableError> {
    match text.trim() {
        "" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| bad(line, text)),
    }
}

fn bad(line: usize, text: &str) -> TableError {
    let text = text.to_owned();
    TableError::Value { line, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_row() {
        let text = "# a comment\nprogram\tparams\t…\nmat-mult\tm=4,n=3\t13824\t\t0\tyes\tc\n";
        let rows = parse(text).expect("a good table");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].label(), "mat-mult(4,3)");
        assert_eq!(rows[0].executions(Algorithm::Optimal), Some(13824));
        assert_eq!(rows[0].executions(Algorithm::Event), None);
        assert!(rows[0].test);
    }

    #[test]
    fn says_which_line_is_wrong() {
        let short = parse("head\nwriters\tn=4\n");
        assert_eq!(short, Err(TableError::Columns { line: 2, found: 2 }));
        let word = parse("head\nwriters\tn=four\t1\t1\t0\tyes\t\n");
        assert_eq!(word, Err(bad(2, "n=four")));
    }
}

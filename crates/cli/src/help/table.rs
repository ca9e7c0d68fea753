//! Tables for a terminal: columns as wide as they need to be, and narrower where the terminal is.

use super::markdown::{Style, Word, widths, wrapped};
use mazurka_report::Role;

/// Between columns.
const GAP: &str = "  ";

/// The rows of a table; the first one is its head.
#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<Vec<Word>>>,
    row: Vec<Vec<Word>>,
}

impl Table {
    /// Adds a cell to the row that is read at the moment.
    pub fn cell(&mut self, words: Vec<Word>) {
        self.row.push(words);
    }

    /// The row is complete.
    pub fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// As lines.
    pub fn render(&self, style: Style) -> String {
        let columns = self.columns(style.width);
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            self.row(row, &columns, style, &mut out);
            if at == 0 {
                let rules: Vec<String> = columns.iter().map(|width| "─".repeat(*width)).collect();
                out.push_str(&style.palette.paint(Role::Faint, &rules.join(GAP)));
                out.push('\n');
            }
        }
        out
    }

    fn row(&self, row: &[Vec<Word>], columns: &[usize], style: Style, out: &mut String) {
        let cells: Vec<_> = row
            .iter()
            .zip(columns)
            .map(|(words, width)| wrapped(words, *width, style.palette))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(columns) {
                let (text, used) =
                    cell.get(at).map_or(("", 0), |line| (line.text.as_str(), line.width));
                line.push_str(&format!("{text}{:pad$}{GAP}", "", pad = width.saturating_sub(used)));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }

    /// The widths of the columns: the widest gives way first, but no column becomes narrower than its widest word.
    fn columns(&self, available: usize) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let of_column = |column: usize, pick: fn((usize, usize)) -> usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|words| pick(widths(words))).max().unwrap_or(0)
        };
        let mut columns: Vec<usize> =
            (0..count).map(|column| of_column(column, |it| it.0)).collect();
        let least: Vec<usize> = (0..count).map(|column| of_column(column, |it| it.1)).collect();
        let room = available.saturating_sub(GAP.len() * count.saturating_sub(1));
        while columns.iter().sum::<usize>() > room {
            let may_shrink = (0..count).filter(|&column| columns[column] > least[column]);
            let Some(widest) = may_shrink.max_by_key(|&column| columns[column]) else {
                break;
            };
            columns[widest] -= 1;
        }
        columns
    }
}

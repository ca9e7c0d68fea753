//! The account as a table: a column for each thread and handler, a row for each event.

use crate::account::{fault_lines, note_lines};
use crate::palette::{Palette, Role};
use crate::rows::{Row, Rows};
use crate::text::{pad, width, wrap};
use crate::words;
use mazurka_engine::Fault;

const GAP: &str = "  ";
/// What stands left of the step's number.
pub(crate) const MARK: &str = "✗ ";
/// The same for events whose order decides, and for all others.
pub(crate) const DECIDES: &str = "◆ ";
pub(crate) const NO_MARK: &str = "  ";
/// Cells are broken into lines of these widths before the table is given up, widest first.
const CELL_LIMITS: [usize; 3] = [usize::MAX, 36, 24];

/// Widths of everything in the table.
struct Layout {
    number: usize,
    columns: Vec<usize>,
    place: usize,
}

/// The table, or `None` if it does not fit into `limit` cells.
pub(crate) fn table(rows: &Rows<'_>, limit: usize, palette: Palette) -> Option<String> {
    let layout = CELL_LIMITS
        .iter()
        .map(|&cell| Layout::new(rows, cell))
        .find(|layout| layout.total() <= limit)?;
    let mut out = layout.header(rows, palette);
    for row in &rows.rows {
        out.push_str(&layout.row(row, palette));
        out.push_str(&note_lines(row, limit, palette));
        let values = |fault: &Fault| row.values(rows, fault);
        out.push_str(&fault_lines(&row.event.faults, &values, limit, palette));
    }
    Some(out)
}

impl Layout {
    fn new(rows: &Rows<'_>, cell_limit: usize) -> Layout {
        let mut columns: Vec<usize> = rows.columns.iter().map(|name| width(name)).collect();
        for row in &rows.rows {
            let widest = &mut columns[row.column];
            *widest = (*widest).max(width(&row.words).min(cell_limit));
        }
        let last = rows.rows.last().map_or(0, |row| row.number);
        let place = rows.rows.iter().map(|row| width(&row.place)).max();
        let file = rows.file.as_deref().map_or(0, width);
        Layout {
            number: last.to_string().len().max("step".len()),
            columns,
            place: place.unwrap_or(0).max(file),
        }
    }

    fn total(&self) -> usize {
        let columns: usize = self.columns.iter().map(|width| width + GAP.len()).sum();
        NO_MARK.len() + self.number + columns + GAP.len() + self.place
    }

    fn header(&self, rows: &Rows<'_>, palette: Palette) -> String {
        let mut names = format!("{NO_MARK}{:>1$}", "step", self.number);
        for (name, &cells) in rows.columns.iter().zip(&self.columns) {
            names.push_str(GAP);
            names.push_str(&pad(name, cells));
        }
        names.push_str(GAP);
        names.push_str(rows.file.as_deref().unwrap_or(""));
        let names = palette.paint(Role::Strong, names.trim_end());
        let rule = format!("{NO_MARK}{}", "─".repeat(self.total() - NO_MARK.len()));
        format!("{names}\n{}\n", palette.paint(Role::Faint, &rule))
    }

    fn row(&self, row: &Row<'_>, palette: Palette) -> String {
        let lines = wrap(&row.words, self.columns[row.column]);
        let before: usize = self.columns[..row.column].iter().map(|cells| cells + GAP.len()).sum();
        let after: usize =
            self.columns[row.column + 1..].iter().map(|cells| cells + GAP.len()).sum();
        let mut out = String::new();
        for (at, line) in lines.iter().enumerate() {
            let mark = if at == 0 { row.mark() } else { NO_MARK };
            let number = if at == 0 { row.number.to_string() } else { String::new() };
            let place = if at == 0 { row.place.as_str() } else { "" };
            let fill = self.columns[row.column] - width(line) + after;
            let text = format!(
                "{}{}{}{}{}{GAP}{}",
                palette.paint(Role::Bad, mark),
                palette.paint(Role::Faint, &format!("{number:>0$}", self.number)),
                " ".repeat(GAP.len() + before),
                palette.paint(role(row), line),
                " ".repeat(fill),
                palette.paint(Role::Faint, place),
            );
            out.push_str(text.trim_end());
            out.push('\n');
        }
        out
    }
}

/// The colour of an event's words.
pub(crate) fn role(row: &Row<'_>) -> Role {
    if !row.event.faults.is_empty() {
        Role::Bad
    } else if words::is_control(row.event) {
        Role::Control
    } else {
        Role::Strong
    }
}

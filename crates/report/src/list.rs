//! The account as a list, for executions with more threads and handlers than the terminal has room for.

use crate::account::{fault_lines, note_lines};
use crate::columns::{NO_MARK, role};
use crate::palette::{Palette, Role};
use crate::rows::{Row, Rows};
use crate::text::{pad, width, wrap};
use mazurka_engine::Fault;

/// Who moved is broken into lines when it is longer.
const WIDEST_NAME: usize = 28;
/// Even the narrowest terminal gets words of this width.
const NARROWEST_WORDS: usize = 16;

/// One event after the other: number, who, what, where.
pub(crate) fn list(rows: &Rows<'_>, limit: usize, palette: Palette) -> String {
    let last = rows.rows.last().map_or(0, |row| row.number);
    let number = last.to_string().len();
    let who = rows.rows.iter().map(|row| width(&who(rows, row))).max();
    let who_cells = who.unwrap_or(0).min(WIDEST_NAME);
    let before = 2 + number + 2 + who_cells + 2;
    let words = limit.saturating_sub(before).max(NARROWEST_WORDS);
    let mut out = String::new();
    for row in &rows.rows {
        push_row(&mut out, rows, row, &Cells { number, who: who_cells, words }, palette);
        out.push_str(&note_lines(row, limit, palette));
        let values = |fault: &Fault| row.values(rows, fault);
        out.push_str(&fault_lines(&row.event.faults, &values, limit, palette));
    }
    out
}

struct Cells {
    number: usize,
    who: usize,
    words: usize,
}

fn push_row(out: &mut String, rows: &Rows<'_>, row: &Row<'_>, cells: &Cells, palette: Palette) {
    let names = wrap(&who(rows, row), cells.who);
    let did = wrap(&what(row), cells.words);
    for at in 0..names.len().max(did.len()) {
        let number = if at == 0 { row.number.to_string() } else { String::new() };
        let part = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
        let line = format!(
            "{}{}  {}  {}",
            palette.paint(Role::Bad, if at == 0 { row.mark() } else { NO_MARK }),
            palette.paint(Role::Faint, &format!("{number:>0$}", cells.number)),
            pad(&part(&names), cells.who),
            palette.paint(role(row), &part(&did)),
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// `left` for a thread, `h: first(0)` for a message.
fn who(rows: &Rows<'_>, row: &Row<'_>) -> String {
    let column = &rows.columns[row.column];
    if row.event.on_handler { format!("{column}: {}", row.event.task) } else { column.clone() }
}

fn what(row: &Row<'_>) -> String {
    if row.place.is_empty() { row.words.clone() } else { format!("{} ({})", row.words, row.place) }
}

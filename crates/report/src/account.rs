//! The readable account of an execution: who ran what, in columns by thread and handler, with values
//! read and written, messages posted and started, the failing step marked, and who waits for what.

use crate::columns::{self, MARK};
use crate::explanation;
use crate::list;
use crate::palette::{Palette, Role};
use crate::rows::{Row, Rows};
use crate::text::{count, wrap};
use crate::words;
use mazurka_engine::explain::Explanation;
use mazurka_engine::{Ending, FailureKind, Fault, Recording};

/// Failure messages are indented so far below their step.
const FAULT_INDENT: &str = "        ";

/// How an account is laid out.
#[derive(Clone, Copy, Debug)]
pub struct AccountOptions {
    /// The width of the terminal, in cells.
    pub width: usize,
    /// How many of the last steps are shown; `None` for all.
    pub last: Option<usize>,
    /// Colours or none.
    pub palette: Palette,
    /// How to see what is left out.
    pub hints: Hints,
    /// The steps, counted from 0, whose order decides.
    pub deciding: [Option<usize>; 2],
}

/// How one sees what is left out, which is another thing in a terminal than in a test.
#[derive(Clone, Copy, Debug)]
pub struct Hints {
    /// All steps, where only the last are shown.
    pub all_steps: &'static str,
    /// The execution as it was found, where a shorter one is shown.
    pub as_found: Option<&'static str>,
}

impl Hints {
    /// For users of the command.
    pub const COMMAND: Hints = Hints {
        all_steps: "--all-steps shows them",
        as_found: Some("--no-shorten shows it as it was found"),
    };
}

impl AccountOptions {
    /// With the pair of events marked whose order decides.
    pub fn marking(self, explanation: &Explanation) -> Self {
        let decision = explanation.why.as_ref().and_then(|why| why.decision);
        let deciding = [decision.map(|it| it.first), decision.and_then(|it| it.second)];
        AccountOptions { deciding, ..self }
    }
}

impl Default for AccountOptions {
    fn default() -> Self {
        let deciding = [None; 2];
        AccountOptions {
            width: 100,
            last: Some(60),
            palette: Palette::PLAIN,
            hints: Hints::COMMAND,
            deciding,
        }
    }
}

/// The account of an execution. Ends with a line break.
pub fn account(recording: &Recording, options: &AccountOptions) -> String {
    let palette = options.palette;
    let rows = Rows::new(recording, options.last, options.deciding);
    let mut out = String::new();
    if rows.left_out > 0 {
        let note = format!(
            "… {} left out; {}",
            count(rows.left_out as u64, "earlier step"),
            options.hints.all_steps
        );
        out.push_str(&format!("{}\n", palette.paint(Role::Faint, &note)));
    }
    if rows.rows.is_empty() {
        let note = "no event has happened";
        out.push_str(&format!("  {}\n", palette.paint(Role::Faint, note)));
    } else {
        let table = columns::table(&rows, options.width, palette);
        out.push_str(&table.unwrap_or_else(|| list::list(&rows, options.width, palette)));
    }
    out.push_str(&legend(&rows, palette));
    out.push_str(&ending(recording, options));
    out
}

/// Explains the signs that are used.
fn legend(rows: &Rows<'_>, palette: Palette) -> String {
    let line = |text: &str| format!("  {}\n", palette.paint(Role::Faint, text));
    let mut out = String::new();
    if rows.rows.iter().any(|row| row.event.ends_task) {
        out.push_str(&line("∎ the last event of its thread or message"));
    }
    match rows.rows.iter().filter(|row| row.decides).count() {
        0 => {}
        1 => out.push_str(&line("◆ it decides that this comes first")),
        _ => out.push_str(&line("◆ the order of these two decides")),
    }
    out
}

/// What stands below the last event.
fn ending(recording: &Recording, options: &AccountOptions) -> String {
    let palette = options.palette;
    if recording.ending == Some(Ending::Deadlocked) {
        return deadlock(recording, options);
    }
    let words = recording.ending.map_or("", ending_words);
    let mut out = String::new();
    if !words.is_empty() {
        out.push_str(&format!("  {}\n", palette.paint(Role::Faint, words)));
    }
    out + &final_faults(recording, &recording.final_faults, options)
}

/// How an execution ended. Of a deadlock there is more to say.
pub(crate) fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "the execution is complete",
        Ending::Blocked => "an assume is false, or a loop waits: the execution is blocked",
        Ending::Truncated => "a loop reached its bound: the execution is cut",
        Ending::Deadlocked => "",
    }
}

/// What a deadlock is.
pub(crate) const NOTHING_MOVES: &str = "deadlock: nothing can move any more";

fn deadlock(recording: &Recording, options: &AccountOptions) -> String {
    let palette = options.palette;
    let mut out =
        format!("{}{}\n", palette.paint(Role::Bad, MARK), palette.paint(Role::Bad, NOTHING_MOVES));
    for wait in &recording.waiting {
        out.push_str(&indented(wait, options.width));
    }
    let others = recording.final_faults.iter();
    let others: Vec<Fault> =
        others.filter(|fault| fault.kind != FailureKind::Deadlock).cloned().collect();
    out + &final_faults(recording, &others, options)
}

fn final_faults(recording: &Recording, faults: &[Fault], options: &AccountOptions) -> String {
    let values = |fault: &Fault| explanation::values(recording, fault, recording.events.len());
    fault_lines(faults, &values, options.width, options.palette)
}

/// The failures of an event, below it, each with what it saw.
pub(crate) fn fault_lines(
    faults: &[Fault],
    values: &dyn Fn(&Fault) -> Vec<String>,
    limit: usize,
    palette: Palette,
) -> String {
    let mut out = String::new();
    for fault in faults {
        let place = fault.location.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" ({place})"));
        let words = words::fault(fault);
        let (first, rest) = words.split_once('\n').unwrap_or((&words, ""));
        let text = format!("{first}{place}\n{rest}");
        let text = text.trim_end_matches('\n');
        for (at, line) in lines(text, limit).iter().enumerate() {
            let mark = if at == 0 { MARK } else { "  " };
            let line = palette.paint(Role::Bad, &format!("{mark}{line}"));
            out.push_str(&format!("{}{line}\n", &FAULT_INDENT[MARK_CELLS..]));
        }
        values(fault).iter().for_each(|value| out.push_str(&indented(value, limit)));
    }
    out
}

/// Why an event read what it read, below it.
pub(crate) fn note_lines(row: &Row<'_>, limit: usize, palette: Palette) -> String {
    let lines = row.note.map(|note| lines(note, limit)).unwrap_or_default();
    let line = |line: &String| format!("{FAULT_INDENT}{}\n", palette.paint(Role::Faint, line));
    lines.iter().map(line).collect()
}

/// [`MARK`] takes two cells, although more bytes.
const MARK_CELLS: usize = 2;

fn indented(text: &str, limit: usize) -> String {
    let lines = lines(text, limit);
    lines.iter().map(|line| format!("{FAULT_INDENT}{line}\n")).collect()
}

fn lines(text: &str, limit: usize) -> Vec<String> {
    wrap(text, limit.saturating_sub(FAULT_INDENT.len()).max(20))
}

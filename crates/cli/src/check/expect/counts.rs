//! The numbers that an expectation can speak of.

use mazurka_engine::{ClassCounts, Outcome, Statistics};

/// What can be counted: the word, and where the number stands. Of classes there are numbers only where they were counted.
enum Counted {
    Statistic(fn(&Statistics) -> u64),
    Classes(fn(&ClassCounts) -> u64),
    Failures,
}

/// A number and how it is meant.
pub struct Count {
    relation: Relation,
    number: u64,
    /// The word that it is reported with, a plural.
    noun: &'static str,
    counted: &'static Counted,
}

#[derive(Clone, Copy)]
enum Relation {
    Exactly,
    AtLeast,
    AtMost,
}

/// The words, the first of each row for reports. JSON uses the same ones.
const TABLE: [(&[&str], Counted); 11] = [
    (&["executions", "complete executions"], Counted::Statistic(|it| it.executions)),
    (&["blocked", "blocked executions"], Counted::Statistic(|it| it.blocked)),
    (
        &["redundant", "redundant executions", "redundant explorations"],
        Counted::Statistic(|it| it.redundant),
    ),
    (&["deadlocks", "deadlocked", "deadlocked executions"], Counted::Statistic(|it| it.deadlocks)),
    (&["truncated", "truncated executions"], Counted::Statistic(|it| it.truncated)),
    (&["transitions", "events"], Counted::Statistic(|it| it.transitions)),
    (&["classes", "traces", "distinct traces"], Counted::Classes(|it| it.complete)),
    (&["ordered classes"], Counted::Classes(|it| it.ordered)),
    (&["deadlocked classes"], Counted::Classes(|it| it.deadlocked)),
    (&["blocked classes"], Counted::Classes(|it| it.blocked)),
    (&["failures"], Counted::Failures),
];

/// A count, if the clause begins as one does; in words what is wrong with it.
pub fn parse(clause: &str) -> Option<Result<Count, String>> {
    let relations = [
        ("at least ", Relation::AtLeast),
        (">=", Relation::AtLeast),
        ("at most ", Relation::AtMost),
        ("<=", Relation::AtMost),
        ("exactly ", Relation::Exactly),
    ];
    let (relation, rest) = relations
        .into_iter()
        .find_map(|(words, relation)| Some((relation, clause.strip_prefix(words)?)))
        .unwrap_or((Relation::Exactly, clause));
    let rest = rest.trim_start();
    let (number, noun) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if number != "no" && !number.starts_with(|digit: char| digit.is_ascii_digit()) {
        return None;
    }
    Some(count(relation, number, noun))
}

fn count(relation: Relation, number: &str, noun: &str) -> Result<Count, String> {
    let number = match number {
        "no" => 0,
        digits => digits
            .replace('_', "")
            .parse()
            .map_err(|_| format!("`{digits}` is not a number of things"))?,
    };
    let spelled = noun.trim().replace(['_', '-'], " ").to_lowercase();
    let is_meant = |word: &&str| *word == spelled || singular(word) == spelled;
    let row = TABLE.iter().find(|(words, _)| words.iter().any(is_meant));
    let (words, counted) = row.ok_or_else(|| {
        let known: Vec<&str> = TABLE.iter().map(|(words, _)| words[0]).collect();
        format!("`{noun}` cannot be counted; what can is {}", known.join(", "))
    })?;
    Ok(Count { relation, number, noun: words[0], counted })
}

/// `execution` of `executions`, `class` of `classes`.
fn singular(word: &str) -> &str {
    word.strip_suffix("classes").map_or_else(
        || word.strip_suffix('s').unwrap_or(word),
        |before| &word[..before.len() + "class".len()],
    )
}

impl Count {
    /// Is it a number of classes, which are counted only on request?
    pub fn needs_classes(&self) -> bool {
        matches!(self.counted, Counted::Classes(_))
    }

    /// How the outcome differs, if it does.
    pub fn difference(&self, outcome: &Outcome) -> Option<String> {
        let found = match self.counted {
            Counted::Statistic(field) => field(&outcome.statistics),
            Counted::Classes(field) => field(&outcome.classes.unwrap_or_default()),
            Counted::Failures => outcome.failures.len() as u64,
        };
        let Count { relation, number, noun, .. } = self;
        let (holds, words) = match relation {
            Relation::Exactly => (found == *number, ""),
            Relation::AtLeast => (found >= *number, "at least "),
            Relation::AtMost => (found <= *number, "at most "),
        };
        (!holds).then(|| format!("{noun}: expected {words}{number}, found {found}"))
    }
}

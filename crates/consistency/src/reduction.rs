//! Hard instances: the paper's reduction from 3-BI-3SAT, as a generator.
//!
//! After Abdulla et al., "Checking Consistency of Event-driven Traces", section 3 and appendix C, Theorem 2. Twelve
//! handlers: `V` and `t1..t6` shuffle (stage 1), `W` holds the assignment, `Ca..Cd` check the clauses (stage 2). Under FIFO
//! the trace is consistent if and only if the formula is satisfiable. A variable is true when its message `m(i,j,1)` is
//! executed on `W` after `m(i,j,0)`.

use crate::trace::{Builder, Event, EventId, MessageId, Trace};
use thiserror::Error;

/// A literal: the number of a variable, from 1; negative when negated.
pub type Literal = i32;

/// A formula in conjunctive normal form of which each clause has two or three literals over different variables, and each
/// variable occurs in at most three clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    variables: usize,
    clauses: Vec<Vec<Literal>>,
}

/// Why a formula is not of the kind that the reduction takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it all; the fields are the numbers in them")]
pub enum NotBounded {
    #[error("clause {clause} has {literals} literals: two or three are allowed")]
    ClauseSize { clause: usize, literals: usize },
    #[error("clause {clause}: variable {variable} does not exist or occurs twice")]
    Variable { clause: usize, variable: usize },
    #[error("variable {variable} occurs in more than three clauses")]
    TooOften { variable: usize },
}

impl Formula {
    /// A formula over the variables `1..=variables`.
    pub fn new(variables: usize, clauses: Vec<Vec<Literal>>) -> Result<Self, NotBounded> {
        let mut occurrences = vec![0; variables + 1];
        for (clause, literals) in clauses.iter().enumerate() {
            if !(2..=3).contains(&literals.len()) {
                return Err(NotBounded::ClauseSize { clause, literals: literals.len() });
            }
            for (index, literal) in literals.iter().enumerate() {
                let variable = literal.unsigned_abs() as usize;
                let again = literals[..index].iter().any(|other| other.abs() == literal.abs());
                if variable == 0 || variable > variables || again {
                    return Err(NotBounded::Variable { clause, variable });
                }
                occurrences[variable] += 1;
                if occurrences[variable] > 3 {
                    return Err(NotBounded::TooOften { variable });
                }
            }
        }
        Ok(Self { variables, clauses })
    }

    /// The clauses.
    #[must_use]
    pub fn clauses(&self) -> &[Vec<Literal>] {
        &self.clauses
    }

    /// Number of variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.variables
    }
}

const V: u32 = 0;
const W: u32 = 7;
const CHECKERS: u32 = 8;
const HANDLERS: u32 = 12;

/// The handler t1..t6.
fn shuffler(number: usize) -> u32 {
    number as u32
}

/// Messages before they are numbered: events may name messages and writes that come later.
#[derive(Debug, Default)]
struct Draft {
    messages: Vec<(u32, bool, Vec<Event>)>,
}

impl Draft {
    fn message(&mut self, handler: u32, initial: bool) -> MessageId {
        self.messages.push((handler, initial, if initial { vec![] } else { vec![Event::Get] }));
        self.messages.len() as MessageId - 1
    }

    fn event(&mut self, message: MessageId, event: Event) {
        self.messages[message as usize].2.push(event);
    }

    /// `from` posts a new message to `handler`.
    fn post(&mut self, from: MessageId, handler: u32) -> MessageId {
        let message = self.message(handler, false);
        self.event(from, Event::Post { message });
        message
    }

    /// Every variable has exactly one write, which all its reads read.
    fn finish(self, variables: u32) -> Trace {
        let mut builder = Builder::new(HANDLERS, variables);
        let mut write_of: Vec<Option<EventId>> = vec![None; variables as usize];
        for (id, event) in (0..).zip(self.messages.iter().flat_map(|(_, _, events)| events)) {
            if let Event::Write { variable } = *event {
                write_of[variable as usize] = Some(id);
            }
        }
        for (handler, initial, events) in self.messages {
            builder.message(handler, initial, false);
            for event in events {
                builder.event(match event {
                    Event::Read { variable, .. } => {
                        Event::Read { variable, from: write_of[variable as usize] }
                    }
                    other => other,
                });
            }
        }
        for write in write_of {
            builder.coherence(write.as_slice());
        }
        builder.finish().expect("the reduction keeps the rules")
    }
}

/// The four (or, for two literals, three) pairs of a sandwich: variables for clause `j`, place `v`, polarity `b`.
fn sandwich(clause: usize, place: usize, positive: bool) -> (u32, u32) {
    let first = (clause * 13 + place * 4 + usize::from(positive) * 2) as u32;
    (first, first + 1)
}

/// The variable `z` of a clause.
fn guard(clause: usize) -> u32 {
    (clause * 13 + 12) as u32
}

/// The trace of a formula.
#[must_use]
pub fn trace(formula: &Formula) -> Trace {
    let mut draft = Draft::default();
    assignment(formula, &mut draft);
    checks(formula, &mut draft);
    draft.finish(formula.clauses.len() as u32 * 13)
}

/// Stage 1: a post sequence for each literal, column by column.
fn assignment(formula: &Formula, draft: &mut Draft) {
    let start = draft.message(V, true);
    for variable in 1..=formula.variables as Literal {
        for positive in [true, false] {
            let mut at = draft.post(start, V);
            let mut occurrence = 0;
            for (clause, literals) in formula.clauses.iter().enumerate() {
                let place = literals.iter().position(|literal| literal.abs() == variable);
                at = match place {
                    None => draft.post(at, V),
                    Some(place) => {
                        occurrence += 1;
                        marked_cell(draft, at, clause, place, positive, occurrence == 1)
                    }
                };
            }
        }
    }
}

/// The post sequence of a marked cell; the variable's order is chosen where it occurs first.
fn marked_cell(
    draft: &mut Draft,
    mut at: MessageId,
    clause: usize,
    place: usize,
    positive: bool,
    first: bool,
) -> MessageId {
    let handler = shuffler(place + 1);
    if first {
        at = draft.post(at, if positive { handler } else { shuffler(place + 4) });
    }
    at = draft.post(at, handler);
    let told = draft.post(at, W);
    let (before, after) = sandwich(clause, place, positive);
    draft.event(told, Event::Write { variable: before });
    draft.event(told, Event::Read { variable: after, from: None });
    draft.post(at, V)
}

/// Stage 2: the clause gadgets, one after the other on `Ca..Cd`.
fn checks(formula: &Formula, draft: &mut Draft) {
    let checkers: Vec<MessageId> =
        (0..4).map(|index| draft.message(CHECKERS + index, true)).collect();
    for (clause, literals) in formula.clauses.iter().enumerate() {
        draft.event(checkers[0], Event::Read { variable: guard(clause), from: None });
        for (place, &literal) in literals.iter().enumerate() {
            let mut check = |checker: MessageId, positive: bool| {
                let (before, after) = sandwich(clause, place, positive);
                draft.event(checker, Event::Read { variable: before, from: None });
                draft.event(checker, Event::Write { variable: after });
            };
            check(checkers[place], literal > 0);
            check(checkers[place + 1], literal < 0);
        }
        draft.event(checkers[literals.len()], Event::Write { variable: guard(clause) });
    }
}

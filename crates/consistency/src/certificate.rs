//! The independent checker of certificates: theory lemmas by a plain depth-first search, learnt clauses by unit propagation.
//!
//! Shares nothing with the solvers but the trace: the fixed edges are restated here, from the format page and for
//! itself. A certificate (text, see the trace format) has one clause a line:
//!
//! * `t x1<y1 x2<y2 ...`: the negations of all literals together with the fixed edges have a cycle;
//! * `l x1<y1 ...`: implied by the lines above by unit propagation; the last line is `l` alone;
//! * or the whole text is `fixed-cycle`: the fixed edges are cyclic.

mod graph;
mod units;

use crate::policy::Policy;
use crate::trace::{MessageId, Trace};
use graph::Edges;
use thiserror::Error;
use units::Units;

/// The text of a certificate that needs no lemma.
pub const FIXED_CYCLE: &str = "fixed-cycle";

/// Where a certificate fails; lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it all; the fields are the numbers in them")]
pub enum BadCertificate {
    #[error("the certificate says that the fixed edges are cyclic, but they are not")]
    NoFixedCycle,
    #[error("line {line}: expected `t` or `l` and literals `x<y`, found `{found}`")]
    Syntax { line: usize, found: String },
    #[error(
        "line {line}: `{first}<{second}` does not compare two executed messages of one handler that were posted"
    )]
    NotComparable { line: usize, first: MessageId, second: MessageId },
    #[error("line {line}: the negated literals and the fixed edges have no cycle")]
    NoCycle { line: usize },
    #[error("line {line}: the clause does not follow from the lines above by unit propagation")]
    NotImplied { line: usize },
    #[error("the last line is not the empty clause `l`")]
    NotFinished,
}

/// "The first message is executed before the second."
pub(crate) type Order = (MessageId, MessageId);

/// Does `text` prove that `trace` is inconsistent under `policy`?
pub fn check(trace: &Trace, policy: Policy, text: &str) -> Result<(), BadCertificate> {
    let mut edges = Edges::new(trace, policy);
    if text.trim() == FIXED_CYCLE {
        return if edges.cyclic() { Ok(()) } else { Err(BadCertificate::NoFixedCycle) };
    }
    let mut units = Units::default();
    let mut finished = false;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let (theory, clause) = parse_line(trace, line_number, line)?;
        if theory {
            if !edges.cyclic_with(clause.iter().map(|&(x, y)| (y, x))) {
                return Err(BadCertificate::NoCycle { line: line_number });
            }
        } else if !units.implied(&clause) {
            return Err(BadCertificate::NotImplied { line: line_number });
        }
        finished = !theory && clause.is_empty();
        units.add(&clause);
    }
    if finished { Ok(()) } else { Err(BadCertificate::NotFinished) }
}

fn parse_line(
    trace: &Trace,
    line: usize,
    text: &str,
) -> Result<(bool, Vec<Order>), BadCertificate> {
    let syntax =
        |found: &str| BadCertificate::Syntax { line, found: found.chars().take(40).collect() };
    let mut words = text.split_ascii_whitespace();
    let theory = match words.next() {
        Some("t") => true,
        Some("l") => false,
        other => return Err(syntax(other.unwrap_or(""))),
    };
    let mut clause = Vec::new();
    for word in words {
        let (first, second) = word.split_once('<').ok_or_else(|| syntax(word))?;
        let first = first.parse().map_err(|_| syntax(word))?;
        let second = second.parse().map_err(|_| syntax(word))?;
        if !comparable(trace, first, second) {
            return Err(BadCertificate::NotComparable { line, first, second });
        }
        clause.push((first, second));
    }
    Ok((theory, clause))
}

fn comparable(trace: &Trace, first: MessageId, second: MessageId) -> bool {
    let executed =
        |id: MessageId| trace.messages().get(id as usize).filter(|m| !m.initial && !m.pending);
    match (executed(first), executed(second)) {
        (Some(a), Some(b)) => first != second && a.handler == b.handler,
        _ => false,
    }
}

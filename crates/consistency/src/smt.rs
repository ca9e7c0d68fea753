//! The paper's second procedure, on Z3: kept for comparison, behind the cargo feature `smt`.
//!
//! After Abdulla et al., "Checking Consistency of Event-driven Traces", section 5.2, Algorithm 2: an enumeration of the
//! events, a partial order over it from Z3's theory of special relations, all known edges asserted, and for each pair of
//! messages of a handler one of the two orders. `unknown` when Z3 gives up or the time is over.
//!
//! Deviations: (1) the paper asserts eo and mo to be total each for itself, which loses the mailbox: a queue must execute in
//! the order of the posts. Here each pair has one boolean that chooses both. (2) That boolean is read from the model, so
//! that a consistent trace comes with a witness. (3) Cyclic fixed edges are answered before Z3 is asked. An inconsistent
//! trace comes without a certificate.
//! (4) Z3 looks at its own clock too rarely, and not at all while it is told the question. So it works on a thread of its own,
//! with a copy of the question, and is left to itself when the time is over.

use crate::limits::{Limit, Limits};
use crate::order::{Contradiction, OrderProblem, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use z3::ast::{Bool, Dynamic};
use z3::{Config, FuncDecl, SatResult, Solver, Sort, Symbol, with_z3_config};

/// How often the limits are looked at while Z3 works.
const LOOK: Duration = Duration::from_millis(10);
/// So many assertions are made between two looks at whether anybody waits for the answer.
const ASSERTIONS: usize = 256;

/// So many pairs are copied between two looks at the clock.
const PAIRS_BETWEEN_LOOKS: u32 = 1 << 14;

/// Decides `problem` by Algorithm 2.
pub(crate) fn solve(problem: &mut OrderProblem, limits: &Limits<'_>) -> Status {
    if let Err(status) = problem.prepare() {
        return status;
    }
    problem.sat.theory.start();
    match Question::new(problem, limits).and_then(|question| ask(question, limits)) {
        Ok(Some(value)) => {
            problem.set_order_by(&value);
            Status::Ordered
        }
        Ok(None) => problem.refuted(Contradiction::Unproven),
        Err(limit) => Status::Unknown(limit),
    }
}

/// The value of each literal, or nothing if there is no order.
type Values = Result<Option<Vec<i8>>, Limit>;

fn ask(question: Question, limits: &Limits<'_>) -> Values {
    let nobody_waits = Arc::new(AtomicBool::new(false));
    let given_up = Arc::clone(&nobody_waits);
    let (sender, receiver) = mpsc::channel();
    // It ends with the answer, or with the process.
    std::thread::spawn(move || {
        let answer = with_z3_config(&Config::new(), || question.answer(&given_up));
        // Nobody may wait any more.
        let _ = sender.send(answer);
    });
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Disconnected) => return Err(Limit::Solver),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(limit) = limits.interrupted() {
            nobody_waits.store(true, Ordering::Relaxed);
            return Err(limit);
        }
    }
}

/// An edge between two events.
type Edge = (u32, u32);

/// What Z3 is asked, in a form that a thread can own.
struct Question {
    nodes: u32,
    edges: Vec<Edge>,
    /// For each pair of messages, the edges of either order.
    pairs: Vec<[[Option<Edge>; 2]; 2]>,
    /// Pairs whose order is given: the first one?
    given: Vec<(usize, bool)>,
}

impl Question {
    fn new(problem: &OrderProblem, limits: &Limits<'_>) -> Result<Self, Limit> {
        let (graph, theory) = (&problem.graph, &problem.sat.theory);
        let nodes = graph.nodes() as u32;
        let successors = |node| graph.successors(node).iter().map(move |&next| (node, next));
        let ends = &theory.terminals.node;
        let edges_of = |lit: u32| {
            let node = |(from, to): Edge| (ends[from as usize], ends[to as usize]);
            theory.edges_of(lit).map(|edge| edge.map(node))
        };
        let mut pairs = Vec::with_capacity(theory.pair_count());
        for pair in 0..theory.pair_count() as u32 {
            if pair % PAIRS_BETWEEN_LOOKS == 0
                && let Some(limit) = limits.interrupted()
            {
                return Err(limit);
            }
            pairs.push([edges_of(2 * pair), edges_of(2 * pair + 1)]);
        }
        let lit = |&(a, b): &(u32, u32)| theory.lit(a, b);
        let given = problem.given().iter().map(lit);
        Ok(Question {
            nodes,
            edges: (0..nodes).flat_map(successors).collect(),
            pairs,
            given: given.map(|lit| (lit as usize / 2, lit & 1 == 0)).collect(),
        })
    }

    /// Lines 1 to 10.
    fn answer(&self, nobody_waits: &AtomicBool) -> Values {
        // Z3 has no empty enumerations.
        if self.nodes == 0 {
            return Ok(Some(Vec::new()));
        }
        let solver = Solver::new();
        let Some(choices) = self.encode(&solver, nobody_waits) else { return Err(Limit::Time) };
        match solver.check() {
            SatResult::Unsat => Ok(None),
            SatResult::Unknown => Err(Limit::Solver),
            SatResult::Sat => {
                let model = solver.get_model().ok_or(Limit::Solver)?;
                let chosen =
                    |choice: &Bool| model.eval(choice, true).and_then(|value| value.as_bool());
                let values = choices.iter().map(|choice| chosen(choice).ok_or(Limit::Solver));
                let values = values.collect::<Result<Vec<bool>, Limit>>()?;
                Ok(Some(
                    values
                        .into_iter()
                        .flat_map(|first| if first { [1, -1] } else { [-1, 1] })
                        .collect(),
                ))
            }
        }
    }

    /// Lines 1 to 9; the boolean of each pair, unless nobody waits for it.
    fn encode(&self, solver: &Solver, nobody_waits: &AtomicBool) -> Option<Vec<Bool>> {
        let is_wanted = |at: usize| at % ASSERTIONS != 0 || !nobody_waits.load(Ordering::Relaxed);
        // Lines 1 and 2.
        let names: Vec<Symbol> =
            (0..self.nodes).map(|node| Symbol::String(format!("e{node}"))).collect();
        let (sort, constants, _) = Sort::enumeration(Symbol::String("event".to_owned()), &names);
        let nodes: Vec<Dynamic> = constants.iter().map(|constant| constant.apply(&[])).collect();
        let order = FuncDecl::partial_order(&sort, 0);
        let before = |(from, to): Edge| -> Bool {
            order
                .apply(&[&nodes[from as usize], &nodes[to as usize]])
                .as_bool()
                .expect("a relation is boolean")
        };
        // Lines 4 and 5.
        for (at, &edge) in self.edges.iter().enumerate() {
            if !is_wanted(at) {
                return None;
            }
            solver.assert(before(edge));
        }
        // Lines 6 to 9.
        let mut choices = Vec::new();
        for (pair, [first, second]) in self.pairs.iter().enumerate() {
            if !is_wanted(pair) {
                return None;
            }
            let choice = Bool::new_const(format!("first{pair}"));
            for (edges, chosen) in [(first, choice.clone()), (second, choice.not())] {
                let edges = edges.iter().flatten();
                edges.for_each(|&edge| solver.assert(chosen.implies(before(edge))));
            }
            choices.push(choice);
        }
        for &(pair, is_first) in &self.given {
            let choice = &choices[pair];
            solver.assert(if is_first { choice.clone() } else { choice.not() });
        }
        Some(choices)
    }
}

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

use crate::limits::{Limit, Limits};
use crate::order::{Contradiction, OrderProblem, Status};
use std::time::Instant;
use z3::ast::{Bool, Dynamic};
use z3::{Config, FuncDecl, Params, SatResult, Solver, Sort, Symbol, with_z3_config};

/// Decides `problem` by Algorithm 2.
pub(crate) fn solve(problem: &mut OrderProblem, limits: &Limits<'_>) -> Status {
    if let Err(status) = problem.prepare() {
        return status;
    }
    problem.sat.theory.start();
    let asked: &OrderProblem = problem;
    match with_z3_config(&Config::new(), || ask(asked, limits)) {
        Ok(Some(value)) => {
            problem.set_order_by(&value);
            Status::Ordered
        }
        Ok(None) => problem.refuted(Contradiction::Unproven),
        Err(limit) => Status::Unknown(limit),
    }
}

/// The value of each literal, or nothing if there is no order.
fn ask(problem: &OrderProblem, limits: &Limits<'_>) -> Result<Option<Vec<i8>>, Limit> {
    // Z3 has no empty enumerations.
    if problem.graph.nodes() == 0 {
        return Ok(Some(Vec::new()));
    }
    let solver = Solver::new();
    let choices = encode(problem, &solver);
    if let Some(limit) = limits.interrupted() {
        return Err(limit);
    }
    if let Some(deadline) = limits.deadline {
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        let mut params = Params::new();
        params.set_u32("timeout", u32::try_from(left).unwrap_or(u32::MAX).max(1));
        solver.set_params(&params);
    }
    match solver.check() {
        SatResult::Unsat => Ok(None),
        SatResult::Unknown => Err(limits.interrupted().unwrap_or(Limit::Solver)),
        SatResult::Sat => {
            let model = solver.get_model().ok_or(Limit::Solver)?;
            let chosen = |choice: &Bool| model.eval(choice, true).and_then(|value| value.as_bool());
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

/// Lines 1 to 9; returns the boolean of each pair.
fn encode(problem: &OrderProblem, solver: &Solver) -> Vec<Bool> {
    // Lines 1 and 2.
    let names: Vec<Symbol> =
        (0..problem.graph.nodes()).map(|node| Symbol::String(format!("e{node}"))).collect();
    let (sort, constants, _) = Sort::enumeration(Symbol::String("event".to_owned()), &names);
    let nodes: Vec<Dynamic> = constants.iter().map(|constant| constant.apply(&[])).collect();
    let order = FuncDecl::partial_order(&sort, 0);
    let before = |from: u32, to: u32| -> Bool {
        order
            .apply(&[&nodes[from as usize], &nodes[to as usize]])
            .as_bool()
            .expect("a relation is boolean")
    };
    // Lines 4 and 5.
    for node in 0..problem.graph.nodes() as u32 {
        for &successor in problem.graph.successors(node) {
            solver.assert(before(node, successor));
        }
    }
    // Lines 6 to 9.
    let theory = &problem.sat.theory;
    let mut choices = Vec::new();
    for pair in 0..theory.pair_count() as u32 {
        let choice = Bool::new_const(format!("first{pair}"));
        for (lit, chosen) in [(2 * pair, choice.clone()), (2 * pair + 1, choice.not())] {
            for (from, to) in theory.edges_of(lit).into_iter().flatten() {
                let terminals = &theory.terminals.node;
                solver.assert(
                    chosen.implies(before(terminals[from as usize], terminals[to as usize])),
                );
            }
        }
        choices.push(choice);
    }
    for &(a, b) in problem.given() {
        let lit = theory.lit(a, b);
        let choice = &choices[lit as usize / 2];
        solver.assert(if lit & 1 == 0 { choice.clone() } else { choice.not() });
    }
    choices
}

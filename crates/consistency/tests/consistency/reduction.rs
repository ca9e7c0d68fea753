//! The reduction of section 3: consistent under FIFO if and only if a SAT solver says satisfiable.

use crate::common::Random;
use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use mazurka_consistency::reduction::{Formula, NotBounded, trace};
use mazurka_consistency::{Limits, Policy, Solver, check, verify};

fn satisfiable(formula: &Formula) -> bool {
    let mut solver = BasicSolver::default();
    let variables: Vec<_> = (0..formula.variables()).map(|_| solver.new_var_default()).collect();
    for clause in formula.clauses() {
        let mut literals: Vec<Lit> = clause
            .iter()
            .map(|l| Lit::new(variables[l.unsigned_abs() as usize - 1], *l > 0))
            .collect();
        solver.add_clause_reuse(&mut literals);
    }
    solver.solve_limited(&[]) == lbool::TRUE
}

/// As many random clauses as fit the bound of three occurrences, mostly of two literals.
fn random_formula(random: &mut Random, variables: usize, two: usize) -> Formula {
    let mut slots: Vec<i32> = (0..variables as i32 * 3).map(|slot| slot / 3 + 1).collect();
    random.shuffle(&mut slots);
    let mut clauses = Vec::new();
    while slots.len() >= 3 {
        let size = if random.chance(two) { 2 } else { 3 };
        let clause: Vec<i32> = slots.split_off(slots.len() - size);
        let distinct = (1..size).all(|i| !clause[..i].contains(&clause[i]));
        if distinct {
            clauses
                .push(clause.into_iter().map(|v| if random.chance(50) { v } else { -v }).collect());
        }
    }
    Formula::new(variables, clauses).expect("within the bounds")
}

fn agrees(formula: &Formula) -> bool {
    let expected = satisfiable(formula);
    let trace = trace(formula);
    assert_eq!(trace.handlers(), 12);
    let answer = check(&trace, Policy::Fifo, Solver::Sat, &Limits::default());
    let word = if expected { "consistent" } else { "inconsistent" };
    assert_eq!(answer.verdict.name(), word, "{formula:?}");
    verify(&trace, &answer).unwrap_or_else(|error| panic!("{formula:?}: {error}"));
    // In bags nothing ties the copies of a variable together, and each clause alone can be satisfied.
    let bags = check(&trace, Policy::Multiset, Solver::Sat, &Limits::default());
    assert_eq!(bags.verdict.name(), "consistent", "{formula:?}");
    expected
}

#[test]
fn small_formulas_with_known_answers() {
    let formula = |n, clauses: &[&[i32]]| {
        Formula::new(n, clauses.iter().map(|c| c.to_vec()).collect()).expect("bounded")
    };
    assert!(agrees(&formula(2, &[&[1, 2]])));
    assert!(agrees(&formula(3, &[&[1, 2, -3], &[-1, -2, 3], &[1, -2]])));
    // All four are equal, one of them is true, one is false.
    assert!(!agrees(&formula(4, &[&[-1, 2], &[-2, 3], &[-3, 4], &[-4, 1], &[1, 2], &[-3, -4]])));
}

/// Variables made equal by a cycle of implications, then one must be true and, if `contradictory`, one false: with renamed
/// and negated variables and in random order, so that it is not obvious.
fn equalities(random: &mut Random, variables: usize, contradictory: bool) -> Formula {
    let mut names: Vec<i32> = (1..=variables as i32).collect();
    random.shuffle(&mut names);
    let names: Vec<i32> =
        names.into_iter().map(|name| if random.chance(50) { name } else { -name }).collect();
    let mut clauses: Vec<Vec<i32>> =
        (0..variables).map(|i| vec![-names[i], names[(i + 1) % variables]]).collect();
    clauses.push(vec![names[0], names[1]]);
    if contradictory {
        clauses.push(vec![-names[2], -names[3]]);
    }
    random.shuffle(&mut clauses);
    Formula::new(variables, clauses).expect("within the bounds")
}

#[test]
fn hidden_equalities_agree_with_a_sat_solver() {
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let variables = 4 + random.below(5);
        assert!(!agrees(&equalities(&mut random, variables, true)), "seed {seed}");
        assert!(agrees(&equalities(&mut random, variables, false)), "seed {seed}");
    }
}

#[test]
fn random_formulas_agree_with_a_sat_solver() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let variables = 3 + random.below(8);
        let formula = random_formula(&mut random, variables, 90);
        agrees(&formula);
    }
}

#[test]
fn formulas_outside_the_bounds_are_refused() {
    let error = |n, clauses: &[&[i32]]| {
        Formula::new(n, clauses.iter().map(|c| c.to_vec()).collect()).unwrap_err()
    };
    assert_eq!(error(1, &[&[1]]), NotBounded::ClauseSize { clause: 0, literals: 1 });
    assert_eq!(error(1, &[&[1, 2]]), NotBounded::Variable { clause: 0, variable: 2 });
    assert_eq!(error(2, &[&[1, -1]]), NotBounded::Variable { clause: 0, variable: 1 });
    assert_eq!(
        error(2, &[&[1, 2], &[1, 2], &[1, 2], &[1, 2]]),
        NotBounded::TooOften { variable: 1 }
    );
}

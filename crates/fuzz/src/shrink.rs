//! Making a failing program small, greedily.
//!
//! Every candidate is one simplification away from what is known to fail; the first that fails too is taken,
//! until none does. Threads go first, then statements, then what they say; at last what nobody mentions.

use crate::description::{
    Description, Place, Statement, Value, blocks, place_mut, value_mut, visit_mut,
};
use crate::properties::is_well_formed;
use crate::trim::{replace_statement, statement_at, without_statement};

/// The smallest description found that still fails.
pub fn shrink(
    description: &Description,
    mut still_fails: impl FnMut(&Description) -> bool,
) -> Description {
    let mut current = description.clone();
    loop {
        let smaller = candidates(&current)
            .into_iter()
            .filter(|candidate| *candidate != current && is_well_formed(candidate))
            .find(|candidate| still_fails(candidate));
        match smaller {
            Some(smaller) => current = smaller,
            None => return current,
        }
    }
}

fn candidates(description: &Description) -> Vec<Description> {
    let mut candidates = Vec::new();
    for thread in (0..description.threads.len()).rev() {
        candidates.push(without_thread(description, thread));
    }
    let statements = description.statement_count();
    candidates.extend((0..statements).map(|at| without_statement(description, at)));
    for at in 0..statements {
        simplify_statement(description, at, &mut candidates);
    }
    without_declarations(description, &mut candidates);
    merge_declarations(description, &mut candidates);
    candidates
}

fn without_thread(description: &Description, thread: usize) -> Description {
    let mut result = description.clone();
    result.threads.remove(thread);
    for body in result.bodies_mut() {
        body.retain(|statement| *statement != Statement::JoinThread(thread));
        visit_mut(body, &mut |statement| {
            if let Statement::JoinThread(other) = statement {
                // A join of the removed one deeper inside points past the end, or to a neighbour: either
                // is not well-formed or just another candidate.
                *other = other.saturating_sub(usize::from(*other > thread));
            }
        });
    }
    result
}

/// Blocks instead of what wraps them, plain accesses instead of clever ones, constants instead of reads.
fn simplify_statement(description: &Description, at: usize, candidates: &mut Vec<Description>) {
    let Some(statement) = statement_at(description, at) else {
        return;
    };
    for block in blocks(statement) {
        let block = block.clone();
        candidates.push(replace_statement(description, at, |_| block));
    }
    for simpler in simpler_statements(statement) {
        candidates.push(replace_statement(description, at, |_| vec![simpler]));
    }
}

fn simpler_statements(statement: &Statement) -> Vec<Statement> {
    let mut simpler = Vec::new();
    let place = crate::description::place(statement).copied();
    if let Some(place) = place {
        let plain = Statement::Write {
            place,
            value: Value::Constant(1),
        };
        match statement {
            Statement::Read { .. } | Statement::Write { .. } => {}
            _ => {
                simpler.push(plain);
                simpler.push(Statement::Read { local: 0, place });
            }
        }
        if let Place::Element(array, Value::Local(_) | Value::Read(_)) = place {
            let mut constant = statement.clone();
            if let Some(place) = place_mut(&mut constant) {
                *place = Place::Element(array, Value::Constant(0));
            }
            simpler.push(constant);
        }
    }
    if let Statement::If {
        condition,
        then,
        otherwise,
    } = statement
        && !otherwise.is_empty()
    {
        simpler.push(Statement::If {
            condition: *condition,
            then: then.clone(),
            otherwise: Vec::new(),
        });
    }
    let mut constant = statement.clone();
    if let Some(value) = value_mut(&mut constant)
        && !matches!(value, Value::Constant(_))
    {
        *value = Value::Constant(1);
        simpler.push(constant);
    }
    simpler
}

/// Drops the last or an unused message, task, handler, mutex, variable or array.
fn without_declarations(description: &Description, candidates: &mut Vec<Description>) {
    for message in 0..description.messages.len() {
        let mut result = description.clone();
        result.messages.remove(message);
        renumber(&mut result, |statement| match statement {
            Statement::Post { message: other, .. } => lower(other, message),
            _ => true,
        });
        candidates.push(result);
    }
    for task in 0..description.tasks.len() {
        let mut result = description.clone();
        result.tasks.remove(task);
        renumber(&mut result, |statement| match statement {
            Statement::Fork { task: other, .. } => lower(other, task),
            _ => true,
        });
        candidates.push(result);
    }
    for handler in 0..description.handlers.len() {
        let mut result = description.clone();
        result.handlers.remove(handler);
        renumber(&mut result, |statement| match statement {
            Statement::Post { handler: other, .. } => lower(other, handler),
            _ => true,
        });
        candidates.push(result);
    }
    for mutex in 0..description.mutexes {
        let mut result = description.clone();
        result.mutexes -= 1;
        renumber(&mut result, |statement| match statement {
            Statement::With { mutex: other, .. } => lower(other, mutex),
            _ => true,
        });
        candidates.push(result);
    }
    for variable in 0..description.variables.len() {
        candidates.push(rename_variable(description, variable, None));
    }
    if !description.arrays.is_empty() {
        let mut result = description.clone();
        result.arrays.pop();
        candidates.push(result);
    }
}

/// One handler instead of two, one variable instead of two.
fn merge_declarations(description: &Description, candidates: &mut Vec<Description>) {
    for from in 1..description.handlers.len() {
        let mut result = description.clone();
        result.handlers.remove(from);
        renumber(&mut result, |statement| {
            if let Statement::Post { handler, .. } = statement {
                if *handler == from {
                    *handler = 0;
                } else {
                    lower(handler, from);
                }
            }
            true
        });
        candidates.push(result);
    }
    for from in 1..description.variables.len() {
        candidates.push(rename_variable(description, from, Some(0)));
    }
}

/// Closes the gap at `removed`; false if the number is the removed one.
fn lower(number: &mut usize, removed: usize) -> bool {
    let fine = *number != removed;
    if *number > removed {
        *number -= 1;
    }
    fine
}

/// Applies a renumbering to all statements. Where it says false the statement is dropped from its block.
fn renumber(description: &mut Description, mut keep: impl FnMut(&mut Statement) -> bool) {
    fn in_block(body: &mut Vec<Statement>, keep: &mut impl FnMut(&mut Statement) -> bool) {
        body.retain_mut(|statement| keep(statement));
        for statement in body {
            for block in crate::description::blocks_mut(statement) {
                in_block(block, keep);
            }
        }
    }
    for body in description.bodies_mut() {
        in_block(body, &mut keep);
    }
}

/// Without variable `removed`: its accesses go to `instead`, or make the result ill-formed.
fn rename_variable(
    description: &Description,
    removed: usize,
    instead: Option<usize>,
) -> Description {
    let gone = usize::MAX;
    let rename = |variable: &mut usize| {
        if *variable == removed {
            *variable = instead.unwrap_or(gone);
        } else if *variable > removed {
            *variable -= 1;
        }
    };
    let mut result = description.clone();
    result.variables.remove(removed);
    for body in result.bodies_mut() {
        visit_mut(body, &mut |statement| {
            match place_mut(statement) {
                Some(Place::Variable(variable)) => rename(variable),
                Some(Place::Element(_, Value::Read(variable))) => rename(variable),
                _ => {}
            }
            if let Some(Value::Read(variable)) = value_mut(statement) {
                rename(variable);
            }
        });
    }
    result
}

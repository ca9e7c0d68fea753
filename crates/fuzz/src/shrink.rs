//! Making a failing program small, greedily.
//!
//! Every candidate is one simplification away from what is known to fail; the first that fails too is taken,
//! until none does. Threads go first, then statements, then what they say; at last what nobody mentions.

use crate::declarations::{
    without_barrier, without_condition, without_handler, without_message, without_mutex,
    without_semaphore, without_task, without_thread, without_unused, without_variable,
};
use crate::description::{Description, Place, Statement, Value, blocks, place_mut, value_mut};
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
    fewer_declarations(description, &mut candidates);
    candidates
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
    if let Statement::If { then, otherwise, .. } = statement {
        let both = [then.as_slice(), otherwise].concat();
        candidates.push(replace_statement(description, at, |_| both));
    }
    for simpler in simpler_statements(statement) {
        candidates.push(replace_statement(description, at, |_| vec![simpler]));
    }
}

fn simpler_statements(statement: &Statement) -> Vec<Statement> {
    let mut simpler = Vec::new();
    let place = crate::description::place(statement).copied();
    if let Some(place) = place {
        let plain = Statement::Write { place, value: Value::Constant(1) };
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
    if let Statement::If { condition, then, .. } = statement {
        if let Value::Read(variable) = condition.value {
            let place = Place::Variable(variable);
            simpler.push(Statement::Read { local: 0, place });
        }
        simpler.push(Statement::If {
            condition: *condition,
            then: then.clone(),
            otherwise: Vec::new(),
        });
    }
    simpler.extend(simpler_guards(statement));
    let mut constant = statement.clone();
    if let Some(value) = value_mut(&mut constant)
        && !matches!(value, Value::Constant(_))
    {
        *value = Value::Constant(1);
        simpler.push(constant);
    }
    simpler
}

/// Locks instead of attempts, writers instead of readers, permits that are waited for instead of asked for.
fn simpler_guards(statement: &Statement) -> Vec<Statement> {
    match statement.clone() {
        Statement::With { mutex, shared: true, body } => {
            vec![Statement::With { mutex, shared: false, body }]
        }
        Statement::TryLock { mutex, shared, then, otherwise } => {
            let plain = Statement::With { mutex, shared, body: then.clone() };
            let without = Statement::TryLock { mutex, shared, then, otherwise: Vec::new() };
            if otherwise.is_empty() { vec![plain] } else { vec![plain, without] }
        }
        Statement::TryAcquire { semaphore, .. } => vec![Statement::Acquire(semaphore)],
        Statement::NotifyAll(condition) => vec![Statement::Notify(condition)],
        Statement::Choose { local, alternatives } if alternatives > 2 => {
            vec![Statement::Choose { local, alternatives: alternatives - 1 }]
        }
        _ => Vec::new(),
    }
}

/// Drops or merges messages, tasks, handlers, mutexes and variables.
fn fewer_declarations(description: &Description, candidates: &mut Vec<Description>) {
    let (messages, tasks) = (description.messages.len(), description.tasks.len());
    let (handlers, variables) = (description.handlers.len(), description.variables.len());
    candidates.extend((0..messages).map(|message| without_message(description, message)));
    candidates.extend((0..tasks).map(|task| without_task(description, task)));
    candidates.extend((0..handlers).map(|handler| without_handler(description, handler, None)));
    candidates.extend((0..description.mutexes).map(|mutex| without_mutex(description, mutex)));
    let semaphores = description.semaphores.len();
    candidates.extend((0..semaphores).map(|number| without_semaphore(description, number)));
    let (conditions, barriers) = (description.conditions, description.barriers.len());
    candidates.extend((0..conditions).map(|number| without_condition(description, number)));
    candidates.extend((0..barriers).map(|number| without_barrier(description, number)));
    candidates.extend((1..handlers).map(|handler| without_handler(description, handler, Some(0))));
    candidates.extend((0..variables).map(|variable| without_variable(description, variable, None)));
    candidates.extend((1..variables).map(|from| without_variable(description, from, Some(0))));
    candidates.push(without_unused(description));
}

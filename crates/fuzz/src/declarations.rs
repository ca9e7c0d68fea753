//! Taking declarations away and closing the gaps in the numbering.

use crate::description::{
    Body, Description, Place, Statement, Value, blocks_mut, place, place_mut, value_mut, visit,
    visit_mut,
};

/// Without a message and its posts.
pub fn without_message(description: &Description, message: usize) -> Description {
    let mut result = description.clone();
    result.messages.remove(message);
    retain(&mut result, |statement| match statement {
        Statement::Post { message: other, .. } => close_gap(other, message),
        _ => true,
    });
    result
}

/// Without a task and its forks.
pub fn without_task(description: &Description, task: usize) -> Description {
    let mut result = description.clone();
    result.tasks.remove(task);
    retain(&mut result, |statement| match statement {
        Statement::Fork { task: other, .. } => close_gap(other, task),
        _ => true,
    });
    result
}

/// Without a thread and the joins that wait for it.
pub fn without_thread(description: &Description, thread: usize) -> Description {
    let mut result = description.clone();
    result.threads.remove(thread);
    retain(&mut result, |statement| match statement {
        Statement::JoinThread(other) => close_gap(other, thread),
        _ => true,
    });
    result
}

/// Without a handler: what is posted to it is posted to `instead` (numbered before the removal), or not.
pub fn without_handler(
    description: &Description,
    handler: usize,
    instead: Option<usize>,
) -> Description {
    let mut result = description.clone();
    retain(&mut result, |statement| match statement {
        Statement::Post { handler: other, .. } => {
            if let (true, Some(instead)) = (*other == handler, instead) {
                *other = instead;
            }
            close_gap(other, handler)
        }
        _ => true,
    });
    result.handlers.remove(handler);
    result
}

/// Without a mutex and the blocks under it.
pub fn without_mutex(description: &Description, mutex: usize) -> Description {
    let mut result = description.clone();
    result.mutexes -= 1;
    retain(&mut result, |statement| match statement {
        Statement::With { mutex: other, .. }
        | Statement::TryLock { mutex: other, .. }
        | Statement::Wait { mutex: other, .. } => close_gap(other, mutex),
        _ => true,
    });
    result
}

/// Without a semaphore and what is done with it.
pub fn without_semaphore(description: &Description, semaphore: usize) -> Description {
    let mut result = description.clone();
    result.semaphores.remove(semaphore);
    retain(&mut result, |statement| match statement {
        Statement::Acquire(other)
        | Statement::Release(other)
        | Statement::TryAcquire { semaphore: other, .. } => close_gap(other, semaphore),
        _ => true,
    });
    result
}

/// Without a condition and what is done with it.
pub fn without_condition(description: &Description, condition: usize) -> Description {
    let mut result = description.clone();
    result.conditions -= 1;
    retain(&mut result, |statement| match statement {
        Statement::Wait { condition: other, .. }
        | Statement::Notify(other)
        | Statement::NotifyAll(other) => close_gap(other, condition),
        _ => true,
    });
    result
}

/// Without a barrier and those who come to it.
pub fn without_barrier(description: &Description, barrier: usize) -> Description {
    let mut result = description.clone();
    result.barriers.remove(barrier);
    retain(&mut result, |statement| match statement {
        Statement::Arrive(other) => close_gap(other, barrier),
        _ => true,
    });
    result
}

/// Without a variable: its accesses go to `instead` (numbered before the removal), or make the result
/// ill-formed.
pub fn without_variable(
    description: &Description,
    variable: usize,
    instead: Option<usize>,
) -> Description {
    let rename = |other: &mut usize| {
        if *other == variable {
            *other = instead.unwrap_or(usize::MAX);
        }
        if *other > variable && *other != usize::MAX {
            *other -= 1;
        }
    };
    let mut result = description.clone();
    result.variables.remove(variable);
    for body in result.bodies_mut() {
        visit_mut(body, &mut |statement| {
            if let Some(Place::Variable(variable) | Place::Element(_, Value::Read(variable))) =
                place_mut(statement)
            {
                rename(variable);
            }
            if let Some(Value::Read(variable)) = value_mut(statement) {
                rename(variable);
            }
        });
    }
    result
}

/// Without everything that is declared and not used.
pub fn without_unused(description: &Description) -> Description {
    let mut result = description.clone();
    // What is created by something unused becomes unused in its turn.
    loop {
        let used = Used::by(&result);
        let unused = |used: &[bool]| used.iter().rposition(|used| !used);
        if let Some(message) = unused(&used.messages) {
            result = without_message(&result, message);
        } else if let Some(task) = unused(&used.tasks) {
            result = without_task(&result, task);
        } else if let Some(handler) = unused(&used.handlers) {
            result = without_handler(&result, handler, None);
        } else if let Some(mutex) = unused(&used.mutexes) {
            result = without_mutex(&result, mutex);
        } else if let Some(semaphore) = unused(&used.semaphores) {
            result = without_semaphore(&result, semaphore);
        } else if let Some(condition) = unused(&used.conditions) {
            result = without_condition(&result, condition);
        } else if let Some(barrier) = unused(&used.barriers) {
            result = without_barrier(&result, barrier);
        } else if let Some(variable) = unused(&used.variables) {
            result = without_variable(&result, variable, None);
        } else {
            // There is one array at most.
            if !used.arrays {
                result.arrays.clear();
            }
            return result;
        }
    }
}

/// What is mentioned anywhere.
struct Used {
    messages: Vec<bool>,
    tasks: Vec<bool>,
    handlers: Vec<bool>,
    mutexes: Vec<bool>,
    semaphores: Vec<bool>,
    conditions: Vec<bool>,
    barriers: Vec<bool>,
    variables: Vec<bool>,
    arrays: bool,
}

impl Used {
    fn by(description: &Description) -> Self {
        let mut used = Used {
            messages: vec![false; description.messages.len()],
            tasks: vec![false; description.tasks.len()],
            handlers: vec![false; description.handlers.len()],
            mutexes: vec![false; description.mutexes],
            semaphores: vec![false; description.semaphores.len()],
            conditions: vec![false; description.conditions],
            barriers: vec![false; description.barriers.len()],
            variables: vec![false; description.variables.len()],
            arrays: false,
        };
        for body in description.bodies() {
            visit(body, &mut |statement| used.note(statement));
        }
        used
    }

    fn note(&mut self, statement: &Statement) {
        match place(statement) {
            Some(Place::Variable(variable)) => self.variables[*variable] = true,
            Some(Place::Element(_, index)) => {
                self.arrays = true;
                self.note_value(*index);
            }
            None => {}
        }
        match statement {
            Statement::Write { value, .. } => self.note_value(*value),
            Statement::If { condition, .. } | Statement::Assume(condition) => {
                self.note_value(condition.value);
            }
            Statement::Post { message, handler } => {
                self.messages[*message] = true;
                self.handlers[*handler] = true;
            }
            Statement::Fork { task, .. } => self.tasks[*task] = true,
            Statement::With { mutex, .. } | Statement::TryLock { mutex, .. } => {
                self.mutexes[*mutex] = true;
            }
            Statement::Acquire(semaphore)
            | Statement::Release(semaphore)
            | Statement::TryAcquire { semaphore, .. } => self.semaphores[*semaphore] = true,
            Statement::Wait { condition, mutex } => {
                self.conditions[*condition] = true;
                self.mutexes[*mutex] = true;
            }
            Statement::Notify(condition) | Statement::NotifyAll(condition) => {
                self.conditions[*condition] = true;
            }
            Statement::Arrive(barrier) => self.barriers[*barrier] = true,
            _ => {}
        }
    }

    fn note_value(&mut self, value: Value) {
        if let Value::Read(variable) = value {
            self.variables[variable] = true;
        }
    }
}

/// Lowers numbers above the removed one; false if the number is the removed one.
fn close_gap(number: &mut usize, removed: usize) -> bool {
    let other = *number != removed;
    if *number > removed {
        *number -= 1;
    }
    other
}

/// Keeps the statements that `keep` (which may also renumber them) says true of.
fn retain(description: &mut Description, mut keep: impl FnMut(&mut Statement) -> bool) {
    fn in_block(body: &mut Body, keep: &mut impl FnMut(&mut Statement) -> bool) {
        body.retain_mut(|statement| keep(statement));
        for statement in body {
            for block in blocks_mut(statement) {
                in_block(block, keep);
            }
        }
    }
    for body in description.bodies_mut() {
        in_block(body, &mut keep);
    }
}

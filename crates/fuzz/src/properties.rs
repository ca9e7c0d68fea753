//! What can be said of a description without running it.

use crate::description::{Description, Place, Statement, Value, place, visit};
use mazurka_engine::Mailbox;

/// Is what every task accesses the same whatever values it reads? Then Event-DPOR promises to begin nothing in vain.
pub fn is_non_branching(description: &Description) -> bool {
    let mut branching = false;
    for body in description.bodies() {
        visit(body, &mut |statement| branching |= depends_on_values(statement));
    }
    !branching
}

/// Have all handlers this policy?
pub fn only_mailbox(description: &Description, mailbox: Mailbox) -> bool {
    description.handlers.iter().all(|&policy| policy == mailbox)
}

/// Does what a statement accesses, or whether the next one is reached, depend on values?
pub fn depends_on_values(statement: &Statement) -> bool {
    match statement {
        Statement::If { .. }
        | Statement::Assume(_)
        | Statement::Cas { .. }
        | Statement::TryLock { .. }
        | Statement::TryAcquire { .. }
        | Statement::Notify(_)
        | Statement::NotifyAll(_)
        | Statement::Arrive(_) => true,
        other => matches!(place(other), Some(Place::Element(_, Value::Local(_) | Value::Read(_)))),
    }
}

/// Can the description be run: every number names something, atomic blocks hold accesses only, handles are
/// forked before they are joined, no body takes a mutex twice or waits without it, and nothing creates itself?
pub fn is_well_formed(description: &Description) -> bool {
    let mut bodies = description.bodies();
    bodies.all(|body| Scope::new(description).body_is_fine(body))
        && creates_are_acyclic(description)
}

struct Scope<'d> {
    description: &'d Description,
    /// Handles that can be joined here.
    handles: Vec<usize>,
    /// Handles forked anywhere so far.
    forked: Vec<usize>,
    /// The mutexes, and whether for reading only.
    held: Vec<(usize, bool)>,
}

impl<'d> Scope<'d> {
    fn new(description: &'d Description) -> Self {
        Scope { description, handles: Vec::new(), forked: Vec::new(), held: Vec::new() }
    }

    fn body_is_fine(&mut self, body: &[Statement]) -> bool {
        let handles = self.handles.len();
        let fine = body.iter().all(|statement| self.statement_is_fine(statement));
        self.handles.truncate(handles);
        fine
    }

    fn statement_is_fine(&mut self, statement: &Statement) -> bool {
        let description = self.description;
        if place(statement).is_some_and(|place| !self.place_is_fine(place)) {
            return false;
        }
        match statement {
            Statement::Write { value, .. } => self.value_is_fine(*value),
            Statement::Atomic(body) => {
                body.first().is_some_and(begins_with_access)
                    && all_accesses(body)
                    && self.body_is_fine(body)
            }
            Statement::Post { message, handler } => {
                *message < description.messages.len() && *handler < description.handlers.len()
            }
            Statement::Fork { task, handle } => {
                let fresh = !self.forked.contains(handle);
                self.forked.push(*handle);
                self.handles.push(*handle);
                fresh && *task < description.tasks.len()
            }
            Statement::Join(handle) => self.handles.contains(handle),
            Statement::JoinThread(thread) => *thread < description.threads.len(),
            Statement::With { mutex, shared, body } => {
                self.section_is_fine((*mutex, *shared), body)
            }
            Statement::TryLock { mutex, shared, then, otherwise } => {
                self.section_is_fine((*mutex, *shared), then) && self.body_is_fine(otherwise)
            }
            Statement::Acquire(semaphore)
            | Statement::Release(semaphore)
            | Statement::TryAcquire { semaphore, .. } => *semaphore < description.semaphores.len(),
            Statement::Wait { condition, mutex } => {
                *condition < description.conditions && self.held.contains(&(*mutex, false))
            }
            Statement::Notify(condition) | Statement::NotifyAll(condition) => {
                *condition < description.conditions
            }
            Statement::Arrive(barrier) => *barrier < description.barriers.len(),
            Statement::Choose { alternatives, .. } => *alternatives > 1,
            Statement::If { condition, then, otherwise } => {
                self.value_is_fine(condition.value)
                    && self.body_is_fine(then)
                    && self.body_is_fine(otherwise)
            }
            Statement::Assume(condition) => self.value_is_fine(condition.value),
            _ => true,
        }
    }

    /// What is done while a mutex is held.
    fn section_is_fine(&mut self, taken: (usize, bool), body: &[Statement]) -> bool {
        let is_held = self.held.iter().any(|&(mutex, _)| mutex == taken.0);
        let fresh = taken.0 < self.description.mutexes && !is_held;
        self.held.push(taken);
        let fine = fresh && self.body_is_fine(body);
        self.held.pop();
        fine
    }

    fn place_is_fine(&self, place: &Place) -> bool {
        match *place {
            Place::Variable(variable) => variable < self.description.variables.len(),
            Place::Element(array, index) => {
                array < self.description.arrays.len() && self.value_is_fine(index)
            }
        }
    }

    fn value_is_fine(&self, value: Value) -> bool {
        match value {
            Value::Read(variable) => variable < self.description.variables.len(),
            Value::Constant(_) | Value::Local(_) => true,
        }
    }
}

fn begins_with_access(statement: &Statement) -> bool {
    match statement {
        Statement::If { condition, .. } => matches!(condition.value, Value::Read(_)),
        other => place(other).is_some(),
    }
}

fn all_accesses(body: &[Statement]) -> bool {
    let mut fine = true;
    visit(body, &mut |statement| {
        fine &= place(statement).is_some() || matches!(statement, Statement::If { .. });
    });
    fine
}

/// Does no message or task lead back to itself?
fn creates_are_acyclic(description: &Description) -> bool {
    let tasks = description.tasks.len();
    let bodies: Vec<_> = description.tasks.iter().chain(&description.messages).collect();
    let created = |node: usize| {
        let mut children = Vec::new();
        visit(bodies[node], &mut |statement| match statement {
            Statement::Post { message, .. } => children.push(tasks + message),
            Statement::Fork { task, .. } => children.push(*task),
            _ => {}
        });
        children
    };
    // As many rounds as there are bodies settle every depth that is finite.
    let mut depth = vec![0; bodies.len()];
    for _ in 0..=bodies.len() {
        for node in 0..bodies.len() {
            let deepest = created(node).into_iter().map(|child| depth[child] + 1).max();
            depth[node] = deepest.unwrap_or(0);
        }
    }
    depth.iter().all(|&depth| depth < bodies.len().max(1))
}

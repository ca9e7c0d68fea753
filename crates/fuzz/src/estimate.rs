//! How many interleavings a description may have: an upper bound, without running it.
//!
//! Threads are lanes whose events can be shuffled at will; the messages of a handler share one lane, in any
//! order. That posts come before what they post is not counted, so the bound is generous.

use crate::description::{Body, Description, Statement, visit};
use crate::properties::longest_way;

/// An upper bound on the number of interleavings.
pub fn interleavings(description: &Description) -> f64 {
    let mut lanes = Lanes {
        description,
        own: Vec::new(),
        handlers: vec![(0, 0); description.handlers.len()],
    };
    for body in &description.threads {
        lanes.own.push(longest_way(body));
        lanes.add_children(body);
    }
    lanes.shuffles()
}

struct Lanes<'d> {
    description: &'d Description,
    /// The number of events of each thread.
    own: Vec<usize>,
    /// Messages and events of each handler.
    handlers: Vec<(usize, usize)>,
}

impl Lanes<'_> {
    fn add_children(&mut self, body: &Body) {
        let mut created = Vec::new();
        visit(body, &mut |statement| match statement {
            Statement::Post { .. } | Statement::Fork { .. } => created.push(statement),
            _ => {}
        });
        for statement in created {
            match *statement {
                Statement::Post { message, handler } => {
                    let body = &self.description.messages[message];
                    self.handlers[handler].0 += 1;
                    self.handlers[handler].1 += 1 + longest_way(body);
                    self.add_children(body);
                }
                Statement::Fork { task, .. } => {
                    let body = &self.description.tasks[task];
                    self.own.push(longest_way(body));
                    self.add_children(body);
                }
                _ => {}
            }
        }
    }

    fn shuffles(&self) -> f64 {
        let handlers = self.handlers.iter();
        let lanes = self
            .own
            .iter()
            .copied()
            .chain(handlers.clone().map(|h| h.1));
        let mut total = 0;
        let mut ways = 1.0;
        for events in lanes {
            for k in 1..=events {
                total += 1;
                ways *= f64::from(total) / k as f64;
            }
        }
        handlers.fold(ways, |ways, &(messages, _)| ways * factorial(messages))
    }
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

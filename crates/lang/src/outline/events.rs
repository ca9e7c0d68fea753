//! The events of one statement, in words.

use super::walk::Walk;
use crate::ast::{
    AssignOperator, Call, Expression, ExpressionKind, Place, Statement, StatementKind, Value,
};

/// The events of a statement in order, without those of the blocks in it.
pub(super) fn events(walk: &Walk, statement: &Statement) -> Vec<String> {
    let mut events = Events { walk, list: Vec::new() };
    events.statement(&statement.kind);
    events.list
}

struct Events<'w> {
    walk: &'w Walk,
    list: Vec<String>,
}

impl Events<'_> {
    fn add(&mut self, event: String) {
        self.list.push(event);
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Let { value, .. } => self.value(value),
            StatementKind::Assign { target, operator, value } => {
                self.indices(target);
                self.value(value);
                if self.walk.is_shared(target) {
                    self.add(match operator {
                        AssignOperator::Set => format!("write `{target}`"),
                        _ => format!("read and write `{target}` in one event"),
                    });
                }
            }
            StatementKind::Evaluate(expression) | StatementKind::Assume(expression) => {
                self.expression(expression);
            }
            StatementKind::Assert { condition, .. } => self.expression(condition),
            StatementKind::Post { call, handler } => {
                self.arguments(call);
                self.indices(handler);
                self.add(format!("post `{}` to `{handler}`", call.name));
            }
            StatementKind::Fork(call) => self.fork(call),
            StatementKind::Join(place) => {
                self.indices(place);
                if self.walk.is_shared(place) {
                    self.add(format!("read `{place}`"));
                }
                self.add(format!("join `{place}`"));
            }
            StatementKind::Lock(place) => self.on("lock", place),
            StatementKind::Unlock(place) => self.on("unlock", place),
            StatementKind::LockShared(place) => self.on("lock for reading", place),
            StatementKind::UnlockShared(place) => self.on("unlock for reading", place),
            StatementKind::Acquire(place) => self.on("acquire", place),
            StatementKind::Release(place) => self.on("release", place),
            StatementKind::Notify(place) => self.on("notify", place),
            StatementKind::NotifyAll(place) => self.on("notify all of", place),
            StatementKind::Wait { place, lock: None } => self.on("wait at", place),
            StatementKind::Wait { place, lock: Some(lock) } => {
                self.on("wait for", place);
                self.indices(lock);
                self.add(format!("unlock `{lock}`"));
                self.add(format!("be notified of `{place}`"));
                self.add(format!("lock `{lock}`"));
            }
            StatementKind::With { mutex, .. } => {
                self.on("lock", mutex);
                self.add(format!("…, then unlock `{mutex}`"));
            }
            StatementKind::WithShared { lock, .. } => {
                self.on("lock for reading", lock);
                self.add(format!("…, then unlock for reading `{lock}`"));
            }
            StatementKind::If { branches, .. } => {
                branches.iter().for_each(|(condition, _)| self.expression(condition));
            }
            StatementKind::While { condition, .. } => self.expression(condition),
            StatementKind::For { from, to, .. } => {
                self.expression(from);
                self.expression(to);
            }
            StatementKind::Atomic(_) => self.add("one event with all accesses of the block".into()),
            StatementKind::Return | StatementKind::Block(_) => {}
        }
    }

    fn on(&mut self, what: &str, place: &Place) {
        self.indices(place);
        self.add(format!("{what} `{place}`"));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Expression(expression) => self.expression(expression),
            Value::Fork(call) => self.fork(call),
        }
    }

    fn fork(&mut self, call: &Call) {
        self.arguments(call);
        self.add(format!("fork `{}`", call.name));
    }

    fn arguments(&mut self, call: &Call) {
        call.arguments.iter().for_each(|argument| self.expression(argument));
    }

    fn indices(&mut self, place: &Place) {
        place.indices.iter().for_each(|index| self.expression(index));
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Bool(_) => {}
            ExpressionKind::Place(place) => {
                self.indices(place);
                if self.walk.is_shared(place) {
                    self.add(format!("read `{place}`"));
                }
            }
            ExpressionKind::Unary(_, inner) => self.expression(inner),
            ExpressionKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExpressionKind::Call(call) => self.function(call),
        }
    }

    /// The first argument of an atomic operation is what it changes, and not read before.
    fn function(&mut self, call: &Call) {
        let changes = match call.name.text.as_str() {
            "fetch_add" | "swap" => "read and write",
            "cas" => "compare and swap",
            "try_lock" => "try to lock",
            "try_lock_shared" => "try to lock for reading",
            "try_acquire" => "try to acquire",
            "choose" => {
                self.arguments(call);
                return self.add(format!(
                    "choose among `{}`",
                    call.arguments.first().map_or(String::new(), ToString::to_string)
                ));
            }
            _ => return self.arguments(call),
        };
        let Some((target, others)) = call.arguments.split_first() else {
            return;
        };
        if let ExpressionKind::Place(place) = &target.kind {
            self.indices(place);
        }
        others.iter().for_each(|argument| self.expression(argument));
        self.add(format!("{changes} `{target}` in one event"));
    }
}

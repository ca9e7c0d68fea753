//! Where the order is ours: what is due first, and what the user does meanwhile.

use super::driver::Driver;
use super::order::Role;
use super::pending::{Meta, Pending, Release};
use crate::actions::Action;
use crate::error::Error;
use mazurka_engine::reorder::EventId;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// How long a user waits for what is about to happen, in milliseconds of the page's time.
const PATIENCE: u64 = 50;
/// A callback that has registered itself so often is not waited for by the user.
const POLLS: u32 = 3;

impl Driver<'_> {
    /// The order of a recording: what is due first, and a user who waits for what is about to happen.
    pub(super) fn choose(&self) -> Option<u32> {
        let possible: Vec<&Pending> = self.table.possible(self.now).collect();
        let action = possible.iter().find(|pending| matches!(pending.meta.role, Role::Action(_)));
        let others =
            || possible.iter().filter(|pending| !matches!(pending.meta.role, Role::Action(_)));
        let first = |pending: &&&Pending| (pending.meta.due, pending.meta.order);
        if let Some(action) = action {
            let Role::Action(number) = action.meta.role else { return None };
            // Who types does not wait for answers; what is due at once comes first all the same.
            let hurries = self.actions[number].at_once;
            let awaited = others().filter(|pending| match hurries {
                true => pending.meta.due <= self.now,
                false => self.is_about_to_happen(&pending.meta),
            });
            let next = awaited.min_by_key(first);
            if hurries || self.loaded || others().next().is_none() {
                return Some(next.unwrap_or(action).meta.event);
            }
        }
        others().min_by_key(first).map(|pending| pending.meta.event)
    }

    pub(super) fn is_about_to_happen(&self, meta: &Meta) -> bool {
        let repeats = matches!(meta.kind.as_str(), "frame" | "interval" | "transition");
        // What users do before the answers come that they have asked for may make a difference.
        let asked_for = meta.by_user && meta.is_answer;
        let asked_for = asked_for && !self.shared.is_patient.load(Ordering::Relaxed);
        !repeats && !asked_for && meta.due <= self.now + PATIENCE && meta.generation < POLLS
    }

    /// Without a list of actions, what has handlers is tried.
    pub(super) fn find_action(&mut self) -> Result<bool, Error> {
        if !self.may_add_actions || self.actions.len() >= self.shared.max_actions {
            return Ok(false);
        }
        let found = self.tab.ask("handlers()", self.shared.step)?.unwrap_or(Value::Null);
        let empty = Vec::new();
        for pair in found.as_array().unwrap_or(&empty) {
            let (selector, event) =
                (pair[0].as_str().unwrap_or_default(), pair[1].as_str().unwrap_or_default());
            if !self.tried.insert((selector.to_owned(), event.to_owned())) {
                continue;
            }
            self.actions.push(Action::trigger(selector, event));
            self.add_action(self.actions.len() - 1);
            self.table.wanted = true;
            let before = std::mem::take(&mut self.possible);
            self.possible = self.now_possible();
            // It was possible from the moment its element was there; that it is known only now is our doing.
            if let Some(last) = self.steps.last_mut() {
                last.appeared.extend(
                    self.possible
                        .iter()
                        .filter(|event| !before.contains(event))
                        .map(|&event| EventId(event)),
                );
            }
            let creator = self.tab.evaluate(
                &format!("{}.present({})", self.shared.helper, json!(selector)),
                self.shared.step,
            )?;
            self.wanted_creator =
                creator.and_then(|creator| creator.as_u64()).unwrap_or(1) as usize;
            return Ok(true);
        }
        Ok(false)
    }

    pub(super) fn add_action(&mut self, number: usize) {
        let Some(action) = self.actions.get(number).cloned() else { return };
        let mut meta =
            self.meta(&action.kind, &action.name(), action.text.clone(), None, Some(number));
        meta.role = Role::Action(number);
        self.table.add(Pending { meta, release: Release::Action(number) });
    }

    /// The element of the action that comes next, as an argument for the page.
    pub(super) fn wanted(&self, after: Option<usize>) -> String {
        let next = after.map_or_else(
            || self.metas.iter().filter(|meta| matches!(meta.role, Role::Action(_))).count(),
            |number| number + 1,
        );
        match self.actions.get(next) {
            None => "undefined".to_owned(),
            Some(action) => json!(action.selector).to_string(),
        }
    }
}

//! The end of an execution: what is left of the page, and what was given up.

use super::driver::Driver;
use super::end::{Access, Ending, Touched};
use super::order::Role;
use super::pending::Meta;
use super::recording::{Queued, Recording};
use crate::error::Error;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Driver<'_> {
    pub(super) fn say_what_is_endless(&mut self) {
        let endless: Vec<u32> = self
            .table
            .all()
            .iter()
            .filter(|one| one.is_endless(self.now))
            .map(|one| one.meta.event)
            .collect();
        for event in endless {
            let words = self.words(event);
            self.tab.cut.push(format!("{words} goes on without end"));
        }
        let missed: Vec<usize> = self
            .table
            .all()
            .iter()
            .filter_map(|one| match one.meta.role {
                Role::Action(number) => Some(number),
                _ => None,
            })
            .collect();
        for number in missed {
            let action = &self.actions[number];
            self.missed.push(format!(
                "{} {} did not happen: there is no such element",
                action.kind,
                action.name()
            ));
        }
    }

    pub(super) fn end(
        mut self,
        initially: Vec<u32>,
        skipped: Vec<u32>,
    ) -> Result<Recording, Error> {
        let limit = self.shared.step;
        let state = self.ask_in_the_end(&format!("finalState({})", json!(self.shared.asserts)))?;
        let accesses = self.ask_in_the_end("accesses()")?;
        self.tab.evaluate(&format!("{}.still()", self.shared.helper), limit)?;
        let picture = self.tab.picture()?;
        let empty = Vec::new();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let heap: BTreeMap<String, String> = state["heap"]
            .as_object()
            .map(|heap| heap.iter().map(|(path, value)| (path.clone(), text(value))).collect())
            .unwrap_or_default();
        let asserts = state["asserts"].as_array().unwrap_or(&empty).iter();
        let asserts = asserts.map(|one| (text(&one[0]), one[1] == true, text(&one[2]))).collect();
        let mut requests = std::mem::take(&mut self.tab.said);
        requests.sort();
        // What was asked for before comes from a cache; only requests that change something count each time.
        requests.dedup_by(|one, other| one == other && one.starts_with("GET "));
        let mut notes = std::mem::take(&mut self.tab.notes);
        notes.extend(state["notes"].as_array().unwrap_or(&empty).iter().map(text));
        let ending = Ending {
            dom: text(&state["dom"]),
            heap,
            picture: picture.map(Into::into),
            exceptions: std::mem::take(&mut self.tab.exceptions),
            console: std::mem::take(&mut self.tab.console),
            requests,
            asserts,
        };
        let touched = accesses.as_array().unwrap_or(&empty).iter().map(touched).collect();
        let queued = self.metas.iter().enumerate().filter_map(queued).collect();
        Ok(Recording {
            queued,
            initially,
            steps: self.steps,
            touched,
            ending,
            skipped,
            cut: std::mem::take(&mut self.tab.cut),
            missed: self.missed,
            notes,
        })
    }
}

impl Driver<'_> {
    /// What the page tells when nothing is left to do. One that is too busy to tell leaves nothing to compare.
    fn ask_in_the_end(&mut self, call: &str) -> Result<Value, Error> {
        let told = self.tab.ask(call, self.shared.step)?;
        if told.is_none() {
            let limit = self.shared.step.as_secs();
            self.tab.cut.push(format!("the page did not tell its final state within {limit} s"));
        }
        Ok(told.unwrap_or(Value::Null))
    }
}

fn queued((position, meta): (usize, &Meta)) -> Option<Queued> {
    let frames = meta.frame.map(|_| "frames".to_owned());
    let queue = meta.channel.clone().or(frames)?;
    Some(Queued { queue, position, creator: meta.creator? })
}

fn touched(value: &Value) -> Touched {
    let empty = Vec::new();
    let entries = value[2].as_array().unwrap_or(&empty);
    let number = |value: &Value| value.as_u64().unwrap_or(0) as u32;
    let access = |entry: &Value| {
        let mode = number(&entry[1]);
        Access {
            position: number(&entry[0]).saturating_sub(1) as usize,
            reads: mode & 1 != 0,
            writes: mode & 2 != 0,
            adds: mode & 4 != 0,
            keeps: mode & 8 != 0,
            read_site: number(&entry[2]),
            write_site: number(&entry[3]),
        }
    };
    Touched {
        shadow: value[0] == "!",
        key: value[1].as_str().unwrap_or_default().to_owned(),
        accesses: entries.iter().map(access).collect(),
    }
}

//! The loop: let one event go, wait until it is over, see what can happen now.

use super::end::Exception;
use super::order::{Role, precedes};
use super::pending::{Meta, Pending, Release, Table};
use super::recording::{Plan, Recording};
use super::tab::Tab;
use super::{Shared, lock};
use crate::actions::Action;
use crate::browser::Connection;
use crate::error::Error;
use crate::rewrite::Page;
use mazurka_engine::reorder::{EventId, Happened, Replay};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

/// The recording: the user does not wait for answers that were asked for. If something goes wrong in it, and not where the user
/// waits, that one is the recording, since others are compared with it.
pub fn record_first(shared: &Shared, connection: &mut Connection) -> Result<Recording, Error> {
    let hasty = record(shared, connection, &Plan::default())?;
    if !hasty.ending.is_wrong() {
        return Ok(hasty);
    }
    shared.is_patient.store(true, Ordering::Relaxed);
    let patient = record(shared, connection, &Plan::default())?;
    if !patient.ending.is_wrong() {
        return Ok(patient);
    }
    shared.is_patient.store(false, Ordering::Relaxed);
    Ok(hasty)
}

/// Performs a plan in a fresh tab.
pub fn record(
    shared: &Shared,
    connection: &mut Connection,
    plan: &Plan,
) -> Result<Recording, Error> {
    let mut tab = Tab::open(shared, connection)?;
    tab.navigate()?;
    let given = lock(&shared.actions).clone();
    let mut driver = Driver {
        shared,
        tab,
        table: Table::default(),
        page: None,
        actions: given.clone().unwrap_or_default(),
        may_add_actions: given.is_none(),
        tried: HashSet::new(),
        metas: Vec::new(),
        steps: Vec::new(),
        possible: Vec::new(),
        counts: HashMap::new(),
        order: 0,
        now: 0,
        wanted_creator: 0,
        loaded: false,
        written: Vec::new(),
        workers_started: 0,
        missed: Vec::new(),
    };
    let planned: Vec<EventId> = {
        let mut names = lock(&shared.names);
        plan.events.iter().map(|&hash| EventId(names.promise(hash))).collect()
    };
    let mut replay = Replay::new(&planned);
    let initially = driver.begin()?;
    if let Err(error) = driver.run(&mut replay) {
        return Err(driver.name_crash(error));
    }
    if driver.may_add_actions {
        *lock(&shared.actions) = Some(driver.actions.clone());
    }
    let skipped = replay.left().map(|event| event.0).collect();
    driver.end(initially, skipped)
}

/// An execution that is under way.
pub struct Driver<'s> {
    pub(super) shared: &'s Shared,
    pub(super) tab: Tab<'s>,
    pub(super) table: Table,
    pub(super) page: Option<Page>,
    pub(super) actions: Vec<Action>,
    /// Are actions to be found where handlers are?
    pub(super) may_add_actions: bool,
    pub(super) tried: HashSet<(String, String)>,
    /// Of the events that have happened.
    pub(super) metas: Vec<Meta>,
    pub(super) steps: Vec<Happened>,
    pub(super) possible: Vec<u32>,
    /// How many events with a creator, kind and name there were.
    pub(super) counts: HashMap<(Option<u32>, String, String), u32>,
    pub(super) order: u64,
    pub(super) now: u64,
    /// The position (from 1) of the event that put the element of the next action there.
    pub(super) wanted_creator: usize,
    pub(super) loaded: bool,
    /// Addresses of scripts that were written into the page.
    pub(super) written: Vec<String>,
    /// How many workers whose scripts come over the network the page has started.
    workers_started: usize,
    /// What the user could not do.
    pub(super) missed: Vec<String>,
}

impl Driver<'_> {
    /// Says which event the tab has crashed in.
    fn name_crash(&self, error: Error) -> Error {
        match (error, self.metas.last()) {
            (Error::Crashed(_), Some(meta)) => Error::Crashed(self.words(meta.event)),
            (error, _) => error,
        }
    }

    /// The navigation is the only thing that can happen at first.
    fn begin(&mut self) -> Result<Vec<u32>, Error> {
        let name = self.shared.server.name(&self.shared.server.address());
        let meta = self.meta("parse", &name, None, None, None);
        self.table.add(Pending {
            meta: Meta { role: Role::Start, ..meta },
            release: Release::Navigation,
        });
        self.add_action(0);
        self.possible = self.now_possible();
        Ok(self.possible.clone())
    }

    fn run(&mut self, replay: &mut Replay) -> Result<(), Error> {
        while self.steps.len() < self.shared.max_events {
            let planned =
                replay.next(|event| self.possible.contains(&event.0)).map(|event| event.0);
            let Some(event) = planned.or_else(|| self.choose()) else {
                if self.find_action()? {
                    continue;
                }
                self.say_what_is_endless();
                return Ok(());
            };
            self.perform(event)?;
        }
        self.tab.cut.push(format!("an execution has more than {} events", self.shared.max_events));
        Ok(())
    }

    fn perform(&mut self, event: u32) -> Result<(), Error> {
        let Some(pending) = self.table.take(event) else { return Ok(()) };
        let position = self.steps.len() + 1;
        self.tab.position = position - 1;
        self.now = self.now.max(pending.meta.due);
        let after = self.after(&pending.meta);
        let paints = !self.table.is_unpainted();
        let action = match pending.release {
            Release::Action(number) => Some(number),
            _ => None,
        };
        let common = format!("{position},{},{paints},{}", self.now, self.wanted(action));
        self.loaded |= pending.meta.role == Role::Loaded;
        self.tab.requests.fonts_at_once = pending.meta.kind == "font";
        self.metas.push(pending.meta.clone());
        self.steps.push(Happened { event: EventId(event), after, ..Happened::default() });
        let told = match &pending.release {
            Release::Navigation => self.open_page(&common)?,
            Release::Held(id) => self.tab.ask(&format!("step({common},{id})"), self.shared.step)?,
            Release::Action(number) => {
                let (name, arguments) = self.actions[*number].call.clone();
                let mut call = format!("act({common},{}", json!(name));
                for argument in arguments {
                    call.push_str(&format!(",{}", json!(argument)));
                }
                call.push(')');
                let told = self.tab.ask(&call, self.shared.step)?;
                self.add_action(number + 1);
                told
            }
            Release::Request(id) => self.let_in(&common, &id.clone())?,
        };
        self.tab.wait_for_requests()?;
        match told {
            Some(told) => self.learn(&told),
            None => self.stopped(event)?,
        }
        for told in self.tab.settle_imports(self.shared.step)? {
            self.learn(&told);
        }
        self.tab.wait_for_worker_scripts(self.workers_started)?;
        for told in self.tab.settle_workers(self.shared.step)? {
            self.learn(&told);
        }
        self.learn_requests();
        self.table.withdraw_requests(|id| self.tab.requests.is_over(id));
        let before = std::mem::take(&mut self.possible);
        self.possible = self.now_possible();
        let difference = |from: &[u32], without: &[u32]| -> Vec<EventId> {
            from.iter()
                .filter(|&&one| one != event && !without.contains(&one))
                .map(|&one| EventId(one))
                .collect()
        };
        let appeared = difference(&self.possible, &before);
        let vanished = difference(&before, &self.possible);
        if let Some(last) = self.steps.last_mut() {
            last.appeared = appeared;
            last.vanished = vanished;
        }
        Ok(())
    }

    /// Events that come before this one, whatever the order.
    fn after(&self, meta: &Meta) -> Vec<u32> {
        let causes = meta.creator.iter().chain(&meta.also_after);
        let mut after: Vec<u32> = causes.map(|&position| position as u32).collect();
        let earlier = self.metas.iter().enumerate().filter(|(_, earlier)| precedes(earlier, meta));
        after.extend(earlier.map(|(position, _)| position as u32));
        if matches!(meta.role, Role::Action(_)) {
            after.push(self.wanted_creator.saturating_sub(1) as u32);
        }
        after.sort_unstable();
        after.dedup();
        after
    }

    /// What the page has registered and withdrawn.
    fn learn(&mut self, told: &Value) {
        let empty = Vec::new();
        let list = |name: &str| told[name].as_array().unwrap_or(&empty);
        for note in list("notes").iter().filter_map(Value::as_str) {
            self.tab.notes.push(note.to_owned());
        }
        self.tab.cut.extend(list("cuts").iter().filter_map(Value::as_str).map(str::to_owned));
        for gate in list("gates").iter().filter_map(Value::as_u64) {
            self.table.gates.insert(gate as usize);
        }
        for one in list("registered") {
            self.register(one);
        }
        for id in list("withdrawn").iter().filter_map(Value::as_u64) {
            self.table.withdraw(id);
        }
        self.note_written(told);
        let causes = list("causes").iter().filter_map(Value::as_u64);
        self.follow(causes.map(|position| position.saturating_sub(1) as u32));
        self.workers_started = told["workers"].as_u64().unwrap_or(0) as usize;
        self.table.wanted = !told["wanted"].is_null();
        self.wanted_creator = told["wanted"].as_u64().unwrap_or(1) as usize;
    }

    /// The event that has just happened comes after these, whatever the order.
    fn follow(&mut self, causes: impl Iterator<Item = u32>) {
        let last = self.steps.len().saturating_sub(1) as u32;
        if let Some(step) = self.steps.last_mut() {
            step.after.extend(causes.filter(|&cause| cause < last));
            step.after.sort_unstable();
            step.after.dedup();
        }
    }

    pub(super) fn now_possible(&self) -> Vec<u32> {
        self.table.possible(self.now).map(|pending| pending.meta.event).collect()
    }

    /// An event that did not end in time.
    fn stopped(&mut self, event: u32) -> Result<(), Error> {
        let name = self.words(event);
        let message =
            format!("{name} did not end within {} s and was stopped", self.shared.step.as_secs());
        self.tab.exceptions.push(Exception {
            message: message.clone(),
            place: None,
            position: self.steps.len() - 1,
        });
        self.tab.cut.push(message);
        if let Some(told) = self.tab.ask("settled()", self.shared.step)? {
            self.learn(&told);
        }
        Ok(())
    }

    pub(super) fn words(&self, event: u32) -> String {
        let names = lock(&self.shared.names);
        let event = names.event(event);
        format!("{} {}", event.kind, event.name).trim().to_owned()
    }
}

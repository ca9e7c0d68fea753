//! The loop: let one event go, wait until it is over, see what can happen now.

use super::end::{Access, Ending, Exception, Touched};
use super::order::{Role, precedes};
use super::pending::{Meta, Pending, Release, Table};
use super::requests::Request;
use super::tab::Tab;
use super::{Shared, lock};
use crate::actions::Action;
use crate::browser::Connection;
use crate::error::Error;
use crate::rewrite::Page;
use crate::trace::Event;
use mazurka_engine::reorder::{EventId, Happened, Replay};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What an execution is to do: events by the hashes that are the same in every process. A recording has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// The planned events.
    pub events: Vec<u64>,
}

/// One execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// What was possible before the first event.
    pub initially: Vec<u32>,
    /// What happened, without accesses.
    pub steps: Vec<Happened>,
    /// Locations that several events touch.
    pub touched: Vec<Touched>,
    /// Events that come in the order in which they were registered.
    pub queued: Vec<Queued>,
    /// The final state.
    pub ending: Ending,
    /// Planned events that did not happen.
    pub skipped: Vec<u32>,
    /// Why it was stopped although there was more to do.
    pub cut: Vec<String>,
    /// What people should know.
    pub notes: Vec<String>,
}

/// An event that stood in a queue with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queued {
    /// Which queue.
    pub queue: String,
    /// The event's position.
    pub position: usize,
    /// The position of the event that put it there.
    pub creator: usize,
}

/// What an answer takes, in milliseconds of the page's time.
const LATENCY: u64 = 10;
/// How long a user waits for what is about to happen, in milliseconds of the page's time.
const PATIENCE: u64 = 50;
/// From this generation on browsers delay timers, …
const NESTED: u32 = 5;
/// … by so many milliseconds.
const CLAMP: u64 = 4;
/// A callback that has registered itself so often is not waited for by the user.
const POLLS: u32 = 3;

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
        cut: Vec::new(),
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

struct Driver<'s> {
    shared: &'s Shared,
    tab: Tab<'s>,
    table: Table,
    page: Option<Page>,
    actions: Vec<Action>,
    /// Are actions to be found where handlers are?
    may_add_actions: bool,
    tried: HashSet<(String, String)>,
    /// Of the events that have happened.
    metas: Vec<Meta>,
    steps: Vec<Happened>,
    possible: Vec<u32>,
    /// How many events with a creator, kind and name there were.
    counts: HashMap<(Option<u32>, String, String), u32>,
    order: u64,
    now: u64,
    /// The position (from 1) of the event that put the element of the next action there.
    wanted_creator: usize,
    loaded: bool,
    cut: Vec<String>,
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
        self.cut.push(format!("an execution has more than {} events", self.shared.max_events));
        Ok(())
    }

    /// The order of a recording: what is due first, and a user who waits for what is about to happen.
    fn choose(&self) -> Option<u32> {
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

    fn is_about_to_happen(&self, meta: &Meta) -> bool {
        let repeats = matches!(meta.kind.as_str(), "frame" | "interval" | "transition");
        // What users do before the answers come that they have asked for may make a difference.
        let asked_for = meta.by_user && meta.is_answer;
        let asked_for = asked_for && !self.shared.is_patient.load(Ordering::Relaxed);
        !repeats && !asked_for && meta.due <= self.now + PATIENCE && meta.generation < POLLS
    }

    /// Without a list of actions, what has handlers is tried.
    fn find_action(&mut self) -> Result<bool, Error> {
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

    fn add_action(&mut self, number: usize) {
        let Some(action) = self.actions.get(number).cloned() else { return };
        let mut meta =
            self.meta(&action.kind, &action.name(), action.text.clone(), None, Some(number));
        meta.role = Role::Action(number);
        self.table.add(Pending { meta, release: Release::Action(number) });
    }

    /// The element of the action that comes next, as an argument for the page.
    fn wanted(&self, after: Option<usize>) -> String {
        let next = after.map_or_else(
            || self.metas.iter().filter(|meta| matches!(meta.role, Role::Action(_))).count(),
            |number| number + 1,
        );
        match self.actions.get(next) {
            None => "undefined".to_owned(),
            Some(action) => json!(action.selector).to_string(),
        }
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

    /// The page itself: its answer, and what the parser does up to the first stop.
    fn open_page(&mut self, common: &str) -> Result<Option<Value>, Error> {
        let request = loop {
            self.tab.wait_for_requests()?;
            if let Some(request) =
                self.tab.requests.take_held().into_iter().find(|request| request.kind == "Document")
            {
                break request;
            }
            if !self.tab.pump(std::time::Instant::now() + Duration::from_secs(10))? {
                return Err(Error::NotLoaded(
                    self.shared.server.address(),
                    "the browser does not ask for it".to_owned(),
                ));
            }
        };
        self.tab.answer(&request)?;
        self.tab.wait_for_delivery(&request.id)?;
        self.page = lock(&self.shared.pages).values().next().cloned();
        let ready = format!("typeof {}==='object'", self.shared.helper);
        for _ in 0..500 {
            if self.tab.evaluate(&ready, self.shared.step).ok().flatten() == Some(Value::Bool(true))
            {
                break;
            }
            self.tab.pump(std::time::Instant::now() + Duration::from_millis(10))?;
        }
        self.tab.evaluate(&format!("{}.begin({common})", self.shared.helper), self.shared.step)?;
        self.wait_for_parser()
    }

    /// The parser works in its own time: it is done when it stands at the next stop.
    fn wait_for_parser(&mut self) -> Result<Option<Value>, Error> {
        let mut all = json!({});
        for _ in 0..300 {
            let Some(told) = self.tab.ask("settled()", self.shared.step)? else { return Ok(None) };
            merge(&mut all, told);
            self.tab.wait_for_requests()?;
            let arrived = all["gates"].as_array().map_or(0, Vec::len);
            let passed =
                self.metas.iter().filter(|meta| matches!(meta.role, Role::Stop(..))).count();
            let stops = self.page.as_ref().map_or(0, |page| page.stops.len());
            if arrived > passed || arrived >= stops {
                break;
            }
            self.tab.pump(std::time::Instant::now() + Duration::from_millis(5))?;
        }
        Ok(Some(all))
    }

    /// The answer to a request.
    fn let_in(&mut self, common: &str, id: &str) -> Result<Option<Value>, Error> {
        let Some(request) = self.tab.requests.get(id).cloned() else {
            return Ok(Some(Value::Null));
        };
        self.tab.evaluate(&format!("{}.begin({common})", self.shared.helper), self.shared.step)?;
        self.tab.answer(&request)?;
        self.tab.wait_for_delivery(&request.id)?;
        match self.metas.last().map(|meta| &meta.role) {
            Some(Role::Stop(..)) => self.wait_for_parser(),
            _ => self.tab.ask("settled()", self.shared.step),
        }
    }

    /// What the page has registered and withdrawn.
    fn learn(&mut self, told: &Value) {
        let empty = Vec::new();
        let list = |name: &str| told[name].as_array().unwrap_or(&empty);
        for note in list("notes").iter().filter_map(Value::as_str) {
            self.tab.notes.push(note.to_owned());
        }
        for gate in list("gates").iter().filter_map(Value::as_u64) {
            self.table.gates.insert(gate as usize);
        }
        for one in list("registered") {
            self.register(one);
        }
        for id in list("withdrawn").iter().filter_map(Value::as_u64) {
            self.table.withdraw(id);
        }
        let causes = list("causes").iter().filter_map(Value::as_u64);
        self.follow(causes.map(|position| position.saturating_sub(1) as u32));
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

    fn register(&mut self, one: &Value) {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        let place = self.tab.place(text("place"));
        let name = match (text("name"), &place) {
            ("", Some(place)) => place.to_string(),
            (name, _) => name.to_owned(),
        };
        let creator =
            one["creator"].as_u64().map_or(self.steps.len() - 1, |creator| creator as usize - 1);
        let mut meta = self.meta(
            text("kind"),
            &name,
            place.map(|place| place.to_string()),
            Some(creator),
            None,
        );
        meta.delay = one["delay"].as_u64();
        meta.channel = one["channel"].as_str().map(str::to_owned);
        meta.frame = one["frame"].as_u64();
        meta.also_after =
            one["cause"].as_u64().map(|position| (position as usize).saturating_sub(1));
        meta.is_answer = text("kind") == "fetch";
        let wait = if meta.is_answer { LATENCY } else { 0 };
        let clamp = if meta.generation >= NESTED { CLAMP } else { 0 };
        meta.due = (one["due"].as_u64().unwrap_or(self.now) + wait).max(self.now + clamp);
        let id = one["id"].as_u64().unwrap_or(0);
        self.table.add(Pending { meta, release: Release::Held(id) });
    }

    /// Requests that the last event has sent and that are held now.
    fn learn_requests(&mut self) {
        for request in self.tab.requests.take_held() {
            let (kind, name, role) = self.part(&request);
            let creator = if request.by_parser { 0 } else { self.steps.len() - 1 };
            let mut meta = self.meta(kind, &name, None, Some(creator), None);
            let own = request.address.contains(&self.shared.helper);
            let stops = matches!(role, Role::Stop(..) | Role::Deferred(_) | Role::Parsed(_));
            meta.due = if stops { 0 } else { self.now + LATENCY };
            meta.delays_load = !own && request.kind != "XHR" && !request.for_worker;
            meta.is_answer = !own;
            meta.role = role;
            self.table.add(Pending { meta, release: Release::Request(request.id) });
        }
    }

    /// What a request is for.
    fn part(&self, request: &Request) -> (&'static str, String, Role) {
        let name = self.shared.server.name(&request.address);
        let page = self.page.as_ref();
        let stops = page.map_or(&[][..], |page| &page.stops);
        let addresses = |list: &[String]| -> Vec<String> {
            list.iter().map(|one| self.shared.server.resolve(one)).collect()
        };
        if let Some((_, own)) = request.address.split_once(&format!("/{}/", self.shared.helper)) {
            let number = own.strip_prefix("gate-").and_then(|number| number.parse::<usize>().ok());
            return match number {
                Some(number) if number == stops.len() => {
                    ("DOMContentLoaded", "document".to_owned(), Role::Parsed(number))
                }
                Some(number) => {
                    let stop = stops.get(number - 1);
                    let line = stop.map_or(0, |stop| stop.line);
                    let file = self.shared.server.name(&self.shared.server.address());
                    let styles = stop.map_or_else(Vec::new, |stop| addresses(&stop.styles));
                    ("parse", format!("{file}:{line}"), Role::Stop(number, styles))
                }
                None => ("load", "window".to_owned(), Role::Loaded),
            };
        }
        match request.kind.as_str() {
            "Script" => {
                let same =
                    |address: &String| self.shared.server.resolve(address) == request.address;
                let stop = stops.iter().position(|stop| stop.script.as_ref().is_some_and(same));
                let deferred = page.and_then(|page| page.deferred.iter().position(same));
                let role = match (stop, deferred) {
                    (Some(stop), _) if request.by_parser => {
                        Role::Stop(stop + 1, addresses(&stops[stop].styles))
                    }
                    (_, Some(number)) if request.by_parser => Role::Deferred(number),
                    _ => Role::Plain,
                };
                ("script", name, role)
            }
            "Stylesheet" => ("style", name, Role::Style(request.address.clone())),
            "XHR" => ("xhr", name, Role::Plain),
            _ => ("load", name, Role::Plain),
        }
    }

    /// Names an event and what its order depends on.
    fn meta(
        &mut self,
        kind: &str,
        name: &str,
        text_or_place: Option<String>,
        creator: Option<usize>,
        action: Option<usize>,
    ) -> Meta {
        let is_action = action.is_some();
        let creator_event = creator.map(|position| self.metas[position].event);
        let (text, place) = if is_action { (text_or_place, None) } else { (None, text_or_place) };
        let count = match action {
            Some(number) => number as u32,
            None => {
                let count = self
                    .counts
                    .entry((creator_event, kind.to_owned(), name.to_owned()))
                    .or_default();
                *count += 1;
                *count - 1
            }
        };
        let event = Event {
            kind: kind.to_owned(),
            name: name.to_owned(),
            text,
            place,
            creator: creator_event,
            by_user: is_action,
            hash: 0,
        };
        let number = lock(&self.shared.names).number(event, count);
        let parent = creator.map(|position| &self.metas[position]);
        let outside = |meta: &Meta| {
            meta.role != Role::Plain
                || matches!(meta.kind.as_str(), "parse" | "script" | "load" | "style")
        };
        let (generation, since) = match parent {
            Some(parent) if !outside(parent) => (parent.generation + 1, parent.since),
            _ => (0, self.now),
        };
        let of_user = |meta: &Meta| meta.by_user || matches!(meta.role, Role::Action(_));
        let by_user = parent.is_some_and(of_user);
        self.order += 1;
        Meta {
            event: number,
            by_user,
            kind: kind.to_owned(),
            creator,
            order: self.order,
            generation,
            since,
            due: self.now,
            ..Meta::default()
        }
    }

    fn now_possible(&self) -> Vec<u32> {
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
        self.cut.push(message);
        if let Some(told) = self.tab.ask("settled()", self.shared.step)? {
            self.learn(&told);
        }
        Ok(())
    }

    fn words(&self, event: u32) -> String {
        let names = lock(&self.shared.names);
        let event = names.event(event);
        format!("{} {}", event.kind, event.name).trim().to_owned()
    }

    fn say_what_is_endless(&mut self) {
        let endless: Vec<u32> = self
            .table
            .all()
            .iter()
            .filter(|one| one.is_endless(self.now))
            .map(|one| one.meta.event)
            .collect();
        for event in endless {
            let words = self.words(event);
            self.cut.push(format!("{words} goes on without end"));
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
            self.tab.notes.push(format!(
                "{} {} did not happen: there is no such element",
                action.kind,
                action.name()
            ));
        }
    }

    fn end(mut self, initially: Vec<u32>, skipped: Vec<u32>) -> Result<Recording, Error> {
        let limit = self.shared.step;
        let state = self
            .tab
            .ask(&format!("finalState({})", json!(self.shared.asserts)), limit)?
            .unwrap_or(Value::Null);
        let accesses = self.tab.ask("accesses()", limit)?.unwrap_or(Value::Null);
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
        let mut requests = std::mem::take(&mut self.tab.sent);
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
            cut: self.cut,
            notes,
        })
    }
}

fn queued((position, meta): (usize, &Meta)) -> Option<Queued> {
    let frames = meta.frame.map(|_| "frames".to_owned());
    let queue = meta.channel.clone().or(frames)?;
    Some(Queued { queue, position, creator: meta.creator? })
}

fn merge(all: &mut Value, told: Value) {
    let Value::Object(told) = told else { return };
    for (name, value) in told {
        match (&mut all[&name], value) {
            (Value::Array(list), Value::Array(more)) if name != "gates" => list.extend(more),
            (old, value) => *old = value,
        }
    }
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

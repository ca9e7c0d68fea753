//! Callbacks and requests that an event has left behind: their names, and what their order depends on.

use super::driver::Driver;
use super::lock;
use super::order::Role;
use super::pending::{Meta, Pending, Release};
use super::requests::Request;
use crate::trace::Event;
use serde_json::Value;

/// What an answer takes, in milliseconds of the page's time.
const LATENCY: u64 = 10;
/// From this generation on browsers delay timers, …
const NESTED: u32 = 5;
/// … by so many milliseconds.
const CLAMP: u64 = 4;

impl Driver<'_> {
    pub(super) fn register(&mut self, one: &Value) {
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
        meta.thread = one["thread"].as_u64();
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
    pub(super) fn learn_requests(&mut self) {
        let mut held = self.tab.requests.take_held();
        // The page's requests are told in their order; those of workers come from another process, at any time.
        held.sort_by_cached_key(|one| one.for_worker.then(|| one.address.clone()));
        for request in held {
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
    pub(super) fn part(&self, request: &Request) -> (&'static str, String, Role) {
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
                    _ if self.is_written(&request.address) => Role::Written(self.passed()),
                    _ => Role::Plain,
                };
                ("script", name, role)
            }
            "Stylesheet" => ("style", name, Role::Style(request.address.clone())),
            "XHR" => ("xhr", name, Role::Plain),
            _ => ("load", name, Role::Plain),
        }
    }

    /// Was a script with this address written into the page?
    pub(super) fn is_written(&self, address: &str) -> bool {
        self.written.iter().any(|written| written == address)
    }

    /// How many stops the parser has passed.
    pub(super) fn passed(&self) -> usize {
        self.metas.iter().filter(|meta| matches!(meta.role, Role::Stop(..))).count()
    }

    /// Names an event and what its order depends on.
    pub(super) fn meta(
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
}

//! The page and its answers, let in; the parser goes on in its own time.

use super::driver::Driver;
use super::lock;
use super::order::Role;
use crate::error::Error;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

impl Driver<'_> {
    /// The page itself: its answer, and what the parser does up to the first stop.
    pub(super) fn open_page(&mut self, common: &str) -> Result<Option<Value>, Error> {
        let request = loop {
            self.tab.wait_for_requests()?;
            if let Some(request) =
                self.tab.requests.take_held().into_iter().find(|request| request.kind == "Document")
            {
                break request;
            }
            if !self.tab.pump(Instant::now() + Duration::from_secs(10))? {
                return Err(Error::NotLoaded(
                    self.shared.server.address(),
                    "the browser does not ask for it".to_owned(),
                ));
            }
        };
        self.tab.answer(&request)?;
        // A script that does not end keeps the page from being over; it is found below.
        self.tab.wait_for_delivery(&request.id)?;
        self.page = lock(&self.shared.pages).values().next().cloned();
        let ready = format!("typeof {}==='object'", self.shared.helper);
        for _ in 0..500 {
            match self.tab.evaluate(&ready, self.shared.step) {
                Ok(Some(Value::Bool(true))) => break,
                // A script of the page does not end.
                Ok(None) => return Ok(None),
                // The page is not there yet.
                _ => drop(self.tab.pump(Instant::now() + Duration::from_millis(10))?),
            }
        }
        self.tab.evaluate(&format!("{}.begin({common})", self.shared.helper), self.shared.step)?;
        self.wait_for_parser()
    }

    /// The parser works in its own time: it is done when it stands at the next stop.
    pub(super) fn wait_for_parser(&mut self) -> Result<Option<Value>, Error> {
        let mut all = json!({});
        for _ in 0..300 {
            let Some(told) = self.tab.ask("settled()", self.shared.step)? else { return Ok(None) };
            merge(&mut all, told);
            self.tab.wait_for_requests()?;
            let arrived = all["gates"].as_array().map_or(0, Vec::len);
            let stops = self.page.as_ref().map_or(0, |page| page.stops.len());
            self.note_written(&all);
            if arrived > self.passed() || arrived >= stops || self.is_parser_held() {
                break;
            }
            self.tab.pump(Instant::now() + Duration::from_millis(5))?;
        }
        Ok(Some(all))
    }

    /// Does the parser stand at something whose answer is held, before its next stop: a script that was written into the
    /// page, or a stylesheet in the body?
    fn is_parser_held(&self) -> bool {
        let next = self.page.as_ref().and_then(|page| page.stops.get(self.passed()));
        let styles = next.map_or(&[][..], |stop| &stop.body_styles);
        self.tab.requests.held().any(|request| match request.kind.as_str() {
            "Script" => self.is_written(&request.address),
            "Stylesheet" => {
                styles.iter().any(|style| self.shared.server.resolve(style) == request.address)
            }
            _ => false,
        })
    }

    pub(super) fn note_written(&mut self, told: &Value) {
        let addresses = told["writtenScripts"].as_array().into_iter().flatten();
        self.written = addresses.filter_map(|one| Some(one.as_str()?.to_owned())).collect();
    }

    /// The answer to a request.
    pub(super) fn let_in(&mut self, common: &str, id: &str) -> Result<Option<Value>, Error> {
        let Some(request) = self.tab.requests.get(id).cloned() else {
            return Ok(Some(Value::Null));
        };
        self.tab.evaluate(&format!("{}.begin({common})", self.shared.helper), self.shared.step)?;
        self.tab.answer(&request)?;
        self.tab.wait_for_delivery_or_cut(&request)?;
        match self.metas.last().map(|meta| &meta.role) {
            Some(Role::Stop(..) | Role::Written(_)) => self.wait_for_parser(),
            Some(Role::Style(_)) if request.by_parser => self.wait_for_parser(),
            _ => self.tab.ask("settled()", self.shared.step),
        }
    }
}

fn merge(all: &mut Value, told: Value) {
    let Value::Object(told) = told else { return };
    for (name, value) in told {
        match (&mut all[&name], value) {
            (Value::Array(list), Value::Array(more)) if !is_whole(&name) => list.extend(more),
            (old, value) => *old = value,
        }
    }
}

/// Of some things the page always tells all.
fn is_whole(name: &str) -> bool {
    matches!(name, "gates" | "writtenScripts")
}

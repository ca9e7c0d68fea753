//! The page and its answers, let in; the parser goes on in its own time.

use super::driver::Driver;
use super::lock;
use super::order::Role;
use crate::error::Error;
use serde_json::{Value, json};
use std::time::Duration;

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
    pub(super) fn wait_for_parser(&mut self) -> Result<Option<Value>, Error> {
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
    pub(super) fn let_in(&mut self, common: &str, id: &str) -> Result<Option<Value>, Error> {
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

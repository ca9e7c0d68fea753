//! The page's workers: attached as they start, answered at once, and waited for.
//!
//! What a worker does belongs to the event that gave it something to do; its messages to the page and its timers are held there.

use super::requests::{self, Request};
use super::tab::Tab;
use crate::error::Error;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A worker that asks for something goes on when it is answered; so often it is waited for again.
const ROUNDS: usize = 20;

/// The workers of a tab.
#[derive(Default)]
pub struct Workers {
    sessions: Vec<String>,
    /// Has one of them asked for something since the last look?
    asked: bool,
}

impl Workers {
    /// Is this the session of a worker?
    pub fn has(&self, session: &str) -> bool {
        self.sessions.iter().any(|known| known == session)
    }
}

impl Tab<'_> {
    /// Something that waits for us has started: a worker, or a frame.
    pub(super) fn on_attached(&mut self, params: &Value) -> Result<(), Error> {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        if params["targetInfo"]["type"] == "worker" {
            self.send_to(&session, "Runtime.enable", &json!({}))?;
            self.send_to(&session, "Network.enable", &json!({}))?;
            let source = crate::scheduler::worker_source(&self.shared.helper);
            self.send_to(&session, "Runtime.evaluate", &json!({"expression": source}))?;
            self.workers.sessions.push(session.clone());
            // A worker has the number of the request for its script.
            let number = params["targetInfo"]["targetId"].as_str().unwrap_or_default();
            self.requests.finished(number);
        }
        self.send_to(&session, "Runtime.runIfWaitingForDebugger", &json!({}))?;
        Ok(())
    }

    /// A worker has ended.
    pub(super) fn on_detached(&mut self, params: &Value) {
        self.workers.sessions.retain(|session| params["sessionId"] != session.as_str());
    }

    /// What the browser tells of a worker.
    pub(super) fn on_worker(&mut self, method: &str, params: &Value) -> Result<(), Error> {
        match method {
            "Runtime.exceptionThrown" => self.on_exception(&params["exceptionDetails"]),
            "Network.requestWillBeSent" => self.on_sent_by_worker(params)?,
            _ => {}
        }
        Ok(())
    }

    /// The browser holds it with the requests of the page. Scripts of workers are not rewritten: they share no variables with the page.
    fn on_sent_by_worker(&mut self, params: &Value) -> Result<(), Error> {
        let Some(request) = requests::read(params, &self.target, &self.shared.helper) else {
            return Ok(());
        };
        // The script of the worker itself is told of in the page, too.
        if self.requests.get(&request.id).is_some() {
            return Ok(());
        }
        self.workers.asked = true;
        self.sent(Request { of_worker: true, for_worker: false, in_page: false, ..request })
    }

    /// What a worker has done is told before it answers.
    fn hear_workers(&mut self, limit: Duration) -> Result<(), Error> {
        for session in self.workers.sessions.clone() {
            let id = self.send_to(&session, "Runtime.evaluate", &json!({"expression": "0"}))?;
            // One that has ended does not answer.
            let is_here = |tab: &Self| tab.workers.has(&session) && !tab.answers.contains_key(&id);
            let deadline = Instant::now() + limit;
            while is_here(self) && self.pump(deadline)? {}
            self.answers.remove(&id);
        }
        Ok(())
    }

    /// Waits until no worker has anything to do, and gives what the page has registered meanwhile.
    pub fn settle_workers(&mut self, limit: Duration) -> Result<Vec<Value>, Error> {
        let mut told = Vec::new();
        for _ in 0..ROUNDS {
            self.workers.asked = false;
            let number = self.workers.sessions.len();
            if number == 0 {
                break;
            }
            told.extend(self.ask(&format!("settledWithWorkers({number})"), limit)?);
            self.hear_workers(limit)?;
            if !self.workers.asked {
                break;
            }
        }
        Ok(told)
    }
}

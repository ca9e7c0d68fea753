//! The page's workers: attached as they start, answered at once, and waited for.
//!
//! What a worker does belongs to the event that gave it something to do; its messages to the page and its timers are held there.

use super::requests::Request;
use super::tab::Tab;
use crate::error::Error;
use crate::server::Decision;
use serde_json::{Value, json};
use std::time::Duration;

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
            let everything = json!({"patterns": [{"urlPattern": "*", "requestStage": "Request"}]});
            self.send_to(&session, "Runtime.enable", &json!({}))?;
            self.send_to(&session, "Fetch.enable", &everything)?;
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
    pub(super) fn on_worker(
        &mut self,
        session: &str,
        method: &str,
        params: &Value,
    ) -> Result<(), Error> {
        match method {
            "Runtime.exceptionThrown" => self.on_exception(&params["exceptionDetails"]),
            "Fetch.requestPaused" => self.answer_worker(session, params)?,
            _ => {}
        }
        Ok(())
    }

    /// Scripts of workers are not rewritten: they share no variables with the page.
    fn answer_worker(&mut self, session: &str, params: &Value) -> Result<(), Error> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.workers.asked = true;
        let id = text(&params["requestId"]);
        let request = Request {
            id: id.clone(),
            address: text(&params["request"]["url"]),
            method: text(&params["request"]["method"]),
            body: text(&params["request"]["postData"]),
            kind: text(&params["resourceType"]),
            ..Request::default()
        };
        let key = self.requests.key(&request);
        match self.decide(&key) {
            Decision::Answer(answer) => self.fulfil_in(session, &id, &answer),
            Decision::Ask => {
                self.send_to(session, "Fetch.continueRequest", &json!({"requestId": id})).map(drop)
            }
            Decision::Refuse => {
                self.refused(&request.address);
                let refusal = json!({"requestId": id, "errorReason": "BlockedByClient"});
                self.send_to(session, "Fetch.failRequest", &refusal).map(drop)
            }
        }
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
            if !self.workers.asked {
                break;
            }
        }
        Ok(told)
    }
}

//! A fresh tab in a context of its own, and what the browser tells of it.

use super::answers::Waiting;
use super::end::Exception;
use super::requests::{self, Request, Requests};
use super::workers::Workers;
use super::{Shared, lock};
use crate::browser::{Connection, Message};
use crate::error::Error;
use crate::rewrite::Place;
use crate::server::{Decision, RequestKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long the browser may take for a command of its own.
const COMMAND: Duration = Duration::from_secs(30);
/// How long a request that was sent may take to arrive at us, and an answer to arrive at the page.
const DELIVERY: Duration = Duration::from_secs(5);

/// How often is looked whether to stop.
const LOOK: Duration = Duration::from_millis(100);

/// The size of the window.
const SIZE: (u32, u32) = (1024, 768);

/// A tab. Its context ends with it.
pub struct Tab<'s> {
    pub(super) shared: &'s Shared,
    pub(super) connection: &'s mut Connection,
    pub(super) context: String,
    pub(super) target: String,
    pub(super) session: String,
    /// Its requests.
    pub requests: Requests,
    pub(super) workers: Workers,
    /// Uncaught exceptions so far.
    pub exceptions: Vec<Exception>,
    /// Errors on the console so far.
    pub console: Vec<String>,
    /// What was said to servers so far, as text.
    pub said: Vec<String>,
    /// What people should know.
    pub notes: Vec<String>,
    /// What was given up.
    pub cut: Vec<String>,
    /// The position of the event that happens.
    pub position: usize,
    pub(super) answers: HashMap<u64, Result<Value, String>>,
    /// Requests to a local server whose answers we wait for, by interception.
    pub(super) asked: HashMap<String, (Request, RequestKey)>,
    /// Answers of a local server whose bodies we wait for, by command.
    pub(super) bodies: HashMap<u64, Waiting>,
    pub(super) navigated: bool,
    pub(super) crashed: bool,
}

impl<'s> Tab<'s> {
    /// Opens one and prepares it. Nothing is loaded yet.
    pub fn open(shared: &'s Shared, connection: &'s mut Connection) -> Result<Tab<'s>, Error> {
        let mut tab = Tab {
            shared,
            connection,
            context: String::new(),
            target: String::new(),
            session: String::new(),
            requests: Requests::default(),
            workers: Workers::default(),
            exceptions: Vec::new(),
            console: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            cut: Vec::new(),
            position: 0,
            answers: HashMap::new(),
            asked: HashMap::new(),
            bodies: HashMap::new(),
            navigated: false,
            crashed: false,
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let context = tab.call("Target.createBrowserContext", json!({"disposeOnDetach": true}))?;
        tab.context = text(&context["browserContextId"]);
        let target = tab.call(
            "Target.createTarget",
            json!({"url": "about:blank", "browserContextId": tab.context, "width": SIZE.0, "height": SIZE.1}),
        )?;
        tab.target = text(&target["targetId"]);
        let session =
            tab.call("Target.attachToTarget", json!({"targetId": tab.target, "flatten": true}))?;
        tab.session = text(&session["sessionId"]);
        let source = crate::scheduler::source(
            &shared.helper,
            shared.server.origin(),
            shared.server.is_live(),
        );
        let commands = [
            ("Page.enable", json!({})),
            ("Inspector.enable", json!({})),
            ("Runtime.enable", json!({})),
            ("Network.enable", json!({})),
            ("Network.setCacheDisabled", json!({"cacheDisabled": true})),
            ("Fetch.enable", json!({"patterns": [{"urlPattern": "*", "requestStage": "Request"}]})),
            ("Emulation.setFocusEmulationEnabled", json!({"enabled": true})),
            (
                "Emulation.setDeviceMetricsOverride",
                json!({"width": SIZE.0, "height": SIZE.1, "deviceScaleFactor": 1, "mobile": false}),
            ),
            (
                "Target.setAutoAttach",
                json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}),
            ),
            ("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})),
        ];
        let mut last = 0;
        for (method, params) in &commands {
            last = tab.send(method, params)?;
        }
        tab.answer_to(last, "Page.addScriptToEvaluateOnNewDocument", Instant::now() + COMMAND)?;
        Ok(tab)
    }

    /// Begins to load the page.
    pub fn navigate(&mut self) -> Result<(), Error> {
        let address = self.shared.server.address();
        self.send("Page.navigate", &json!({"url": address}))?;
        Ok(())
    }

    pub(super) fn send(&mut self, method: &str, params: &Value) -> Result<u64, Error> {
        let session = self.session.clone();
        self.connection.send(&session, method, params)
    }

    /// Sends a command to another session: a worker's.
    pub(super) fn send_to(
        &mut self,
        session: &str,
        method: &str,
        params: &Value,
    ) -> Result<u64, Error> {
        self.connection.send(session, method, params)
    }

    pub(super) fn decide(&self, key: &RequestKey) -> Decision {
        self.shared.server.decide(key)
    }

    pub(super) fn refused(&mut self, address: &str) {
        self.notes.push(format!("a request to another machine was refused: {address}"));
    }

    fn call(&mut self, method: &str, params: Value) -> Result<Value, Error> {
        let id = self.send(method, &params)?;
        self.answer_to(id, method, Instant::now() + COMMAND)?.ok_or_else(|| Error::Refused {
            method: method.to_owned(),
            why: "no answer".to_owned(),
        })
    }

    /// The answer to a command; none if it does not come in time.
    fn answer_to(
        &mut self,
        id: u64,
        method: &str,
        deadline: Instant,
    ) -> Result<Option<Value>, Error> {
        loop {
            if let Some(result) = self.answers.remove(&id) {
                return match result {
                    Ok(value) => Ok(Some(value)),
                    Err(why) => Err(Error::Refused { method: method.to_owned(), why }),
                };
            }
            if !self.pump(deadline)? {
                return Ok(None);
            }
        }
    }

    /// The next message, unless the time is up or everything has been told to stop.
    fn receive(&mut self, deadline: Instant) -> Result<Option<Message>, Error> {
        loop {
            if self.shared.is_stopped.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let next_look = deadline.min(Instant::now() + LOOK);
            let message = self.connection.receive(next_look)?;
            if message.is_some() || next_look == deadline {
                return Ok(message);
            }
        }
    }

    /// Handles one message of the browser. False if none came in time.
    pub fn pump(&mut self, deadline: Instant) -> Result<bool, Error> {
        match self.receive(deadline)? {
            None => Ok(false),
            Some(Message::Answer { id, result }) => {
                match self.bodies.remove(&id) {
                    Some(waiting) => self.got_body(waiting, result)?,
                    None => drop(self.answers.insert(id, result)),
                }
                Ok(true)
            }
            Some(Message::Event { method, params, session }) => {
                if session == self.session {
                    self.on_event(&method, &params)?;
                } else if self.workers.has(&session) {
                    self.on_worker(&method, &params)?;
                }
                if self.crashed {
                    return Err(Error::Crashed("its start".to_owned()));
                }
                Ok(true)
            }
        }
    }

    fn on_event(&mut self, method: &str, params: &Value) -> Result<(), Error> {
        match method {
            "Network.requestWillBeSent" => self.on_sent(params)?,
            "Fetch.requestPaused" => self.on_paused(params)?,
            "Network.loadingFinished"
            | "Network.loadingFailed"
            | "Network.requestServedFromCache" => {
                self.requests.finished(params["requestId"].as_str().unwrap_or_default());
            }
            "Runtime.exceptionThrown" => self.on_exception(&params["exceptionDetails"]),
            "Runtime.consoleAPICalled"
                if params["type"] == "error" || params["type"] == "assert" =>
            {
                self.console.push(words(&params["args"]));
            }
            "Page.javascriptDialogOpening" => {
                self.notes.push(format!(
                    "a dialogue was closed: {}",
                    params["message"].as_str().unwrap_or_default()
                ));
                self.send("Page.handleJavaScriptDialog", &json!({"accept": true}))?;
            }
            "Page.windowOpen" => {
                let name = self.shared.server.name(params["url"].as_str().unwrap_or_default());
                self.notes
                    .push(format!("the page opens a window for {name}, which is not followed"));
            }
            "Inspector.targetCrashed" => self.crashed = true,
            "Target.attachedToTarget" => self.on_attached(params)?,
            "Target.detachedFromTarget" => self.on_detached(params),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn is_own(&self, address: &str) -> bool {
        address.contains(&format!("/{}/", self.shared.helper))
    }

    fn on_sent(&mut self, params: &Value) -> Result<(), Error> {
        let Some(request) = requests::read(params, &self.target, &self.shared.helper) else {
            return Ok(());
        };
        if self.is_own(&request.address) && request.address.contains("/rewrite?") {
            return Ok(());
        }
        self.sent(request)
    }

    /// A request of the page, or of one of its workers.
    pub(super) fn sent(&mut self, request: Request) -> Result<(), Error> {
        if !self.is_own(&request.address) && request.tells_a_server() {
            let body =
                if request.body.is_empty() { String::new() } else { format!(" {}", request.body) };
            self.said.push(format!(
                "{} {}{body}",
                request.method,
                self.shared.server.name(&request.address)
            ));
        }
        let id = request.id.clone();
        self.requests.sent(request);
        self.answer_at_once(&id)
    }

    pub(super) fn on_exception(&mut self, details: &Value) {
        let description = details["exception"]["description"]
            .as_str()
            .or_else(|| details["exception"]["value"].as_str());
        let text = details["text"].as_str().unwrap_or("Uncaught");
        let first = description.and_then(|description| description.lines().next());
        let message = match first {
            Some(first) => format!("{text} {first}"),
            None => text.to_owned(),
        };
        let frames = details["stackTrace"]["callFrames"].as_array();
        let frame = frames.and_then(|frames| {
            frames.iter().find(|frame| {
                !frame["url"].as_str().unwrap_or_default().contains(&self.shared.helper)
            })
        });
        let at = frame.unwrap_or(details);
        let number = |value: &Value| value.as_u64().unwrap_or(0) as u32 + 1;
        let place = at["url"].as_str().filter(|url| !url.is_empty()).map(|url| {
            lock(&self.shared.sources).original(
                &self.shared.server.name(url),
                number(&at["lineNumber"]),
                number(&at["columnNumber"]),
            )
        });
        let message = message.replace(&self.shared.helper, "");
        self.exceptions.push(Exception { message, place, position: self.position });
    }

    /// Evaluates an expression of ours in the page. `None` if it does not end in time: then it is stopped.
    pub fn evaluate(&mut self, expression: &str, limit: Duration) -> Result<Option<Value>, Error> {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let id = self.send("Runtime.evaluate", &params)?;
        let Some(mut answer) = self.answer_to(id, "Runtime.evaluate", Instant::now() + limit)?
        else {
            self.send("Runtime.terminateExecution", &json!({}))?;
            return Ok(None);
        };
        if let Some(details) = answer.get("exceptionDetails") {
            let why = details["exception"]["description"].as_str().or(details["text"].as_str());
            let why = why.unwrap_or("it threw").to_owned();
            return Err(Error::Refused { method: "Runtime.evaluate".to_owned(), why });
        }
        Ok(Some(answer["result"]["value"].take()))
    }

    /// Calls a function of the injected script, whose answer is JSON text.
    pub fn ask(&mut self, call: &str, limit: Duration) -> Result<Option<Value>, Error> {
        let expression = format!("{}.{call}", self.shared.helper);
        let Some(answer) = self.evaluate(&expression, limit)? else { return Ok(None) };
        let text = answer.as_str().unwrap_or("null");
        Ok(Some(serde_json::from_str(text).unwrap_or(Value::Null)))
    }

    /// Waits until the browser has told of the scripts of all workers. It asks for them in its own time.
    pub fn wait_for_worker_scripts(&mut self, started: usize) -> Result<(), Error> {
        let deadline = Instant::now() + DELIVERY;
        while self.requests.worker_scripts() < started && self.pump(deadline)? {}
        self.wait_for_requests()
    }

    /// Waits until the browser has told of every request that was sent.
    pub fn wait_for_requests(&mut self) -> Result<(), Error> {
        let deadline = Instant::now() + DELIVERY;
        while self.requests.are_expected() && self.pump(deadline)? {}
        Ok(())
    }

    /// Waits until an answer has arrived in the page. False if it does not come in time.
    pub fn wait_for_delivery(&mut self, request: &str) -> Result<bool, Error> {
        let deadline = Instant::now() + DELIVERY;
        while !self.requests.is_over(request) && self.pump(deadline)? {}
        Ok(self.requests.is_over(request))
    }

    /// The same. One that does not come is given up.
    pub fn wait_for_delivery_or_cut(&mut self, request: &Request) -> Result<(), Error> {
        if !self.wait_for_delivery(&request.id)? {
            self.requests.finished(&request.id);
            let name = self.shared.server.name(&request.address);
            let limit = DELIVERY.as_secs();
            self.cut.push(format!("{name} did not arrive within {limit} s and was not waited for"));
        }
        Ok(())
    }

    /// Waits until all scripts that are imported have arrived, and gives what the page has registered meanwhile. A module runs when
    /// all that it imports has come, in the browser's own time; the event that it belongs to is not over before that.
    pub fn settle_imports(&mut self, limit: Duration) -> Result<Vec<Value>, Error> {
        let mut told = Vec::new();
        while let Some(request) = self.requests.import_under_way().cloned() {
            self.wait_for_delivery_or_cut(&request)?;
            if self.requests.import_under_way().is_none() {
                told.extend(self.ask("settled()", limit)?);
                self.wait_for_requests()?;
            }
        }
        Ok(told)
    }

    /// What the page looks like.
    pub fn picture(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let params = json!({"format": "png", "optimizeForSpeed": true});
        let id = self.send("Page.captureScreenshot", &params)?;
        let answer = self.answer_to(id, "Page.captureScreenshot", Instant::now() + COMMAND);
        let picture = answer.ok().flatten();
        Ok(picture.and_then(|picture| STANDARD.decode(picture["data"].as_str()?).ok()))
    }

    /// A place that the browser names, in the original.
    pub fn place(&self, text: &str) -> Option<Place> {
        let mut parts = text.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let name = self.shared.server.name(parts.next()?);
        Some(lock(&self.shared.sources).original(&name, line, column))
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        // Nobody waits for it: a browser that is gone has no contexts left, and the context also ends with the connection.
        let context = json!({"browserContextId": self.context});
        let _ = self.connection.send("", "Target.disposeBrowserContext", &context);
    }
}

fn words(values: &Value) -> String {
    let empty = Vec::new();
    let values = values.as_array().unwrap_or(&empty);
    let word = |value: &Value| match &value["value"] {
        Value::Null => value["description"]
            .as_str()
            .unwrap_or_default()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    values.iter().map(word).collect::<Vec<_>>().join(" ")
}

//! A fresh tab in a context of its own, and what the browser tells of it.

use super::end::Exception;
use super::requests::{self, Paused, Request, Requests};
use super::workers::Workers;
use super::{Shared, lock};
use crate::browser::{Connection, Message};
use crate::error::Error;
use crate::rewrite::{Edits, Goal, Place, script};
use crate::server::{Answer, Decision, RequestKey};
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

/// An answer of a local server whose body is still to come.
struct Waiting {
    interception: String,
    request: Request,
    key: RequestKey,
    status: u16,
    headers: Vec<(String, String)>,
}

/// A tab. Its context ends with it.
pub struct Tab<'s> {
    shared: &'s Shared,
    connection: &'s mut Connection,
    context: String,
    target: String,
    session: String,
    /// Its requests.
    pub requests: Requests,
    pub(super) workers: Workers,
    /// Uncaught exceptions so far.
    pub exceptions: Vec<Exception>,
    /// Errors on the console so far.
    pub console: Vec<String>,
    /// What was said to servers so far, as text.
    pub sent: Vec<String>,
    /// What people should know.
    pub notes: Vec<String>,
    /// The position of the event that happens.
    pub position: usize,
    answers: HashMap<u64, Result<Value, String>>,
    /// Requests to a local server whose answers we wait for, by interception.
    asked: HashMap<String, (Request, RequestKey)>,
    /// Answers of a local server whose bodies we wait for, by command.
    bodies: HashMap<u64, Waiting>,
    navigated: bool,
    crashed: bool,
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
            sent: Vec::new(),
            notes: Vec::new(),
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

    fn send(&mut self, method: &str, params: &Value) -> Result<u64, Error> {
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

    pub(super) fn helper(&self) -> &str {
        &self.shared.helper
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
                    self.on_worker(&session, &method, &params)?;
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
            "Inspector.targetCrashed" => self.crashed = true,
            "Target.attachedToTarget" => self.on_attached(params)?,
            "Target.detachedFromTarget" => self.on_detached(params),
            _ => {}
        }
        Ok(())
    }

    fn is_own(&self, address: &str) -> bool {
        address.contains(&format!("/{}/", self.shared.helper))
    }

    fn on_sent(&mut self, params: &Value) -> Result<(), Error> {
        let Some(request) = requests::read(params, &self.target, &self.shared.helper) else {
            return Ok(());
        };
        if self.is_own(&request.address) && request.address.contains("/rewrite?") {
            return Ok(());
        }
        if !self.is_own(&request.address) && request.tells_a_server() {
            let body =
                if request.body.is_empty() { String::new() } else { format!(" {}", request.body) };
            self.sent.push(format!(
                "{} {}{body}",
                request.method,
                self.shared.server.name(&request.address)
            ));
        }
        let id = request.id.clone();
        self.requests.sent(request);
        self.answer_at_once(&id)
    }

    fn on_paused(&mut self, params: &Value) -> Result<(), Error> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = text(&params["requestId"]);
        let address = text(&params["request"]["url"]);
        if let Some((request, key)) = self.asked.remove(&id) {
            return self.on_asked(id, request, key, params);
        }
        if self.is_own(&address) && address.contains("/rewrite?") {
            let code = text(&params["request"]["postData"]);
            return self.rewrite_now(&id, &address, &code);
        }
        let network = params["networkId"].as_str().unwrap_or(&id).to_owned();
        let kind = text(&params["resourceType"]);
        let in_page = params["frameId"] == self.target.as_str();
        if kind == "Document" && in_page {
            if self.navigated {
                let name = self.shared.server.name(&address);
                self.notes.push(format!("the page navigates to {name}, which is not followed"));
                self.requests.finished(&network);
                self.send(
                    "Fetch.failRequest",
                    &json!({"requestId": id, "errorReason": "Aborted"}),
                )?;
                return Ok(());
            }
            self.navigated = true;
        }
        let at_once = !params["request"]["headers"][&self.shared.helper].is_null()
            || !params["request"]["headers"][self.shared.helper.to_lowercase()].is_null();
        let request = Request {
            id: network.clone(),
            address,
            method: text(&params["request"]["method"]),
            body: text(&params["request"]["postData"]),
            kind,
            in_page,
            ..Request::default()
        };
        self.requests.paused(&network, Paused { id, at_once, request });
        self.answer_at_once(&network)
    }

    fn answer_at_once(&mut self, network: &str) -> Result<(), Error> {
        match self.requests.to_answer_at_once(network) {
            Some(request) => self.answer(&request),
            None => Ok(()),
        }
    }

    /// Lets the answer to a held request go.
    pub fn answer(&mut self, request: &Request) -> Result<(), Error> {
        let Some(paused) = self.requests.take_paused(&request.id) else { return Ok(()) };
        if self.is_own(&request.address) {
            let answer = own_answer(&request.address);
            return self.fulfil(&paused.id, &answer);
        }
        let key = self.requests.key(request);
        match self.decide(&key) {
            Decision::Answer(answer) => {
                if answer.status == 404 && !request.address.ends_with("/favicon.ico") {
                    self.notes.push(format!(
                        "{} was not found (404)",
                        self.shared.server.name(&request.address)
                    ));
                }
                let answer = self.prepared(request, answer)?;
                self.fulfil(&paused.id, &answer)
            }
            Decision::Ask => {
                self.asked.insert(paused.id.clone(), (request.clone(), key));
                self.send(
                    "Fetch.continueRequest",
                    &json!({"requestId": paused.id, "interceptResponse": true}),
                )?;
                Ok(())
            }
            Decision::Refuse => {
                self.refused(&request.address);
                self.send(
                    "Fetch.failRequest",
                    &json!({"requestId": paused.id, "errorReason": "BlockedByClient"}),
                )?;
                Ok(())
            }
        }
    }

    /// A local server has answered.
    fn on_asked(
        &mut self,
        id: String,
        request: Request,
        key: RequestKey,
        params: &Value,
    ) -> Result<(), Error> {
        let Some(status) = params["responseStatusCode"].as_u64() else {
            self.notes
                .push(format!("{} was not answered", self.shared.server.name(&request.address)));
            self.send("Fetch.continueRequest", &json!({"requestId": id}))?;
            return Ok(());
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let empty = Vec::new();
        let headers = params["responseHeaders"].as_array().unwrap_or(&empty);
        let headers: Vec<_> = headers
            .iter()
            .map(|header| (text(&header["name"]), text(&header["value"])))
            // The body comes unpacked and may be longer than it was.
            .filter(|(name, _)| {
                !matches!(
                    name.to_ascii_lowercase().as_str(),
                    "content-encoding" | "content-length" | "transfer-encoding"
                )
            })
            .collect();
        // A stream has no end to wait for, and a redirection has no body.
        let stream = headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("content-type") && value.contains("event-stream")
        });
        if stream || (300..400).contains(&status) {
            self.send("Fetch.continueRequest", &json!({"requestId": id}))?;
            return Ok(());
        }
        let command = self.send("Fetch.getResponseBody", &json!({"requestId": id}))?;
        let status = status as u16;
        self.bodies.insert(command, Waiting { interception: id, request, key, status, headers });
        Ok(())
    }

    fn got_body(&mut self, waiting: Waiting, result: Result<Value, String>) -> Result<(), Error> {
        let body = result.unwrap_or(Value::Null);
        let text = body["body"].as_str().unwrap_or_default();
        let bytes = match body["base64Encoded"] == true {
            true => STANDARD.decode(text).unwrap_or_default(),
            false => text.as_bytes().to_vec(),
        };
        let answer =
            Answer { status: waiting.status, headers: waiting.headers, body: bytes.into() };
        self.shared.server.remember(waiting.key, answer.clone());
        let answer = self.prepared(&waiting.request, answer)?;
        self.fulfil(&waiting.interception, &answer)
    }

    /// Pages and scripts are rewritten on their way.
    fn prepared(&mut self, request: &Request, answer: Answer) -> Result<Answer, Error> {
        if !request.in_page || request.for_worker || answer.status >= 400 {
            return Ok(answer);
        }
        let name = self.shared.server.name(&request.address);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let rewritten = match request.kind.as_str() {
            "Document" => {
                let page = self.page(&name, &text);
                page.text
            }
            "Script" => rewrite_script(self.shared, &name, &text),
            _ => return Ok(answer),
        };
        Ok(Answer { body: rewritten.into_bytes().into(), ..answer })
    }

    /// The page, rewritten once for all.
    fn page(&mut self, name: &str, text: &str) -> crate::rewrite::Page {
        let mut pages = lock(&self.shared.pages);
        pages
            .entry(text.to_owned())
            .or_insert_with(|| {
                crate::rewrite::page(
                    name,
                    text,
                    &self.shared.helper,
                    &mut lock(&self.shared.sources),
                )
            })
            .clone()
    }

    /// `eval` and its like: the page waits for the answer.
    fn rewrite_now(&mut self, id: &str, address: &str, code: &str) -> Result<(), Error> {
        let goal = match address.rsplit_once('?') {
            Some((_, "function")) => Goal::Function,
            Some((_, "module")) => Goal::Module,
            _ => Goal::Script,
        };
        let text = rewrite_text(self.shared, "(code in a string)", code, &[goal]);
        self.fulfil(id, &Answer::new(200, "text/plain; charset=utf-8", text))
    }

    fn fulfil(&mut self, id: &str, answer: &Answer) -> Result<(), Error> {
        let session = self.session.clone();
        self.fulfil_in(&session, id, answer)
    }

    pub(super) fn fulfil_in(
        &mut self,
        session: &str,
        id: &str,
        answer: &Answer,
    ) -> Result<(), Error> {
        let headers: Vec<_> = answer
            .headers
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        let body = STANDARD.encode(&answer.body);
        let params = json!({"requestId": id, "responseCode": answer.status, "responseHeaders": headers, "body": body});
        self.send_to(session, "Fetch.fulfillRequest", &params)?;
        Ok(())
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

    /// Waits until the browser has told of every request that was sent.
    pub fn wait_for_requests(&mut self) -> Result<(), Error> {
        let deadline = Instant::now() + DELIVERY;
        while self.requests.are_expected() && self.pump(deadline)? {}
        Ok(())
    }

    /// Waits until an answer has arrived in the page.
    pub fn wait_for_delivery(&mut self, request: &str) -> Result<(), Error> {
        let deadline = Instant::now() + DELIVERY;
        while !self.requests.is_over(request) && self.pump(deadline)? {}
        Ok(())
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

fn own_answer(address: &str) -> Answer {
    if address.ends_with("/load") {
        return Answer::new(200, "image/gif", PIXEL.to_vec());
    }
    Answer::new(200, "text/javascript", "document.currentScript.remove()")
}

/// The smallest picture.
const PIXEL: [u8; 42] = [
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x21, 0xf9, 4, 1,
    0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 0x44, 0, 0x3b,
];

/// A script that came over the network. Whether it is a module is not said there.
fn rewrite_script(shared: &Shared, name: &str, text: &str) -> String {
    rewrite_text(shared, name, text, &[Goal::Script, Goal::Module])
}

fn rewrite_text(shared: &Shared, name: &str, text: &str, goals: &[Goal]) -> String {
    let mut sources = lock(&shared.sources);
    if let Some(known) = sources.known(name, text) {
        return known;
    }
    let first = sources.first_site();
    let rewritten = goals.iter().find_map(|&goal| script(text, goal, &shared.helper, 0, first));
    let (edits, sites) = rewritten.unwrap_or_default();
    sources.add(name, text, Edits::new(edits), sites)
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

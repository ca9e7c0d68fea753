//! Answers to the page's requests: held, asked for, rewritten, given.

use super::requests::{Paused, Request};
use super::tab::Tab;
use super::{Shared, lock};
use crate::error::Error;
use crate::rewrite::{Edits, Goal, script};
use crate::server::{Answer, Decision, RequestKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// An answer of a local server whose body is still to come.
pub(super) struct Waiting {
    interception: String,
    request: Request,
    key: RequestKey,
    status: u16,
    headers: Vec<(String, String)>,
}

impl Tab<'_> {
    pub(super) fn on_paused(&mut self, params: &Value) -> Result<(), Error> {
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

    pub(super) fn answer_at_once(&mut self, network: &str) -> Result<(), Error> {
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
    pub(super) fn on_asked(
        &mut self,
        id: String,
        request: Request,
        key: RequestKey,
        params: &Value,
    ) -> Result<(), Error> {
        let is_page = request.kind == "Document" && request.in_page;
        let status = params["responseStatusCode"].as_u64();
        if is_page && status.is_none_or(|status| status >= 400) {
            let why = status.map_or("nobody answers".to_owned(), |status| {
                format!("its server answers with status {status}")
            });
            return Err(Error::NotLoaded(request.address, why));
        }
        let Some(status) = status else {
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

    pub(super) fn got_body(
        &mut self,
        waiting: Waiting,
        result: Result<Value, String>,
    ) -> Result<(), Error> {
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
    pub(super) fn prepared(&mut self, request: &Request, answer: Answer) -> Result<Answer, Error> {
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
            "Script" => rewrite_text(self.shared, &name, &text, goals(request)),
            _ => return Ok(answer),
        };
        Ok(Answer { body: rewritten.into_bytes().into(), ..answer })
    }

    /// The page, rewritten once for all.
    pub(super) fn page(&mut self, name: &str, text: &str) -> crate::rewrite::Page {
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
    pub(super) fn rewrite_now(&mut self, id: &str, address: &str, code: &str) -> Result<(), Error> {
        let goal = match address.rsplit_once('?') {
            Some((_, "function")) => Goal::Function,
            Some((_, "module")) => Goal::Module,
            _ => Goal::Script,
        };
        let text = rewrite_text(self.shared, "(code in a string)", code, &[goal]);
        self.fulfil(id, &Answer::new(200, "text/plain; charset=utf-8", text))
    }

    pub(super) fn fulfil(&mut self, id: &str, answer: &Answer) -> Result<(), Error> {
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

/// What a script that came over the network may be. Nobody says whether it is a module, unless a module imports it; one without
/// `import` and `export` could be both.
fn goals(request: &Request) -> &'static [Goal] {
    let path = request.address.split('?').next().unwrap_or_default();
    match request.imported || path.ends_with(".mjs") {
        true => &[Goal::Module, Goal::Script],
        false => &[Goal::Script, Goal::Module],
    }
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

//! The page's requests: when they were sent, where they are held, when they are over.

use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// A request that the page has sent.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The browser's number of it.
    pub id: String,
    /// Its address.
    pub address: String,
    /// Its method.
    pub method: String,
    /// Its body.
    pub body: String,
    /// The browser's word for what it is for.
    pub kind: String,
    /// Did the parser send it, or a style?
    pub by_parser: bool,
    /// Does it come from the page itself, and not from a frame in it?
    pub in_page: bool,
    /// Is it a script that a module imports, or an `import()`? It belongs to the event that asks for it.
    pub imported: bool,
    /// Is it a worker's own script?
    pub for_worker: bool,
    /// Did a worker send it? Then it belongs to what the worker does.
    pub of_worker: bool,
}

impl Request {
    /// Does it say something to a server? Pictures, styles and the like are only fetched; what comes of them is seen in the
    /// document and in the picture of the page.
    pub fn tells_a_server(&self) -> bool {
        // Icons and what is fetched ahead of time are `Other`: browsers ask for them when they like, or not at all.
        let fetched = [
            "Image",
            "Stylesheet",
            "Script",
            "Font",
            "Media",
            "TextTrack",
            "Manifest",
            "Prefetch",
            "Other",
        ];
        let is_part =
            fetched.contains(&self.kind.as_str()) || (self.kind == "Document" && !self.in_page);
        self.method != "GET" || !is_part
    }
}

/// A request that the browser holds for us.
#[derive(Clone, Debug)]
pub struct Paused {
    /// The number of the interception.
    pub id: String,
    /// Is it to be answered at once, because nothing can happen before its answer?
    pub at_once: bool,
    /// The request as the interception shows it. Its kind is coarse: `fetch` looks like `XMLHttpRequest`.
    pub request: Request,
}

/// All requests of a tab.
#[derive(Default)]
pub struct Requests {
    sent: HashMap<String, Request>,
    paused: HashMap<String, Paused>,
    over: HashSet<String>,
    /// Let go by us.
    answered: HashSet<String>,
    /// Sent, and not yet asked for.
    fresh: Vec<String>,
    /// How many of them were scripts of workers.
    worker_scripts: usize,
    /// Does the event that happens load a font? Then the font's file belongs to it.
    pub fonts_at_once: bool,
    /// How often an equal request was answered before.
    counts: HashMap<(String, String, String), u32>,
}

impl Requests {
    /// A request was sent.
    pub fn sent(&mut self, request: Request) {
        // A redirected request keeps its number.
        let is_new = self.sent.insert(request.id.clone(), request.clone()).is_none();
        if is_new && !request.of_worker {
            self.worker_scripts += usize::from(request.for_worker);
            self.fresh.push(request.id);
        }
    }

    /// A request is held.
    pub fn paused(&mut self, id: &str, paused: Paused) {
        self.paused.insert(id.to_owned(), paused);
    }

    /// A request is over.
    pub fn finished(&mut self, id: &str) {
        self.over.insert(id.to_owned());
    }

    /// Is a request over?
    pub fn is_over(&self, id: &str) -> bool {
        self.over.contains(id)
    }

    /// A request that was sent.
    pub fn get(&self, id: &str) -> Option<&Request> {
        self.sent.get(id)
    }

    /// A request that is held and is not an event of its own. Without the browser's announcement of the request nobody knows
    /// whether a `fetch` (whose answer the page holds itself) or an `XMLHttpRequest` has sent it.
    pub fn to_answer_at_once(&self, id: &str) -> Option<Request> {
        let paused = self.paused.get(id)?;
        let is_event = |kind: &str| {
            matches!(kind, "Document" | "Script" | "Stylesheet" | "Image" | "XHR" | "Font")
        };
        let request = self.sent.get(id).unwrap_or(&paused.request);
        let free = paused.at_once
            || request.imported
            || request.of_worker
            || (self.fonts_at_once && request.kind == "Font")
            || !is_event(&request.kind);
        free.then(|| request.clone())
    }

    /// Where a request is held.
    pub fn take_paused(&mut self, id: &str) -> Option<Paused> {
        self.answered.insert(id.to_owned());
        self.paused.remove(id)
    }

    /// How many scripts of workers have been asked for.
    pub fn worker_scripts(&self) -> usize {
        self.worker_scripts
    }

    /// Requests that were sent and are neither held nor over: the browser will still tell of them.
    pub fn are_expected(&self) -> bool {
        let is_known = |id: &String| {
            self.paused.contains_key(id) || self.over.contains(id) || self.answered.contains(id)
        };
        !self.fresh.iter().all(is_known)
    }

    /// A script that is imported and has not come yet: what imports it has not run.
    pub fn import_under_way(&self) -> Option<&Request> {
        self.sent.values().find(|request| request.imported && !self.over.contains(&request.id))
    }

    /// The requests sent since the last time that are held.
    pub fn take_held(&mut self) -> Vec<Request> {
        let fresh = std::mem::take(&mut self.fresh);
        let (held, rest): (Vec<_>, Vec<_>) =
            fresh.into_iter().partition(|id| self.paused.contains_key(id));
        self.fresh = rest
            .into_iter()
            .filter(|id| !self.over.contains(id) && !self.answered.contains(id))
            .collect();
        held.iter().filter_map(|id| self.sent.get(id).cloned()).collect()
    }

    /// The requests that are held now.
    pub fn held(&self) -> impl Iterator<Item = &Request> {
        self.paused.keys().filter_map(|id| self.sent.get(id))
    }

    /// What the answer depends on.
    pub fn key(&mut self, request: &Request) -> crate::server::RequestKey {
        let same = (request.method.clone(), request.address.clone(), request.body.clone());
        let count = self.counts.entry(same).or_default();
        *count += 1;
        (request.method.clone(), request.address.clone(), request.body.clone(), *count - 1)
    }
}

/// Reads `Network.requestWillBeSent`. `helper` is what our own functions' names begin with.
pub fn read(params: &Value, main_frame: &str, helper: &str) -> Option<Request> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let request = &params["request"];
    let address = text(&request["url"]);
    if !address.starts_with("http") {
        return None;
    }
    let initiator = &params["initiator"];
    let by_script = !initiator["stack"].is_null();
    let innermost = initiator["stack"]["callFrames"][0]["functionName"].as_str();
    let by_import = innermost.and_then(|name| name.strip_prefix(helper)) == Some("import");
    let kind = text(&params["type"]);
    // The document of a worker is its script.
    let for_worker = kind == "Script" && params["documentURL"] == request["url"];
    Some(Request {
        for_worker,
        of_worker: false,
        id: text(&params["requestId"]),
        address: address.split('#').next().unwrap_or_default().to_owned(),
        method: text(&request["method"]),
        body: text(&request["postData"]),
        by_parser: initiator["type"] == "parser" && !by_script,
        in_page: params["frameId"] == main_frame || params["frameId"].is_null(),
        imported: kind == "Script" && initiator["type"] == "script" && (!by_script || by_import),
        kind,
    })
}

//! A client for the tests.

use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::thread::JoinHandle;

/// The one document.
pub const URI: &str = "file:///test.ed";

/// A client and the server that serves it.
pub struct Client {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    last_id: i32,
}

impl Client {
    /// Starts a server and opens a document.
    pub fn open(text: &str) -> Client {
        let (ours, theirs) = Connection::memory();
        let server = std::thread::spawn(move || mazurka_lsp::serve(&theirs).expect("it ends well"));
        let mut client = Client { connection: ours, server: Some(server), last_id: 0 };
        let answer = client.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(answer["capabilities"]["hoverProvider"], true);
        client.tell("initialized", json!({}));
        let document = json!({ "uri": URI, "languageId": "ed", "version": 1, "text": text });
        client.tell("textDocument/didOpen", json!({ "textDocument": document }));
        client
    }

    pub fn tell(&self, method: &str, params: Value) {
        let notification = Notification { method: method.to_owned(), params };
        self.connection.sender.send(Message::Notification(notification)).expect("it listens");
    }

    /// The answer to a request, or the error.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.last_id += 1;
        let request = Request { id: self.last_id.into(), method: method.to_owned(), params };
        self.connection.sender.send(Message::Request(request)).expect("it listens");
        loop {
            if let Message::Response(response) = self.next() {
                assert_eq!(response.id, self.last_id.into());
                return answer(response);
            }
        }
    }

    /// The answer to a request that succeeds.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.request(method, params).expect("an answer")
    }

    /// A request about a place, lines and columns from 0.
    pub fn ask_at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.ask(method, place(line, character))
    }

    /// What is wrong with the document, as soon as that is told.
    pub fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            if let Message::Notification(notification) = self.next() {
                assert_eq!(notification.method, "textDocument/publishDiagnostics");
                assert_eq!(notification.params["uri"], URI);
                return notification.params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    pub fn change(&self, changes: Value) {
        let document = json!({ "uri": URI, "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }

    fn next(&self) -> Message {
        self.connection.receiver.recv().expect("the server lives")
    }
}

/// Says goodbye as the protocol wants it.
impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().map(JoinHandle::join).expect("it runs").expect("it did not panic");
    }
}

/// The parameters of a request about a place.
pub fn place(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
}

/// A range in one line.
pub fn range(line: u32, start: u32, end: u32) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

fn answer(response: Response) -> Result<Value, String> {
    match serde_json::to_value(&response).expect("a value") {
        Value::Object(object) if object.contains_key("error") => {
            Err(object["error"]["message"].as_str().unwrap_or("").to_owned())
        }
        object => Ok(object["result"].clone()),
    }
}

//! The debugging protocol: JSON over a WebSocket, one connection for each worker.

use crate::error::Error;
use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message as Frame, WebSocket};

/// What the browser says.
#[derive(Debug)]
pub enum Message {
    /// The answer to a command.
    Answer {
        /// The command's number.
        id: u64,
        /// What it gave, or what was wrong.
        result: Result<Value, String>,
    },
    /// Something happened.
    Event {
        /// Which kind of thing.
        method: String,
        /// What exactly.
        params: Value,
        /// Where.
        session: String,
    },
}

/// A connection to the browser.
pub struct Connection {
    socket: WebSocket<TcpStream>,
    next: u64,
}

impl Connection {
    /// Connects to a browser's address.
    pub fn open(address: &str) -> Result<Connection, Error> {
        let host = address.trim_start_matches("ws://").split('/').next().unwrap_or_default();
        let stream = TcpStream::connect(host).map_err(|_| Error::Gone)?;
        stream.set_nodelay(true).map_err(|_| Error::Gone)?;
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = tungstenite::client::client_with_config(address, stream, Some(config))
            .map_err(|_| Error::Gone)?;
        Ok(Connection { socket, next: 1 })
    }

    /// Sends a command and gives its number.
    pub fn send(&mut self, session: &str, method: &str, params: &Value) -> Result<u64, Error> {
        let id = self.next;
        self.next += 1;
        let command = if session.is_empty() {
            json!({"id": id, "method": method, "params": params})
        } else {
            json!({"id": id, "method": method, "params": params, "sessionId": session})
        };
        self.socket.send(Frame::text(command.to_string())).map_err(|_| Error::Gone)?;
        Ok(id)
    }

    /// The next message, or none if there is none before the deadline.
    pub fn receive(&mut self, deadline: Instant) -> Result<Option<Message>, Error> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let wait = left.max(Duration::from_millis(1));
            self.socket.get_ref().set_read_timeout(Some(wait)).map_err(|_| Error::Gone)?;
            match self.socket.read() {
                Ok(Frame::Text(text)) => {
                    if let Some(message) = parse(text.as_str()) {
                        return Ok(Some(message));
                    }
                }
                Ok(_) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                    ) =>
                {
                    return Ok(None);
                }
                Err(_) => return Err(Error::Gone),
            }
        }
    }
}

fn parse(text: &str) -> Option<Message> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    if let Some(id) = value["id"].as_u64() {
        let result = match value.get("error") {
            Some(error) => Err(error["message"].as_str().unwrap_or("unknown error").to_owned()),
            None => Ok(value["result"].take()),
        };
        return Some(Message::Answer { id, result });
    }
    Some(Message::Event {
        method: value["method"].as_str()?.to_owned(),
        session: value["sessionId"].as_str().unwrap_or_default().to_owned(),
        params: value["params"].take(),
    })
}

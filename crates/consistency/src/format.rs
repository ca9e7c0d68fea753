//! The format ed-trace/1: one JSON object, read in one pass straight into the model, and written back.

use crate::trace::{Builder, Event, EventId, MessageId, Trace};
use crate::well_formed::Malformed;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write as _};
use thiserror::Error;

/// The version this module reads and writes.
pub const VERSION: &str = "ed-trace/1";

/// Why a text is no trace.
#[derive(Debug, Error)]
pub enum FormatError {
    /// Not JSON, or not of the shape of the format.
    #[error("not an {VERSION} file: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version, or none.
    #[error("format `{0}` is not supported: expected `{VERSION}`")]
    Version(String),
    /// JSON of the right shape that breaks a rule of the format.
    #[error("malformed trace: {0}")]
    Malformed(#[from] Malformed),
}

/// Reads a trace from the bytes of a JSON text.
pub fn parse(text: &[u8]) -> Result<Trace, FormatError> {
    let mut builder = Builder::default();
    let mut version = None;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let read =
        TraceSeed { builder: &mut builder, version: &mut version }.deserialize(&mut deserializer);
    // A file of another version may well have another shape: say the more helpful thing.
    match version {
        Some(other) if other != VERSION => return Err(FormatError::Version(other)),
        _ => read?,
    }
    deserializer.end()?;
    if version.is_none() {
        return Err(FormatError::Version(String::new()));
    }
    Ok(builder.finish()?)
}

/// Writes a trace.
#[must_use]
pub fn write(trace: &Trace) -> String {
    let mut text = String::new();
    let name = serde_json::Value::from(trace.name());
    let _ = write!(
        text,
        r#"{{"format":"{VERSION}","name":{name},"handlers":{},"vars":{},"messages":["#,
        trace.handlers, trace.variables
    );
    for (index, message) in trace.messages.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(text, r#"{separator}{{"h":{}"#, message.handler);
        text.push_str(if message.initial { r#","init":true"# } else { "" });
        text.push_str(if message.pending { r#","pending":true"# } else { "" });
        text.push_str(r#","ev":["#);
        for event in message.events() {
            text.push_str(if event == message.start { "" } else { "," });
            write_event(&mut text, trace.events[event as usize]);
        }
        text.push_str("]}");
    }
    let lists: Vec<&[EventId]> =
        (0..trace.variables).map(|variable| trace.coherence(variable)).collect();
    let _ = write!(text, r#"],"co":{}"#, serde_json::json!(lists));
    if !trace.order.is_empty() {
        let _ = write!(text, r#","hb":{}"#, serde_json::json!(trace.order));
    }
    text.push('}');
    text
}

fn write_event(text: &mut String, event: Event) {
    let _ = match event {
        Event::Get => write!(text, r#"["g"]"#),
        Event::Read { variable, from } => {
            write!(text, r#"["r",{variable},{}]"#, from.map_or(-1, i64::from))
        }
        Event::Write { variable } => write!(text, r#"["w",{variable}]"#),
        Event::Post { message } => write!(text, r#"["p",{message}]"#),
    };
}

/// Which fields have been seen: each may stand once.
fn once<E: de::Error>(seen: &mut bool, field: &'static str) -> Result<(), E> {
    if std::mem::replace(seen, true) { Err(E::duplicate_field(field)) } else { Ok(()) }
}

struct TraceSeed<'a> {
    builder: &'a mut Builder,
    version: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for TraceSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TraceSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the fields of a trace")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let [mut format, mut name, mut handlers, mut vars, mut messages, mut co, mut hb] =
            [false; 7];
        while let Some(key) = map.next_key_seed(Word)? {
            match key {
                "format" => {
                    once(&mut format, "format")?;
                    *self.version = Some(map.next_value()?);
                    if self.version.as_deref() != Some(VERSION) {
                        return Err(de::Error::custom("another version"));
                    }
                }
                "name" => {
                    once(&mut name, "name")?;
                    self.builder.name(map.next_value::<String>()?);
                }
                "handlers" => {
                    once(&mut handlers, "handlers")?;
                    self.builder.parts().handlers = map.next_value()?;
                }
                "vars" => {
                    once(&mut vars, "vars")?;
                    self.builder.parts().variables = map.next_value()?;
                }
                "messages" => {
                    once(&mut messages, "messages")?;
                    map.next_value_seed(MessagesSeed(self.builder))?;
                }
                "co" => {
                    once(&mut co, "co")?;
                    map.next_value_seed(CoherenceSeed(self.builder))?;
                }
                "hb" => {
                    once(&mut hb, "hb")?;
                    self.builder.parts().order = map.next_value()?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let required = [
            (format, "format"),
            (handlers, "handlers"),
            (vars, "vars"),
            (messages, "messages"),
            (co, "co"),
        ];
        match required.into_iter().find(|(seen, _)| !seen) {
            Some((_, field)) => Err(de::Error::missing_field(field)),
            None => Ok(()),
        }
    }
}

/// A word of the format; any other becomes the empty one. Nothing is allocated for it.
struct Word;

const WORDS: [&str; 15] = [
    "g", "r", "w", "p", "h", "ev", "init", "pending", "format", "name", "handlers", "vars",
    "messages", "co", "hb",
];

impl<'de> DeserializeSeed<'de> for Word {
    type Value = &'static str;

    fn deserialize<D: de::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<&'static str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Word {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<&'static str, E> {
        Ok(WORDS.into_iter().find(|&word| word == text).unwrap_or_default())
    }
}

struct CoherenceSeed<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for CoherenceSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for CoherenceSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array with the writes of each variable")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lists: A) -> Result<(), A::Error> {
        while let Some(writes) = lists.next_element::<Vec<EventId>>()? {
            self.0.coherence(&writes);
        }
        Ok(())
    }
}

struct MessagesSeed<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for MessagesSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for MessagesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut messages: A) -> Result<(), A::Error> {
        while messages.next_element_seed(MessageSeed(self.0))?.is_some() {}
        Ok(())
    }
}

struct MessageSeed<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for MessageSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MessageSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message: an object with `h` and `ev`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let id = self.0.message(0, false, false) as usize;
        let [mut h, mut init, mut pending, mut ev] = [false; 4];
        while let Some(key) = map.next_key_seed(Word)? {
            match key {
                "h" => {
                    once(&mut h, "h")?;
                    self.0.parts().messages[id].handler = map.next_value()?;
                }
                "init" => {
                    once(&mut init, "init")?;
                    self.0.parts().messages[id].initial = map.next_value()?;
                }
                "pending" => {
                    once(&mut pending, "pending")?;
                    self.0.parts().messages[id].pending = map.next_value()?;
                }
                "ev" => {
                    once(&mut ev, "ev")?;
                    map.next_value_seed(EventsSeed(self.0))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (h, ev || self.0.parts().messages[id].pending) {
            (false, _) => Err(de::Error::missing_field("h")),
            (_, false) => Err(de::Error::missing_field("ev")),
            _ => Ok(()),
        }
    }
}

struct EventsSeed<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for EventsSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EventsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(event) = events.next_element_seed(EventSeed)? {
            self.0.event(event);
        }
        Ok(())
    }
}

struct EventSeed;

impl<'de> DeserializeSeed<'de> for EventSeed {
    type Value = Event;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Event, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EventSeed {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"an event: ["g"], ["r",x,w], ["w",x] or ["p",m]"#)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Event, A::Error> {
        let kind =
            parts.next_element_seed(Word)?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let event = match kind {
            "g" => Event::Get,
            "r" => Event::Read { variable: required(&mut parts, 1)?, from: source(&mut parts)? },
            "w" => Event::Write { variable: required(&mut parts, 1)? },
            "p" => Event::Post { message: required::<_, MessageId>(&mut parts, 1)? },
            _ => return Err(de::Error::custom("an event is one of g, r, w and p")),
        };
        match parts.next_element::<IgnoredAny>()? {
            Some(_) => Err(de::Error::custom(format!("too many parts in a `{kind}` event"))),
            None => Ok(event),
        }
    }
}

fn required<'de, A: SeqAccess<'de>, T: de::Deserialize<'de>>(
    parts: &mut A,
    index: usize,
) -> Result<T, A::Error> {
    parts.next_element()?.ok_or_else(|| de::Error::invalid_length(index, &EventSeed))
}

fn source<'de, A: SeqAccess<'de>>(parts: &mut A) -> Result<Option<EventId>, A::Error> {
    let source: i64 = required(parts, 2)?;
    match source {
        -1 => Ok(None),
        other => EventId::try_from(other).map(Some).map_err(|_| {
            de::Error::invalid_value(
                de::Unexpected::Signed(other),
                &"a write event, or -1 for the initial value",
            )
        }),
    }
}

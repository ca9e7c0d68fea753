//! Saved orders of events.

use crate::actions::Action;
use crate::error::Error;
use crate::trace::Names;
use serde::{Deserialize, Serialize};

/// An order of events that can be performed again, also by another process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// The page it was recorded from.
    pub page: String,
    /// What the user does.
    pub actions: Vec<Action>,
    /// The events, in order.
    pub events: Vec<Planned>,
}

/// An event of a schedule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Planned {
    /// The same in every process.
    pub id: String,
    /// For people.
    pub event: String,
}

impl Schedule {
    /// Of these events.
    pub fn new(
        page: &str,
        actions: &[Action],
        events: impl Iterator<Item = u32>,
        names: &Names,
    ) -> Schedule {
        let planned = |event: u32| {
            let event = names.event(event);
            Planned {
                id: format!("{:016x}", event.hash),
                event: format!("{} {}", event.kind, event.name),
            }
        };
        Schedule {
            page: page.to_owned(),
            actions: actions.to_vec(),
            events: events.map(planned).collect(),
        }
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<Schedule, Error> {
        serde_json::from_str(text).map_err(|error| Error::Schedule(error.to_string()))
    }

    /// The text of its file, in one line.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The hashes of its events.
    pub fn hashes(&self) -> Vec<u64> {
        self.events.iter().filter_map(|event| u64::from_str_radix(&event.id, 16).ok()).collect()
    }
}

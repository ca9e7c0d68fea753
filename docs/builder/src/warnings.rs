//! Listens to what mdBook warns of, which it would only print.

use anyhow::Result;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The warnings and errors so far.
#[derive(Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<String>>>);

/// Hears every warning from now on.
pub fn listen() -> Result<Warnings> {
    let warnings = Warnings::default();
    tracing::subscriber::set_global_default(warnings.clone())?;
    Ok(warnings)
}

impl Warnings {
    /// What has been said.
    pub fn heard(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics while it is held").clone()
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut said = Said::default();
        event.record(&mut said);
        self.0.lock().expect("nobody panics while it is held").push(said.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The fields of one event as text.
#[derive(Default)]
struct Said(String);

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let separator = if self.0.is_empty() { "" } else { ", " };
        let name =
            if field.name() == "message" { String::new() } else { format!("{}: ", field.name()) };
        write!(self.0, "{separator}{name}{value:?}").expect("text can always be written");
    }
}

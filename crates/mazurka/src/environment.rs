//! The environment variables that stand for the [`Builder`]'s knobs.

use crate::builder::Builder;
use crate::replay;
use crate::settings::Memory;
use mazurka_engine::Algorithm;
use std::time::Duration;

impl Builder {
    /// This builder, with what the environment says instead.
    ///
    /// # Panics
    ///
    /// If a variable cannot be understood.
    #[track_caller]
    pub(crate) fn with_environment(&self) -> Builder {
        let mut builder = self.clone();
        if let Some(executions) = number("MAZURKA_MAX_EXECUTIONS") {
            builder.config.limits.max_executions = Some(executions);
        }
        if let Some(seconds) = variable("MAZURKA_MAX_DURATION") {
            let duration =
                seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            builder.config.limits.timeout =
                Some(understood("MAZURKA_MAX_DURATION", "a number of seconds", &seconds, duration));
        }
        if let Some(name) = variable("MAZURKA_ALGORITHM") {
            let algorithm = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
            builder.config.algorithm =
                understood("MAZURKA_ALGORITHM", "the name of an algorithm", &name, algorithm);
        }
        if let Some(name) = variable("MAZURKA_MEMORY") {
            let memory = match name.as_str() {
                "weak" => Some(Memory::Weak),
                "sequential" => Some(Memory::Sequential),
                _ => None,
            };
            builder.settings.memory =
                understood("MAZURKA_MEMORY", "`weak` or `sequential`", &name, memory);
        }
        if let Some(seed) = number("MAZURKA_SEED") {
            builder.config.seed = seed;
        }
        if let Some(steps) = number("MAZURKA_MAX_STEPS") {
            builder.settings.max_steps = steps;
        }
        if let Some(events) = number("MAZURKA_MAX_EVENTS") {
            builder = builder.max_events(events);
        }
        if let Some(bytes) = number("MAZURKA_MAX_MEMORY") {
            builder = builder.max_memory(bytes);
        }
        if let Some(text) = variable("MAZURKA_REPLAY") {
            builder.replay =
                Some(understood("MAZURKA_REPLAY", "a schedule", &text, replay::decode(&text)));
        }
        if let Some(folder) = variable("MAZURKA_REPORT") {
            builder.pages = Some(folder.into());
        }
        if let Some(value) = variable("MAZURKA_SHORTEN") {
            builder.shorten = value != "0";
        }
        builder.allow_incomplete |=
            variable("MAZURKA_ALLOW_INCOMPLETE").is_some_and(|value| value != "0");
        builder.log |= variable("MAZURKA_LOG").is_some_and(|value| value != "0");
        builder
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[track_caller]
fn number(name: &str) -> Option<u64> {
    variable(name).map(|value| understood(name, "a number", &value, value.parse().ok()))
}

#[track_caller]
fn understood<T>(name: &str, what: &str, value: &str, parsed: Option<T>) -> T {
    parsed
        .unwrap_or_else(|| panic!("the environment variable {name} must be {what}, not {value:?}"))
}

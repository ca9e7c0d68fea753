//! The values of arguments, and what is said of bad ones.

use clap::builder::{PossibleValue, TypedValueParser};
use mazurka_engine::{Algorithm, Mailbox};
use std::ffi::OsStr;
use std::time::Duration;

/// A parser that knows its values, so that shells can complete them.
#[derive(Clone)]
pub struct OneOf<T: 'static> {
    names: Vec<&'static str>,
    parse: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// The algorithms.
pub fn algorithms() -> OneOf<Algorithm> {
    let names = Algorithm::ALL.iter().map(|known| known.name()).collect();
    OneOf { names, parse: algorithm }
}

/// The mailbox policies.
pub fn mailboxes() -> OneOf<Mailbox> {
    let names = [Mailbox::Fifo, Mailbox::Multiset].map(Mailbox::name).to_vec();
    OneOf { names, parse: mailbox }
}

/// `NAME=VALUE`.
pub fn param(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as n=3")?;
    if name.is_empty() {
        return Err("the name before `=` is missing".to_owned());
    }
    let value =
        value.parse().map_err(|error| format!("`{value}` is not a 64-bit integer: {error}"))?;
    Ok((name.to_owned(), value))
}

/// An algorithm by its name.
fn algorithm(name: &str) -> Result<Algorithm, String> {
    let known = Algorithm::ALL.into_iter().find(|known| known.name() == name);
    known.ok_or_else(|| {
        let available: Vec<&str> = Algorithm::ALL.iter().map(|known| known.name()).collect();
        format!("there is no such algorithm; available are {}", available.join(", "))
    })
}

/// A mailbox policy by its name.
fn mailbox(name: &str) -> Result<Mailbox, String> {
    [Mailbox::Fifo, Mailbox::Multiset]
        .into_iter()
        .find(|known| known.name() == name)
        .ok_or_else(|| "there are fifo and multiset".to_owned())
}

/// A positive number of seconds, with a fraction if need be.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let problem = || "expected a positive number of seconds, such as 10 or 0.5".to_owned();
    let seconds: f64 = text.parse().map_err(|_| problem())?;
    if seconds <= 0.0 {
        return Err(problem());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| problem())
}

/// A number of bytes, with a unit if need be.
pub fn size(text: &str) -> Result<u64, String> {
    let problem = || "expected a size, such as 512M, 2G or a number of bytes".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(problem()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| problem())?;
    let bytes = number * (1u64 << shift) as f64;
    if (1.0..u64::MAX as f64).contains(&bytes) { Ok(bytes as u64) } else { Err(problem()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters() {
        assert_eq!(param("n=-3"), Ok(("n".to_owned(), -3)));
        assert!(param("n").is_err());
        assert!(param("=3").is_err());
        assert!(param("n=x").is_err());
        assert!(param("n=9223372036854775808").is_err());
    }

    #[test]
    fn algorithms() {
        assert_eq!(algorithm("naive"), Ok(Algorithm::Naive));
        assert_eq!(algorithm("dpor-cs"), Ok(Algorithm::DporCs));
        assert!(algorithm("best").is_err_and(|why| why.contains("naive, dpor")));
    }

    #[test]
    fn times() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "NaN", "inf", "1e300", "ten", ""] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "M", "0", "-1G", "1X", "nan", "1e400", "inf"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn mailboxes() {
        assert_eq!(mailbox("fifo"), Ok(Mailbox::Fifo));
        assert!(mailbox("FIFO").is_err());
    }
}

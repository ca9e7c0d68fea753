//! What the steps of a schedule did, to find them again in a program that has changed.

use crate::replay::{Action, RecordedEvent};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What a step did: without values and places, which change easily. A digest stands for it where room is short.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Deed(pub String);

/// Begins a digest.
const DIGEST: char = '#';
/// The signs that digests are made of.
const SIGNS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
/// So many bits a pair of signs holds.
const PAIR_BITS: u32 = 12;

impl Deed {
    /// What an event did.
    pub fn of(event: &RecordedEvent) -> Self {
        let action = match &event.action {
            Action::Plain => None,
            Action::Start => Some(format!("start {}", kind(&event.task))),
            Action::Post { message, handler } => {
                Some(format!("post {} to {handler}", kind(message)))
            }
            Action::Fork(thread) => Some(format!("fork {}", kind(thread))),
            Action::Join(task) => Some(format!("join {}", kind(task))),
            Action::Choose(_) => Some("choose".to_owned()),
        };
        let accesses = event
            .accesses
            .iter()
            .map(|access| format!("{} {}", access.mode.name(), without_place(&access.object)));
        Deed(action.into_iter().chain(accesses).collect::<Vec<_>>().join("; "))
    }

    /// Four signs that stand for it: two for its kind and whether it creates a task, two for all of it.
    pub fn digest(&self) -> Deed {
        if self.is_digest() {
            return self.clone();
        }
        let creates = u64::from(self.creates()) << (PAIR_BITS - 1);
        let kind = hash(&self.kind()) >> 1 & !(1 << (PAIR_BITS - 1)) | creates;
        Deed(format!("{DIGEST}{}{}", pair(kind), pair(hash(&self.0))))
    }

    /// The digest of four signs, if they are ones.
    pub fn of_digest(signs: &str) -> Option<Deed> {
        let is_one = signs.len() == 4 && signs.bytes().all(|sign| SIGNS.contains(&sign));
        is_one.then(|| Deed(format!("{DIGEST}{signs}")))
    }

    /// The signs of its digest.
    pub fn signs(&self) -> String {
        self.digest().0[DIGEST.len_utf8()..].to_owned()
    }

    /// Does it only stand for what was done?
    pub fn is_digest(&self) -> bool {
        self.0.starts_with(DIGEST)
    }

    /// The same without names that people change: of messages, threads and variables.
    pub(super) fn kind(&self) -> String {
        if self.is_digest() {
            return self.0[..3].to_owned();
        }
        let kind = |part: &str| {
            let words: Vec<&str> = part.split(' ').collect();
            match words.as_slice() {
                ["post", .., "to", handler] => format!("post to {handler}"),
                [verb, ..] => (*verb).to_owned(),
                [] => String::new(),
            }
        };
        self.0.split("; ").map(kind).collect::<Vec<_>>().join("; ")
    }

    /// Does it create a task?
    pub(super) fn creates(&self) -> bool {
        match self.0.strip_prefix(DIGEST) {
            Some(signs) => {
                let first = signs.bytes().next();
                SIGNS.iter().position(|&sign| Some(sign) == first).is_some_and(|at| at >= 32)
            }
            None => self.0.starts_with("post ") || self.0.starts_with("fork "),
        }
    }
}

/// `show` of `show(42)`; nothing of `main.2.1`, which only says how many others came before.
fn kind(label: &str) -> &str {
    let name = label.split(['(', '[']).next().unwrap_or_default();
    let mut parts = name.split('.').skip(1).peekable();
    let is_path = parts.peek().is_some()
        && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if is_path { "" } else { name }
}

/// Without line and column: `Mutex of queue.rs:12:3`.
fn without_place(object: &str) -> String {
    let mut parts = object.split(':');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.fold(first, |name, part| name + part)
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    // The high bits are the well mixed ones.
    hasher.finish() >> (u64::BITS - PAIR_BITS)
}

fn pair(bits: u64) -> String {
    let sign = |bits: u64| char::from(SIGNS[(bits & 63) as usize]);
    [sign(bits >> 6), sign(bits)].into_iter().collect()
}

/// Four signs that stand for a text.
pub fn digest_of(text: &str) -> String {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let bits = hasher.finish() >> (u64::BITS - 2 * PAIR_BITS);
    pair(bits >> PAIR_BITS) + &pair(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_knows_the_kind_and_whether_a_task_is_created() {
        let [one, other] = ["post show to ui", "post hide to ui"].map(|it| Deed(it.to_owned()));
        let read = Deed("read x".to_owned());
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.digest().kind(), other.digest().kind());
        assert!(one.digest().creates() && !read.digest().creates());
        assert_eq!(Deed::of_digest(&one.signs()), Some(one.digest()));
        assert_eq!(Deed::of_digest("a?b"), None);
    }

    #[test]
    fn paths_and_places_are_no_part_of_a_deed() {
        assert_eq!(
            ["show(42)", "main.2.1", "v1.x", "main"].map(kind),
            ["show", "", "v1.x", "main"]
        );
        assert_eq!(without_place("Mutex of queue.rs:12:3"), "Mutex of queue.rs");
        assert_eq!(without_place("Mutex of queue.rs:12:3 #2"), "Mutex of queue.rs #2");
    }
}

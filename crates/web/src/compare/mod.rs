//! Two executions that differ by one reversal: in what they differ, and how much that hurts.
//!
//! Section 2.4 of the R4 paper: equal states are equivalent; what ad-hoc synchronisation or the late attachment of handlers
//! explains is approximate, and harmless; the rest is different.

use crate::record::{Ending, Exception};
use crate::trace::Event;
use mazurka_report::web::{
    self, Changes, Difference, HeapChange, RaceClass, RaceDetails, Severity,
};
use std::collections::BTreeSet;

/// What came of a reversal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// How the two executions relate.
    pub class: RaceClass,
    /// How much it hurts.
    pub severity: Severity,
    /// In what they differ.
    pub differences: Vec<Difference>,
    /// Why it is harmless, if it is.
    pub reason: Option<String>,
}

/// What is known of the reversal beside the two endings.
pub struct Reversal<'a> {
    /// Planned events that did not happen.
    pub skipped: &'a [&'a Event],
    /// Events that were not planned.
    pub new: &'a [&'a Event],
    /// Is the handler of the user's event attached late?
    pub for_handlers: bool,
}

/// In what two final states differ.
pub fn differences(before: &Ending, after: &Ending) -> Vec<Difference> {
    let exceptions = |ending: &Ending| sorted(ending.exceptions.iter().map(told));
    let console = |ending: &Ending| sorted(ending.console.iter().cloned());
    let asserts = |ending: &Ending| ending.asserts.iter().map(|one| one.1).collect::<Vec<_>>();
    let found = [
        (Difference::Exception, exceptions(before) != exceptions(after)),
        (Difference::Dom, before.dom != after.dom),
        (Difference::Pixels, look_different(before, after)),
        (Difference::Heap, before.heap != after.heap),
        (Difference::Network, before.requests != after.requests),
        (Difference::Console, console(before) != console(after)),
        (Difference::Assert, asserts(before) != asserts(after)),
    ];
    found.into_iter().filter(|found| found.1).map(|found| found.0).collect()
}

fn look_different(before: &Ending, after: &Ending) -> bool {
    match (&before.picture, &after.picture) {
        (Some(before), Some(after)) => web::look_different(before, after),
        (before, after) => before.is_some() != after.is_some(),
    }
}

fn told(exception: &Exception) -> String {
    let place = exception.place.as_ref().map_or_else(String::new, ToString::to_string);
    format!("{} {place}", exception.message)
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

/// How the differences are to be taken.
pub fn judge(differences: Vec<Difference>, reversal: &Reversal<'_>) -> Judgement {
    let has = |one: Difference| differences.contains(&one);
    let moved = !reversal.skipped.is_empty() || !reversal.new.is_empty();
    let loud = has(Difference::Exception) || has(Difference::Network) || has(Difference::Assert);
    let reason = if differences.is_empty() && !moved {
        Some("both orders end in the same state")
    } else if differences.is_empty() {
        Some(explain(reversal))
    } else if reversal.for_handlers && !has(Difference::Exception) && !has(Difference::Assert) {
        Some("a handler is attached late: before that the event has no effect")
    } else if !loud && only_heap(&differences) && moved && all_timers(reversal) {
        Some("ad-hoc synchronisation: only timers differ")
    } else {
        None
    };
    let class = match reason {
        Some(_) if differences.is_empty() && !moved => RaceClass::Equivalent,
        Some(_) => RaceClass::Approximate,
        None => RaceClass::Different,
    };
    let seen = has(Difference::Dom) && has(Difference::Pixels);
    let severity = match class {
        RaceClass::Different if loud || seen => Severity::High,
        RaceClass::Different
            if has(Difference::Dom) || has(Difference::Pixels) || has(Difference::Console) =>
        {
            Severity::Normal
        }
        _ => Severity::Low,
    };
    Judgement { class, severity, differences, reason: reason.map(str::to_owned) }
}

fn only_heap(differences: &[Difference]) -> bool {
    differences.iter().all(|&one| one == Difference::Heap)
}

fn all_timers(reversal: &Reversal<'_>) -> bool {
    let timed = |event: &&Event| {
        matches!(event.kind.as_str(), "timer" | "interval" | "frame" | "idle" | "task")
    };
    reversal.skipped.iter().all(timed) && reversal.new.iter().all(timed)
}

fn explain(reversal: &Reversal<'_>) -> &'static str {
    if all_timers(reversal) {
        "ad-hoc synchronisation: other timers, and the same state in the end"
    } else if reversal.skipped.iter().any(|event| event.by_user) {
        "the user acts before the element is there, and the state is the same in the end"
    } else {
        "other events, and the same state in the end"
    }
}

/// The differences in detail.
pub fn details(before: &Ending, after: &Ending, differences: &[Difference]) -> RaceDetails {
    let dom =
        differences.contains(&Difference::Dom).then(|| (before.dom.clone(), after.dom.clone()));
    let only = |these: &Ending, those: &Ending| -> Vec<web::Exception> {
        let known: BTreeSet<String> = those.exceptions.iter().map(told).collect();
        let new = these.exceptions.iter().filter(|one| !known.contains(&told(one)));
        new.map(|one| web::Exception {
            message: one.message.clone(),
            place: one.place.as_ref().map(ToString::to_string),
        })
        .collect()
    };
    let failed = |ending: &Ending| -> Vec<String> {
        ending.asserts.iter().filter(|one| !one.1).map(|one| one.0.clone()).collect()
    };
    RaceDetails {
        dom,
        exceptions_removed: only(before, after),
        exceptions_added: only(after, before),
        requests: changes(&before.requests, &after.requests),
        console: changes(&before.console, &after.console),
        asserts: changes(&failed(before), &failed(after)),
        heap: heap_changes(before, after),
    }
}

/// What only one of two lists has, with repetitions.
fn changes(before: &[String], after: &[String]) -> Changes {
    let only = |these: &[String], those: &[String]| {
        let mut rest = those.to_vec();
        let missing =
            these.iter().filter(|one| match rest.iter().position(|other| other == *one) {
                Some(at) => {
                    rest.remove(at);
                    false
                }
                None => true,
            });
        missing.cloned().collect()
    };
    Changes { removed: only(before, after), added: only(after, before) }
}

/// More changed paths than these help nobody.
const HEAP_CHANGES: usize = 100;

fn heap_changes(before: &Ending, after: &Ending) -> Vec<HeapChange> {
    let paths: BTreeSet<&String> = before.heap.keys().chain(after.heap.keys()).collect();
    let changed = paths.into_iter().filter(|path| before.heap.get(*path) != after.heap.get(*path));
    changed
        .take(HEAP_CHANGES)
        .map(|path| HeapChange {
            path: path.clone(),
            before: before.heap.get(path).cloned(),
            after: after.heap.get(path).cloned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(
        differences: &[Difference],
        skipped: &[&Event],
        for_handlers: bool,
    ) -> (RaceClass, Severity) {
        let judgement = judge(differences.to_vec(), &Reversal { skipped, new: &[], for_handlers });
        (judgement.class, judgement.severity)
    }

    #[test]
    fn severities_are_those_of_the_contract() {
        use Difference::{Assert, Dom, Exception, Heap, Network, Pixels};
        assert_eq!(judged(&[], &[], false), (RaceClass::Equivalent, Severity::Low));
        assert_eq!(judged(&[Heap], &[], false), (RaceClass::Different, Severity::Low));
        assert_eq!(judged(&[Dom, Heap], &[], false), (RaceClass::Different, Severity::Normal));
        assert_eq!(judged(&[Pixels], &[], false), (RaceClass::Different, Severity::Normal));
        assert_eq!(judged(&[Dom, Pixels], &[], false), (RaceClass::Different, Severity::High));
        for loud in [Exception, Network, Assert] {
            assert_eq!(judged(&[loud], &[], false), (RaceClass::Different, Severity::High));
        }
    }

    #[test]
    fn what_is_harmless_is_approximate() {
        let timer = Event { kind: "timer".to_owned(), ..Event::default() };
        assert_eq!(judged(&[], &[&timer], false), (RaceClass::Approximate, Severity::Low));
        assert_eq!(
            judged(&[Difference::Heap], &[&timer], false),
            (RaceClass::Approximate, Severity::Low)
        );
        assert_eq!(judged(&[Difference::Dom], &[], true), (RaceClass::Approximate, Severity::Low));
        assert_eq!(
            judged(&[Difference::Exception], &[], true),
            (RaceClass::Different, Severity::High)
        );
    }

    #[test]
    fn lists_are_compared_with_repetitions() {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let found = changes(&list(&["a", "a", "b"]), &list(&["a", "c"]));
        assert_eq!((found.removed, found.added), (list(&["a", "b"]), list(&["c"])));
    }
}

//! [`assert_reachable!`](crate::assert_reachable): some execution gets here.

use crate::call_site::lines_of_inline_closure;
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::runtime::context::try_with;
use mazurka_engine::Schedule;
use std::panic::Location;

/// A place that some execution must get to.
#[doc(hidden)]
#[derive(Debug)]
pub struct Place {
    /// What the user says of it.
    pub what: &'static str,
    /// `file:line`.
    pub location: &'static str,
    /// The path of the function or closure around it.
    pub owner: fn() -> &'static str,
}

/// A place, known before anything runs.
#[doc(hidden)]
#[derive(Debug)]
pub struct Known(pub &'static Place);

inventory::collect!(Known);

impl Place {
    /// An execution is here.
    pub fn reach(&'static self) {
        try_with(|state| state.reached.insert(std::ptr::from_ref(self) as usize));
    }
}

/// The code that an exploration runs.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    /// The path of the function, or of the function around the closure.
    pub path: &'a str,
    /// Where the exploration was asked for.
    pub call: &'static Location<'static>,
}

impl Owner<'_> {
    fn holds(self, place: &Place) -> bool {
        (place.owner)().strip_prefix(self.path).is_some_and(|rest| rest.starts_with("::"))
    }

    /// All closures of a function have one path. Of several explorations there, is the place inside of this one's?
    fn is_around(self, place: &Place) -> bool {
        let line = place.location.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        match (lines_of_inline_closure(self.call), line) {
            (Some((first, last)), Some(line)) => (first..=last).contains(&line),
            _ => true,
        }
    }
}

/// Adds a failure for every place inside of `owner` that a complete exploration did not reach.
pub(crate) fn judge(
    owner: Owner<'_>,
    reached: &rustc_hash::FxHashSet<usize>,
    outcome: &mut Outcome,
) {
    if !outcome.is_complete() {
        return;
    }
    for &Known(place) in inventory::iter::<Known> {
        let missed = !reached.contains(&(std::ptr::from_ref(place) as usize));
        if missed && owner.holds(place) && owner.is_around(place) {
            outcome.failures.push(Failure {
                kind: FailureKind::Assertion,
                message: format!("no execution reaches {}", place.what),
                location: Some(place.location.to_owned()),
                schedule: Schedule::default(),
            });
        }
    }
}

/// Asserts that some execution gets here; checked when everything has been explored.
///
/// It counts for the exploration of the function or closure that it is written in: a place in a helper that is
/// defined elsewhere is not checked.
///
/// ```should_panic
/// mazurka::check(|| {
///     if mazurka::choose(0..2) == 2 {
///         mazurka::assert_reachable!();
///     }
/// });
/// ```
#[macro_export]
macro_rules! assert_reachable {
    () => {
        $crate::assert_reachable!("this place")
    };
    ($what:literal) => {{
        static PLACE: $crate::__private::Place = $crate::__private::Place {
            what: $what,
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            owner: || {
                fn here() {}
                ::core::any::type_name_of_val(&here)
            },
        };
        $crate::__private::inventory::submit! { $crate::__private::Known(&PLACE) }
        PLACE.reach();
    }};
}

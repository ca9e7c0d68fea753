//! [`assert_reachable!`](crate::assert_reachable): some execution gets here.

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::runtime::context::try_with;
use linkme::distributed_slice;
use mazurka_engine::Schedule;

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

/// Every place of the program.
#[doc(hidden)]
#[distributed_slice]
pub static PLACES: [Place];

impl Place {
    /// An execution is here.
    pub fn reach(&'static self) {
        try_with(|state| state.reached.insert(std::ptr::from_ref(self) as usize));
    }
}

/// Adds a failure for every place inside of `owner` that a complete exploration did not reach.
pub(crate) fn judge(owner: &str, reached: &rustc_hash::FxHashSet<usize>, outcome: &mut Outcome) {
    if !outcome.is_complete() {
        return;
    }
    for place in PLACES {
        let inside = (place.owner)().strip_prefix(owner).is_some_and(|rest| rest.starts_with("::"));
        if inside && !reached.contains(&(std::ptr::from_ref(place) as usize)) {
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
        #[$crate::__private::distributed_slice($crate::__private::PLACES)]
        #[linkme(crate = $crate::__private::linkme)]
        static PLACE: $crate::__private::Place = $crate::__private::Place {
            what: $what,
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            owner: || {
                fn here() {}
                ::core::any::type_name_of_val(&here)
            },
        };
        PLACE.reach();
    }};
}

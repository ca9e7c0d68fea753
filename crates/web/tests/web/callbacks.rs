//! A page for each kind of callback that is held: two of them race for a list, so there are two orders.

use crate::common::{sequences, two_callbacks};

#[track_caller]
fn two_orders(kind: &str, start: &str) {
    let report = two_callbacks(start);
    assert_eq!(report.sequences.len(), 2, "{kind}: {:?} {:?}", sequences(&report), report.notes);
    assert!(!report.races[0].differences.is_empty(), "{kind}: the orders differ");
    let names = sequences(&report).concat();
    assert!(names.iter().any(|name| name.starts_with(&format!("{kind} "))), "{kind}: {names:?}");
}

macro_rules! kinds {
    ($($test:ident $kind:literal $start:expr;)*) => {
        $(#[test] fn $test() { two_orders($kind, $start); })*
    };
}

crate::common::callbacks!(kinds);

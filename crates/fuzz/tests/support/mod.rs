//! Which algorithms are held to their promises in the ordinary test run.

use mazurka_engine::Algorithm;

/// What is known not to hold yet, by shape; empty: on any. An entry goes when `mazurka-fuzz` finds nothing more.
const NOT_YET: &[(Algorithm, &[&str])] = &[
    // `--shape mixed --seed 2228` shows a class that its sleep sets lose; see the head of `em_dpor.rs`.
    (Algorithm::EmDpor, &[]),
];

/// The algorithms that hold on programs of this shape; `None`: on every program.
pub fn trusted(shape: Option<&str>) -> Vec<Algorithm> {
    let excused = |algorithm: Algorithm| {
        NOT_YET.iter().any(|(excused, shapes)| {
            let listed = |shape| shapes.is_empty() || shapes.contains(&shape);
            *excused == algorithm && shape.is_none_or(listed)
        })
    };
    let all = Algorithm::ALL.into_iter();
    all.filter(|&algorithm| !excused(algorithm)).collect()
}

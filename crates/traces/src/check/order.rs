//! The numbering of the operations, and the dependences that refer to it.

use super::Checked;
use crate::error::{Error, Reason};
use crate::trace::{Dependence, RecordedTrace};
use rustc_hash::FxHashMap;

/// Where each index stands. Indexes must be ascending.
pub(super) fn positions(trace: &RecordedTrace) -> Result<FxHashMap<u32, usize>, Error> {
    let mut positions = FxHashMap::default();
    let mut previous = None;
    for (position, recorded) in trace.operations.iter().enumerate() {
        let index = recorded.index;
        let reason = match (positions.insert(index, position), previous) {
            (Some(first), _) => {
                Some(Reason::DuplicateIndex { index, first: trace.operations[first].line })
            }
            (None, Some(previous)) if previous > index => {
                Some(Reason::Descending { index, previous })
            }
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(Error { file: trace.name.clone(), line: recorded.line, reason });
        }
        previous = Some(index);
    }
    Ok(positions)
}

/// Turns the dependences into waits.
pub(super) fn add_dependences(
    trace: &RecordedTrace,
    positions: &FxHashMap<u32, usize>,
    checked: &mut Checked,
) -> Result<(), Error> {
    for edge in &trace.dependences {
        let wait = resolve(edge, positions, checked).map_err(|reason| Error {
            file: trace.dependence_name.clone(),
            line: edge.line,
            reason,
        })?;
        checked.waits.push(wait);
    }
    Ok(())
}

fn resolve(
    edge: &Dependence,
    positions: &FxHashMap<u32, usize>,
    checked: &Checked,
) -> Result<(usize, usize), Reason> {
    let (src, dest) = (edge.source, edge.destination);
    let find = |index: u32| {
        let position = positions.get(&index).copied();
        let position = position.ok_or(Reason::NoSuchIndex { src, dest, missing: index })?;
        match checked.places[position] {
            Some(_) => Ok(position),
            None => Err(Reason::DroppedIndex { src, dest, at: index }),
        }
    };
    let (first, second) = (find(src)?, find(dest)?);
    match first < second {
        true => Ok((first, second)),
        false => Err(Reason::BackwardDependence { src, dest }),
    }
}

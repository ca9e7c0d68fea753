//! The exploration algorithms, a file each.

mod bounded;
mod dont_do;
mod dpor;
mod dpor_cs;
mod em_dpor;
mod event;
mod event_observers;
mod frames;
mod naive;
mod optimal;
mod optimal_cs;
mod optimal_cs_observers;
mod optimal_observers;
mod pct;
mod r4;
mod random;
mod sequences;
mod settled;
mod sleep_sets;
mod source;
mod staying;
mod waiting_loops;

pub use naive::not_shown;

use crate::config::{Algorithm, Config};
use crate::outcome::{Observer, Outcome};
use crate::program::Program;

/// Explores `program` as `config` says and tells `observer` of it.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    match config.algorithm {
        Algorithm::Naive => naive::explore(program, config, observer),
        Algorithm::Dpor => dpor::explore(program, config, observer),
        Algorithm::Source => source::explore(program, config, observer),
        Algorithm::Optimal => optimal::explore(program, config, observer),
        Algorithm::OptimalObservers => optimal_observers::explore(program, config, observer),
        Algorithm::DporCs => dpor_cs::explore(program, config, observer),
        Algorithm::OptimalCs => optimal_cs::explore(program, config, observer),
        Algorithm::OptimalCsObservers => optimal_cs_observers::explore(program, config, observer),
        Algorithm::Event => event::explore(program, config, observer),
        Algorithm::EventObservers => event_observers::explore(program, config, observer),
        Algorithm::EmDpor => em_dpor::explore(program, config, observer),
        Algorithm::Bounded => bounded::explore(program, config, observer),
        Algorithm::R4 => r4::explore(program, config, observer),
        Algorithm::Random => random::explore(program, config, observer),
        Algorithm::Pct => pct::explore(program, config, observer),
    }
}

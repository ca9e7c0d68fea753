//! R4 on programs and recorded traces: the front-end of [`crate::reorder`] for a [`Run`].
//!
//! **Explores** the first execution (the oldest task moves first), then what comes from it by reversing races. What is
//! explored, the source, the guarantee and the cost are those of [`crate::reorder`].
//!
//! An event of the paper is a whole callback. So is one here, as long as every message runs through without anybody noticing
//! ([`messages`]): messages of one handler are reordered only where their accesses conflict. As soon as one does
//! something that others can see on its way, every step of a task is an event ([`steps`]), and the messages of one handler conflict as
//! in [`super::optimal`].

mod messages;
mod performer;
mod steps;

use crate::config::Config;
use crate::driver::Driver;
use crate::outcome::{Ending, Observer, Outcome};
use crate::program::Program;
use crate::reorder::{Explorer, NewEvents, Sequence, Settings};
use crate::touch::Dependence;
use performer::Performer;

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grain {
    /// A message from its start to its end, or a step of a thread.
    Messages,
    /// A step of a task.
    Steps,
}

/// Explores by reversals, up to the bound.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let mut driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    driver.expect_tables(1);
    let mut exploration = Exploration {
        performer: Performer::new(driver, Grain::Messages),
        explorer: Explorer::new(settings(config)),
        settings: settings(config),
    };
    let exhausted = exploration.run();
    let Exploration { performer, explorer, .. } = exploration;
    let mut driver = performer.into_driver();
    driver.statistics.beyond_bound = explorer.given_up().beyond_bound;
    driver.outcome(exhausted && explorer.given_up().is_nothing())
}

fn settings(config: &Config) -> Settings {
    Settings { bound: config.bound, new_events: NewEvents::Reverse }
}

struct Exploration<'a, P: Program + 'a> {
    performer: Performer<'a, P>,
    explorer: Explorer,
    settings: Settings,
}

impl<P: Program> Exploration<'_, P> {
    /// Says whether it came to its end.
    fn run(&mut self) -> bool {
        while let Some(plan) = self.explorer.next_plan() {
            let Some(ending) = self.performer.perform(&plan) else { return false };
            let mut ticket = plan.ticket;
            let sequence = self.sequence(ending).unwrap_or_else(|| {
                // What has just been performed is as good a first execution as any.
                self.performer.look_closer();
                self.explorer = Explorer::new(self.settings);
                ticket = self.explorer.next_plan().map_or(0, |recording| recording.ticket);
                steps::sequence(&mut self.performer, ending)
            });
            let driver = &mut self.performer.driver;
            if driver.is_time_up() {
                return false;
            }
            driver.statistics.races += sequence.races.len() as u64;
            self.explorer.done_until(ticket, sequence, &mut || driver.is_time_up());
            if driver.is_time_up() {
                return false;
            }
        }
        true
    }

    /// What has just been performed; nothing if events are too coarse for it.
    fn sequence(&mut self, ending: Ending) -> Option<Sequence> {
        match self.performer.grain() {
            Grain::Messages => messages::sequence(&mut self.performer, ending),
            Grain::Steps => Some(steps::sequence(&mut self.performer, ending)),
        }
    }
}

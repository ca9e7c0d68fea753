//! The engine's [`Program`]: a closure.

use super::context::Runtime;
use super::knowledge::Knowledge;
use super::run::RustRun;
use super::state::{Source, State};
use crate::settings::Settings;
use mazurka_engine::{Fault, Program};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::rc::Rc;

/// What the executions of an exploration leave for its end.
#[derive(Default)]
pub(crate) struct Findings {
    /// The places of `assert_reachable!` that some execution has reached.
    pub reached: RefCell<FxHashSet<usize>>,
    /// Where a waiting loop was held back.
    pub held_back: Cell<Option<Source>>,
    /// What went wrong while an execution was abandoned, so that it belongs to no step.
    pub faults: RefCell<Vec<Fault>>,
}

/// A closure that can be run again and again.
pub(crate) struct RustProgram {
    pub body: Rc<dyn Fn()>,
    pub settings: Settings,
    pub knowledge: Knowledge,
    pub name: String,
    pub findings: Rc<Findings>,
}

impl Program for RustProgram {
    type Run<'p> = RustRun;

    fn start(&self) -> RustRun {
        let runtime = Runtime {
            state: RefCell::new(State::new(self.settings.clone(), self.knowledge)),
            epoch: Cell::new(0),
            inert: Cell::new(false),
            log: UnsafeCell::default(),
        };
        RustRun::new(runtime, Rc::clone(&self.body), Rc::clone(&self.findings))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

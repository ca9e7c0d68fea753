//! The engine's [`Program`]: a closure.

use super::context::Runtime;
use super::knowledge::Knowledge;
use super::run::RustRun;
use super::state::{Source, State};
use crate::outcome::Failure;
use crate::settings::Settings;
use mazurka_engine::Program;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the executions of an exploration leave for its end.
#[derive(Default)]
pub(crate) struct Findings {
    /// The places of `assert_reachable!` that some execution has reached.
    pub reached: RefCell<FxHashSet<usize>>,
    /// Where a waiting loop was held back.
    pub held_back: Cell<Option<Source>>,
    /// What trials showed.
    pub failures: RefCell<Vec<Failure>>,
    /// Set at the first of those.
    pub stop: Arc<AtomicBool>,
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
            weak: Cell::new(false),
            arena: UnsafeCell::default(),
        };
        RustRun::new(runtime, Rc::clone(&self.body), Rc::clone(&self.findings))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

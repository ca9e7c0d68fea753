//! The engine's [`Program`]: a closure.

use super::context::Runtime;
use super::knowledge::Knowledge;
use super::run::RustRun;
use super::state::State;
use crate::settings::Settings;
use mazurka_engine::Program;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::rc::Rc;

/// A closure that can be run again and again.
pub(crate) struct RustProgram {
    pub body: Rc<dyn Fn()>,
    pub settings: Settings,
    pub knowledge: Knowledge,
    pub name: String,
    /// The places of `assert_reachable!` that some execution has reached.
    pub reached: Rc<RefCell<FxHashSet<usize>>>,
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
        RustRun::new(runtime, Rc::clone(&self.body), Rc::clone(&self.reached))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

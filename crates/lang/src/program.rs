//! A compiled program: everything that is the same in all of its executions.

use crate::code::Code;
use crate::future::Future;
use crate::layout::Array;
use crate::source::Source;
use crate::vm::VmRun;
use mazurka_engine::{Mailbox, Program, Watch};
use std::sync::OnceLock;

/// A compiled program, ready to be run under any schedule.
#[derive(Clone, Debug)]
pub struct EdProgram {
    pub(crate) source: Source,
    pub(crate) code: Code,
    pub(crate) params: Vec<(String, i64)>,
    pub(crate) mailbox: Mailbox,
    /// Variables, then locks and semaphores.
    pub(crate) objects: Vec<Array>,
    /// The initial values of the objects: of variables, 0 for locks, the permits of semaphores.
    pub(crate) initial: Vec<i64>,
    pub(crate) handlers: Vec<Array>,
    /// The policy of each handler.
    pub(crate) policies: Vec<Mailbox>,
    pub(crate) threads: Vec<Array>,
    /// The routine of each entry of `threads`.
    pub(crate) thread_routines: Vec<u16>,
    pub(crate) finally_routines: Vec<u16>,
    pub(crate) invariant_routines: Vec<u16>,
    /// How often the body of a `while` may run.
    pub(crate) unroll: i64,
    /// What may still happen from each instruction on, once somebody has asked.
    pub(crate) future: OnceLock<Future>,
}

impl EdProgram {
    /// The `param`s in the order of the text, with the values that count.
    pub fn params(&self) -> &[(String, i64)] {
        &self.params
    }

    /// The default policy of the file's handlers, after an override.
    pub fn mailbox(&self) -> Mailbox {
        self.mailbox
    }

    /// Does any handler have this policy?
    pub fn has_mailbox(&self, policy: Mailbox) -> bool {
        self.policies.contains(&policy)
    }

    /// The program's text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn future(&self) -> &Future {
        self.future.get_or_init(|| Future::of(&self.code, &self.objects))
    }

    /// Is this the same program but for the places of things in their texts?
    pub fn is_same_code(&self, other: &EdProgram) -> bool {
        let EdProgram {
            source: _,
            code,
            params,
            mailbox,
            objects,
            initial,
            handlers,
            policies,
            threads,
            thread_routines,
            finally_routines,
            invariant_routines,
            unroll,
            future: _,
        } = self;
        code.is_same(&other.code)
            && *params == other.params
            && *mailbox == other.mailbox
            && *objects == other.objects
            && *initial == other.initial
            && *handlers == other.handlers
            && *policies == other.policies
            && *threads == other.threads
            && *thread_routines == other.thread_routines
            && *finally_routines == other.finally_routines
            && *invariant_routines == other.invariant_routines
            && *unroll == other.unroll
    }
}

impl Program for EdProgram {
    type Run<'p> = VmRun<'p>;

    fn start(&self) -> VmRun<'_> {
        VmRun::new(self, &Watch::default())
    }

    fn start_watched(&self, watch: &Watch) -> VmRun<'_> {
        VmRun::new(self, watch)
    }

    fn name(&self) -> &str {
        self.source.stem()
    }

    fn compares_states(&self) -> bool {
        true
    }
}

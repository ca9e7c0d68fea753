//! When to stop, and where to cut an execution: the clock, the size of the process, the length of executions.

use crate::config::{EXECUTION_SHARE, Limits};
use crate::execution::Execution;
use crate::memory;
use crate::outcome::Bound;
use crate::watch::Watch;
use std::time::{Duration, Instant};

/// How many steps may pass between two looks at the clock.
const STEPS_BETWEEN_CLOCK_LOOKS: usize = 256;
/// What is done for each step may take time in proportion to the events so far and to the tasks that are alive. So much of it is done
/// between two looks.
const WORK_BETWEEN_CLOCK_LOOKS: usize = 1 << 16;
/// A step with so many accesses takes as long as another one.
const ACCESSES_OF_A_STEP: usize = 64;
/// So long after the time is up, failures that have been found are still put into words.
const TIME_TO_REPORT: Duration = Duration::from_millis(100);
/// How often the size of the process is looked at.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);
/// How often observers hear of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The limits of an exploration, and how near it is to them.
pub(super) struct Bounds {
    pub started: Instant,
    pub watch: Watch,
    /// Should the exploration end now, although there may be more to explore?
    pub stopped: bool,
    /// An execution with so many events is cut, because of `cut_by`.
    pub most_events: usize,
    pub cut_by: Bound,
    pub out_of_memory: bool,
    timeout: Option<Duration>,
    max_memory: Option<u64>,
    max_executions: Option<u64>,
    last_progress: Instant,
    last_memory: Instant,
    steps_until_clock: usize,
}

impl Bounds {
    /// From now on.
    pub fn new(limits: &Limits) -> Self {
        let now = Instant::now();
        let watch = Watch::new(limits, now);
        let most_events = limits.max_events.map_or(usize::MAX, |most| most as usize);
        Bounds {
            started: now,
            stopped: watch.is_up(),
            watch,
            most_events: most_events.max(1),
            cut_by: Bound::Events,
            out_of_memory: false,
            timeout: limits.timeout,
            max_memory: limits.max_memory,
            max_executions: limits.max_executions,
            last_progress: now,
            last_memory: now,
            // The first look says how far the next one is.
            steps_until_clock: 1,
        }
    }

    /// So many tables with a bit for each pair of events of an execution are made, which must not be larger than an execution may be.
    pub fn expect_tables(&mut self, tables: u64) {
        let Some(most) = self.max_memory else { return };
        let events = (most / EXECUTION_SHARE * 8 / tables).isqrt() as usize;
        if events < self.most_events {
            self.most_events = events.max(1);
            self.cut_by = Bound::Memory;
        }
    }

    /// Has the time been up for a while?
    pub fn is_overdue(&self) -> bool {
        self.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout + TIME_TO_REPORT)
    }

    /// Counts a step with so many accesses. Is it time to look at the clock?
    #[inline]
    pub fn count_step(&mut self, accesses: usize) -> bool {
        let steps = 1 + accesses / ACCESSES_OF_A_STEP;
        self.steps_until_clock = self.steps_until_clock.saturating_sub(steps);
        self.steps_until_clock == 0
    }

    /// So many executions have ended.
    pub fn count_executions(&mut self, ended: u64) {
        self.stopped |= self.max_executions.is_some_and(|most| ended >= most);
    }

    /// Looks at clock and memory, where so many tasks are alive. Says whether observers should hear of progress.
    pub fn look(&mut self, execution: &Execution, alive: usize) -> bool {
        let steps = WORK_BETWEEN_CLOCK_LOOKS / (execution.len() + alive + 1);
        self.steps_until_clock = steps.clamp(1, STEPS_BETWEEN_CLOCK_LOOKS);
        self.stopped |= self.watch.is_up();
        let now = Instant::now();
        if now - self.last_memory >= MEMORY_INTERVAL {
            self.last_memory = now;
            self.look_at_memory(execution);
        }
        let is_due = now - self.last_progress >= PROGRESS_INTERVAL;
        if is_due {
            self.last_progress = now;
        }
        is_due
    }

    fn look_at_memory(&mut self, execution: &Execution) {
        let Some(most) = self.max_memory else { return };
        let is_cut = execution.len() >= self.most_events;
        if execution.bytes() as u64 > most / EXECUTION_SHARE && !is_cut {
            // Others that come to this length would take as much.
            self.most_events = execution.len();
            self.cut_by = Bound::Memory;
        }
        if memory::resident().is_some_and(|bytes| bytes > most) {
            self.out_of_memory = true;
            self.stopped = true;
        }
    }
}

//! What the runtime is told by the [`crate::Builder`].

/// Which executions of atomics are explored: see [`crate::Builder::memory`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Those that C11 allows, without loads that read what comes after them (RC11): a load may read an older store than the newest, if
    /// nothing makes the newer one happen before it. Programs that use nothing weaker than `SeqCst` have no other executions.
    Weak,
    /// Every ordering counts as `SeqCst`.
    Sequential,
}

/// How checked code is run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// A task that announces more operations than this is cut.
    pub max_steps: u64,
    /// The size of a coroutine's stack in bytes.
    pub stack_size: usize,
    /// Is a panic that ends a thread or message a failure?
    pub panics_fail: bool,
    /// Is a tracked object that nobody drops a failure?
    pub leaks_fail: bool,
    /// Are only values that a front-end counts leaks?
    pub counted_leaks_only: bool,
    /// After so many identical rounds of a spinning loop the task is held back.
    pub spin_bound: u32,
    /// A task's timed waits time out only so often in one execution.
    pub timeout_bound: u32,
    /// How many handlers poll asynchronous tasks; `None`: each task has its own.
    pub workers: Option<u32>,
    /// Are FIFO mailboxes treated as unordered ones?
    pub unordered_mailboxes: bool,
    /// Which executions of atomics are explored.
    pub memory: Memory,
    /// Can the algorithm explore weak memory?
    pub weak_is_explored: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_steps: 20_000,
            stack_size: 256 * 1024,
            panics_fail: true,
            leaks_fail: true,
            counted_leaks_only: false,
            spin_bound: 1,
            timeout_bound: 2,
            workers: None,
            unordered_mailboxes: false,
            memory: Memory::Weak,
            weak_is_explored: true,
        }
    }
}

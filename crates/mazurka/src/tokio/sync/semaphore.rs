//! [`Semaphore`]: fair, as tokio's: permits go to those who wait, in the order in which they came.

use super::shared::{Done, Shared};
use crate::runtime::state::Source;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Stands in for `tokio::sync::Semaphore`.
#[derive(Debug)]
pub struct Semaphore {
    shared: Shared<State>,
}

#[derive(Debug)]
struct State {
    permits: usize,
    closed: bool,
    next: u64,
    waiting: VecDeque<Waiting>,
    /// Those whose permits wait to be picked up.
    granted: Vec<u64>,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    needs: usize,
    waker: Waker,
}

impl State {
    /// Hands permits to those who wait, in order.
    fn grant(&mut self) -> Vec<Waker> {
        let mut woken = Vec::new();
        while let Some(first) = self.waiting.front() {
            if first.needs > self.permits {
                break;
            }
            self.permits -= first.needs;
            let first = self.waiting.pop_front().expect("there is a first one");
            self.granted.push(first.number);
            woken.push(first.waker);
        }
        woken
    }

    fn take_grant(&mut self, number: u64) -> bool {
        let at = self.granted.iter().position(|granted| *granted == number);
        at.map(|at| self.granted.swap_remove(at)).is_some()
    }
}

/// The semaphore was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AcquireError(());

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("semaphore closed")
    }
}

impl std::error::Error for AcquireError {}

/// Why there is no permit now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TryAcquireError {
    /// The semaphore was closed.
    Closed,
    /// There are not enough permits.
    NoPermits,
}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TryAcquireError::Closed => "semaphore closed",
            TryAcquireError::NoPermits => "no permits available",
        })
    }
}

impl std::error::Error for TryAcquireError {}

impl Semaphore {
    /// A semaphore with so many permits.
    #[track_caller]
    pub const fn new(permits: usize) -> Self {
        let state = State {
            permits,
            closed: false,
            next: 0,
            waiting: VecDeque::new(),
            granted: Vec::new(),
        };
        Semaphore { shared: Shared::new("Semaphore", state) }
    }

    /// The same as [`Semaphore::new`].
    #[track_caller]
    pub const fn const_new(permits: usize) -> Self {
        Semaphore::new(permits)
    }

    /// The permits that nobody has.
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        self.shared.look(|state| state.permits)
    }

    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        self.acquire_many(1)
    }

    /// Waits for so many permits.
    ///
    /// # Errors
    ///
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire_many(
        &self,
        permits: u32,
    ) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        let (source, acquire) = (Location::caller(), self.wait_for(permits as usize));
        async move {
            acquire.await?;
            Ok(SemaphorePermit { semaphore: self, permits, source })
        }
    }

    /// Waits for a permit that keeps the semaphore alive.
    ///
    /// # Errors
    ///
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire_owned(
        self: Arc<Self>,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        let source = Location::caller();
        async move {
            self.wait_for_at(1, source).await?;
            Ok(OwnedSemaphorePermit { semaphore: self, permits: 1, source })
        }
    }

    /// Takes a permit if there is one.
    ///
    /// # Errors
    ///
    /// If there is none, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_take(1)?;
        Ok(SemaphorePermit { semaphore: self, permits: 1, source: Location::caller() })
    }

    /// Takes a permit that keeps the semaphore alive, if there is one.
    ///
    /// # Errors
    ///
    /// If there is none, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_take(1)?;
        Ok(OwnedSemaphorePermit { semaphore: self, permits: 1, source: Location::caller() })
    }

    /// Adds permits.
    #[track_caller]
    pub fn add_permits(&self, permits: usize) {
        self.add_permits_at(permits, Location::caller());
    }

    pub(super) fn add_permits_at(&self, permits: usize, source: Source) {
        self.shared.operate_at(source, |state| {
            state.permits += permits;
            let woken = state.grant();
            Done::waking((), woken)
        });
    }

    /// Nobody gets a permit any more; those who wait hear of it.
    #[track_caller]
    pub fn close(&self) {
        self.shared.operate(|state| {
            state.closed = true;
            let woken: Vec<Waker> = state.waiting.drain(..).map(|waiting| waiting.waker).collect();
            Done::waking((), woken)
        });
    }

    /// Was it closed?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared.look(|state| state.closed)
    }

    #[track_caller]
    pub(super) fn wait_for(&self, permits: usize) -> Acquire<'_> {
        self.wait_for_at(permits, Location::caller())
    }

    pub(super) fn wait_for_at(&self, permits: usize, source: Source) -> Acquire<'_> {
        Acquire { semaphore: self, needs: permits, number: None, source }
    }

    #[track_caller]
    pub(super) fn try_take(&self, permits: usize) -> Result<(), TryAcquireError> {
        self.shared.operate(|state| {
            if state.closed {
                return Done::looked(Err(TryAcquireError::Closed));
            }
            if state.permits < permits {
                return Done::looked(Err(TryAcquireError::NoPermits));
            }
            state.permits -= permits;
            Done::changed(Ok(()))
        })
    }
}

/// Waits for permits.
pub(super) struct Acquire<'a> {
    semaphore: &'a Semaphore,
    needs: usize,
    /// Its number among those who wait, once it does.
    number: Option<u64>,
    source: Source,
}

impl Future for Acquire<'_> {
    type Output = Result<(), AcquireError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (needs, number, source) = (self.needs, self.number, self.source);
        let waker = context.waker().clone();
        let (polled, number) = self.semaphore.shared.operate_at(source, |state| match number {
            Some(number) if state.take_grant(number) => Done::changed((Poll::Ready(Ok(())), None)),
            _ if state.closed => Done::looked((Poll::Ready(Err(AcquireError(()))), None)),
            Some(number) => {
                if let Some(waiting) =
                    state.waiting.iter_mut().find(|waiting| waiting.number == number)
                {
                    waiting.waker = waker;
                }
                Done::changed((Poll::Pending, Some(number)))
            }
            None if state.waiting.is_empty() && state.permits >= needs => {
                state.permits -= needs;
                Done::changed((Poll::Ready(Ok(())), None))
            }
            None => {
                let number = state.next;
                state.next += 1;
                state.waiting.push_back(Waiting { number, needs, waker });
                Done::changed((Poll::Pending, Some(number)))
            }
        });
        self.number = number;
        polled
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let needs = self.needs;
        self.semaphore.shared.operate_at(self.source, |state| {
            state.waiting.retain(|waiting| waiting.number != number);
            if state.take_grant(number) {
                state.permits += needs;
            }
            let woken = state.grant();
            Done::waking((), woken)
        });
    }
}

/// A permit; given back when dropped.
#[must_use]
#[derive(Debug)]
pub struct SemaphorePermit<'a> {
    semaphore: &'a Semaphore,
    permits: u32,
    source: Source,
}

impl SemaphorePermit<'_> {
    /// Does not give the permit back.
    pub fn forget(mut self) {
        self.permits = 0;
    }
}

impl Drop for SemaphorePermit<'_> {
    fn drop(&mut self) {
        if self.permits > 0 {
            self.semaphore.add_permits_at(self.permits as usize, self.source);
        }
    }
}

/// A permit that keeps its semaphore alive; given back when dropped.
#[must_use]
#[derive(Debug)]
pub struct OwnedSemaphorePermit {
    semaphore: Arc<Semaphore>,
    permits: u32,
    source: Source,
}

impl OwnedSemaphorePermit {
    /// Does not give the permit back.
    pub fn forget(mut self) {
        self.permits = 0;
    }
}

impl Drop for OwnedSemaphorePermit {
    fn drop(&mut self) {
        if self.permits > 0 {
            self.semaphore.add_permits_at(self.permits as usize, self.source);
        }
    }
}

//! Owners of shared values that are seen, for the package `mazurka-loom`: [`Count`] counts them, and what is not given back
//! at the end of an execution is a leak.
//!
//! Who drops a value last runs its destructor. Where that does something that others see, which is learned for each place that
//! makes such values, every drop is an event. Who drops while the first owner is still there, which most often is the last to
//! go, is not the last: such drops commute with each other, and not with that of the first owner. All others are ordered, since
//! whether a drop is the last depends on all of them.
//! Where somebody asks for the number of owners ([`Fact::CountsObserved`]), all that changes it is an event.

use crate::builder::Builder;
use crate::runtime::context::{
    Presence, announce, knows, learn, must_be_alive, performed, presence, try_with, with,
};
use crate::runtime::identity::Identity;
use crate::runtime::knowledge::{Fact, Places};
use crate::runtime::state::{Source, State};
use mazurka_engine::{Access, Mode, Operation};
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// What must be given back, and where it was made. The keys and counts are addresses with their bits turned, so that they
/// do not look like pointers.
pub(crate) type Ledger = BTreeMap<usize, (usize, Source)>;

/// For code outside of every exploration.
static OUTSIDE: Mutex<Ledger> = Mutex::new(Ledger::new());

fn with_ledger<R>(f: impl FnOnce(&mut Ledger) -> R) -> R {
    if presence() == Presence::Task {
        return with(|state| f(&mut state.counted));
    }
    f(&mut OUTSIDE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The number of owners of a value.
#[derive(Debug)]
pub struct Count {
    identity: Identity,
    owners: AtomicUsize,
    /// Has it had more than one owner?
    shared: AtomicBool,
    first_is_there: AtomicBool,
    made_at: Source,
}

impl Default for Count {
    #[track_caller]
    fn default() -> Self {
        Count::new()
    }
}

impl Count {
    /// One owner.
    #[track_caller]
    pub fn new() -> Self {
        Count {
            identity: Identity::new(),
            owners: AtomicUsize::new(1),
            shared: AtomicBool::new(false),
            first_is_there: AtomicBool::new(true),
            made_at: Location::caller(),
        }
    }

    /// The value lies at this address, and its count at that.
    pub fn register(&self, address: usize, count: *const Count) {
        with_ledger(|ledger| ledger.insert(!address, (!(count as usize), self.made_at)));
    }

    /// The count of the value at this address.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn find(address: usize) -> *const Count {
        let found = with_ledger(|ledger| ledger.get(&!address).copied());
        let (count, _) = found.expect("an address that `into_raw` made, and whose value is alive");
        !count as *const Count
    }

    /// One owner more.
    #[track_caller]
    pub fn add(&self) {
        if presence() == Presence::Task && knows(Fact::CountsObserved) {
            let object = self.identity.find("Arc", || 0).id;
            announce(Operation::Access(object, Mode::Signal), Location::caller());
            performed(object, Mode::Signal, 0, 0);
        }
        self.shared.store(true, Relaxed);
        self.owners.fetch_add(1, Relaxed);
    }

    /// One owner less, the first or another one; was it the last?
    #[track_caller]
    pub fn remove(&self, address: usize, is_first: bool) -> bool {
        let mode = self.drops_as();
        if let Some(mode) = mode {
            let object = self.identity.find("Arc", || 0).id;
            announce(Operation::Access(object, mode), Location::caller());
            must_be_alive(object);
        }
        let last = self.owners.fetch_sub(1, Relaxed) == 1;
        if let Some(mode) = mode {
            self.performed(mode, is_first, last);
        }
        if is_first {
            self.first_is_there.store(false, Relaxed);
        }
        self.order(last);
        if last {
            with_ledger(|ledger| ledger.remove(&!address));
        }
        last
    }

    /// How a drop is announced, if it is an event.
    fn drops_as(&self) -> Option<Mode> {
        // A value that was never shared is nobody else's business.
        if presence() != Presence::Task || !self.shared.load(Relaxed) {
            return None;
        }
        let matters = with(|state| state.knowledge.knows_drops(Places::of(self.made_at)));
        let is_counted = || knows(Fact::CountsObserved).then_some(Mode::Signal);
        if matters { Some(Mode::Update) } else { is_counted() }
    }

    /// The event of a drop.
    fn performed(&self, announced: Mode, is_first: bool, last: bool) {
        let object = self.identity.find("Arc", || 0).id;
        let commutes = !is_first && self.first_is_there.load(Relaxed);
        let mode = if commutes { Mode::Signal } else { announced };
        // Who is not the last publishes what it did, and sees nothing.
        let access = Access { object, mode, read: 0, written: i64::from(!last) };
        with(|state| {
            state.performed.data_dependent = announced == Mode::Update && !is_first;
            state.access(access, None);
        });
    }

    /// The first owner becomes a raw pointer, and one like the others: an event where it is one that it is dropped.
    #[track_caller]
    pub fn first_becomes_raw(&self) {
        if self.drops_as() == Some(Mode::Update) {
            let object = self.identity.find("Arc", || 0).id;
            announce(Operation::Access(object, Mode::Update), Location::caller());
            must_be_alive(object);
            self.performed(Mode::Update, true, false);
        }
        self.first_is_there.store(false, Relaxed);
    }

    /// What earlier owners did happens before what the last one does, also where their drops are no events.
    fn order(&self, last: bool) {
        if try_with(|state| state.clocks.is_some()) != Some(true) {
            return;
        }
        let object = self.identity.find("Arc", || 0).id;
        with(|state| {
            let task = state.current;
            let mode = if last { Mode::Update } else { Mode::Signal };
            if let Some(clocks) = &mut state.clocks {
                clocks.synchronise(task, object, mode);
            }
        });
    }

    /// The last owner takes the value.
    pub fn forget_last(&self, address: usize) {
        self.owners.store(0, Relaxed);
        with_ledger(|ledger| ledger.remove(&!address));
    }

    /// Where the value was made.
    pub fn made_at(&self) -> Source {
        self.made_at
    }

    /// The number of owners, as an event.
    #[track_caller]
    pub fn look(&self) -> usize {
        if presence() == Presence::Task {
            learn(Fact::CountsObserved);
            let object = self.identity.find("Arc", || 0).id;
            announce(Operation::Access(object, Mode::Read), Location::caller());
            performed(object, Mode::Read, self.owners.load(Relaxed) as i64, 0);
        }
        self.owners.load(Relaxed)
    }

    /// Is there one owner only?
    #[track_caller]
    pub fn is_only_owner(&self) -> bool {
        self.look() == 1
    }
}

/// Drops a value whose last owner is gone, and which was made here.
pub fn drop_last<T>(value: T, made_at: Source) {
    let replace = |places: Option<Places>| {
        try_with(|state| {
            let dropping = &mut state.current_task().dropping;
            let all = dropping.and(Places::of(made_at));
            std::mem::replace(dropping, places.unwrap_or(all))
        })
    };
    let before = replace(None);
    drop(value);
    replace(before);
}

/// Something that must be dropped before an execution ends.
#[derive(Debug)]
pub struct Tracked(usize);

/// Keys that are no addresses.
static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Tracked {
    /// Something that is made here.
    #[track_caller]
    pub fn new() -> Self {
        // Odd, and turned, it is no address of a block.
        let key = NEXT.fetch_add(2, Relaxed) | 1;
        let made_at = Location::caller();
        with_ledger(|ledger| ledger.insert(key, (0, made_at)));
        Tracked(key)
    }
}

impl Default for Tracked {
    #[track_caller]
    fn default() -> Self {
        Tracked::new()
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        with_ledger(|ledger| ledger.remove(&self.0));
    }
}

/// A block that must be given back.
#[track_caller]
pub fn track(block: *mut u8) {
    let made_at = Location::caller();
    with_ledger(|ledger| ledger.insert(!(block as usize), (0, made_at)));
}

/// It is given back.
pub fn untrack(block: *mut u8) {
    with_ledger(|ledger| ledger.remove(&!(block as usize)));
}

/// What is counted may outlive the execution in progress: a `static` may own it.
pub fn excuse_counted() {
    try_with(|state| state.counted_excused = true);
}

/// Only what is counted here can be a leak.
pub fn counted_leaks_only(mut builder: Builder) -> Builder {
    builder.settings.counted_leaks_only = true;
    builder
}

/// What has not been given back at the end of an execution.
pub(crate) fn leaked(state: &State) -> Option<Source> {
    let excused = state.counted_excused;
    state.counted.values().map(|(_, made_at)| *made_at).next().filter(|_| !excused)
}

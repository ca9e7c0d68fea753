//! The identity of an object: which number the engine knows it by.

use super::context::{block_holds, epoch, find_block, used_at, with};
use super::names::{ObjectInfo, Owner, Place};
use super::statics;
use mazurka_engine::ObjectId;
use std::panic::Location;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// Bits of a stamp that hold the object's number; the rest is the execution's.
const OBJECT_BITS: u32 = 24;

/// Lies inside every object of a stand-in. Const-constructible; the number is found at the first use
/// in each execution.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The execution in which the object got its number, and the number. 0: never used.
    stamp: AtomicU64,
    /// The bits it had before its first use by a task.
    initial: AtomicI64,
    made_at: &'static Location<'static>,
}

/// An object as an operation finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub id: ObjectId,
    /// Was it used in an earlier execution, and not yet in this one? Then it must go back to its
    /// initial state, whose bits are these.
    pub reset: Option<i64>,
}

impl Identity {
    /// The identity of an object that is made here.
    #[track_caller]
    pub(crate) const fn new() -> Self {
        Identity::made_at(Location::caller())
    }

    /// The identity of an object that is made at this place.
    pub(crate) const fn made_at(made_at: &'static Location<'static>) -> Self {
        Identity { stamp: AtomicU64::new(0), initial: AtomicI64::new(0), made_at }
    }

    /// The object's number in this execution. `initial` gives the bits to restore in later ones.
    #[inline]
    pub(crate) fn find(&self, kind: &'static str, initial: impl FnOnce() -> i64) -> Found {
        let stamp = self.stamp.load(Relaxed);
        let epoch = epoch();
        if stamp >> OBJECT_BITS == epoch {
            let id = ObjectId((stamp & ((1 << OBJECT_BITS) - 1)) as u32);
            used_at(id, std::ptr::from_ref(self) as usize);
            return Found { id, reset: None };
        }
        self.name(kind, epoch, initial)
    }

    /// The object was changed outside of every exploration: that is its new initial state.
    #[inline]
    pub(crate) fn forget(&self) {
        self.stamp.store(0, Relaxed);
    }

    #[cold]
    fn name(&self, kind: &'static str, epoch: u64, initial: impl FnOnce() -> i64) -> Found {
        let place = self.place();
        let stamp = self.stamp.load(Relaxed);
        if stamp == 0 {
            self.initial.store(initial(), Relaxed);
        }
        let info = ObjectInfo { kind, made_at: self.made_at, permits: 0, owner: Owner::User };
        let id = with(|state| state.names.object(epoch, place.0, info));
        if let Some(block) = place.1 {
            block_holds(block, id);
        }
        assert!(id.0 < 1 << OBJECT_BITS, "more than 16 million objects in one exploration");
        self.stamp.store(epoch << OBJECT_BITS | u64::from(id.0), Relaxed);
        Found { id, reset: (stamp != 0).then(|| self.initial.load(Relaxed)) }
    }

    /// Where it lies, and in which block.
    fn place(&self) -> (Place, Option<u32>) {
        let address = std::ptr::from_ref(self) as usize;
        if let Some((task, offset)) = with(|state| state.find_on_stacks(address)) {
            return (Place::Stack(task, offset), None);
        }
        if let Some((origin, block)) = find_block(address) {
            return (Place::Block(origin), Some(block));
        }
        statics::hold();
        (self.outside(address), None)
    }

    #[cfg(feature = "track-allocations")]
    fn outside(&self, address: usize) -> Place {
        Place::Outside(address)
    }

    /// Without the allocator's help: by the source line, and there by the order of the first use.
    #[cfg(not(feature = "track-allocations"))]
    fn outside(&self, _address: usize) -> Place {
        Place::Outside(std::ptr::from_ref(self.made_at) as usize)
    }
}

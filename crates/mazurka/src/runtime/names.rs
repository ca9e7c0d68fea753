//! Names that hold across executions for handlers, objects and places in the source.

use super::memory::arena::Origin;
use mazurka_engine::{HandlerId, LocationId, Mailbox, ObjectId, TaskId};
use rustc_hash::FxHashMap;
use std::panic::Location;

/// Where an object lies in memory, told in a way that is the same in every interleaving.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// In a block that a task allocated.
    Block(Origin),
    /// On the stack of a task, so far from its base.
    Stack(TaskId, usize),
    /// At this address, outside of everything that checked code made: a `static`, or something that
    /// was made before the exploration.
    Outside(usize),
    /// Made by the runtime itself: the k-th of its task.
    Made(TaskId, u32),
    /// The semaphore on which a task parks.
    Token(TaskId),
    /// The variable that says whether a thread has ended.
    End(TaskId),
    /// A thread-local of a handler's thread, by the address of its key.
    Local(HandlerId, usize),
    /// The variable that says whether a handler has quit.
    Quit(HandlerId),
    /// The queue of a handler that is posted to at the front.
    Chain(HandlerId),
}

/// What is known of an object for a whole exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectInfo {
    /// Its type, as in the source.
    pub kind: &'static str,
    /// Where it was made.
    pub made_at: &'static Location<'static>,
    /// The permits of a semaphore before its first use.
    pub permits: u32,
}

/// What is known of a handler for a whole exploration.
#[derive(Clone, Debug)]
pub(crate) struct HandlerInfo {
    pub name: String,
    pub mailbox: Mailbox,
}

/// Objects that were at one place, one after the other, in the current execution.
#[derive(Default, Debug)]
struct Tenants {
    epoch: u64,
    current: usize,
    ids: Vec<ObjectId>,
}

/// Everything that has ever been named in an exploration.
#[derive(Default, Debug)]
pub(crate) struct Names {
    places: FxHashMap<Place, Tenants>,
    objects: Vec<ObjectInfo>,
    handlers: Vec<HandlerInfo>,
    handler_ids: FxHashMap<(TaskId, u32), HandlerId>,
    locations: Vec<&'static Location<'static>>,
    location_ids: FxHashMap<usize, LocationId>,
    recent: RecentLocations,
}

/// Numbers of places that were asked for lately, by their address.
#[derive(Debug)]
struct RecentLocations([(usize, LocationId); 64]);

impl Default for RecentLocations {
    fn default() -> Self {
        RecentLocations([(0, LocationId(0)); 64])
    }
}

impl Names {
    /// The number of the object that is now first used at this place. A place whose earlier object
    /// was used in the same execution has a new tenant.
    pub(crate) fn object(&mut self, epoch: u64, place: Place, info: ObjectInfo) -> ObjectId {
        let tenants = self.places.entry(place).or_default();
        if tenants.epoch == epoch {
            tenants.current += 1;
        } else {
            tenants.epoch = epoch;
            tenants.current = 0;
        }
        if tenants.current == tenants.ids.len() {
            tenants.ids.push(ObjectId::from(self.objects.len()));
            self.objects.push(info);
        }
        tenants.ids[tenants.current]
    }

    /// What is known of an object.
    pub(crate) fn object_info(&self, object: ObjectId) -> &ObjectInfo {
        &self.objects[object.index()]
    }

    /// What people call an object.
    pub(crate) fn object_name(&self, object: ObjectId) -> String {
        let info = self.object_info(object);
        let place = info.made_at;
        let alike =
            |other: &&ObjectInfo| std::ptr::eq(other.made_at, place) && other.kind == info.kind;
        let before = self.objects[..object.index()].iter().filter(alike).count();
        let ordinal = if before == 0 { String::new() } else { format!(" #{}", before + 1) };
        format!(
            "{}{ordinal} of {}:{}:{}",
            info.kind,
            file_name(place.file()),
            place.line(),
            place.column()
        )
    }

    /// The number of the `k`-th handler of a task.
    pub(crate) fn handler(
        &mut self,
        creator: TaskId,
        k: u32,
        info: impl FnOnce() -> HandlerInfo,
    ) -> HandlerId {
        *self.handler_ids.entry((creator, k)).or_insert_with(|| {
            self.handlers.push(info());
            HandlerId::from(self.handlers.len() - 1)
        })
    }

    /// The number of a worker of the executor.
    pub(crate) fn worker(&mut self, number: u32, info: impl FnOnce() -> HandlerInfo) -> HandlerId {
        // No task has this number.
        self.handler(TaskId(u32::MAX), number, info)
    }

    /// What is known of a handler.
    pub(crate) fn handler_info(&self, handler: HandlerId) -> &HandlerInfo {
        &self.handlers[handler.index()]
    }

    /// The number of a place in the source.
    #[inline]
    pub(crate) fn location_id(&mut self, place: &'static Location<'static>) -> LocationId {
        let address = std::ptr::from_ref(place) as usize;
        let slot = address / align_of::<Location<'_>>() % self.recent.0.len();
        let (known, id) = self.recent.0[slot];
        if known == address {
            return id;
        }
        let id = self.find_location(place);
        self.recent.0[slot] = (address, id);
        id
    }

    #[cold]
    fn find_location(&mut self, place: &'static Location<'static>) -> LocationId {
        *self.location_ids.entry(std::ptr::from_ref(place) as usize).or_insert_with(|| {
            self.locations.push(place);
            LocationId::from(self.locations.len() - 1)
        })
    }

    /// The place in the source that has this number.
    pub(crate) fn location(&self, id: LocationId) -> &'static Location<'static> {
        self.locations[id.index()]
    }
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last two parts of a path, which is what people recognise.
pub(crate) fn short_file(path: &str) -> &str {
    let mut cuts = path.rmatch_indices(['/', '\\']);
    match cuts.nth(1) {
        Some((cut, _)) => &path[cut + 1..],
        None => path,
    }
}

//! Names that hold across executions for handlers, objects and places in the source.

use super::bindings::binding;
use super::memory::arena::Origin;
use mazurka_engine::{HandlerId, LocationId, Mailbox, ObjectId, TaskId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
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
    /// Whose it is.
    pub owner: Owner,
}

/// Whose an object is, which decides about its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// The user's, who has bound it to a name.
    User,
    /// The runtime's, to make a stand-in work that is made at the same place.
    StandIn,
    /// A task's, to wait for something of this object.
    Waiting(ObjectId),
    /// The runtime's.
    Runtime,
}

impl ObjectInfo {
    /// An object of the runtime.
    pub(crate) fn of_runtime(kind: &'static str, made_at: &'static Location<'static>) -> Self {
        ObjectInfo { kind, made_at, permits: 0, owner: Owner::Runtime }
    }
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
    /// What the source binds things to that are made at these places.
    bindings: RefCell<FxHashMap<usize, Option<String>>>,
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
        let id = tenants.ids[tenants.current];
        // Where a task waits at this place now may be for another object than where it waited before.
        self.objects[id.index()].owner = info.owner;
        id
    }

    /// What is known of an object.
    pub(crate) fn object_info(&self, object: ObjectId) -> &ObjectInfo {
        &self.objects[object.index()]
    }

    /// What people call an object: by its binding where the source is at hand, else by its type and place. Of several with one name
    /// the later ones have numbers.
    pub(crate) fn object_name(&self, object: ObjectId) -> String {
        let name = self.name_of(object);
        let alike = |&other: &usize| self.name_of(ObjectId::from(other)) == name;
        match (0..object.index()).filter(alike).count() {
            0 => name,
            before => format!("{name} #{}", before + 1),
        }
    }

    /// The same without its number.
    fn name_of(&self, object: ObjectId) -> String {
        let ObjectInfo { kind, made_at, owner, .. } = *self.object_info(object);
        match (owner, self.binding(made_at)) {
            (Owner::Waiting(awaited), _) => format!("{kind} {}", self.object_name(awaited)),
            (Owner::User, Some(binding)) => binding,
            (Owner::StandIn, Some(binding)) => kind.replace("channel", &binding),
            _ => {
                let file = file_name(made_at.file());
                format!("{kind} of {file}:{}:{}", made_at.line(), made_at.column())
            }
        }
    }

    fn binding(&self, made_at: &'static Location<'static>) -> Option<String> {
        let key = std::ptr::from_ref(made_at) as usize;
        self.bindings.borrow_mut().entry(key).or_insert_with(|| binding(made_at)).clone()
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

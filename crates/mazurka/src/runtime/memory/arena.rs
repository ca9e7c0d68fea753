//! The blocks of one execution: where they lie, who allocated them and who gave them back.
#![expect(unsafe_code, reason = "blocks are cut out of a slab")]

use super::slab::{self, Retired, Slab};
use crate::runtime::state::Source;
use mazurka_engine::ObjectId;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::alloc::Layout;
use std::hash::{Hash, Hasher};

/// The first blocks of each task lie in a piece of the slab of this size that is its own.
const PIECE: usize = 1 << 16;
/// So many tasks have one. What does not fit lies in the second half of the slab, in the order of the schedule.
const PIECES: usize = slab::SIZE / 2 / PIECE;
/// Before each block stands its number.
const HEADER: usize = 16;
/// No counter of an `Arc` that is alive is larger.
const MOST_OWNERS: usize = 1 << 24;

/// Where something was done: the task, and the operation behind which its local code stood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Behind {
    pub task: u32,
    pub operation: Option<Source>,
}

/// One allocation of checked code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Offset in the slab.
    start: u32,
    pub size: usize,
    pub made: Behind,
    /// Who gave it back.
    pub freed: Option<Behind>,
    /// How many blocks of this size the task had allocated before.
    pub nth: u32,
    /// The number of objects of stand-ins in it that have been used.
    objects: u32,
    /// Does it look like that of an `Arc` or `Rc`?
    shared: bool,
}

/// Where a block comes from, told in a way that is the same in every interleaving.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Origin {
    /// The number of the task that allocated it.
    pub task: u32,
    /// Its size.
    pub size: usize,
    /// How many blocks of this size the task had allocated before.
    pub nth: u32,
    /// The place asked for, counted from the start of the block.
    pub offset: usize,
}

/// A part of the slab that is filled from its start.
#[derive(Default, Debug)]
struct Piece {
    /// Offsets: where the next block may begin.
    next: usize,
    end: usize,
    /// The numbers of its blocks, which lie one behind the other.
    blocks: Vec<u32>,
}

/// A mistake of the checked code that the allocator sees.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Misuse {
    /// The block was given back before.
    DoubleFree(u32, Behind),
    /// No block begins at what was given back.
    NoBlock(Behind),
}

/// The memory of the execution in progress.
#[derive(Default, Debug)]
pub(crate) struct Arena {
    /// None: the system gives none, or none is wanted.
    slab: Option<Slab>,
    /// Whose code runs.
    pub behind: Option<Behind>,
    blocks: Vec<Block>,
    alive: usize,
    pieces: Vec<Piece>,
    rest: Piece,
    /// How many blocks of each size a task has allocated.
    counts: FxHashMap<(u32, usize), u32>,
    /// Objects that lie in blocks.
    objects: Vec<(ObjectId, u32)>,
    /// Those of them whose block was given back.
    dead: FxHashSet<ObjectId>,
    /// Those that died in the current step.
    pub just_died: Vec<ObjectId>,
    pub misuses: Vec<Misuse>,
}

impl Arena {
    /// A new execution begins.
    pub(crate) fn begin(&mut self) {
        self.slab = self.slab.or_else(slab::take);
    }

    /// The execution is over, and so is everything in it.
    pub(crate) fn end(&mut self) {
        if self.alive > 0
            && let Some(slab) = self.slab.take()
        {
            slab::retire(Retired { slab, used: self.used() });
        }
        self.blocks.clear();
        self.alive = 0;
        for piece in self.pieces.iter_mut().chain([&mut self.rest]) {
            piece.next = 0;
            piece.end = 0;
            piece.blocks.clear();
        }
        self.counts.clear();
        self.objects.clear();
        self.dead.clear();
        self.just_died.clear();
        self.misuses.clear();
        self.behind = None;
    }

    /// The offsets of the parts of the slab that are in use.
    pub(crate) fn used(&self) -> Vec<(u32, u32)> {
        let pieces =
            self.pieces.iter().chain([&self.rest]).filter(|piece| !piece.blocks.is_empty());
        pieces
            .map(|piece| {
                let first = self.blocks[piece.blocks[0] as usize].start;
                (first, piece.next as u32)
            })
            .collect()
    }

    /// The slab of the execution.
    pub(crate) fn slab(&self) -> Option<Slab> {
        self.slab
    }

    /// A block for the running task; `None` if there is no room.
    pub(crate) fn allocate(&mut self, layout: Layout) -> Option<*mut u8> {
        let (slab, made) = (self.slab?, self.behind?);
        let number = u32::try_from(self.blocks.len()).ok()?;
        let task = made.task as usize;
        if task < PIECES && self.pieces.len() <= task {
            self.pieces.resize_with(task + 1, Piece::default);
        }
        let own = self
            .pieces
            .get_mut(task)
            .and_then(|piece| piece.cut(task * PIECE, PIECE, layout, number));
        let start = match own {
            Some(start) => start,
            None => self.rest.cut(slab::SIZE / 2, slab::SIZE / 2, layout, number)?,
        };
        let count = self.counts.entry((made.task, layout.size())).or_default();
        let nth = *count;
        *count += 1;
        let start_offset = start as u32;
        let (size, freed) = (layout.size(), None);
        self.blocks.push(Block {
            start: start_offset,
            size,
            made,
            freed,
            nth,
            objects: 0,
            shared: false,
        });
        self.alive += 1;
        let address = slab.start() + start;
        // SAFETY: the slab is writable, and `cut` has left room for the number before the block.
        unsafe { ((address - HEADER) as *mut u64).write(u64::from(number)) };
        Some(address as *mut u8)
    }

    /// A block is given back: it is dead from now on, and stays where it is. `false`: it is none of this execution.
    pub(crate) fn free(&mut self, address: usize) -> bool {
        let Some((slab, offset)) = Slab::of(address) else { return false };
        let Some(behind) = self.behind.filter(|_| self.slab == Some(slab)) else {
            // Something that an earlier execution allocated: its slab is searched before it is used again.
            return true;
        };
        let Some(number) = self.number_at(address, offset) else {
            self.misuses.push(Misuse::NoBlock(behind));
            return true;
        };
        let block = &mut self.blocks[number as usize];
        if block.freed.is_some() {
            self.misuses.push(Misuse::DoubleFree(number, behind));
            return true;
        }
        block.freed = Some(behind);
        self.alive -= 1;
        if block.objects > 0 {
            // The value of an `Arc` outlives whoever still uses it.
            let counted = block.shared && words(address, block.size) == Some((0, 0));
            for &(object, _) in self.objects.iter().filter(|(_, at)| *at == number) {
                self.dead.insert(object);
                if !counted {
                    self.just_died.push(object);
                }
            }
        }
        true
    }

    /// The number of the block that begins here.
    fn number_at(&self, address: usize, offset: usize) -> Option<u32> {
        if offset < HEADER || !offset.is_multiple_of(align_of::<u64>()) {
            return None;
        }
        // SAFETY: the slab is readable, and the address is aligned.
        let number = unsafe { ((address - HEADER) as *const u64).read() };
        let block = self.blocks.get(usize::try_from(number).ok()?)?;
        (block.start as usize == offset).then_some(number as u32)
    }

    /// The number of the block that holds an address of this execution.
    pub(crate) fn find(&self, address: usize) -> Option<u32> {
        let (slab, offset) = Slab::of(address)?;
        if self.slab != Some(slab) {
            return None;
        }
        let piece =
            if offset < slab::SIZE / 2 { self.pieces.get(offset / PIECE)? } else { &self.rest };
        let behind =
            piece.blocks.partition_point(|&at| self.blocks[at as usize].start as usize <= offset);
        let number = *piece.blocks.get(behind.checked_sub(1)?)?;
        let block = &self.blocks[number as usize];
        // What has no size lies where it begins.
        (offset - (block.start as usize) < block.size.max(1)).then_some(number)
    }

    /// Where the block comes from that holds an address, and its number.
    pub(crate) fn origin(&self, address: usize) -> Option<(Origin, u32)> {
        let number = self.find(address)?;
        let block = self.block(number);
        let offset = address - self.address(number);
        Some((Origin { task: block.made.task, size: block.size, nth: block.nth, offset }, number))
    }

    /// A block by its number.
    pub(crate) fn block(&self, number: u32) -> &Block {
        &self.blocks[number as usize]
    }

    /// Where a block begins.
    pub(crate) fn address(&self, number: u32) -> usize {
        self.slab.map_or(0, Slab::start) + self.blocks[number as usize].start as usize
    }

    /// The blocks that nobody has given back.
    pub(crate) fn alive(&self) -> impl Iterator<Item = u32> + '_ {
        let any = self.alive > 0;
        let blocks = self.blocks.iter().enumerate().filter(move |_| any);
        blocks.filter(|(_, block)| block.freed.is_none()).map(|(number, _)| number as u32)
    }

    /// What lies in the blocks that nobody has given back, as a sum over their bytes: what a task does to it can be told by a
    /// difference.
    pub(crate) fn digest(&self) -> u64 {
        let of_block = |number: u32| {
            let (address, size) = (self.address(number), self.block(number).size);
            let word = |at: usize| {
                let bytes = (at..size.min(at + 8)).fold(0_u64, |word, at| {
                    // SAFETY: the block lies in the slab; no checked code runs meanwhile. It may have bytes that nobody
                    // has written, which are what the slab has there.
                    word << 8 | u64::from(unsafe { ((address + at) as *const u8).read_volatile() })
                });
                let mut hasher = FxHasher::default();
                (number, at, bytes).hash(&mut hasher);
                hasher.finish()
            };
            (0..size).step_by(8).map(word).fold(0_u64, u64::wrapping_add)
        };
        self.alive().map(of_block).fold(0, u64::wrapping_add)
    }

    /// An object in a block is used for the first time.
    pub(crate) fn holds(&mut self, number: u32, object: ObjectId) {
        let address = self.address(number);
        let block = &mut self.blocks[number as usize];
        if block.objects == 0 {
            let owners = 1..MOST_OWNERS;
            block.shared = words(address, block.size)
                .is_some_and(|(strong, weak)| owners.contains(&strong) && owners.contains(&weak));
        }
        block.objects += 1;
        self.objects.push((object, number));
        if block.freed.is_some() {
            self.dead.insert(object);
        }
    }

    /// Is any object in a block that was given back?
    #[inline]
    pub(crate) fn has_dead(&self) -> bool {
        !self.dead.is_empty()
    }

    /// An object is used at this address: one that was moved out of its block did not die with it.
    pub(crate) fn used_at(&mut self, object: ObjectId, address: usize) {
        let Some(dead) = self.dead_block(object) else { return };
        let block = self.find(address);
        if block != Some(dead) {
            self.dead.remove(&object);
            self.objects.retain(|(other, _)| *other != object);
            if let Some(block) = block {
                self.holds(block, object);
            }
        }
    }

    /// The block of an object that was given back, if it was.
    #[inline]
    pub(crate) fn dead_block(&self, object: ObjectId) -> Option<u32> {
        if !self.has_dead() || !self.dead.contains(&object) {
            return None;
        }
        self.objects.iter().rev().find(|(other, _)| *other == object).map(|(_, number)| *number)
    }

    /// The objects in blocks that are still alive, with their blocks.
    pub(crate) fn objects_alive(&self) -> impl Iterator<Item = (ObjectId, u32)> + '_ {
        let is_alive = |number: u32| self.blocks[number as usize].freed.is_none();
        self.objects.iter().copied().filter(move |&(_, number)| is_alive(number))
    }
}

impl Piece {
    /// Cuts the next block out; returns its offset.
    fn cut(&mut self, start: usize, size: usize, layout: Layout, number: u32) -> Option<usize> {
        if self.end == 0 {
            // The first bytes of a slab are no block's.
            (self.next, self.end) = (start, start + size);
        }
        let begin = (self.next + HEADER).next_multiple_of(layout.align().max(HEADER));
        let end = begin.checked_add(layout.size().max(1))?;
        if end > self.end {
            return None;
        }
        self.next = end;
        self.blocks.push(number);
        Some(begin)
    }
}

/// The first two words of a block, which are the counters of an `Arc` or `Rc`.
fn words(address: usize, size: usize) -> Option<(usize, usize)> {
    if size < 2 * size_of::<usize>() {
        return None;
    }
    // SAFETY: the block lies in the slab, is large enough and aligned; what is read is only compared.
    let word = |index| unsafe { std::ptr::read_volatile((address as *const usize).add(index)) };
    Some((word(0), word(1)))
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.end();
        if let Some(slab) = self.slab.take() {
            slab::retire_empty(slab);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena(task: u32) -> Arena {
        let mut arena = Arena::default();
        arena.begin();
        arena.behind = Some(Behind { task, operation: None });
        arena
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a good layout")
    }

    #[test]
    fn a_block_is_told_by_its_task_and_its_position_among_its_like() {
        let mut arena = arena(0);
        let mut allocate = |task, size| {
            arena.behind = Some(Behind { task, operation: None });
            arena.allocate(layout(size)).expect("room") as usize
        };
        let blocks = [allocate(0, 8), allocate(1, 8), allocate(0, 8), allocate(0, 16)];
        let (second, number) = arena.origin(blocks[2] + 4).expect("inside the third block");
        assert_eq!(number, 2);
        assert_eq!((second.task, second.size, second.nth, second.offset), (0, 8, 1, 4));
        assert_eq!(arena.origin(blocks[3]).map(|(origin, _)| origin.nth), Some(0));
        assert_eq!(arena.origin(blocks[0] + 8), None);
    }

    #[test]
    fn addresses_depend_on_what_the_task_allocated_before() {
        let order = |tasks: [u32; 4]| {
            let mut arena = arena(0);
            let mut addresses: Vec<_> = tasks
                .into_iter()
                .map(|task| {
                    arena.behind = Some(Behind { task, operation: None });
                    let address = arena.allocate(layout(24)).expect("room") as usize;
                    (task, Slab::of(address).expect("it lies in the slab").1)
                })
                .collect();
            addresses.sort_unstable();
            addresses
        };
        assert_eq!(order([1, 1, 2, 2]), order([2, 1, 2, 1]));
    }

    #[test]
    fn what_is_freed_stays_and_what_is_freed_twice_is_seen() {
        let mut arena = arena(3);
        let block = arena.allocate(layout(64)).expect("room") as usize;
        assert_eq!(arena.alive().count(), 1);
        assert!(arena.free(block) && arena.misuses.is_empty());
        assert_eq!(arena.alive().count(), 0);
        assert_ne!(arena.allocate(layout(64)).expect("room") as usize, block);
        assert!(arena.free(block));
        assert!(matches!(arena.misuses[..], [Misuse::DoubleFree(0, _)]));
        assert!(arena.free(block + 16));
        assert!(matches!(arena.misuses[1], Misuse::NoBlock(_)));
        arena.free(block + 80);
    }

    #[test]
    fn what_is_too_large_for_its_task_lies_behind() {
        let mut arena = arena(5000);
        let far = arena.allocate(layout(8)).expect("room") as usize;
        arena.behind = Some(Behind { task: 1, operation: None });
        let large = arena.allocate(layout(1 << 20)).expect("room") as usize;
        assert!(arena.allocate(layout(slab::SIZE)).is_none());
        assert_eq!(arena.find(far), Some(0));
        assert_eq!(arena.find(large + (1 << 20) - 1), Some(1));
        assert!(arena.free(far) && arena.free(large) && arena.misuses.is_empty());
    }
}

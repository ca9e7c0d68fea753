//! The memory of checked code.
//!
//! What checked code allocates lies in a *slab* of addresses that belongs to the execution: each task has a piece of it, in
//! which its blocks lie one after the other. So the address of a block depends on what its task allocated before and on nothing
//! else, which makes everything that is decided by addresses (a `compare_exchange`, an order of locks, a hash) a function of
//! the schedule. Nothing that is given back is used again within an execution, so that a use after free is seen as
//! one, and no address comes back.
//!
//! The slab dies with the execution, and with it what tasks that never ended have left: their stacks are forgotten, not
//! unwound. Where something is still alive in it then, somebody outside may hold it (a collection that grows from
//! execution to execution, a `static` of another crate): such a slab is put aside, and used again only when a search of
//! the process's memory has found nothing that points into it.

pub(crate) mod allocator;
pub(crate) mod arena;
pub(crate) mod heap;
pub(crate) mod search;
pub(crate) mod slab;

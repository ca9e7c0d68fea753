//! What is still alive when everything has ended: cycles of `Arc`s, and what was forgotten.
//!
//! A block that nobody has given back is no leak if something outside of the execution holds it, directly or by way of
//! others: a collection that the test made before, a `static`, a thread-local of a handler. That is found out by a search
//! of the process's memory ([`super::memory::search`]), which is rare: most executions leave nothing. Nothing is
//! said of executions in which a task panicked, or with asynchronous tasks that are not polled any more.
#![expect(unsafe_code, reason = "the arena is looked at between two steps")]

use super::context::Runtime;
use super::memory::arena::{Arena, Behind, Misuse};
use super::memory::search;
use super::state::State;
use crate::sync::counted;
use mazurka_engine::{FailureKind, Fault, TaskId};
use rustc_hash::FxHashSet;

impl Runtime {
    /// What the execution, which is complete, has leaked.
    pub(crate) fn leaks(&self) -> Option<Fault> {
        let state = &mut *self.state.borrow_mut();
        // SAFETY: no checked code runs now, so nothing else uses the arena.
        let arena = unsafe { &*self.arena.get() };
        if !state.settings.leaks_fail || state.panicked || state.unfinished_futures > 0 {
            return None;
        }
        if state.settings.counted_leaks_only {
            return counted::leaked(state).map(|made_at| {
                let message = format!("leak: what was made at {made_at} is never dropped");
                Fault::new(FailureKind::Fault, message, Some(made_at.to_string()))
            });
        }
        let alive: Vec<u32> = arena.alive().collect();
        let key = |number: u32| {
            let block = arena.block(number);
            (block.made.task, block.size, block.nth)
        };
        if alive.iter().all(|&number| state.held_outside.contains(&key(number))) {
            return None;
        }
        let held = held_outside(state, arena)?;
        let (held, leaked): (Vec<u32>, Vec<u32>) =
            alive.into_iter().partition(|number| held.contains(number));
        state.held_outside.extend(held.into_iter().map(key));
        (!leaked.is_empty()).then(|| describe(state, arena, &leaked))
    }
}

impl Runtime {
    /// Takes over what the allocator has noted in the last step.
    pub(crate) fn tell_of_memory(&self) {
        // SAFETY: as in `leaks`.
        let arena = unsafe { &mut *self.arena.get() };
        if arena.misuses.is_empty() && arena.just_died.is_empty() {
            return;
        }
        let state = &mut *self.state.borrow_mut();
        state.performed.died.append(&mut arena.just_died);
        for misuse in std::mem::take(&mut arena.misuses) {
            let block = match misuse {
                Misuse::DoubleFree(number, _) => Some(arena.block(number)),
                Misuse::NoBlock(_) => None,
            };
            state.misuse(misuse, block);
        }
    }
}

/// The blocks that something outside of the execution points to, or that a block points to which is held. What has been given
/// back holds nothing. `None` if that cannot be found out.
fn held_outside(state: &State, arena: &Arena) -> Option<FxHashSet<u32>> {
    let slab = arena.slab()?;
    let is_alive = |number: &u32| arena.block(*number).freed.is_none();
    let mut open = Vec::new();
    keeps(state, &mut |word| open.extend(arena.find(word).filter(is_alive)));
    let mut held: FxHashSet<u32> = open.iter().copied().collect();
    let is_complete = search::pointers(&mut |other, offset| {
        if other == slab
            && let Some(number) = arena.find(slab.start() + offset).filter(is_alive)
            && held.insert(number)
        {
            open.push(number);
        }
    });
    while let Some(number) = open.pop() {
        for other in pointed_to(arena, number).into_iter().filter(is_alive) {
            if held.insert(other) {
                open.push(other);
            }
        }
    }
    is_complete.then_some(held)
}

/// Tells `hear` of the addresses by which the runtime, whose memory is not searched, keeps something for checked code.
fn keeps(state: &State, hear: &mut dyn FnMut(usize)) {
    let tasks = || state.order.iter().filter_map(|task| state.tasks[task.index()].as_deref());
    for (_, local) in state.handler_locals.values().chain(tasks().map(|it| &it.locals)).flatten() {
        hear(std::ptr::from_ref(&**local).addr());
    }
    for task in tasks() {
        task.body.iter().for_each(|body| hear(std::ptr::from_ref(&**body).addr()));
        task.name.iter().for_each(|name| hear(name.as_ptr().addr()));
    }
    for worker in state.workers.iter().flatten() {
        search::words_in(worker, hear);
    }
}

/// The blocks that a block points to.
fn pointed_to(arena: &Arena, number: u32) -> Vec<u32> {
    let mut found = Vec::new();
    if let Some((slab, offset)) = super::memory::slab::Slab::of(arena.address(number)) {
        let part = (offset as u32, (offset + arena.block(number).size) as u32);
        search::words_of(slab, &[part], &mut |word| found.extend(arena.find(word)));
    }
    found
}

/// The words for what was leaked: a block to which no other leads.
fn describe(state: &State, arena: &Arena, leaked: &[u32]) -> Fault {
    let inner: FxHashSet<u32> = leaked
        .iter()
        .flat_map(|&number| {
            pointed_to(arena, number).into_iter().filter(move |other| *other != number)
        })
        .collect();
    let outer = leaked.iter().find(|number| !inner.contains(number));
    let first = *outer.unwrap_or(&leaked[0]);
    let others = match leaked.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more block)".to_owned(),
        more => format!(" (and {more} more blocks)"),
    };
    let block = arena.block(first);
    let object = arena.objects_alive().find(|(_, number)| *number == first);
    let (what, location) = match object {
        Some((object, _)) => {
            let info = state.names.object_info(object);
            (format!("the {} made at {} is", info.kind, info.made_at), info.made_at.to_string())
        }
        None => {
            let made = behind(state, block.made);
            let place = block.made.operation.map(ToString::to_string).unwrap_or_default();
            (format!("the {} bytes that {made} allocated are", block.size), place)
        }
    };
    let message = format!(
        "leak: {what} still alive at the end of the execution{others}, and nothing leads there any more: a cycle of Arcs, \
         or something that was forgotten (mem::forget, Box::leak, into_raw). Builder::leaks_fail(false) allows it"
    );
    let location = Some(location).filter(|place| !place.is_empty());
    Fault::new(FailureKind::Fault, message, location)
}

/// The words for where something was done.
pub(crate) fn behind(state: &State, behind: Behind) -> String {
    let task = state.task_label(TaskId(behind.task));
    match behind.operation {
        Some(operation) => format!("{task}, behind its operation at {operation},"),
        None => format!("{task}, before its first operation,"),
    }
}

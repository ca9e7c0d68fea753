//! Thread-locals: one value for each thread of the checked program, made anew in every execution.
//!
//! The messages of one handler share the values of its thread. There, every use is an event that updates the
//! value, since the order of the messages may matter for it.
#![expect(unsafe_code, reason = "a value is lent while its owner may suspend")]

use crate::runtime::context::{Presence, announce, performed, presence, with};
use crate::runtime::names::{ObjectInfo, Place};
use crate::runtime::state::{Locals, Source, State};
use mazurka_engine::{Mode, Operation};
use std::fmt;
use std::panic::Location;
use std::thread::AccessError;

/// Stands in for [`std::thread::LocalKey`]; made by [`crate::thread_local!`].
pub struct LocalKey<T: 'static> {
    real: &'static std::thread::LocalKey<T>,
    make: fn() -> T,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(real: &'static std::thread::LocalKey<T>, make: fn() -> T) -> Self {
        LocalKey { real, make }
    }

    /// Runs `code` on the value of the running thread, made now if it was not.
    #[track_caller]
    pub fn with<R>(&'static self, code: impl FnOnce(&T) -> R) -> R {
        if presence() == Presence::Outside {
            return self.real.with(code);
        }
        let value = self.value(Location::caller());
        // SAFETY: the value lies in a box that stays where it is until its thread ends or the execution is
        // abandoned, and neither happens while this call is on the stack of that thread.
        code(unsafe { &*value })
    }

    /// As [`LocalKey::with`].
    ///
    /// # Errors
    ///
    /// Outside of an exploration, when the thread is ending.
    #[track_caller]
    pub fn try_with<R>(&'static self, code: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        match presence() {
            Presence::Outside => self.real.try_with(code),
            Presence::Task => Ok(self.with(code)),
        }
    }

    /// The address of the running thread's value.
    fn value(&'static self, source: Source) -> *const T {
        self.tell_handler(source);
        let key = std::ptr::from_ref(self) as usize;
        if let Some(value) = with(|state| find::<T>(locals(state), key)) {
            return value;
        }
        // The code may use the stand-ins, and other thread-locals.
        let made: Box<dyn std::any::Any> = Box::new((self.make)());
        with(|state| {
            locals(state).push((key, made));
            find::<T>(locals(state), key).expect("it was put there just now")
        })
    }

    /// In a message, the use is an event.
    fn tell_handler(&'static self, source: Source) {
        if presence() != Presence::Task {
            return;
        }
        let object = with(|state| {
            let handler = state.handlers[state.current.index()]?;
            let key = (handler, std::ptr::from_ref(self) as usize);
            if let Some(object) = state.handler_local_objects.get(&key) {
                return Some(*object);
            }
            let info = ObjectInfo::of_runtime("thread-local", source);
            let object = state.names.object(state.epoch, Place::Local(handler, key.1), info);
            state.handler_local_objects.insert(key, object);
            Some(object)
        });
        if let Some(object) = object {
            announce(Operation::Access(object, Mode::Update), source);
            performed(object, Mode::Update, 0, 0);
        }
    }
}

/// The values of the running thread: the task's, or its handler's.
fn locals(state: &mut State) -> &mut Locals {
    match state.handlers[state.current.index()] {
        Some(handler) => state.handler_locals.entry(handler).or_default(),
        None => &mut state.current_task().locals,
    }
}

fn find<T: 'static>(locals: &Locals, key: usize) -> Option<*const T> {
    let value = locals.iter().find(|(other, _)| *other == key)?;
    value.1.downcast_ref::<T>().map(std::ptr::from_ref)
}

/// The running thread ends: its values are dropped, youngest first, while operations still count.
pub(crate) fn drop_locals() {
    while presence() == Presence::Task {
        let Some(last) = with(|state| state.current_task().locals.pop()) else { break };
        drop(last);
    }
}

impl<T: 'static> LocalKey<std::cell::Cell<T>> {
    /// Writes.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// Reads.
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(std::cell::Cell::get)
    }

    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(std::cell::Cell::take)
    }

    /// Writes, and returns the value before.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<std::cell::RefCell<T>> {
    /// Borrows for reading.
    #[track_caller]
    pub fn with_borrow<R>(&'static self, code: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| code(&cell.borrow()))
    }

    /// Borrows for writing.
    #[track_caller]
    pub fn with_borrow_mut<R>(&'static self, code: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| code(&mut cell.borrow_mut()))
    }

    /// Writes.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        self.with(|cell| *cell.borrow_mut() = value);
    }

    /// Writes, and returns the value before.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }

    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(std::cell::RefCell::take)
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// Stands in for [`std::thread_local!`].
///
/// ```
/// use std::cell::Cell;
///
/// mazurka::thread_local! {
///     static CALLS: Cell<u32> = const { Cell::new(0) };
/// }
///
/// mazurka::check(|| {
///     CALLS.set(CALLS.get() + 1);
///     let other = mazurka::thread::spawn(|| CALLS.get());
///     assert_eq!((CALLS.get(), other.join().unwrap()), (1, 0));
/// });
/// ```
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $value:block $(; $($rest:tt)*)?) => {
        $crate::thread_local! { $(#[$attribute])* $visibility static $name: $type = $value }
        $($crate::thread_local! { $($rest)* })?
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $value:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = {
            fn make() -> $type {
                $value
            }
            ::std::thread_local! {
                static REAL: $type = make();
            }
            $crate::thread::LocalKey::new(&REAL, make)
        };
        $($crate::thread_local! { $($rest)* })?
    };
}

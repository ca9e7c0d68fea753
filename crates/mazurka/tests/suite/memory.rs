//! Memory of checked code: what is given back stays until the execution ends, and is watched.

use mazurka::cell::UnsafeCell;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::SeqCst};
use mazurka::{Builder, FailureKind, Outcome, thread};
use std::ptr::null_mut;

struct Node {
    value: u32,
    next: AtomicPtr<Node>,
}

/// A stack without locks. Who pops a node may give it back, leave it, or wait until nobody else is in the stack.
struct Treiber {
    head: AtomicPtr<Node>,
    popping: AtomicU32,
}

#[derive(Clone, Copy, PartialEq)]
enum Popped {
    Left,
    FreedWhenAlone,
    FreedAtOnce,
}

impl Treiber {
    fn new() -> Self {
        Treiber { head: AtomicPtr::new(null_mut()), popping: AtomicU32::new(0) }
    }

    fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(null_mut()) }));
        loop {
            let head = self.head.load(SeqCst);
            unsafe { (*node).next.store(head, SeqCst) };
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self, popped: Popped) -> Option<u32> {
        self.popping.fetch_add(1, SeqCst);
        let node = loop {
            let head = self.head.load(SeqCst);
            if head.is_null() {
                break None;
            }
            let next = unsafe { (*head).next.load(SeqCst) };
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                break Some(head);
            }
        };
        let alone = self.popping.fetch_sub(1, SeqCst) == 1;
        node.map(|node| {
            let value = unsafe { (*node).value };
            if popped == Popped::FreedAtOnce || popped == Popped::FreedWhenAlone && alone {
                drop(unsafe { Box::from_raw(node) });
            }
            value
        })
    }
}

/// One task pushes and pops while another pops.
fn treiber(popped: Popped) -> Outcome {
    Builder::new().leaks_fail(false).explore(move || {
        let stack = Arc::new(Treiber::new());
        stack.push(1);
        stack.push(2);
        let other = Arc::clone(&stack);
        let thread = thread::spawn(move || other.pop(popped));
        let mut seen: Vec<u32> =
            [stack.pop(popped), stack.pop(popped)].into_iter().flatten().collect();
        seen.extend(thread.join().unwrap());
        seen.sort_unstable();
        assert_eq!(seen, [1, 2]);
    })
}

#[test]
fn a_stack_that_frees_its_nodes_is_explored_to_its_end() {
    let left = treiber(Popped::Left);
    assert!(left.is_complete() && left.failures.is_empty(), "{left:?}");
    let freed = treiber(Popped::FreedWhenAlone);
    assert!(freed.is_complete() && freed.failures.is_empty(), "{freed:?}");
    assert_eq!((freed.executions, freed.blocked), (left.executions, left.blocked));
}

#[test]
fn a_stack_that_frees_its_nodes_too_early_is_found() {
    let outcome = treiber(Popped::FreedAtOnce);
    let words: Vec<_> = outcome.failures.iter().map(|failure| &failure.message).collect();
    assert!(words.iter().any(|words| words.starts_with("use after free: ")), "{words:?}");
    let failure =
        outcome.failures.iter().find(|failure| failure.message.starts_with("use")).unwrap();
    assert!(failure.message.contains("the AtomicPtr made at"), "{}", failure.message);
    assert!(failure.message.contains("had given back"), "{}", failure.message);
    assert!(failure.location.as_deref().unwrap().contains("memory.rs"), "{failure:?}");
    // The schedule shows it.
    let again = Builder::new().leaks_fail(false).replay(failure.schedule.clone()).explore(|| {
        let stack = Arc::new(Treiber::new());
        stack.push(1);
        stack.push(2);
        let other = Arc::clone(&stack);
        let thread = thread::spawn(move || other.pop(Popped::FreedAtOnce));
        stack.pop(Popped::FreedAtOnce);
        stack.pop(Popped::FreedAtOnce);
        thread.join().unwrap();
    });
    assert!(
        again.failures.iter().any(|failure| failure.message.starts_with("use after free: ")),
        "{again:?}"
    );
}

#[test]
#[should_panic(expected = "use after free: main uses the AtomicU32 made at")]
fn a_store_into_a_freed_box_is_seen() {
    mazurka::check(|| {
        let x = Box::into_raw(Box::new(AtomicU32::new(0)));
        unsafe { (*x).store(1, SeqCst) };
        drop(unsafe { Box::from_raw(x) });
        unsafe { (*x).store(2, SeqCst) };
    });
}

#[test]
fn an_object_may_move() {
    mazurka::check(|| {
        let mut all = Vec::new();
        for value in 0..9 {
            all.push(AtomicU32::new(value));
            assert_eq!(all[0].fetch_add(1, SeqCst), value);
        }
        let boxed = Box::new(AtomicU32::new(3));
        boxed.store(4, SeqCst);
        let plain = *boxed;
        assert_eq!(plain.load(SeqCst), 4);
    });
}

#[test]
fn what_is_freed_twice_is_seen() {
    let outcome = Builder::new().explore(|| {
        let shared = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(7))));
        let free = |shared: &AtomicPtr<u32>| {
            let pointer = shared.load(SeqCst);
            if !pointer.is_null() {
                shared.store(null_mut(), SeqCst);
                drop(unsafe { Box::from_raw(pointer) });
            }
        };
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || free(&other));
        free(&shared);
        thread.join().unwrap();
    });
    assert!(outcome.is_complete(), "{outcome:?}");
    assert!(!outcome.failures.is_empty(), "{outcome:?}");
    for failure in &outcome.failures {
        assert_eq!(failure.kind, FailureKind::Fault);
        assert!(failure.message.starts_with("double free: "), "{}", failure.message);
        assert!(failure.message.contains("had given back"), "{}", failure.message);
    }
}

/// The two words come from another lock-free stack: what one task has read may be given back by another.
#[test]
fn a_cell_that_is_used_after_its_memory_was_given_back_is_seen() {
    let outcome = Builder::new().explore(|| {
        let ready = Arc::new(AtomicBool::new(false));
        let cell = Box::into_raw(Box::new(UnsafeCell::new(1))) as usize;
        let other = Arc::clone(&ready);
        let thread = thread::spawn(move || {
            unsafe { (*(cell as *const UnsafeCell<u32>)).with(|value| assert_eq!(*value, 1)) };
            other.store(true, SeqCst);
        });
        if ready.load(SeqCst) {
            thread.join().unwrap();
            drop(unsafe { Box::from_raw(cell as *mut UnsafeCell<u32>) });
        } else {
            // Too early.
            drop(unsafe { Box::from_raw(cell as *mut UnsafeCell<u32>) });
            thread.join().unwrap();
        }
    });
    let is_use = |message: &str| message.starts_with("use after free: main.1 uses the UnsafeCell");
    assert!(outcome.failures.iter().any(|failure| is_use(&failure.message)), "{outcome:?}");
    assert!(outcome.failures.iter().all(|failure| is_use(&failure.message)), "{outcome:?}");
}

#[test]
fn addresses_are_functions_of_the_schedule() {
    let outcome = Builder::new().explore(|| {
        // Whose lock comes first is decided by addresses, as in many programs that avoid deadlocks.
        let accounts: Vec<_> = (0..2).map(|_| Arc::new(mazurka::sync::Mutex::new(0))).collect();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let mut accounts = accounts.clone();
                thread::spawn(move || {
                    accounts.sort_by_key(|account| Arc::as_ptr(account) as usize);
                    let boxed = Box::new([1_u64; 32]);
                    let first = accounts[0].lock().unwrap();
                    let mut second = accounts[1].lock().unwrap();
                    *second += boxed[0];
                    drop(first);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert!(outcome.failures.is_empty() && outcome.executions == 2, "{outcome:?}");
}

/// What a test collects beside the exploration is its own, also where it grows inside.
#[test]
fn what_is_held_outside_is_no_leak_and_stays() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let inside = Arc::clone(&seen);
    mazurka::check(move || {
        let x = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (1..4)
            .map(|value| {
                let x = Arc::clone(&x);
                thread::spawn(move || x.store(value, SeqCst))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let words = format!("the last was {}", x.load(SeqCst));
        inside.lock().unwrap().push(words);
    });
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 6);
    for value in 1..4 {
        let words = format!("the last was {value}");
        assert_eq!(seen.iter().filter(|seen| **seen == words).count(), 2);
    }
}

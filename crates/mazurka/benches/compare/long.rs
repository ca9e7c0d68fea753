//! Programs with long executions: a stack without locks, and a channel that keeps the last value, as the packages have them that are tested with loom.

macro_rules! long_programs {
    ($module:ident, $($root:tt)*) => {
        pub mod $module {
            use std::ptr::null_mut;
            use $($root)*::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
            use $($root)*::sync::atomic::{AtomicPtr, AtomicUsize};
            use $($root)*::sync::{Arc, Condvar, Mutex, RwLock};
            use $($root)*::thread;

            struct Node {
                value: usize,
                next: *mut Node,
            }

            /// Nodes are given back when the stack is: the nodes popped go to a second list.
            struct Treiber {
                head: AtomicPtr<Node>,
            }

            impl Treiber {
                fn push(&self, node: *mut Node) {
                    let mut head = self.head.load(Relaxed);
                    loop {
                        // SAFETY: nobody else has the node before it is in the stack.
                        unsafe { (*node).next = head };
                        match self.head.compare_exchange(head, node, Release, Relaxed) {
                            Ok(_) => return,
                            Err(found) => head = found,
                        }
                    }
                }

                fn pop(&self) -> *mut Node {
                    let mut head = self.head.load(Acquire);
                    while !head.is_null() {
                        // SAFETY: nodes live as long as the stack, and who has popped one does not push it again.
                        let next = unsafe { (*head).next };
                        match self.head.compare_exchange(head, next, AcqRel, Acquire) {
                            Ok(_) => return head,
                            Err(found) => head = found,
                        }
                    }
                    null_mut()
                }
            }

            /// Each of two threads pushes `n` nodes and pops as many.
            pub fn treiber(n: usize) {
                let stack = Arc::new(Treiber { head: AtomicPtr::new(null_mut()) });
                let work = move |stack: &Treiber, first: usize| {
                    let mut popped = Vec::new();
                    for value in first..first + n {
                        stack.push(Box::into_raw(Box::new(Node { value, next: null_mut() })));
                        popped.push(stack.pop() as usize);
                    }
                    popped
                };
                let other = stack.clone();
                let thread = thread::spawn(move || work(&other, n));
                let mut popped = work(&stack, 0);
                popped.extend(thread.join().unwrap());
                let mut seen: Vec<usize> = popped
                    .into_iter()
                    // SAFETY: each node is popped once, and both threads have ended.
                    .map(|node| unsafe { Box::from_raw(node as *mut Node) }.value)
                    .collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..2 * n).collect::<Vec<_>>());
            }

            struct Watch {
                value: RwLock<usize>,
                version: AtomicUsize,
                waiting: Mutex<()>,
                changed: Condvar,
            }

            impl Watch {
                fn send(&self, value: usize) {
                    {
                        *self.value.write().unwrap() = value;
                        self.version.fetch_add(1, Release);
                    }
                    let waiting = self.waiting.lock().unwrap();
                    self.changed.notify_all();
                    drop(waiting);
                }

                fn changed(&self, seen: usize) -> (usize, usize) {
                    let mut waiting = self.waiting.lock().unwrap();
                    while self.version.load(Acquire) == seen {
                        waiting = self.changed.wait(waiting).unwrap();
                    }
                    drop(waiting);
                    let value = self.value.read().unwrap();
                    (*value, self.version.load(Acquire))
                }
            }

            /// One thread sends `n` values, another one waits until it has seen the last one.
            pub fn watch(n: usize) {
                let channel = Arc::new(Watch {
                    value: RwLock::new(0),
                    version: AtomicUsize::new(0),
                    waiting: Mutex::new(()),
                    changed: Condvar::new(),
                });
                let sender = channel.clone();
                let thread = thread::spawn(move || (1..=n).for_each(|value| sender.send(value)));
                let (mut value, mut seen) = (0, 0);
                while value < n {
                    let before = value;
                    (value, seen) = channel.changed(seen);
                    assert!(value >= before);
                }
                thread.join().unwrap();
            }
        }
    };
}

long_programs!(on_mazurka, mazurka);
long_programs!(on_loom, loom);

//! Executions a second on programs that Mazurka, loom and shuttle can all run, in one run on one core.
//!
//! `cargo bench -p mazurka --bench compare`

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::time::{Duration, Instant};

/// No tool gets longer than this for one program; what it has not finished by then is shown with a `+`.
const PATIENCE: Duration = Duration::from_secs(10);
/// A program is explored again until this much time has passed.
const ENOUGH: Duration = Duration::from_millis(200);

struct Row {
    tool: &'static str,
    /// In all explorations together.
    executions: u64,
    explorations: u64,
    elapsed: Duration,
}

impl Row {
    fn rate(&self) -> f64 {
        self.executions as f64 / self.elapsed.as_secs_f64()
    }
}

macro_rules! programs {
    ($module:ident, $($root:tt)*) => {
        mod $module {
            use $($root)*::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use $($root)*::sync::{Arc, Mutex};
            use $($root)*::thread;

            pub fn writers(n: usize) {
                let x = Arc::new(AtomicUsize::new(0));
                let threads: Vec<_> = (1..=n)
                    .map(|value| {
                        let x = x.clone();
                        thread::spawn(move || x.store(value, SeqCst))
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
                assert!(x.load(SeqCst) > 0);
            }

            pub fn counter(n: usize) {
                let counter = Arc::new(Mutex::new(0));
                let threads: Vec<_> = (0..n)
                    .map(|_| {
                        let counter = counter.clone();
                        thread::spawn(move || {
                            for _ in 0..2 {
                                *counter.lock().unwrap() += 1;
                            }
                        })
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
                assert_eq!(*counter.lock().unwrap(), 2 * n);
            }

            pub fn lastzero(n: usize) {
                let array: Arc<Vec<AtomicUsize>> = Arc::new((0..=n).map(|_| AtomicUsize::new(0)).collect());
                let reader = array.clone();
                let walker = thread::spawn(move || {
                    let mut i = n;
                    while reader[i].load(SeqCst) != 0 {
                        i -= 1;
                    }
                });
                let threads: Vec<_> = (1..=n)
                    .map(|i| {
                        let array = array.clone();
                        thread::spawn(move || {
                            let before = array[i - 1].load(SeqCst);
                            array[i].store(before + 1, SeqCst);
                        })
                    })
                    .collect();
                walker.join().unwrap();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            }
        }
    };
}

programs!(on_mazurka, mazurka);
programs!(on_loom, loom);
programs!(on_shuttle, shuttle);

fn mailbox(n: u32) {
    use mazurka::sync::Arc;
    use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
    let x = Arc::new(AtomicU32::new(0));
    let handler = mazurka::handler::Handler::spawn_unordered("h");
    for value in 0..n {
        let x = Arc::clone(&x);
        handler.post(move || x.store(value, SeqCst));
    }
}

fn with_mazurka(
    algorithm: mazurka::Algorithm,
    tool: &'static str,
    program: impl Fn() + 'static,
) -> Row {
    // A small program is explored again and again, so that the clock sees something.
    let program = std::rc::Rc::new(program);
    let begin = Instant::now();
    let (mut executions, mut explorations) = (0, 0);
    while explorations == 0 || begin.elapsed() < ENOUGH {
        let program = std::rc::Rc::clone(&program);
        let builder = mazurka::Builder::new().algorithm(algorithm).max_duration(PATIENCE);
        let outcome = builder.explore(move || program());
        assert!(outcome.failures.is_empty());
        executions += outcome.executions;
        explorations += 1;
    }
    Row { tool, executions, explorations, elapsed: begin.elapsed() }
}

fn with_loom(program: impl Fn() + Send + Sync + 'static) -> Row {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let count = std::sync::Arc::new(AtomicU64::new(0));
    let counter = std::sync::Arc::clone(&count);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(PATIENCE);
    // How often it looks at the clock, in executions.
    builder.checkpoint_interval = 1;
    builder.log = false;
    let begin = Instant::now();
    builder.check(move || {
        counter.fetch_add(1, Relaxed);
        program();
    });
    Row { tool: "loom", executions: count.load(Relaxed), explorations: 1, elapsed: begin.elapsed() }
}

fn with_shuttle(program: impl Fn() + Send + Sync + 'static) -> Row {
    use shuttle::scheduler::DfsScheduler;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let count = std::sync::Arc::new(AtomicU64::new(0));
    let counter = std::sync::Arc::clone(&count);
    let mut config = shuttle::Config::new();
    config.max_time = Some(PATIENCE);
    let runner = shuttle::Runner::new(DfsScheduler::new(None, false), config);
    let begin = Instant::now();
    runner.run(move || {
        counter.fetch_add(1, Relaxed);
        program();
    });
    Row {
        tool: "shuttle",
        executions: count.load(Relaxed),
        explorations: 1,
        elapsed: begin.elapsed(),
    }
}

fn show(program: &str, rows: &[Row]) {
    for row in rows {
        let cut = if row.elapsed >= PATIENCE { "+" } else { "" };
        println!(
            "{program:14} {:18} {:>10}{cut:1} {:>9.3} s {:>12.0}/s",
            row.tool,
            row.executions / row.explorations,
            row.elapsed.as_secs_f64() / row.explorations as f64,
            row.rate()
        );
    }
}

fn main() {
    use mazurka::Algorithm::{Event, Optimal};
    println!("{:14} {:18} {:>10}  {:>11} {:>14}", "program", "tool", "executions", "time", "rate");
    let three = |name: &str, n: usize, ours: fn(usize), looms: fn(usize), shuttles: fn(usize)| {
        let mut rows = vec![
            with_mazurka(Event, "mazurka (event)", move || ours(n)),
            with_mazurka(Optimal, "mazurka (optimal)", move || ours(n)),
            with_shuttle(move || shuttles(n)),
        ];
        // loom refuses more than four threads beside the main one.
        if n < 4 || name == "writers" && n == 4 {
            rows.push(with_loom(move || looms(n)));
        }
        show(&format!("{name}({n})"), &rows);
    };
    three("writers", 3, on_mazurka::writers, on_loom::writers, on_shuttle::writers);
    three("writers", 4, on_mazurka::writers, on_loom::writers, on_shuttle::writers);
    three("writers", 7, on_mazurka::writers, on_loom::writers, on_shuttle::writers);
    three("counter", 2, on_mazurka::counter, on_loom::counter, on_shuttle::counter);
    three("counter", 3, on_mazurka::counter, on_loom::counter, on_shuttle::counter);
    three("lastzero", 3, on_mazurka::lastzero, on_loom::lastzero, on_shuttle::lastzero);
    three("lastzero", 10, on_mazurka::lastzero, on_loom::lastzero, on_shuttle::lastzero);
    show("mailbox(7)", &[with_mazurka(Event, "mazurka (event)", || mailbox(7))]);
    show("mailbox(7)", &[with_mazurka(Optimal, "mazurka (optimal)", || mailbox(7))]);
}

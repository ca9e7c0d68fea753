//! Executions a second of processor time on programs that Mazurka, loom and shuttle can all run, in one run on one core.
//!
//! `cargo bench -p mazurka --bench compare -- [PROGRAM [TOOL]]`, for those whose names begin so.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]
#![expect(unsafe_code, reason = "a clock, and a stack without locks")]

mod long;

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// No tool gets longer than this for one program; what it has not finished by then is shown with a `+`.
const PATIENCE: Duration = Duration::from_secs(10);
/// A program is explored again until this much time has passed.
const ENOUGH: Duration = Duration::from_millis(200);

/// The processor time of this process so far.
#[cfg(unix)]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for a write.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "a clock that every Unix has");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Where nobody tells the processor time: the time.
#[cfg(not(unix))]
fn now() -> Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}

struct Row {
    /// In all explorations together.
    executions: u64,
    explorations: u64,
    elapsed: Duration,
    /// Was it finished?
    complete: bool,
}

/// A name, and how the program is explored.
type Tool = (&'static str, Box<dyn FnOnce() -> Row>);

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

fn with_mazurka(algorithm: mazurka::Algorithm, program: impl Fn() + 'static) -> Row {
    // A small program is explored again and again, so that the clock sees something.
    let program = std::rc::Rc::new(program);
    let begin = now();
    let (mut executions, mut explorations, mut complete) = (0, 0, true);
    while explorations == 0 || now() - begin < ENOUGH {
        let program = std::rc::Rc::clone(&program);
        let builder = mazurka::Builder::new().algorithm(algorithm).max_duration(PATIENCE);
        let outcome = builder.explore(move || program());
        assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
        executions += outcome.executions;
        explorations += 1;
        complete &= outcome.is_complete();
    }
    Row { executions, explorations, elapsed: now() - begin, complete }
}

/// Counts the executions of a tool that does not tell.
fn count(explore: impl FnOnce(std::sync::Arc<std::sync::atomic::AtomicU64>)) -> Row {
    let count = std::sync::Arc::default();
    let (begin, begun) = (now(), Instant::now());
    explore(std::sync::Arc::clone(&count));
    Row {
        executions: count.load(Relaxed),
        explorations: 1,
        elapsed: now() - begin,
        complete: begun.elapsed() < PATIENCE,
    }
}

fn with_loom(program: impl Fn() + Send + Sync + 'static) -> Row {
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(PATIENCE);
    // How often it looks at the clock, in executions.
    builder.checkpoint_interval = 1;
    builder.log = false;
    count(|counter| {
        builder.check(move || {
            counter.fetch_add(1, Relaxed);
            program();
        });
    })
}

fn with_shuttle(program: impl Fn() + Send + Sync + 'static) -> Row {
    let mut config = shuttle::Config::new();
    config.max_time = Some(PATIENCE);
    let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
    let runner = shuttle::Runner::new(scheduler, config);
    count(|counter| {
        runner.run(move || {
            counter.fetch_add(1, Relaxed);
            program();
        });
    })
}

fn mazurka(program: impl Fn() + Clone + 'static) -> Vec<Tool> {
    let again = program.clone();
    vec![
        ("mazurka (event)", Box::new(|| with_mazurka(mazurka::Algorithm::Event, program))),
        ("mazurka (optimal)", Box::new(|| with_mazurka(mazurka::Algorithm::Optimal, again))),
    ]
}

fn show(program: &str, tool: &str, row: &Row) {
    println!(
        "{program:14} {tool:18} {:>10}{:1} {:>9.3} s {:>12.0}/s",
        row.executions / row.explorations,
        if row.complete { "" } else { "+" },
        row.elapsed.as_secs_f64() / row.explorations as f64,
        row.executions as f64 / row.elapsed.as_secs_f64()
    );
}

fn main() {
    // Cargo passes `--bench`.
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    let wanted = [words.next().unwrap_or_default(), words.next().unwrap_or_default()];
    println!("{:14} {:18} {:>10}  {:>11} {:>14}", "program", "tool", "executions", "time", "rate");
    let compare = |name: &str, n: usize, tools: Vec<Tool>| {
        let program = format!("{name}({n})");
        for (tool, explore) in tools {
            if program.starts_with(&wanted[0]) && tool.starts_with(&wanted[1]) {
                show(&program, tool, &explore());
            }
        }
    };
    let three = |name: &str, n: usize, ours: fn(usize), looms: fn(usize), shuttles: fn(usize)| {
        let mut tools = mazurka(move || ours(n));
        tools.push(("shuttle", Box::new(move || with_shuttle(move || shuttles(n)))));
        // loom refuses more than four threads beside the main one.
        if n < 4 || name == "writers" && n == 4 {
            tools.push(("loom", Box::new(move || with_loom(move || looms(n)))));
        }
        compare(name, n, tools);
    };
    three("writers", 3, on_mazurka::writers, on_loom::writers, on_shuttle::writers);
    three("writers", 4, on_mazurka::writers, on_loom::writers, on_shuttle::writers);
    three("writers", 7, on_mazurka::writers, on_loom::writers, on_shuttle::writers);
    three("counter", 2, on_mazurka::counter, on_loom::counter, on_shuttle::counter);
    three("counter", 3, on_mazurka::counter, on_loom::counter, on_shuttle::counter);
    three("lastzero", 3, on_mazurka::lastzero, on_loom::lastzero, on_shuttle::lastzero);
    three("lastzero", 10, on_mazurka::lastzero, on_loom::lastzero, on_shuttle::lastzero);
    compare("mailbox", 7, mazurka(|| mailbox(7)));
    let two = |name: &str, n: usize, ours: fn(usize), looms: fn(usize)| {
        let mut tools = mazurka(move || ours(n));
        tools.push(("loom", Box::new(move || with_loom(move || looms(n)))));
        compare(name, n, tools);
    };
    two("treiber", 2, long::on_mazurka::treiber, long::on_loom::treiber);
    two("treiber", 3, long::on_mazurka::treiber, long::on_loom::treiber);
    two("watch", 2, long::on_mazurka::watch, long::on_loom::watch);
    two("watch", 4, long::on_mazurka::watch, long::on_loom::watch);
}

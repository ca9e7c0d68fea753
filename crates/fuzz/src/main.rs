//! `mazurka-fuzz`: random programs against the oracle, for as long as one likes.
//!
//! Exit status 0: no disagreement; 1: one was found, and is printed with its seed and the shrunk program;
//! 2: wrong arguments.

use clap::Parser;
use mazurka_engine::Algorithm;
use mazurka_fuzz::coarse::{CoarseHunt, CoarseShape, judged_algorithms};
use mazurka_fuzz::ed::EdFile;
use mazurka_fuzz::hunt::{Catch, Hunt, Tally};
use mazurka_fuzz::promise::{Traits, applies};
use mazurka_fuzz::traces::{self, SMALL, TraceHunt, render};
use mazurka_fuzz::{
    Disagreement, Interpreted, Report, SHAPES, Shape, ask_oracle, generate, is_non_branching,
    render_ed,
};
use mazurka_traces::generate::Shape as TraceShape;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Programs that every algorithm takes that is judged by its traces.
const QUEUES: Traits =
    Traits { handlers: true, only_multiset: false, only_fifo: true, non_branching: true };

/// The programs of a long run.
const LONG: u64 = 1_000_000;

/// A program that keeps a worker busy for longer than this is shown as hanging.
const HANGING: Duration = Duration::from_secs(60);

/// Compares exploration algorithms with the oracle on random event-driven programs.
#[derive(Parser)]
struct Arguments {
    /// Algorithms to compare with the oracle, separated by commas; `all` for all of them.
    #[arg(long, default_value = "all", value_delimiter = ',')]
    algorithm: Vec<String>,
    /// Shapes of programs, separated by commas; `all` for all of them. See --list.
    #[arg(long, default_value = "all", value_delimiter = ',')]
    shape: Vec<String>,
    /// Stop after so many seconds (60, unless --programs is given).
    #[arg(long)]
    seconds: Option<u64>,
    /// Stop after so many programs.
    #[arg(long)]
    programs: Option<u64>,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads (1, or 2 with --long).
    #[arg(long)]
    jobs: Option<usize>,
    /// Pass over programs with more interleavings than this.
    #[arg(long, default_value_t = 5000)]
    limit: u64,
    /// Draw larger programs: the estimated number of interleavings they are trimmed to (1500).
    #[arg(long)]
    size: Option<f64>,
    /// The long run: a million programs of all shapes and both policies, every algorithm that is judged by its traces, two
    /// threads, and a table of what was done. Other options replace parts of that.
    #[arg(long)]
    long: bool,
    /// Draw recorded traces instead of programs.
    #[arg(long)]
    traces: bool,
    /// Larger traces: so many accesses, posts, locks and notifications (8).
    #[arg(long, requires = "traces")]
    actions: Option<u32>,
    /// Judge observers and context-sensitive independence: programs with assertions, and what each algorithm owes of
    /// classes, final states and behaviours.
    #[arg(long, conflicts_with_all = ["traces", "size", "file", "show"])]
    coarse: bool,
    /// So many random orders of exploration for each program, beside the oldest task first.
    #[arg(long, default_value_t = 1, requires = "coarse")]
    orders: u64,
    /// Compare on these `.ed` files or recorded traces (`.txt`, `.json`) instead of random programs.
    #[arg(long, num_args = 1..)]
    file: Vec<PathBuf>,
    /// Only print the program of --seed and --shape and what the oracle says of it.
    #[arg(long)]
    show: bool,
    /// Only list the shapes.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(problem) => {
            say(&format!("mazurka-fuzz: {problem}"));
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if arguments.list {
        match arguments.coarse {
            true => CoarseShape::ALL.iter().for_each(|shape| say(shape.name)),
            false => SHAPES.iter().for_each(|shape| say(shape.name)),
        }
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.coarse {
        return hunt_coarse(arguments);
    }
    let hunt = hunt(arguments)?;
    if arguments.show {
        hunt.shapes.iter().for_each(|shape| show(shape, arguments));
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.file.is_empty() {
        return compare_files(&arguments.file, &hunt);
    }
    let started = Instant::now();
    if arguments.traces {
        return Ok(hunt_traces(arguments, &hunt, started));
    }
    let (tallies, catch) = hunt_and_watch(&hunt);
    if arguments.long {
        table(&hunt, &tallies);
    }
    summary(&Tally::total(&tallies), started.elapsed());
    Ok(match catch {
        Some(catch) => {
            announce(&catch);
            ExitCode::from(1)
        }
        None => ExitCode::SUCCESS,
    })
}

/// Prints, and does not mind if nobody listens any more.
fn say(text: &str) {
    let _ = writeln!(stdout().lock(), "{text}");
}

fn hunt(arguments: &Arguments) -> Result<Hunt, String> {
    let mut shapes = chosen(&arguments.shape, SHAPES, |shape| shape.name)?;
    for shape in &mut shapes {
        shape.max_interleavings = arguments.size.unwrap_or(shape.max_interleavings);
    }
    let programs = arguments.programs.or(arguments.long.then_some(LONG));
    let mut algorithms = chosen(&arguments.algorithm, &Algorithm::ALL, |a| a.name())?;
    if arguments.long {
        // The oracle is asked anyway, and samples prove nothing.
        let is_judged = |&algorithm: &Algorithm| {
            algorithm != Algorithm::Naive && !algorithm.samples() && applies(algorithm, QUEUES)
        };
        algorithms.retain(is_judged);
    }
    Ok(Hunt {
        algorithms,
        shapes,
        first_seed: arguments.seed,
        programs,
        time: time(arguments, programs),
        jobs: arguments.jobs.unwrap_or(1 + usize::from(arguments.long)).max(1),
        limit: arguments.limit,
    })
}

/// How long to hunt so many programs: a minute, unless told.
fn time(arguments: &Arguments, programs: Option<u64>) -> Option<Duration> {
    let seconds = match (arguments.seconds, programs) {
        (None, None) => Some(60),
        (seconds, _) => seconds,
    };
    seconds.map(Duration::from_secs)
}

fn hunt_coarse(arguments: &Arguments) -> Result<ExitCode, String> {
    let hunt = CoarseHunt {
        algorithms: chosen(&arguments.algorithm, &judged_algorithms(), |a| a.name())?,
        shapes: chosen(&arguments.shape, &CoarseShape::ALL, |shape| shape.name)?,
        first_seed: arguments.seed,
        programs: arguments.programs,
        time: time(arguments, arguments.programs),
        orders: arguments.orders,
        limit: arguments.limit,
    };
    let (tally, catch) = hunt.run();
    let orders = arguments.orders + 1;
    say(&format!(
        "{} programs in {orders} orders each, {} passed over",
        tally.judged, tally.passed_over
    ));
    let Some(catch) = catch else { return Ok(ExitCode::SUCCESS) };
    say(&format!(
        "\nDISAGREEMENT --coarse --shape {} --seed {}\n{}\n{}",
        catch.shape,
        catch.seed,
        catch.disagreement,
        catch.shrunk.text()
    ));
    Ok(ExitCode::from(1))
}

/// The things with these names, or all of them.
fn chosen<T: Clone>(
    names: &[String],
    all: &[T],
    name_of: impl Fn(&T) -> &'static str,
) -> Result<Vec<T>, String> {
    if names.iter().any(|name| name == "all") {
        return Ok(all.to_vec());
    }
    let find = |name: &String| {
        let found = all.iter().find(|thing| name_of(thing) == name).cloned();
        let known: Vec<_> = all.iter().map(&name_of).collect();
        found.ok_or_else(|| format!("no `{name}` among: {}", known.join(", ")))
    };
    names.iter().map(find).collect()
}

/// Hunts, and shows a program on which an algorithm hangs instead of waiting for it.
fn hunt_and_watch(hunt: &Hunt) -> (Vec<Tally>, Option<Box<Catch>>) {
    let at_work = Mutex::new(vec![None; hunt.jobs]);
    let begin = |worker: usize, shape: &Shape, seed: u64| {
        if let Ok(mut at_work) = at_work.lock() {
            at_work[worker] = Some((shape.clone(), seed, Instant::now()));
        }
    };
    let done = Mutex::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.lock().is_ok_and(|done| *done) {
                std::thread::sleep(Duration::from_millis(50));
                let Ok(at_work) = at_work.lock() else { return };
                for (shape, seed, since) in at_work.iter().flatten() {
                    if since.elapsed() > HANGING {
                        say(&format!("hanging: --shape {} --seed {seed}", shape.name));
                        say(&render_ed(&generate(*seed, shape)));
                        std::process::exit(1);
                    }
                }
            }
        });
        let result = hunt.run(&begin);
        if let Ok(mut done) = done.lock() {
            *done = true;
        }
        result
    })
}

fn hunt_traces(arguments: &Arguments, hunt: &Hunt, started: Instant) -> ExitCode {
    let traces = TraceHunt {
        algorithms: hunt.algorithms.clone(),
        shape: arguments.actions.map_or(SMALL, |actions| TraceShape { actions, ..SMALL }),
        first_seed: hunt.first_seed,
        traces: hunt.programs,
        time: hunt.time,
        limit: hunt.limit,
    };
    let (tally, catch) = traces.run();
    summary(&tally, started.elapsed());
    let Some(catch) = catch else {
        return ExitCode::SUCCESS;
    };
    say(&format!("\nDISAGREEMENT --traces --seed {}\n{}", catch.seed, catch.disagreement));
    say(&render(&catch.shrunk));
    ExitCode::from(1)
}

fn show(shape: &Shape, arguments: &Arguments) {
    let description = generate(arguments.seed, shape);
    say(&format!("// shape {}, seed {}", shape.name, arguments.seed));
    if is_non_branching(&description) {
        say("// non-branching");
    }
    say(&render_ed(&description));
    match ask_oracle(&Interpreted::new(&description), arguments.limit) {
        Some(truth) => say(&format!("// {truth:?}")),
        None => say("// more interleavings than --limit"),
    }
}

fn compare_files(files: &[PathBuf], hunt: &Hunt) -> Result<ExitCode, String> {
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let compare = comparison(file, hunt)?;
        for &algorithm in &hunt.algorithms {
            say(&match compare(algorithm) {
                Ok(Some(report)) => format!(
                    "{}: {} agrees, {} executions, {} begun in vain, {} of a class explored before",
                    file.display(),
                    algorithm.name(),
                    report.statistics.ended(),
                    report.statistics.redundant,
                    report.twice
                ),
                Ok(None) => format!(
                    "{}: more interleavings than --limit, or not for {}",
                    file.display(),
                    algorithm.name()
                ),
                Err(disagreement) => {
                    code = ExitCode::from(1);
                    format!("{}: DISAGREEMENT {disagreement}", file.display())
                }
            });
        }
    }
    Ok(code)
}

type Compare = dyn Fn(Algorithm) -> Result<Option<Report>, Disagreement>;

/// How to compare an algorithm on a file, whatever it is.
fn comparison(file: &Path, hunt: &Hunt) -> Result<Box<Compare>, String> {
    let limit = hunt.limit;
    if file.extension().is_some_and(|extension| extension == "ed") {
        let program = EdFile::read(file).map_err(|problem| problem.to_string())?;
        return Ok(Box::new(move |algorithm| program.compare(algorithm, limit)));
    }
    let program = traces::read(file).map_err(|problem| problem.to_string())?;
    Ok(Box::new(move |algorithm| traces::compare(&program, algorithm, limit)))
}

/// What was done of each shape.
fn table(hunt: &Hunt, tallies: &[Tally]) {
    let names: Vec<&str> = hunt.algorithms.iter().map(|algorithm| algorithm.name()).collect();
    say(&format!("seeds from {}, {}", hunt.first_seed, names.join(", ")));
    say(
        "shape        programs  passed over  interleavings     classes  executions  in vain  again",
    );
    for (shape, tally) in hunt.shapes.iter().zip(tallies) {
        say(&format!(
            "{:<12} {:>8} {:>12} {:>14} {:>11} {:>11} {:>8} {:>6}",
            shape.name,
            tally.programs,
            tally.passed_over,
            tally.interleavings,
            tally.classes,
            tally.executions,
            tally.redundant,
            tally.twice,
        ));
    }
}

fn summary(tally: &Tally, elapsed: Duration) {
    let rate = tally.programs as f64 / elapsed.as_secs_f64();
    say(&format!(
        "{} programs ({rate:.0} a second, {} passed over): {} interleavings, {} classes; \
         {} executions explored, {} begun in vain, {} of a class explored before (in {} explorations)",
        tally.programs,
        tally.passed_over,
        tally.interleavings,
        tally.classes,
        tally.executions,
        tally.redundant,
        tally.twice,
        tally.programs_with_twice,
    ));
}

fn announce(catch: &Catch) {
    say(&format!(
        "\nDISAGREEMENT --shape {} --seed {} ({} statements, {} after shrinking)\n{}\n",
        catch.shape,
        catch.seed,
        catch.drawn.statement_count(),
        catch.shrunk.statement_count(),
        catch.disagreement,
    ));
    if is_non_branching(&catch.shrunk) {
        say("// non-branching");
    }
    say(&render_ed(&catch.shrunk));
}

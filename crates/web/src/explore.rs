//! All orders of a page up to a bound: plans from the explorer, performed in parallel, compared and reported.

mod gather;

use crate::actions::Action;
use crate::browser::{Browser, find};
use crate::error::Error;
use crate::locations::recorded;
use crate::record::{Plan, Recording, Shared, lock, record, record_first};
use crate::schedule::Schedule;
use crate::server::Server;
use gather::Gathered;
use mazurka_engine::reorder::{AcceptedKind, Explorer, NewEvents, Settings};
use mazurka_report::count;
use mazurka_report::web::{Incomplete, WebReport};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What to explore, and how far.
#[derive(Clone, Debug)]
pub struct Options {
    /// A file, a folder or an address on this machine.
    pub page: String,
    /// The largest number of reversals; none for all.
    pub bound: Option<u32>,
    /// What the user does; none to try what has handlers.
    pub actions: Option<Vec<Action>>,
    /// How many actions are tried where none are given.
    pub max_actions: usize,
    /// Expressions that must hold in the end.
    pub asserts: Vec<String>,
    /// When to stop.
    pub timeout: Option<Duration>,
    /// After how many executions to stop.
    pub max_executions: Option<u64>,
    /// How many events an execution may have.
    pub max_events: usize,
    /// The browser, if not the usual one.
    pub browser: Option<PathBuf>,
    /// Recorded answers of other machines.
    pub record: Option<PathBuf>,
    /// How many executions run at once.
    pub threads: usize,
    /// How long one event may take.
    pub step: Duration,
    /// Show the browser's window.
    pub headed: bool,
    /// The order to begin with, in place of our own.
    pub from: Option<Schedule>,
}

impl Options {
    /// The usual ones for a page.
    pub fn new(page: &str) -> Options {
        Options {
            page: page.to_owned(),
            bound: Some(1),
            actions: None,
            max_actions: 10,
            asserts: Vec::new(),
            timeout: None,
            max_executions: None,
            max_events: 2000,
            browser: None,
            record: None,
            threads: 2,
            step: Duration::from_secs(10),
            headed: false,
            from: None,
        }
    }

    /// What all executions of the page have in common.
    pub fn shared(&self) -> Result<Shared, Error> {
        let actions = match &self.from {
            Some(schedule) => Some(schedule.actions.clone()),
            None => self.actions.clone(),
        };
        Ok(Shared {
            server: Server::new(&self.page, self.record.as_deref())?,
            sources: Mutex::default(),
            pages: Mutex::default(),
            names: Mutex::default(),
            helper: format!("m{:016x}", RandomState::new().hash_one(0)),
            actions: Mutex::new(actions),
            max_actions: self.max_actions,
            asserts: self.asserts.clone(),
            max_events: self.max_events,
            step: self.step,
            is_stopped: AtomicBool::new(false),
            is_patient: AtomicBool::new(false),
        })
    }
}

/// How far an exploration has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Sequences that have been explored.
    pub explored: u64,
    /// Sequences that wait or run.
    pub pending: u64,
    /// The number of reversals at which it is.
    pub depth: u32,
    /// How long the sequences took, added up.
    pub busy: Duration,
    /// Since the beginning.
    pub elapsed: Duration,
    /// How many run at once.
    pub threads: usize,
}

/// Explores a page in a browser of its own.
pub fn explore(
    options: &Options,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<WebReport, Error> {
    let shared = options.shared()?;
    let browser = Browser::start(&find(options.browser.as_deref())?, options.headed)?;
    explore_in(&browser, options, shared, stop, progress)
}

/// Explores a page in a browser that is there.
pub fn explore_in(
    browser: &Browser,
    options: &Options,
    shared: Shared,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<WebReport, Error> {
    let begun = Instant::now();
    let queue = Arc::new(Mutex::new(VecDeque::new()));
    let (results, done) = mpsc::channel();
    let closing = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            let worker = Worker {
                browser,
                shared: &shared,
                queue: Arc::clone(&queue),
                results: results.clone(),
                closing: &closing,
            };
            scope.spawn(move || worker.work());
        }
        let mut exploration = Exploration {
            options,
            shared: &shared,
            explorer: Explorer::new(Settings { bound: options.bound, new_events: NewEvents::Keep }),
            queue: &queue,
            waiting: HashMap::new(),
            gathered: Gathered::new(options, &shared),
            begun,
            handed: 0,
            incomplete: Vec::new(),
        };
        let result = exploration.run(&done, stop, progress);
        closing.store(true, Ordering::Relaxed);
        result.map(|()| exploration.report())
    })
}

/// One sequence again. Every exception in it is a failure.
pub fn replay(options: &Options) -> Result<WebReport, Error> {
    let shared = options.shared()?;
    let browser = Browser::start(&find(options.browser.as_deref())?, options.headed)?;
    let begun = Instant::now();
    let hashes = options.from.as_ref().map_or_else(Vec::new, Schedule::hashes);
    let recording = record(&shared, &mut browser.connect()?, &Plan { events: hashes })?;
    if options.headed {
        std::thread::sleep(SHOWN);
    }
    Ok(Gathered::new(options, &shared).replayed(recording, begun.elapsed()))
}

/// How long a window stays for people to look at.
const SHOWN: Duration = Duration::from_secs(5);
/// How often workers and the main loop look up.
const LOOK: Duration = Duration::from_millis(20);

struct Job {
    ticket: usize,
    plan: Plan,
}

struct Worker<'a> {
    browser: &'a Browser,
    shared: &'a Shared,
    queue: Arc<Mutex<VecDeque<Job>>>,
    results: Sender<(usize, Duration, Result<Recording, Error>)>,
    closing: &'a AtomicBool,
}

impl Worker<'_> {
    fn work(self) {
        while !self.closing.load(Ordering::Relaxed) {
            let Some(job) = lock(&self.queue).pop_front() else {
                std::thread::sleep(Duration::from_millis(2));
                continue;
            };
            let begun = Instant::now();
            let result = self.perform(&job.plan);
            if self.results.send((job.ticket, begun.elapsed(), result)).is_err() {
                return;
            }
        }
    }

    /// A command that a browser refuses is tried once more, in another tab: machines can be busy.
    fn perform(&self, plan: &Plan) -> Result<Recording, Error> {
        let attempt = || {
            let mut connection = self.browser.connect()?;
            match plan.events.is_empty() {
                true => record_first(self.shared, &mut connection),
                false => record(self.shared, &mut connection, plan),
            }
        };
        match attempt() {
            Err(Error::Refused { .. } | Error::NotLoaded(..)) => attempt(),
            result => result,
        }
    }
}

struct Exploration<'a> {
    options: &'a Options,
    shared: &'a Shared,
    explorer: Explorer,
    queue: &'a Mutex<VecDeque<Job>>,
    /// Plans that run, and results that are not final yet.
    waiting: HashMap<usize, (mazurka_engine::reorder::Plan, Option<Recording>)>,
    gathered: Gathered<'a>,
    begun: Instant,
    handed: u64,
    incomplete: Vec<Incomplete>,
}

impl Exploration<'_> {
    fn run(
        &mut self,
        done: &Receiver<(usize, Duration, Result<Recording, Error>)>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        let mut running = 0;
        let mut spent = Duration::ZERO;
        loop {
            let why = self.why_stop(stop);
            // What runs need not come to its end, unless only its number was limited.
            if why.as_ref().is_some_and(|(because, _)| *because != "max-executions") {
                self.shared.is_stopped.store(true, Ordering::Relaxed);
            }
            if why.is_none() {
                running += self.hand_out(self.options.threads.max(1) - running);
            }
            if running == 0 {
                if let Some((because, words)) = why.filter(|_| !self.explorer.is_finished()) {
                    self.incomplete.push(Incomplete { because: because.to_owned(), words });
                }
                return Ok(());
            }
            let Ok((ticket, time, result)) = done.recv_timeout(LOOK) else { continue };
            running -= 1;
            spent += time;
            self.take(ticket, result)?;
            let state = self.explorer.progress();
            progress(Progress {
                explored: state.explored,
                pending: state.pending + state.in_flight,
                depth: state.depth,
                busy: spent,
                elapsed: self.begun.elapsed(),
                threads: self.options.threads,
            });
        }
    }

    fn why_stop(&self, stop: &AtomicBool) -> Option<(&'static str, String)> {
        if stop.load(Ordering::Relaxed) {
            return Some(("interrupt", "interrupted".to_owned()));
        }
        if let Some(limit) = self.options.timeout.filter(|&limit| self.begun.elapsed() >= limit) {
            return Some((
                "timeout",
                format!("the time limit of {} s was reached", limit.as_secs()),
            ));
        }
        let most = self.options.max_executions.filter(|&most| self.handed >= most)?;
        Some(("max-executions", format!("the limit of {most} executions was reached")))
    }

    fn hand_out(&mut self, free: usize) -> usize {
        let mut handed = 0;
        while handed < free && self.options.max_executions.is_none_or(|most| self.handed < most) {
            let Some(plan) = self.explorer.next_plan() else { break };
            let from = self.options.from.as_ref().filter(|_| plan.parent.is_none());
            let names = lock(&self.shared.names);
            let events = match from {
                Some(schedule) => schedule.hashes(),
                None => plan.events.iter().map(|event| names.event(event.0).hash).collect(),
            };
            drop(names);
            lock(self.queue).push_back(Job { ticket: plan.ticket, plan: Plan { events } });
            self.waiting.insert(plan.ticket, (plan, None));
            self.handed += 1;
            handed += 1;
        }
        handed
    }

    /// A sequence has been performed. Results become final in the order of tickets.
    fn take(&mut self, ticket: usize, result: Result<Recording, Error>) -> Result<(), Error> {
        let accepted = match result {
            Ok(recording) => {
                let sequence = recorded(&recording).into_sequence();
                if let Some(waiting) = self.waiting.get_mut(&ticket) {
                    waiting.1 = Some(recording);
                }
                self.explorer.done(ticket, sequence)
            }
            // Without a recording there is nothing to explore.
            Err(error) if ticket == 0 => return Err(error),
            Err(Error::Stopped) => return Ok(()),
            Err(Error::Gone) => return Err(Error::Gone),
            Err(error) => {
                if let Some((plan, _)) = self.waiting.get(&ticket) {
                    self.gathered.lost(plan, &error);
                }
                self.explorer.lost(ticket)
            }
        };
        for accepted in accepted {
            if let Some((plan, Some(recording))) = self.waiting.remove(&accepted.ticket)
                && accepted.kind != AcceptedKind::Redundant
            {
                self.gathered.add(&plan, recording);
            }
        }
        Ok(())
    }

    fn report(self) -> WebReport {
        let given_up = self.explorer.given_up();
        let mut incomplete = self.incomplete;
        if given_up.beyond_bound
            && let Some(bound) = self.options.bound
        {
            let reversals = count(u64::from(bound), "reversal");
            let words = format!("orders with more than {reversals} were not explored (--bound)");
            incomplete.push(Incomplete { because: "bound".to_owned(), words });
        }
        if given_up.new_events > 0 {
            let races = count(given_up.new_events, "race");
            let which = "with events that the recorded execution does not have";
            let were = if given_up.new_events == 1 { "was" } else { "were" };
            let words = format!("{races} {which} {were} not reversed");
            incomplete.push(Incomplete { because: "new-events".to_owned(), words });
        }
        if given_up.lost > 0 {
            let words = format!("{} could not be performed", count(given_up.lost, "sequence"));
            incomplete.push(Incomplete { because: "lost".to_owned(), words });
        }
        self.gathered.report(incomplete, self.begun.elapsed())
    }
}

//! Consistency by trying all orders, written from the format page; and random small traces.

use super::{Random, acyclic, all_orders};
use mazurka_consistency::Policy;
use mazurka_consistency::trace::{Builder, Event, Trace};

/// Is the trace consistent? By trying every order of every handler's messages.
pub fn consistent(trace: &Trace, policy: Policy) -> bool {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); trace.handlers() as usize];
    for (id, message) in (0..).zip(trace.messages()) {
        if !message.initial && !message.pending {
            lists[message.handler as usize].push(id);
        }
    }
    let fixed = fixed_edges(trace, policy);
    if !acyclic(trace.events().len(), &fixed) {
        return false;
    }
    all_orders(&mut lists, &mut |orders| {
        let mut edges = fixed.clone();
        for order in orders {
            for (index, &a) in order.iter().enumerate() {
                for &b in &order[index + 1..] {
                    edges.push((
                        trace.messages()[a as usize].end - 1,
                        trace.messages()[b as usize].start,
                    ));
                    if keeps_posts(trace, policy, a, b) {
                        edges.push((trace.post_of(a).unwrap(), trace.post_of(b).unwrap()));
                    }
                }
            }
        }
        acyclic(trace.events().len(), &edges)
    })
}

fn keeps_posts(trace: &Trace, policy: Policy, a: u32, b: u32) -> bool {
    policy == Policy::Fifo || policy == Policy::P2p && trace.sender_of(a) == trace.sender_of(b)
}

fn fixed_edges(trace: &Trace, policy: Policy) -> Vec<(u32, u32)> {
    let mut edges = trace.order_edges().to_vec();
    for (id, message) in (0..).zip(trace.messages()) {
        edges.extend(message.events().zip(message.events().skip(1)));
        for (other_id, other) in (0..).zip(trace.messages()) {
            if other.handler != message.handler || other_id == id || other.initial || other.pending
            {
                continue;
            }
            if message.initial && message.end > message.start {
                edges.push((message.end - 1, other.start));
            }
            if message.pending && keeps_posts(trace, policy, other_id, id) {
                edges.push((trace.post_of(other_id).unwrap(), trace.post_of(id).unwrap()));
            }
        }
        if !message.initial && !message.pending {
            edges.push((trace.post_of(id).unwrap(), message.start));
        }
    }
    for (event, kind) in (0..).zip(trace.events()) {
        if let Event::Read { variable, from } = *kind {
            let writes = trace.coherence(variable);
            edges.extend(from.map(|write| (write, event)));
            let later =
                from.map_or(0, |write| writes.iter().position(|&w| w == write).unwrap() + 1);
            edges.extend(writes.get(later).map(|&write| (event, write)));
        }
    }
    for variable in 0..trace.variables() {
        edges.extend(trace.coherence(variable).windows(2).map(|pair| (pair[0], pair[1])));
    }
    edges
}

/// An event of a simulated execution; events are numbered only when all messages are complete.
#[derive(Clone, Copy)]
enum Done {
    Get,
    Read(u32, Option<(usize, usize)>),
    Write(u32),
    Post(usize),
}

struct Simulated {
    handler: usize,
    initial: bool,
    events: Vec<Done>,
    started: bool,
}

/// A random execution, its trace slightly damaged now and then.
pub struct Simulation<'r> {
    random: &'r mut Random,
    handlers: usize,
    variables: usize,
    messages: Vec<Simulated>,
    mailboxes: Vec<Vec<usize>>,
    running: Vec<Option<usize>>,
    /// Per variable: its writes so far, as (message, place).
    writes: Vec<Vec<(usize, usize)>>,
    fifo: bool,
    most_messages: usize,
}

impl<'r> Simulation<'r> {
    /// The trace of a random execution on queues or bags; often damaged, so that the verdicts are mixed.
    pub fn trace(random: &'r mut Random, most_messages: usize) -> Trace {
        let (handlers, variables) = (2 + random.below(3), 1 + random.below(3));
        let fifo = random.chance(40);
        let mut simulation = Self {
            handlers,
            variables,
            messages: Vec::new(),
            mailboxes: vec![Vec::new(); handlers],
            running: vec![None; handlers],
            writes: vec![Vec::new(); variables],
            fifo,
            most_messages,
            random,
        };
        simulation.run();
        simulation.finish()
    }

    fn run(&mut self) {
        for handler in 0..self.handlers {
            if handler == 0 || self.random.chance(60) {
                self.running[handler] = Some(self.messages.len());
                self.messages.push(Simulated {
                    handler,
                    initial: true,
                    events: Vec::new(),
                    started: true,
                });
            }
        }
        for _ in 0..60 {
            let handler = self.random.below(self.handlers);
            match self.running[handler] {
                Some(message) => self.step(handler, message),
                None if !self.mailboxes[handler].is_empty() => self.start(handler),
                None => {}
            }
        }
    }

    fn start(&mut self, handler: usize) {
        let waiting = self.mailboxes[handler].len();
        let index = if self.fifo { 0 } else { self.random.below(waiting) };
        let message = self.mailboxes[handler].remove(index);
        self.messages[message].started = true;
        self.messages[message].events.push(Done::Get);
        self.running[handler] = Some(message);
    }

    fn step(&mut self, handler: usize, message: usize) {
        let variable = self.random.below(self.variables);
        let place = self.messages[message].events.len();
        let done = match self.random.below(10) {
            0..3 => {
                self.writes[variable].push((message, place));
                Done::Write(variable as u32)
            }
            3..6 => Done::Read(variable as u32, self.writes[variable].last().copied()),
            6..9 if self.messages.len() < self.most_messages => {
                let target = self.random.below(self.handlers);
                self.mailboxes[target].push(self.messages.len());
                self.messages.push(Simulated {
                    handler: target,
                    initial: false,
                    events: Vec::new(),
                    started: false,
                });
                Done::Post(self.messages.len() - 1)
            }
            _ => {
                self.running[handler] = None;
                return;
            }
        };
        self.messages[message].events.push(done);
    }

    fn finish(self) -> Trace {
        let mut starts = vec![0];
        for message in &self.messages {
            starts.push(starts.last().unwrap() + message.events.len());
        }
        let id = |(message, place): (usize, usize)| (starts[message] + place) as u32;
        let mut coherence: Vec<Vec<u32>> =
            self.writes.iter().map(|w| w.iter().map(|&at| id(at)).collect()).collect();
        let mut builder = Builder::new(self.handlers as u32, self.variables as u32);
        for message in &self.messages {
            builder.message(message.handler as u32, message.initial, !message.started);
            for done in &message.events {
                builder.event(match *done {
                    Done::Get => Event::Get,
                    Done::Read(variable, from) => {
                        let writes = &coherence[variable as usize];
                        let damaged = self.random.chance(4) && !writes.is_empty();
                        let other = damaged.then(|| writes[self.random.below(writes.len())]);
                        Event::Read { variable, from: other.or(from.map(id)) }
                    }
                    Done::Write(variable) => Event::Write { variable },
                    Done::Post(message) => Event::Post { message: message as u32 },
                });
            }
        }
        for writes in &mut coherence {
            if writes.len() > 1 && self.random.chance(10) {
                let at = self.random.below(writes.len() - 1);
                writes.swap(at, at + 1);
            }
            builder.coherence(writes);
        }
        let events = *starts.last().unwrap();
        if events > 1 && self.random.chance(20) {
            builder.order(self.random.below(events) as u32, self.random.below(events) as u32);
        }
        builder.finish().expect("the simulation keeps the rules")
    }
}

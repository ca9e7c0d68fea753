//! Which events of the system and the user wait for which operations of the application.
//!
//! Every post of the system or the user has a NOP before it, its gate. What the gate waits for follows from
//! the TRIGGER operations in the message: the application must have enabled it, asked for it, or got
//! so far before. The original's model of Android is not published with its traces; these rules were
//! found by comparing the sample logs with the dependence files beside them, and give all edges of those
//! files but one, and one that follows from two others:
//!
//! | TRIGGER | its gate waits for |
//! |---|---|
//! | LIFECYCLE | the post of the message with the matching ENABLE (or the ENABLE, in thread code), and of the message with the component's previous TRIGGER |
//! | WINDOW-FOCUS | the last ENABLE of the window before the gate, and the post of its message |
//! | EVENT | the ENABLE of the event, and the RET of its message |
//! | SERVICE | the request; for arguments and binding the post of the creation; for further arguments that of the previous ones; for a connection the binding |
//! | BROADCAST, received | registration and sending, and the posts of the application's start and of the previous reception |
//!
//! Besides, a TRIGGER-LIFECYCLE itself waits for its ENABLE.
//!
//! The edge that is missing: an ENABLE-LIFECYCLE by intent of a TRIGGER by instance. What a log has beside these
//! (other states of services, sticky broadcasts) is unordered here, so more is explored than can happen.

use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::trace::{Dependence, RecordedTrace};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the rules ask for; each is remembered with the position where it happened last.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Fact<'t> {
    Lifecycle { id: i64 },
    AppStarted,
    EventEnabled { view: i64, event: i64 },
    Service { component: &'t str, state: &'t str },
    ServiceOf { id: i64, state: &'t str },
    Registered { action: &'t str, component: &'t str },
    Sent { action: &'t str, intent: &'t str },
    Received,
}

/// Adds the dependences to a trace that has its final order and numbers.
pub(super) fn add_dependences(trace: &mut RecordedTrace) {
    let mut rules = Rules::new(trace);
    for position in 0..trace.operations.len() {
        rules.note(position);
    }
    let index = |position: usize| trace.operations[position].index;
    let mut seen = FxHashSet::default();
    let edges = rules.edges.into_iter().filter(|&edge| seen.insert(edge));
    let edges = edges.map(|(first, second)| Dependence::from((index(first), index(second))));
    trace.dependences = edges.collect();
}

struct Rules<'t> {
    trace: &'t RecordedTrace,
    /// The message that contains each operation.
    inside: Vec<Option<MessageId>>,
    posts: FxHashMap<MessageId, usize>,
    returns: FxHashMap<MessageId, usize>,
    /// The NOP before the post of a message.
    gates: FxHashMap<MessageId, usize>,
    facts: FxHashMap<Fact<'t>, usize>,
    /// Lifecycle states that have been enabled and not yet triggered.
    enabled: FxHashMap<(i64, &'t str), Vec<usize>>,
    /// Where each window has been enabled to get the focus since it last got it.
    focus: FxHashMap<i64, Vec<usize>>,
    edges: Vec<(usize, usize)>,
}

impl<'t> Rules<'t> {
    fn new(trace: &'t RecordedTrace) -> Self {
        let mut rules = Rules {
            trace,
            inside: Vec::with_capacity(trace.operations.len()),
            posts: FxHashMap::default(),
            returns: FxHashMap::default(),
            gates: FxHashMap::default(),
            facts: FxHashMap::default(),
            enabled: FxHashMap::default(),
            focus: FxHashMap::default(),
            edges: Vec::new(),
        };
        let mut current: FxHashMap<ThreadId, MessageId> = FxHashMap::default();
        let mut nops: FxHashMap<ThreadId, usize> = FxHashMap::default();
        for (position, recorded) in trace.operations.iter().enumerate() {
            match recorded.action {
                Action::Nop { tid } => drop(nops.insert(tid, position)),
                Action::Post { origin, tid, message, .. } => {
                    rules.posts.insert(message, position);
                    let gate = nops.remove(&tid).filter(|_| origin != PostKind::Application);
                    rules.gates.extend(gate.map(|gate| (message, gate)));
                }
                Action::Call { tid, message } => drop(current.insert(tid, message)),
                Action::Return { message, .. } => drop(rules.returns.insert(message, position)),
                _ => {}
            }
            rules.inside.push(current.get(&recorded.action.tid()).copied());
            if let Action::Return { tid, .. } = recorded.action {
                current.remove(&tid);
            }
        }
        rules
    }

    fn note(&mut self, position: usize) {
        let trace = self.trace;
        match &trace.operations[position].action {
            Action::EnableLifecycle { id, state, .. } => {
                self.enabled.entry((*id, state)).or_default().push(position);
            }
            Action::TriggerLifecycle { id, state, .. } => self.lifecycle(position, *id, state),
            Action::EnableWindowFocus { window, .. } => {
                self.focus.entry(*window).or_default().push(position)
            }
            Action::TriggerWindowFocus { window, .. } => self.focus(position, *window),
            &Action::EnableEvent { view, event, .. } => {
                self.remember(Fact::EventEnabled { view, event }, position);
            }
            &Action::TriggerEvent { view, event, .. } => {
                let enabled = self.recall(&Fact::EventEnabled { view, event });
                self.wait(position, enabled);
                let message = enabled.and_then(|enabled| self.inside[enabled]);
                self.wait(
                    position,
                    message.and_then(|message| self.returns.get(&message).copied()),
                );
            }
            Action::TriggerService { component, id, state, .. } => {
                self.service(position, component, *id, state)
            }
            Action::TriggerBroadcast { action, component, intent, state, .. } => {
                self.broadcast(position, action, component, intent, state);
            }
            _ => {}
        }
    }

    fn remember(&mut self, fact: Fact<'t>, position: usize) {
        self.facts.insert(fact, position);
    }

    fn recall(&self, fact: &Fact<'t>) -> Option<usize> {
        self.facts.get(fact).copied()
    }

    fn gate(&self, trigger: usize) -> Option<usize> {
        self.gates.get(&self.inside[trigger]?).copied()
    }

    /// The gate of the message that `trigger` is in waits for `source`, if that comes first.
    fn wait(&mut self, trigger: usize, source: Option<usize>) {
        if let (Some(gate), Some(source)) = (self.gate(trigger), source)
            && source < gate
        {
            self.edges.push((source, gate));
        }
    }

    /// The gate waits for the post of the message that `source` is in.
    fn wait_for_post(&mut self, trigger: usize, source: Option<usize>) {
        let message = source.and_then(|source| self.inside[source]);
        self.wait(trigger, message.and_then(|message| self.posts.get(&message).copied()));
    }

    fn lifecycle(&mut self, position: usize, id: i64, state: &'t str) {
        for enabled in self.enabled.remove(&(id, state)).unwrap_or_default() {
            self.edges.push((enabled, position));
            match self.inside[enabled] {
                Some(_) => self.wait_for_post(position, Some(enabled)),
                None => self.wait(position, Some(enabled)),
            }
        }
        let previous = self.recall(&Fact::Lifecycle { id });
        self.wait_for_post(position, previous);
        self.remember(Fact::Lifecycle { id }, position);
        if state == "BIND-APP" {
            self.remember(Fact::AppStarted, position);
        }
    }

    /// The last ENABLE before the gate counts, or else the last one.
    fn focus(&mut self, position: usize, window: i64) {
        let enabled = self.focus.remove(&window).unwrap_or_default();
        let gate = self.gate(position).unwrap_or(position);
        let before = enabled.partition_point(|&at| at < gate);
        let source = before.checked_sub(1).map(|at| enabled[at]).or(enabled.last().copied());
        self.wait(position, source);
        self.wait_for_post(position, source);
    }

    fn service(&mut self, position: usize, component: &'t str, id: i64, state: &'t str) {
        let by_component = |state| Fact::Service { component, state };
        let by_id = |state| Fact::ServiceOf { id, state };
        let created = self.recall(&by_component("CREATE-SERVICE"));
        let (request, post_of) = match state {
            "CREATE-SERVICE" => (self.recall(&by_component("REQUEST_START_SERVICE")), None),
            "SERVICE-ARGS" => {
                let previous = self.recall(&by_component("SERVICE-ARGS"));
                (self.recall(&by_id("REQUEST_START_SERVICE")), previous.or(created))
            }
            "BIND-SERVICE" => (self.recall(&by_component("REQUEST_BIND_SERVICE")), created),
            "SERVICE_CONNECT" => {
                let bound = self.recall(&by_component("BIND-SERVICE"));
                self.wait(position, bound);
                (self.recall(&by_id("REQUEST_BIND_SERVICE")), None)
            }
            _ => (None, None),
        };
        self.wait(position, request);
        self.wait_for_post(position, post_of);
        self.remember(by_component(state), position);
        self.remember(by_id(state), position);
    }

    fn broadcast(
        &mut self,
        position: usize,
        action: &'t str,
        component: &'t str,
        intent: &'t str,
        state: &str,
    ) {
        let registered = Fact::Registered { action, component };
        let sent = Fact::Sent { action, intent };
        match state {
            "ABC_REGISTER_RECEIVER" => self.remember(registered, position),
            "ABC_SEND_BROADCAST" => self.remember(sent, position),
            "ABC_ONRECEIVE" => {
                self.wait(position, self.recall(&registered));
                self.wait(position, self.recall(&sent));
                self.wait_for_post(position, self.recall(&Fact::AppStarted));
                self.wait_for_post(position, self.recall(&Fact::Received));
                self.remember(Fact::Received, position);
            }
            _ => {}
        }
    }
}

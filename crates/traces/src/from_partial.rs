//! A partial trace as a recorded one: an order of its events, which a solver has found, is an execution with queues.
//!
//! Thread 1 starts the handlers; a handler is a thread, with a queue if messages are posted to it. Further edges of the partial trace become
//! dependences. Messages that were posted and never executed are left out with their posts.

use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::trace::{Dependence, Recorded, RecordedTrace};
use mazurka_consistency::Trace;
use mazurka_consistency::trace::{Event, EventId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The thread that starts the others.
const STARTER: ThreadId = ThreadId(1);
/// Operations are numbered from here, as after a START.
const FIRST_INDEX: u32 = 2;

/// The recorded trace in which the events come in this order, which must be a witness under FIFO mailboxes.
pub fn from_partial(name: &str, partial: &Trace, order: &[EventId]) -> RecordedTrace {
    let trace = RecordedTrace {
        name: name.to_owned(),
        dependence_name: name.to_owned(),
        ..Default::default()
    };
    let posted = partial.messages().iter().filter(|it| !it.initial);
    let queues = posted.map(|it| it.handler).collect();
    let mut writer = Writer { partial, trace, queues, places: FxHashMap::default() };
    writer.begin();
    for &event in order {
        writer.event(event);
    }
    writer.add_dependences();
    writer.trace
}

struct Writer<'t> {
    partial: &'t Trace,
    trace: RecordedTrace,
    /// The handlers that messages are posted to.
    queues: FxHashSet<u32>,
    /// The operation of each event.
    places: FxHashMap<EventId, u32>,
}

impl Writer<'_> {
    fn emit(&mut self, action: Action) -> u32 {
        let index = FIRST_INDEX + self.trace.operations.len() as u32;
        self.trace.operations.push(Recorded { index, line: 0, action });
        index
    }

    fn begin(&mut self) {
        self.emit(Action::ThreadInit { tid: STARTER });
        self.trace.names.add(format!("thread {STARTER}"), "start");
        let messages = self.partial.messages();
        let mut used: Vec<u32> = messages.iter().map(|it| it.handler).collect();
        used.sort_unstable();
        used.dedup();
        let begin = messages.iter().filter(|it| it.initial && it.last().is_some());
        let busy: FxHashSet<u32> = begin.map(|it| it.handler).collect();
        for handler in used {
            let tid = thread(handler);
            self.trace.names.add(format!("thread {tid}"), &format!("h{handler}"));
            self.emit(Action::Fork { tid: STARTER, child: tid });
            self.emit(Action::ThreadInit { tid });
            if self.queues.contains(&handler) {
                self.emit(Action::AttachQueue { tid, queue: i64::from(tid.0) });
                if !busy.contains(&handler) {
                    self.emit(Action::Loop { tid, queue: Some(i64::from(tid.0)) });
                }
            }
        }
        self.emit(Action::ThreadExit { tid: STARTER });
    }

    fn event(&mut self, event: EventId) {
        let number = self.partial.message_of(event);
        let message = self.partial.messages()[number as usize];
        let tid = thread(message.handler);
        let action = match self.partial.events()[event as usize] {
            Event::Get => Some(Action::Call { tid, message: MessageId(number) }),
            Event::Read { variable, .. } => {
                Some(Action::ReadStatic { tid, class: self.class(variable), field: 0 })
            }
            Event::Write { variable } => {
                Some(Action::WriteStatic { tid, class: self.class(variable), field: 0 })
            }
            Event::Post { message } => self.post(tid, message),
        };
        let index = self.emit(action.unwrap_or(Action::Nop { tid }));
        self.places.insert(event, index);
        if message.last() == Some(event) {
            self.end(number, tid);
        }
    }

    fn class(&mut self, variable: u32) -> String {
        let class = format!("x{variable}");
        self.trace.names.add(format!("static {class}.0"), &class);
        class
    }

    /// A post, unless its message is never executed.
    fn post(&self, tid: ThreadId, message: u32) -> Option<Action> {
        let posted = self.partial.messages()[message as usize];
        let destination = thread(posted.handler);
        let (origin, message) = (PostKind::Application, MessageId(message));
        (!posted.pending).then_some(Action::Post { origin, tid, message, destination })
    }

    /// The last event of a message is over.
    fn end(&mut self, number: u32, tid: ThreadId) {
        let message = self.partial.messages()[number as usize];
        let has_queue = self.queues.contains(&message.handler);
        self.emit(match message.initial {
            false => Action::Return { tid, message: MessageId(number) },
            true if has_queue => Action::Loop { tid, queue: Some(i64::from(tid.0)) },
            true => Action::ThreadExit { tid },
        });
    }

    fn add_dependences(&mut self) {
        for &(first, second) in self.partial.order_edges() {
            self.add_dependence(Some(first), Some(second));
            // A message that waits for another one of its queue has to be posted behind it, or both wait for ever.
            let [one, other] = [first, second].map(|event| self.partial.message_of(event));
            let [own, others] = [one, other].map(|it| self.partial.messages()[it as usize]);
            if one != other && own.handler == others.handler {
                self.add_dependence(self.partial.post_of(one), self.partial.post_of(other));
            }
        }
    }

    fn add_dependence(&mut self, first: Option<EventId>, second: Option<EventId>) {
        let place = |event: Option<EventId>| self.places.get(&event?).copied();
        if let (Some(source), Some(destination)) = (place(first), place(second)) {
            self.trace.dependences.push(Dependence::from((source, destination)));
        }
    }
}

fn thread(handler: u32) -> ThreadId {
    ThreadId(handler + STARTER.0 + 1)
}

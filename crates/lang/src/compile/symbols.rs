//! The first pass: what is declared, how large it is, and the constants.

use super::constants::evaluate;
use crate::ast::{Dimension, Expression, Item, Name, Place, Program, Routine};
use crate::diagnostic::{Diagnostic, suggest};
use crate::layout::{Array, Extent};
use crate::source::Span;
use mazurka_engine::Mailbox;
use rustc_hash::FxHashMap;

/// So many variables and locks together, so many handlers, and so many threads may be declared.
pub(crate) const MAX_THINGS: u32 = 1_000_000;

/// What a name can stand for. Only things that could be mistaken for each other share their names: a
/// message and a handler may be called alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Param,
    Variable,
    Mutex,
    ReadWriteLock,
    Semaphore,
    Condition,
    Barrier,
    Handler,
    Thread,
    Message,
    Task,
}

impl Kind {
    /// How messages call it.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Kind::Param => "param",
            Kind::Variable => "shared variable",
            Kind::Mutex => "mutex",
            Kind::ReadWriteLock => "read-write lock",
            Kind::Semaphore => "semaphore",
            Kind::Condition => "condition",
            Kind::Barrier => "barrier",
            Kind::Handler => "handler",
            Kind::Thread => "thread",
            Kind::Message => "message",
            Kind::Task => "task",
        }
    }

    fn shares_names_with(self, other: Kind) -> bool {
        let value = |kind| {
            use Kind::{Barrier, Condition, Mutex, Param, ReadWriteLock, Semaphore, Variable};
            matches!(
                kind,
                Param | Variable | Mutex | ReadWriteLock | Semaphore | Condition | Barrier
            )
        };
        self == other || (value(self) && value(other))
    }
}

/// A message or task, as its callers see it.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) routine: u16,
    pub(super) parameters: usize,
}

/// Everything that is declared.
#[derive(Default)]
pub(super) struct Symbols {
    /// In the order of the text.
    pub(super) params: Vec<(String, i64)>,
    param_values: FxHashMap<String, i64>,
    arrays: FxHashMap<(Kind, String), Array>,
    signatures: FxHashMap<(Kind, String), Signature>,
    names: FxHashMap<String, Vec<Kind>>,
    /// Variables, then locks and semaphores, in the order of their numbers.
    pub(super) objects: Vec<Array>,
    pub(super) handlers: Vec<Array>,
    pub(super) policies: Vec<Mailbox>,
    pub(super) threads: Vec<Array>,
    /// Initial values of the variables, and of the locks and semaphores behind them.
    pub(super) initial: Vec<i64>,
    /// The file's default policy, after an override.
    pub(super) mailbox: Option<Mailbox>,
    pub(super) errors: Vec<Diagnostic>,
}

impl Symbols {
    /// Collects the declarations of a program. `replaced` are params given from outside, `mailbox`
    /// overrides the file's default.
    pub(super) fn collect(
        program: &Program,
        replaced: &[(String, i64)],
        mailbox: Option<Mailbox>,
    ) -> Symbols {
        let mut symbols = Symbols::default();
        symbols.params(program, replaced);
        let declared = symbols.default_mailbox(program);
        symbols.mailbox = Some(mailbox.or(declared).unwrap_or(Mailbox::Fifo));
        for item in &program.items {
            symbols.variable(item);
        }
        for item in &program.items {
            symbols.other(item);
        }
        symbols.check_replaced(replaced);
        symbols
    }

    pub(super) fn param(&self, name: &str) -> Option<i64> {
        self.param_values.get(name).copied()
    }

    pub(super) fn array(&self, kind: Kind, name: &str) -> Option<&Array> {
        self.arrays.get(&(kind, name.to_owned()))
    }

    pub(super) fn signature(&self, kind: Kind, name: &str) -> Option<&Signature> {
        self.signatures.get(&(kind, name.to_owned()))
    }

    /// Something of another kind that has this name.
    pub(super) fn other_kind(&self, name: &str) -> Option<Kind> {
        self.names.get(name).and_then(|kinds| kinds.first().copied())
    }

    /// All names of a kind.
    pub(super) fn names_of(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .filter(move |(_, kinds)| kinds.contains(&kind))
            .map(|(name, _)| name.as_str())
    }

    fn declare(&mut self, kind: Kind, name: &Name) {
        let kinds = self.names.entry(name.text.clone()).or_default();
        if let Some(other) = kinds.iter().find(|other| kind.shares_names_with(**other)) {
            let message = format!("there is already a {} named `{}`", other.describe(), name.text);
            self.errors.push(Diagnostic::new(name.span, message));
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }

    fn params(&mut self, program: &Program, replaced: &[(String, i64)]) {
        for item in &program.items {
            let Item::Param { name, value } = item else {
                continue;
            };
            let given = replaced.iter().rev().find(|(replaced, _)| *replaced == name.text);
            let value = match given {
                Some((_, value)) => *value,
                None => self.constant(value, &[]).unwrap_or(1),
            };
            self.declare(Kind::Param, name);
            if self.param_values.insert(name.text.clone(), value).is_none() {
                self.params.push((name.text.clone(), value));
            }
        }
    }

    fn check_replaced(&mut self, replaced: &[(String, i64)]) {
        for (name, _) in replaced.iter().filter(|(name, _)| !self.param_values.contains_key(name)) {
            let known = self.params.iter().map(|(name, _)| name.as_str());
            let list = || {
                format!(
                    "its params are {}",
                    quoted(self.params.iter().map(|(name, _)| name.as_str()))
                )
            };
            let help = suggest(name, known).or_else(|| {
                Some(if self.params.is_empty() { "it has no params".into() } else { list() })
            });
            self.errors.push(
                Diagnostic::global(format!("the program has no param `{name}`")).with_help(help),
            );
        }
    }

    fn default_mailbox(&mut self, program: &Program) -> Option<Mailbox> {
        let mut found = None;
        for item in &program.items {
            let Item::Mailbox { policy, span } = item else {
                continue;
            };
            if found.is_some() {
                self.errors.push(Diagnostic::new(*span, "the default mailbox is declared twice"));
            }
            found = Some(*policy);
        }
        found
    }

    fn variable(&mut self, item: &Item) {
        if let Item::Variable { name, dimensions, initial } = item {
            self.declare_objects(Kind::Variable, name, dimensions, initial.as_ref());
        }
    }

    /// Variables, locks or semaphores with their initial values, which may depend on the indices.
    fn declare_objects(
        &mut self,
        kind: Kind,
        name: &Name,
        dimensions: &[Dimension],
        initial: Option<&Expression>,
    ) {
        self.declare(kind, name);
        let used = self.initial.len() as u32;
        let array = self.sized(name, dimensions, used);
        let names: Vec<Option<&str>> = dimensions.iter().map(index_name).collect();
        for offset in 0..array.count() {
            let value = match initial {
                None => 0,
                Some(initial) => {
                    let values = array.indices(offset);
                    let named: Vec<(&str, i64)> = names
                        .iter()
                        .zip(values)
                        .filter_map(|(name, value)| Some(((*name)?, value)))
                        .collect();
                    match self.constant(initial, &named) {
                        Some(value) => value,
                        None => break,
                    }
                }
            };
            self.initial.push(value);
        }
        self.initial.resize((used + array.count()) as usize, 0);
        self.objects.push(array.clone());
        self.arrays.insert((kind, name.text.clone()), array);
    }

    fn semaphore(&mut self, name: &Name, dimensions: &[Dimension], permits: Option<&Expression>) {
        let used = self.initial.len();
        self.declare_objects(Kind::Semaphore, name, dimensions, permits);
        let given = self.initial[used..].iter().copied().find(|&given| !is_permits(given));
        if let Some(given) = given {
            let message = format!("a semaphore has 0 to {} permits, but this is {given}", u32::MAX);
            let span = permits.map_or(name.span, |permits| permits.span);
            self.errors.push(Diagnostic::new(span, message));
        }
    }

    fn barrier(&mut self, name: &Name, dimensions: &[Dimension], size: &Expression) {
        let used = self.initial.len();
        self.declare_objects(Kind::Barrier, name, dimensions, Some(size));
        let given = self.initial[used..].iter().copied().find(|&given| given < 1);
        if let Some(given) = given {
            let message = format!("a barrier waits for 1 or more, but this is {given}");
            self.errors.push(Diagnostic::new(size.span, message));
        }
    }

    fn other(&mut self, item: &Item) {
        match item {
            Item::Mutex { name, dimensions } => {
                self.declare_objects(Kind::Mutex, name, dimensions, None);
            }
            Item::ReadWriteLock { name, dimensions } => {
                self.declare_objects(Kind::ReadWriteLock, name, dimensions, None);
            }
            Item::Semaphore { name, dimensions, permits } => {
                self.semaphore(name, dimensions, permits.as_ref());
            }
            Item::Condition { name, dimensions } => {
                self.declare_objects(Kind::Condition, name, dimensions, None);
            }
            Item::Barrier { name, dimensions, size } => self.barrier(name, dimensions, size),
            Item::Handler { name, dimensions, policy } => {
                self.declare(Kind::Handler, name);
                let array = self.sized(name, dimensions, next_number(&self.handlers));
                let policy = policy.or(self.mailbox).unwrap_or(Mailbox::Fifo);
                self.policies.resize((array.base + array.count()) as usize, policy);
                self.handlers.push(array.clone());
                self.arrays.insert((Kind::Handler, name.text.clone()), array);
            }
            Item::Thread { name, dimensions, .. } => {
                self.declare(Kind::Thread, name);
                let array = self.sized(name, dimensions, next_number(&self.threads));
                self.threads.push(array.clone());
                self.arrays.insert((Kind::Thread, name.text.clone()), array);
            }
            Item::Message(routine) => self.routine(Kind::Message, routine),
            Item::Task(routine) => self.routine(Kind::Task, routine),
            Item::Param { .. }
            | Item::Mailbox { .. }
            | Item::Variable { .. }
            | Item::Invariant { .. }
            | Item::Finally(_) => {}
        }
    }

    fn routine(&mut self, kind: Kind, routine: &Routine) {
        self.declare(kind, &routine.name);
        // Routines are compiled in the order in which they are declared here.
        let number = u16::try_from(self.signatures.len()).unwrap_or_else(|_| {
            let message = "more than 65536 messages and tasks";
            self.errors.push(Diagnostic::new(routine.name.span, message));
            0
        });
        let signature = Signature { routine: number, parameters: routine.parameters.len() };
        self.signatures.entry((kind, routine.name.text.clone())).or_insert(signature);
    }

    /// An array with constant dimensions, if it is not too large.
    fn sized(&mut self, name: &Name, dimensions: &[Dimension], base: u32) -> Array {
        let mut extents = Vec::with_capacity(dimensions.len());
        let mut count = 1_u64;
        for dimension in dimensions {
            let Some(extent) = self.extent(dimension) else {
                continue;
            };
            count = count.saturating_mul(u64::from(extent.size));
            extents.push(extent);
        }
        if extents.len() < dimensions.len() {
            extents = vec![Extent { low: 0, size: 0 }; dimensions.len()];
        } else if u64::from(base) + count > u64::from(MAX_THINGS) {
            let message = format!("`{}` makes more than {MAX_THINGS} of its kind", name.text);
            self.errors.push(Diagnostic::new(name.span, message));
            extents = vec![Extent { low: 0, size: 0 }; dimensions.len()];
        }
        Array { name: name.text.clone(), base, extents }
    }

    fn extent(&mut self, dimension: &Dimension) -> Option<Extent> {
        let (low, high, span) = match dimension {
            Dimension::Size(size) => (0, self.constant(size, &[])?, size.span),
            Dimension::Range { from, to, .. } => {
                let (low, high) = (self.constant(from, &[]), self.constant(to, &[]));
                (low?, high?, from.span.to(to.span))
            }
        };
        let size = i128::from(high) - i128::from(low);
        if size < 0 {
            let message = match dimension {
                Dimension::Size(_) => format!("a size cannot be negative, but this is {high}"),
                Dimension::Range { .. } => {
                    format!("this range goes backwards, from {low} to {high}")
                }
            };
            self.errors.push(Diagnostic::new(span, message));
            return None;
        }
        match u32::try_from(size).ok().filter(|size| *size <= MAX_THINGS) {
            Some(size) => Some(Extent { low, size }),
            None => {
                let message = format!("{size} is more than the {MAX_THINGS} that are supported");
                self.errors.push(Diagnostic::new(span, message));
                None
            }
        }
    }

    /// The value of a constant expression; reports what is wrong with it.
    fn constant(&mut self, expression: &Expression, named: &[(&str, i64)]) -> Option<i64> {
        let result = evaluate(expression, &|place| self.constant_name(place, named));
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn constant_name(&self, place: &Place, named: &[(&str, i64)]) -> Result<i64, Diagnostic> {
        let name = &place.name;
        let index =
            named.iter().rev().find(|(index, _)| *index == name.text).map(|(_, value)| *value);
        let value = index.or_else(|| self.param(&name.text));
        if let (Some(value), true) = (value, place.indices.is_empty()) {
            return Ok(value);
        }
        if value.is_some() {
            return Err(Diagnostic::new(name.span, format!("`{}` is not an array", name.text)));
        }
        let known = named.iter().map(|(index, _)| *index).chain(self.names_of(Kind::Param));
        let help = suggest(&name.text, known)
            .or_else(|| Some("constants may use params that are declared before".to_owned()));
        Err(Diagnostic::new(name.span, format!("`{}` is not a constant", name.text))
            .with_help(help))
    }
}

/// Can a semaphore have so many permits?
fn is_permits(given: i64) -> bool {
    u32::try_from(given).is_ok()
}

fn next_number(arrays: &[Array]) -> u32 {
    arrays.last().map_or(0, |array| array.base + array.count())
}

/// The name of a dimension's index, if it has one.
pub(super) fn index_name(dimension: &Dimension) -> Option<&str> {
    match dimension {
        Dimension::Size(_) => None,
        Dimension::Range { index, .. } => Some(&index.text),
    }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The error of a name that does not stand for what is needed.
pub(super) fn wrong_name(
    symbols: &Symbols,
    name: &Name,
    wanted: &str,
    kinds: &[Kind],
    locals: &[&str],
) -> Diagnostic {
    if let Some(other) = symbols.other_kind(&name.text) {
        let message = format!("`{}` is a {}, not a {wanted}", name.text, other.describe());
        return Diagnostic::new(name.span, message).with_help(how_to_use(other, wanted));
    }
    let mut known: Vec<&str> = locals.to_vec();
    for kind in kinds {
        known.extend(symbols.names_of(*kind));
    }
    known.sort_unstable();
    let help = value_of_another_language(&name.text).or_else(|| suggest(&name.text, known));
    unknown(name.span, &name.text, wanted, help)
}

/// What one does with a thing that stands where another is needed.
fn how_to_use(kind: Kind, wanted: &str) -> Option<String> {
    let advice = match (kind, wanted) {
        (Kind::Message, _) => "messages are sent with `post`",
        (Kind::Task, _) => "tasks are started with `fork`",
        (Kind::Handler, "message") => "what is posted is a `message m(p) { … }`: `post m(e) to h;`",
        (Kind::Handler, _) => {
            "a handler runs for ever; messages are posted to it: `post m(e) to h;`"
        }
        (Kind::Thread, "handler") => "messages are posted to a `handler h;`",
        (Kind::Thread, _) => "a thread runs from the start; others can `join` it",
        (Kind::Mutex, _) => "a mutex is held with `with m { … }`, or `lock m;` and `unlock m;`",
        (Kind::ReadWriteLock, _) => {
            "a read-write lock is held with `with r { … }` or `with_shared r { … }`"
        }
        (Kind::Semaphore, _) => "permits are taken with `acquire s;` and given with `release s;`",
        (Kind::Condition, "barrier") => "a notification is waited for with `wait c with m;`",
        (Kind::Condition, _) => {
            "a condition is for `wait c with m;`, `notify c;` and `notify_all c;`"
        }
        (Kind::Barrier, "condition") => "one waits at a barrier with `wait b;`, without a lock",
        (Kind::Barrier, _) => "one waits at a barrier with `wait b;`",
        (Kind::Variable | Kind::Param, "condition" | "barrier") => {
            "they are declared with `condition c;` and `barrier b = 3;`"
        }
        (Kind::Variable | Kind::Param, "semaphore") => {
            "a semaphore is declared with `semaphore s = 2;`"
        }
        (Kind::Variable | Kind::Param, "handler") => "a handler is declared with `handler h;`",
        (Kind::Variable | Kind::Param, "mutex" | "read-write lock") => {
            "locks are declared with `mutex m;` and `rwlock r;`"
        }
        (Kind::Variable | Kind::Param, _) => return None,
    };
    Some(advice.to_owned())
}

/// What somebody means who writes a value of another language.
fn value_of_another_language(name: &str) -> Option<String> {
    let advice = match name {
        "null" | "nil" | "None" | "NULL" | "undefined" | "nullptr" => {
            "values are integers: take a number that means it, such as 0 or -1"
        }
        "True" | "TRUE" => "it is written `true`",
        "False" | "FALSE" => "it is written `false`",
        "self" | "this" => {
            "there are no objects; a thread of several knows its index: `thread t[i in 0..n] { … }`"
        }
        _ => return None,
    };
    Some(advice.to_owned())
}

fn unknown(span: Span, name: &str, wanted: &str, help: Option<String>) -> Diagnostic {
    Diagnostic::new(span, format!("there is no {wanted} named `{name}`")).with_help(help)
}

//! A description as `.ed` text.
//!
//! Names: variables `x0`, arrays `a0`, locks `l0`, semaphores `s0`, conditions `c0`, barriers `b0`, handlers `h0`, messages `m0`, tasks `f0`, threads `t0`;
//! locals `r0` and fork handles `w0`.

use crate::description::{
    Body, Condition, Description, Place, Statement, Value, assigned_local, visit,
};
use std::fmt::Write;

/// The program as `.ed` text.
pub fn render_ed(description: &Description) -> String {
    let mut text = String::new();
    for (number, initial) in description.variables.iter().enumerate() {
        line(&mut text, 0, &format!("var x{number} = {initial};"));
    }
    for (number, length) in description.arrays.iter().enumerate() {
        line(&mut text, 0, &format!("var a{number}[{length}];"));
    }
    for number in 0..description.mutexes {
        let word = if description.is_read_write_lock(number) { "rwlock" } else { "mutex" };
        line(&mut text, 0, &format!("{word} l{number};"));
    }
    for (number, permits) in description.semaphores.iter().enumerate() {
        line(&mut text, 0, &format!("semaphore s{number} = {permits};"));
    }
    for number in 0..description.conditions {
        line(&mut text, 0, &format!("condition c{number};"));
    }
    for (number, size) in description.barriers.iter().enumerate() {
        line(&mut text, 0, &format!("barrier b{number} = {size};"));
    }
    for (number, policy) in description.handlers.iter().enumerate() {
        line(&mut text, 0, &format!("handler h{number}: {};", policy.name()));
    }
    let renderer = Renderer { description };
    for (number, body) in description.messages.iter().enumerate() {
        renderer.body(&mut text, &format!("message m{number}()"), body);
    }
    for (number, body) in description.tasks.iter().enumerate() {
        renderer.body(&mut text, &format!("task f{number}()"), body);
    }
    for (number, body) in description.threads.iter().enumerate() {
        renderer.body(&mut text, &format!("thread t{number}"), body);
    }
    text
}

fn line(text: &mut String, depth: usize, content: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:indent$}{content}", "", indent = 4 * depth);
}

struct Renderer<'d> {
    description: &'d Description,
}

impl Renderer<'_> {
    fn body(&self, text: &mut String, head: &str, body: &Body) {
        line(text, 0, &format!("{head} {{"));
        for local in locals(body) {
            line(text, 1, &format!("let r{local} = 0;"));
        }
        self.block(text, 1, body);
        line(text, 0, "}");
    }

    fn block(&self, text: &mut String, depth: usize, body: &Body) {
        for statement in body {
            self.statement(text, depth, statement);
        }
    }

    fn braces(&self, text: &mut String, depth: usize, head: &str, body: &Body) {
        line(text, depth, &format!("{head} {{"));
        self.block(text, depth + 1, body);
        line(text, depth, "}");
    }

    fn statement(&self, text: &mut String, depth: usize, statement: &Statement) {
        let content = match statement {
            Statement::Read { local, place } => format!("r{local} = {};", self.place(place)),
            Statement::Write { place, value } => {
                format!("{} = {};", self.place(place), render_value(*value))
            }
            Statement::Add { place, constant } => format!("{} += {constant};", self.place(place)),
            Statement::FetchAdd { local, place, constant } => {
                format!("r{local} = fetch_add({}, {constant});", self.place(place))
            }
            Statement::Swap { local, place, constant } => {
                format!("r{local} = swap({}, {constant});", self.place(place))
            }
            Statement::Cas { local, place, expected, new } => {
                format!("r{local} = cas({}, {expected}, {new});", self.place(place))
            }
            Statement::Post { message, handler } => format!("post m{message}() to h{handler};"),
            Statement::Fork { task, handle } => format!("let w{handle} = fork f{task}();"),
            Statement::Join(handle) => format!("join w{handle};"),
            Statement::JoinThread(thread) => format!("join t{thread};"),
            Statement::Assume(condition) => format!("assume {};", render_condition(condition)),
            Statement::Atomic(body) => return self.braces(text, depth, "atomic", body),
            Statement::With { mutex, shared, body } => {
                let head = format!("with{} l{mutex}", suffix(*shared));
                return self.braces(text, depth, &head, body);
            }
            Statement::TryLock { mutex, shared, then, otherwise } => {
                return self.attempt(text, depth, (*mutex, *shared), then, otherwise);
            }
            Statement::Acquire(semaphore) => format!("acquire s{semaphore};"),
            Statement::Release(semaphore) => format!("release s{semaphore};"),
            Statement::Wait { condition, mutex } => format!("wait c{condition} with l{mutex};"),
            Statement::Notify(condition) => format!("notify c{condition};"),
            Statement::NotifyAll(condition) => format!("notify_all c{condition};"),
            Statement::Arrive(barrier) => format!("wait b{barrier};"),
            Statement::TryAcquire { local, semaphore } => {
                format!("r{local} = try_acquire(s{semaphore});")
            }
            Statement::Choose { local, alternatives } => {
                format!("r{local} = choose({alternatives});")
            }
            Statement::If { condition, then, otherwise } => {
                return self.branch(text, depth, condition, then, otherwise);
            }
        };
        line(text, depth, &content);
    }

    fn attempt(
        &self,
        text: &mut String,
        depth: usize,
        (mutex, shared): (usize, bool),
        then: &Body,
        otherwise: &Body,
    ) {
        let suffix = suffix(shared);
        line(text, depth, &format!("if try_lock{suffix}(l{mutex}) {{"));
        self.block(text, depth + 1, then);
        line(text, depth + 1, &format!("unlock{suffix} l{mutex};"));
        self.otherwise(text, depth, otherwise);
    }

    /// The rest of an `if`.
    fn otherwise(&self, text: &mut String, depth: usize, otherwise: &Body) {
        if !otherwise.is_empty() {
            line(text, depth, "} else {");
            self.block(text, depth + 1, otherwise);
        }
        line(text, depth, "}");
    }

    fn branch(
        &self,
        text: &mut String,
        depth: usize,
        condition: &Condition,
        then: &Body,
        otherwise: &Body,
    ) {
        line(text, depth, &format!("if {} {{", render_condition(condition)));
        self.block(text, depth + 1, then);
        self.otherwise(text, depth, otherwise);
    }

    fn place(&self, place: &Place) -> String {
        match *place {
            Place::Variable(variable) => format!("x{variable}"),
            Place::Element(array, Value::Constant(index)) => {
                format!("a{array}[{}]", index % self.description.arrays[array] as i64)
            }
            Place::Element(array, index) => {
                let length = self.description.arrays[array];
                format!("a{array}[{} % {length}]", render_value(index))
            }
        }
    }
}

/// What the words for taking and giving back a lock for reading end with.
fn suffix(shared: bool) -> &'static str {
    if shared { "_shared" } else { "" }
}

fn render_value(value: Value) -> String {
    match value {
        Value::Constant(constant) => constant.to_string(),
        Value::Local(local) => format!("r{local}"),
        Value::Read(variable) => format!("x{variable}"),
    }
}

fn render_condition(condition: &Condition) -> String {
    let comparison = if condition.equal { "==" } else { "!=" };
    let value = render_value(condition.value);
    format!("{value} {comparison} {}", condition.constant)
}

/// The locals that a body mentions, in order.
fn locals(body: &Body) -> Vec<usize> {
    let mut locals = Vec::new();
    let mut mention = |value: Value| {
        if let Value::Local(local) = value {
            locals.push(local);
        }
    };
    visit(body, &mut |statement| {
        if let Some(Place::Element(_, index)) = crate::description::place(statement) {
            mention(*index);
        }
        if let Some(local) = assigned_local(statement) {
            mention(Value::Local(local));
        }
        match statement {
            Statement::Write { value, .. } => mention(*value),
            Statement::If { condition, .. } | Statement::Assume(condition) => {
                mention(condition.value);
            }
            _ => {}
        }
    });
    locals.sort_unstable();
    locals.dedup();
    locals
}

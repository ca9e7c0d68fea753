//! Small programs with assertions, as `.ed` text, and how to shrink them.

use std::fmt::Write;

/// A comparison of a variable with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// The variable.
    pub variable: usize,
    /// `==`, `<`, …
    pub operator: &'static str,
    /// The constant.
    pub constant: u64,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `x = c;`
    Write(usize, u64),
    /// `x = y;`
    Copy(usize, usize),
    /// `x += c;`
    Add(usize, u64),
    /// `let l = x;`, or `let l = cas(x, a, b);`; the local is not used.
    Read(usize),
    /// See there.
    Cas(usize, u64, u64),
    /// `if x == c { … }`
    If(Test, Vec<Statement>),
    /// `atomic { … }`
    Atomic(Vec<Statement>),
    /// `with m { … }`
    With(Vec<Statement>),
    /// `assume x == c;`
    Assume(Test),
    /// `assert x == c;`
    Assert(Test),
    /// `join t0;`
    Join(usize),
    /// `post m0() to h0;`
    Post(usize, usize),
    /// `x = choose(n);`
    Choose(usize, u64),
    /// `with_shared r { … }`
    WithShared(Vec<Statement>),
    /// `with r { … }`
    WithExclusive(Vec<Statement>),
    /// `if try_lock(m) { … unlock m; }`
    Try(Vec<Statement>),
    /// `acquire s;`
    Acquire,
    /// `release s;`
    Release,
    /// `with m { wait c with m; }`
    Sleep,
    /// `notify c;`
    Notify,
    /// `notify_all c;`
    NotifyAll,
    /// `wait b;`
    Arrive,
    /// `a[x % 2] = c;`
    WriteElement(usize, u64),
    /// `assert a[x % 2] == c;`
    AssertElement(usize, u64),
    /// `fork child();`
    Fork,
}

impl Statement {
    /// The block in it.
    fn block(&self) -> Option<&[Statement]> {
        match self {
            Statement::If(_, inner)
            | Statement::Atomic(inner)
            | Statement::With(inner)
            | Statement::WithShared(inner)
            | Statement::WithExclusive(inner)
            | Statement::Try(inner) => Some(inner),
            _ => None,
        }
    }

    /// The same with another block in it.
    fn with_block(&self, inner: Vec<Statement>) -> Statement {
        match self {
            Statement::If(test, _) => Statement::If(*test, inner),
            Statement::Atomic(_) => Statement::Atomic(inner),
            Statement::With(_) => Statement::With(inner),
            Statement::WithShared(_) => Statement::WithShared(inner),
            Statement::WithExclusive(_) => Statement::WithExclusive(inner),
            Statement::Try(_) => Statement::Try(inner),
            other => other.clone(),
        }
    }

    /// Is it such a statement, or one in its block?
    fn contains(&self, is_it: &dyn Fn(&Statement) -> bool) -> bool {
        let mut inner = self.block().into_iter().flatten();
        is_it(self) || inner.any(|statement| statement.contains(is_it))
    }
}

/// Does a statement need a declaration?
type Needs = fn(&Statement) -> bool;

/// What is declared if a statement needs it.
const DECLARATIONS: [(&str, Needs); 6] = [
    ("mutex m;", |it| matches!(it, Statement::With(_) | Statement::Try(_) | Statement::Sleep)),
    ("rwlock r;", |it| matches!(it, Statement::WithShared(_) | Statement::WithExclusive(_))),
    ("semaphore s = 1;", |it| matches!(it, Statement::Acquire | Statement::Release)),
    ("condition c;", |it| {
        matches!(it, Statement::Sleep | Statement::Notify | Statement::NotifyAll)
    }),
    ("barrier b = 2;", |it| *it == Statement::Arrive),
    ("var a[2];", |it| matches!(it, Statement::WriteElement(..) | Statement::AssertElement(..))),
];

/// A program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Program {
    /// How many variables there are, all 0 at first.
    pub variables: usize,
    /// Is each handler's mailbox a queue?
    pub handlers: Vec<bool>,
    /// What messages do.
    pub messages: Vec<Vec<Statement>>,
    /// What a forked thread does.
    pub child: Vec<Statement>,
    /// What threads do.
    pub threads: Vec<Vec<Statement>>,
    /// What a last thread, which joins the others, asserts.
    pub last: Vec<Test>,
    /// What is asserted of the final state.
    pub finally: Vec<Test>,
}

impl Program {
    /// As `.ed` text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |content: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{content}");
        };
        (0..self.variables).for_each(|x| line(format!("var x{x};")));
        for (declaration, needs_it) in DECLARATIONS {
            if self.has(needs_it) {
                line(declaration.to_owned());
            }
        }
        if self.has(|it| *it == Statement::Fork) {
            line(format!("task child() {{ {} }}", block(&self.child)));
        }
        for (number, is_queue) in self.handlers.iter().enumerate() {
            let policy = if *is_queue { "fifo" } else { "multiset" };
            line(format!("handler h{number}: {policy};"));
        }
        for (number, body) in self.messages.iter().enumerate() {
            line(format!("message m{number}() {{ {} }}", block(body)));
        }
        for (number, body) in self.threads.iter().enumerate() {
            line(format!("thread t{number} {{ {} }}", block(body)));
        }
        if !self.last.is_empty() {
            let joins = (0..self.threads.len()).map(|t| format!("join t{t};"));
            let asserts = self.last.iter().map(|it| format!("assert {};", test(it)));
            let body: Vec<String> = joins.chain(asserts).collect();
            line(format!("thread last {{ {} }}", body.join(" ")));
        }
        if !self.finally.is_empty() {
            let asserts: Vec<_> =
                self.finally.iter().map(|it| format!("assert {};", test(it))).collect();
            line(format!("finally {{ {} }}", asserts.join(" ")));
        }
        text
    }

    /// Can what a task does depend on what it reads?
    pub fn branches(&self) -> bool {
        self.has(|it| {
            matches!(
                it,
                Statement::If(..)
                    | Statement::Cas(..)
                    | Statement::Assume(_)
                    | Statement::Choose(..)
                    | Statement::Try(_)
                    | Statement::Sleep
                    | Statement::Notify
                    | Statement::NotifyAll
                    | Statement::Arrive
                    | Statement::WriteElement(..)
                    | Statement::AssertElement(..)
            )
        })
    }

    fn has(&self, is_it: fn(&Statement) -> bool) -> bool {
        let bodies = self.messages.iter().chain(&self.threads).chain([&self.child]);
        bodies.flatten().any(|statement| statement.contains(&is_it))
    }

    /// Every program with one thing less.
    fn smaller(&self) -> Vec<Program> {
        let mut smaller = Vec::new();
        let mut offer = |change: &dyn Fn(&mut Program)| {
            let mut program = self.clone();
            change(&mut program);
            smaller.push(program);
        };
        for at in 0..self.last.len() {
            offer(&|p| {
                p.last.remove(at);
            });
        }
        for at in 0..self.finally.len() {
            offer(&|p| {
                p.finally.remove(at);
            });
        }
        for (number, body) in self.messages.iter().enumerate() {
            for less in less(body) {
                offer(&|p| p.messages[number] = less.clone());
            }
        }
        for less in less(&self.child) {
            offer(&|p| p.child = less.clone());
        }
        for (number, body) in self.threads.iter().enumerate() {
            for less in less(body) {
                offer(&|p| p.threads[number] = less.clone());
            }
        }
        smaller
    }
}

/// The smallest program found that is still wrong, by leaving things out.
pub fn shrink(program: &Program, is_wrong: impl Fn(&Program) -> bool) -> Program {
    let mut program = program.clone();
    while let Some(smaller) = program.smaller().into_iter().find(&is_wrong) {
        program = smaller;
    }
    program
}

/// Every block with one statement less, or with a statement replaced by what is in it.
fn less(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        let with = |replacement: Vec<Statement>| {
            let (before, behind) = (body[..at].iter(), body[at + 1..].iter());
            before.cloned().chain(replacement).chain(behind.cloned()).collect::<Vec<_>>()
        };
        all.push(with(Vec::new()));
        if let Some(inner) = statement.block() {
            all.push(with(inner.to_vec()));
            for less in less(inner).into_iter().filter(|less| !less.is_empty()) {
                all.push(with(vec![statement.with_block(less)]));
            }
        }
    }
    all
}

fn test(it: &Test) -> String {
    format!("x{} {} {}", it.variable, it.operator, it.constant)
}

fn block(body: &[Statement]) -> String {
    let statements: Vec<String> = body.iter().map(statement).collect();
    statements.join(" ")
}

fn statement(it: &Statement) -> String {
    match it {
        Statement::Write(x, value) => format!("x{x} = {value};"),
        Statement::Copy(x, y) => format!("x{x} = x{y};"),
        Statement::Add(x, by) => format!("x{x} += {by};"),
        Statement::Read(x) => format!("{{ let l = x{x}; }}"),
        Statement::Cas(x, old, new) => format!("{{ let l = cas(x{x}, {old}, {new}); }}"),
        Statement::If(condition, inner) => format!("if {} {{ {} }}", test(condition), block(inner)),
        Statement::Atomic(inner) => format!("atomic {{ {} }}", block(inner)),
        Statement::With(inner) => format!("with m {{ {} }}", block(inner)),
        Statement::Assume(condition) => format!("assume {};", test(condition)),
        Statement::Assert(condition) => format!("assert {};", test(condition)),
        Statement::Join(thread) => format!("join t{thread};"),
        Statement::Choose(x, alternatives) => format!("x{x} = choose({alternatives});"),
        Statement::WithShared(inner) => format!("with_shared r {{ {} }}", block(inner)),
        Statement::WithExclusive(inner) => format!("with r {{ {} }}", block(inner)),
        Statement::Try(inner) => format!("if try_lock(m) {{ {} unlock m; }}", block(inner)),
        Statement::Acquire => "acquire s;".to_owned(),
        Statement::Release => "release s;".to_owned(),
        Statement::Sleep => "with m { wait c with m; }".to_owned(),
        Statement::Notify => "notify c;".to_owned(),
        Statement::NotifyAll => "notify_all c;".to_owned(),
        Statement::Arrive => "wait b;".to_owned(),
        Statement::WriteElement(x, value) => format!("a[x{x} % 2] = {value};"),
        Statement::AssertElement(x, value) => format!("assert a[x{x} % 2] == {value};"),
        Statement::Fork => "fork child();".to_owned(),
        Statement::Post(message, handler) => format!("post m{message}() to h{handler};"),
    }
}

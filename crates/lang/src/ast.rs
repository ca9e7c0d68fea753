//! The syntax tree of a program. It can be built and changed freely, and printed back as valid source
//! ([`std::fmt::Display`], see `print.rs`).

use crate::source::Span;
use mazurka_engine::Mailbox;

/// A whole file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The declarations, in the order of the text.
    pub items: Vec<Item>,
}

/// A name where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl Name {
    /// A name that stands nowhere: for trees that are built and not parsed.
    pub fn new(text: &str) -> Name {
        Name { text: text.to_owned(), span: Span::default() }
    }
}

/// One dimension of an array of variables, locks, handlers or threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// `[n]`: indices 0 to n - 1.
    Size(Expression),
    /// `[i in a..b]`: indices a to b - 1, with a name for the index.
    Range {
        /// The name.
        index: Name,
        /// The first index.
        from: Expression,
        /// One past the last index.
        to: Expression,
    },
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `param n = 3;`
    Param {
        /// Its name.
        name: Name,
        /// Its value, unless it is replaced.
        value: Expression,
    },
    /// `mailbox fifo;`
    Mailbox {
        /// The default policy of the file's handlers.
        policy: Mailbox,
        /// Where it is written.
        span: Span,
    },
    /// `var a[n] = e;`
    Variable {
        /// Its name.
        name: Name,
        /// Its dimensions; none for a single variable.
        dimensions: Vec<Dimension>,
        /// The initial value; 0 if there is none.
        initial: Option<Expression>,
    },
    /// `mutex m[n];`
    Mutex {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
    },
    /// `rwlock r[n];`
    ReadWriteLock {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
    },
    /// `semaphore s[n] = e;`
    Semaphore {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
        /// The permits there are at first; 0 if nothing is said.
        permits: Option<Expression>,
    },
    /// `condition c[n];`
    Condition {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
    },
    /// `barrier b[n] = e;`
    Barrier {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
        /// How many must come before it lets them through.
        size: Expression,
    },
    /// `handler h[n]: fifo;`
    Handler {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
        /// Its own policy, if it has one.
        policy: Option<Mailbox>,
    },
    /// `message m(p, q) { … }`
    Message(Routine),
    /// `task t(p) { … }`
    Task(Routine),
    /// `thread t[i in 0..n] { … }`
    Thread {
        /// Its name.
        name: Name,
        /// Its dimensions.
        dimensions: Vec<Dimension>,
        /// Its code.
        body: Block,
    },
    /// `invariant e, "text";`
    Invariant {
        /// What must always hold.
        condition: Expression,
        /// What is said if it does not.
        text: Option<String>,
        /// Where it is written.
        span: Span,
    },
    /// `finally { … }`
    Finally(Block),
}

/// A message or task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// Its code.
    pub body: Block,
}

/// `{ … }`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// What is done, in order.
    pub statements: Vec<Statement>,
    /// Where it ends in the text, with its brace.
    pub end: u32,
}

/// A statement where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// From its first to its last character.
    pub span: Span,
}

/// A name with indices: `x`, `a[i][j]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name.
    pub name: Name,
    /// The indices; none for a single thing.
    pub indices: Vec<Expression>,
}

/// A routine with arguments: `first(i, 2)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The message or task.
    pub name: Name,
    /// The arguments.
    pub arguments: Vec<Expression>,
}

/// How an assignment changes its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOperator {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
}

/// What a local or an assignment gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The value of an expression.
    Expression(Expression),
    /// The handle of a thread that is started: `fork t(e)`.
    Fork(Call),
}

/// The statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let a = e;`
    Let {
        /// The new local.
        name: Name,
        /// Its value.
        value: Value,
    },
    /// `x = e;` `x += e;` `x -= e;`
    Assign {
        /// A local or a shared variable.
        target: Place,
        /// How it changes.
        operator: AssignOperator,
        /// By what.
        value: Value,
    },
    /// `fetch_add(x, 1);`: an expression for its effect.
    Evaluate(Expression),
    /// `post m(e) to h[i];`
    Post {
        /// The message and its arguments.
        call: Call,
        /// Where it is posted to.
        handler: Place,
    },
    /// `fork t(e);`
    Fork(Call),
    /// `join w;` `join name[i];`
    Join(Place),
    /// `lock m;`
    Lock(Place),
    /// `unlock m;`
    Unlock(Place),
    /// `with m { … }`
    With {
        /// The lock.
        mutex: Place,
        /// What is done while it is held.
        body: Block,
    },
    /// `lock_shared r;`
    LockShared(Place),
    /// `unlock_shared r;`
    UnlockShared(Place),
    /// `with_shared r { … }`
    WithShared {
        /// The read-write lock.
        lock: Place,
        /// What is done while it is held.
        body: Block,
    },
    /// `acquire s;`
    Acquire(Place),
    /// `release s;`
    Release(Place),
    /// `wait b;` for a barrier, `wait c with m;` for a notification
    Wait {
        /// The barrier or condition.
        place: Place,
        /// What is given back while a notification is waited for.
        lock: Option<Place>,
    },
    /// `notify c;`
    Notify(Place),
    /// `notify_all c;`
    NotifyAll(Place),
    /// `if e { … } else if e { … } else { … }`
    If {
        /// Conditions and what is done when they are the first that holds; at least one.
        branches: Vec<(Expression, Block)>,
        /// What is done if none holds.
        otherwise: Option<Block>,
    },
    /// `while e { … }`
    While {
        /// The condition.
        condition: Expression,
        /// The body.
        body: Block,
    },
    /// `for i in a..b { … }`
    For {
        /// The loop's own local.
        index: Name,
        /// Its first value.
        from: Expression,
        /// One past its last value.
        to: Expression,
        /// The body.
        body: Block,
    },
    /// `assert e, "text";`
    Assert {
        /// What must hold.
        condition: Expression,
        /// What is said if it does not.
        text: Option<String>,
    },
    /// `assume e;`
    Assume(Expression),
    /// `atomic { … }`
    Atomic(Block),
    /// `return;`
    Return,
    /// `{ … }`: a scope of its own.
    Block(Block),
}

/// An expression where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// From its first to its last character.
    pub span: Span,
}

impl Expression {
    /// An expression that stands nowhere: for trees that are built and not parsed.
    pub fn new(kind: ExpressionKind) -> Expression {
        Expression { kind, span: Span::default() }
    }
}

/// The expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// A number.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A local, a `param`, or one read of a shared variable.
    Place(Place),
    /// `-e` or `!e`.
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b` and the like.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `min(a, b)` and the like, by name.
    Call(Call),
}

/// The operators in front of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// The operators between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOperator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero.
    Divide,
    /// `%`, with the sign of the left operand.
    Remainder,
}

impl BinaryOperator {
    /// How strongly it binds; all operators group to the left.
    pub fn precedence(self) -> u8 {
        use BinaryOperator::*;
        match self {
            Or => 1,
            And => 2,
            Equal | NotEqual => 3,
            Less | LessEqual | Greater | GreaterEqual => 4,
            Add | Subtract => 5,
            Multiply | Divide | Remainder => 6,
        }
    }

    /// How it is written.
    pub fn sign(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Or => "||",
            And => "&&",
            Equal => "==",
            NotEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
        }
    }
}

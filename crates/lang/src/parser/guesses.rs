//! What people write who know other languages, and what they will have meant. Words are compared whole: a guess that is only close in letters
//! teaches nothing.

use crate::forms::{FormKind, listed};

const LOCAL_OR_SHARED: &str = "values have no types: a shared variable is `var x = 0;` outside of threads, a local is `let a = 0;`";
const NO_FUNCTIONS: &str = "there are no functions: code for a handler is `message m(p) { … }` with `post m(e) to h;`, code for a new thread is \
     `task t(p) { … }` with `fork t(e);`";
const ONE_FILE: &str = "a program is one file";
const NO_JUMPS: &str =
    "a loop ends when its condition no longer holds; `return;` ends the whole thread or message";
const NO_OUTPUT: &str = "a program prints nothing: the report shows every read and write, and `assert e, \"text\";` says what must hold";
const NO_TIME: &str =
    "time does not pass here: every order of events is explored anyway, so leave it out";
const WAITING: &str = "what waits is `join t;`, `lock m;`, `acquire s;`, `wait b;`, `wait c with m;`; `assume e;` drops executions in which `e` does not hold";
const SEND: &str = "a message is posted: `post m(e) to h;`";
const RECEIVE: &str = "what arrives runs by itself: a `handler h;` runs `message m(p) { … }` for each `post m(e) to h;`";
const START: &str = "a thread is started with `fork t(e);`, its code is `task t(p) { … }`";
const NO_OBJECTS: &str =
    "there are no objects: use variables and arrays, such as `var balance[n];`";
const NO_EXCEPTIONS: &str = "there are no exceptions: `assert e, \"text\";` is a failure if `e` is false, `return;` ends the thread or message";
const BRANCHES: &str = "branches are written `if e { … } else if e { … } else { … }`";
const LOOPS: &str = "loops are `while e { … }` and `for i in a..b { … }`";
const CRITICAL: &str = "a lock is held for a block with `with m { … }`, where `mutex m;` stands outside; `atomic { … }` is one indivisible event";

/// Words of other languages, and what to write here.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["elif", "elsif", "elseif", "elsei", "otherwise"],
        "it is written `else if e { … }`, or `else { … }`",
    ),
    (&["break", "continue", "goto", "exit", "quit"], NO_JUMPS),
    (
        &["const", "constant", "define", "final", "static", "enum"],
        "a constant is `param n = 3;`, outside of threads and messages",
    ),
    (
        &[
            "int",
            "integer",
            "long",
            "short",
            "byte",
            "bool",
            "boolean",
            "string",
            "str",
            "float",
            "double",
            "char",
            "auto",
            "u8",
            "u32",
            "u64",
            "i32",
            "i64",
            "usize",
            "shared",
            "volatile",
            "global",
            "local",
            "int64",
            "uint",
            "unsigned",
            "number",
            "mut",
            "val",
            "atomic_int",
        ],
        LOCAL_OR_SHARED,
    ),
    (
        &["array", "list", "vector", "vec", "map", "set"],
        "an array of shared variables is `var a[n];`",
    ),
    (
        &[
            "function",
            "func",
            "fn",
            "def",
            "fun",
            "proc",
            "procedure",
            "sub",
            "void",
            "method",
            "lambda",
            "main",
            "process",
        ],
        NO_FUNCTIONS,
    ),
    (
        &[
            "import",
            "include",
            "use",
            "using",
            "require",
            "module",
            "package",
            "namespace",
            "from",
            "export",
        ],
        ONE_FILE,
    ),
    (
        &["print", "println", "printf", "puts", "echo", "log", "console", "write", "output"],
        NO_OUTPUT,
    ),
    (
        &["sleep", "delay", "usleep", "timeout", "after", "timer", "setTimeout", "yield", "pause"],
        NO_TIME,
    ),
    (&["await", "signal", "until"], WAITING),
    (&["send", "emit", "dispatch", "publish", "enqueue", "raise", "fire", "tell", "push"], SEND),
    (
        &[
            "receive",
            "recv",
            "on",
            "listen",
            "subscribe",
            "handle",
            "when",
            "event",
            "callback",
            "actor",
        ],
        RECEIVE,
    ),
    (&["spawn", "start", "go", "run", "create", "async", "launch", "par", "cobegin"], START),
    (
        &[
            "class",
            "struct",
            "object",
            "record",
            "type",
            "interface",
            "trait",
            "impl",
            "new",
            "public",
            "private",
        ],
        NO_OBJECTS,
    ),
    (&["try", "catch", "throw", "except", "panic", "abort", "fail", "error"], NO_EXCEPTIONS),
    (&["switch", "case", "match", "select", "unless", "then", "cond"], BRANCHES),
    (&["do", "loop", "foreach", "repeat", "forever", "times"], LOOPS),
    (&["synchronized", "critical", "guard", "monitor", "mtx"], CRITICAL),
    (
        &[
            "check",
            "require_that",
            "expect",
            "ensure",
            "verify",
            "test",
            "property",
            "spec",
            "specification",
            "safety",
            "requires",
            "ensures",
        ],
        "what must hold is `assert e, \"text\";`; always: `invariant e;`; at the end of every execution: `finally { assert e; }`",
    ),
    (&["pass", "skip", "nop", "noop"], "nothing is written as nothing: an empty block is `{ }`"),
    (&["end", "begin", "endif", "done", "fi"], "blocks stand in braces: `{ … }`"),
    (
        &["queue", "channel", "chan", "inbox", "looper"],
        "a thread with a mailbox is `handler h;`; its policy is `handler h: fifo;` or `handler h: multiset;`",
    ),
    (
        &["lock_guard", "rw_lock", "rwmutex", "RwLock", "Mutex", "Lock"],
        "locks are `mutex m;` and `rwlock r;`",
    ),
    (&["init", "initially", "setup"], "initial values stand in the declarations: `var x = 1;`"),
    (
        &["always", "never", "eventually", "assert_eq", "assertEquals"],
        "what must hold is `assert e;` where it must, `invariant e;` for always, or `finally { assert e; }` for the end",
    ),
];

/// What was meant with a word where a declaration or statement begins.
pub(super) fn word(written: &str) -> Option<&'static str> {
    WORDS.iter().find(|(words, _)| words.contains(&written)).map(|(_, advice)| *advice)
}

/// What was meant with a word between operands, or in front of one.
pub(super) fn operator(written: &str) -> Option<&'static str> {
    Some(match written {
        "and" | "AND" => "logical and is `&&`",
        "or" | "OR" => "logical or is `||`",
        "not" | "NOT" => "logical not is `!`",
        "is" | "eq" | "equals" => "equality is `==`",
        "mod" => "the remainder is `%`",
        "div" => "division is `/`",
        "then" | "do" | "begin" => "a body stands in braces: `{ … }`",
        _ => return None,
    })
}

/// Is this the name of a type elsewhere?
pub(super) fn is_type(written: &str) -> bool {
    word(written) == Some(LOCAL_OR_SHARED)
}

/// What a file consists of.
pub(super) fn declarations() -> String {
    format!("a file consists of {}", listed(FormKind::Declaration))
}

/// What a block consists of.
pub(super) fn statements() -> String {
    format!("a statement is an assignment, or begins with {}", listed(FormKind::Statement))
}

//! The words of the language in one table: the parser knows declarations and statements by it, suggestions, completions and
//! explanations come from it, and editors colour by it.

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormKind {
    /// Begins a declaration.
    Declaration,
    /// Begins a statement.
    Statement,
    /// A function of an expression.
    Function,
    /// Stands inside of another form.
    Particle,
    /// A value.
    Literal,
}

/// A word and what is written with it.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The word.
    pub word: &'static str,
    /// Where it stands.
    pub kind: FormKind,
    /// How it is written.
    pub syntax: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The events of an execution that it makes; empty for what makes none by itself.
    pub events: &'static str,
}

const fn form(
    kind: FormKind,
    word: &'static str,
    syntax: &'static str,
    meaning: &'static str,
    events: &'static str,
) -> Form {
    Form { word, kind, syntax, meaning, events }
}

use FormKind::{Declaration, Function, Literal, Particle, Statement};

/// All words, those of a kind together.
pub const FORMS: &[Form] = &[
    form(
        Declaration,
        "param",
        "param n = 3;",
        "A constant; `--param n=5` replaces it. Later constants may use it.",
        "",
    ),
    form(
        Declaration,
        "mailbox",
        "mailbox multiset;",
        "The policy of the file's handlers: `fifo` (in the order of the posts, the default) or `multiset` (in any order). `--mailbox` overrides it.",
        "",
    ),
    form(
        Declaration,
        "var",
        "var x = 0;  var a[n];  var b[i in 0..n] = i;",
        "A shared variable, or an array of them; 0 without an initial value. Values are 64-bit integers.",
        "",
    ),
    form(
        Declaration,
        "mutex",
        "mutex m;  mutex m[n];",
        "A lock that one task at a time holds. Not re-entrant.",
        "",
    ),
    form(
        Declaration,
        "rwlock",
        "rwlock r;  rwlock r[n];",
        "A lock that one task holds for writing, or several for reading.",
        "",
    ),
    form(
        Declaration,
        "semaphore",
        "semaphore s = 2;",
        "Permits that `acquire` takes and `release` gives; 0 at first if nothing is said.",
        "",
    ),
    form(
        Declaration,
        "condition",
        "condition c;  condition c[n];",
        "What tasks wait for with `wait c with m;` until another one says `notify c;` or `notify_all c;`.",
        "",
    ),
    form(
        Declaration,
        "barrier",
        "barrier b = 3;",
        "Where tasks wait with `wait b;` until so many have come; then it begins anew.",
        "",
    ),
    form(
        Declaration,
        "handler",
        "handler h;  handler h[n];  handler h: multiset;",
        "A thread with a mailbox. It runs the messages that are posted to it, one at a time, each to its end.",
        "",
    ),
    form(
        Declaration,
        "message",
        "message m(p, q) { … }",
        "Code that runs on the handler that it is posted to.",
        "one start, when the handler begins with it; it touches no variable",
    ),
    form(
        Declaration,
        "thread",
        "thread t { … }  thread t[i in 0..n] { … }",
        "A thread, or several, that exist from the start.",
        "",
    ),
    form(Declaration, "task", "task t(p) { … }", "The code of a thread that `fork` starts.", ""),
    form(
        Declaration,
        "invariant",
        "invariant e;  invariant e, \"text\";",
        "What must hold at the beginning and after every event; false is a failure.",
        "none of its own: an event that writes a variable of it reads the others, too",
    ),
    form(
        Declaration,
        "finally",
        "finally { … }",
        "Runs after each complete execution, to `assert` what holds in the end.",
        "none: its reads are no events",
    ),
    form(
        Statement,
        "let",
        "let a = e;",
        "A local of this block.",
        "none of its own, only the reads in `e`",
    ),
    form(
        Statement,
        "post",
        "post m(e, …) to h;",
        "Puts a message into the mailbox of a handler.",
        "the reads in the arguments, those in the index of the handler, then one post",
    ),
    form(
        Statement,
        "fork",
        "fork t(e);  let w = fork t(e);",
        "Starts a thread that runs a `task`. The value is a handle for `join`.",
        "the reads in the arguments, then one fork",
    ),
    form(Statement, "join", "join w;  join name[i];", "Waits for the end of a thread.", "one join"),
    form(
        Statement,
        "lock",
        "lock m;",
        "Waits until nobody holds the lock, and takes it.",
        "one lock",
    ),
    form(Statement, "unlock", "unlock m;", "Gives a lock back.", "one unlock"),
    form(
        Statement,
        "with",
        "with m { … }",
        "Holds a lock for a block; `return` gives it back too.",
        "one lock, the block, one unlock",
    ),
    form(
        Statement,
        "lock_shared",
        "lock_shared r;",
        "Takes a read-write lock for reading; waits only for a writer.",
        "one shared lock",
    ),
    form(
        Statement,
        "unlock_shared",
        "unlock_shared r;",
        "Gives a read-write lock back that was taken for reading.",
        "one shared unlock",
    ),
    form(
        Statement,
        "with_shared",
        "with_shared r { … }",
        "Holds a read-write lock for reading, for a block.",
        "one shared lock, the block, one shared unlock",
    ),
    form(
        Statement,
        "acquire",
        "acquire s;",
        "Takes a permit of a semaphore; waits for one.",
        "one acquire",
    ),
    form(Statement, "release", "release s;", "Gives a permit to a semaphore.", "one release"),
    form(
        Statement,
        "wait",
        "wait c with m;  wait b;",
        "Gives the lock back, waits for a notification and takes the lock again; or waits at a barrier.",
        "one update of the condition, one unlock, the notification, one lock; at a barrier one update, and one more unless it is the last to come",
    ),
    form(
        Statement,
        "notify",
        "notify c;",
        "Wakes one of the tasks that wait for the condition, any of them; nobody if none waits.",
        "one update, a mere read if none waits; one choice and another update if several wait",
    ),
    form(
        Statement,
        "notify_all",
        "notify_all c;",
        "Wakes all tasks that wait for the condition.",
        "one update; a mere read if none waits",
    ),
    form(
        Statement,
        "if",
        "if e { … } else if e { … } else { … }",
        "Does the block of the first condition that holds.",
        "the reads in the conditions that are looked at",
    ),
    form(
        Statement,
        "while",
        "while e { … }",
        "Repeats the block while the condition holds; the execution is cut after `--unroll` rounds.",
        "the reads in the condition, each time",
    ),
    form(
        Statement,
        "for",
        "for i in a..b { … }",
        "Does the block for each number from a to b - 1.",
        "the reads in `a` and `b`, once",
    ),
    form(
        Statement,
        "assert",
        "assert e;  assert e, \"text\";",
        "Says what must hold. If it does not, that is a failure.",
        "the reads in `e`",
    ),
    form(
        Statement,
        "assume",
        "assume e;",
        "Goes on only if this holds; otherwise the thread or message stops for good and the execution counts as blocked.",
        "the reads in `e`",
    ),
    form(
        Statement,
        "atomic",
        "atomic { … }",
        "The whole block happens at once. Nothing in it may wait, post or fork.",
        "ONE event with all accesses of the block",
    ),
    form(Statement, "return", "return;", "Ends the thread or message.", "none"),
    form(Function, "min", "min(a, b)", "The smaller value.", "the reads in its arguments"),
    form(Function, "max", "max(a, b)", "The larger value.", "the reads in its arguments"),
    form(
        Function,
        "fetch_add",
        "fetch_add(x, e)",
        "Adds to a shared variable; the value is the one before.",
        "the reads in `e`, then one atomic read-modify-write",
    ),
    form(
        Function,
        "swap",
        "swap(x, e)",
        "Writes a shared variable; the value is the one before.",
        "the reads in `e`, then one atomic read-modify-write",
    ),
    form(
        Function,
        "cas",
        "cas(x, old, new)",
        "If `x` is `old` it becomes `new` and the value is 1; otherwise 0.",
        "one atomic read-modify-write, or one read",
    ),
    form(
        Function,
        "try_lock",
        "try_lock(m)",
        "Takes a lock if nobody holds it (1), or does not (0). Never waits.",
        "one event",
    ),
    form(
        Function,
        "try_lock_shared",
        "try_lock_shared(r)",
        "Takes a read-write lock for reading if nobody writes (1), or does not (0). Never waits.",
        "one event",
    ),
    form(
        Function,
        "try_acquire",
        "try_acquire(s)",
        "Takes a permit if there is one (1), or does not (0). Never waits.",
        "one event",
    ),
    form(
        Function,
        "choose",
        "choose(n)",
        "Any number from 0 to n - 1: all of them are explored.",
        "one event; none for `choose(1)`",
    ),
    form(Particle, "to", "post m(e) to h;", "The handler that a message is posted to.", ""),
    form(Particle, "else", "if e { … } else { … }", "What is done if no condition holds.", ""),
    form(Particle, "in", "for i in a..b { … }", "The range of an index: from a to b - 1.", ""),
    form(
        Particle,
        "fifo",
        "mailbox fifo;  handler h: fifo;",
        "Messages start in the order of their posts.",
        "",
    ),
    form(
        Particle,
        "multiset",
        "mailbox multiset;  handler h: multiset;",
        "Messages start in any order.",
        "",
    ),
    form(Literal, "true", "true", "1.", ""),
    form(Literal, "false", "false", "0.", ""),
];

/// The words of a kind.
pub fn words(kind: FormKind) -> impl Iterator<Item = &'static str> {
    FORMS.iter().filter(move |form| form.kind == kind).map(|form| form.word)
}

/// What is written with a word.
pub fn form_of(word: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.word == word)
}

/// The words of a kind, in a sentence.
pub(crate) fn listed(kind: FormKind) -> String {
    words(kind).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, compile};

    #[test]
    fn a_word_stands_in_the_table_once() {
        for (at, form) in FORMS.iter().enumerate() {
            assert!(FORMS[..at].iter().all(|other| other.word != form.word), "{}", form.word);
            assert!(form.syntax.contains(form.word) && !form.meaning.is_empty(), "{}", form.word);
        }
    }

    /// What the table shows is what the parser takes.
    #[test]
    fn the_forms_are_accepted() {
        let around = "param n = 2; param n0 = 1; var x; handler h; mutex m; rwlock r; semaphore s; condition c; barrier b0 = 2; message m0(p) { }
            task t(p) { } thread name[i in 0..2] { } var e; var a; var b; var old; var new;";
        let text = |form: &Form| {
            form.syntax.replace('…', "").replace("m(e, )", "m0(e)").replace("m(e)", "m0(e)")
        };
        for form in FORMS.iter().filter(|form| !matches!(form.kind, Declaration | Particle)) {
            let text = match form.kind {
                Statement => {
                    let text = text(form).replace("name[i]", "name[1]");
                    text.replace("join w;", "join name[0];").replace("wait b;", "wait b0;")
                }
                _ => format!("let v = {};", text(form)),
            };
            let program = format!("{around} thread tested {{ let i = 0; {text} }}");
            let result = compile("forms.ed", &program, &Options::default());
            assert!(result.is_ok(), "{}: {}", form.word, result.expect_err("it failed"));
        }
    }
}

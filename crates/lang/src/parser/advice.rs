//! What to do about a token that is not the expected one.

use super::guesses;
use super::input::{Input, look, second_kind, text_of};
use crate::forms::{FormKind, form_of};
use crate::token::TokenKind;

/// What was probably meant, given what was expected and what stands there.
pub(super) fn advice(input: &Input<'_>, expected: &str) -> Option<String> {
    let found = look(input);
    let word = text_of(input, found.span);
    by_last(input, found.kind, expected)
        .or_else(|| by_found(found.kind, word, expected, text_of(input, input.state.last_span)))
        .map(str::to_owned)
        .or_else(|| function_without_call(input, found.kind))
        .or_else(|| keyword_as_name(found.kind, word, expected))
        .or_else(|| (expected == TokenKind::OpenBrace.describe()).then(|| BODY.to_owned()))
}

const ASSIGNMENT: &str = "assignment is `=`";
const BODY: &str = "a body stands in braces: `{ … }`";
const TYPES: &str = "values have no types: leave it out";

/// By what stands before the place.
fn by_last(input: &Input<'_>, found: TokenKind, expected: &str) -> Option<&'static str> {
    use TokenKind::*;
    let [before_last, last] = input.state.last_kinds;
    let last_word = text_of(input, input.state.last_span);
    Some(match (before_last, last, found) {
        (_, Plus, Plus) | (Plus, Plus, _) => {
            "there is no `++`: write `x += 1;` (one indivisible event) or `x = x + 1;` (a read, then a write)"
        }
        (Minus, Minus, _) => {
            "there is no `--`: write `x -= 1;` (one indivisible event) or `x = x - 1;` (a read, then a write)"
        }
        (_, Star | Slash | Percent, Assign) => {
            "only `+=` and `-=` exist: write `x = x * e;` (a read, then a write), in `atomic { … }` if it must be one event"
        }
        (_, Star, Star) => "there is no power; write `x * x`",
        (_, Less, Greater) => "not equal is `!=`",
        (_, Less, Less | LessEqual) | (_, Greater, Greater | GreaterEqual) => {
            "there are no bits to shift: multiply or divide"
        }
        (_, Equal | NotEqual, Assign) => "equality is `==`, not equal is `!=`",
        (_, Assign, Greater) => "at least is `>=`",
        (_, Assign, Less) => "at most is `<=`",
        (_, DotDot, Assign) => "`a..b` goes from a to b - 1: write `a..b + 1`",
        (_, Minus, Greater) => "there are neither pointers nor arrows",
        (_, Colon, Assign) => ASSIGNMENT,
        (_, Word, Colon) if second_kind(input) == Assign => ASSIGNMENT,
        (_, Less, Minus) => "assignment is `=`; a message is posted: `post m(e) to h;`",
        (_, Assign, Plus) => "adding to a variable is `x += e;`",
        (_, Number, Word) if look(input).span.start == input.state.last_span.end => {
            "numbers are decimal integers"
        }
        (_, Return, _) if expected == Semicolon.describe() => {
            "`return;` gives nothing back: write the result to a variable, or post it"
        }
        (Let, Word, Semicolon) => "a local gets a value at once: `let a = 0;`",
        (_, Word, Word) if last_word == "mut" => "locals can always be changed: leave `mut` out",
        (_, Word, Word) if guesses::is_type(last_word) => TYPES,
        (_, Word, _) if expected == Semicolon.describe() && is_statement(last_word) => {
            "a statement gives no value: write it on its own"
        }
        (_, For, OpenParenthesis) | (For, Word, Assign) => {
            "a loop over numbers is `for i in 0..n { … }`"
        }
        (_, If | While, OpenBrace) => "a condition stands before the `{`",
        (_, OpenBracket, CloseBracket) => "say how many: `var a[3];`",
        (_, Assign, OpenBracket) => {
            "an array is `var a[3];`, with values `var a[i in 0..3] = i + 1;`"
        }
        (_, Assign, If) => "`if` is a statement: `if e { x = 1; } else { x = 2; }`",
        (_, Word, Not) => "a message is posted: `post m(e) to h;`",
        (_, Word, OpenBrace) if last_word == "fork" => {
            "the code of a new thread is `task t(p) { … }`, outside; `fork t(e);` starts it"
        }
        (_, Word, Semicolon) if last_word == "join" => {
            "say for which: `join t;`, or `join w;` behind `let w = fork t(e);`"
        }
        _ => return None,
    })
}

/// `choose {1, 2}`
fn function_without_call(input: &Input<'_>, found: TokenKind) -> Option<String> {
    let last = text_of(input, input.state.last_span);
    let is_operand = matches!(found, TokenKind::OpenBrace | TokenKind::Word | TokenKind::Number);
    let form = form_of(last).filter(|_| is_function(last) && is_operand)?;
    Some(format!("it is written `{}`", form.syntax))
}

fn is_function(word: &str) -> bool {
    form_of(word).is_some_and(|form| form.kind == FormKind::Function)
}

fn is_statement(word: &str) -> bool {
    form_of(word).is_some_and(|form| form.kind == FormKind::Statement)
}

/// By what stands at the place.
fn by_found(found: TokenKind, word: &str, expected: &str, last: &str) -> Option<&'static str> {
    use TokenKind::*;
    let expects = |kind: TokenKind| expected == kind.describe();
    let ends =
        expects(Semicolon) || expects(OpenBrace) || expects(CloseParenthesis) || expects(Comma);
    Some(match found {
        Assign if ends => "`=` assigns, in a statement of its own; equality is `==`",
        Colon if expects(OpenBrace) => BODY,
        Colon if expects(Semicolon) || expects(Assign) => TYPES,
        OpenBrace if expects(DotDot) => "a range is `0..n`: from 0 to n - 1",
        OpenBrace if expects(Semicolon) && !is_function(last) => {
            "only `message`, `thread`, `task` and `finally` have code: a handler runs the messages that are posted to it; a lock is held for a \
             block with `with m { … }`"
        }
        OpenParenthesis if expected.contains("`[` or `{`") => {
            "a thread has no parameters: `thread t { … }`, or `thread t[i in 0..n] { … }` for several; one with parameters is a `task` that `fork` starts"
        }
        OpenParenthesis if expected.starts_with("the name of") => {
            "leave the parentheses out: `lock m;`, `join t;`, `fork t(e);`"
        }
        Text if expects(Semicolon) => "a `,` is missing before the text: `assert e, \"text\";`",
        Text => "values are integers; a text stands only behind an `assert`",
        Comma if expects(CloseParenthesis) => "leave the parentheses out: `assert e, \"text\";`",
        Semicolon if expected == "`to`" => "say where: `post m(e) to h;`",
        Else if expected == "a statement" => "this `else` belongs to no `if`",
        Word if !expected.starts_with("a ") => return guesses::operator(word),
        _ => return None,
    })
}

fn keyword_as_name(found: TokenKind, word: &str, expected: &str) -> Option<String> {
    use TokenKind::{Assert, Assume, Else, False, For, If, In, Let, Return, True, While};
    let reserved = [Assert, Assume, Else, False, For, If, In, Let, Return, True, While];
    (reserved.contains(&found) && expected.contains("name"))
        .then(|| format!("`{word}` is a keyword and cannot be a name"))
}

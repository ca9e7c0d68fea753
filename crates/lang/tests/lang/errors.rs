//! Every message about a program that does not parse or resolve.

mod guards;
mod meaning;
mod names;
mod rendering;
mod syntax;
mod teaching;

use expect_test::Expect;
use mazurka_lang::{Options, compile};

fn check(text: &str, expected: Expect) {
    match compile("folder/bad.ed", text, &Options::default()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(errors) => expected.assert_eq(&errors.render(false)),
    }
}

//! Every statement form, by the events it makes.

mod support;

use support::first_run;

#[test]
fn posters() {
    let text = include_str!("../../../programs/examples/posters.ed");
    insta::assert_snapshot!(first_run(text));
}

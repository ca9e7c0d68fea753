//! One description, two front-ends: the interpreter and the `.ed` language must have the same traces.

use mazurka_fuzz::{Interpreted, SHAPES, ask_oracle, ed, generate, render_ed};

/// So many programs of each shape.
const PROGRAMS: u64 = 200;

#[test]
fn the_language_and_the_interpreter_agree() {
    for shape in SHAPES {
        for seed in 0..PROGRAMS {
            let description = generate(seed, shape);
            let compiled = match ed::compile(&description) {
                Ok(compiled) => compiled,
                Err(error) => panic!("{error}\n{}", render_ed(&description)),
            };
            let direct = ask_oracle(&Interpreted::new(&description), 2_000);
            let language = ask_oracle(&compiled, 2_000);
            assert_eq!(
                direct,
                language,
                "--shape {} --seed {seed}\n{}",
                shape.name,
                render_ed(&description)
            );
        }
    }
}

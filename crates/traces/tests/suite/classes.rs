//! Random walks over the sample traces meet the classes of the table: all of them on the hand-made traces,
//! none besides on any. The table was counted independently, so this checks the semantics of the program.

use crate::common::samples;
use mazurka_engine::{Algorithm, ClassCounts, Config, explore};
use mazurka_traces::TraceProgram;

fn walk(program: &TraceProgram, walks: u64) -> ClassCounts {
    let mut config = Config::new(Algorithm::Random);
    config.keep_going = true;
    config.classes = true;
    config.limits.max_executions = Some(walks);
    explore(program, &config, &mut ()).classes.expect("they were asked for")
}

#[test]
fn hand_made_traces_have_the_classes_of_the_table() {
    for sample in samples().iter().filter(|sample| !sample.name.starts_with("app-")) {
        let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
        let classes = walk(&program, 10_000);
        let found = (classes.complete, classes.deadlocked);
        assert_eq!(found, (sample.classes, sample.deadlocked), "{}", sample.name);
    }
}

#[test]
fn recorded_applications_have_no_more_classes_than_the_table_says() {
    for sample in samples().iter().filter(|sample| sample.name.starts_with("app-")) {
        let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
        let classes = walk(&program, 500);
        assert!((1..=sample.classes).contains(&classes.complete), "{}", sample.name);
        assert_eq!(classes.deadlocked, 0, "{}", sample.name);
    }
}

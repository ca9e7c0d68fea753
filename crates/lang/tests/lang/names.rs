//! Names for people: tasks, handlers, objects, places.

use crate::support::{Driver, program};
use mazurka_engine::{HandlerId, LocationId, ObjectId, Program, Run, TaskId};

#[test]
fn objects_and_handlers() {
    let program = program(
        "mutex m; var x; var a[2][3]; var none[0]; var b[i in 1..3]; mutex ms[2]; handler h; handler hs[i in 4..6][2];",
    );
    let run = program.start();
    let objects: Vec<String> = (0..12).map(|object| run.object_name(ObjectId(object))).collect();
    let expected = [
        "x", "a[0][0]", "a[0][1]", "a[0][2]", "a[1][0]", "a[1][1]", "a[1][2]", "b[1]", "b[2]", "m",
        "ms[0]", "ms[1]",
    ];
    assert_eq!(objects, expected);
    let handlers: Vec<String> =
        (0..5).map(|handler| run.handler_name(HandlerId(handler))).collect();
    assert_eq!(handlers, ["h", "hs[4][0]", "hs[4][1]", "hs[5][0]", "hs[5][1]"]);
}

#[test]
fn tasks() {
    let program = program(
        "handler h; message m(p, q) { p = 0; post k() to h; } message k { } task w(p) { }
         thread t[i in 1..3][2] { post m(i, -1) to h; fork w(7); } thread u { }",
    );
    let mut driver = Driver::new(&program);
    driver.run_first();
    let names: Vec<String> = driver
        .tasks()
        .into_iter()
        .map(|task| format!("{} {}", driver.run.task_path(task), driver.run.task_label(task)))
        .collect();
    assert_eq!(names[0], "t[1][0] t[1][0]");
    assert_eq!(names[3], "t[2][1] t[2][1]");
    assert_eq!(names[4], "u u");
    assert!(names.contains(&"t[1][1].1 m(1, -1)".to_owned()), "{names:?}");
    assert!(names.contains(&"t[1][1].2 w(7)".to_owned()), "{names:?}");
    assert!(names.contains(&"t[1][1].1.1 k()".to_owned()), "{names:?}");
}

#[test]
fn a_task_keeps_its_number_when_it_comes_again() {
    let program = program(
        "var x; handler h; message m(p) { } thread t { post m(x) to h; } thread u { x = 1; }",
    );
    let mut driver = Driver::new(&program);
    for _ in 0..3 {
        driver.step(TaskId(0));
        driver.step(TaskId(0));
        assert_eq!(driver.run.task_label(TaskId(2)), "m(0)");
        driver.rewind(0);
        driver.step(TaskId(1));
        driver.step(TaskId(0));
        driver.step(TaskId(0));
        assert_eq!(driver.run.task_label(TaskId(2)), "m(1)");
        driver.rewind(0);
    }
}

#[test]
fn events_have_places() {
    let program = program("var x;\nhandler h;\nmessage m {\n  x = 1; }\nthread t { post m to h; }");
    let mut driver = Driver::new(&program);
    driver.run_first();
    let places: Vec<String> = driver
        .history
        .iter()
        .map(|(_, step)| driver.run.location(step.location.unwrap_or(LocationId(u32::MAX))))
        .collect();
    assert_eq!(places, ["test.ed:5:12", "test.ed:3:9", "test.ed:4:3"]);
}

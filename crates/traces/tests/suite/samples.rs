//! Every sample trace is read, has the size that the table says, and re-executes in its recorded order.

use crate::common::samples;
use crate::driver::drive_recorded;
use mazurka_engine::{Program, Run, Step, TaskId};
use mazurka_traces::{Format, RecordedTrace, TraceProgram, WarningKind, format};

#[test]
fn recorded_order_is_an_execution() {
    let samples = samples();
    assert_eq!(samples.len(), 23);
    for sample in samples {
        let loaded = sample.load();
        assert_eq!(loaded.format, Format::Text);
        let program = TraceProgram::new(&loaded.trace).expect("it was checked");
        assert_eq!(program.event_count(), sample.operations, "{}", sample.name);
        assert_eq!(drive_recorded(&program), sample.operations, "{}", sample.name);
    }
}

#[test]
fn warnings_are_about_start_and_text_only() {
    for sample in samples() {
        for warning in sample.load().warnings {
            assert!(
                matches!(warning.kind, WarningKind::Start | WarningKind::Text),
                "{}: {warning}",
                sample.name
            );
        }
    }
}

#[test]
fn text_and_json_say_the_same() {
    for sample in samples() {
        let trace = sample.load().trace;
        let text = format::text::write_trace(&trace).expect("it came from text");
        let edges = format::text::write_dependences(&trace);
        let again = read(&text, Some(("d", edges.as_bytes())), Format::Text);
        assert!(trace.same_content(&again), "{} through text", sample.name);
        let json = format::json::write(&trace);
        let again = read(&json, None, Format::Json);
        assert!(trace.same_content(&again), "{} through JSON", sample.name);
        assert_eq!(text, format::text::write_trace(&again).expect("it came from text"));
    }
}

fn read(content: &str, dependences: Option<(&str, &[u8])>, format: Format) -> RecordedTrace {
    let loaded =
        mazurka_traces::load("t", content.as_bytes(), dependences).expect("it was written by us");
    assert_eq!(loaded.format, format);
    loaded.trace
}

#[test]
fn names_and_places_are_for_people() {
    let sample = samples().into_iter().find(|sample| sample.name == "multi-2").expect("a sample");
    let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
    let mut run = program.start();
    let mut seen = Vec::new();
    for &task in program.recorded_order() {
        let mut step = Step::default();
        run.step(task, 0, &mut step);
        let place = run.location(step.location.expect("every event has a place"));
        seen.extend(
            step.accesses
                .iter()
                .map(|access| format!("{place} {}", run.object_name(access.object))),
        );
    }
    assert_eq!(seen[0], "trace.txt:14 0x22");
    assert_eq!(seen[5], "trace.txt:22 obj 0x210c5d11.12");
    let names: Vec<String> =
        (0..program.task_count()).map(|task| run.task_path(TaskId::from(task))).collect();
    assert_eq!(names.join(" "), "t1 t2 t3 m2 m3 m4 m5");
    assert_eq!(run.task_label(TaskId(3)), "message 2");
    assert_eq!(run.handler_name(run.handler(TaskId(3)).expect("a message")), "looper 3");
}

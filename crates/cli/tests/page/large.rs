//! Fifty tasks and five thousand events stay usable.

use crate::support::Folder;
use crate::tab::{DESK, Tab};
use serde_json::json;
use std::time::Instant;

/// 42 threads and 8 handlers; about 5,000 events, of which hardly two in a row are alike.
const MANY: &str = "\
param workers = 42;
param handlers = 8;
var done[workers];
var total;
handler h[handlers];
message work(w, k) { done[w] = done[w] + k; total += k; }
thread worker[w in 0..workers] {
    for k in 0..24 { post work(w, k) to h[(w + k) % handlers]; }
}
finally { assert total == 0, \"nothing was done\"; }
";

/// What must be seen, in seconds. Processor time counts: the machine may be busy with other tests.
const TO_OPEN: f64 = 2.0;
const TO_STEP: f64 = 0.05;
/// So many steps are measured.
const STEPS: u32 = 24;

#[test]
#[expect(clippy::print_stdout, reason = "the measure is what one wants to see")]
fn five_thousand_events_of_fifty_tasks() {
    let folder = Folder::with("many.ed", MANY);
    let flags = "--algorithm random --max-executions 1";
    let run = folder.mazurka(&format!("check many.ed {flags} --report page.html"));
    assert_eq!(run.status, 1, "{}", run.stderr);
    let mut tab = Tab::empty(DESK);
    let (begun, before) = (Instant::now(), tab.processor_time());
    tab.load(&folder.path("page.html"));
    tab.settle();
    let (opened, clock) = (tab.processor_time() - before, begun.elapsed());
    let events = tab.eval("Number(document.querySelector('#slider').max)");
    let events = events.as_u64().expect("a number");
    assert!(events >= 5000, "{events} events");
    tab.keep("large");
    tab.keys(&["c"]);
    tab.keep("large-all-lanes");
    assert_eq!(tab.count(".group[aria-expanded=true]"), 2, "all lanes are there now");
    let step = step_time(&mut tab);
    println!(
        "{events} events: opened in {opened:.2} s of processor time ({clock:.2?} by the clock), \
         a step redrawn in {:.1} ms of processor time",
        1000.0 * step
    );
    assert!(opened < TO_OPEN, "opened in {opened} s");
    assert!(step < TO_STEP, "a step took {step} s");
    let elements = tab.count("*");
    assert!(elements < 3000, "only what can be seen is in the document: {elements} elements");
    // Far down it is drawn as well as at the beginning.
    tab.keys(&["End"]);
    assert_eq!(tab.eval("document.querySelector('.chip.current') !== null"), json!(true));
}

/// The processor time of a step, drawn: to the beginning, to the end, back by one, and so on.
fn step_time(tab: &mut Tab) -> f64 {
    let before = tab.processor_time();
    let steps = format!(
        "(async () => {{
            for (let at = 0; at < {STEPS}; at++) {{
                const key = ['Home', 'End', 'ArrowLeft'][at % 3];
                document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true }}));
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }}
            return true;
        }})()"
    );
    tab.eval(&steps);
    (tab.processor_time() - before) / f64::from(STEPS)
}

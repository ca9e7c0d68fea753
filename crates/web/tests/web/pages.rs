//! Pages in a real Chromium: what is explored, what differs, what is said.

use crate::common::{ends, explored, options, page, run, sequences, try_run};
use mazurka_engine::Verdict;
use mazurka_report::web::{Difference, RaceClass, Severity};
use mazurka_web::{Options, Schedule, actions};
use std::time::Duration;

const TWO_ANSWERS: &str = "<ul id=l></ul><script>
  for (const name of ['a', 'b']) fetch(name + '.txt').then((r) => r.text()).then((t) => { l.innerHTML += '<li>' + t; });
</script>";

#[test]
fn two_racing_answers_have_two_orders() {
    let report = explored(TWO_ANSWERS, &[("a.txt", "A"), ("b.txt", "B")], "[]", Some(1));
    assert_eq!(report.sequences.len(), 2, "{:?}", sequences(&report));
    assert_eq!(report.races[0].severity, Severity::High);
    assert_eq!(report.races[0].differences, [Difference::Dom, Difference::Pixels]);
    assert_eq!(
        ends(&report, &report.races[0]),
        ("fetch a.txt".to_owned(), "fetch b.txt".to_owned())
    );
    assert_eq!(report.verdict, Verdict::Violation);
}

/// Without a bound n answers have n! orders. With one reversal each pair of neighbours can be swapped: n - 1, and the recorded one.
#[test]
fn answers_that_append_to_one_list_have_all_orders() {
    let body = "<script>var list = []; for (let i = 0; i < 3; i++) fetch(i + '.txt').then(() => { list.push(i); });</script>";
    let files = [("0.txt", "0"), ("1.txt", "1"), ("2.txt", "2")];
    assert_eq!(explored(body, &files, "[]", None).sequences.len(), 6);
    assert_eq!(explored(body, &files, "[]", Some(1)).sequences.len(), 3);
}

#[test]
fn independent_pictures_and_timers_have_one_order() {
    let body = "<script>for (let i = 0; i < 20; i++) {
        const picture = new Image(); picture.onload = () => { window['p' + i] = 1; }; picture.src = i + '.svg';
        setTimeout(() => { window['t' + i] = 1; }, i);
    }</script>";
    let names: Vec<String> = (0..20).map(|i| format!("{i}.svg")).collect();
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>";
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), svg)).collect();
    let report = explored(body, &files, "[]", Some(1));
    assert_eq!(report.sequences.len(), 1, "{:?}", report.races);
    assert_eq!(report.verdict, Verdict::Safe, "{:?}", report.incomplete);
}

#[test]
fn an_exception_that_only_another_order_has_is_a_violation() {
    let body = "<button id=b onclick='data.x'>b</button><script>
        var data; fetch('d.txt').then(() => { data = {}; });
    </script>";
    let report = explored(body, &[("d.txt", "")], r##"[{"click": "#b"}]"##, Some(1));
    assert_eq!(report.verdict, Verdict::Violation);
    let failure =
        report.failures.iter().find(|failure| failure.kind == "exception").expect("an exception");
    assert!(failure.message.contains("TypeError"), "{}", failure.message);
    assert!(
        failure.location.as_deref().is_some_and(|place| place.starts_with("index.html:1:")),
        "{failure:?}"
    );
}

#[test]
fn assertions_requests_and_the_heap_are_compared() {
    let body = "<script>
        var last; for (const n of ['a', 'b']) fetch(n + '.txt').then(() => { last = n; });
    </script>";
    let files = [("a.txt", ""), ("b.txt", "")];
    let report = explored(body, &files, "[]", Some(1));
    assert_eq!(
        (report.races[0].differences.clone(), report.races[0].severity),
        (vec![Difference::Heap], Severity::Low)
    );
    let folder = page(body, &files);
    let checked =
        run(&Options { asserts: vec!["last === 'b'".to_owned()], ..options(folder.path()) });
    assert_eq!(checked.verdict, Verdict::Violation);
    assert_eq!(checked.failures[0].kind, "assertion");
    let asks = "<script>
        var last; for (const n of ['a', 'b']) fetch(n + '.txt').then(() => { if (!last) fetch(n + n + '.txt'); last = n; });
    </script>";
    let report = explored(
        asks,
        &[("a.txt", ""), ("b.txt", ""), ("aa.txt", ""), ("bb.txt", "")],
        "[]",
        Some(1),
    );
    assert!(report.races[0].differences.contains(&Difference::Network), "{:?}", report.races[0]);
}

/// Section 5.1 of the paper: what leaves the value is no write, so readers do not race among themselves.
#[test]
fn lazy_initialisation_is_one_write() {
    let body = "<script>var x; for (let i = 0; i < 3; i++) fetch(i + '.txt').then(() => { x = x || {}; });</script>";
    let report = explored(body, &[("0.txt", ""), ("1.txt", ""), ("2.txt", "")], "[]", Some(1));
    assert!(
        report.races.iter().all(|race| race.class == RaceClass::Equivalent),
        "{:?}",
        report.races
    );
    assert_eq!(report.sequences.len(), 3);
}

#[test]
fn what_never_ends_is_bounded_and_said() {
    let interval = explored("<script>setInterval(() => {}, 500)</script>", &[], "[]", Some(1));
    assert_eq!(interval.verdict, Verdict::Incomplete);
    assert!(interval.incomplete[0].words.contains("without end"), "{:?}", interval.incomplete);
    let frames = explored(
        "<script>(function f() { requestAnimationFrame(f); })()</script>",
        &[],
        "[]",
        Some(1),
    );
    assert!(frames.incomplete[0].words.contains("without end"), "{:?}", frames.incomplete);
}

#[test]
fn unusual_pages_are_told_in_words() {
    let said = |body: &str, user: &str| explored(body, &[], user, Some(1)).notes.join("\n");
    let notes = said("<img src=none.png><script>alert('hello')</script>", "[]");
    assert!(notes.contains("none.png was not found (404)"), "{notes}");
    assert!(notes.contains("alert(\"hello\")"), "{notes}");
    let away = said("<a id=a href=other.html>a</a>", r##"[{"click": "#a"}]"##);
    assert!(away.contains("navigates to other.html"), "{away}");
    let outside = said("<script src='https://example.com/x.js'></script>", "[]");
    assert!(outside.contains("refused: https://example.com/x.js"), "{outside}");
    let window = said("<a id=a href=other.html target=_blank>a</a>", r##"[{"click": "#a"}]"##);
    assert!(window.contains("opens a window for other.html"), "{window}");
    let workers = said(
        "<script>navigator.serviceWorker.register('s.js').catch(() => {}); try { new SharedWorker('w.js'); } catch {}</script>",
        "[]",
    );
    assert!(workers.contains("the service worker s.js was refused"), "{workers}");
    assert!(workers.contains("the shared worker w.js was refused"), "{workers}");
    let past = said(
        "<script>for (const Kind of [RTCPeerConnection, WebTransport]) try { new Kind('https://192.0.2.1/'); } catch {}</script>",
        "[]",
    );
    assert!(past.contains("RTCPeerConnection was refused"), "{past}");
    assert!(past.contains("WebTransport was refused"), "{past}");
    let broken = said("<script>var = ;</script>", "[]");
    assert!(
        broken.contains("throws: Uncaught SyntaxError") && broken.contains("index.html:1:"),
        "{broken}"
    );
}

/// What the reversal makes impossible is skipped, and what it makes possible happens at the end.
#[test]
fn replay_skips_what_is_not_possible_and_goes_on_with_what_is_new() {
    let body = "<script>var ready = false; const done = (n) => { window[n] = 1; };
        fetch('data.txt').then(() => { ready = true; });
        fetch('look.txt').then(() => { if (ready) fetch('yes.txt').then(() => done('yes')); else fetch('no.txt').then(() => done('no')); });
    </script>";
    let files = [("data.txt", ""), ("look.txt", ""), ("yes.txt", ""), ("no.txt", "")];
    let report = explored(body, &files, "[]", Some(1));
    let names = sequences(&report);
    assert!(names[0].contains(&"fetch yes.txt".to_owned()), "{names:?}");
    assert!(names[1].contains(&"fetch no.txt".to_owned()), "{names:?}");
    let reversed = &report.sequences[1];
    let event = |number: &u32| crate::common::words(&report.events[*number as usize]);
    assert_eq!(reversed.skipped.iter().map(event).collect::<Vec<_>>(), ["fetch yes.txt"]);
    assert_eq!(reversed.new.iter().map(event).collect::<Vec<_>>(), ["fetch no.txt"]);
    assert_eq!(report.races[0].class, RaceClass::Different);
    assert!(report.incomplete.is_empty(), "{:?}", report.incomplete);
}

/// The user's action waits for its element, whatever the order.
#[test]
fn an_action_waits_for_its_element() {
    let body = "<script>var log = [];
        fetch('slow.txt').then(() => { log.push('slow'); const b = document.createElement('button'); b.id = 'b'; b.onclick = () => log.push('click'); document.body.append(b); });
        fetch('fast.txt').then(() => { log.push('fast'); });
    </script>";
    let files = [("slow.txt", ""), ("fast.txt", "")];
    let report = explored(body, &files, r##"[{"click": "#b"}]"##, Some(3));
    assert!(report.sequences.len() > 2, "{:?}", sequences(&report));
    for names in sequences(&report) {
        let at = |wanted: &str| names.iter().position(|name| name == wanted).expect("it happens");
        assert!(at("fetch slow.txt") < at("click #b"), "{names:?}");
    }
}

/// A schedule of a report leads to the same end in another browser.
#[test]
fn a_schedule_is_performed_again() {
    let folder = page(TWO_ANSWERS, &[("a.txt", "A"), ("b.txt", "B")]);
    let report = run(&options(folder.path()));
    let schedule = Schedule::read(&report.races[0].schedule).expect("a schedule");
    let again = mazurka_web::replay(&Options { from: Some(schedule), ..options(folder.path()) });
    let again = again.expect("it is performed");
    assert_eq!(sequences(&again)[0], sequences(&report)[1]);
    assert_eq!(again.sequences[0].screenshot, report.sequences[1].screenshot);
}

#[test]
fn an_endless_loop_is_stopped() {
    let folder = page("<button id=b onclick='for(;;);'>b</button>", &[]);
    let user = Some(actions::read(r##"[{"click": "#b"}]"##).expect("actions"));
    let report =
        run(&Options { actions: user, step: Duration::from_secs(2), ..options(folder.path()) });
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(report.incomplete[0].words, "click #b did not end within 2 s and was stopped");
}

#[test]
fn an_endless_script_is_stopped_while_the_page_is_parsed() {
    let folder = page("<script>for(;;);</script>", &[]);
    let report = run(&Options { step: Duration::from_secs(2), ..options(folder.path()) });
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(
        report.incomplete[0].words,
        "parse index.html did not end within 2 s and was stopped"
    );
}

/// Time stands still while an event runs, but who waits for it in a loop sees it pass.
#[test]
fn a_loop_that_waits_for_time_ends() {
    let body = "<script>var waited; const begun = Date.now(); while (Date.now() - begun < 50); waited = performance.now();</script>";
    let folder = page(body, &[]);
    let report =
        run(&Options { asserts: vec!["waited >= 50".to_owned()], ..options(folder.path()) });
    assert_eq!(report.verdict, Verdict::Safe, "{:?}", report.failures);
}

/// Elements with handlers are tried in a fixed order where nobody says what the user does.
#[test]
fn what_has_handlers_is_tried() {
    let body = "<p id=a draggable=true>a</p><p id=b>b</p><script>var log = [];
        a.ondragstart = (e) => { e.dataTransfer.setData('text', 'x'); log.push('drag'); };
        b.ondrop = (e) => log.push('drop ' + e.dataTransfer.getData('text')); b.onclick = () => log.push('click');
    </script>";
    let folder = page(body, &[]);
    let report = run(&Options {
        actions: None,
        asserts: vec!["log.join() === 'drag,click,drop x'".to_owned()],
        ..options(folder.path())
    });
    assert!(report.failures.is_empty(), "{:?}", report.failures);
}

#[test]
fn a_page_that_is_not_there_is_named() {
    let error =
        try_run(&options(std::path::Path::new("/nowhere/page"))).expect_err("it is not there");
    assert!(error.to_string().contains("/nowhere/page"), "{error}");
}

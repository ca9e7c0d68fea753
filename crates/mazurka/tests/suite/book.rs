use mazurka::handler::Handler;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicBool, Ordering::SeqCst};
use mazurka::thread;

#[test]
#[should_panic(expected = "drawing on a closed screen")]
fn a_picture_arrives_at_an_open_screen() {
    mazurka::check(|| {
        let ui = Handler::spawn("ui");
        let open = Arc::new(AtomicBool::new(true));

        let (download, screen) = (ui.clone(), Arc::clone(&open));
        thread::spawn(move || {
            download.post(move || assert!(screen.load(SeqCst), "drawing on a closed screen"));
        });

        ui.post(move || open.store(false, SeqCst));
    });
}

/// What follows compares this file, and the report of the test above, with the page of the book.
mod page {
    use crate::reports::run;
    use std::path::PathBuf;

    const THE_TEST: &str = "book::a_picture_arrives_at_an_open_screen";

    fn page() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/rust.md")
    }

    /// What stands in the first block of the page that begins with this line.
    fn block<'p>(page: &'p str, opening: &str) -> &'p str {
        let (_, rest) = page.split_once(&format!("{opening}\n")).expect("the block is in the page");
        rest.split_once("```").expect("the block is closed").0
    }

    /// `UPDATE_EXPECT=1` writes the report of today into the page.
    #[test]
    fn the_test_and_its_report_are_those_of_the_book() {
        let text = std::fs::read_to_string(page()).expect("the page");
        let test = include_str!("book.rs")
            .split_once("\n/// What follows")
            .expect("the end of the test")
            .0;
        assert_eq!(block(&text, "```rs"), test);
        let (report, shown) = (report(), block(&text, "```text"));
        if std::env::var_os("UPDATE_EXPECT").is_some() && shown != report {
            let (before, rest) = text.split_once("```text\n").expect("the block is in the page");
            let updated = format!("{before}```text\n{report}{}", &rest[shown.len()..]);
            std::fs::write(page(), updated).expect("the page can be written");
            return;
        }
        assert_eq!(shown, report);
    }

    /// What the test above prints, from its first to its last line.
    fn report() -> String {
        let (passed, printed) = run(THE_TEST, &[]);
        assert!(passed, "{printed}");
        let start = printed.find("mazurka: ").expect("a report");
        let end = printed.find("To see it again").expect("its last line");
        let last = printed[end..].lines().next().expect("a line");
        let lines = printed[start..end].lines().chain([last]);
        lines.map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

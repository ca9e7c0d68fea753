//! A window that is used after it was closed: a worker posts its result to the UI handler, and the user closes the
//! window while the result is on its way.
//!
//! `cargo run --example ui_use_after_close` shows how it goes wrong, and that the fixed window does not.

use mazurka::handler::Handler;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicBool, Ordering::SeqCst};
use mazurka::thread;

struct Window {
    open: AtomicBool,
}

impl Window {
    fn show(&self, _result: &str) {
        assert!(self.open.load(SeqCst), "the window is closed");
    }

    fn show_if_open(&self, result: &str) {
        if self.open.load(SeqCst) {
            self.show(result);
        }
    }

    fn close(&self) {
        self.open.store(false, SeqCst);
    }
}

fn load_and_close(show: fn(&Window, &str)) {
    let ui = Handler::spawn("ui");
    let window = Arc::new(Window { open: AtomicBool::new(true) });
    let (worker_ui, worker_window) = (ui.clone(), Arc::clone(&window));
    let worker = thread::Builder::new().name("worker".to_owned());
    worker
        .spawn(move || {
            worker_ui.post(move || show(&worker_window, "loaded"));
        })
        .unwrap();
    // Both run on the UI handler, one after the other: a check and the use after it cannot be separated.
    ui.post(move || window.close());
}

fn main() {
    let failed = std::panic::catch_unwind(|| mazurka::check(|| load_and_close(Window::show)));
    assert!(failed.is_err(), "the use after close is found");
    mazurka::check(|| load_and_close(Window::show_if_open));
}

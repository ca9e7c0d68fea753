//! A tab of a browser that shows a page, and hands that press its keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mazurka_web::browser::{Browser, Connection, Message, find};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long the browser may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the screen is like.
#[derive(Clone, Copy)]
pub struct Look {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
}

pub const DESK: Look = Look { width: 1360, height: 860, dark: false };
pub const PHONE: Look = Look { width: 390, height: 844, dark: false };

/// A page that is shown. What goes wrong in its scripts fails the test.
pub struct Tab {
    _browser: Arc<Browser>,
    connection: Connection,
    session: String,
}

/// One browser for all tests; it ends with the last one that uses it.
fn browser() -> Arc<Browser> {
    static BROWSER: OnceLock<Mutex<Weak<Browser>>> = OnceLock::new();
    let mut shared =
        BROWSER.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(browser) = shared.upgrade() {
        return browser;
    }
    let path = find(None).unwrap_or_else(|error| panic!("{error}"));
    let browser = Arc::new(Browser::start(&path, false).unwrap_or_else(|error| panic!("{error}")));
    *shared = Arc::downgrade(&browser);
    browser
}

impl Tab {
    /// Opens a file.
    pub fn open(file: &Path, look: Look) -> Tab {
        let mut tab = Tab::empty(look);
        tab.load(file);
        tab
    }

    /// A tab with nothing in it yet.
    pub fn empty(look: Look) -> Tab {
        let browser = browser();
        let connection = browser.connect().expect("a connection");
        let mut tab = Tab { _browser: browser, connection, session: String::new() };
        let blank = json!({"url": "about:blank", "newWindow": true});
        let target = tab.call("Target.createTarget", blank);
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = tab.call("Target.attachToTarget", attach);
        tab.session = attached["sessionId"].as_str().expect("a session").to_owned();
        let metrics = json!({
            "width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 600,
        });
        let scheme = if look.dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        tab.call("Emulation.setDeviceMetricsOverride", metrics);
        tab.call("Emulation.setEmulatedMedia", media);
        tab.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        tab.call("Page.enable", json!({}));
        tab.call("Performance.enable", json!({"timeDomain": "threadTicks"}));
        tab.call("Runtime.enable", json!({}));
        tab
    }

    /// Goes to a file and waits until it is drawn.
    pub fn load(&mut self, file: &Path) {
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        self.wait_for("document.readyState === 'complete' && !!document.querySelector('#head h1')");
    }

    fn wait_for(&mut self, condition: &str) {
        let begun = Instant::now();
        while self.eval(condition) != json!(true) {
            assert!(begun.elapsed() < PATIENCE, "{condition} never became true");
        }
    }

    /// Speaks to the browser, and listens for what goes wrong in the page meanwhile.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let sent = self.connection.send(&self.session, method, &params).expect("the browser lives");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let message = self.connection.receive(deadline).expect("the browser lives");
            match message.unwrap_or_else(|| panic!("no answer to {method}")) {
                Message::Answer { id, result } if id == sent => {
                    return result.unwrap_or_else(|error| panic!("{method}: {error}"));
                }
                Message::Event { method, params, .. } if method == "Runtime.exceptionThrown" => {
                    panic!("the page's script failed: {params:#}");
                }
                Message::Event { method, params, .. }
                    if method == "Runtime.consoleAPICalled" && params["type"] == "error" =>
                {
                    panic!("the page complains: {params:#}");
                }
                _ => {}
            }
        }
    }

    /// What an expression is in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// The text that an element shows.
    pub fn text(&mut self, selector: &str) -> String {
        let found =
            self.eval(&format!("document.querySelector({})?.innerText ?? null", json!(selector)));
        found.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_owned()
    }

    /// How many elements there are.
    pub fn count(&mut self, selector: &str) -> u64 {
        let found = self.eval(&format!("document.querySelectorAll({}).length", json!(selector)));
        found.as_u64().expect("a number")
    }

    /// Presses keys, one after the other; letters are themselves.
    pub fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            let text = if key.chars().count() == 1 { *key } else { "" };
            let down = json!({"type": "keyDown", "key": key, "text": text});
            self.call("Input.dispatchKeyEvent", down);
            self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
        }
        self.settle();
    }

    /// Moves the pointer to the middle of an element.
    pub fn point(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
        self.settle();
    }

    /// Clicks on the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        for kind in ["mousePressed", "mouseReleased"] {
            let click = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", click);
        }
        self.settle();
    }

    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let found = self.eval(&format!(
            "(() => {{ const it = document.querySelector({}); if (!it) return null; \
             it.scrollIntoView({{ block: 'nearest' }}); const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        let number = |at: usize| found[at].as_f64().unwrap_or_else(|| panic!("no {selector}"));
        (number(0), number(1))
    }

    /// Waits until everything is drawn.
    pub fn settle(&mut self) {
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    }

    /// The processor time that the page has taken so far, in seconds.
    pub fn processor_time(&mut self) -> f64 {
        let metrics = self.call("Performance.getMetrics", json!({}));
        let all = metrics["metrics"].as_array().expect("metrics");
        let found = all.iter().find(|metric| metric["name"] == "ThreadTime");
        found.and_then(|metric| metric["value"].as_f64()).expect("the time of the page's thread")
    }

    /// A picture of what is seen.
    pub fn picture(&mut self) -> Vec<u8> {
        self.settle();
        let answer = self.call("Page.captureScreenshot", json!({"format": "png"}));
        STANDARD.decode(answer["data"].as_str().expect("a picture")).expect("base64")
    }

    /// Keeps a picture, if somebody wants to look at it.
    pub fn keep(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("MAZURKA_SCREENSHOTS") else { return };
        let picture = self.picture();
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), picture).expect("a file");
    }
}

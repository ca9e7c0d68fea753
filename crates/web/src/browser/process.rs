//! The browser's process. It ends with ours, however ours ends.
//!
//! A shell stands between the two: it starts the browser and then waits for the end of its standard
//! input, which only our process holds. That end comes with `drop`, with Ctrl-C, with a panic and
//! with a kill that cannot be caught; then the shell ends the browser with all its children and removes
//! the profile.

use super::Connection;
use crate::error::Error;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const GUARD: &str = r#"
profile=$1; shift
{ "$@" >"$profile/log" 2>&1 & echo $! >"$profile/pid"; wait $!; : >"$profile/gone"; } 2>/dev/null &
read -r end
browser=$(cat "$profile/pid" 2>/dev/null)
if [ -n "$browser" ]; then
    kill -KILL "$browser" 2>/dev/null
    wait
fi
# The browser's children end a moment after it and may still write there.
tries=0
until rm -rf "$profile" 2>/dev/null || [ "$tries" -ge 50 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -KILL 0
"#;

/// How long a browser may take to start.
const START: Duration = Duration::from_secs(30);
/// How often its start is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// The longest path below which a browser may put its sockets.
const SHORT: usize = 50;
/// How long the guard may take to clean up.
const END: Duration = Duration::from_secs(10);

/// A running browser.
pub struct Browser {
    guard: Child,
    address: String,
    profile: std::path::PathBuf,
}

impl Browser {
    /// Starts the browser at `path`; `visible` shows its windows.
    pub fn start(path: &Path, visible: bool) -> Result<Browser, Error> {
        let folder = TempDir::with_prefix("mazurka-web-").map_err(Error::Profile)?;
        // The guard removes it; it is also there after we are gone.
        let profile = folder.keep();
        let mut guard = Command::new("sh");
        // What the browser leaves in the folder for temporary files goes with the profile. Sockets must have short paths.
        if profile.as_os_str().len() <= SHORT {
            guard.env("TMPDIR", &profile);
        }
        let guard = guard
            .args(["-c", GUARD, "mazurka-browser-guard"])
            .arg(&profile)
            .arg(path)
            .args(flags(&profile, visible))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|source| Error::Start { path: path.to_path_buf(), why: source.to_string() })?;
        let mut browser = Browser { guard, address: String::new(), profile };
        browser.address = browser.wait_for_address(path)?;
        Ok(browser)
    }

    /// The browser writes its port and path into a file of its profile.
    fn wait_for_address(&self, path: &Path) -> Result<String, Error> {
        let file = self.profile.join("DevToolsActivePort");
        let begun = Instant::now();
        while begun.elapsed() < START {
            if let Ok(text) = fs::read_to_string(&file)
                && let Some((port, rest)) = text.split_once('\n')
                && !rest.is_empty()
            {
                return Ok(format!("ws://127.0.0.1:{}{}", port.trim(), rest.trim()));
            }
            if self.profile.join("gone").exists() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let log = fs::read_to_string(self.profile.join("log")).unwrap_or_default();
        let mut lines = log.lines().filter(|line| !line.trim().is_empty());
        // What it says last is often only that it ends.
        let display = lines.clone().find(|line| line.contains("DISPLAY"));
        let why = display.or(lines.next_back()).unwrap_or("it does not answer");
        Err(Error::Start { path: path.to_path_buf(), why: why.to_owned() })
    }

    /// A new connection. Each worker has its own.
    pub fn connect(&self) -> Result<Connection, Error> {
        Connection::open(&self.address)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let begun = Instant::now();
        while begun.elapsed() < END {
            if !matches!(self.guard.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(LOOK);
        }
        let _ = self.guard.kill();
        let _ = self.guard.wait();
    }
}

fn flags(profile: &Path, visible: bool) -> Vec<String> {
    let mut flags = vec![
        format!("--user-data-dir={}", profile.display()),
        "--remote-debugging-port=0".to_owned(),
        // Nothing leaves the machine: names do not resolve, other addresses go to a proxy that is not there.
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1".to_owned(),
        "--proxy-server=http://127.0.0.1:9".to_owned(),
        "about:blank".to_owned(),
    ];
    flags.extend(FLAGS.iter().map(|flag| (*flag).to_owned()));
    if !visible {
        flags.push("--headless=new".to_owned());
    }
    if is_root() {
        // The sandbox cannot be had by root.
        flags.push("--no-sandbox".to_owned());
    }
    flags
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

const FLAGS: [&str; 24] = [
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-crash-reporter",
    "--disable-breakpad",
    "--disable-popup-blocking",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    // Frames of other sites stay in one process; checks of local networks would refuse sockets.
    "--disable-features=IsolateOrigins,site-per-process,LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,Translate,OptimizationHints,MediaRouter,PaintHolding",
];

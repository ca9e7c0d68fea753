//! Who answers the page's requests. Nothing leaves the machine.
//!
//! Files and folders are answered by us, under a loopback address that only the browser knows: every request is
//! intercepted. A page of a local server is asked once; later executions get the same answers.

mod mime;

use crate::error::Error;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Where files and folders seem to come from.
const ORIGIN: &str = "http://localhost:7357";

/// An answer to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Arc<[u8]>,
}

impl Answer {
    /// An answer with a type and a body.
    pub fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Answer {
        let headers = vec![
            ("Content-Type".to_owned(), kind.to_owned()),
            ("Access-Control-Allow-Origin".to_owned(), "*".to_owned()),
        ];
        Answer { status, headers, body: body.into().into() }
    }
}

/// What is to be done with a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// This is the answer.
    Answer(Answer),
    /// A local server is to be asked.
    Ask,
    /// It goes to another machine and was not recorded.
    Refuse,
}

/// A request, as far as its answer depends on it: method, address, body, and how many equal ones came before.
pub type RequestKey = (String, String, String, u32);

/// The page's server.
pub struct Server {
    origin: String,
    path: String,
    root: Option<PathBuf>,
    record: Option<PathBuf>,
    remembered: Mutex<HashMap<RequestKey, Answer>>,
}

impl Server {
    /// For a file, a folder with an `index.html`, or an address on this machine.
    pub fn new(page: &str, record: Option<&Path>) -> Result<Server, Error> {
        let record = record.map(Path::to_path_buf);
        let remembered = Mutex::default();
        if page.starts_with("http://") || page.starts_with("https://") {
            let (origin, path) = split_address(page);
            if !is_local(&origin) {
                return Err(Error::NotHere(page.to_owned()));
            }
            return Ok(Server { origin, path, root: None, record, remembered });
        }
        let path = PathBuf::from(page);
        let read = |source| Error::Read { path: path.clone(), source };
        let (folder, file) = if fs::metadata(&path).map_err(read)?.is_dir() {
            if !path.join("index.html").is_file() {
                return Err(Error::NoIndex(path));
            }
            (path.clone(), "index.html".to_owned())
        } else {
            fs::read(&path).map_err(read)?;
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let name = path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            (folder.unwrap_or(Path::new(".")).to_path_buf(), name)
        };
        let path = format!("/{}", encode(&file));
        Ok(Server { origin: ORIGIN.to_owned(), path, root: Some(folder), record, remembered })
    }

    /// The page's address.
    pub fn address(&self) -> String {
        format!("{}{}", self.origin, self.path)
    }

    /// The page's origin.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Does a local server answer, and not we?
    pub fn is_live(&self) -> bool {
        self.root.is_none()
    }

    /// The name of an address in reports: without what all have in common.
    pub fn name(&self, address: &str) -> String {
        match address.strip_prefix(&self.origin) {
            Some("" | "/") => "/".to_owned(),
            Some(path) => path.trim_start_matches('/').to_owned(),
            None => address.to_owned(),
        }
    }

    /// The address that a page means by a reference.
    pub fn resolve(&self, reference: &str) -> String {
        if reference.contains("://") {
            return reference.to_owned();
        }
        if let Some(rest) = reference.strip_prefix("//") {
            return format!("http://{rest}");
        }
        let base = if reference.starts_with('/') {
            String::new()
        } else {
            let path = self.path.split(['?', '#']).next().unwrap_or_default();
            path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
        };
        let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
        for part in reference.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("{}/{}", self.origin, parts.join("/"))
    }

    /// What is to be done with a request.
    pub fn decide(&self, key: &RequestKey) -> Decision {
        let (_, address, ..) = key;
        let (origin, path) = split_address(address);
        if let Some(answer) = self.lock().get(key) {
            return Decision::Answer(answer.clone());
        }
        match &self.root {
            Some(root) if origin == self.origin => Decision::Answer(file(root, &path)),
            None if is_local(&origin) => Decision::Ask,
            _ => self.recorded(&origin, &path).map_or(Decision::Refuse, Decision::Answer),
        }
    }

    /// Keeps an answer of a local server for later executions.
    pub fn remember(&self, key: RequestKey, answer: Answer) {
        self.lock().entry(key).or_insert(answer);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RequestKey, Answer>> {
        self.remembered.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Answers of other machines are files below `DIR/host/`, as tools that mirror sites leave them.
    fn recorded(&self, origin: &str, path: &str) -> Option<Answer> {
        let host = origin.split_once("://")?.1;
        let folder = self.record.as_ref()?.join(host);
        let with_query = folder.join(decode(path.trim_start_matches('/')));
        if with_query.is_file() {
            return Some(file(&folder, path));
        }
        Some(file(&folder, path)).filter(|answer| answer.status == 200)
    }
}

fn split_address(address: &str) -> (String, String) {
    let start = address.find("://").map_or(0, |at| at + 3);
    let end = address[start..].find(['/', '?', '#']).map_or(address.len(), |at| start + at);
    let path = &address[end..];
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    (address[..end].to_owned(), path)
}

fn is_local(origin: &str) -> bool {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let name = host
        .strip_prefix('[')
        .map_or_else(|| host.split(':').next(), |rest| rest.split(']').next());
    name.is_some_and(|name| {
        name == "localhost"
            || name == "::1"
            || name.starts_with("127.")
            || name.ends_with(".localhost")
    })
}

fn file(root: &Path, path: &str) -> Answer {
    let plain = decode(path.split(['?', '#']).next().unwrap_or_default());
    let relative = Path::new(plain.trim_start_matches('/'));
    let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let mut found = root.join(relative);
    if found.is_dir() {
        found = found.join("index.html");
    }
    match fs::read(&found) {
        Ok(body) if inside => Answer::new(200, mime::of(&found.to_string_lossy()), body),
        _ => Answer::new(404, "text/plain; charset=utf-8", "not found"),
    }
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(name: &str) -> String {
    let keep = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~()!*".contains(byte);
    name.bytes()
        .map(|byte| if keep(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(files: &[(&str, &str)]) -> (tempfile::TempDir, Server) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let server = Server::new(
            &folder.path().join("site").to_string_lossy(),
            Some(&folder.path().join("rec")),
        );
        (folder, server.expect("a server"))
    }

    fn get(address: &str) -> RequestKey {
        ("GET".to_owned(), address.to_owned(), String::new(), 0)
    }

    #[test]
    fn files_of_the_folder_and_nothing_outside() {
        let (_folder, server) =
            server(&[("site/index.html", "x"), ("site/a b.js", "y"), ("secret", "z")]);
        let status = |path: &str| match server.decide(&get(&format!("{ORIGIN}{path}"))) {
            Decision::Answer(answer) => answer.status,
            other => panic!("{other:?}"),
        };
        assert_eq!(status("/"), 200);
        assert_eq!(status("/a%20b.js?v=1"), 200);
        assert_eq!(status("/../secret"), 404);
        assert_eq!(status("/none.png"), 404);
    }

    #[test]
    fn other_machines_are_refused_unless_recorded() {
        let (_folder, server) =
            server(&[("site/index.html", "x"), ("rec/cdn.example/lib.js", "1")]);
        assert_eq!(server.decide(&get("https://evil.example/x.js")), Decision::Refuse);
        let answer = server.decide(&get("https://cdn.example/lib.js"));
        assert!(matches!(answer, Decision::Answer(answer) if &*answer.body == b"1"));
    }

    #[test]
    fn pages_of_other_machines_are_not_opened() {
        assert!(matches!(Server::new("http://example.com/", None), Err(Error::NotHere(_))));
        assert!(Server::new("http://localhost:80/a?b", None).is_ok_and(|server| server.is_live()));
    }

    #[test]
    fn references_are_resolved() {
        let (_folder, server) = server(&[("site/index.html", "x")]);
        assert_eq!(server.resolve("js/../a.js"), format!("{ORIGIN}/a.js"));
        assert_eq!(server.resolve("https://cdn.example/a.js"), "https://cdn.example/a.js");
        assert_eq!(server.name(&server.resolve("/x/y.png")), "x/y.png");
        assert_eq!(server.name(&format!("{ORIGIN}/")), "/");
    }
}

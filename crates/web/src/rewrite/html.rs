//! A page with gates for its parser and with its scripts and handlers rewritten.
//!
//! A parser waits at `<script src>`. So before each script that stands in the page itself a gate is put: an empty
//! script that the driver answers when the next piece of the page is to be parsed. It removes itself. A deferred gate at
//! the end holds `DOMContentLoaded`.

use super::edits::{Edit, Edits};
use super::script::{Goal, script};
use super::sources::Sources;
use crate::scheduler::MARK;
use lol_html::{HtmlRewriter, Settings, element, end_tag, text};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// A script in a page.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Script {
    tag: Range<usize>,
    body: Option<Range<usize>>,
    address: Option<String>,
    /// `None` if it is data.
    goal: Option<Goal>,
    waits: bool,
    defers: bool,
    /// Is there something before it that could be touched?
    follows: bool,
}

struct Handler {
    tag: Range<usize>,
    name: String,
}

/// A stylesheet, with the place of its tag.
struct Style {
    at: usize,
    address: String,
    in_body: bool,
}

#[derive(Default)]
struct Found {
    scripts: Vec<Script>,
    handlers: Vec<Handler>,
    content: bool,
    body_end: Option<usize>,
    /// Has the body begun, by its tag or by something that stands there?
    in_body: bool,
    styles: Vec<Style>,
}

/// A page that has been rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The text for the browser.
    pub text: String,
    /// Where the parser stops, in the order of the page. The first one has the number 1, the last one holds `DOMContentLoaded`.
    pub stops: Vec<Stop>,
    /// Addresses of scripts that run when the page has been parsed, as they stand in the page.
    pub deferred: Vec<String>,
}

/// A gate, or a script that stops the parser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// The script's address, `None` for a gate.
    pub script: Option<String>,
    /// Addresses of the stylesheets before it, which it waits for.
    pub styles: Vec<String>,
    /// Those of them that stand in the body: the parser waits at each.
    pub body_styles: Vec<String>,
    /// The line where it stands.
    pub line: u32,
}

/// Elements that cannot be touched by anybody.
const QUIET: [&str; 9] =
    ["html", "head", "meta", "title", "link", "base", "style", "body", "noscript"];

/// Elements that do not begin the body.
const HEAD: [&str; 10] =
    ["html", "head", "meta", "title", "link", "base", "style", "script", "noscript", "template"];

/// Rewrites a page. `helper` is the secret name; gates are files below `/helper/`.
pub fn page(name: &str, html: &str, helper: &str, sources: &mut Sources) -> Page {
    let found = find(html);
    let mut edits = Vec::new();
    let mut sites = Vec::new();
    let mut stops = Vec::new();
    let mut deferred = Vec::new();
    let styles = |at: usize, only_in_body: bool| {
        let before = found.styles.iter().filter(|style| style.at < at);
        let wanted = before.filter(|style| style.in_body || !only_in_body);
        wanted.map(|style| style.address.clone()).collect()
    };
    let stop = |script: Option<String>, at: usize| Stop {
        script,
        styles: styles(at, false),
        body_styles: styles(at, true),
        line: html[..at].matches('\n').count() as u32 + 1,
    };
    for one in &found.scripts {
        if one.body.is_some() && one.goal == Some(Goal::Script) && one.follows {
            stops.push(stop(None, one.tag.start));
            edits.push(insert(one.tag.start, gate(helper, stops.len(), "")));
        } else if one.address.is_some() && one.waits {
            stops.push(stop(one.address.clone(), one.tag.start));
            let at = one.tag.start + "<script".len();
            edits.push(insert(at, format!(" {MARK}=\"{}\"", stops.len())));
        } else if one.defers {
            deferred.extend(one.address.clone());
        }
        if let (Some(goal), Some(body)) = (one.goal, &one.body) {
            let first = sources.first_site() + sites.len() as u32;
            if let Some((inner, more)) =
                script(&html[body.clone()], goal, helper, body.start as u32, first)
            {
                edits.extend(inner);
                sites.extend(more);
            }
        }
    }
    for handler in &found.handlers {
        let first = sources.first_site() + sites.len() as u32;
        if let Some((edit, more)) = rewrite_handler(html, handler, helper, first) {
            edits.push(edit);
            sites.extend(more);
        }
    }
    let end = found.body_end.unwrap_or(html.len());
    stops.push(stop(None, end));
    edits.push(insert(end, gate(helper, stops.len(), " defer")));
    let text = sources.add(name, html, Edits::new(edits), sites);
    Page { text, stops, deferred }
}

fn gate(helper: &str, number: usize, how: &str) -> String {
    format!("<script src=\"/{helper}/gate-{number}\" {MARK}=\"{number}\"{how}></script>")
}

fn insert(at: usize, text: String) -> Edit {
    Edit { at: at as u32, remove: 0, insert: text }
}

fn find(html: &str) -> Found {
    let found = Rc::new(RefCell::new(Found::default()));
    let (elements, texts, ends) = (Rc::clone(&found), Rc::clone(&found), Rc::clone(&found));
    let on_element = element!("*", move |element| {
        let mut found = elements.borrow_mut();
        let tag = element.source_location().bytes();
        let name = element.tag_name();
        for attribute in element.attributes() {
            let attribute = attribute.name();
            if attribute.starts_with("on") && attribute.len() > 2 {
                found.handlers.push(Handler { tag: tag.clone(), name: attribute });
            }
        }
        if name == "script" {
            let follows = found.content;
            let one = script_tag(element, tag, follows);
            found.scripts.push(one);
            found.content = true;
        } else if name == "link" && is_waited_for(element) {
            let address = element.get_attribute("href").unwrap_or_default();
            let in_body = found.in_body;
            found.styles.push(Style { at: tag.start, address, in_body });
        } else if !QUIET.contains(&name.as_str()) {
            found.content = true;
        }
        found.in_body |= !HEAD.contains(&name.as_str());
        if name == "body" {
            let ends = Rc::clone(&ends);
            if let Some(handlers) = element.end_tag_handlers() {
                handlers.push(end_tag!(move |end| {
                    ends.borrow_mut().body_end = Some(end.source_location().bytes().start);
                    Ok(())
                }));
            }
        }
        Ok(())
    });
    let on_text = text!("script", move |chunk| {
        let bytes = chunk.source_location().bytes();
        if let Some(script) = texts.borrow_mut().scripts.last_mut()
            && script.address.is_none()
            && !bytes.is_empty()
        {
            let body = script.body.get_or_insert(bytes.clone());
            body.end = body.end.max(bytes.end);
        }
        Ok(())
    });
    let settings = Settings::new()
        .append_element_content_handler(on_element)
        .append_element_content_handler(on_text);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // What the rewriter cannot follow stays as it is found up to there.
    if rewriter.write(html.as_bytes()).is_ok() {
        let _ = rewriter.end();
    }
    found.take()
}

fn script_tag(
    element: &lol_html::html_content::Element<'_, '_>,
    tag: Range<usize>,
    follows: bool,
) -> Script {
    let kind = element.get_attribute("type").unwrap_or_default();
    let goal = match kind.trim().to_ascii_lowercase().as_str() {
        "module" => Some(Goal::Module),
        "" | "text/javascript" | "application/javascript" | "application/x-javascript" => {
            Some(Goal::Script)
        }
        _ => None,
    };
    let has = |name: &str| element.has_attribute(name);
    let waits = goal == Some(Goal::Script) && !has("async") && !has("defer");
    let defers = !has("async") && (has("defer") || goal == Some(Goal::Module));
    Script { tag, body: None, address: element.get_attribute("src"), goal, waits, defers, follows }
}

/// `onclick="…"`: the value is found in the tag, since only its text is known.
fn rewrite_handler(
    html: &str,
    handler: &Handler,
    helper: &str,
    first_site: u32,
) -> Option<(Edit, Vec<super::sources::Site>)> {
    let tag = &html[handler.tag.clone()];
    let lower = tag.to_ascii_lowercase();
    let name = lower.find(&format!("{}=", handler.name))?;
    let quote_at = name + handler.name.len() + 1;
    let quote = tag[quote_at..].chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let start = quote_at + 1;
    let raw = &tag[start..start + tag[start..].find(quote)?];
    let code = decode(raw);
    let base = (handler.tag.start + start) as u32;
    let (edits, sites) = script(&code, Goal::Function, helper, base, first_site)?;
    let shifted = edits.into_iter().map(|edit| Edit { at: edit.at - base, ..edit }).collect();
    let text = encode(&Edits::new(shifted).apply(&code), quote);
    // Places behind an entity are a little off; the end of the text must not be.
    let end = base + raw.len() as u32;
    let sites = sites.into_iter().map(|mut site| {
        site.at = site.at.min(end);
        site.object = (site.object.0.min(end), site.object.1.min(end));
        site
    });
    Some((Edit { at: base, remove: raw.len() as u32, insert: text }, sites.collect()))
}

const ENTITIES: [(&str, &str); 6] = [
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
];

fn decode(text: &str) -> String {
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}

fn encode(text: &str, quote: char) -> String {
    let text = text.replace('&', "&amp;");
    if quote == '"' { text.replace('"', "&quot;") } else { text.replace('\'', "&#39;") }
}

/// Is it a stylesheet that scripts wait for? One for paper, or one to choose from, is fetched beside.
fn is_waited_for(link: &lol_html::html_content::Element<'_, '_>) -> bool {
    let attribute = |name| link.get_attribute(name).unwrap_or_default().to_ascii_lowercase();
    let rel = attribute("rel");
    let mut words = rel.split_ascii_whitespace();
    words.clone().any(|word| word == "stylesheet")
        && words.all(|word| word != "alternate")
        && attribute("media").trim() != "print"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_stops_before_scripts_and_at_the_end() {
        let html = "<link rel=stylesheet href=a.css><p>\n<script>f()</script><script src=b.js></script><script defer src=c.js></script></body>";
        let page = page("index.html", html, "$", &mut Sources::default());
        assert_eq!(
            page.text,
            "<link rel=stylesheet href=a.css><p>\n<script src=\"/$/gate-1\" data-mazurka-gate=\"1\"></script>\
             <script> $v(\"f\",1,f)()</script><script data-mazurka-gate=\"2\" src=b.js></script><script defer src=c.js></script></body>\
             <script src=\"/$/gate-3\" data-mazurka-gate=\"3\" defer></script>"
        );
        let scripts: Vec<_> = page.stops.iter().map(|stop| stop.script.as_deref()).collect();
        assert_eq!(scripts, [None, Some("b.js"), None]);
        assert_eq!((page.stops[0].line, &page.stops[0].styles), (2, &vec!["a.css".to_owned()]));
        assert_eq!(page.deferred, ["c.js"]);
    }

    #[test]
    fn handlers_in_attributes_are_rewritten() {
        let page = page("i", "<a onclick=\"go(&quot;x&quot;)\">", "$", &mut Sources::default());
        assert!(
            page.text.starts_with("<a onclick=\" $v(&quot;go&quot;,1,go)(&quot;x&quot;)\">"),
            "{}",
            page.text
        );
    }

    #[test]
    fn scripts_do_not_wait_for_styles_for_paper() {
        let html = "<link rel=stylesheet media=print href=a.css><link rel='alternate stylesheet' href=b.css><link rel=stylesheet href=c.css><script>f()</script>";
        let page = page("index.html", html, "$", &mut Sources::default());
        assert_eq!(page.stops[0].styles, ["c.css"]);
    }
}

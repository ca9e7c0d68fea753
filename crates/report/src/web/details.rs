//! What differs between two executions, for the page.

use super::card::Context;
use super::document::{Line, difference};
use super::model::{Changes, Exception, HeapChange, WebRace};
use super::pictures::{Marks, compare_pictures};
use crate::text::escape;
use crate::text::{count, grouped};

/// So many lines of a document's difference are shown.
const MOST_LINES: usize = 300;
/// So many paths of the heap.
const MOST_PATHS: usize = 60;

/// All that differs.
pub fn details(context: &Context<'_>, race: &WebRace) -> String {
    let it = &race.details;
    let parts = [
        exceptions(&it.exceptions_removed, &it.exceptions_added),
        changes(
            "Assertions",
            &it.asserts,
            "fail only in the original order",
            "fail only once reversed",
            "bad",
        ),
        pictures(context, race),
        it.dom.as_ref().map_or(String::new(), |(before, after)| document(before, after)),
        changes(
            "Requests",
            &it.requests,
            "only in the original order",
            "only once reversed",
            "added",
        ),
        changes(
            "Console",
            &it.console,
            "only in the original order",
            "only once reversed",
            "added",
        ),
        heap(&it.heap),
    ];
    let parts = parts.concat();
    match parts.is_empty() {
        true => String::new(),
        false => format!("<h3>What differs</h3>\n{parts}"),
    }
}

fn exceptions(removed: &[Exception], added: &[Exception]) -> String {
    let words = |exceptions: &[Exception]| {
        let words = exceptions.iter().map(|exception| match &exception.place {
            Some(place) => format!("{} ({place})", exception.message),
            None => exception.message.clone(),
        });
        words.collect()
    };
    let all = Changes { removed: words(removed), added: words(added) };
    changes("Uncaught exceptions", &all, "only in the original order", "only once reversed", "bad")
}

fn changes(what: &str, changes: &Changes, before: &str, after: &str, added: &str) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let list = |texts: &[String], class: &str, when: &str| {
        if texts.is_empty() {
            return String::new();
        }
        let items: String =
            texts.iter().map(|text| format!("<li><code>{}</code></li>\n", escape(text))).collect();
        format!("<p class=\"faint\">{when}</p>\n<ul class=\"{class}\">\n{items}</ul>\n")
    };
    format!(
        "<h4>{what}</h4>\n{}{}",
        list(&changes.removed, "removed", before),
        list(&changes.added, added, after)
    )
}

/// The two pictures side by side, with marks where they differ.
fn pictures(context: &Context<'_>, race: &WebRace) -> String {
    let paths = (context.pictures.path(race.parent), context.pictures.path(race.sequence));
    let (Some(before), Some(after)) = paths else { return String::new() };
    let png = |sequence: usize| context.report.sequences[sequence].screenshot.as_deref();
    let marks = png(race.parent).zip(png(race.sequence));
    let marks = marks.and_then(|(before, after)| compare_pictures(before, after));
    let boxes = marks.as_ref().map_or(String::new(), boxes);
    let said = match &marks {
        Some(marks) if marks.pixels > 0 => {
            format!(
                "{} of {} pixels differ",
                grouped(marks.pixels as u64),
                grouped((marks.width * marks.height) as u64)
            )
        }
        Some(_) => "no difference to be seen".to_owned(),
        None => String::new(),
    };
    let figure = |path: &str, caption: &str| {
        format!(
            "<figure><figcaption>{caption}</figcaption><div class=\"shot\"><img src=\"{path}\" alt=\"the page, {caption}\">{boxes}</div></figure>\n"
        )
    };
    format!(
        "<h4>What the user sees <span class=\"faint\">{said}</span></h4>\n<div class=\"shots\">\n{}{}</div>\n",
        figure(before, "in the original order"),
        figure(after, "once reversed"),
    )
}

/// Marks as shares of the picture, so that they fit whatever its size on the screen.
fn boxes(marks: &Marks) -> String {
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let boxes = marks.marked.iter().map(|mark| {
        format!(
            "<i style=\"left:{:.2}%;top:{:.2}%;width:{:.2}%;height:{:.2}%\"></i>",
            share(mark.left, marks.width),
            share(mark.top, marks.height),
            share(mark.width, marks.width),
            share(mark.height, marks.height),
        )
    });
    boxes.collect()
}

fn document(before: &str, after: &str) -> String {
    let lines = difference(before, after);
    if lines.is_empty() {
        return String::new();
    }
    let shown: String = lines.iter().take(MOST_LINES).map(line).collect();
    let more = match lines.len() > MOST_LINES {
        true => {
            let more = count((lines.len() - MOST_LINES) as u64, "more line");
            format!("<p class=\"faint\">and {more}</p>\n")
        }
        false => String::new(),
    };
    format!("<h4>Document</h4>\n<pre class=\"diff\">{shown}</pre>\n{more}")
}

fn line(line: &Line) -> String {
    match line {
        Line::Same(text) => format!("<span>  {}</span>\n", escape(text)),
        Line::Removed(text) => format!("<del>- {}</del>\n", escape(text)),
        Line::Added(text) => format!("<ins>+ {}</ins>\n", escape(text)),
        Line::Gap => "<span class=\"faint\">  ⋯</span>\n".to_owned(),
    }
}

fn heap(changes: &[HeapChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let value = |value: &Option<String>| {
        value
            .as_ref()
            .map_or("<span class=\"faint\">nothing</span>".to_owned(), |value| escape(value))
    };
    let rows: String = changes
        .iter()
        .take(MOST_PATHS)
        .map(|change| {
            let (before, after) = (value(&change.before), value(&change.after));
            format!("<tr><td>{}</td><td>{before}</td><td>{after}</td></tr>\n", escape(&change.path))
        })
        .collect();
    let more = match changes.len() > MOST_PATHS {
        true => {
            let more = count((changes.len() - MOST_PATHS) as u64, "more path");
            format!("<p class=\"faint\">and {more}</p>\n")
        }
        false => String::new(),
    };
    format!(
        "<h4>What scripts hold</h4>\n<div class=\"wide\"><table class=\"heap\">\n\
         <thead><tr><th>path</th><th>original order</th><th>reversed</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n{more}"
    )
}

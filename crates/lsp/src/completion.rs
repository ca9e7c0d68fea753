//! What can be written at a place.

use crate::document::Document;
use crate::hover::{detail, explained};
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use mazurka_lang::{FORMS, Form, FormKind, Symbol, SymbolKind, comments};

/// All that can stand at a byte.
pub fn complete(document: &Document, offset: u32) -> Vec<CompletionItem> {
    if comments(document.text()).iter().any(|it| it.start < offset && offset <= it.end) {
        return Vec::new();
    }
    let start = document.word_at(offset).map_or(offset, |word| word.start);
    let before = document.text().get(..start as usize).unwrap_or("").trim_end();
    let word = last_word(before);
    match wanted_after(word) {
        Some(Wanted::Names(kinds)) => names(document, offset, kinds),
        Some(Wanted::Words(words)) => {
            FORMS.iter().filter(|form| words.contains(&form.word)).map(keyword).collect()
        }
        Some(Wanted::Nothing) => Vec::new(),
        None if in_block(before) => {
            let kinds = [FormKind::Statement, FormKind::Function, FormKind::Literal];
            let words = FORMS.iter().filter(|form| kinds.contains(&form.kind)).map(keyword);
            words.chain(names(document, offset, VALUES)).collect()
        }
        None => {
            let words = FORMS.iter().filter(|form| form.kind == FormKind::Declaration).map(keyword);
            words.chain(names(document, offset, &[SymbolKind::Param])).collect()
        }
    }
}

enum Wanted {
    Names(&'static [SymbolKind]),
    Words(&'static [&'static str]),
    /// A new name.
    Nothing,
}

const VALUES: &[SymbolKind] = &[SymbolKind::Local, SymbolKind::Variable, SymbolKind::Param];

fn wanted_after(word: &str) -> Option<Wanted> {
    use SymbolKind::*;
    Some(match word {
        "to" => Wanted::Names(&[Handler]),
        "post" => Wanted::Names(&[Message]),
        "fork" => Wanted::Names(&[Task]),
        "join" => Wanted::Names(&[Thread, Local, Variable]),
        "lock" | "unlock" | "with" => Wanted::Names(&[Mutex, ReadWriteLock]),
        "lock_shared" | "unlock_shared" | "with_shared" => Wanted::Names(&[ReadWriteLock]),
        "acquire" | "release" => Wanted::Names(&[Semaphore]),
        "wait" => Wanted::Names(&[Condition, Barrier]),
        "notify" | "notify_all" => Wanted::Names(&[Condition]),
        "mailbox" => Wanted::Words(&["fifo", "multiset"]),
        "var" | "mutex" | "rwlock" | "semaphore" | "condition" | "barrier" | "handler"
        | "message" | "thread" | "task" | "param" | "let" => Wanted::Nothing,
        _ => return None,
    })
}

fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

/// Is a block open behind this text? Comments and texts with braces in them are rare, and only change what is offered.
fn in_block(before: &str) -> bool {
    before.matches('{').count() > before.matches('}').count()
}

fn names(document: &Document, offset: u32, kinds: &[SymbolKind]) -> Vec<CompletionItem> {
    let visible = document.outline.visible_at(offset).filter(|symbol| kinds.contains(&symbol.kind));
    visible.map(|symbol| name(document, symbol)).collect()
}

fn name(document: &Document, symbol: &Symbol) -> CompletionItem {
    let kind = match symbol.kind {
        SymbolKind::Param => CompletionItemKind::CONSTANT,
        SymbolKind::Message | SymbolKind::Task | SymbolKind::Thread => CompletionItemKind::FUNCTION,
        SymbolKind::Handler => CompletionItemKind::EVENT,
        _ => CompletionItemKind::VARIABLE,
    };
    CompletionItem {
        label: symbol.name.clone(),
        kind: Some(kind),
        detail: Some(detail(document, symbol)),
        ..CompletionItem::default()
    }
}

fn keyword(form: &Form) -> CompletionItem {
    let value = explained(form);
    CompletionItem {
        label: form.word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        detail: Some(form.syntax.to_owned()),
        documentation: Some(Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        })),
        ..CompletionItem::default()
    }
}

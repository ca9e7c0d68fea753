//! Where things are declared and mentioned, and other names for them.

use crate::document::Document;
use lsp_types::{DocumentSymbol, Range, SymbolKind as Shown, TextEdit};
use mazurka_lang::{FORMS, SymbolKind};

/// Where the thing at a byte is declared.
pub fn definition(document: &Document, offset: u32) -> Option<Range> {
    let symbol = document.outline.symbol_at(offset)?;
    Some(document.range(document.outline.symbols[symbol].span))
}

/// Where the thing at a byte is mentioned.
pub fn mentions(document: &Document, offset: u32) -> Vec<Range> {
    let symbol = document.outline.symbol_at(offset);
    let spans = symbol.into_iter().flat_map(|symbol| document.outline.mentions_of(symbol));
    spans.map(|span| document.range(span)).collect()
}

/// The name at a byte, if it can be changed.
pub fn renamable(document: &Document, offset: u32) -> Option<Range> {
    document.outline.symbol_at(offset)?;
    document.word_at(offset).map(|span| document.range(span))
}

/// The edits that give the thing at a byte another name; in words why it cannot have it.
pub fn rename(document: &Document, offset: u32, name: &str) -> Result<Vec<TextEdit>, String> {
    let symbol = document.outline.symbol_at(offset).ok_or("there is no name here")?;
    check_name(name)?;
    let taken = |other: &&mazurka_lang::Symbol| other.name == name;
    if let Some(other) = document.outline.symbols.iter().find(taken) {
        return Err(format!("there is already a {} named `{name}`", other.kind.describe()));
    }
    let edit = |span| TextEdit { range: document.range(span), new_text: name.to_owned() };
    Ok(document.outline.mentions_of(symbol).map(edit).collect())
}

fn check_name(name: &str) -> Result<(), String> {
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !begins_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is not a name: names consist of letters, digits and `_`"));
    }
    if FORMS.iter().any(|form| form.word == name) {
        return Err(format!("`{name}` is a word of the language"));
    }
    Ok(())
}

/// What is declared, for outlines.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let declared = document.outline.symbols.iter().filter(|it| it.kind != SymbolKind::Local);
    declared
        .map(|symbol| {
            let kind = match symbol.kind {
                SymbolKind::Param => Shown::CONSTANT,
                SymbolKind::Message | SymbolKind::Task | SymbolKind::Thread => Shown::FUNCTION,
                SymbolKind::Handler => Shown::EVENT,
                _ => Shown::VARIABLE,
            };
            let range = document.range(symbol.span);
            #[expect(deprecated, reason = "the field has to be filled in")]
            DocumentSymbol {
                name: symbol.name.clone(),
                detail: Some(symbol.kind.describe().to_owned()),
                kind,
                tags: None,
                deprecated: None,
                range,
                selection_range: range,
                children: None,
            }
        })
        .collect()
}

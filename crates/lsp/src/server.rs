//! Requests in, answers out.

use crate::document::Document;
use crate::{Error, completion, hover, navigation};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    Completion, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request as _,
};
use lsp_types::{
    CompletionOptions, CompletionResponse, Diagnostic, DiagnosticSeverity,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentSymbolResponse, GotoDefinitionResponse, HoverProviderCapability, Location, OneOf,
    PrepareRenameResponse, PublishDiagnosticsParams, RenameOptions, ServerCapabilities,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
    WorkspaceEdit,
};
use mazurka_lang::format;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;

/// Serves one client until it says goodbye.
pub fn serve(connection: &Connection) -> Result<(), Error> {
    connection.initialize(serde_json::to_value(capabilities())?)?;
    let mut server = Server { connection, documents: HashMap::new() };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(());
                }
                connection.sender.send(Message::Response(server.answer(request)))?;
            }
            Message::Notification(notification) => server.hear(notification)?,
            Message::Response(_) => {}
        }
    }
    Ok(())
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions::default()),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    documents: HashMap<Uri, Document>,
}

/// Why a request has no answer: a code of the protocol, and words.
type Refusal = (ErrorCode, String);

impl Server<'_> {
    fn hear(&mut self, notification: Notification) -> Result<(), Error> {
        // What cannot be read is left alone: a client is told of bad requests, and notifications have no answers.
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Ok(params) = read::<DidOpenTextDocumentParams>(notification.params) {
                    self.update(params.text_document.uri, &params.text_document.text)?;
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(params) = read::<DidChangeTextDocumentParams>(notification.params)
                    && let Some(document) = self.documents.get(&params.text_document.uri)
                {
                    let text = document.changed(&params.content_changes);
                    self.update(params.text_document.uri, &text)?;
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(params) = read::<DidCloseTextDocumentParams>(notification.params) {
                    self.documents.remove(&params.text_document.uri);
                    self.publish(params.text_document.uri, Vec::new())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Analyses a new text, and tells what is wrong with it.
    fn update(&mut self, uri: Uri, text: &str) -> Result<(), Error> {
        let document = Document::new(uri.as_str(), text);
        let diagnostics =
            document.errors.iter().map(|error| diagnostic(&document, error)).collect();
        self.documents.insert(uri.clone(), document);
        self.publish(uri, diagnostics)
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<Diagnostic>) -> Result<(), Error> {
        let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
        let notification = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
        Ok(self.connection.sender.send(Message::Notification(notification))?)
    }

    fn answer(&self, request: Request) -> Response {
        match self.result(&request.method, request.params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err((code, message)) => Response::new_err(request.id, code as i32, message),
        }
    }

    fn result(&self, method: &str, params: Value) -> Result<Value, Refusal> {
        match method {
            GotoDefinition::METHOD => self.at(params, |document, uri, offset| {
                navigation::definition(document, offset)
                    .map(|range| GotoDefinitionResponse::Scalar(Location { uri, range }))
            }),
            References::METHOD => self.at(params, |document, uri, offset| {
                let ranges = navigation::mentions(document, offset).into_iter();
                ranges.map(|range| Location { uri: uri.clone(), range }).collect::<Vec<_>>()
            }),
            HoverRequest::METHOD => {
                self.at(params, |document, _, offset| hover::hover(document, offset))
            }
            Completion::METHOD => self.at(params, |document, _, offset| {
                CompletionResponse::Array(completion::complete(document, offset))
            }),
            PrepareRenameRequest::METHOD => self.at(params, |document, _, offset| {
                navigation::renamable(document, offset).map(PrepareRenameResponse::Range)
            }),
            Rename::METHOD => self.rename(params),
            Formatting::METHOD => self.formatted(params),
            DocumentSymbolRequest::METHOD => {
                let (document, _) = self.document(&params)?;
                value(&DocumentSymbolResponse::Nested(navigation::symbols(document)))
            }
            _ => Err((ErrorCode::MethodNotFound, format!("{method} is not supported"))),
        }
    }

    /// Answers a question about a place in a document.
    fn at<T: Serialize>(
        &self,
        params: Value,
        answer: impl FnOnce(&Document, Uri, u32) -> T,
    ) -> Result<Value, Refusal> {
        let (document, uri) = self.document(&params)?;
        let place: TextDocumentPositionParams = read(params)?;
        value(&answer(document, uri, document.offset(place.position)))
    }

    /// The document that a request is about.
    fn document(&self, params: &Value) -> Result<(&Document, Uri), Refusal> {
        let uri: Uri = read(params["textDocument"]["uri"].clone())?;
        match self.documents.get(&uri) {
            Some(document) => Ok((document, uri)),
            None => Err((ErrorCode::InvalidParams, "this document is not open".to_owned())),
        }
    }

    fn rename(&self, params: Value) -> Result<Value, Refusal> {
        let (document, uri) = self.document(&params)?;
        let params: lsp_types::RenameParams = read(params)?;
        let offset = document.offset(params.text_document_position.position);
        let edits = navigation::rename(document, offset, &params.new_name)
            .map_err(|why| (ErrorCode::RequestFailed, why))?;
        // A key of `Uri` type is what the protocol library asks for; nothing in it changes.
        #[expect(clippy::mutable_key_type, reason = "the library's map has such keys")]
        let changes = HashMap::from([(uri, edits)]);
        value(&WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
    }

    /// No edits if the program is wrong: its errors are shown already.
    fn formatted(&self, params: Value) -> Result<Value, Refusal> {
        let (document, _) = self.document(&params)?;
        let formatted = format(&document.source).ok();
        let changed = formatted.filter(|text| text != document.text());
        let edit = |new_text| TextEdit { range: document.whole(), new_text };
        value(&changed.map(edit).into_iter().collect::<Vec<_>>())
    }
}

fn diagnostic(document: &Document, error: &mazurka_lang::Diagnostic) -> Diagnostic {
    let help = error.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
    Diagnostic {
        range: document.range(error.span.unwrap_or_default()),
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("mazurka".to_owned()),
        message: format!("{}{help}", error.message),
        ..Diagnostic::default()
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn value(answer: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(answer).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

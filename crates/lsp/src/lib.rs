//! The language server of the `.ed` language: diagnostics as one types, definitions, mentions, explanations with the events of a statement,
//! completion, renaming, formatting.
//!
//! The protocol is that of `lsp-server` and `lsp-types`; what is said comes from `mazurka-lang`. A document is analysed anew after each change,
//! which takes a few milliseconds for some thousand lines.

mod completion;
mod document;
mod hover;
mod navigation;
mod server;

pub use server::serve;

/// Why the server stopped before it was told to.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Serves one client on standard input and output until it says goodbye.
pub fn serve_stdio() -> Result<(), Error> {
    let (connection, threads) = lsp_server::Connection::stdio();
    let result = serve(&connection);
    // The writer ends when nobody can write any more.
    drop(connection);
    threads.join()?;
    result
}

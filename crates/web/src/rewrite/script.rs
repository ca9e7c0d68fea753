//! A script with every access to shared memory reported.
//!
//! Shared are properties, globals, and variables that closures use and that are written more than once. A wrapped object keeps
//! the syntax around it as it is: `a.b` becomes `r(a,"b",1).b`, which holds for reads, calls, optional chains and targets of
//! assignments alike.

mod modules;
mod patterns;
mod rewriter;
mod variables;
mod visit;

#[cfg(test)]
mod tests;

use super::edits::Edit;
use super::sources::Site;
use oxc_allocator::Allocator;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use rewriter::Rewriter;
use variables::Variables;

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A classic script: its top level is global.
    Script,
    /// A module.
    Module,
    /// The body of a function: a handler in an attribute, or `new Function`.
    Function,
}

/// The edits that report the accesses of a script, and where they are; `None` if it does not parse, then the browser
/// says what is wrong. Offsets begin at `base`, sites at `first_site`.
pub fn script(
    text: &str,
    goal: Goal,
    helper: &str,
    base: u32,
    first_site: u32,
) -> Option<(Vec<Edit>, Vec<Site>)> {
    let allocator = Allocator::default();
    let kind = match goal {
        Goal::Module => SourceType::mjs(),
        Goal::Script | Goal::Function => SourceType::cjs(),
    };
    let options = ParseOptions {
        allow_return_outside_function: goal == Goal::Function,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, text, kind).with_options(options).parse();
    if parsed.panicked || !parsed.errors.is_empty() {
        return None;
    }
    // The parser takes `import` and `export` in scripts, browsers do not.
    if goal != Goal::Module && parsed.module_record.has_module_syntax {
        return None;
    }
    let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
    let mut rewriter = Rewriter::new(
        text,
        helper,
        base,
        first_site,
        Variables::new(&parsed.program, &semantic, goal),
    );
    rewriter.visit_program(&parsed.program);
    Some((rewriter.edits, rewriter.sites))
}

//! What modules share: variables that one of them exports and changes, and that others import.
//!
//! They are known by the name under which they are exported. Two modules may export the same name; then accesses to one are taken for
//! accesses to the other, which reverses more than is needed and overlooks nothing.

use oxc_ast::ast::{Declaration, ImportDeclarationSpecifier, ModuleExportName, Program, Statement};
use oxc_semantic::Scoping;
use oxc_syntax::symbol::SymbolId;
use std::collections::HashMap;

/// The variables of a module that are imported, or exported and changed, with the names under which they are exported.
pub fn shared_with_others(program: &Program<'_>, scoping: &Scoping) -> HashMap<SymbolId, String> {
    let mut names = HashMap::new();
    for statement in &program.body {
        match statement {
            Statement::ImportDeclaration(import) => {
                let specifiers = import.specifiers.iter().flatten();
                names.extend(specifiers.filter_map(imported));
            }
            Statement::ExportNamedDeclaration(export) if export.source.is_none() => {
                let declared = export.declaration.iter().flat_map(declared);
                let listed = export.specifiers.iter().filter_map(|one| {
                    let ModuleExportName::IdentifierReference(local) = &one.local else {
                        return None;
                    };
                    let symbol = scoping.get_reference(local.reference_id()).symbol_id()?;
                    Some((symbol, one.exported.name().to_string()))
                });
                let exported = declared.chain(listed);
                names.extend(exported.filter(|(symbol, _)| scoping.symbol_is_mutated(*symbol)));
            }
            _ => {}
        }
    }
    names
}

fn imported(specifier: &ImportDeclarationSpecifier<'_>) -> Option<(SymbolId, String)> {
    match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(one) => {
            Some((one.local.symbol_id(), one.imported.name().to_string()))
        }
        ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
            Some((one.local.symbol_id(), "default".to_owned()))
        }
        // Its properties are seen when they are read.
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => None,
    }
}

fn declared(declaration: &Declaration<'_>) -> Vec<(SymbolId, String)> {
    match declaration {
        Declaration::VariableDeclaration(variables) => {
            let names = variables.declarations.iter();
            let names = names.flat_map(|one| one.id.get_binding_identifiers());
            names.map(|name| (name.symbol_id(), name.name.to_string())).collect()
        }
        Declaration::FunctionDeclaration(function) => {
            let name = function.id.iter();
            name.map(|name| (name.symbol_id(), name.name.to_string())).collect()
        }
        _ => Vec::new(),
    }
}

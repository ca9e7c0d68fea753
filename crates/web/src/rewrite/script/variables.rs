//! Which variables are shared, and where they are kept account of.

use super::Goal;
use super::modules::shared_with_others;
use oxc_ast::ast::{IdentifierReference, Program};
use oxc_semantic::{Scoping, Semantic};
use oxc_syntax::scope::{ScopeFlags, ScopeId};
use oxc_syntax::symbol::{SymbolFlags, SymbolId};
use std::collections::{HashMap, HashSet};

/// Globals of the browser that nobody replaces.
const CONSTANT: [&str; 34] = [
    "undefined",
    "NaN",
    "Infinity",
    "arguments",
    "eval",
    "Object",
    "Array",
    "String",
    "Number",
    "Boolean",
    "Symbol",
    "Math",
    "JSON",
    "Date",
    "RegExp",
    "Error",
    "TypeError",
    "Promise",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "Reflect",
    "Proxy",
    "parseInt",
    "parseFloat",
    "isNaN",
    "console",
    "window",
    "document",
    "self",
    "globalThis",
    "Function",
    "navigator",
];

/// Those of them whose properties are the page's own.
const HOLDERS: [&str; 6] = ["window", "document", "self", "globalThis", "Function", "navigator"];

/// Where a variable lives.
pub enum Home {
    /// Nothing is reported of it.
    Private,
    /// It is a property of `window`, or as good as one.
    Global,
    /// Other modules see it under this name.
    Exported(String),
    /// In the record of the function, or of the whole text, with this scope.
    Record(ScopeId, String),
}

/// The variables of a text.
pub struct Variables<'s> {
    scoping: &'s Scoping,
    goal: Goal,
    /// Those that closures share and that change, with the function that owns them.
    shared: HashMap<SymbolId, ScopeId>,
    owners: HashSet<ScopeId>,
    /// Those of a module that others see, too.
    exported: HashMap<SymbolId, String>,
    /// Functions that have a record for their shared variables.
    recorded: HashSet<ScopeId>,
}

impl<'s> Variables<'s> {
    /// Of a text.
    pub fn new(program: &Program<'_>, semantic: &'s Semantic<'_>, goal: Goal) -> Self {
        let scoping = semantic.scoping();
        let exported = shared_with_others(program, scoping);
        let mut shared = shared_variables(semantic);
        shared.retain(|symbol, _| !exported.contains_key(symbol));
        let owners = shared.values().copied().collect();
        Variables { scoping, goal, shared, owners, exported, recorded: HashSet::new() }
    }

    /// What the text is.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The scope of the whole text.
    pub fn root(&self) -> ScopeId {
        self.scoping.root_scope_id()
    }

    /// Does a function own variables that need a record? From now on it has one.
    pub fn open_record(&mut self, scope: ScopeId) -> bool {
        self.owners.contains(&scope) && self.recorded.insert(scope)
    }

    /// Where the variable that a name means lives.
    pub fn home(&self, identifier: &IdentifierReference<'_>) -> Home {
        if CONSTANT.contains(&identifier.name.as_str()) {
            return Home::Private;
        }
        let reference = self.scoping.get_reference(identifier.reference_id());
        match reference.symbol_id() {
            None => Home::Global,
            Some(symbol) => self.home_of(symbol),
        }
    }

    /// Where a variable lives.
    pub fn home_of(&self, symbol: SymbolId) -> Home {
        let scope = self.scoping.symbol_scope_id(symbol);
        let flags = self.scoping.symbol_flags(symbol);
        if scope == self.root() && self.goal == Goal::Script {
            let constant = flags.intersects(SymbolFlags::ConstVariable | SymbolFlags::Import);
            return if constant { Home::Private } else { Home::Global };
        }
        if let Some(name) = self.exported.get(&symbol) {
            return Home::Exported(name.clone());
        }
        match self.shared.get(&symbol) {
            Some(&owner) if self.recorded.contains(&owner) => {
                let name = self.scoping.symbol_name(symbol);
                // Blocks of one function may each have a variable of this name; the page cuts the number off.
                let number =
                    if scope == owner { String::new() } else { format!("~{}", scope.index()) };
                Home::Record(owner, format!("{name}{number}"))
            }
            _ => Home::Private,
        }
    }

    /// Is the object of a property with this name worth watching? What browsers bring along is not, but for `window`,
    /// `document` and their like, which hold what pages put there.
    pub fn is_watched(name: &str) -> bool {
        !CONSTANT.contains(&name) || HOLDERS.contains(&name)
    }
}

fn shared_variables(semantic: &Semantic<'_>) -> HashMap<SymbolId, ScopeId> {
    let scoping = semantic.scoping();
    let owner_of = |scope| {
        let mut around = scoping.scope_ancestors(scope);
        let function =
            around.find(|&scope| scoping.scope_flags(scope).intersects(ScopeFlags::Function));
        function.unwrap_or(scoping.root_scope_id())
    };
    let changing = scoping.symbol_ids().filter(|&symbol| scoping.symbol_is_mutated(symbol));
    let owned = changing.map(|symbol| (symbol, owner_of(scoping.symbol_scope_id(symbol))));
    let shared = owned.filter(|&(symbol, owner)| {
        scoping.get_resolved_references(symbol).any(|reference| {
            owner_of(semantic.nodes().get_node(reference.node_id()).scope_id()) != owner
        })
    });
    shared.collect()
}

//! A script with every access to shared memory reported.
//!
//! Shared are properties, globals, and variables of functions that closures use and that are written
//! more than once. A wrapped object keeps the syntax around it as it is: `a.b` becomes `r(a,"b",1).b`, which
//! holds for reads, calls, optional chains and targets of assignments alike.

use super::edits::Edit;
use super::sources::Site;
use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentOperator, AssignmentTarget,
    BindingPatternKind, CallExpression, ChainExpression, ComputedMemberExpression, Expression,
    Function, FunctionBody, IdentifierReference, ImportExpression, NewExpression, ObjectProperty,
    Program, SimpleAssignmentTarget, Statement, StaticMemberExpression, UnaryExpression,
    UnaryOperator, UpdateExpression, VariableDeclaration, WithStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, Semantic, SemanticBuilder};
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::{ScopeFlags, ScopeId};
use oxc_syntax::symbol::{SymbolFlags, SymbolId};
use std::collections::{HashMap, HashSet};

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
    let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
    let shared = shared_variables(&semantic);
    let mut rewriter = Rewriter {
        text,
        goal,
        helper,
        base,
        first_site,
        scoping: semantic.scoping(),
        owners: shared.values().copied().collect(),
        shared,
        recorded: HashSet::new(),
        in_chain: false,
        as_callee: None,
        edits: Vec::new(),
        sites: Vec::new(),
    };
    rewriter.visit_program(&parsed.program);
    Some((rewriter.edits, rewriter.sites))
}

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

/// Where a variable lives.
enum Home {
    /// Nothing is reported of it.
    Private,
    Global,
    /// In the record of the function with this scope.
    Function(ScopeId),
}

fn shared_variables(semantic: &Semantic<'_>) -> HashMap<SymbolId, ScopeId> {
    let scoping = semantic.scoping();
    let function_of = |scope| {
        let mut around = scoping.scope_ancestors(scope);
        around.find(|&scope| scoping.scope_flags(scope).intersects(ScopeFlags::Function))
    };
    let changing = scoping.symbol_ids().filter(|&symbol| scoping.symbol_is_mutated(symbol));
    let owned =
        changing.filter_map(|symbol| Some((symbol, function_of(scoping.symbol_scope_id(symbol))?)));
    let shared = owned.filter(|&(symbol, owner)| {
        scoping.get_resolved_references(symbol).any(|reference| {
            function_of(semantic.nodes().get_node(reference.node_id()).scope_id()) != Some(owner)
        })
    });
    shared.collect()
}

struct Rewriter<'r> {
    text: &'r str,
    goal: Goal,
    helper: &'r str,
    base: u32,
    first_site: u32,
    scoping: &'r Scoping,
    /// Variables that closures share and that change, with the function that owns them.
    shared: HashMap<SymbolId, ScopeId>,
    owners: HashSet<ScopeId>,
    /// Functions that have a record for their shared variables.
    recorded: HashSet<ScopeId>,
    in_chain: bool,
    /// The member expression that is being called.
    as_callee: Option<Span>,
    edits: Vec<Edit>,
    sites: Vec<Site>,
}

impl Rewriter<'_> {
    fn insert(&mut self, at: u32, text: String) {
        self.edits.push(Edit { at: self.base + at, remove: 0, insert: text });
    }

    fn site(&mut self, at: u32, object: Span) -> u32 {
        let base = self.base;
        self.sites.push(Site {
            file: 0,
            at: base + at,
            object: (base + object.start, base + object.end),
        });
        self.first_site + self.sites.len() as u32 - 1
    }

    /// `name(` before a span; the space keeps it apart from a keyword.
    fn open(&mut self, span: Span, name: &str) {
        let text = format!(" {}{name}(", self.helper);
        self.insert(span.start, text);
    }

    fn record_name(&self, scope: ScopeId) -> String {
        format!("{}S{}", self.helper, scope.index())
    }

    fn home(&self, identifier: &IdentifierReference<'_>) -> Home {
        if CONSTANT.contains(&identifier.name.as_str()) {
            return Home::Private;
        }
        let reference = self.scoping.get_reference(identifier.reference_id());
        match reference.symbol_id() {
            None => Home::Global,
            Some(symbol) => self.home_of(symbol),
        }
    }

    fn home_of(&self, symbol: SymbolId) -> Home {
        let scope = self.scoping.symbol_scope_id(symbol);
        let flags = self.scoping.symbol_flags(symbol);
        if scope == self.scoping.root_scope_id() {
            let constant = flags.intersects(SymbolFlags::ConstVariable | SymbolFlags::Import);
            return match self.goal {
                Goal::Script if !constant => Home::Global,
                _ => Home::Private,
            };
        }
        match self.shared.get(&symbol) {
            Some(&function) if self.recorded.contains(&function) => Home::Function(function),
            _ => Home::Private,
        }
    }

    /// `v("x",1,` before and `)` after a read of a variable.
    fn read(&mut self, identifier: &IdentifierReference<'_>) {
        let name = identifier.name.as_str();
        let home = self.home(identifier);
        let span = identifier.span;
        let site = match home {
            Home::Private => return,
            _ => self.site(span.start, span),
        };
        let text = match home {
            Home::Function(scope) => {
                format!(" {}c({},\"{name}\",{site},", self.helper, self.record_name(scope))
            }
            _ => format!(" {}v(\"{name}\",{site},", self.helper),
        };
        self.insert(span.start, text);
        self.insert(span.end, ")".to_owned());
    }

    /// Around a whole expression that writes a variable. `after` follows its value.
    fn around_write(&mut self, identifier: &IdentifierReference<'_>, both: bool) -> Option<String> {
        let name = identifier.name.as_str();
        let home = self.home(identifier);
        let record = match home {
            Home::Private => return None,
            Home::Global => None,
            Home::Function(scope) => Some(self.record_name(scope)),
        };
        let site = self.site(identifier.span.start, identifier.span);
        let two = if both { "2" } else { "" };
        Some(match record {
            Some(record) => format!(" {}b{two}({record},\"{name}\",{site},", self.helper),
            None => format!(" {}a{two}(\"{name}\",{site},", self.helper),
        })
    }

    /// The object of a property: wrapped with the helper for what is done with the property.
    fn wrap_object<'a>(&mut self, object: &Expression<'a>, key: &str, helper: &str, at: u32) {
        if !self.is_wrapped(object) {
            self.visit_expression(object);
            return;
        }
        let span = object.span();
        self.open(span, helper);
        self.visit_object(object);
        let site = self.site(at, span);
        self.insert(span.end, format!(",{key},{site})"));
    }

    /// An object that is itself no link of the optional chain around it.
    fn visit_object<'a>(&mut self, object: &Expression<'a>) {
        let chain = self.in_chain;
        self.visit_expression(object);
        self.in_chain = chain;
    }

    fn is_wrapped(&self, object: &Expression<'_>) -> bool {
        match object {
            Expression::Super(_) => false,
            Expression::Identifier(name) => {
                !CONSTANT[..CONSTANT.len() - 7].contains(&name.name.as_str())
                    && name.name != "console"
            }
            // Within an optional chain only its head may be wrapped: a link that is skipped has no object.
            Expression::StaticMemberExpression(_)
            | Expression::ComputedMemberExpression(_)
            | Expression::CallExpression(_)
            | Expression::PrivateFieldExpression(_) => !self.in_chain,
            _ => true,
        }
    }

    fn static_member<'a>(&mut self, member: &StaticMemberExpression<'a>, helper: &str) {
        let key = format!("{:?}", member.property.name.as_str());
        self.wrap_object(&member.object, &key, helper, member.property.span.start);
    }

    fn computed_member<'a>(&mut self, member: &ComputedMemberExpression<'a>, helper: &str) {
        let key = member.expression.span();
        let literal = matches!(
            member.expression,
            Expression::StringLiteral(_) | Expression::NumericLiteral(_)
        );
        if literal {
            let text = self.text[key.start as usize..key.end as usize].to_owned();
            let quoted = if text.starts_with(['"', '\'']) { text } else { format!("\"{text}\"") };
            self.wrap_object(&member.object, &quoted, helper, key.start);
            return;
        }
        if !self.is_wrapped(&member.object) {
            self.visit_expression(&member.object);
            self.outside_chain(|rewriter| rewriter.visit_expression(&member.expression));
            return;
        }
        let span = member.object.span();
        self.open(span, "o");
        self.visit_object(&member.object);
        self.insert(span.end, ")".to_owned());
        let site = self.site(key.start, span);
        self.open(key, &format!("k{helper}"));
        self.outside_chain(|rewriter| rewriter.visit_expression(&member.expression));
        self.insert(key.end, format!(",{site})"));
    }

    fn outside_chain(&mut self, visit: impl FnOnce(&mut Self)) {
        let chain = std::mem::replace(&mut self.in_chain, false);
        visit(self);
        self.in_chain = chain;
    }

    fn target<'a>(&mut self, target: &SimpleAssignmentTarget<'a>, helper: &str) {
        match target {
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.static_member(member, helper)
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                self.computed_member(member, helper);
            }
            SimpleAssignmentTarget::AssignmentTargetIdentifier(_) => {}
            other => walk::walk_simple_assignment_target(self, other),
        }
    }

    /// Functions with a block and simple parameters get a record for the variables that closures share.
    fn enter_function(&mut self, scope: ScopeId, body: &FunctionBody<'_>, simple: bool) {
        if !simple || !self.owners.contains(&scope) {
            return;
        }
        self.recorded.insert(scope);
        let at = body.directives.last().map_or(body.span.start + 1, |directive| directive.span.end);
        let text = format!(";const {}={}n();", self.record_name(scope), self.helper);
        self.insert(at, text);
    }

    /// Declarations of globals with a value write them.
    fn declared(&mut self, declaration: &VariableDeclaration<'_>) {
        let mut writes = String::new();
        for declarator in declaration.declarations.iter().filter(|one| one.init.is_some()) {
            if let BindingPatternKind::BindingIdentifier(identifier) = &declarator.id.kind
                && matches!(self.home_of(identifier.symbol_id()), Home::Global)
            {
                let site = self.site(identifier.span.start, identifier.span);
                let name = identifier.name.as_str();
                writes.push_str(&format!(";{}a(\"{name}\",{site},{name})", self.helper));
            }
        }
        if !writes.is_empty() {
            writes.push(';');
            self.insert(declaration.span.end, writes);
        }
    }

    fn declared_functions(&mut self, program: &Program<'_>) {
        let mut names = String::new();
        let mut first = None;
        for statement in &program.body {
            if let Statement::FunctionDeclaration(function) = statement
                && let Some(identifier) = &function.id
            {
                first.get_or_insert(identifier.span);
                names.push_str(&format!(",\"{}\"", identifier.name.as_str()));
            }
        }
        if let Some(span) = first {
            let site = self.site(span.start, span);
            let at = program.directives.last().map_or(0, |directive| directive.span.end);
            self.insert(at, format!(";{}d({site}{names});", self.helper));
        }
    }
}

impl<'a> Visit<'a> for Rewriter<'_> {
    fn visit_program(&mut self, program: &Program<'a>) {
        if self.goal == Goal::Script {
            self.declared_functions(program);
        }
        walk::walk_program(self, program);
    }

    fn visit_statements(&mut self, statements: &oxc_allocator::Vec<'a, Statement<'a>>) {
        for statement in statements {
            self.visit_statement(statement);
            if let Statement::VariableDeclaration(declaration) = statement {
                self.declared(declaration);
            }
        }
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let simple = function
            .params
            .items
            .iter()
            .all(|item| matches!(item.pattern.kind, BindingPatternKind::BindingIdentifier(_)));
        if let Some(body) = &function.body {
            self.enter_function(function.scope_id(), body, simple);
        }
        self.outside_chain(|rewriter| walk::walk_function(rewriter, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        let simple =
            !function.expression
                && function.params.items.iter().all(|item| {
                    matches!(item.pattern.kind, BindingPatternKind::BindingIdentifier(_))
                });
        self.enter_function(function.scope_id(), &function.body, simple);
        self.outside_chain(|rewriter| walk::walk_arrow_function_expression(rewriter, function));
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.read(identifier);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        let helper = if self.as_callee.take() == Some(member.span) { "m" } else { "r" };
        self.static_member(member, helper);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        let helper = if self.as_callee.take() == Some(member.span) { "m" } else { "r" };
        self.computed_member(member, helper);
    }

    fn visit_chain_expression(&mut self, chain: &ChainExpression<'a>) {
        let before = std::mem::replace(&mut self.in_chain, true);
        walk::walk_chain_expression(self, chain);
        self.in_chain = before;
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let direct_eval =
            matches!(&call.callee, Expression::Identifier(name) if name.name == "eval");
        self.as_callee = Some(call.callee.span());
        self.visit_expression(&call.callee);
        self.as_callee = None;
        self.outside_chain(|rewriter| {
            if direct_eval && let Some(first) = call.arguments.first() {
                let span = first.span();
                rewriter.open(span, "e");
                rewriter.visit_arguments(&call.arguments);
                rewriter.insert(span.end, ")".to_owned());
            } else {
                rewriter.visit_arguments(&call.arguments);
            }
        });
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        // `new f(x)()` would not be what `new (f(x))()` is.
        let span = new.callee.span();
        self.insert(span.start, " (".to_owned());
        self.visit_expression(&new.callee);
        self.insert(span.end, ")".to_owned());
        self.outside_chain(|rewriter| rewriter.visit_arguments(&new.arguments));
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        match (unary.operator, &unary.argument) {
            // `typeof x` is no error where x does not exist.
            (UnaryOperator::Typeof, Expression::Identifier(identifier)) => {
                if let Home::Global = self.home(identifier) {
                    let site = self.site(identifier.span.start, identifier.span);
                    let text =
                        format!(" {}v(\"{}\",{site},", self.helper, identifier.name.as_str());
                    self.insert(unary.span.start, text);
                    self.insert(unary.span.end, ")".to_owned());
                }
            }
            (UnaryOperator::Delete, Expression::StaticMemberExpression(member)) => {
                self.static_member(member, "w");
            }
            (UnaryOperator::Delete, Expression::ComputedMemberExpression(member)) => {
                self.computed_member(member, "w");
            }
            (UnaryOperator::Delete, _) => {}
            _ => walk::walk_unary_expression(self, unary),
        }
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        let plain = assignment.operator == AssignmentOperator::Assign;
        if let AssignmentTarget::AssignmentTargetIdentifier(identifier) = &assignment.left {
            let before = self.around_write(identifier, false);
            if let Some(text) = &before {
                self.insert(assignment.span.start, text.clone());
            }
            self.visit_expression(&assignment.right);
            if before.is_some() {
                self.insert(assignment.span.end, ")".to_owned());
            }
            return;
        }
        // Patterns stay as they are; their targets are not reported.
        if let Some(target) = assignment.left.as_simple_assignment_target() {
            self.target(target, if plain { "w" } else { "u" });
        }
        self.visit_expression(&assignment.right);
    }

    fn visit_update_expression(&mut self, update: &UpdateExpression<'a>) {
        if let SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) = &update.argument {
            if let Some(text) = self.around_write(identifier, true) {
                self.insert(update.span.start, text);
                self.insert(update.span.end, format!(",{})", identifier.name.as_str()));
            }
            return;
        }
        self.target(&update.argument, "u");
    }

    fn visit_for_statement_left(&mut self, left: &oxc_ast::ast::ForStatementLeft<'a>) {
        // `for (x in y)`: the head must stay a target.
        if let oxc_ast::ast::ForStatementLeft::VariableDeclaration(declaration) = left {
            self.visit_variable_declaration(declaration);
        }
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if property.shorthand {
            if let Expression::Identifier(identifier) = &property.value
                && !matches!(self.home(identifier), Home::Private)
            {
                self.insert(property.span.start, format!("{}:", identifier.name.as_str()));
                self.read(identifier);
            }
            return;
        }
        walk::walk_object_property(self, property);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if import.options.is_some() {
            walk::walk_import_expression(self, import);
            return;
        }
        let span = import.source.span();
        let site = self.site(import.span.start, span);
        // `import(x)` becomes `i(x,1,function import_(u){return import(u)})`: by the function's name its request is known.
        let keyword = Edit {
            at: self.base + import.span.start,
            remove: span.start - import.span.start,
            insert: format!(" {}i(", self.helper),
        };
        self.edits.push(keyword);
        self.visit_expression(&import.source);
        self.insert(
            span.end,
            format!(",{site},function {}import(u){{return import(u)}}", self.helper),
        );
    }

    /// Inside `with` every name may be a property of the object, ours too: templates of Vue ask a proxy for all of them.
    fn visit_with_statement(&mut self, statement: &WithStatement<'a>) {
        self.visit_expression(&statement.object);
    }

    fn visit_simple_assignment_target(&mut self, _: &SimpleAssignmentTarget<'a>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::Edits;

    fn rewritten(text: &str, goal: Goal) -> String {
        let (edits, _) = script(text, goal, "$", 0, 1).expect("it parses");
        Edits::new(edits).apply(text)
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(rewritten(text, Goal::Script), expected);
    }

    #[test]
    fn properties() {
        check("a.b", " $r( $v(\"a\",1,a),\"b\",2).b");
        check("a.b=1", " $w( $v(\"a\",1,a),\"b\",2).b=1");
        check("a[i]+=1", " $o( $v(\"a\",1,a))[ $ku( $v(\"i\",3,i),2)]+=1");
        check("a[0]", " $r( $v(\"a\",1,a),\"0\",2)[0]");
        check("a.push(1)", " $m( $v(\"a\",1,a),\"push\",2).push(1)");
        check("return_[1].x", " $r( $r( $v(\"return_\",1,return_),\"1\",2)[1],\"x\",3).x");
    }

    #[test]
    fn optional_chains_keep_their_short_way_out() {
        check("a?.b.c", " $r( $v(\"a\",1,a),\"b\",2)?.b.c");
        check("a?.b(c.d)", " $m( $v(\"a\",1,a),\"b\",2)?.b( $r( $v(\"c\",3,c),\"d\",4).d)");
    }

    #[test]
    fn variables() {
        check("x=1", " $a(\"x\",1,x=1)");
        check("x++", " $a2(\"x\",1,x++,x)");
        check("typeof x", " $v(\"x\",1,typeof x)");
        check("var q=[],r", "var q=[],r;$a(\"q\",1,q);");
        check("({x})", "({x: $v(\"x\",1,x)})");
        check("new X(1)", "new  ( $v(\"X\",1,X))(1)");
        check("import(m)", " $i( $v(\"m\",2,m),1,function $import(u){return import(u)})");
        check("eval(s)", "eval( $e( $v(\"s\",1,s)))");
    }

    #[test]
    fn only_variables_that_closures_share_and_that_change_are_reported() {
        check(
            "(function(){var n=0,k=1,l=2;l++;return()=>{n++;return k}})",
            "(function(){;const $S1=$n();var n=0,k=1,l=2;l++;return()=>{ $b2($S1,\"n\",1,n++,n);return k}})",
        );
    }

    #[test]
    fn names_inside_with_are_left_alone() {
        check("with(a.b){c.d}", "with( $r( $v(\"a\",1,a),\"b\",2).b){c.d}");
    }

    #[test]
    fn keywords_stay_apart() {
        check("function f(){return[1].x}", ";$d(1,\"f\");function f(){return $r([1],\"x\",2).x}");
    }

    #[test]
    fn a_syntax_error_is_left_to_the_browser() {
        assert!(script("var = ;", Goal::Script, "$", 0, 1).is_none());
    }
}

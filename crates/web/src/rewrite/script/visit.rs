//! The walk through a text.

use super::Goal;
use super::patterns::{Taken, taken_by, taken_by_target};
use super::rewriter::Rewriter;
use super::variables::Home;
use crate::rewrite::edits::Edit;
use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentOperator, AssignmentTarget,
    BinaryExpression, BinaryOperator, CallExpression, ChainExpression, ComputedMemberExpression,
    ExportSpecifier, Expression, ForInStatement, ForOfStatement, ForStatementLeft, Function,
    IdentifierReference, ImportExpression, NewExpression, ObjectProperty, PrivateFieldExpression,
    Program, SimpleAssignmentTarget, SpreadElement, Statement, StaticMemberExpression,
    UnaryExpression, UnaryOperator, UpdateExpression, VariableDeclaration, VariableDeclarator,
    WithStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

impl Rewriter<'_> {
    /// Declarations of shared variables with a value write them.
    fn declared(&mut self, declaration: &VariableDeclaration<'_>) {
        let declarators = declaration.declarations.iter().filter(|one| one.init.is_some());
        let names = declarators.flat_map(|one| one.id.get_binding_identifiers());
        let calls: Vec<String> = names
            .filter(|name| matches!(self.variables.home_of(name.symbol_id()), Home::Global))
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(|name| self.declaring(name))
            .collect();
        if !calls.is_empty() {
            let calls: String =
                calls.iter().map(|call| format!(";{}", call.trim_start())).collect();
            self.insert(declaration.span.end, format!("{calls};"));
        }
    }

    fn declared_functions(&mut self, program: &Program<'_>, at: u32) {
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
            self.insert(at, format!(";{}d({site}{names});", self.helper));
        }
    }

    /// `for (left of right) body`: the left side stays a target, and what it writes is said at the beginning of the body.
    fn walk_loop<'a>(
        &mut self,
        left: &ForStatementLeft<'a>,
        right: &Expression<'a>,
        body: &Statement<'a>,
    ) {
        let mut calls = Vec::new();
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                self.visit_variable_declaration(declaration);
                if declaration.kind.is_var() {
                    let names = declaration.declarations.iter();
                    let names = names.flat_map(|one| one.id.get_binding_identifiers());
                    let names: Vec<_> = names.collect();
                    calls.extend(names.into_iter().filter_map(|name| self.declaring(name)));
                }
            }
            other => {
                if let Some(target) = other.as_assignment_target() {
                    self.assigned(target, &mut calls);
                }
            }
        }
        self.taken_apart(right, &Taken::All);
        if calls.is_empty() {
            self.visit_statement(body);
            return;
        }
        self.insert(body.span().start, format!("{{{};", calls.join(";")));
        self.visit_statement(body);
        self.insert(body.span().end, "}".to_owned());
    }
}

/// `eval(x)`, `(0,eval)(x)`, `window.eval(x)`.
fn is_eval(callee: &Expression<'_>) -> bool {
    match callee {
        Expression::Identifier(name) => name.name == "eval",
        Expression::ParenthesizedExpression(inner) => is_eval(&inner.expression),
        Expression::SequenceExpression(list) => list.expressions.last().is_some_and(is_eval),
        Expression::StaticMemberExpression(member) => member.property.name == "eval",
        _ => false,
    }
}

impl<'a> Visit<'a> for Rewriter<'_> {
    fn visit_program(&mut self, program: &Program<'a>) {
        let at = program.directives.last().map_or(0, |directive| directive.span.end);
        self.enter_text(at);
        if self.variables.goal() == Goal::Script {
            self.declared_functions(program, at);
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

    /// Names that are only listed are not read.
    fn visit_export_specifier(&mut self, _: &ExportSpecifier<'a>) {}

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        self.visit_binding_pattern(&declarator.id);
        if let Some(value) = &declarator.init {
            match taken_by(&declarator.id) {
                Some(taken) => self.taken_apart(value, &taken),
                None => self.visit_expression(value),
            }
        }
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let Some(body) = &function.body {
            self.enter_function(function.scope_id(), &function.params, body);
        }
        self.outside_chain(|rewriter| walk::walk_function(rewriter, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        if !function.expression {
            self.enter_function(function.scope_id(), &function.params, &function.body);
        }
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

    fn visit_private_field_expression(&mut self, member: &PrivateFieldExpression<'a>) {
        self.as_callee = None;
        self.private_member(member, "r");
    }

    fn visit_chain_expression(&mut self, chain: &ChainExpression<'a>) {
        let before = std::mem::replace(&mut self.in_chain, true);
        walk::walk_chain_expression(self, chain);
        self.in_chain = before;
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.as_callee = Some(call.callee.span());
        self.visit_expression(&call.callee);
        self.as_callee = None;
        self.outside_chain(|rewriter| {
            if is_eval(&call.callee)
                && let Some(first) = call.arguments.first()
            {
                let span = first.span();
                rewriter.open(span, "e");
                rewriter.visit_arguments(&call.arguments);
                rewriter.insert(span.end, ")".to_owned());
            } else {
                rewriter.visit_arguments(&call.arguments);
            }
        });
    }

    fn visit_spread_element(&mut self, spread: &SpreadElement<'a>) {
        self.taken_apart(&spread.argument, &Taken::All);
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
                if let Home::Global = self.variables.home(identifier)
                    && let Some(text) = self.reading(identifier)
                {
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

    /// `"key" in object` reads the key.
    fn visit_binary_expression(&mut self, binary: &BinaryExpression<'a>) {
        if binary.operator != BinaryOperator::In {
            walk::walk_binary_expression(self, binary);
            return;
        }
        let (key, object) = (binary.left.span(), binary.right.span());
        self.open(key, "q");
        self.visit_expression(&binary.left);
        self.insert(key.end, ")".to_owned());
        self.open(object, "h");
        self.visit_expression(&binary.right);
        let site = self.site(object.start, object);
        self.insert(object.end, format!(",{site})"));
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        let plain = assignment.operator == AssignmentOperator::Assign;
        if let AssignmentTarget::AssignmentTargetIdentifier(identifier) = &assignment.left {
            let before = self.writing(identifier, false);
            if let Some(text) = &before {
                self.insert(assignment.span.start, text.clone());
            }
            self.visit_expression(&assignment.right);
            if before.is_some() {
                self.insert(assignment.span.end, ")".to_owned());
            }
            return;
        }
        if let Some(taken) = taken_by_target(&assignment.left) {
            let mut calls = Vec::new();
            self.open(assignment.span, "z");
            self.assigned(&assignment.left, &mut calls);
            self.taken_apart(&assignment.right, &taken);
            let calls: String = calls.iter().map(|call| format!(",{call}")).collect();
            self.insert(assignment.span.end, format!("{calls})"));
            return;
        }
        if let Some(target) = assignment.left.as_simple_assignment_target() {
            self.target(target, if plain { "w" } else { "u" });
        }
        self.visit_expression(&assignment.right);
    }

    fn visit_update_expression(&mut self, update: &UpdateExpression<'a>) {
        if let SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) = &update.argument {
            if let Some(text) = self.writing(identifier, true) {
                self.insert(update.span.start, text);
                self.insert(update.span.end, format!(",{})", identifier.name.as_str()));
            }
            return;
        }
        self.target(&update.argument, "u");
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.walk_loop(&statement.left, &statement.right, &statement.body);
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.walk_loop(&statement.left, &statement.right, &statement.body);
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if property.shorthand {
            if let Expression::Identifier(identifier) = &property.value
                && !matches!(self.variables.home(identifier), Home::Private)
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

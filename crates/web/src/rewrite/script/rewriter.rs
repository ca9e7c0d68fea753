//! What is inserted into a text: calls of the page's helpers around objects, variables and values.

use super::variables::{Home, Variables};
use crate::rewrite::edits::Edit;
use crate::rewrite::sources::Site;
use oxc_ast::ast::{
    BindingIdentifier, ComputedMemberExpression, Expression, FormalParameters, FunctionBody,
    IdentifierReference, PrivateFieldExpression, SimpleAssignmentTarget, StaticMemberExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeId;

/// A text on its way, with what is to be inserted so far.
pub struct Rewriter<'r> {
    text: &'r str,
    pub(super) helper: &'r str,
    pub(super) base: u32,
    first_site: u32,
    pub(super) variables: Variables<'r>,
    pub(super) in_chain: bool,
    /// The member expression that is being called.
    pub(super) as_callee: Option<Span>,
    pub edits: Vec<Edit>,
    pub sites: Vec<Site>,
}

impl<'r> Rewriter<'r> {
    /// Nothing is inserted yet.
    pub fn new(
        text: &'r str,
        helper: &'r str,
        base: u32,
        first_site: u32,
        variables: Variables<'r>,
    ) -> Self {
        Rewriter {
            text,
            helper,
            base,
            first_site,
            variables,
            in_chain: false,
            as_callee: None,
            edits: Vec::new(),
            sites: Vec::new(),
        }
    }

    pub(super) fn insert(&mut self, at: u32, text: String) {
        self.edits.push(Edit { at: self.base + at, remove: 0, insert: text });
    }

    pub(super) fn site(&mut self, at: u32, object: Span) -> u32 {
        let base = self.base;
        self.sites.push(Site {
            file: 0,
            at: base + at,
            object: (base + object.start, base + object.end),
        });
        self.first_site + self.sites.len() as u32 - 1
    }

    /// `name(` before a span; the space keeps it apart from a keyword.
    pub(super) fn open(&mut self, span: Span, name: &str) {
        let text = format!(" {}{name}(", self.helper);
        self.insert(span.start, text);
    }

    /// Texts may share a scope, so their records have names of their own.
    fn record_name(&self, scope: ScopeId) -> String {
        format!("{}S{}_{}", self.helper, self.first_site, scope.index())
    }

    /// `v("x",1,` before and `)` after a read of a variable.
    pub(super) fn read(&mut self, identifier: &IdentifierReference<'_>) {
        if let Some(text) = self.reading(identifier) {
            self.insert(identifier.span.start, text);
            self.insert(identifier.span.end, ")".to_owned());
        }
    }

    /// What stands before the value of a variable that is read.
    pub(super) fn reading(&mut self, identifier: &IdentifierReference<'_>) -> Option<String> {
        let home = self.variables.home(identifier);
        self.call(home, identifier.name.as_str(), identifier.span, ["c", "v"])
    }

    /// What stands before an expression that writes a variable; `both` if it reads it, too.
    pub(super) fn writing(
        &mut self,
        identifier: &IdentifierReference<'_>,
        both: bool,
    ) -> Option<String> {
        let helpers = if both { ["b2", "a2"] } else { ["b", "a"] };
        let home = self.variables.home(identifier);
        self.call(home, identifier.name.as_str(), identifier.span, helpers)
    }

    /// A call that says that a variable has been declared with a value; nothing if nobody else sees it.
    pub(super) fn declaring(&mut self, identifier: &BindingIdentifier<'_>) -> Option<String> {
        let name = identifier.name.as_str();
        let home = self.variables.home_of(identifier.symbol_id());
        let before = self.call(home, name, identifier.span, ["b", "a"])?;
        Some(format!("{before}{name})"))
    }

    /// The beginning of a call for a variable in a record, or for a global one.
    fn call(&mut self, home: Home, name: &str, span: Span, helpers: [&str; 2]) -> Option<String> {
        let [in_record, global] = helpers;
        match home {
            Home::Private => None,
            Home::Global => {
                let site = self.site(span.start, span);
                Some(format!(" {}{global}(\"{name}\",{site},", self.helper))
            }
            Home::Exported(name) => {
                let site = self.site(span.start, span);
                let name = format!("{:?}", format!("exported {name}"));
                Some(format!(" {}{global}({name},{site},", self.helper))
            }
            Home::Record(scope, name) => {
                let site = self.site(span.start, span);
                let record = self.record_name(scope);
                Some(format!(" {}{in_record}({record},\"{name}\",{site},", self.helper))
            }
        }
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
            Expression::Identifier(name) => Variables::is_watched(name.name.as_str()),
            // Within an optional chain only its head may be wrapped: a link that is skipped has no object.
            Expression::StaticMemberExpression(_)
            | Expression::ComputedMemberExpression(_)
            | Expression::CallExpression(_)
            | Expression::PrivateFieldExpression(_) => !self.in_chain,
            _ => true,
        }
    }

    pub(super) fn static_member<'a>(&mut self, member: &StaticMemberExpression<'a>, helper: &str) {
        let key = format!("{:?}", member.property.name.as_str());
        self.wrap_object(&member.object, &key, helper, member.property.span.start);
    }

    pub(super) fn private_member<'a>(&mut self, member: &PrivateFieldExpression<'a>, helper: &str) {
        let key = format!("\"#{}\"", member.field.name.as_str());
        self.wrap_object(&member.object, &key, &format!("p{helper}"), member.field.span.start);
    }

    pub(super) fn computed_member<'a>(
        &mut self,
        member: &ComputedMemberExpression<'a>,
        helper: &str,
    ) {
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

    pub(super) fn outside_chain(&mut self, visit: impl FnOnce(&mut Self)) {
        let chain = std::mem::replace(&mut self.in_chain, false);
        visit(self);
        self.in_chain = chain;
    }

    /// What is assigned to, if it is no variable.
    pub(super) fn target<'a>(&mut self, target: &SimpleAssignmentTarget<'a>, helper: &str) {
        match target {
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.static_member(member, helper);
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                self.computed_member(member, helper);
            }
            SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                self.private_member(member, helper);
            }
            SimpleAssignmentTarget::AssignmentTargetIdentifier(_) => {}
            other => walk::walk_simple_assignment_target(self, other),
        }
    }

    /// A record for the variables of the whole text that closures share. A function that is called before the text runs finds
    /// the name, and no record.
    pub(super) fn enter_text(&mut self, at: u32) {
        let root = self.variables.root();
        if self.variables.open_record(root) {
            let text = format!(";var {}={}n();", self.record_name(root), self.helper);
            self.insert(at, text);
        }
    }

    /// Functions with a block get a record for the variables that closures share, unless their parameters could ask for it before
    /// it is there.
    pub(super) fn enter_function(
        &mut self,
        scope: ScopeId,
        parameters: &FormalParameters<'_>,
        body: &FunctionBody<'_>,
    ) {
        if !super::patterns::are_plain(parameters) || !self.variables.open_record(scope) {
            return;
        }
        let at = body.directives.last().map_or(body.span.start + 1, |directive| directive.span.end);
        let text = format!(";const {}={}n();", self.record_name(scope), self.helper);
        self.insert(at, text);
    }
}

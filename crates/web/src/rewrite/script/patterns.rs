//! Destructuring: which variables a pattern writes, and which properties it reads.

use super::rewriter::Rewriter;
use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern,
    BindingPatternKind, Expression, FormalParameters, PropertyKey,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

/// What a pattern reads of the value that it takes apart.
pub enum Taken {
    /// Properties with these names.
    Keys(Vec<String>),
    /// Everything, or what is known only later.
    All,
}

/// The name of a key that is no expression.
fn name_of(key: &PropertyKey<'_>, computed: bool) -> Option<String> {
    match key {
        _ if computed => None,
        PropertyKey::StaticIdentifier(name) => Some(name.name.to_string()),
        PropertyKey::StringLiteral(text) => Some(text.value.to_string()),
        _ => None,
    }
}

fn taken(keys: impl Iterator<Item = Option<String>>, has_rest: bool) -> Taken {
    match (keys.collect::<Option<Vec<_>>>(), has_rest) {
        (Some(keys), false) => Taken::Keys(keys),
        _ => Taken::All,
    }
}

/// What a declaration takes out of its value; nothing if it keeps it whole.
pub fn taken_by(pattern: &BindingPattern<'_>) -> Option<Taken> {
    match &pattern.kind {
        BindingPatternKind::ObjectPattern(object) => {
            let keys = object.properties.iter().map(|one| name_of(&one.key, one.computed));
            Some(taken(keys, object.rest.is_some()))
        }
        BindingPatternKind::ArrayPattern(_) => Some(Taken::All),
        BindingPatternKind::AssignmentPattern(with_default) => taken_by(&with_default.left),
        BindingPatternKind::BindingIdentifier(_) => None,
    }
}

/// The same for an assignment.
pub fn taken_by_target(target: &AssignmentTarget<'_>) -> Option<Taken> {
    match target {
        AssignmentTarget::ObjectAssignmentTarget(object) => {
            let keys = object.properties.iter().map(|property| match property {
                AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(one) => {
                    Some(one.binding.name.to_string())
                }
                AssignmentTargetProperty::AssignmentTargetPropertyProperty(one) => {
                    name_of(&one.name, one.computed)
                }
            });
            Some(taken(keys, object.rest.is_some()))
        }
        AssignmentTarget::ArrayAssignmentTarget(_) => Some(Taken::All),
        _ => None,
    }
}

/// Can nothing in these parameters see the variables of the function?
pub fn are_plain(parameters: &FormalParameters<'_>) -> bool {
    parameters.items.iter().all(|item| is_plain(&item.pattern))
}

fn is_plain(pattern: &BindingPattern<'_>) -> bool {
    match &pattern.kind {
        BindingPatternKind::BindingIdentifier(_) => true,
        BindingPatternKind::ObjectPattern(object) => {
            object.properties.iter().all(|one| !one.computed && is_plain(&one.value))
        }
        BindingPatternKind::ArrayPattern(array) => array.elements.iter().flatten().all(is_plain),
        BindingPatternKind::AssignmentPattern(with_default) => {
            is_plain(&with_default.left) && is_constant(&with_default.right)
        }
    }
}

fn is_constant(value: &Expression<'_>) -> bool {
    match value {
        Expression::ObjectExpression(object) => object.properties.is_empty(),
        Expression::ArrayExpression(array) => array.elements.is_empty(),
        Expression::Identifier(name) => name.name == "undefined",
        value => value.is_literal(),
    }
}

impl Rewriter<'_> {
    /// A value that is taken apart, or gone through.
    pub(super) fn taken_apart<'a>(&mut self, value: &Expression<'a>, taken: &Taken) {
        let span = value.span();
        let keys = match taken {
            Taken::Keys(keys) => keys.iter().map(|key| format!(",{key:?}")).collect(),
            Taken::All => String::new(),
        };
        self.open(span, if matches!(taken, Taken::All) { "y" } else { "x" });
        self.visit_expression(value);
        let site = self.site(span.start, span);
        self.insert(span.end, format!(",{site}{keys})"));
    }

    /// Wraps the objects of the properties that a pattern writes, and notes the variables that it writes as calls to be made
    /// afterwards.
    pub(super) fn assigned<'a>(&mut self, target: &AssignmentTarget<'a>, calls: &mut Vec<String>) {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(identifier) => {
                let before = self.writing(identifier, false);
                calls.extend(before.map(|before| format!("{before}{})", identifier.name.as_str())));
            }
            AssignmentTarget::ArrayAssignmentTarget(array) => {
                for element in array.elements.iter().flatten() {
                    self.assigned_or_default(element, calls);
                }
                if let Some(rest) = &array.rest {
                    self.assigned(&rest.target, calls);
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(object) => {
                for property in &object.properties {
                    self.assigned_property(property, calls);
                }
                if let Some(rest) = &object.rest {
                    self.assigned(&rest.target, calls);
                }
            }
            other => {
                if let Some(simple) = other.as_simple_assignment_target() {
                    self.target(simple, "w");
                }
            }
        }
    }

    fn assigned_or_default<'a>(
        &mut self,
        target: &AssignmentTargetMaybeDefault<'a>,
        calls: &mut Vec<String>,
    ) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(one) => {
                self.assigned(&one.binding, calls);
                self.visit_expression(&one.init);
            }
            other => {
                if let Some(target) = other.as_assignment_target() {
                    self.assigned(target, calls);
                }
            }
        }
    }

    fn assigned_property<'a>(
        &mut self,
        property: &AssignmentTargetProperty<'a>,
        calls: &mut Vec<String>,
    ) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(one) => {
                let before = self.writing(&one.binding, false);
                calls
                    .extend(before.map(|before| format!("{before}{})", one.binding.name.as_str())));
                if let Some(init) = &one.init {
                    self.visit_expression(init);
                }
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(one) => {
                if let Some(key) = one.name.as_expression().filter(|_| one.computed) {
                    self.visit_expression(key);
                }
                self.assigned_or_default(&one.binding, calls);
            }
        }
    }
}

//! Statements that hold others: branches, loops, functions.

use super::values::innermost;
use super::{Lowering, child_of, children_of};
use crate::code::{
    Arm, Block, Export, Expr, ExprKind, Function, Handler, Parameter, ParameterKind, Statement,
    StatementKind, Target,
};
use std::borrow::Cow;
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    pub(super) fn if_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let Some(test) = node.child_by_field_name("condition") else { return };
        let test = self.value(test);
        block.append(&mut self.first);
        let then = self.block_below(node);
        let mut otherwise =
            child_of(node, "else_clause").map(|clause| self.block_below(clause)).unwrap_or_default();
        let clauses = child_of(node, "elseif_clauses").map(children_of).unwrap_or_default();
        for clause in clauses.into_iter().rev() {
            let Some(test) = clause.child_by_field_name("condition") else { continue };
            let test = self.value(test);
            let mut steps = std::mem::take(&mut self.first);
            let then = self.block_below(clause);
            steps.push(self.step(clause, StatementKind::Branch { test, then, otherwise }));
            otherwise = steps;
        }
        block.push(self.step(node, StatementKind::Branch { test, then, otherwise }));
    }

    pub(super) fn foreach_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let (Some(variable), Some(values)) = (child_of(node, "variable"), child_of(node, "pipeline")) else {
            return;
        };
        let iterable = self.value(values);
        block.append(&mut self.first);
        let body = self.block_below(node);
        let name = self.variable_name(self.slice(variable)).unwrap_or_default();
        let target = Target::Name(self.source.keep(name.into_owned()), self.span(variable));
        block.push(self.step(node, StatementKind::For { target, iterable, body, otherwise: Vec::new() }));
    }

    /// `ForEach-Object { … }` over what comes from the left of the pipe.
    pub(super) fn for_each_object(
        &mut self,
        node: Node<'_>,
        body: Node<'_>,
        elements: Option<Expr<'s>>,
        block: &mut Block<'s>,
    ) {
        let body = self.block_of(body);
        let span = self.span(node);
        let iterable = elements.unwrap_or(Expr { span, kind: super::values::unknown() });
        let target = Target::Name("$_", span);
        block.push(Statement {
            span,
            kind: StatementKind::For { target, iterable, body, otherwise: Vec::new() },
        });
    }

    pub(super) fn while_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        if let Some(first) =
            node.child_by_field_name("for_initializer").and_then(|first| first.named_child(0))
        {
            self.statement(first, block);
        }
        let body = self.block_below(node);
        let test = Expr { span: self.span(node), kind: super::values::unknown() };
        block.push(self.step(node, StatementKind::While { test, body, otherwise: Vec::new() }));
    }

    pub(super) fn switch_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let Some(condition) = child_of(node, "switch_condition") else { return };
        let subject = match child_of(condition, "pipeline") {
            Some(subject) => self.value(subject),
            None => Expr { span: self.span(condition), kind: super::values::unknown() },
        };
        block.append(&mut self.first);
        let clauses = child_of(node, "switch_body").and_then(|body| child_of(body, "switch_clauses"));
        let mut arms = Vec::new();
        for clause in clauses.map(children_of).unwrap_or_default() {
            let Some(pattern) = child_of(clause, "switch_clause_condition") else { continue };
            let always = self.slice(pattern).eq_ignore_ascii_case("default");
            let literals = match pattern.named_child(0) {
                Some(pattern) if !always => {
                    let literal = self.value(pattern);
                    matches!(literal.kind, ExprKind::Text(_) | ExprKind::Int(_)).then_some(literal)
                }
                _ if !always => {
                    let kind = ExprKind::Text(self.slice(pattern).trim().into());
                    Some(Expr { span: self.span(pattern), kind })
                }
                _ => None,
            };
            let body = self.block_below(clause);
            let literals = literals.into_iter().collect();
            arms.push(Arm { literals, always, binds: Vec::new(), pattern: None, guard: None, body });
        }
        self.first.clear();
        // `default` runs when nothing else does, wherever it stands.
        arms.sort_by_key(|arm| arm.always);
        block.push(self.step(node, StatementKind::Match { subject, arms }));
    }

    pub(super) fn try_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let body = self.block_below(node);
        let clauses = child_of(node, "catch_clauses").map(children_of).unwrap_or_default();
        let handlers = clauses
            .into_iter()
            .map(|clause| Handler {
                head: self.span(clause),
                name: None,
                types: Vec::new(),
                import_errors: false,
                body: self.block_below(clause),
            })
            .collect();
        let finally =
            child_of(node, "finally_clause").map(|clause| self.block_below(clause)).unwrap_or_default();
        block.push(self.step(node, StatementKind::Try { body, handlers, otherwise: Vec::new(), finally }));
    }

    pub(super) fn function_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let Some(name) = child_of(node, "function_name") else { return };
        let body = child_of(node, "script_block");
        let declared = child_of(node, "function_parameter_declaration")
            .or_else(|| body.and_then(|body| child_of(body, "param_block")))
            .and_then(|owner| child_of(owner, "parameter_list"));
        let mut parameters = declared.map(|list| self.parameters_of(list)).unwrap_or_default();
        let steps = body.map(|body| self.function_body(body, &mut parameters)).unwrap_or_default();
        self.define(node, name, self.slice(name).into(), parameters, steps, block);
    }

    /// `$block = { … }` runs nothing; `& $block` does.
    pub(super) fn block_as_function(&mut self, node: Node<'_>, name: Cow<'s, str>, block: &mut Block<'s>) {
        let declared = child_of(node, "param_block").and_then(|owner| child_of(owner, "parameter_list"));
        let mut parameters = declared.map(|list| self.parameters_of(list)).unwrap_or_default();
        let steps = self.function_body(node, &mut parameters);
        self.define(node, node, name, parameters, steps, block);
    }

    /// The steps of a function. What it assigns is its own, and ends with it as its parameters do.
    fn function_body(&mut self, body: Node<'_>, parameters: &mut Vec<Parameter<'s>>) -> Block<'s> {
        self.locals.push(Vec::new());
        let steps = self.body_of(body);
        for (name, span) in self.locals.pop().unwrap_or_default() {
            if !parameters.iter().any(|known| known.name == name) {
                let name = self.source.keep(name);
                parameters.push(Parameter { name, span, kind: ParameterKind::KeywordOnly, default: None });
            }
        }
        steps
    }

    /// The steps of a function without those that its parameters stand for.
    fn body_of(&mut self, node: Node<'_>) -> Block<'s> {
        let mut steps = Vec::new();
        for child in children_of(node).into_iter().filter(|child| child.kind() != "param_block") {
            match child.kind() {
                "script_block" => steps.extend(self.body_of(child)),
                _ => self.statement(child, &mut steps),
            }
        }
        steps
    }

    fn define(
        &mut self,
        node: Node<'_>,
        named: Node<'_>,
        name: Cow<'s, str>,
        parameters: Vec<Parameter<'s>>,
        body: Block<'s>,
        block: &mut Block<'s>,
    ) {
        let name = match name {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => self.source.keep(name),
        };
        self.code.functions.push(Function {
            name,
            span: self.span(node),
            name_span: self.span(named),
            parameters,
            body,
            is_async: false,
            is_generator: false,
            mentions_gpu: false,
        });
        let function = self.code.functions.len() - 1;
        block.push(self.step(node, StatementKind::Define { function, decorators: Vec::new() }));
    }

    fn parameters_of(&mut self, list: Node<'_>) -> Vec<Parameter<'s>> {
        let declared = children_of(list).into_iter().filter(|child| child.kind() == "script_parameter");
        let mut parameters = Vec::new();
        for parameter in declared {
            let Some(variable) = child_of(parameter, "variable") else { continue };
            let name = self.variable_name(self.slice(variable)).unwrap_or_default();
            let default =
                child_of(parameter, "script_parameter_default").and_then(|default| default.named_child(0));
            parameters.push(Parameter {
                name: self.source.keep(name.into_owned()),
                span: self.span(variable),
                kind: ParameterKind::Plain,
                default: default.map(|default| self.value(default)),
            });
        }
        // Commands in defaults are of no interest.
        self.first.clear();
        parameters
    }

    /// `param(…)` of a script: whoever starts it may give another value than the default.
    pub(super) fn script_parameters(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let Some(list) = child_of(node, "parameter_list") else { return };
        for parameter in self.parameters_of(list) {
            let Some(mut default) = parameter.default.filter(|default| is_plain(&default.kind)) else {
                continue;
            };
            // Whatever a number is compared with, as text it can be the default of something unknown.
            if let ExprKind::Int(number) = default.kind {
                default.kind = ExprKind::Text(number.to_string().into());
            }
            let name: Cow<'s, str> = parameter.name.into();
            let span = parameter.span;
            let value =
                Expr { span: default.span, kind: ExprKind::VariableOr(name.clone(), Box::new(default)) };
            let kind = self.set(name, span, value, Export::No, false);
            block.push(Statement { span, kind });
        }
    }

    /// The statements of a block that is run where it stands.
    pub(super) fn run_block(&mut self, node: Node<'_>) -> Block<'s> {
        self.block_of(innermost(node))
    }
}

fn is_plain(kind: &ExprKind<'_>) -> bool {
    matches!(kind, ExprKind::Text(_) | ExprKind::Int(_) | ExprKind::Variable(_) | ExprKind::Sequence(_))
}

//! Statements of PowerShell → [`Statement`].

use super::super::command_lines::step_of;
use super::super::nesting_room;
use super::values::innermost;
use super::{Lowering, MAX_DEPTH, child_of, children_of};
use crate::code::{Block, Export, Expr, ExprKind, SetVariable, Statement, StatementKind};
use crate::facts::Span;
use std::borrow::Cow;
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// The steps of the statements below a node.
    pub(super) fn block_of(&mut self, node: Node<'_>) -> Block<'s> {
        let mut block = Vec::new();
        for child in children_of(node) {
            self.statement(child, &mut block);
        }
        block
    }

    pub(super) fn statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        nesting_room(|| self.lower_statement(node, block));
        self.depth -= 1;
    }

    fn lower_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        match node.kind() {
            "param_block" => self.script_parameters(node, block),
            "pipeline" => self.pipeline(node, block),
            "assignment_expression" => self.assignment(node, block),
            "command" => self.command(node, super::commands::Input::default(), block),
            "if_statement" => self.if_statement(node, block),
            "foreach_statement" => self.foreach_statement(node, block),
            "for_statement" | "while_statement" => self.while_statement(node, block),
            "do_statement" => block.extend(self.block_below(node)),
            "switch_statement" => self.switch_statement(node, block),
            "try_statement" => self.try_statement(node, block),
            "function_statement" => self.function_statement(node, block),
            "flow_control_statement" => self.flow_control(node, block),
            "statement_list"
            | "statement_block"
            | "script_block"
            | "script_block_body"
            | "named_block_list"
            | "named_block"
            | "inlinescript_statement"
            | "sequence_statement"
            | "parallel_statement"
            | "program"
            | "ERROR" => {
                let steps = self.block_of(node);
                block.extend(steps);
            }
            // A class or a trap only says what may happen later.
            _ => {}
        }
    }

    /// The steps of the `{ … }` of a statement.
    pub(super) fn block_below(&mut self, node: Node<'_>) -> Block<'s> {
        child_of(node, "statement_block").map(|inner| self.block_of(inner)).unwrap_or_default()
    }

    /// Adds a step behind the commands in its expressions.
    pub(super) fn push(&mut self, step: Statement<'s>, block: &mut Block<'s>) {
        block.append(&mut self.first);
        block.push(step);
    }

    fn pipeline(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let mut otherwise = false;
        for child in children_of(node) {
            match child.kind() {
                "assignment_expression" => self.assignment(child, block),
                "pipeline_chain_tail" => otherwise = self.slice(child) == "||",
                "pipeline_chain" if otherwise => {
                    let mut steps = Vec::new();
                    self.chain(child, &mut steps);
                    let test = Expr { span: self.span(child), kind: super::values::unknown() };
                    let kind = StatementKind::Branch { test, then: Vec::new(), otherwise: steps };
                    self.push(Statement { span: self.span(child), kind }, block);
                }
                "pipeline_chain" => self.chain(child, block),
                _ => self.statement(child, block),
            }
        }
    }

    /// `$env:X = "1"`, `$x = …`
    fn assignment(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let children = children_of(node);
        let (Some(left), Some(operator)) = (children.first(), child_of(node, "assignement_operator")) else {
            return;
        };
        let Some(value) = node.child_by_field_name("value") else { return };
        let target = assigned_variable(*left);
        let name = target.and_then(|variable| self.variable_name(self.slice(variable)));
        let if_unset = self.slice_of(operator.start_byte().saturating_sub(2)..operator.start_byte()) == "??";
        let appends = !matches!(self.slice(operator), "=");
        let inner = innermost(value);
        if let Some(name) = &name
            && name.starts_with('$')
        {
            if inner.kind() == "script_block_expression" {
                return self.block_as_function(inner, name.clone(), block);
            }
            if let Some(literal) = self.literal(inner) {
                self.texts.insert(name.to_string(), literal);
            } else {
                self.texts.remove(&**name);
            }
        }
        let mut value = self.value(value);
        if appends {
            value.kind = ExprKind::Unknown(vec![value_of(value.span, value.kind)]);
        }
        let Some(name) = name else {
            // An item or a property: what its value does is done.
            return self
                .push(Statement { span: self.span(node), kind: StatementKind::Evaluate(value) }, block);
        };
        let kind = if name.starts_with('$') {
            let is_scoped = target.is_some_and(|variable| self.slice(variable).contains(':'));
            if let Some(locals) = self.locals.last_mut().filter(|_| !is_scoped) {
                locals.push((name.to_string(), self.origin.span(left.start_byte(), left.end_byte())));
            }
            self.set(name, self.span(node), value, Export::No, if_unset)
        } else if matches!(value.kind, ExprKind::None) {
            StatementKind::UnsetVariable(name)
        } else {
            self.set(name, self.span(node), value, Export::Yes, if_unset)
        };
        self.push(Statement { span: self.span(node), kind }, block);
    }

    pub(super) fn set(
        &self,
        name: Cow<'s, str>,
        span: Span,
        value: Expr<'s>,
        export: Export,
        only_if_unset: bool,
    ) -> StatementKind<'s> {
        step_of(SetVariable { name, span, value: Some(value), export, only_if_unset }).kind
    }

    fn flow_control(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let word = node.child(0).map_or("", |word| self.slice(word)).to_ascii_lowercase();
        let value = node.named_child(0).map(|value| self.value(value));
        let kind = match word.as_str() {
            "break" => StatementKind::Break,
            "continue" => StatementKind::Continue,
            "return" => StatementKind::Return(value),
            _ => StatementKind::Raise { exception: value, cause: None },
        };
        self.push(Statement { span: self.span(node), kind }, block);
    }
}

fn value_of<'s>(span: Span, kind: ExprKind<'s>) -> Expr<'s> {
    Expr { span, kind }
}

/// The variable that an assignment names; `[string]$x` names `$x`.
fn assigned_variable(left: Node<'_>) -> Option<Node<'_>> {
    let mut node = innermost(left);
    while matches!(node.kind(), "cast_expression" | "expression_with_unary_operator") {
        node = innermost(children_of(node).pop()?);
    }
    (node.kind() == "variable").then_some(node)
}

//! Statements that hold others: lists, pipelines, branches, loops, functions.

use super::super::command_lines::Literal;
use super::Lowering;
use crate::code::{
    Arm, Block, Expr, ExprKind, Function, Parameter, ParameterKind, Statement, StatementKind, Target,
};
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// `a && b`, `a || b`
    pub(super) fn list(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let (Some(left), Some(right)) = (node.named_child(0), node.named_child(1)) else { return };
        let mut cursor = node.walk();
        let or = node.children(&mut cursor).any(|child| child.kind() == "||");
        let is_test = matches!(left.kind(), "test_command" | "negated_command")
            || self.command_name(left) == Some("test");
        if !is_test && !or {
            // What goes on behind `&&` is what the author expects to run.
            self.statement(left, block);
            return self.statement(right, block);
        }
        let test = self.condition(left, block);
        let mut then = Vec::new();
        self.statement(right, &mut then);
        if then.is_empty() {
            return;
        }
        let (then, otherwise) = if or { (Vec::new(), then) } else { (then, Vec::new()) };
        block.push(self.step(node, StatementKind::Branch { test, then, otherwise }));
    }

    /// Each command of a pipeline runs in a shell of its own. `input` is what the first one reads.
    pub(super) fn pipeline(
        &mut self,
        node: Node<'_>,
        first: Option<(Node<'_>, Literal<'s>)>,
        block: &mut Block<'s>,
    ) {
        let mut cursor = node.walk();
        let commands: Vec<_> = node.named_children(&mut cursor).collect();
        let mut input = match first {
            // `cat <<E | python`: what cat reads is what python gets.
            Some((cat, text)) if self.command_name(cat) == Some("cat") => Some(text),
            _ => None,
        };
        for (index, command) in commands.iter().enumerate() {
            if index > 0 && self.mentions_later_steps(*command) {
                let echo = commands[index - 1];
                self.for_later_steps(echo);
                continue;
            }
            let mut steps = Vec::new();
            let reads = input.take();
            input = self.printed(*command);
            match command.kind() {
                "command" => self.command(*command, reads, &mut steps),
                "redirected_statement" if self.command_name_in(*command) == Some("cat") => {
                    input = self.heredoc(*command);
                }
                _ => self.statement(*command, &mut steps),
            }
            if !steps.is_empty() {
                block.push(self.step(*command, StatementKind::Apart(steps)));
            }
        }
    }

    pub(super) fn if_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        let branch = self.branch_from(node, &children, block);
        block.extend(branch);
    }

    /// A branch from its condition to the end of the statement. `children` start at `if` or `elif`.
    pub(super) fn branch_from(
        &mut self,
        node: Node<'_>,
        children: &[Node<'_>],
        block: &mut Block<'s>,
    ) -> Option<Statement<'s>> {
        let then_at = children.iter().position(|child| child.kind() == "then")?;
        let conditions = children[1..then_at].iter().filter(|child| child.is_named()).collect::<Vec<_>>();
        let (last, earlier) = conditions.split_last()?;
        for condition in earlier {
            self.statement(**condition, block);
        }
        let test = self.condition(**last, block);
        let mut then = Vec::new();
        let mut otherwise = Vec::new();
        for (index, child) in children.iter().enumerate().skip(then_at + 1) {
            match child.kind() {
                "elif_clause" => {
                    let mut cursor = child.walk();
                    let mut inner: Vec<_> = child.children(&mut cursor).collect();
                    inner.extend_from_slice(&children[index + 1..]);
                    let nested = self.branch_from(*child, &inner, &mut otherwise);
                    otherwise.extend(nested);
                    break;
                }
                "else_clause" => otherwise = self.deeper_block(*child),
                _ if child.is_named() => self.statement(*child, &mut then),
                _ => {}
            }
        }
        Some(self.step(node, StatementKind::Branch { test, then, otherwise }))
    }

    pub(super) fn for_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let span = self.span(node);
        let Some(variable) = node.child_by_field_name("variable") else { return };
        let name = self.slice(variable);
        let mut cursor = node.walk();
        let values: Vec<_> = node.children_by_field_name("value", &mut cursor).collect();
        let mut elements: Vec<Expr<'s>> = Vec::new();
        let mut known = !values.is_empty();
        let only = values.len() == 1;
        for value in values {
            let element = self.value(value);
            let has_words = match element.kind {
                ExprKind::Variable(_) => true,
                ExprKind::Call(_) | ExprKind::Item(_) => value.kind() != "string",
                _ => false,
            };
            if only && has_words {
                // The words of `$GPUS`, or the elements of an array.
                let body =
                    node.child_by_field_name("body").map(|body| self.deeper_block(body)).unwrap_or_default();
                let target = Target::Name(name, self.span(variable));
                let kind = StatementKind::For { target, iterable: element, body, otherwise: Vec::new() };
                return block.push(Statement { span, kind });
            }
            let numbers = match value.kind() {
                "brace_expression" => self.numbers(value),
                "command_substitution" => self.counted(value),
                _ => None,
            };
            if let Some(numbers) = numbers {
                elements.extend(numbers);
                continue;
            }
            // A bare `$GPUS` may be several words. `scripts/*.py` stands for the files that it fits.
            let written = self.slice(value);
            let is_files = only && is_pattern_of_programs(written);
            let is_plain =
                matches!(element.kind, ExprKind::Text(_)) && (is_files || !written.contains(['*', '{', '?']));
            known &= is_plain;
            elements.push(element);
        }
        block.append(&mut self.substituted);
        let kind = if known { ExprKind::Sequence(elements) } else { ExprKind::Unknown(elements) };
        let body = node.child_by_field_name("body").map(|body| self.deeper_block(body)).unwrap_or_default();
        let target = Target::Name(name, self.span(variable));
        let iterable = Expr { span: self.span(variable), kind };
        block.push(Statement {
            span,
            kind: StatementKind::For { target, iterable, body, otherwise: Vec::new() },
        });
    }

    /// `{0..3}`
    fn numbers(&self, node: Node<'_>) -> Option<Vec<Expr<'s>>> {
        const MOST: i64 = 32;
        let written = self.slice(node).strip_prefix('{')?.strip_suffix('}')?;
        let (first, last) = written.split_once("..")?;
        let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
        let span = self.span(node);
        let few = first <= last && last.checked_sub(first)? < MOST;
        let texts =
            (first..=last).map(|number| Expr { span, kind: ExprKind::Text(number.to_string().into()) });
        few.then(|| texts.collect())
    }

    pub(super) fn case_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let Some(subject) = node.child_by_field_name("value") else { return };
        let subject = self.value(subject);
        block.append(&mut self.substituted);
        let mut arms = Vec::new();
        let mut cursor = node.walk();
        for item in node.named_children(&mut cursor).filter(|child| child.kind() == "case_item") {
            let mut inner = item.walk();
            let patterns: Vec<_> = item.children_by_field_name("value", &mut inner).collect();
            let is_literal = |pattern: &Node<'_>| !self.slice(*pattern).contains(['*', '?', '[', '$']);
            let all_literal = patterns.iter().all(is_literal);
            let always = patterns.iter().any(|pattern| self.slice(*pattern) == "*");
            let literals = if all_literal {
                patterns.iter().map(|pattern| self.value(*pattern)).collect()
            } else {
                Vec::new()
            };
            let mut body = Vec::new();
            let mut inner = item.walk();
            for child in item.named_children(&mut inner).filter(|child| !patterns.contains(child)) {
                self.statement(child, &mut body);
            }
            arms.push(Arm { literals, always, binds: Vec::new(), pattern: None, guard: None, body });
        }
        block.push(self.step(node, StatementKind::Match { subject, arms }));
    }

    pub(super) fn function(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body"))
        else {
            return;
        };
        let mut steps = Vec::new();
        self.locals.push(Vec::new());
        self.statement(body, &mut steps);
        let locals = self.locals.pop().unwrap_or_default();
        let local = |(name, span)| Parameter { name, span, kind: ParameterKind::KeywordOnly, default: None };
        self.code.functions.push(Function {
            name: self.slice(name),
            span: self.span(node),
            name_span: self.span(name),
            // A shell function has no parameters but what it calls local: names that end with it.
            parameters: locals.into_iter().map(local).collect(),
            body: steps,
            is_async: false,
            is_generator: false,
            mentions_gpu: false,
        });
        let function = self.code.functions.len() - 1;
        block.push(self.step(node, StatementKind::Define { function, decorators: Vec::new() }));
    }
}

/// `scripts/*.py`: one star in the name of what can be started.
fn is_pattern_of_programs(word: &str) -> bool {
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", word));
    let is_program = [".py", ".ipynb", ".sh"].iter().any(|ending| name.ends_with(ending));
    is_program
        && name.matches('*').count() == 1
        && !word.contains(['{', '?', '[', '$'])
        && !folder.contains('*')
}

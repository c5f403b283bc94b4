//! Expressions → [`Expr`]. Commands in them run before the statement that they stand in.

use super::{Lowering, MAX_DEPTH, child_of, children_of};
use crate::code::{Comparison, Expr, ExprKind, Operator};
use std::borrow::Cow;
use tree_sitter::Node;

/// Longer ranges are not written out.
const LONGEST_RANGE: i64 = 32;

/// The node below those that only say how strongly operators bind.
pub(super) fn innermost(mut node: Node<'_>) -> Node<'_> {
    const WRAPPERS: &[&str] =
        &["pipeline", "pipeline_chain", "left_assignment_expression", "argument_expression"];
    const BINDING: &[&str] = &["_expression", "_argument_expression"];
    while node.named_child_count() == 1
        && (WRAPPERS.contains(&node.kind()) || BINDING.iter().any(|end| node.kind().ends_with(end)))
        && !matches!(
            node.kind(),
            "parenthesized_expression"
                | "sub_expression"
                | "array_expression"
                | "script_block_expression"
                | "hash_literal_expression"
                | "cast_expression"
                | "invokation_expression"
                | "post_increment_expression"
                | "pre_increment_expression"
                | "post_decrement_expression"
                | "pre_decrement_expression"
        )
        && let Some(child) = node.named_child(0)
        // `,x` and the like have a sign that is no node of its own.
        && child.byte_range() == node.byte_range()
    {
        node = child;
    }
    node
}

impl<'s> Lowering<'s, '_> {
    pub(super) fn value(&mut self, node: Node<'_>) -> Expr<'s> {
        let span = self.span(node);
        if self.depth >= MAX_DEPTH {
            return Expr { span, kind: ExprKind::Unknown(Vec::new()) };
        }
        self.depth += 1;
        let kind = super::super::nesting_room(|| self.kind_of(innermost(node)));
        self.depth -= 1;
        Expr { span, kind }
    }

    fn kind_of(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let children = children_of(node);
        match node.kind() {
            "variable" | "braced_variable" => self.variable(self.slice(node)),
            "string_literal" => match children.first() {
                Some(string) => self.kind_of(*string),
                None => unknown(),
            },
            "expandable_string_literal" | "expandable_here_string_literal" => self.expandable(node),
            "verbatim_string_characters" | "verbatim_here_string_characters" => self.verbatim(node),
            "integer_literal" | "decimal_integer_literal" => {
                self.slice(node).parse().map_or_else(|_| unknown(), ExprKind::Int)
            }
            "real_literal" | "generic_token" | "simple_name" => ExprKind::Text(self.slice(node).into()),
            "parenthesized_expression" | "sub_expression" => self.result_of(node),
            "array_expression" => match self.result_of(node) {
                list @ ExprKind::Sequence(_) => list,
                ExprKind::Unknown(parts) => ExprKind::Unknown(parts),
                only => ExprKind::Sequence(vec![Expr { span: self.span(node), kind: only }]),
            },
            "array_literal_expression" => {
                ExprKind::Sequence(children.into_iter().map(|child| self.value(child)).collect())
            }
            "range_expression" | "range_argument_expression" => self.range(&children),
            "additive_expression" | "additive_argument_expression" => self.sum(node, &children),
            "comparison_expression" | "comparison_argument_expression" => self.comparison(&children),
            "logical_expression" | "logical_argument_expression" => {
                let operator = node.child(1).map_or("", |operator| self.slice(operator)).to_ascii_lowercase();
                let sides = children.iter().map(|side| self.value(*side)).collect();
                match operator.as_str() {
                    "-and" => ExprKind::All(sides),
                    "-or" => ExprKind::Any(sides),
                    _ => ExprKind::Unknown(sides),
                }
            }
            "format_expression" | "format_argument_expression" => self.coalesced(&children),
            "cast_expression" => match children.last() {
                Some(operand) => self.value(*operand).kind,
                None => unknown(),
            },
            "expression_with_unary_operator" => self.unary(node, &children),
            "invokation_expression" => self.invocation(node, &children),
            "member_access" | "element_access" => {
                let parts = children.first().map(|object| self.value(*object));
                ExprKind::Unknown(parts.into_iter().collect())
            }
            "pipeline" | "pipeline_chain" => self.result_of_statement(node),
            "command" => self.result_of_command(node),
            "if_statement" => self.choice(node),
            _ => unknown(),
        }
    }

    /// `$gpu`, `$env:X`, `${x}`
    pub(super) fn variable(&self, written: &'s str) -> ExprKind<'s> {
        match self.variable_name(written) {
            None => unknown(),
            Some(name) => match &*name {
                "$null" => ExprKind::None,
                "$true" => ExprKind::Bool(true),
                "$false" => ExprKind::Bool(false),
                _ => ExprKind::Variable(name),
            },
        }
    }

    /// The name under which a variable is kept; `None` for `@splatted`.
    pub(super) fn variable_name(&self, written: &'s str) -> Option<Cow<'s, str>> {
        let name = written.strip_prefix('$')?;
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        if let Some((scope, name)) = name.split_once(':') {
            if scope.eq_ignore_ascii_case("env") {
                return Some(capitals(name));
            }
            return Some(format!("${}", name.to_ascii_lowercase()).into());
        }
        Some(format!("${}", name.to_ascii_lowercase()).into())
    }

    /// What `( … )` or `$( … )` comes to: the value of its only statement.
    fn result_of(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let inner = child_of(node, "statement_list").unwrap_or(node);
        match children_of(inner)[..] {
            [only] => self.value(only).kind,
            _ => {
                let outer = std::mem::take(&mut self.first);
                let steps = self.block_of(inner);
                self.first = outer;
                self.first.extend(steps);
                unknown()
            }
        }
    }

    /// A pipeline of several commands: they run, and what they print is not known.
    fn result_of_statement(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let outer = std::mem::take(&mut self.first);
        let mut steps = Vec::new();
        self.statement(node, &mut steps);
        self.first = outer;
        self.first.extend(steps);
        unknown()
    }

    fn result_of_command(&mut self, node: Node<'_>) -> ExprKind<'s> {
        match self.command_name(node).as_deref() {
            Some("test-path") => {
                let arguments = self.arguments(node);
                let path = arguments.iter().find_map(|argument| argument.env_variable());
                path.map_or_else(unknown, |name| ExprKind::Variable(capitals_owned(&name)))
            }
            Some("join-path") => {
                let arguments = self.arguments(node);
                let mut parts = Vec::new();
                for argument in arguments.into_iter().filter(|argument| !argument.is_parameter()) {
                    if !parts.is_empty() {
                        parts.push(Expr { span: argument.expr.span, kind: ExprKind::Text("/".into()) });
                    }
                    parts.push(argument.expr);
                }
                ending_together(parts)
            }
            _ => self.result_of_statement(node),
        }
    }

    /// `if (…) {"1"} else {"0"}` as a value.
    fn choice(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let blocks = [Some(node), child_of(node, "else_clause")];
        let values: Vec<Node<'_>> = blocks
            .into_iter()
            .flatten()
            .filter_map(|owner| {
                child_of(child_of(owner, "statement_block")?, "statement_list")?.named_child(0)
            })
            .collect();
        match (node.child_by_field_name("condition"), &values[..], child_of(node, "elseif_clauses")) {
            (Some(test), [then, otherwise], None) => {
                let parts = (self.value(test), self.value(*then), self.value(*otherwise));
                ExprKind::Choice(Box::new(parts))
            }
            _ => self.result_of_statement(node),
        }
    }

    fn range(&mut self, sides: &[Node<'_>]) -> ExprKind<'s> {
        let number = |side: Option<&Node<'_>>| self.slice(*side?).parse::<i64>().ok();
        match (number(sides.first()), number(sides.get(1))) {
            (Some(first), Some(last)) if first <= last && last - first < LONGEST_RANGE => {
                let span = self.span(sides[0]);
                let numbers = (first..=last).map(|number| Expr { span, kind: ExprKind::Int(number) });
                ExprKind::Sequence(numbers.collect())
            }
            _ => unknown(),
        }
    }

    fn sum(&mut self, node: Node<'_>, sides: &[Node<'_>]) -> ExprKind<'s> {
        let operator = node.child(1).map_or("", |operator| self.slice(operator));
        let [left, right] = sides else { return unknown() };
        if operator == ":" {
            // `test ? then : otherwise`, which is read as two sums.
            let left = innermost(*left);
            if left.child(1).is_some_and(|operator| self.slice(operator) == "?")
                && let [test, then] = children_of(left)[..]
            {
                let parts = (self.value(test), self.value(then), self.value(*right));
                return ExprKind::Choice(Box::new(parts));
            }
        }
        let sides = (self.value(*left), self.value(*right));
        match operator {
            "+" => ExprKind::Binary(Operator::Add, Box::new(sides)),
            _ => ExprKind::Unknown(vec![sides.0, sides.1]),
        }
    }

    fn comparison(&mut self, children: &[Node<'_>]) -> ExprKind<'s> {
        let [left, operator, right] = children else { return unknown() };
        let operator = self.slice(*operator).to_ascii_lowercase();
        let (left, right) = (self.value(*left), self.value(*right));
        let comparison = match operator.as_str() {
            "-eq" | "-ieq" | "-ceq" => Comparison::Equal,
            "-ne" | "-ine" | "-cne" => Comparison::NotEqual,
            "-join" => return joined(left, &right),
            _ => return ExprKind::Unknown(vec![left, right]),
        };
        // `$null -eq $env:X` is what linters of PowerShell ask for.
        let constant = |side: &Expr<'_>| matches!(side.kind, ExprKind::None | ExprKind::Text(_));
        let sides = if constant(&left) && !constant(&right) { (right, left) } else { (left, right) };
        ExprKind::Compare(comparison, Box::new(sides))
    }

    /// `$x ?? "0"`, which is read as a `-f`.
    fn coalesced(&mut self, children: &[Node<'_>]) -> ExprKind<'s> {
        let [left, operator, right] = children else { return unknown() };
        let is_coalescing = self.slice(*operator) == "??";
        let (left, right) = (self.value(*left), self.value(*right));
        match left.kind {
            ExprKind::Variable(name) if is_coalescing => ExprKind::VariableOr(name, Box::new(right)),
            kind => ExprKind::Unknown(vec![Expr { kind, ..left }, right]),
        }
    }

    fn unary(&mut self, node: Node<'_>, children: &[Node<'_>]) -> ExprKind<'s> {
        let operator = node.child(0).filter(|child| !child.is_named());
        let operator = operator.map_or("", |operator| self.slice(operator)).to_ascii_lowercase();
        let Some(operand) = children.last() else { return unknown() };
        match operator.as_str() {
            "" if operand.kind() == "cast_expression" => self.value(*operand).kind,
            "-not" | "!" => ExprKind::Not(Box::new(self.value(*operand))),
            "," => ExprKind::Sequence(vec![self.value(*operand)]),
            "-" => ExprKind::Negate(Box::new(self.value(*operand))),
            _ => ExprKind::Unknown(vec![self.value(*operand)]),
        }
    }

    /// `[string]::IsNullOrEmpty($x)`, `$gpu.ToString()`
    fn invocation(&mut self, node: Node<'_>, children: &[Node<'_>]) -> ExprKind<'s> {
        let member =
            child_of(node, "member_name").map_or("", |member| self.slice(member)).to_ascii_lowercase();
        let mut arguments = self.call_arguments(node);
        let is_static = children.first().is_some_and(|object| object.kind() == "type_literal");
        match member.as_str() {
            "isnullorempty" | "isnullorwhitespace" if is_static && arguments.len() == 1 => {
                ExprKind::Not(Box::new(arguments.remove(0)))
            }
            "getenvironmentvariable" if is_static && arguments.len() == 1 => match &arguments[0].kind {
                ExprKind::Text(name) => ExprKind::Variable(capitals_owned(name)),
                _ => ExprKind::Unknown(arguments),
            },
            "tostring" | "trim" if !is_static && arguments.is_empty() && !children.is_empty() => {
                self.value(children[0]).kind
            }
            _ => {
                let object = children.first().filter(|_| !is_static).map(|object| self.value(*object));
                arguments.extend(object);
                ExprKind::Unknown(arguments)
            }
        }
    }

    /// The arguments of `Type::Method(…)`.
    pub(super) fn call_arguments(&mut self, node: Node<'_>) -> Vec<Expr<'s>> {
        let list =
            child_of(node, "argument_list").and_then(|list| child_of(list, "argument_expression_list"));
        list.map(children_of).unwrap_or_default().into_iter().map(|argument| self.value(argument)).collect()
    }
}

pub(super) fn unknown<'s>() -> ExprKind<'s> {
    ExprKind::Unknown(Vec::new())
}

/// A name of the environment, as Windows compares them.
pub(super) fn capitals(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        name.to_ascii_uppercase().into()
    } else {
        name.into()
    }
}

pub(super) fn capitals_owned<'s>(name: &str) -> Cow<'s, str> {
    name.to_ascii_uppercase().into()
}

/// Parts of a path, so that its known end is one text.
fn ending_together(mut parts: Vec<Expr<'_>>) -> ExprKind<'_> {
    let mut end = String::new();
    let mut span = None;
    while let Some(Expr { kind: ExprKind::Text(_), .. }) = parts.last() {
        let Some(Expr { span: at, kind: ExprKind::Text(text) }) = parts.pop() else { break };
        end.insert_str(0, &text);
        span.get_or_insert(at);
    }
    match (parts.is_empty(), span) {
        (true, _) => ExprKind::Text(end.into()),
        (false, Some(span)) => {
            parts.push(Expr { span, kind: ExprKind::Text(end.into()) });
            ExprKind::Join(parts)
        }
        (false, None) => ExprKind::Join(parts),
    }
}

/// `"0","1" -join ","`
fn joined<'s>(list: Expr<'s>, separator: &Expr<'s>) -> ExprKind<'s> {
    let (ExprKind::Sequence(elements), ExprKind::Text(between)) = (list.kind, &separator.kind) else {
        return unknown();
    };
    let mut parts = Vec::new();
    for element in elements {
        if !parts.is_empty() {
            parts.push(Expr { span: separator.span, kind: ExprKind::Text(between.clone()) });
        }
        parts.push(element);
    }
    ExprKind::Join(parts)
}

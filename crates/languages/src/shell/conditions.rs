//! Conditions: `[ -z "$X" ]`, `[[ $A == b ]]`, `test -n "$X"`. Whether a command succeeds is not known.

use super::Lowering;
use crate::code::{Block, Comparison, Expr, ExprKind};
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// What decides a branch; commands that run for it are added to `block`.
    pub(super) fn condition(&mut self, node: Node<'_>, block: &mut Block<'s>) -> Expr<'s> {
        let span = self.span(node);
        let kind = match node.kind() {
            "test_command" => match node.named_child(0) {
                Some(inner) => return self.test(inner),
                None => ExprKind::Unknown(Vec::new()),
            },
            "negated_command" => match node.named_child(0) {
                Some(inner) => ExprKind::Not(Box::new(self.condition(inner, block))),
                None => ExprKind::Unknown(Vec::new()),
            },
            "list" => {
                let sides = [node.named_child(0), node.named_child(1)];
                let sides = sides.into_iter().flatten().map(|side| self.condition(side, block)).collect();
                match node.child(1).map(|operator| operator.kind()) {
                    Some("||") => ExprKind::Any(sides),
                    _ => ExprKind::All(sides),
                }
            }
            "command" if self.command_name(node) == Some("test") => return self.test_words(node),
            _ => {
                self.statement(node, block);
                ExprKind::Unknown(Vec::new())
            }
        };
        Expr { span, kind }
    }

    /// What stands between `[` and `]`.
    fn test(&mut self, node: Node<'_>) -> Expr<'s> {
        let span = self.span(node);
        let kind = match node.kind() {
            "unary_expression" => {
                let operator =
                    node.child_by_field_name("operator").map_or("", |operator| self.slice(operator));
                let mut cursor = node.walk();
                let operand = node.named_children(&mut cursor).find(|child| child.kind() != "test_operator");
                match (operator, operand) {
                    ("-z", Some(operand)) => ExprKind::Not(Box::new(self.present(operand))),
                    ("-n" | "-v", Some(operand)) => return self.present(operand),
                    ("!", Some(operand)) => ExprKind::Not(Box::new(self.test(operand))),
                    _ => ExprKind::Unknown(Vec::new()),
                }
            }
            "binary_expression" => {
                let side = |name: &str| node.child_by_field_name(name);
                let (Some(left), Some(right)) = (side("left"), side("right")) else {
                    return Expr { span, kind: ExprKind::Unknown(Vec::new()) };
                };
                let operator = side("operator").map_or("", |operator| self.slice(operator));
                match operator {
                    "&&" | "-a" => ExprKind::All(vec![self.test(left), self.test(right)]),
                    "||" | "-o" => ExprKind::Any(vec![self.test(left), self.test(right)]),
                    _ => match comparison(operator) {
                        Some(comparison) => {
                            let sides = (self.value(left), self.value(right));
                            ExprKind::Compare(comparison, Box::new(sides))
                        }
                        None => ExprKind::Unknown(Vec::new()),
                    },
                }
            }
            "parenthesized_expression" => match node.named_child(0) {
                Some(inner) => return self.test(inner),
                None => ExprKind::Unknown(Vec::new()),
            },
            _ => return self.present(node),
        };
        Expr { span, kind }
    }

    /// `test` with its arguments as words.
    fn test_words(&mut self, node: Node<'_>) -> Expr<'s> {
        let span = self.span(node);
        let mut cursor = node.walk();
        let words: Vec<_> = node.children_by_field_name("argument", &mut cursor).collect();
        let negated = words.first().is_some_and(|word| self.slice(*word) == "!");
        let words = &words[usize::from(negated)..];
        let test = match words {
            [operator, operand] => match self.slice(*operator) {
                "-z" => {
                    let present = self.present(*operand);
                    Expr { span, kind: ExprKind::Not(Box::new(present)) }
                }
                "-n" => self.present(*operand),
                _ => Expr { span, kind: ExprKind::Unknown(Vec::new()) },
            },
            [left, operator, right] => match comparison(self.slice(*operator)) {
                Some(comparison) => {
                    let sides = (self.value(*left), self.value(*right));
                    Expr { span, kind: ExprKind::Compare(comparison, Box::new(sides)) }
                }
                None => Expr { span, kind: ExprKind::Unknown(Vec::new()) },
            },
            [only] => self.present(*only),
            _ => Expr { span, kind: ExprKind::Unknown(Vec::new()) },
        };
        if negated { Expr { span, kind: ExprKind::Not(Box::new(test)) } } else { test }
    }

    /// Whether a value is not empty; `${X+x}` asks whether X is set.
    fn present(&mut self, node: Node<'_>) -> Expr<'s> {
        let inner =
            if node.kind() == "string" && node.named_child_count() == 1 { node.named_child(0) } else { None };
        let expansion = inner.unwrap_or(node);
        if expansion.kind() == "expansion"
            && let Some(name) = expansion.named_child(0).filter(|name| name.kind() == "variable_name")
            && expansion
                .child_by_field_name("operator")
                .is_some_and(|operator| matches!(self.slice(operator), "+" | ":+" | "-" | ":-"))
        {
            let kind = ExprKind::Variable(self.slice(name).into());
            return Expr { span: self.span(node), kind };
        }
        self.value(node)
    }
}

fn comparison(operator: &str) -> Option<Comparison> {
    match operator {
        "=" | "==" | "-eq" => Some(Comparison::Equal),
        "!=" | "-ne" => Some(Comparison::NotEqual),
        _ => None,
    }
}

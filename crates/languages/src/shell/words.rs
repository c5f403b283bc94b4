//! Words and what the shell makes of them: quotes, `$X`, `${X:-value}`.

use super::super::command_lines::{Literal, Word};
use super::super::embedded::{Extract, Origin, text_kind};
use super::Lowering;
use crate::code::{Expr, ExprKind, StatementKind};
use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// A word with what a program gets from it.
    pub(super) fn word(&mut self, node: Node<'_>) -> Word<'s> {
        Word { literal: self.literal(node), expr: self.value(node) }
    }

    /// The value of a word.
    pub(super) fn value(&mut self, node: Node<'_>) -> Expr<'s> {
        let span = self.span(node);
        let kind = match node.kind() {
            "word" | "number" | "extglob_pattern" | "variable_name" | "test_operator" | "regex" => {
                text_kind(without_backslashes(self.slice(node)), span)
            }
            "raw_string" => {
                let text = self.slice(node);
                text_kind(text.get(1..text.len().saturating_sub(1)).unwrap_or_default().into(), span)
            }
            "string" | "concatenation" => self.joined(node),
            "command_name" => match node.named_child(0) {
                Some(only) if node.named_child_count() == 1 => return self.value(only),
                _ => ExprKind::Text(self.slice(node).into()),
            },
            // `GPUS=(0 1)`
            "array" => {
                let mut cursor = node.walk();
                let elements: Vec<_> = node.named_children(&mut cursor).collect();
                ExprKind::Sequence(elements.into_iter().map(|element| self.value(element)).collect())
            }
            "simple_expansion" => self.variable(node),
            "expansion" => self.expansion(node),
            "command_substitution" | "process_substitution" => {
                if let Some(translated) = self.translated(node) {
                    return Expr { span, kind: translated };
                }
                self.substitution(node);
                ExprKind::Unknown(Vec::new())
            }
            _ => ExprKind::Unknown(Vec::new()),
        };
        Expr { span, kind }
    }

    /// `"a $X b"`, and words written together.
    fn joined(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let mut parts: Vec<Expr<'s>> = Vec::new();
        let is_string = node.kind() == "string";
        let mut end = node.start_byte() + usize::from(is_string);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            // Blanks between expansions are in no node.
            self.add_blanks(is_string, end..child.start_byte(), &mut parts);
            end = child.end_byte();
            if child.kind() == "string_content" {
                let span = self.span(child);
                parts.push(Expr { span, kind: text_kind(unescaped(self.slice(child)), span) });
            } else {
                let part = self.value(child);
                parts.push(part);
            }
        }
        self.add_blanks(is_string, end..node.end_byte().saturating_sub(usize::from(is_string)), &mut parts);
        match parts.len() {
            0 => ExprKind::Text("".into()),
            1 => parts.swap_remove(0).kind,
            _ if parts.iter().all(|part| matches!(part.kind, ExprKind::Text(_))) => {
                let text: String = parts
                    .iter()
                    .map(|part| if let ExprKind::Text(text) = &part.kind { &**text } else { "" })
                    .collect();
                ExprKind::Text(text.into())
            }
            _ => ExprKind::Join(parts),
        }
    }

    fn add_blanks(&self, is_string: bool, range: Range<usize>, parts: &mut Vec<Expr<'s>>) {
        let blanks = self.text.get(range.clone()).unwrap_or_default();
        if is_string && !blanks.is_empty() && blanks.chars().all(char::is_whitespace) {
            parts.push(Expr { span: self.span_of(range), kind: ExprKind::Text(blanks.into()) });
        }
    }

    /// `$X`
    fn variable(&self, node: Node<'_>) -> ExprKind<'s> {
        match node.named_child(0) {
            Some(name) if name.kind() == "variable_name" => ExprKind::Variable(self.slice(name).into()),
            // All arguments of a function.
            Some(name) if self.slice(name) == "@" => ExprKind::Variable("@".into()),
            _ => ExprKind::Unknown(Vec::new()),
        }
    }

    /// `${X}`, `${X:-value}`, and the many others, of which nothing is known.
    fn expansion(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        if let [subscript] = children[..]
            && subscript.kind() == "subscript"
            && self.slice(node).starts_with("${")
            && !self.slice(node).starts_with(['#', '!'])
        {
            return self.element(subscript);
        }
        let Some(name) = children.first().filter(|name| name.kind() == "variable_name") else {
            return ExprKind::Unknown(Vec::new());
        };
        if let Some(edited) = self.edited(node, *name) {
            return edited;
        }
        let name = Cow::Borrowed(self.slice(*name));
        let operator = node.child_by_field_name("operator").map(|operator| self.slice(operator));
        match (operator, children.get(1)) {
            (None, None) => ExprKind::Variable(name),
            (Some(":-" | "-" | ":=" | "="), Some(default)) => {
                let default = self.value(*default);
                ExprKind::VariableOr(name, Box::new(default))
            }
            (Some(":-" | "-" | ":=" | "="), None) => {
                let empty = Expr { span: self.span(node), kind: ExprKind::Text("".into()) };
                ExprKind::VariableOr(name, Box::new(empty))
            }
            (Some(":?" | "?"), _) => ExprKind::Variable(name),
            _ => ExprKind::Unknown(Vec::new()),
        }
    }

    /// `${GPUS[0]}`, `${GPUS[@]}`
    fn element(&mut self, subscript: Node<'_>) -> ExprKind<'s> {
        let part = |name: &str| subscript.child_by_field_name(name).map(|part| self.slice(part));
        let (Some(name), Some(index)) = (part("name"), part("index")) else {
            return ExprKind::Unknown(Vec::new());
        };
        let array = Expr { span: self.span(subscript), kind: ExprKind::Variable(name.into()) };
        match index {
            "@" | "*" => array.kind,
            _ => match index.parse::<i64>() {
                Ok(index) => {
                    let index = Expr { span: self.span(subscript), kind: ExprKind::Int(index) };
                    ExprKind::Item(Box::new((array, index)))
                }
                Err(_) => ExprKind::Unknown(Vec::new()),
            },
        }
    }

    /// `$(commands)`: they run before the statement, in a shell of their own.
    fn substitution(&mut self, node: Node<'_>) {
        let outer = std::mem::take(&mut self.substituted);
        let steps = self.deeper_block(node);
        self.substituted = outer;
        if !steps.is_empty() {
            let step = self.step(node, StatementKind::Apart(steps));
            self.substituted.push(step);
        }
    }

    /// What a program gets from a word without expansions, byte for byte traceable.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<Literal<'s>> {
        match node.kind() {
            "raw_string" => self.literal_of(node.start_byte() + 1..node.end_byte().saturating_sub(1)),
            "word" | "number" | "heredoc_body" => self.literal_of(node.byte_range()),
            // `--wrap="python train.py"`
            "concatenation" => {
                let mut cursor = node.walk();
                let mut extract = Extract::default();
                for part in node.named_children(&mut cursor) {
                    let inside = match part.kind() {
                        "word" | "number" => part.byte_range(),
                        "string" | "raw_string" if !self.slice(part).contains(['\\', '$', '`']) => {
                            part.start_byte() + 1..part.end_byte().saturating_sub(1)
                        }
                        _ => return None,
                    };
                    extract.push(self.text.get(inside.clone())?, inside.start);
                }
                let (text, part) = extract.finish();
                Some(Literal { text: self.source.keep(text), origin: self.origin.of_part(&part) })
            }
            "string" => {
                let mut cursor = node.walk();
                let plain = node.named_children(&mut cursor).all(|child| child.kind() == "string_content");
                if !plain {
                    return None;
                }
                let range = node.start_byte() + 1..node.end_byte().saturating_sub(1);
                let raw = self.text.get(range.clone())?;
                if !raw.contains('\\') {
                    return self.literal_of(range);
                }
                let mut extract = Extract::default();
                let mut rest = 0;
                while let Some(at) = raw[rest..].find('\\') {
                    let at = rest + at;
                    extract.push(&raw[rest..at], range.start + rest);
                    let next = raw[at + 1..].chars().next();
                    rest = match next {
                        // Only before these is a backslash taken away.
                        Some('\n') => at + 2,
                        Some('"' | '$' | '`' | '\\') => {
                            extract.push(&raw[at + 1..at + 2], range.start + at + 1);
                            at + 2
                        }
                        _ => {
                            extract.push("\\", range.start + at);
                            at + 1
                        }
                    };
                }
                extract.push(&raw[rest..], range.start + rest);
                let (text, part) = extract.finish();
                Some(Literal { text: self.source.keep(text), origin: self.origin.of_part(&part) })
            }
            _ => None,
        }
    }

    fn literal_of(&self, range: Range<usize>) -> Option<Literal<'s>> {
        let text = self.text.get(range.clone())?;
        Some(Literal { text, origin: self.origin.of_part(&Origin::from(range.start)) })
    }
}

/// What a bare word is without its backslashes.
fn without_backslashes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.extend(characters.next().filter(|next| *next != '\n')),
            character => plain.push(character),
        }
    }
    plain.into()
}

/// What stands between double quotes, as the shell sees it.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\'
            && let Some(next) = characters.next_if(|next| matches!(next, '"' | '$' | '`' | '\\' | '\n'))
        {
            plain.extend((next != '\n').then_some(next));
        } else {
            plain.push(character);
        }
    }
    plain.into()
}

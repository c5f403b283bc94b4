//! The arguments of a command: words for a program, parameters for a cmdlet.

use super::super::command_lines::{Literal, Word};
use super::values::innermost;
use super::{Lowering, child_of, children_of};
use crate::code::{Expr, ExprKind};
use crate::commands::is_variable_name;
use std::borrow::Cow;
use tree_sitter::Node;

/// An argument as it is written.
pub(super) struct Argument<'s, 't> {
    pub expr: Expr<'s>,
    pub literal: Option<Literal<'s>>,
    pub written: &'s str,
    pub node: Node<'t>,
}

/// Arguments of a cmdlet, sorted into those with a name and those without.
pub(super) struct Parameters<'s, 't> {
    named: Vec<(String, Option<Argument<'s, 't>>)>,
    pub positional: Vec<Argument<'s, 't>>,
}

impl<'s> Argument<'s, '_> {
    /// `-Name`
    pub fn is_parameter(&self) -> bool {
        let name = self.written.strip_prefix('-').unwrap_or_default();
        self.node.kind() == "command_parameter" && name.starts_with(|first: char| first.is_ascii_alphabetic())
    }

    /// `Env:X`, `Env:\X`
    pub fn env_variable(&self) -> Option<String> {
        env_variable(match &self.expr.kind {
            ExprKind::Text(text) => text,
            _ => self.written,
        })
    }

    /// The block of `{ … }`.
    pub fn block(&self) -> Option<Node<'_>> {
        let inner = innermost(self.node);
        (inner.kind() == "script_block_expression").then_some(inner)
    }
}

/// The variable of a path into the drive of the environment.
pub(super) fn env_variable(path: &str) -> Option<String> {
    let path = path.trim_matches(['"', '\'']);
    let name = path.get(..4).filter(|drive| drive.eq_ignore_ascii_case("env:")).map(|_| &path[4..])?;
    let name = name.trim_start_matches(['\\', '/']);
    is_variable_name(name).then(|| name.to_ascii_uppercase())
}

impl<'s, 't> Parameters<'s, 't> {
    /// Takes the value of a parameter, by its name or a beginning of it that is long enough to be one.
    pub fn take(&mut self, name: &str) -> Option<Argument<'s, 't>> {
        let at = self
            .named
            .iter()
            .position(|(written, _)| written.len() > 1 && name.starts_with(written.as_str()))?;
        self.named.swap_remove(at).1
    }

    /// Takes the value of a parameter, or the next one without a name.
    pub fn take_or_next(&mut self, name: &str) -> Option<Argument<'s, 't>> {
        self.take(name).or_else(|| (!self.positional.is_empty()).then(|| self.positional.remove(0)))
    }
}

/// Sorts arguments; the `switches` take no value.
pub(super) fn parameters<'s, 't>(arguments: Vec<Argument<'s, 't>>, switches: &[&str]) -> Parameters<'s, 't> {
    let mut sorted = Parameters { named: Vec::new(), positional: Vec::new() };
    let mut waiting = false;
    for argument in arguments {
        if argument.is_parameter() {
            let name = argument.written[1..].trim_end_matches(':').to_ascii_lowercase();
            waiting = !switches.contains(&name.as_str());
            sorted.named.push((name, None));
        } else if waiting && let Some((_, value)) = sorted.named.last_mut() {
            *value = Some(argument);
            waiting = false;
        } else {
            sorted.positional.push(argument);
        }
    }
    sorted
}

impl<'s> Lowering<'s, '_> {
    /// The arguments of a command, without redirections.
    pub(super) fn arguments<'t>(&mut self, command: Node<'t>) -> Vec<Argument<'s, 't>> {
        let mut arguments: Vec<Argument<'s, 't>> = Vec::new();
        let elements = child_of(command, "command_elements").map(children_of).unwrap_or_default();
        let mut end = 0;
        let mut covered = 0;
        for node in elements {
            if matches!(node.kind(), "command_argument_sep" | "redirection" | "comment" | "argument_list")
                || node.start_byte() < covered
            {
                continue;
            }
            if node.kind() == "stop_parsing" {
                let at = self.slice(node);
                for word in at.split_whitespace().skip(1) {
                    let kind = ExprKind::Text(word.into());
                    let expr = Expr { span: self.span(node), kind };
                    arguments.push(Argument { expr, literal: None, written: word, node });
                }
                continue;
            }
            if let Some((expr, stop)) = self.path_behind_variable(node.start_byte()) {
                covered = stop;
                let written = self.slice_of(node.start_byte()..stop);
                arguments.push(Argument { expr, literal: None, written, node });
                end = stop;
                continue;
            }
            let expr = self.argument(node);
            let goes_on = end == node.start_byte();
            end = node.end_byte();
            match arguments.last_mut() {
                // `--device=$x` is one word.
                Some(last) if goes_on && (!last.is_parameter() || last.written.ends_with('=')) => {
                    let first =
                        std::mem::replace(&mut last.expr, Expr { span: expr.span, kind: ExprKind::None });
                    let span = crate::facts::Span { start: first.span.start, end: expr.span.end };
                    last.expr = Expr { span, kind: ExprKind::Join(vec![first, expr]) };
                    last.literal = None;
                }
                _ => {
                    let literal = self.literal(node);
                    arguments.push(Argument { expr, literal, written: self.slice(node), node });
                }
            }
        }
        arguments
    }

    fn argument(&mut self, node: Node<'_>) -> Expr<'s> {
        let span = self.span(node);
        let written = self.slice(node);
        let kind = match node.kind() {
            "command_parameter" | "generic_token" => ExprKind::Text(plain(written)),
            "script_block_expression" => super::values::unknown(),
            _ => return self.value(node),
        };
        Expr { span, kind }
    }

    /// `$root\train.py`, which the grammar takes for the member of an object.
    pub(super) fn path_behind_variable(&self, start: usize) -> Option<(Expr<'s>, usize)> {
        let text = self.text.get(start..)?;
        let name = text.strip_prefix('$')?;
        let length = match name.strip_prefix('{') {
            Some(braced) => braced.find('}')? + 2,
            None => name.find(|next: char| !next.is_ascii_alphanumeric() && next != '_' && next != ':')?,
        };
        let (variable, rest) = text.split_at(length + 1);
        if !rest.starts_with(['\\', '/']) {
            return None;
        }
        let stops =
            |next: char| next.is_whitespace() || matches!(next, ';' | '|' | ')' | '}' | ',' | '&' | '"');
        let rest = rest.split(stops).next().unwrap_or_default();
        let middle = start + variable.len();
        let end = middle + rest.len();
        let variable = Expr { span: self.span_of(start..middle), kind: self.variable(variable) };
        let rest = Expr { span: self.span_of(middle..end), kind: ExprKind::Text(rest.into()) };
        let span = self.span_of(start..end);
        Some((Expr { span, kind: ExprKind::Join(vec![variable, rest]) }, end))
    }

    /// What a program gets: the elements of a list are words of their own.
    pub(super) fn words(arguments: Vec<Argument<'s, '_>>) -> Vec<Word<'s>> {
        let mut words = Vec::new();
        for argument in arguments {
            match argument.expr.kind {
                ExprKind::Sequence(elements) => {
                    words.extend(elements.into_iter().map(|expr| Word { expr, literal: None }));
                }
                kind => {
                    let expr = Expr { kind, ..argument.expr };
                    words.push(Word { expr, literal: argument.literal });
                }
            }
        }
        words
    }
}

/// A word without the quotes and backticks in it.
fn plain(written: &str) -> Cow<'_, str> {
    if written.contains(['`', '"', '\'']) {
        written.replace(['`', '"', '\''], "").into()
    } else {
        written.into()
    }
}

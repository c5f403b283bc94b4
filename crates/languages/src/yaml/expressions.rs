//! `${{ … }}` of workflows: an expression that is replaced by its value before anything else reads the text.

use super::super::command_lines::Literal;
use super::super::embedded::{Extract, NOT_KNOWN, Origin};
use super::super::interpreters::Interpreter;
use crate::code::{Expr, ExprKind};
use crate::commands::is_variable_name;
use crate::sources::Source;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'t> {
    Text(&'t str),
    /// What stands between the braces.
    Expression(&'t str),
}

/// The variable in which a job has its value of `matrix.gpu`.
pub fn matrix_variable(key: &str) -> String {
    format!("__matrix_{key}")
}

/// The key of the matrix in `matrix.gpu`, of which nothing else is followed.
fn matrix_key(expression: &str) -> Option<&str> {
    let key = expression.strip_prefix("matrix.")?;
    let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain.then_some(key)
}

/// The variable that an expression reads.
fn variable_read(expression: &str) -> Option<String> {
    let of_environment = expression.strip_prefix("env.").filter(|name| is_variable_name(name));
    of_environment.map(str::to_owned).or_else(|| matrix_key(expression).map(matrix_variable))
}

/// The parts of a text and where each begins.
fn parts(text: &str) -> Vec<(usize, Part<'_>)> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("${{") {
        let start = at + found;
        let Some(length) = text[start..].find("}}") else { break };
        if start > at {
            parts.push((at, Part::Text(&text[at..start])));
        }
        parts.push((start, Part::Expression(text[start + 3..start + length].trim())));
        at = start + length + 2;
    }
    if at < text.len() || parts.is_empty() {
        parts.push((at, Part::Text(&text[at..])));
    }
    parts
}

/// The value of a text that stands in a file as `origin` says.
pub fn value<'s>(text: &'s str, origin: &Origin) -> Expr<'s> {
    let span = origin.span(0, text.len());
    let lower = |(start, part): (usize, Part<'s>)| match part {
        Part::Text(text) => {
            Expr { span: origin.span(start, start + text.len()), kind: ExprKind::Text(text.into()) }
        }
        Part::Expression(expression) => {
            let variable = variable_read(expression).map(|name| ExprKind::Variable(name.into()));
            Expr { span, kind: variable.unwrap_or_else(|| ExprKind::Unknown(Vec::new())) }
        }
    };
    let mut values: Vec<Expr<'s>> = parts(text).into_iter().map(lower).collect();
    match values.len() {
        1 => Expr { span, ..values.swap_remove(0) },
        _ => Expr { span, kind: ExprKind::Join(values) },
    }
}

/// The text that an interpreter gets, with variables of its own language in the place of expressions that read one,
/// and marks in the place of the others.
pub fn in_script<'s>(script: Literal<'s>, interpreter: Interpreter, source: &'s Source) -> Literal<'s> {
    if !script.text.contains("${{") {
        return script;
    }
    let mut extract = Extract::default();
    let mut quotes = Quotes::default();
    for (start, part) in parts(script.text) {
        match part {
            Part::Text(text) => {
                quotes.read(text);
                extract.push(text, start);
            }
            Part::Expression(expression) => {
                let variable = variable_read(expression).and_then(|name| match interpreter {
                    // Between single quotes a shell would take it for text.
                    Interpreter::Posix => (!quotes.single).then(|| format!("${{{name}}}")),
                    Interpreter::PowerShell if matrix_key(expression).is_some() => {
                        Some(format!("${{{name}}}"))
                    }
                    Interpreter::PowerShell => Some(format!("${{env:{name}}}")),
                    Interpreter::Batch if matrix_key(expression).is_none() => Some(format!("%{name}%")),
                    _ => None,
                });
                extract.push_at(&variable.unwrap_or_else(|| NOT_KNOWN.to_string()), start);
            }
        }
    }
    let (text, part) = extract.finish();
    Literal { text: source.keep(text), origin: script.origin.of_part(&part) }
}

/// Which quotes of a shell are open.
#[derive(Default)]
struct Quotes {
    single: bool,
    double: bool,
    comment: bool,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        let mut previous = '\n';
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '\n' => self.comment = false,
                _ if self.comment => {}
                '\'' if !self.double => self.single = !self.single,
                '"' if !self.single => self.double = !self.double,
                '\\' if !self.single => _ = characters.next(),
                '#' if !self.single && !self.double && previous.is_whitespace() => self.comment = true,
                _ => {}
            }
            previous = character;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_told_from_text() {
        assert_eq!(parts("a"), [(0, Part::Text("a"))]);
        assert_eq!(parts("${{ env.X }}"), [(0, Part::Expression("env.X"))]);
        let both = [(0, Part::Text("a-")), (2, Part::Expression("x")), (9, Part::Text("b"))];
        assert_eq!(parts("a-${{ x}}b"), both);
        assert_eq!(parts("${{ x"), [(0, Part::Text("${{ x"))]);
    }
}

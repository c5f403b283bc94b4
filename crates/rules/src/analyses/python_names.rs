//! Names of Python that look like environment variables: `CUDA_VISIBLE_DEVICES = "0"` sets nothing.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::program::is_gpu_variable;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Projects use these as names of their own.
const OWN: &[&str] = &["CUDA_DEVICE"];

/// Names of GPU variables that are given a value and never looked up.
pub(super) fn that_nothing_reads(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut given: Vec<(&str, Span)> = Vec::new();
    let mut read: Vec<&str> = Vec::new();
    let mut acts = false;
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            match &step.kind {
                StatementKind::Import(import) => {
                    acts |= scope.program.knowledge.package(import.module).is_some();
                }
                StatementKind::Define { .. } | StatementKind::For { .. } | StatementKind::With { .. } => {
                    acts = true
                }
                StatementKind::Evaluate(value) => acts |= matches!(value.kind, ExprKind::Call(_)),
                _ => {}
            }
            let in_class = matches!(around.last(), Some(Ancestor::Class(_)));
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && let [Target::Name(name, _)] = &targets[..]
                && is_known(scope, name)
                && !in_class
            {
                match is_value(value) {
                    true => given.push((name, step.span)),
                    // What is taken from elsewhere is meant for elsewhere.
                    false => read.push(name),
                }
            }
        }
        CodeNode::Expr(expr) => match expr.kind {
            ExprKind::Name("globals" | "locals" | "vars") => read.extend(given.iter().map(|(name, _)| *name)),
            ExprKind::Name(name) if is_gpu_variable(name) => read.push(name),
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    // A file of nothing but constants is read by somebody.
    if !acts || given.is_empty() {
        return Vec::new();
    }
    let text = scope.whole_text();
    let asks = ["globals()", "locals()", "vars("].iter().any(|word| text.contains(word));
    given.retain(|(name, _)| !asks && !read.contains(name) && !is_read_as_text(text, name));
    given.retain(|(name, _)| !scope.program.names_elsewhere(scope.file, name));
    if scope.language() == Language::Markdown {
        given.retain(|(name, span)| is_python(scope.text(*span), name));
    }
    let found = given.into_iter();
    found.map(|(name, span)| RawFinding::at(scope.place(span)).word("variable", name)).collect()
}

/// In documents `CUDA_VISIBLE_DEVICES=1` also stands for a line of a shell, whatever the block says that it is.
fn is_python(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', ':']))
        && text.ends_with(['"', '\'', ')'])
}

fn is_known(scope: &FileScope<'_>, name: &str) -> bool {
    is_gpu_variable(name) && !OWN.contains(&name) && scope.program.knowledge.variables.get(name).is_some()
}

/// A value that somebody chose: a literal, or what is made of one.
fn is_value(value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Text(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Join(_) => true,
        ExprKind::Negate(inner) => is_value(inner),
        ExprKind::Sequence(values) => values.iter().all(is_value),
        ExprKind::Call(call) => matches!(call.callee.kind, ExprKind::Name("str")),
        _ => false,
    }
}

/// Notebooks put names into command lines: `$NAME`, `{NAME}`; modules list them in `__all__`.
fn is_read_as_text(text: &str, name: &str) -> bool {
    let forms = [format!("${name}"), format!("{{{name}}}"), format!("${{{name}")];
    let listed = || {
        let quoted = [format!("\"{name}\""), format!("'{name}'")];
        text.split("__all__").skip(1).any(|rest| {
            let list = rest.split(']').next().unwrap_or_default();
            quoted.iter().any(|quoted| list.contains(quoted.as_str()))
        })
    };
    forms.iter().any(|form| text.contains(form.as_str())) || listed()
}

//! Scalars → values of variables, and lists and maps of them: `env: {X: 1}`, `environment: [X=1]`,
//! `env: [{name: X, value: 1}]`.

use super::super::embedded::Origin;
use super::super::interpolation;
use super::expressions;
use super::reader::{Entry, Node};
use crate::code::{Export, Expr, ExprKind, SetVariable};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::sources::Source;
use rustc_hash::FxHashMap;

/// How a file writes the value of a variable into a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum References {
    None,
    /// `${{ env.X }}` of workflows.
    Expressions,
    /// `$X` and `${X:-1}` of compose files and GitLab.
    Dollar,
    /// `$(X)` of Kubernetes.
    Parentheses,
}

/// A value that is not known.
pub fn unknown<'s>(span: Span) -> Expr<'s> {
    Expr { span, kind: ExprKind::Unknown(Vec::new()) }
}

/// The value of a scalar; that of anything else is not known.
pub fn value<'s>(node: &Node<'s>, references: References, source: &Source) -> Expr<'s> {
    let Some(scalar) = node.scalar() else { return unknown(node.span) };
    let text = node.text().unwrap_or_default();
    // Somebody else fills this in: a template, or a pipeline with references of its own.
    let is_filled_in = references != References::Expressions && text.contains("{{");
    if is_filled_in || (references == References::Dollar && text.contains("$(")) {
        return unknown(node.span);
    }
    if references == References::None || !scalar.text.contains('$') {
        return Expr { span: node.span, kind: ExprKind::Text(text.into()) };
    }
    of_text(text, &node.origin(source), references)
}

/// The value of a text that stands in a file as `origin` says.
pub fn of_text<'s>(text: &'s str, origin: &Origin, references: References) -> Expr<'s> {
    let whole = |kind| Expr { span: origin.span(0, text.len()), kind };
    match references {
        References::Expressions => expressions::value(text, origin),
        References::Dollar => interpolation::value(text, origin, false),
        References::Parentheses => match text.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')) {
            Some(name) if is_variable_name(name) => whole(ExprKind::Variable(name.into())),
            _ if text.contains("$(") => whole(ExprKind::Unknown(Vec::new())),
            _ => whole(ExprKind::Text(text.into())),
        },
        References::None => whole(ExprKind::Text(text.into())),
    }
}

/// The variables that a map or a list sets, in order. One without a value has that of the caller.
pub fn variables<'s>(node: &Node<'s>, references: References, source: &Source) -> Vec<SetVariable<'s>> {
    let mut variables: Vec<SetVariable<'s>> = Vec::new();
    variables.extend(node.entries().iter().filter_map(|entry| of_entry(entry, references, source)));
    for item in node.items() {
        variables.extend(of_item(item, references, source));
    }
    variables
}

fn set<'s>(name: &'s str, span: Span, value: Expr<'s>) -> Option<SetVariable<'s>> {
    let set = SetVariable {
        name: name.into(),
        span,
        value: Some(value),
        export: Export::Yes,
        only_if_unset: false,
    };
    is_variable_name(name).then_some(set)
}

/// `X: 1`, or `X: {value: 1, description: …}`.
fn of_entry<'s>(entry: &Entry<'s>, references: References, source: &Source) -> Option<SetVariable<'s>> {
    let name = entry.key.text()?;
    let node = entry.value.get("value").unwrap_or(&entry.value);
    let value = if node.is_null() { unknown(node.span) } else { value(node, references, source) };
    node.scalar()?;
    set(name, entry.span(), value)
}

/// `X=1`, or `{name: X, value: 1}`.
fn of_item<'s>(item: &Node<'s>, references: References, source: &Source) -> Option<SetVariable<'s>> {
    if let Some(text) = item.text() {
        let Some((name, rest)) = text.split_once('=') else {
            return set(text, item.span, unknown(item.span));
        };
        let origin = item.origin(source);
        let at = Origin::from(name.len() + 1);
        return set(name, item.span, of_text(rest, &origin.of_part(&at), references));
    }
    let name = item.get("name").or_else(|| item.get("key"))?;
    let (value, end) = match item.get("value") {
        Some(node) => (value(node, references, source), node.span.end),
        None => (unknown(name.span), name.span.end),
    };
    let span = Span { start: name.span.start, end: end.max(name.span.end) };
    set(name.text()?, span, value)
}

/// All variables of several layers, of which later ones win: each is set once, where its value comes from.
pub fn merged(layers: Vec<Vec<SetVariable<'_>>>) -> Vec<SetVariable<'_>> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut merged: Vec<Option<SetVariable<'_>>> = Vec::new();
    for variable in layers.into_iter().flatten() {
        let earlier = places.insert(variable.name.to_string(), merged.len());
        if let Some(earlier) = earlier {
            merged[earlier] = None;
        }
        merged.push(Some(variable));
    }
    merged.into_iter().flatten().collect()
}

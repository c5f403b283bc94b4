//! How Python writes a variable of the environment, as far as a fix changes it: what stands for the variable, and what for
//! its value.

use super::Refusal;
use super::bound_modules::{import_edit, name_of};
use super::site::Site;
use crate::facts::Span;
use crate::findings::Edit;
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// One place that gives a variable its value.
pub struct EnvironWrite {
    pub form: Form,
    /// The name of the variable, where it is written as a text.
    pub key: Option<NodeId>,
    pub value: NodeId,
}

/// In which form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `os.environ[key] = value`: the statement, and what stands for `os.environ`.
    Item { statement: NodeId, object: NodeId },
    /// `os.environ.setdefault(key, value)`, `os.putenv(key, value)`: the call.
    Call(NodeId),
    /// `key: value` of a dictionary.
    Entry,
    /// `KEY=value` of a call.
    Keyword,
}

impl EnvironWrite {
    /// What the finding points at, when that is one.
    pub fn at(site: &Site<'_>, tree: &Tree, place: Span) -> Option<EnvironWrite> {
        let by_value = tree.exactly(place, Kind::is_expression).and_then(|value| {
            let parent = tree.node(tree.node(value).parent?);
            match parent.kind {
                Kind::Keyword => Some(EnvironWrite { form: Form::Keyword, key: None, value }),
                Kind::Dict => of_dictionary(site, tree, value),
                _ => None,
            }
        });
        let assigned = || of_assignment(tree, tree.exactly(place, |kind| kind == Kind::Assign)?);
        let called = || of_call(tree, tree.exactly(place, |kind| kind == Kind::Call)?);
        by_value.or_else(assigned).or_else(called).or_else(|| of_entry(tree, place))
    }
}

/// What stands for `os.environ` at a place, and the import that this needs.
pub fn environ(site: &Site<'_>, tree: &Tree, before: Span) -> Result<(String, Option<Edit>), Refusal> {
    match name_of(site, tree, ("os", "environ"), before) {
        Some(name) => Ok((name, None)),
        None => Ok(("os.environ".to_owned(), Some(import_edit(site, tree, "os", before)?))),
    }
}

fn of_assignment(tree: &Tree, statement: NodeId) -> Option<EnvironWrite> {
    let mut parts = tree.children(statement);
    let (target, kind) = parts.next().map(|(id, node)| (id, node.kind))?;
    let (value, _) = parts.next_back()?;
    // Several targets, or an annotation.
    if kind != Kind::Subscript || parts.next().is_some() {
        return None;
    }
    let mut parts = tree.children(target).map(|(id, _)| id);
    let (object, key) = (parts.next()?, parts.next()?);
    Some(EnvironWrite { form: Form::Item { statement, object }, key: text(tree, key), value })
}

fn of_call(tree: &Tree, call: NodeId) -> Option<EnvironWrite> {
    let (arguments, _) = tree.children(call).find(|(_, node)| node.kind == Kind::Arguments)?;
    let mut arguments = tree.children(arguments).map(|(id, _)| id);
    let (key, value) = (arguments.next()?, arguments.next()?);
    let is_plain = tree.node(value).kind.is_expression() && arguments.next().is_none();
    is_plain.then(|| EnvironWrite { form: Form::Call(call), key: text(tree, key), value })
}

fn of_entry(tree: &Tree, place: Span) -> Option<EnvironWrite> {
    let is_value = |(_, node): &(NodeId, &crate::languages::TreeNode)| {
        node.span.end == place.end
            && node.kind.is_expression()
            && node.parent.is_some_and(|parent| tree.node(parent).kind == Kind::Dict)
    };
    let (value, _) = tree.numbered().find(is_value)?;
    let key = key_before(tree, value).filter(|key| tree.node(*key).span.start == place.start)?;
    Some(EnvironWrite { form: Form::Entry, key: Some(key), value })
}

/// The entry that a key or a value of a dictionary belongs to.
fn of_dictionary(site: &Site<'_>, tree: &Tree, part: NodeId) -> Option<EnvironWrite> {
    let end = tree.node(part).span.end;
    let next = tree.tokens.partition_point(|token| token.span.start < end);
    if tree.tokens.get(next).is_none_or(|token| site.slice(token.span) != ":") {
        return Some(EnvironWrite { form: Form::Entry, key: key_before(tree, part), value: part });
    }
    let dictionary = tree.node(part).parent?;
    let (value, _) = tree.children(dictionary).find(|(id, _)| *id > part)?;
    Some(EnvironWrite { form: Form::Entry, key: text(tree, part), value })
}

/// The text that stands before a value in a dictionary.
fn key_before(tree: &Tree, value: NodeId) -> Option<NodeId> {
    let dictionary = tree.node(value).parent?;
    let (before, _) = tree.children(dictionary).take_while(|(id, _)| *id < value).last()?;
    text(tree, before)
}

fn text(tree: &Tree, node: NodeId) -> Option<NodeId> {
    Some(node).filter(|node| tree.node(*node).kind == Kind::Text)
}

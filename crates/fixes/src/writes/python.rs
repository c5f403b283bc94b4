//! Writes in Python: a name in quotes or as a keyword, and an expression behind it.

use super::constants;
use super::{Literal, Write};
use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::languages::{NodeId, Tree, TreeKind, TreeNode};

pub fn write<T>(site: &Site<'_>, is_meant: &impl Fn(&str) -> Option<T>) -> Option<(Write, T)> {
    let tree = site.tree().ok()?;
    let place = site.span();
    let in_place = |node: &TreeNode| place.start <= node.span.start && node.span.end <= place.end;
    let named = tree.numbered().filter(|(_, node)| in_place(node)).find_map(|(id, node)| {
        let name = match node.kind {
            TreeKind::Text => inside(site, node.span)?,
            TreeKind::Identifier => node.span,
            _ => return None,
        };
        Some((id, name, is_meant(site.slice(name))?))
    });
    // Of `update(X="1")` the value alone may be the place.
    let keyword = || {
        let around = tree.innermost(place, |kind| kind == TreeKind::Keyword)?;
        let (id, name) =
            tree.children(around).next().filter(|(_, name)| name.kind == TreeKind::Identifier)?;
        Some((id, name.span, is_meant(site.slice(name.span))?))
    };
    let (id, name, found) = named.or_else(keyword)?;
    Some((Write { name, value: value_behind(tree, id) }, found))
}

/// The expression that follows a node: what is assigned to it, the next argument, the value of a key.
fn value_behind(tree: &Tree, name: NodeId) -> Option<Span> {
    let start = tree.node(name).span;
    for (id, node) in tree.outwards(name).skip(1) {
        let next = tree.children(id).find(|(_, child)| child.span.start >= start.end);
        if let Some((id, next)) = next {
            return match next.kind {
                TreeKind::Keyword => {
                    tree.children(id).find(|(_, part)| part.kind.is_expression()).map(|(_, part)| part.span)
                }
                kind if kind.is_expression() => Some(next.span),
                _ => None,
            };
        }
        if node.kind.is_statement() {
            return None;
        }
    }
    None
}

pub fn literal(site: &Site<'_>, value: Span) -> Result<Literal, Refusal> {
    let computed = || "the value is computed".to_owned();
    let tree = site.tree()?;
    let id = tree.exactly(value, |kind| kind.is_expression()).ok_or_else(computed)?;
    let node = tree.node(id);
    match node.kind {
        TreeKind::Text => {
            let inside = inside(site, value).ok_or("the value is put together from several texts")?;
            Ok(Literal { whole: value, inside })
        }
        TreeKind::Number => Ok(Literal { whole: value, inside: value }),
        TreeKind::Name => constants::of_module(site, id),
        // `str(0)`, `str(GPU)`, `f"{GPU}"`
        _ => {
            let leaves: Vec<NodeId> = tree
                .below(id)
                .filter(|(_, node)| {
                    matches!(node.kind, TreeKind::Text | TreeKind::Number | TreeKind::Name)
                        && site.slice(node.span) != "str"
                })
                .map(|(id, _)| id)
                .collect();
            let text = site.slice(value);
            let [leaf] = leaves[..] else { return Err(computed()) };
            let written = site.slice(tree.node(leaf).span);
            let is_plain = text == format!("str({written})")
                || ["f\"{", "f'{"].iter().any(|open| {
                    text.strip_prefix(open)
                        .and_then(|rest| rest.strip_prefix(written))
                        .is_some_and(|rest| matches!(rest, "}\"" | "}'"))
                });
            match (is_plain, tree.node(leaf).kind) {
                (true, TreeKind::Name) => constants::of_module(site, leaf),
                (true, TreeKind::Number) => {
                    let span = tree.node(leaf).span;
                    Ok(Literal { whole: span, inside: span })
                }
                _ => Err(computed()),
            }
        }
    }
}

/// What stands between the quotes of a text that is written in one piece, without escapes.
pub fn inside(site: &Site<'_>, text: Span) -> Option<Span> {
    let written = site.slice(text);
    let prefix = written.len() - written.trim_start_matches(['r', 'R', 'u', 'U']).len();
    let quote =
        ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| written[prefix..].starts_with(quote))?;
    let within = written[prefix..].strip_prefix(quote)?.strip_suffix(quote)?;
    let start = text.start + (prefix + quote.len()) as u32;
    let is_plain = !within.contains(['\\', '\n']) && !within.contains(quote);
    is_plain.then_some(Span { start, end: start + within.len() as u32 })
}

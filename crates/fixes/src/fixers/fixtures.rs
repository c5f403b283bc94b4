//! Fixtures that hand out what lies on the GPU by `yield`, and release it behind that.

use super::clean_up::{below, indentation};
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::bound_modules::{import_edit, name_of};
use crate::fixes::lines::own_lines;
use crate::fixes::site::{Draft, Site};
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// `return model` → `yield model`, `del model`, `gc.collect()`, `torch.cuda.empty_cache()`
pub fn released(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let function = tree.innermost(site.span(), |kind| kind == Kind::Function).ok_or("it is no function")?;
    let statements: Vec<NodeId> =
        tree.children(function).filter(|(_, node)| node.kind.is_statement()).map(|(id, _)| id).collect();
    let last = *statements.last().ok_or("it has no body")?;
    let has_type = tree.children(function).any(|(_, node)| node.kind.is_expression());
    if has_type {
        return Err("the type that it says it returns would change".to_owned());
    }
    let given = tree.below(function).filter(|(id, node)| {
        matches!(node.kind, Kind::Return | Kind::Yield) && tree.function_around(*id) == Some(function)
    });
    let ([only], value) = (&given.map(|(id, _)| id).collect::<Vec<_>>()[..], handed_out(tree, last)) else {
        return Err("it is handed out at several places".to_owned());
    };
    let value = value.filter(|_| *only >= last).ok_or("it is not handed out by the last statement")?;
    own_lines(site, tree, last)?;
    let span = tree.node(last).span;
    let mut edits: Vec<Edit> = Vec::new();
    let empty_cache = name_of(site, tree, ("torch", "cuda.empty_cache"), span)
        .or_else(|| name_of(site, tree, ("torch.cuda", "empty_cache"), span))
        .ok_or("torch is not imported here")?;
    let collect = match name_of(site, tree, ("gc", "collect"), span) {
        Some(collect) => collect,
        None => {
            edits.push(import_edit(site, tree, "gc", span)?);
            "gc.collect".to_owned()
        }
    };
    let mut held = own_names(site, tree, function, value);
    let blanks = indentation(site, tree, last);
    let mut lines = Vec::new();
    let word = |text: &str| Span { start: span.start, end: span.start + text.len() as u32 };
    let keyword = if site.slice(span).starts_with("return") { word("return") } else { word("yield") };
    let text = site.slice(tree.node(value).span);
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let is_named = held.len() == 1 && held[0] == text;
    let is_tuple = text.contains(',') && parts.clone().any(|part| held.iter().any(|name| name == part));
    if is_named || (is_tuple && !text.contains('(')) {
        edits.push(site.edit(keyword, "yield"));
    } else {
        let name = new_name(site, tree, function);
        edits.push(site.edit(keyword, format!("{name} =")));
        lines.push(format!("{blanks}yield {name}"));
        held.insert(0, name);
    }
    lines.push(format!("{blanks}del {}", held.join(", ")));
    lines.push(format!("{blanks}{collect}()"));
    lines.push(format!("{blanks}{empty_cache}()"));
    edits.push(below(site, span.end, &lines));
    Ok(edits.into())
}

/// What a statement returns or yields.
fn handed_out(tree: &Tree, statement: NodeId) -> Option<NodeId> {
    let (value, node) = tree.children(statement).next()?;
    match (tree.node(statement).kind, node.kind) {
        (Kind::Return, _) => Some(value),
        (Kind::Evaluate, Kind::Yield) => tree.children(value).next().map(|(id, _)| id),
        _ => None,
    }
}

/// The names that a function binds itself and that an expression uses.
fn own_names(site: &Site<'_>, tree: &Tree, function: NodeId, value: NodeId) -> Vec<String> {
    let assigned: Vec<&str> = tree
        .below(function)
        .filter(|(id, node)| node.kind == Kind::Assign && tree.function_around(*id) == Some(function))
        .filter_map(|(id, _)| tree.children(id).next())
        .filter(|(_, target)| target.kind == Kind::Name)
        .map(|(_, target)| site.slice(target.span))
        .collect();
    let mut names: Vec<String> = Vec::new();
    for (_, node) in std::iter::once((value, tree.node(value))).chain(tree.below(value)) {
        let text = site.slice(node.span);
        if node.kind == Kind::Name && assigned.contains(&text) && !names.iter().any(|name| name == text) {
            names.push(text.to_owned());
        }
    }
    names
}

/// A name for what the fixture makes: its own, where nothing else in it has that.
fn new_name(site: &Site<'_>, tree: &Tree, function: NodeId) -> String {
    let own = site.slice(site.span());
    let is_taken = tree.below(function).any(|(id, node)| {
        let is_word = matches!(node.kind, Kind::Name | Kind::Identifier) && site.slice(node.span) == own;
        is_word && node.span != site.span() && tree.node(id).parent != Some(function)
    });
    if is_taken { "made".to_owned() } else { own.to_owned() }
}

//! Guards of optional GPU libraries that only ask whether a package is installed.

use super::imports::ImportStatement;
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, blanks_before, line_behind};
use crate::languages::{NodeId, Tree, TreeKind};

/// `if find_spec("cupy"): import cupy as xp` with an `else` → an import that may fail, and a choice that asks the library.
pub fn asks_the_library(site: &Site<'_>) -> Result<Draft, Refusal> {
    const SHAPE: &str = "it is not an `if` with one import and one other value for the same name";
    let tree = site.tree()?;
    let branch =
        tree.statement_at(site.span()).filter(|&id| tree.node(id).kind == TreeKind::If).ok_or(SHAPE)?;
    let node = *tree.node(branch);
    let parts: Vec<NodeId> = tree.children(branch).map(|(id, _)| id).collect();
    let [test, import, otherwise] = parts[..] else { return Err(SHAPE.to_owned()) };
    let library = asked_for(site, tree, test).ok_or("it asks for more than one package")?;
    let import = ImportStatement::of(site, tree, import).ok_or(SHAPE)?;
    let [imported] = &import.names[..] else { return Err(SHAPE.to_owned()) };
    if import.from.is_some() || imported.name != library {
        return Err(SHAPE.to_owned());
    }
    if library != "cupy" {
        return Err(format!("`{library}` has no call that says whether there is a GPU"));
    }
    let parts: Vec<NodeId> = tree.children(otherwise).map(|(id, _)| id).collect();
    let [assignment] = parts[..] else { return Err(SHAPE.to_owned()) };
    let sides: Vec<NodeId> = tree.children(assignment).map(|(id, _)| id).collect();
    let [target, value] = sides[..] else { return Err(SHAPE.to_owned()) };
    let slice = |id: NodeId| site.slice(tree.node(id).span);
    let same = tree.node(assignment).kind == TreeKind::Assign && slice(target) == imported.bound;
    if !same || !slice(otherwise).trim_start().starts_with("else") || slice(value).contains('\n') {
        return Err(SHAPE.to_owned());
    }
    let is_top = node.parent.is_some_and(|parent| tree.node(parent).kind == TreeKind::Module);
    let blanks = blanks_before(site.text(), node.span.start).filter(|_| is_top);
    if blanks != Some("") {
        return Err("it does not stand at the top level".to_owned());
    }
    let bound = &imported.bound;
    if *bound != library && site.scopes()?.knows(&library) {
        return Err(format!("`{library}` means something else in this file"));
    }
    let (newline, indent, value) = (site.newline(), site.indent(), slice(value));
    let mut lines = vec![
        "try:".to_owned(),
        format!("{indent}import {library}"),
        "except ImportError:".to_owned(),
        format!("{indent}{library} = None"),
        String::new(),
    ];
    if *bound != library {
        lines.push(format!(
            "{bound} = {library} if {library} is not None and {library}.is_available() else {value}"
        ));
    } else {
        lines.push(format!("if {library} is None or not {library}.is_available():"));
        lines.push(format!("{indent}{library} = {value}"));
    }
    let mut edits = vec![site.edit(node.span, lines.join(newline))];
    edits.extend(unused_import(site, tree, node.span));
    Ok(edits.into())
}

/// The package that `find_spec("cupy") is not None` asks for.
fn asked_for(site: &Site<'_>, tree: &Tree, test: NodeId) -> Option<String> {
    let call = match tree.node(test).kind {
        TreeKind::Call => test,
        _ => {
            let (call, node) = tree.children(test).next()?;
            let rest = &site.text()[node.span.end as usize..tree.node(test).span.end as usize];
            let is_asked = node.kind == TreeKind::Call && rest.split_whitespace().eq(["is", "not", "None"]);
            is_asked.then_some(call)?
        }
    };
    let text = site.slice(tree.node(call).span);
    let (callee, argument) = text.split_once('(')?;
    let is_asking = callee.trim().rsplit('.').next() == Some("find_spec");
    let argument = argument.trim_end_matches(')').trim();
    let name = argument.trim_matches(['"', '\'']);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_asking && is_name && argument.len() == name.len() + 2).then(|| name.to_owned())
}

/// Takes away the import of `find_spec` when nothing else needs it.
fn unused_import(site: &Site<'_>, tree: &Tree, branch: Span) -> Option<Edit> {
    let scopes = site.scopes().ok()?;
    let is_own = |one: &ImportStatement| match one.from.as_deref() {
        None => one.names.len() == 1 && one.names[0].name.starts_with("importlib"),
        Some("importlib.util" | "importlib") => one.names.len() == 1,
        _ => false,
    };
    let import = tree.top().filter_map(|(id, _)| ImportStatement::of(site, tree, id)).find(is_own)?;
    let inside = |span: Span| branch.start <= span.start && span.end <= branch.end;
    let mut others = scopes
        .of_module(&import.names[0].bound)
        .filter(|one| !inside(one.span) && one.span != import.names[0].span);
    let (text, span) = (site.text(), import.span);
    let behind = line_behind(text, span.end);
    let is_alone = blanks_before(text, span.start) == Some("")
        && text[span.end as usize..behind as usize].trim().is_empty();
    if others.next().is_some() || !is_alone {
        return None;
    }
    let all = import.only(|_| true);
    all.removal(site).into_iter().next()
}

//! The modules that a place in Python can use: the names under which they are imported, and where an import is put in that
//! is missing.

use super::Refusal;
use super::site::{Site, blanks_before};
use super::standard_modules::is_standard;
use crate::facts::Span;
use crate::findings::Edit;
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// The name under which a module is bound at a place: `os` by `import os`, `o` by `import os as o`. Only imports count
/// that have run in any case when the place does.
pub fn binding(site: &Site<'_>, tree: &Tree, module: &str, before: Span) -> Option<String> {
    let bound = visible_imports(site, tree, before).filter_map(|import| match import {
        Imported::Module { name, bound: Some(bound) } if name == module => Some(bound.to_owned()),
        // `import os.path` binds `os`.
        Imported::Module { name, bound: None } => {
            let is_it = name == module || name.split('.').next() == Some(module);
            is_it.then(|| module.to_owned())
        }
        // `from torch import cuda` binds the module `torch.cuda`.
        Imported::Name { from, name, bound } if is_path(module, from, name) => Some(bound.to_owned()),
        _ => None,
    });
    bound.filter(|bound| !is_bound_otherwise(site, tree, first_part(bound), before)).last()
}

/// How a place can write something of a module: `os.environ`, `o.environ`, or `environ` behind `from os import environ`.
pub fn name_of(site: &Site<'_>, tree: &Tree, (module, name): (&str, &str), before: Span) -> Option<String> {
    if let Some(bound) = binding(site, tree, module, before) {
        return Some(format!("{bound}.{name}"));
    }
    let own = visible_imports(site, tree, before).filter_map(|import| match import {
        Imported::Name { from, name: known, bound } if from == module && known == name => {
            Some(bound.to_owned())
        }
        _ => None,
    });
    own.filter(|bound| !is_bound_otherwise(site, tree, bound, before)).last()
}

/// The edit that imports a module of the standard library, such as `os`, for a place: at the top of the file, or of the
/// cell of a notebook.
pub fn import_edit(site: &Site<'_>, tree: &Tree, module: &str, before: Span) -> Result<Edit, Refusal> {
    if is_bound_otherwise(site, tree, module, before) {
        return Err(format!("`{module}` is something else here"));
    }
    let nowhere = || "there is no place for an import".to_owned();
    let first = first_statement(site, tree, before).ok_or_else(nowhere)?;
    let line = format!("import {module}");
    let block = import_block(site, tree, first, before);
    let begins_with_standard =
        block.first().is_some_and(|import| is_standard(imported_module(site, tree, *import)));
    if !begins_with_standard {
        let blanks = match tree.node(first).kind {
            Kind::Function | Kind::Class => 3,
            _ => 2,
        };
        return Ok(line_above(site, tree, first, &line, blanks));
    }
    // Among its like, as the sorters of imports want it.
    let plain = || block.iter().copied().filter(|import| tree.node(*import).kind == Kind::Import);
    let is_behind = |import: &NodeId| imported_module(site, tree, *import) > module;
    if let Some(next) = plain().find(is_behind) {
        return Ok(line_above(site, tree, next, &line, 1));
    }
    match plain().next_back() {
        Some(last) => Ok(line_below(site, tree, last, &line)),
        None => Ok(line_above(site, tree, first, &line, 1)),
    }
}

/// The edit that imports names of another module of the project for a place, behind the imports at the top of the file.
pub fn name_import_edit(
    site: &Site<'_>,
    tree: &Tree,
    (module, name): (&str, &str),
    before: Span,
) -> Result<Edit, Refusal> {
    if is_bound_otherwise(site, tree, name, before) {
        return Err(format!("`{name}` is something else here"));
    }
    let nowhere = || "there is no place for an import".to_owned();
    let first = first_statement(site, tree, before).ok_or_else(nowhere)?;
    let line = format!("from {module} import {name}");
    let module_of_place = tree.node(first).parent;
    let mut imports = tree.top().filter(|(id, node)| {
        *id >= first
            && node.parent == module_of_place
            && node.span.end <= before.start
            && is_import(node.kind)
    });
    match imports.next_back() {
        Some((last, _)) => Ok(line_below(site, tree, last, &line)),
        None => Ok(line_above(site, tree, first, &line, 2)),
    }
}

/// Where the comments begin that stand directly above a line and speak of it, and not of the file.
pub fn comments_above(text: &str, start: u32) -> u32 {
    const OF_THE_FILE: &[&str] =
        &["#!", "-*-", "coding", "opyright", "icense", "SPDX", "# ///", "# %%", "#%%", "pylint:", "ruff:"];
    let mut at = start as usize;
    let mut head = at;
    while let Some(above) = text[..at].strip_suffix('\n') {
        let line_start = above.rfind('\n').map_or(0, |end| end + 1);
        let line = above[line_start..].trim_start_matches('\u{feff}');
        if !line.starts_with('#') {
            break;
        }
        if OF_THE_FILE.iter().any(|word| line.contains(word)) {
            return start;
        }
        (at, head) = (line_start, line_start);
    }
    head as u32
}

/// What one part of an import statement binds.
pub enum Imported<'t> {
    Module { name: &'t str, bound: Option<&'t str> },
    Name { from: &'t str, name: &'t str, bound: &'t str },
}

impl<'t> Imported<'t> {
    /// The module that is imported.
    pub fn module(&self) -> &'t str {
        match self {
            Imported::Module { name, .. } => name,
            Imported::Name { from, .. } => from,
        }
    }
}

/// The imports that have run when a place does: before it, and not inside of other statements.
fn visible_imports<'t>(
    site: &'t Site<'_>,
    tree: &'t Tree,
    before: Span,
) -> impl Iterator<Item = Imported<'t>> {
    let mut statements: Vec<NodeId> =
        tree.top().filter(|(_, node)| node.span.end <= before.start).map(|(id, _)| id).collect();
    let mut inner = Vec::new();
    let mut in_function = false;
    let start = tree.statement_at(before);
    for (id, node) in start.into_iter().flat_map(|id| tree.outwards(id)) {
        in_function |= node.kind == Kind::Function && Some(id) != start;
        let parent = node.parent.map(|parent| tree.node(parent).kind);
        // The names of a class are not seen in its methods.
        let is_seen = !(in_function && parent == Some(Kind::Class)) && parent != Some(Kind::Module);
        if node.kind.is_statement() && is_seen {
            let earlier = tree.suite_of(id).into_iter().take_while(|other| *other < id);
            inner.push(earlier.collect::<Vec<_>>());
        }
    }
    statements.extend(inner.into_iter().rev().flatten());
    let imports = statements.into_iter().filter(|id| is_import(tree.node(*id).kind));
    imports.flat_map(move |import| parts(site, tree, import))
}

/// What an import statement binds, part by part.
pub fn parts<'t>(site: &'t Site<'_>, tree: &'t Tree, import: NodeId) -> impl Iterator<Item = Imported<'t>> {
    let from = (tree.node(import).kind == Kind::ImportFrom).then(|| imported_module(site, tree, import));
    let aliases = tree.children(import).filter(|(_, node)| node.kind == Kind::Alias);
    aliases.filter_map(move |(_, alias)| {
        let mut words = site.slice(alias.span).split_whitespace().filter(|word| *word != "\\");
        let name = words.next()?;
        let bound = words.nth(1);
        Some(match from {
            Some(from) => Imported::Name { from, name, bound: bound.unwrap_or(name) },
            None => Imported::Module { name, bound },
        })
    })
}

/// The module that an import statement names first.
fn imported_module<'t>(site: &'t Site<'_>, tree: &Tree, import: NodeId) -> &'t str {
    let words = site.slice(tree.node(import).span);
    let mut words = words.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';'));
    words.find(|word| !matches!(*word, "import" | "from" | "lazy" | "" | "\\")).unwrap_or_default()
}

/// Whether a name is bound by something else than an import: in the functions around a place, or anywhere at the top.
fn is_bound_otherwise(site: &Site<'_>, tree: &Tree, name: &str, before: Span) -> bool {
    let around: Vec<NodeId> =
        tree.statement_at(before).into_iter().flat_map(|id| tree.outwards(id)).map(|(id, _)| id).collect();
    tree.numbered().any(|(id, node)| {
        let is_name = |span: Span| site.slice(span) == name;
        match node.kind {
            Kind::Parameter => {
                let function = tree.function_around(id);
                function.is_some_and(|function| around.contains(&function))
                    && tree.children(id).next().is_some_and(|(_, first)| is_name(first.span))
            }
            Kind::Assign | Kind::For => tree
                .children(id)
                .next()
                .is_some_and(|(_, target)| target.kind == Kind::Name && is_name(target.span)),
            _ => false,
        }
    })
}

/// The first statement of the file, or of the cell, that an import may stand before.
fn first_statement(site: &Site<'_>, tree: &Tree, before: Span) -> Option<NodeId> {
    let module = tree.innermost(before, |kind| kind == Kind::Module)?;
    let mut statements = tree.children(module).enumerate().filter(|(at, (id, node))| {
        let text = site.slice(node.span);
        let is_docstring = *at == 0 && tree.is_text_alone(*id);
        let is_future = node.kind == Kind::ImportFrom && imported_module(site, tree, *id) == "__future__";
        // `%%time` has to stay the first line of its cell.
        !is_docstring && !is_future && !text.starts_with("%%")
    });
    statements.next().map(|(_, (id, _))| id).filter(|id| tree.node(*id).span.start <= before.start)
}

/// The imports that follow each other from a statement on, without an empty line between them.
fn import_block(site: &Site<'_>, tree: &Tree, first: NodeId, before: Span) -> Vec<NodeId> {
    let mut block: Vec<NodeId> = Vec::new();
    for id in tree.suite_of(first).into_iter().skip_while(|id| *id < first) {
        let span = tree.node(id).span;
        let is_apart = block.last().is_some_and(|last| {
            let between = Span { start: tree.node(*last).span.end, end: span.start };
            site.slice(between).matches('\n').count() > 1
        });
        if !is_import(tree.node(id).kind) || is_apart || span.start > before.start {
            break;
        }
        block.push(id);
    }
    block
}

/// A line above a statement and the comments that belong to it, with as many line ends behind it.
fn line_above(site: &Site<'_>, tree: &Tree, statement: NodeId, line: &str, ends: usize) -> Edit {
    let start = tree.node(statement).span.start;
    match blanks_before(site.text(), start) {
        Some("") => {
            let text = format!("{line}{}", site.newline().repeat(ends));
            site.insertion(comments_above(site.text(), start), text)
        }
        _ => site.statements_above(tree, statement, &[line.to_owned()]),
    }
}

fn line_below(site: &Site<'_>, tree: &Tree, statement: NodeId, line: &str) -> Edit {
    let end = tree.node(statement).span.end;
    let behind = site.line_behind(end);
    let rest = site.slice(Span { start: end, end: behind });
    let (newline, is_last) = (site.newline(), !rest.ends_with('\n'));
    match rest.trim_start().starts_with(';') || rest.trim_end().ends_with('\\') {
        true => site.insertion(end, format!("; {line}")),
        false if is_last => site.insertion(behind, format!("{newline}{line}")),
        false => site.insertion(behind, format!("{line}{newline}")),
    }
}

pub fn is_import(kind: Kind) -> bool {
    matches!(kind, Kind::Import | Kind::ImportFrom)
}

fn is_path(path: &str, from: &str, name: &str) -> bool {
    path.strip_prefix(from).and_then(|rest| rest.strip_prefix('.')) == Some(name)
}

pub fn first_part(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

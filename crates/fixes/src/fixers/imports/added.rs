//! Imports that a fix needs: where they are written, among those that are there.

use super::statement::ImportStatement;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Site, blanks_before, line_behind};
use crate::fixes::standard_modules;
use crate::languages::{MentionSort, NodeId, Tree};

/// What is asked for to know that a type checker reads the file, and the edit that makes the name known.
pub fn type_checking(site: &Site<'_>, before: NodeId) -> Result<(String, Option<Edit>), Refusal> {
    let tree = site.tree()?;
    let imports = imports_before(site, tree, before);
    let typing = || {
        let is_typing = |one: &&ImportStatement| one.from.as_deref() == Some("typing");
        imports.iter().filter(is_typing)
    };
    for import in typing() {
        if let Some(known) = import.names.iter().find(|one| one.name == "TYPE_CHECKING") {
            return Ok((known.bound.clone(), None));
        }
    }
    let is_module = |one: &&ImportStatement| {
        one.from.is_none() && one.names.iter().any(|one| one.name == "typing" && one.bound == "typing")
    };
    if imports.iter().any(|one| is_module(&one)) {
        return Ok(("typing.TYPE_CHECKING".to_owned(), None));
    }
    free(site, "TYPE_CHECKING")?;
    let listed = typing().find_map(|import| import.names.first().filter(|one| one.name != "*"));
    let edit = match listed {
        Some(first) => site.insertion(first.span.start, "TYPE_CHECKING, "),
        None => line(site, before, "from typing import TYPE_CHECKING")?,
    };
    Ok(("TYPE_CHECKING".to_owned(), Some(edit)))
}

/// What a decorator that keeps the answer of a function is called, and the edit that makes the name known.
pub fn cache(site: &Site<'_>, before: NodeId) -> Result<(String, Option<Edit>), Refusal> {
    let tree = site.tree()?;
    let versions = site.program.versions();
    let name = site.program.name_of(site.file());
    let is_old =
        versions.range(name, "python").is_some() && versions.at_least(name, "python", "3.9") != Some(true);
    let (function, arguments) = if is_old { ("lru_cache", "(maxsize=None)") } else { ("cache", "") };
    for import in imports_before(site, tree, before) {
        let from = import.from.as_deref();
        for one in &import.names {
            if from == Some("functools") && one.name == function {
                return Ok((format!("{}{arguments}", one.bound), None));
            }
            if from.is_none() && one.name == "functools" {
                return Ok((format!("{}.{function}{arguments}", one.bound), None));
            }
        }
    }
    free(site, "functools")?;
    Ok((format!("functools.{function}{arguments}"), Some(line(site, before, "import functools")?)))
}

/// Refuses a name that the file uses for something.
fn free(site: &Site<'_>, name: &str) -> Result<(), Refusal> {
    let mut known = site.scopes()?.mentions();
    match known.find(|mention| mention.name == name && mention.what != MentionSort::Unevaluated) {
        Some(mention) => {
            Err(format!("`{name}` means something else, on line {}", site.line(mention.span.start)))
        }
        None => Ok(()),
    }
}

/// The imports of the top level before a statement.
fn imports_before(site: &Site<'_>, tree: &Tree, before: NodeId) -> Vec<ImportStatement> {
    tree.top()
        .take_while(|(id, _)| *id < before)
        .filter_map(|(id, _)| ImportStatement::of(site, tree, id))
        .collect()
}

/// A line among the imports before a statement, where those who sort imports put it.
fn line(site: &Site<'_>, before: NodeId, written: &str) -> Result<Edit, Refusal> {
    let tree = site.tree()?;
    let (text, newline) = (site.text(), site.newline());
    let is_future = |one: &ImportStatement| one.from.as_deref() == Some("__future__");
    let imports: Vec<ImportStatement> = tree
        .top()
        .take_while(|(id, _)| *id <= before)
        .filter_map(|(id, _)| ImportStatement::of(site, tree, id))
        .filter(|one| !is_future(one))
        .collect();
    let Some(first) = imports.first() else { return above_all(site, tree, written) };
    if imports.iter().any(|one| blanks_before(text, one.span.start) != Some("")) {
        return Err("its imports share lines with other statements".to_owned());
    }
    // Those of the standard library on lines that follow each other are sorted among themselves.
    let module = |one: &ImportStatement| one.from.clone().unwrap_or_else(|| one.names[0].name.clone());
    let is_standard = |one: &ImportStatement| standard_modules::is_standard(&module(one));
    let is_next = |pair: &[ImportStatement]| {
        line_behind(text, pair[0].span.end) == pair[1].span.start && is_standard(&pair[1])
    };
    let length = 1 + imports.windows(2).take_while(|pair| is_next(pair)).count();
    let group = &imports[..length];
    if !is_standard(first) {
        return Ok(site.insertion(first.span.start, format!("{written}{newline}{newline}")));
    }
    let is_from = written.starts_with("from ");
    let own = written.split(' ').nth(1).unwrap_or_default();
    let behind = |one: &&ImportStatement| match (is_from, one.from.is_some()) {
        (false, true) => true,
        (true, false) => false,
        _ => module(one).as_str() > own,
    };
    let at = match group.iter().find(behind) {
        Some(one) => one.span.start,
        None => line_behind(text, group[length - 1].span.end),
    };
    let at = at.min(tree.node(before).span.start);
    Ok(site.insertion(at, format!("{written}{newline}")))
}

/// A line above all statements but the text that describes the file.
fn above_all(site: &Site<'_>, tree: &Tree, written: &str) -> Result<Edit, Refusal> {
    let newline = site.newline();
    let is_future = |id| ImportStatement::of(site, tree, id).is_some();
    let first = tree
        .top()
        .find(|(id, _)| !tree.is_text_alone(*id) && !is_future(*id))
        .map(|(_, node)| node.span.start);
    let first = first.filter(|&at| blanks_before(site.text(), at) == Some(""));
    let at = first.ok_or("there is no line to write an import on")?;
    Ok(site.insertion(at, format!("{written}{newline}{newline}{newline}")))
}

/// Edits of one fix, with what is put in at one place made one.
pub fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::new();
    for edit in edits {
        let is_insertion = edit.place.span.start == edit.place.span.end;
        match joined.iter_mut().find(|known| is_insertion && known.place == edit.place) {
            Some(known) => known.text.push_str(&edit.text),
            None => joined.push(edit),
        }
    }
    joined
}

//! A module that only hands names on imports them when somebody asks for one: `__getattr__` of the module (PEP 562).

use super::added::{joined, type_checking};
use super::functions::looks_names_up;
use super::statement::{ImportStatement, Imported, RULES};
use super::takers::ModuleUsers;
use super::type_checkers::{blank_lines_at, blocks, for_types};
use super::uses::uses_of;
use crate::findings::{Edit, Status};
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, line_behind};
use crate::languages::{MentionSort, NodeId, Tree, TreeKind};

/// Longer lines are broken.
const WIDTH: usize = 88;

/// Why no `__getattr__` is written.
pub enum NoGetattrReason {
    /// The module does not hand the names on, or uses them itself.
    NoReExport,
    Refused(Refusal),
}

impl From<Refusal> for NoGetattrReason {
    fn from(reason: Refusal) -> NoGetattrReason {
        NoGetattrReason::Refused(reason)
    }
}

/// One `__getattr__` for all imports of the file that only hand names on.
pub fn import_on_access(site: &Site<'_>, statement: &ImportStatement) -> Result<Draft, NoGetattrReason> {
    let tree = site.tree()?;
    let takers = ModuleUsers::of(site);
    check(site, tree, &takers, statement)?;
    let mut statements: Vec<ImportStatement> = site
        .findings
        .iter()
        .filter(|finding| finding.place.file == site.file() && RULES.contains(&finding.rule.as_str()))
        .filter(|finding| finding.status == Status::Active)
        .filter_map(|finding| ImportStatement::at(site, finding.place.span, None).ok())
        .filter(|other| other.node != statement.node && check(site, tree, &takers, other).is_ok())
        .collect();
    statements.push(statement.only(|one| one.meant));
    statements.sort_by_key(|one| one.node);
    statements.dedup_by_key(|one| one.node);

    let (condition, import) = type_checking(site, statements[0].node)?;
    let mut edits: Vec<Edit> = import.into_iter().collect();
    let early = is_asked_early(site, tree, &takers, &statements);
    edits.extend(for_types(site, &statements, &condition, early));
    let behind = blocks(site, &statements).first().and_then(|block| block.last()).filter(|_| early);
    edits.push(getattr(site, tree, behind.map(|last| last.span.end), &statements)?);
    let title = "import it when it is first asked for".to_owned();
    Ok(Draft { edits: joined(edits), title: Some(title), ..Draft::default() })
}

/// Whether the names of a statement can be handed on by `__getattr__`.
fn check(
    site: &Site<'_>,
    tree: &Tree,
    takers: &ModuleUsers<'_>,
    statement: &ImportStatement,
) -> Result<(), NoGetattrReason> {
    statement.check_place(site, tree)?;
    let scopes = site.scopes()?;
    let uses = uses_of(site, std::slice::from_ref(statement))?;
    if uses.are_in_code() {
        return Err(NoGetattrReason::NoReExport);
    }
    let is_package = is_package(site);
    for one in statement.meant() {
        let name = &one.bound;
        let exported = scopes.exported.contains(name);
        if !is_package && !exported && takers.taker(name).is_none() {
            return Err(NoGetattrReason::NoReExport);
        }
        if let Some(file) = takers.of_all().filter(|_| !exported) {
            let file = site.program.name_of(file);
            return Err(NoGetattrReason::Refused(format!(
                "`{file}` takes all names of this module, and `__all__` lacks `{name}`"
            )));
        }
        if let Some(asks) = looks_names_up(site) {
            return Err(NoGetattrReason::Refused(format!("`{asks}()` may look for `{name}`")));
        }
        let is_own = own_submodule(site, statement, one) == Some(name.as_str());
        if is_package && !is_own && site.program.has_submodule(site.file(), name) {
            return Err(NoGetattrReason::Refused(format!(
                "`{name}` is also the name of a module of this package"
            )));
        }
        let from_itself = statement.from.is_some() && statement.file_behind(site, None) == Some(site.file());
        if from_itself && own_submodule(site, statement, one).is_none() {
            return Err(NoGetattrReason::Refused(format!("this package takes `{name}` from itself")));
        }
    }
    Ok(())
}

/// Whether the file is the `__init__` of a package.
pub fn is_package(site: &Site<'_>) -> bool {
    site.source().name.rsplit('/').next() == Some("__init__.py")
}

/// The submodule of this very package that a name is: `gpu` of `from . import gpu`.
fn own_submodule<'n>(site: &Site<'_>, statement: &ImportStatement, one: &'n Imported) -> Option<&'n str> {
    let from_itself = statement.from.is_some() && statement.file_behind(site, None) == Some(site.file());
    (from_itself && site.program.has_submodule(site.file(), &one.name)).then_some(one.name.as_str())
}

/// The function, or what is added to the one that is there.
fn getattr(
    site: &Site<'_>,
    tree: &Tree,
    behind: Option<u32>,
    statements: &[ImportStatement],
) -> Result<Edit, Refusal> {
    let (newline, indent) = (site.newline(), site.indent());
    let name_is = |id: NodeId| {
        let mut parts = tree.children(id);
        parts.any(|(_, part)| part.kind == TreeKind::Identifier && site.slice(part.span) == "__getattr__")
    };
    let mut known = tree.top().filter(|(id, node)| node.kind == TreeKind::Function && name_is(*id));
    if let Some((known, _)) = known.next() {
        return extended(site, tree, known, statements);
    }
    let mut bound = site.scopes()?.of_module("__getattr__");
    if bound.any(|mention| mention.what == MentionSort::Bound) {
        return Err("the module has a `__getattr__` already".to_owned());
    }
    let mut lines = vec!["def __getattr__(name):".to_owned()];
    lines.extend(branches(site, statements, "name").into_iter().map(|line| indented(indent, &line)));
    let unknown = r#"raise AttributeError(f"module {__name__!r} has no attribute {name!r}")"#;
    lines.push(format!("{indent}{unknown}"));
    let function: String = lines.iter().map(|line| format!("{line}{newline}")).collect();
    if let Some(end) = behind {
        // Imports that follow may ask for the names.
        let at = line_behind(site.text(), end);
        let blank = blank_lines_at(site.text(), at);
        let gap = newline.repeat(2usize.saturating_sub(blank));
        return Ok(site.insertion(at, format!("{newline}{newline}{function}{gap}")));
    }
    let text = site.text();
    let trimmed = text.trim_end_matches(['\n', '\r', ' ', '\t']);
    let ends: usize = text[trimmed.len()..].matches('\n').count();
    let gap = newline.repeat(3usize.saturating_sub(ends));
    Ok(site.insertion(text.len() as u32, format!("{gap}{function}")))
}

/// Whether a project import behind the first of the statements may run a file that takes one of the names.
fn is_asked_early(
    site: &Site<'_>,
    tree: &Tree,
    takers: &ModuleUsers<'_>,
    statements: &[ImportStatement],
) -> bool {
    let first = statements[0].node;
    let is_taken = |one: &Imported| takers.early_importer_of(&one.bound).is_some();
    let is_project = |one: &ImportStatement| {
        one.names.iter().any(|name| {
            one.file_behind(site, Some(&name.name)).or_else(|| one.file_behind(site, None)).is_some()
        })
    };
    let mut later = tree.top().filter(|(id, _)| *id > first);
    statements.iter().flat_map(ImportStatement::meant).any(is_taken)
        && later.any(|(id, _)| {
            let is_other = !statements.iter().any(|one| one.node == id);
            is_other && ImportStatement::of(site, tree, id).is_some_and(|one| is_project(&one))
        })
}

/// Adds to a `__getattr__` that ends with `raise AttributeError`.
fn extended(
    site: &Site<'_>,
    tree: &Tree,
    known: NodeId,
    statements: &[ImportStatement],
) -> Result<Edit, Refusal> {
    let reason = "the module has a `__getattr__` of another form already";
    let last = tree.children(known).rfind(|(_, child)| child.kind.is_statement()).ok_or(reason)?;
    let span = last.1.span;
    let parameter = tree.below(known).find(|(_, child)| child.kind == TreeKind::Parameter).ok_or(reason)?;
    let parameter = site.slice(parameter.1.span).split(':').next().unwrap_or_default().trim();
    let blanks = crate::fixes::site::blanks_before(site.text(), span.start).ok_or(reason)?;
    if !site.slice(span).starts_with("raise AttributeError") {
        return Err(reason.to_owned());
    }
    let lines = branches(site, statements, parameter);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        // The first line stands behind the blanks that are there.
        let blanks = if number == 0 || line.is_empty() { "" } else { blanks };
        text.push_str(&format!("{blanks}{line}{}", site.newline()));
    }
    text.push_str(blanks);
    Ok(site.insertion(span.start, text))
}

/// One `if` for each import.
fn branches(site: &Site<'_>, statements: &[ImportStatement], asked: &str) -> Vec<String> {
    let indent = site.indent();
    let mut lines = Vec::new();
    for statement in statements {
        let (own, taken): (Vec<&Imported>, Vec<&Imported>) =
            statement.meant().partition(|one| own_submodule(site, statement, one).is_some());
        for one in own {
            // `from . import gpu` would ask this function again.
            let import = format!(r#"return importlib.import_module(".{}", __name__)"#, one.name);
            lines.push(format!(r#"if {asked} == "{}":"#, one.bound));
            lines.extend(["import importlib", "", &import].map(|line| indented(indent, line)));
        }
        let bound: Vec<&str> = taken.iter().map(|one| &*one.bound).collect();
        let Some(&first) = bound.first() else { continue };
        let quoted: Vec<String> = bound.iter().map(|name| format!("\"{name}\"")).collect();
        let room = WIDTH - indent.len();
        match bound.len() {
            1 => lines.push(format!("if {asked} == {}:", quoted[0])),
            _ => lines.extend(listed(&format!("if {asked} in ("), &quoted, "):", (indent, room))),
        }
        let written: Vec<String> = taken.iter().map(|one| site.slice(one.span).to_owned()).collect();
        let room = room - indent.len();
        let global = format!("global {}", bound.join(", "));
        let mut block = match global.len() > room {
            true => bound.iter().map(|name| format!("global {name}")).collect(),
            false => vec![global],
        };
        match &statement.from {
            Some(from) => {
                let line = format!("from {from} import {}", written.join(", "));
                match line.len() > room {
                    true => {
                        block.extend(listed(&format!("from {from} import ("), &written, ")", (indent, room)))
                    }
                    false => block.push(line),
                }
            }
            None => block.push(format!("import {}", written.join(", "))),
        }
        block.push(String::new());
        block.push(match bound.len() {
            1 => format!("return {first}"),
            _ => format!("return globals()[{asked}]"),
        });
        lines.extend(block.iter().map(|line| indented(indent, line)));
    }
    lines
}

/// A list on one line, or on one line for each where that is too long.
fn listed(head: &str, parts: &[String], tail: &str, (indent, room): (&str, usize)) -> Vec<String> {
    let line = format!("{head}{}{tail}", parts.join(", "));
    if line.len() <= room {
        return vec![line];
    }
    let mut lines = vec![head.to_owned()];
    lines.extend(parts.iter().map(|part| format!("{indent}{part},")));
    lines.push(tail.to_owned());
    lines
}

fn indented(indent: &str, line: &str) -> String {
    if line.is_empty() { String::new() } else { format!("{indent}{line}") }
}

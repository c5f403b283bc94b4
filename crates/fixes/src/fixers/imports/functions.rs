//! An import that moves into the functions that use what it binds.

use super::added::{joined, type_checking};
use super::statement::{ImportStatement, Imported};
use super::takers::ModuleUsers;
use super::type_checkers::for_types;
use super::uses::uses_of;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, blanks_before, line_behind, start_with_comments};
use crate::languages::{MentionSort, NodeId, Tree, TreeKind};
use std::collections::BTreeSet;

/// Writes the import into each function that needs it, and keeps it for type checkers where annotations name it.
pub fn import_in_functions(site: &Site<'_>, statement: ImportStatement) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let scopes = site.scopes()?;
    let statements = with_companions(site, tree, statement);
    for one in &statements {
        one.check_place(site, tree)?;
    }
    let uses = uses_of(site, &statements)?;
    let takers = ModuleUsers::of(site);
    for one in statements.iter().flat_map(ImportStatement::meant) {
        let name = &one.bound;
        if scopes.exported.contains(name) {
            return Err(format!("`{name}` is in `__all__`"));
        }
        if let Some(file) = takers.of_all().filter(|_| !name.starts_with('_')) {
            return Err(format!("`{}` takes all names of this module", site.program.name_of(file)));
        }
        if let Some(reason) = takers.taker(name) {
            return Err(reason);
        }
        if let Some(asks) = looks_names_up(site) {
            return Err(format!("`{asks}()` may look for `{name}`"));
        }
    }
    if let Some(unused) =
        statements.iter().flat_map(ImportStatement::meant).find(|one| !uses.have(&one.bound))
    {
        let name = &unused.bound;
        return Err(format!("nothing in this file uses `{name}`, so it may be imported for what it does"));
    }
    let mut edits = Vec::new();
    let goes = uses.annotated.is_empty();
    if goes {
        edits.extend(statements.iter().flat_map(|one| one.removal(site)));
    } else {
        let (condition, import) = type_checking(site, statements[0].node)?;
        edits.extend(import);
        edits.extend(for_types(site, &statements, &condition, false));
    }
    for (&function, names) in &uses.functions {
        let node = tree.exactly(scopes.scope(function).span, |kind| kind == TreeKind::Function);
        let lines = lines_with(site, &statements, names, goes);
        edits.push(lines_at_top(site, tree, node.ok_or("a function is not found again")?, &lines)?);
    }
    for (&block, names) in &uses.started {
        let node = tree.exactly(block, |kind| kind == TreeKind::If);
        let lines = lines_with(site, &statements, names, goes);
        edits.push(lines_at_top(site, tree, node.ok_or("a block is not found again")?, &lines)?);
    }
    let title = match uses.are_in_code() {
        true => "import it where it is used",
        false => "import it for type checkers only",
    };
    Ok(Draft { edits: joined(edits), title: Some(title.to_owned()), ..Draft::default() })
}

/// The statement, and those that bind the same names: `import torch` and `import torch.distributed`.
fn with_companions(site: &Site<'_>, tree: &Tree, statement: ImportStatement) -> Vec<ImportStatement> {
    let is_companion = |one: &Imported| {
        let same = |own: &Imported| own.bound == one.bound && !own.renamed;
        !one.renamed && statement.from.is_none() && statement.meant().any(same)
    };
    let mut others: Vec<ImportStatement> = tree
        .top()
        .filter(|(id, _)| *id != statement.node)
        .filter_map(|(id, _)| ImportStatement::of(site, tree, id))
        .filter(|other| other.from.is_none())
        .collect();
    for other in &mut others {
        other.names.iter_mut().for_each(|one| one.meant = is_companion(one));
    }
    others.retain(|other| other.meant().next().is_some());
    others.push(statement);
    others.sort_by_key(|one| one.node);
    others
}

/// The imports of some names as they are written into a function; a comment that is taken away goes with them.
fn lines_with(
    site: &Site<'_>,
    statements: &[ImportStatement],
    names: &BTreeSet<String>,
    goes: bool,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for statement in statements {
        let wanted = statement.only(|one| one.meant && names.contains(&one.bound));
        if wanted.meant().next().is_some() {
            let comment = statement.comment(site).filter(|_| goes && statement.is_meant_whole());
            let comment = comment.map_or(String::new(), |comment| format!("  {comment}"));
            lines.push((wanted.line(site), comment));
        }
    }
    lines
}

/// What the file asks for names by their text with.
pub fn looks_names_up(site: &Site<'_>) -> Option<&'static str> {
    let scopes = site.scopes().ok()?;
    let is_read = |name: &&&str| scopes.of_module(name).any(|mention| mention.what == MentionSort::Read);
    ["globals", "vars", "eval", "exec"].iter().find(is_read).copied()
}

/// A line, and the comment behind it, for which a function on one line has no room.
type Line = (String, String);

/// Lines put at the top of a function or block, behind the text that describes it and the imports that are there.
fn lines_at_top(site: &Site<'_>, tree: &Tree, owner: NodeId, lines: &[Line]) -> Result<Edit, Refusal> {
    let text = site.text();
    let newline = site.newline();
    let body: Vec<NodeId> =
        tree.children(owner).filter(|(_, child)| child.kind.is_statement()).map(|(id, _)| id).collect();
    let kind = |id: NodeId| tree.node(id).kind;
    let describes = |id: NodeId| {
        let first = tree.children(id).next();
        kind(id) == TreeKind::Evaluate && first.is_some_and(|(_, child)| child.kind == TreeKind::Text)
    };
    let is_import = |id: NodeId| matches!(kind(id), TreeKind::Import | TreeKind::ImportFrom);
    let described = usize::from(body.first().is_some_and(|&first| describes(first)));
    let imports = body[described..].iter().take_while(|&&id| is_import(id)).count();
    let is_alone = |id: NodeId| blanks_before(text, tree.node(id).span.start).is_some();
    let Some(&first) = body.get(described + imports).or(body.get(described)) else {
        return Err("there is no statement to write the import before".to_owned());
    };
    let start = tree.node(first).span.start;
    let Some(blanks) = blanks_before(text, start) else {
        return Ok(
            site.insertion(start, lines.iter().map(|(line, _)| format!("{line}; ")).collect::<String>())
        );
    };
    let own: String =
        lines.iter().map(|(line, comment)| format!("{blanks}{line}{comment}{newline}")).collect();
    if imports > 0 && !is_import(first) && is_alone(body[described]) {
        let last = tree.node(body[described + imports - 1]).span.end;
        let at = line_behind(text, last);
        if text[last as usize..at as usize].contains(';') {
            return Err("an import of the function shares its line".to_owned());
        }
        return Ok(site.insertion(at, own));
    }
    // Comments that speak of the first statement stay with it.
    let at = start_with_comments(text, start - blanks.len() as u32, tree.node(owner).span.start);
    let blank = if is_import(first) { "" } else { newline };
    Ok(site.insertion(at, format!("{own}{blank}")))
}

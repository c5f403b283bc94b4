//! Statements that go past `os.environ`: copies of it, another dictionary under its name, `os.putenv`, and an assignment
//! that looks at nothing that was there.

use super::values::text_edit;
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::environ::{EnvironWrite, Form, environ};
use crate::fixes::lines::removal;
use crate::fixes::site::{Draft, Site, blanks_before, line_behind};
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// `os.environ[key] = value` → `os.environ.setdefault(key, value)`
pub fn setdefault(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let write = EnvironWrite::at(site, tree, site.span()).ok_or("it is no assignment")?;
    let (Form::Item { statement, object }, Some(key)) = (write.form, write.key) else {
        return Err("only an assignment of one variable is changed so".to_owned());
    };
    let (whole, key, value) = (tree.node(statement).span, tree.node(key).span, tree.node(write.value).span);
    let object = site.slice(tree.node(object).span);
    Ok(vec![
        site.edit(Span { start: whole.start, end: key.start }, format!("{object}.setdefault(")),
        site.edit(Span { start: key.end, end: value.start }, ", "),
        site.edit(Span { start: value.end, end: whole.end }, ")"),
    ]
    .into())
}

/// `os.putenv(key, value)` → `os.environ[key] = value`
pub fn instead_of_putenv(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let call = site.span();
    tree.exactly(call, |kind| kind == Kind::Evaluate).ok_or("it is part of another expression")?;
    let arguments = tree
        .exactly(call, |kind| kind == Kind::Call)
        .and_then(|call| tree.children(call).find(|(_, node)| node.kind == Kind::Arguments));
    let arguments: Vec<NodeId> = arguments.map_or(Vec::new(), |(id, _)| {
        tree.children(id).filter(|(_, node)| node.kind.is_expression()).map(|(id, _)| id).collect()
    });
    let [key, value] = arguments[..] else { return Err("its arguments are not plain".to_owned()) };
    let (environ, import) = environ(site, tree, call)?;
    let variable = site.slice(tree.node(key).span).trim_matches(['"', '\'']);
    let text = text_edit(site, tree, value, variable)?;
    let (key, value) = (tree.node(key).span, tree.node(value).span);
    let mut edits = vec![
        site.edit(Span { start: call.start, end: key.start }, format!("{environ}[")),
        site.edit(Span { start: key.end, end: value.start }, "] = "),
        site.edit(Span { start: value.end, end: call.end }, ""),
    ];
    edits.extend(import);
    edits.extend(text);
    Ok(edits.into())
}

/// `os.environ = {…}` → `os.environ.update({…})`
pub fn updated(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let statement = tree.exactly(site.span(), |kind| kind == Kind::Assign).ok_or("it is no assignment")?;
    let parts: Vec<NodeId> = tree.children(statement).map(|(id, _)| id).collect();
    let [target, value] = parts[..] else { return Err("several things are assigned at once".to_owned()) };
    let environ = site.slice(tree.node(target).span);
    Ok(update_of(site, tree, statement, value, environ)?.into())
}

/// `env = os.environ.copy()` and `env["X"] = …` → `os.environ["X"] = …`
pub fn instead_of_copy(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let statement = tree.statement_at(site.span()).ok_or("it is no statement")?;
    let (environ, import) = environ(site, tree, site.span())?;
    let mut edits: Vec<Edit> = import.into_iter().collect();
    if let Some(object) = changed_object(tree, statement) {
        if tree.node(object).kind != Kind::Name {
            edits.push(site.edit(tree.node(object).span, environ));
            return Ok(edits.into());
        }
        let name = site.slice(tree.node(object).span);
        edits.extend(without_copy(site, tree, name, object, &environ)?);
        return Ok(edits.into());
    }
    // The copy is made with the variable in it.
    let parts: Vec<NodeId> = tree.children(statement).map(|(id, _)| id).collect();
    let [target, _] = parts[..] else { return Err("the copy is not assigned to one name".to_owned()) };
    if tree.node(statement).kind != Kind::Assign || tree.node(target).kind != Kind::Name {
        return Err("the copy is not assigned to a name".to_owned());
    }
    let name = site.slice(tree.node(target).span);
    edits.extend(without_copy(site, tree, name, target, &environ)?);
    Ok(edits.into())
}

/// What a statement such as `env["X"] = "1"` or `env.update(…)` changes.
fn changed_object(tree: &Tree, statement: NodeId) -> Option<NodeId> {
    let (first, node) = tree.children(statement).next()?;
    let through = match (tree.node(statement).kind, node.kind) {
        (Kind::Assign, Kind::Subscript) => first,
        (Kind::Evaluate, Kind::Call) => {
            tree.children(first).next().filter(|(_, callee)| callee.kind == Kind::Attribute)?.0
        }
        _ => return None,
    };
    tree.children(through).next().map(|(object, _)| object)
}

/// The edits that write to the environment whatever is written to a copy of it, and that make no copy any more.
fn without_copy(
    site: &Site<'_>,
    tree: &Tree,
    name: &str,
    at: NodeId,
    environ: &str,
) -> Result<Vec<Edit>, Refusal> {
    let home = tree.function_around(at);
    let mut edits = Vec::new();
    let mut copies = Vec::new();
    let names = tree.numbered().filter(|(id, node)| {
        node.kind == Kind::Name
            && site.slice(node.span) == name
            && home.is_none_or(|home| tree.outwards(*id).any(|(around, _)| around == home))
    });
    for (id, node) in names {
        let statement = tree.statement_at(node.span).ok_or("its name is used elsewhere")?;
        if changed_object(tree, statement) == Some(id) {
            edits.push(site.edit(node.span, environ));
        } else if tree.node(statement).kind == Kind::Assign
            && tree.children(statement).next().map(|(id, _)| id) == Some(id)
        {
            copies.push(statement);
        } else {
            return Err(format!("`{name}` is used elsewhere"));
        }
    }
    let [copy] = copies[..] else { return Err(format!("`{name}` is bound several times")) };
    let parts: Vec<NodeId> = tree.children(copy).map(|(id, _)| id).collect();
    let [_, value] = parts[..] else { return Err("the copy has several names".to_owned()) };
    match adds_to(site, tree, value) {
        true => edits.extend(update_of(site, tree, copy, value, environ)?),
        false => match removal(site, tree, copy) {
            Ok(removal) => edits.push(removal),
            // A name more does no harm.
            Err(_) => {
                edits.push(site.edit(tree.node(value).span, environ));
            }
        },
    }
    Ok(edits)
}

/// Whether a copy of the environment is made with something more in it.
fn adds_to(site: &Site<'_>, tree: &Tree, value: NodeId) -> bool {
    let node = tree.node(value);
    match node.kind {
        Kind::Call => site.slice(node.span).contains(','),
        _ => true,
    }
}

/// The statement `target = value` turned into an update of the environment.
fn update_of(
    site: &Site<'_>,
    tree: &Tree,
    statement: NodeId,
    value: NodeId,
    environ: &str,
) -> Result<Vec<Edit>, Refusal> {
    let (whole, node) = (tree.node(statement).span, *tree.node(value));
    let target_end = tree.children(statement).next().map_or(whole.start, |(_, target)| target.span.end);
    if site.slice(Span { start: target_end, end: node.span.start }).contains('(') {
        return Err("the value stands in brackets of its own".to_owned());
    }
    let nothing = || "it would change nothing".to_owned();
    let parts: Vec<NodeId> = tree.children(value).map(|(id, _)| id).collect();
    // What is left of the value without the copy.
    let (start, end) = match node.kind {
        Kind::Dict => {
            let text = site.slice(node.span);
            let inner = text[1..].trim_start();
            match inner.strip_prefix("**").filter(|rest| rest.trim_start().starts_with(environ)) {
                None if text.contains("**") => return Err("other dictionaries are put into it".to_owned()),
                None => (node.span.start, node.span.end),
                Some(_) => {
                    let [copied, next, ..] = parts[..] else { return Err(nothing()) };
                    let stars = node.span.start + (text.len() - inner.len()) as u32;
                    let copied = tree.node(copied).span.end;
                    let between = site.slice(Span { start: copied, end: tree.node(next).span.start });
                    let comma = between.find(',').filter(|at| !between[..*at].contains('#'));
                    let Some(comma) = comma.filter(|_| !between.contains("**")) else {
                        return Err("other dictionaries are put into it".to_owned());
                    };
                    let gone = Span { start: stars, end: copied + comma as u32 + 1 };
                    return Ok(vec![
                        site.edit(
                            Span { start: whole.start, end: node.span.start },
                            format!("{environ}.update("),
                        ),
                        site.edit(with_line(site, gone), ""),
                        site.insertion(node.span.end, ")"),
                    ]);
                }
            }
        }
        Kind::Call => {
            let callee = parts.first().map_or("", |callee| site.slice(tree.node(*callee).span));
            if callee != "dict" {
                return Err(nothing());
            }
            let arguments = tree.children(value).find(|(_, node)| node.kind == Kind::Arguments);
            let given: Vec<Span> = arguments
                .map(|(id, _)| tree.children(id).map(|(_, node)| node.span).collect())
                .unwrap_or_default();
            let first = given.first().ok_or_else(nothing)?;
            if site.slice(*first) == environ {
                let second = given.get(1).ok_or_else(nothing)?;
                return Ok(vec![
                    site.edit(Span { start: whole.start, end: second.start }, format!("{environ}.update(")),
                ]);
            }
            return Ok(vec![
                site.edit(Span { start: whole.start, end: first.start }, format!("{environ}.update(")),
            ]);
        }
        Kind::OtherExpression => {
            let [left, right] = parts[..] else { return Err(nothing()) };
            let (left, right) = (tree.node(left).span, tree.node(right).span);
            let operator = site.slice(Span { start: left.end, end: right.start }).trim();
            if operator != "|" || site.slice(left) != environ {
                return Err("the value is made of several things".to_owned());
            }
            (right.start, right.end)
        }
        Kind::Name | Kind::Attribute => (node.span.start, node.span.end),
        _ => return Err("the value is made of several things".to_owned()),
    };
    let mut edits = vec![site.edit(Span { start: whole.start, end: start }, format!("{environ}.update("))];
    edits.push(match end == whole.end {
        true => site.insertion(end, ")"),
        false => site.edit(Span { start: end, end: whole.end }, ")"),
    });
    Ok(edits)
}

/// A part of a dictionary with the blanks behind it, or with its line where it has one for itself.
fn with_line(site: &Site<'_>, part: Span) -> Span {
    let behind = line_behind(site.text(), part.end);
    let rest = site.slice(Span { start: part.end, end: behind });
    match blanks_before(site.text(), part.start) {
        Some(blanks) if rest.trim().is_empty() => {
            Span { start: part.start - blanks.len() as u32, end: behind }
        }
        _ => {
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            Span { start: part.start, end: part.end + blanks as u32 }
        }
    }
}

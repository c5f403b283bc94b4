//! What a file of settings of the project holds, where a program reads it as data: `yaml.safe_load(f)["layers"]`.

use super::literal_defaults::{Literal, given_to};
use super::memory::path;
use super::pods::value;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::FileId;
use crate::rules::files::FileScope;
use crate::sources::folder_of;

/// What reads a file as data.
const READERS: &[&str] = &[
    "json.load",
    "omegaconf.OmegaConf.load",
    "toml.load",
    "tomli.load",
    "tomllib.load",
    "yaml.full_load",
    "yaml.load",
    "yaml.safe_load",
];

const ENDINGS: &[&str] = &[".json", ".toml", ".yaml", ".yml"];

/// The value of `settings["layers"]`, `settings.layers` and `settings["model"]["layers"]`.
pub(super) fn of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<Literal> {
    let (object, names) = split(scope, expr)?;
    let contents = scope.program.code(file_read(scope, object, 0)?).contents.as_ref()?;
    let held = names.iter().rev().try_fold(contents, |held, name| value(held, name))?;
    match &held.kind {
        ExprKind::Int(number) => Some(Literal::Int(*number)),
        ExprKind::Text(text) => Some(Literal::Text(text.to_string())),
        _ => None,
    }
}

/// What an expression looks into, and the names on the way from the last to the first.
fn split<'e>(scope: &'e FileScope<'_>, expr: &'e Expr<'e>) -> Option<(&'e Expr<'e>, Vec<String>)> {
    /// So deep do settings go.
    const DEEPEST: usize = 5;
    let (mut object, mut names) = (expr, Vec::new());
    while names.len() < DEEPEST {
        match &object.kind {
            ExprKind::Item(pair) => {
                let ExprKind::Text(name) = &pair.1.kind else { return None };
                names.push(name.to_string());
                object = scope.names.meant(&pair.0);
            }
            ExprKind::Attribute(inner, name) => {
                names.push((*name).to_string());
                object = scope.names.meant(inner);
            }
            _ => break,
        }
    }
    (!names.is_empty()).then_some((object, names))
}

/// The file that an expression is the contents of, also where a function is handed them.
fn file_read(scope: &FileScope<'_>, expr: &Expr<'_>, steps: usize) -> Option<FileId> {
    /// So many functions hand it on.
    const MOST_STEPS: usize = 2;
    match &expr.kind {
        ExprKind::Name(name) if steps < MOST_STEPS => {
            given_to(scope, name, expr, &|scope, given| file_read(scope, given, steps + 1))
        }
        _ => is_read(scope, expr).then(|| only_file(scope))?,
    }
}

/// Whether an expression is what a file was read to, at once or by a function of this file.
fn is_read(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    if READERS.contains(&path(scope, &call.callee)) {
        return true;
    }
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let Some(function) = scope.code.functions.iter().find(|function| function.name == name) else {
        return false;
    };
    let mut reads = false;
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && function.span.holds(step.span)
            && let StatementKind::Return(Some(value)) = &step.kind
            && let ExprKind::Call(inner) = &scope.names.meant(value).kind
        {
            reads |= READERS.contains(&path(scope, &inner.callee));
        }
    });
    reads
}

/// The only file of settings that the code of a file names.
fn only_file(scope: &FileScope<'_>) -> Option<FileId> {
    let folder = folder_of(scope.program.name_of(scope.file));
    let mut found: Vec<FileId> = Vec::new();
    let mut others = false;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Text(text), .. }) = part else { return };
        if !ENDINGS.iter().any(|ending| text.ends_with(ending)) || text.contains(' ') {
            return;
        }
        let name = text.trim_start_matches("./");
        let beside = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        match scope.program.file_named(name).or_else(|| scope.program.file_named(&beside)) {
            Some(file) if found.contains(&file) => {}
            Some(file) => found.push(file),
            None => others = true,
        }
    });
    match found[..] {
        [file] if !others => Some(file),
        _ => None,
    }
}

//! `env = {X = "1"}` and its relatives, with the command that such a table belongs to.

use super::super::command_lines::{self, CommandLine, Word, step_of};
use super::super::{interpolation, nesting_room, shell};
use super::{Data, DataKind, Entry};
use crate::code::{Block, Code, Export, Expr, ExprKind, SetVariable, Statement, StatementKind};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::sources::Source;

/// Keys of tables that are the environment of what they stand beside.
const ENVIRONMENT: &[&str] =
    &["env", "env_set", "envs", "environment", "env_vars", "env-vars", "envvars", "environment_variables"];

/// How a file of settings treats what it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    Overrides,
    /// A variable that is already set keeps its value.
    FillsGaps,
}

/// The variables that a table sets.
pub fn variables<'s>(table: &Data<'s>, how: Environment, source: &'s Source) -> Block<'s> {
    table.entries().iter().filter_map(|entry| variable(entry, how, source)).collect()
}

/// `X = "1"`, and `X = {value = "1", skip_if_set = true}` of pytest-env.
pub fn variable<'s>(entry: &Entry<'s>, how: Environment, source: &'s Source) -> Option<Statement<'s>> {
    if !is_variable_name(&entry.key) {
        return None;
    }
    let said = |key: &str| entry.value.get(key).is_some_and(Data::is_true);
    if said("unset") {
        let kind = StatementKind::UnsetVariable(entry.key.clone());
        return Some(Statement { span: entry.span(), kind });
    }
    let (value, keeps) = match entry.value.get("value").or_else(|| entry.value.get("default")) {
        Some(value) => (value, said("skip_if_set") || entry.value.get("default").is_some()),
        None => (&entry.value, false),
    };
    Some(step_of(SetVariable {
        name: entry.key.clone(),
        span: entry.span(),
        value: Some(value_of(value, source)),
        export: Export::Yes,
        only_if_unset: keeps || how == Environment::FillsGaps,
    }))
}

/// What a program finds in the variable.
fn value_of<'s>(value: &Data<'s>, source: &'s Source) -> Expr<'s> {
    let kind = match &value.kind {
        DataKind::Text(text) if text.contains(['$', '{']) => match value.literal(source) {
            Some(literal) if !text.contains('{') || text.contains("${") => {
                return Expr {
                    span: value.span,
                    ..interpolation::value(literal.text, &literal.origin, false)
                };
            }
            _ => ExprKind::Unknown(Vec::new()),
        },
        DataKind::Text(text) => ExprKind::Text(text.clone()),
        DataKind::Int(number) => ExprKind::Text(number.to_string().into()),
        _ => ExprKind::Unknown(Vec::new()),
    };
    Expr { span: value.span, kind }
}

/// The steps of a command: a line for a shell, or its words.
pub fn command_in<'s>(command: &Data<'s>, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    if let DataKind::List(items) = &command.kind {
        let words: Vec<Word<'s>> = items.iter().map(|item| word(item, source)).collect();
        return line(words, command.span, source, code);
    }
    match command.literal(source) {
        Some(text) => shell::lower_part(text.text, &text.origin, source, code).steps,
        None => Vec::new(),
    }
}

/// A value as a word of a command.
pub fn word<'s>(data: &Data<'s>, source: &'s Source) -> Word<'s> {
    let literal = data.literal(source);
    let kind = match &data.kind {
        // `${workspaceFolder}/train.py`: the folder is the project.
        DataKind::Text(text) if text.contains("${") => match text.rsplit_once('}') {
            Some((folder, rest)) if rest.starts_with(['/', '\\']) && !folder.contains("input:") => {
                ExprKind::Text(rest[1..].to_owned().into())
            }
            _ => ExprKind::Unknown(Vec::new()),
        },
        DataKind::Text(text) => ExprKind::Text(text.clone()),
        DataKind::Int(number) => ExprKind::Text(number.to_string().into()),
        _ => ExprKind::Unknown(Vec::new()),
    };
    Word { expr: Expr { span: data.span, kind }, literal }
}

/// A word that the file does not have.
pub fn implied<'s>(text: &'static str, span: Span) -> Word<'s> {
    Word { expr: Expr { span, kind: ExprKind::Text(text.into()) }, literal: None }
}

/// A command of these words.
pub fn line<'s>(words: Vec<Word<'s>>, span: Span, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    let line = CommandLine { span, environment: Vec::new(), words, input: None };
    command_lines::lower(line, source, code).into_iter().collect()
}

/// Every table of variables in a tree, with the command beside it: each is a program of its own.
pub fn environments<'s>(root: &Data<'s>, source: &'s Source, code: &mut Code<'s>) -> Vec<(Span, Block<'s>)> {
    let mut found = Vec::new();
    gather(root, source, code, &mut found);
    found
}

fn gather<'s>(data: &Data<'s>, source: &'s Source, code: &mut Code<'s>, found: &mut Vec<(Span, Block<'s>)>) {
    for entry in data.entries() {
        let is_environment = ENVIRONMENT.contains(&entry.key.to_ascii_lowercase().as_str());
        let mut steps =
            if is_environment { variables(&entry.value, Environment::Overrides, source) } else { Vec::new() };
        if !steps.is_empty() {
            steps.extend(beside(data, source, code));
            found.push((entry.key_span, steps));
        } else {
            nesting_room(|| gather(&entry.value, source, code, found));
        }
    }
    for item in data.items() {
        nesting_room(|| gather(item, source, code, found));
    }
}

/// The command that stands beside an environment: `command` with `args`, or `argv`.
fn beside<'s>(table: &Data<'s>, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    let Some(command) = ["command", "argv", "cmd", "script"].iter().find_map(|key| table.get(key)) else {
        return Vec::new();
    };
    match table.get("args").map(Data::items) {
        Some(arguments) if command.text().is_some() => {
            let words = std::iter::once(command).chain(arguments).map(|item| word(item, source)).collect();
            line(words, command.span, source, code)
        }
        _ => command_in(command, source, code),
    }
}

//! Words of a command → [`Command`]: variables that are set for it alone, and code among its arguments that is
//! read as the language it is in. Every front-end that starts programs uses this.

mod given;

use super::embedded::{Extract, Origin};
use super::{batch, containers, powershell, python, requirements, runner_devices, shell};
use crate::code::{
    Block, Code, Command, Export, Expr, ExprKind, Observation, Observed, SetVariable, Snippet, Statement,
    StatementKind, names_image,
};
use crate::commands::{
    Dialect, SOME_IMAGE, Started, interpreter_named_by, invocation, is_engine, is_variable_name,
};
use crate::facts::Span;
use crate::sources::Source;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A word of a command line.
#[derive(Debug)]
pub struct Word<'s> {
    pub expr: Expr<'s>,
    /// What a program gets, when that is known, and where it stands in the file.
    pub literal: Option<Literal<'s>>,
}

/// A text that is handed to a program.
#[derive(Clone, Debug)]
pub struct Literal<'s> {
    pub text: &'s str,
    pub origin: Origin,
}

/// A command line, taken apart.
pub struct CommandLine<'s> {
    pub span: Span,
    pub environment: Vec<SetVariable<'s>>,
    pub words: Vec<Word<'s>>,
    /// What it reads from its standard input.
    pub input: Option<Literal<'s>>,
}

/// `X=1 command` and `export X=1`, where a shell takes the first word for the name of a program. `also_set`: `set X=1`
/// is no assignment either.
pub fn foreign_assignment<'s>(line: &'s str, span: Span, also_set: bool) -> Option<Statement<'s>> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let text = match first {
        "export" => words.next()?,
        "set" | "SET" | "Set" if also_set => words.next()?,
        _ => first,
    };
    let (name, _) = text.split_once('=').filter(|(name, _)| is_variable_name(name))?;
    // `a=b` may be the name of a program; a name in capitals is a variable.
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    Some(no_assignment(text, span))
}

/// What looks like the assignment of a variable, and sets nothing where it stands.
pub fn no_assignment<'s>(text: &'s str, span: Span) -> Statement<'s> {
    let observed = Observed { what: Observation::ForeignAssignment, about_gpu: true, text: text.into() };
    Statement { span, kind: StatementKind::Observe(Box::new(observed)) }
}

/// `cd FOLDER`, for settings that say where a command runs.
pub fn change_folder<'s>(folder: Expr<'s>) -> Statement<'s> {
    let span = folder.span;
    let words = vec![Expr { span, kind: ExprKind::Text("cd".into()) }, folder];
    let command = Command { environment: Vec::new(), words, snippet: None, script: Vec::new() };
    Statement { span, kind: StatementKind::Command(Box::new(command)) }
}

/// The steps that a command line comes to.
pub fn lower<'s>(line: CommandLine<'s>, source: &'s Source, code: &mut Code<'s>) -> Option<Statement<'s>> {
    let CommandLine { span, mut environment, mut words, input } = line;
    environment.extend(given::take(&mut words));
    let texts: Vec<Option<Cow<'_, str>>> = words.iter().map(as_argument).collect();
    let mut texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
    if is_engine(texts.first().copied().flatten()) {
        let unknown =
            texts.iter_mut().zip(&words).filter(|(text, word)| text.is_none() && names_image(&word.expr));
        unknown.for_each(|(text, _)| *text = Some(SOME_IMAGE));
    }
    let invocation = invocation(&texts);
    requirements::note_command(&words, &invocation.started, &source.text, code);
    let snippet_text = match invocation.started {
        Started::PythonCode(at) => words.get(at).and_then(|word| word.literal.clone()),
        Started::PythonInput => input.clone(),
        _ => None,
    };
    let script_text = match invocation.started {
        Started::ShellCode(dialect, at) => {
            words.get(at).and_then(|word| shell_code(word, dialect, source)).map(|text| (dialect, text))
        }
        Started::ShellInput(dialect) => input.map(|text| (dialect, text)),
        _ => None,
    };
    let expressions: Vec<&Expr<'s>> = words.iter().map(|word| &word.expr).collect();
    let behind = &source.text[(span.end as usize).min(source.text.len())..];
    let line_end = behind.lines().next().unwrap_or_default();
    let before = &source.text[..(span.start as usize).min(source.text.len())];
    let above = before.rsplit('\n').nth(1).unwrap_or_default();
    let comments =
        [above.trim_start(), line_end.trim_start()].map(|text| text.strip_prefix('#').unwrap_or_default());
    let mut seen = containers::observations(&texts, &expressions, comments, source);
    seen.extend(containers::machine_index(&texts, &expressions, source));
    seen.extend(runner_devices::observations(&texts, &expressions, source));
    // From the last to the first, so that positions stay true.
    let mut assigned = Vec::new();
    for &at in invocation.assignments.iter().rev() {
        assigned.extend(assignment(words.remove(at).expr));
    }
    if invocation.repeated {
        assigned.iter_mut().for_each(forget_inputs);
    }
    environment.extend(assigned.into_iter().rev());
    let script = match script_text {
        Some((dialect, text)) => {
            let text = if invocation.repeated { without_inputs(&text, source) } else { text };
            match dialect {
                Dialect::Bourne => shell::lower_part(text.text, &text.origin, source, code).steps,
                Dialect::PowerShell => powershell::lower_part(text.text, &text.origin, source, code).steps,
                Dialect::Batch => batch::lower_part(text.text, &text.origin, source, code).steps,
            }
        }
        None => Block::new(),
    };
    let snippet = snippet_text.and_then(|text| add_snippet(&text, code));
    if words.is_empty() {
        return None;
    }
    let words = words.into_iter().map(|word| word.expr).collect();
    let command = Statement {
        span,
        kind: StatementKind::Command(Box::new(Command { environment, words, snippet, script })),
    };
    if seen.is_empty() {
        return Some(command);
    }
    let steps = seen.into_iter().chain([command]).collect();
    Some(Statement { span, kind: StatementKind::Apart(steps) })
}

/// The code that a shell gets from a word. What the outer shell puts into it is left to the inner one, which knows
/// the same variables.
fn shell_code<'s>(word: &Word<'s>, dialect: Dialect, source: &'s Source) -> Option<Literal<'s>> {
    let literal = match (&word.literal, &word.expr.kind) {
        (Some(literal), _) => literal.clone(),
        (None, ExprKind::Join(parts)) => {
            let mut extract = Extract::default();
            for part in parts {
                let written = match &part.kind {
                    ExprKind::Text(text) => text.clone(),
                    ExprKind::Variable(name) | ExprKind::VariableOr(name, _) => {
                        expansion(name, dialect).into()
                    }
                    _ => expansion("_", dialect).into(),
                };
                extract.push(&written, part.span.start as usize);
            }
            let (text, origin) = extract.finish();
            Literal { text: source.keep(text), origin }
        }
        _ => return None,
    };
    // `sbatch --wrap='…'`; and what is typed into a terminal ends with a line break.
    let start = if literal.text.starts_with("--wrap=") { "--wrap=".len() } else { 0 };
    let end = literal.text.trim_end_matches("\\n").trim_end_matches("^M").trim_end_matches("\\r").len();
    let text = literal.text.get(start..end).unwrap_or(literal.text);
    Some(Literal { text, origin: literal.origin.of_part(&Origin::from(start)) })
}

/// How a shell writes a variable.
fn expansion(name: &str, dialect: Dialect) -> String {
    match (dialect, name.strip_prefix('$')) {
        (Dialect::PowerShell, Some(name)) => format!("${{{name}}}"),
        (Dialect::PowerShell, None) => format!("${{env:{name}}}"),
        (Dialect::Batch, _) => format!("%{}%", name.trim_start_matches(['$', '%'])),
        (Dialect::Bourne, _) => format!("${{{}}}", name.trim_start_matches(['$', '%'])),
    }
}

/// `{}` of `xargs` and `parallel` is another text each time.
fn without_inputs<'s>(code: &Literal<'s>, source: &'s Source) -> Literal<'s> {
    static INPUT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\{[0-9%#/.]*\}").expect("the pattern is a constant"));
    let hidden =
        INPUT.replace_all(code.text, |found: &Captures<'_>| format!("${}", "_".repeat(found[0].len() - 1)));
    Literal { text: source.keep(hidden.into_owned()), origin: code.origin.clone() }
}

fn forget_inputs(set: &mut SetVariable<'_>) {
    if let Some(value) = &mut set.value
        && matches!(&value.kind, ExprKind::Text(text) if text.contains('{'))
    {
        value.kind = ExprKind::Unknown(Vec::new());
    }
}

/// Reads a text as Python and keeps it with the code of the file. What is no Python, a template for example, is
/// left alone.
pub fn add_snippet<'s>(literal: &Literal<'s>, code: &mut Code<'s>) -> Option<usize> {
    let body = python::lower_snippet(literal.text, &literal.origin, code).ok()?;
    let span = literal.origin.span(0, literal.text.len());
    code.snippets.push(Snippet { span, body, stands_alone: false });
    Some(code.snippets.len() - 1)
}

/// The word as far as it says what is started: `X=$Y` is an assignment whatever Y is.
fn as_argument<'w>(word: &'w Word<'_>) -> Option<Cow<'w, str>> {
    match &word.expr.kind {
        ExprKind::Text(text) => Some(Cow::Borrowed(text)),
        ExprKind::Int(number) => Some(Cow::Owned(number.to_string())),
        ExprKind::Variable(name) | ExprKind::VariableOr(name, _) => {
            interpreter_named_by(name).map(Cow::Borrowed)
        }
        ExprKind::Join(parts) => match &parts.first()?.kind {
            ExprKind::Text(text) if is_assignment_start(text) => Some(Cow::Borrowed(text)),
            // `--ntasks="$TASKS"`, `-n"$TASKS"`: an option, whatever its value is.
            ExprKind::Text(text) if text.len() > 1 && text.starts_with('-') && !text.contains(' ') => {
                Some(Cow::Owned(format!("{text}$")))
            }
            // `"$ROOT/train.py"` is a file wherever it lies; code has blanks.
            _ => match &parts.last()?.kind {
                _ if parts
                    .iter()
                    .any(|part| matches!(&part.kind, ExprKind::Text(text) if text.contains(' '))) =>
                {
                    Some(Cow::Borrowed("a text with blanks"))
                }
                ExprKind::Text(text) if text.starts_with(['/', '\\']) => Some(Cow::Borrowed(text)),
                _ => None,
            },
        },
        _ => None,
    }
}

fn is_assignment_start(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_variable_name(name))
}

/// `X=value` as an assignment, when the word begins like one.
pub fn assignment(word: Expr<'_>) -> Option<SetVariable<'_>> {
    let span = word.span;
    let (name, kind) = match word.kind {
        ExprKind::Text(text) => {
            let (name, value) = split(&text)?;
            (name, ExprKind::Text(value.into()))
        }
        ExprKind::Join(mut parts) => {
            let first = parts.first_mut()?;
            let ExprKind::Text(text) = &first.kind else { return None };
            let (name, value) = split(text)?;
            if value.is_empty() {
                parts.remove(0);
            } else {
                first.kind = ExprKind::Text(value.into());
            }
            let only = if parts.len() == 1 { parts.pop() } else { None };
            (name, only.map_or_else(|| ExprKind::Join(parts), |only| only.kind))
        }
        _ => return None,
    };
    let at = Span { start: (span.start + name.len() as u32 + 1).min(span.end), end: span.end };
    let value = Some(Expr { span: at, kind });
    Some(SetVariable { name: name.into(), span, value, export: Export::Yes, only_if_unset: false })
}

/// Name and value of `X=value`.
fn split(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    is_variable_name(name).then(|| (name.to_owned(), value.to_owned()))
}

/// A variable that is set on its own.
pub fn step_of(set: SetVariable<'_>) -> Statement<'_> {
    Statement { span: set.span, kind: StatementKind::SetVariable(Box::new(set)) }
}

//! Lists of commands that a runner of its own starts: justfiles, Procfiles, crontabs, and scripts of shells that set their variables
//! in other words. The commands are lines of a shell.

mod crontab;
mod cshells;
mod justfile;

use super::Refusal;
use super::command_lines::{Literal, step_of};
use super::embedded::Origin;
use super::shell;
use crate::code::{Block, Code, Export, Expr, ExprKind, Host, SetVariable, Statement, StatementKind, Unit};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::sources::Source;

/// Lowers a file, which is what its name says.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    let name = source.name.rsplit('/').next().unwrap_or(&source.name).to_ascii_lowercase();
    if name.contains("just") {
        justfile::lower(source, &mut code);
    } else if name.starts_with("procfile") {
        lower_procfile(source, &mut code);
    } else if name.ends_with(".fish") || name.ends_with("csh") {
        cshells::lower(source, &mut code);
    } else {
        crontab::lower(source, &mut code);
    }
    for (line, at) in lines(&source.text) {
        if let Some(start) = line.find('#').filter(|_| line.contains("gpulint:")) {
            code.comments.push(Span::new(at + start, at + line.trim_end().len()));
        }
    }
    Ok(code)
}

/// `web: gunicorn app`: each line is a process of its own.
fn lower_procfile<'s>(source: &'s Source, code: &mut Code<'s>) {
    for (line, at) in lines(&source.text) {
        let Some((name, command)) = line.split_once(':') else { continue };
        if line.starts_with('#')
            || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            continue;
        }
        let span = Span::new(at, at + name.len());
        let body =
            commands(&Literal { text: command, origin: Origin::from(at + name.len() + 1) }, source, code);
        add(span, format!("process `{name}`"), body, code);
    }
}

/// The lines of a text without their ends, with where each begins.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (line.trim_end_matches(['\n', '\r']), start)
    })
}

/// The steps of a command line.
fn commands<'s>(text: &Literal<'s>, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    shell::lower_part(text.text, &text.origin, source, code).steps
}

fn add<'s>(span: Span, name: String, body: Block<'s>, code: &mut Code<'s>) {
    if !body.is_empty() {
        code.units.push(Unit { span, name: name.into(), host: Host::Machine, body });
    }
}

/// `X = 1` or `X := "1"`: a variable for all that follows. `value_at` is where the value begins in the file; a value that
/// is computed is not known.
fn variable<'s>(name: &'s str, name_at: usize, value: &'s str, value_at: usize) -> Option<Statement<'s>> {
    let plain = value.trim();
    let value_at = value_at + value.len() - value.trim_start().len();
    let unquoted = ['"', '\''].iter().find_map(|quote| plain.strip_prefix(*quote)?.strip_suffix(*quote));
    let is_known = match unquoted {
        Some(text) => !text.contains(['"', '\'', '{', '$', '`']),
        None => plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_,.:/".contains(&byte)),
    };
    let kind = match is_known {
        true => ExprKind::Text(unquoted.unwrap_or(plain).into()),
        false => ExprKind::Unknown(Vec::new()),
    };
    let span = Span::new(value_at, value_at + plain.len());
    is_variable_name(name).then(|| {
        step_of(SetVariable {
            name: name.into(),
            span: Span::new(name_at, span.end as usize),
            value: Some(Expr { span, kind }),
            export: Export::Yes,
            only_if_unset: false,
        })
    })
}

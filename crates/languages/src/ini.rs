//! INI files: what pytest and tox set, and keys that choose a device.

pub mod reader;
mod services;

use super::command_lines::{Literal, step_of};
use super::dotenv::first_line;
use super::embedded::{Extract, Origin};
use super::{Refusal, contents, data, requirements, settings, shell};
use crate::code::{Block, Code, Export, Expr, ExprKind, Host, SetVariable, Statement, StatementKind, Unit};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::sources::Source;
use reader::{Ini, Key};

/// Lowers a file.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    if data::is_generated(&source.name) {
        return Ok(code);
    }
    let ini = reader::read(&source.text);
    code.contents = contents::of_ini(&ini, &source.text);
    let file = source.name.rsplit('/').next().unwrap_or(&source.name);
    let tests = if file == "setup.cfg" { "tool:pytest" } else { "pytest" };
    if let Some(section) = ini.section(tests) {
        let lines = section.key(&["env"]).map(|key| key.lines.as_slice()).unwrap_or_default();
        let mut body = Vec::new();
        for &(text, at) in lines {
            body.extend(test_variables(&Literal { text, origin: Origin::from(at) }));
        }
        code.before_tests = Some(code.units.len());
        let name = "what pytest sets".into();
        code.units.push(Unit { span: section.span, name, host: Host::Machine, body });
    }
    environments(&ini, &Origin::from(0), source, &mut code);
    services::lower(&ini, source, &mut code);
    if file == "setup.cfg" {
        requirements::note_cfg(&ini, &mut code);
    }
    if file == "settings.ini" {
        requirements::note_nbdev(&ini, &mut code);
    }
    let body = devices(&ini);
    if !body.is_empty() {
        code.units.push(Unit { span: first_line(&source.text), name: "".into(), host: Host::Machine, body });
    }
    code.comments =
        ini.comments.into_iter().filter(|span| source.text[span.range()].contains("gpulint:")).collect();
    Ok(code)
}

/// The environments of tox in a text that stands in another file.
pub fn tox<'s>(text: &Literal<'s>, source: &'s Source, code: &mut Code<'s>) {
    environments(&reader::read(text.text), &text.origin, source, code);
}

/// `X=1` with the flags of pytest-env: `D:X=1` keeps what is set, `R:` takes the value as it is.
pub fn test_variables<'s>(text: &Literal<'s>) -> Block<'s> {
    let mut steps = Vec::new();
    let mut at = 0;
    for line in text.text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let line = line.trim();
        let Some(equals) = line.find('=') else { continue };
        let head = line[..equals].trim_end();
        let name = head.rsplit(':').next().unwrap_or(head);
        let flags = &head[..head.len() - name.len()];
        let is_raw = flags.contains('R');
        let value_start = start + equals + 1;
        let value = line[equals + 1..].trim();
        let value_start = value_start + line[equals + 1..].len() - line[equals + 1..].trim_start().len();
        let kind = match value {
            value if value.contains('{') && !is_raw => ExprKind::Unknown(Vec::new()),
            value => ExprKind::Text(value.into()),
        };
        let value = Expr { span: text.origin.span(value_start, value_start + value.len()), kind };
        let name_start = start + flags.len();
        if is_variable_name(name) {
            steps.push(step_of(SetVariable {
                name: name.into(),
                span: Span { start: text.origin.span(name_start, name_start).start, end: value.span.end },
                value: Some(value),
                export: Export::Yes,
                only_if_unset: flags.contains('D'),
            }));
        }
    }
    steps
}

/// `[testenv]` and `[testenv:name]` of tox.
fn environments<'s>(ini: &Ini<'s>, origin: &Origin, source: &'s Source, code: &mut Code<'s>) {
    const VARIABLES: &[&str] = &["setenv", "set_env"];
    let base = ini.section("testenv");
    for section in &ini.sections {
        let Some(name) = section.name.strip_prefix("testenv") else { continue };
        let own = section.key(VARIABLES).map(|key| key.lines.as_slice()).unwrap_or_default();
        let below = base.filter(|base| base.name != section.name);
        let below =
            below.and_then(|base| base.key(VARIABLES)).map(|key| key.lines.as_slice()).unwrap_or_default();
        // A section that names variables has them instead of those of the base, unless it asks for those too.
        let takes_both = own.iter().any(|(text, _)| text.starts_with("{[testenv]"));
        let below = if own.is_empty() || takes_both { below } else { &[] };
        let mut body: Block<'s> = Vec::new();
        for &(text, at) in below.iter().chain(own) {
            let literal = Literal { text, origin: origin.of_part(&Origin::from(at)) };
            body.extend(test_variables(&literal));
        }
        let commands = section.key(&["commands"]).or_else(|| base.and_then(|base| base.key(&["commands"])));
        for text in commands.map(|key| command_lines(key, origin, source)).unwrap_or_default() {
            let steps = shell::lower_part(text.text, &text.origin, source, code).steps;
            let span = text.origin.span(0, text.text.len());
            body.push(Statement { span, kind: StatementKind::Apart(steps) });
        }
        if !body.is_empty() {
            let name = name.trim_start_matches(':');
            let name =
                if name.is_empty() { "environment".into() } else { format!("environment `{name}`").into() };
            let span = origin.span(section.span.start as usize, section.span.end as usize);
            code.units.push(Unit { span, name, host: Host::Machine, body });
        }
    }
}

/// The commands of a value, as a shell would read them: tox knows no shell, and splits words as one does.
fn command_lines<'s>(key: &Key<'s>, origin: &Origin, source: &'s Source) -> Vec<Literal<'s>> {
    let mut commands = Vec::new();
    let mut extract = Extract::default();
    for &(text, at) in &key.lines {
        let part = text.strip_suffix('\\').unwrap_or(text);
        // `- pytest`: a failure does not matter.
        let lead =
            if extract.len() == 0 { part.len() - part.trim_start_matches(['-', '!', ' ']).len() } else { 0 };
        replaced(&part[lead..], at + lead, &mut extract);
        if part.len() == text.len() {
            let (text, part) = std::mem::take(&mut extract).finish();
            commands.push(Literal { text: source.keep(text), origin: origin.of_part(&part) });
        }
    }
    commands
}

/// Adds a line without what tox puts in: `{toxinidir}/train.py` is a file of the project.
fn replaced(text: &str, at: usize, extract: &mut Extract) {
    const FOLDERS: &[&str] = &["toxinidir", "tox_root"];
    let mut plain = 0;
    while let Some(open) = text[plain..].find('{').map(|found| plain + found) {
        let Some(length) = text[open..].find('}') else { break };
        extract.push(&text[plain..open], at + plain);
        let name = &text[open + 1..open + length];
        plain = open + length + 1;
        if name == "envpython" {
            extract.push("python", at + open);
        } else if FOLDERS.contains(&name) && text[plain..].starts_with('/') {
            plain += 1;
        } else if !name.starts_with("posargs") {
            extract.push("$_", at + open);
        }
    }
    extract.push(&text[plain..], at + plain);
}

/// Keys that may choose a device.
fn devices<'s>(ini: &Ini<'s>) -> Block<'s> {
    let mut block = Vec::new();
    for section in &ini.sections {
        for key in &section.keys {
            let &[(text, at)] = key.lines.as_slice() else { continue };
            let span = Span::new(at, at + text.len());
            let plain = text.trim_matches(['"', '\'']);
            let kind = match text.parse() {
                Ok(number) => ExprKind::Int(number),
                Err(_) => ExprKind::Text(plain.into()),
            };
            let path = [section.name, key.name].map(std::borrow::Cow::from);
            block.extend(settings::step(&path, key.span, Expr { span, kind }));
        }
    }
    block
}

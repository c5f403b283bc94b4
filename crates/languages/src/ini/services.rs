//! Services that a manager starts: units of systemd, and programs of supervisord.

use super::super::command_lines::{change_folder, step_of};
use super::super::embedded::Origin;
use super::super::shell;
use super::reader::{Ini, Key, Section};
use crate::code::{
    Block, Code, Command, Export, Expr, ExprKind, Host, SetVariable, Statement, StatementKind, Unit,
};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::sources::Source;

pub fn lower<'s>(ini: &Ini<'s>, source: &'s Source, code: &mut Code<'s>) {
    for section in &ini.sections {
        if section.name == "Service" && source.name.ends_with(".service") {
            add(section, "service".to_owned(), of_systemd(section, source, code), code);
        } else if let Some(unit) = drop_in_of(source).filter(|_| section.name == "Service") {
            let mut body = of_systemd(section, source, code);
            if body.is_empty() {
                body = variables_of(section);
                body.extend(known_unit(unit, section.span));
            }
            add(section, format!("addition to `{unit}`"), body, code);
        } else if let Some(name) = section.name.strip_prefix("program:") {
            let mut body = Vec::new();
            for of in [ini.section("supervisord"), Some(section)].into_iter().flatten() {
                for (text, at) in of.key(&["environment"]).map(|key| key.lines.as_slice()).unwrap_or_default()
                {
                    body.extend(assignments(text, *at, &[',']));
                }
            }
            let folder = section.key(&["directory"]);
            let command = section.key(&["command"]);
            let started = started(folder, command, "", source, code);
            if !started.is_empty() {
                body.extend(started);
                add(section, format!("program `{name}`"), body, code);
            }
        }
    }
}

fn add<'s>(section: &Section<'s>, name: String, body: Block<'s>, code: &mut Code<'s>) {
    if !body.is_empty() {
        code.units.push(Unit { span: section.span, name: name.into(), host: Host::Machine, body });
    }
}

/// The unit that a file adds to: `ollama` of `ollama.service.d/override.conf`.
fn drop_in_of(source: &Source) -> Option<&str> {
    let (folder, _) = source.name.rsplit_once('/')?;
    folder.rsplit('/').next()?.strip_suffix(".service.d")
}

/// What a unit starts that packages bring along, and that stands in no project.
fn known_unit<'s>(unit: &str, span: Span) -> Option<Statement<'s>> {
    let words: &[&'static str] = match unit {
        "ollama" => &["ollama", "serve"],
        _ => return None,
    };
    let words = words.iter().map(|word| Expr { span, kind: ExprKind::Text((*word).into()) }).collect();
    let command = Command { environment: Vec::new(), words, snippet: None, script: Vec::new() };
    Some(Statement { span, kind: StatementKind::Command(Box::new(command)) })
}

fn variables_of<'s>(section: &Section<'s>) -> Block<'s> {
    let mut body = Vec::new();
    for (text, at) in section.keys.iter().filter(|key| key.name == "Environment").flat_map(|key| &key.lines) {
        body.extend(assignments(text, *at, &[' ', '\t']));
    }
    body
}

fn of_systemd<'s>(section: &Section<'s>, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    let all = |name: &'static str| section.keys.iter().filter(move |key| key.name == name);
    let mut body = variables_of(section);
    for (text, at) in all("EnvironmentFile").flat_map(|key| &key.lines) {
        let path = text.trim_start_matches('-');
        let span = Span::new(at + text.len() - path.len(), at + text.len());
        let file = Expr { span, kind: ExprKind::Text(path.into()) };
        body.push(Statement { span, kind: StatementKind::ExportAll(true) });
        body.push(Statement { span, kind: StatementKind::Source(file) });
        body.push(Statement { span, kind: StatementKind::ExportAll(false) });
    }
    let mut starts = false;
    for command in ["ExecStartPre", "ExecStart"].into_iter().flat_map(all) {
        // `-/usr/bin/python`: a failure does not matter.
        let started = started(section.key(&["WorkingDirectory"]), Some(command), "-@:+!|", source, code);
        starts |= !started.is_empty();
        body.extend(started);
    }
    if starts { body } else { Vec::new() }
}

/// A command with the folder in which it runs; signs before it say how it is started.
fn started<'s>(
    folder: Option<&Key<'s>>,
    command: Option<&Key<'s>>,
    signs: &str,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Block<'s> {
    let Some((first, rest)) = command.and_then(|command| command.lines.split_first()) else {
        return Vec::new();
    };
    // A long command goes on in the next line.
    let (_, at) = *first;
    let end = rest.last().unwrap_or(first);
    let text = &source.text[at..end.1 + end.0.len()];
    let command = text.trim_start_matches(|letter| signs.contains(letter));
    let origin = Origin::from(at + text.len() - command.len());
    let mut steps = Vec::new();
    if let Some(&(text, at)) = folder.and_then(|folder| folder.lines.first()) {
        let span = Span::new(at, at + text.len());
        steps.push(change_folder(Expr { span, kind: ExprKind::Text(text.into()) }));
    }
    let started = shell::lower_part(command, &origin, source, code).steps;
    if started.is_empty() {
        return Vec::new();
    }
    steps.extend(started);
    steps
}

/// `A=1 "B=2 3"`, and `A="1",B="2"` where commas stand between them.
fn assignments<'s>(text: &'s str, at: usize, between: &[char]) -> Block<'s> {
    let mut steps = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let ends = text.char_indices().map(|(end, letter)| (end, Some(letter))).chain([(text.len(), None)]);
    for (end, letter) in ends {
        match (letter, quote) {
            (Some(letter @ ('"' | '\'')), None) => quote = Some(letter),
            (Some(letter), Some(open)) if letter == open => quote = None,
            (Some(letter), None) if between.contains(&letter) => {
                steps.extend(assignment(&text[start..end], at + start));
                start = end + 1;
            }
            (None, _) => steps.extend(assignment(&text[start..], at + start)),
            _ => {}
        }
    }
    steps
}

fn assignment<'s>(word: &'s str, at: usize) -> Option<Statement<'s>> {
    const QUOTES: [char; 2] = ['"', '\''];
    let lead = word.len() - word.trim_start().trim_start_matches(QUOTES).len();
    let (name, value) = word[lead..].split_once('=')?;
    let plain = value.trim().trim_matches(QUOTES);
    let value_at = at + lead + name.len() + 1 + value.find(plain).unwrap_or(0);
    let span = Span::new(value_at, value_at + plain.len());
    // `%i` of systemd is another text for each instance.
    let kind = match plain.contains(['%', '$']) {
        true => ExprKind::Unknown(Vec::new()),
        false => ExprKind::Text(plain.into()),
    };
    is_variable_name(name.trim()).then(|| {
        step_of(SetVariable {
            name: name.trim().into(),
            span: Span::new(at + lead, span.end as usize),
            value: Some(Expr { span, kind }),
            export: Export::Yes,
            only_if_unset: false,
        })
    })
}

//! Services that a manager starts: units of systemd, and programs of supervisord.

use super::super::command_lines::{change_folder, step_of};
use super::super::embedded::Origin;
use super::super::shell;
use super::reader::{Ini, Key, Section};
use crate::code::{
    Block, Code, Command, Export, Expr, ExprKind, Host, Observation, SetVariable, Statement, StatementKind,
    Unit,
};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::languages::containers::observed_at;
use crate::sources::Source;

pub fn lower<'s>(ini: &Ini<'s>, source: &'s Source, code: &mut Code<'s>) {
    for section in &ini.sections {
        if section.name == "uwsgi" {
            let mut body = Vec::new();
            for (text, at) in section.keys.iter().filter(|key| key.name == "env").flat_map(|key| &key.lines) {
                body.extend(assignments(text, *at, &[]));
            }
            add(section, "uwsgi".to_owned(), body, code);
        }
        if section.name == "Service" && source.name.ends_with(".service") {
            add(section, "service".to_owned(), of_systemd(section, source, code), code);
        } else if let Some(unit) = drop_in_of(source).filter(|_| section.name == "Service") {
            let mut body = of_systemd(section, source, code);
            if body.is_empty() {
                body = variables_of(section, source);
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

fn variables_of<'s>(section: &Section<'s>, source: &'s Source) -> Block<'s> {
    const BETWEEN: &[char] = &[' ', '\t'];
    let mut body = Vec::new();
    for (text, at) in section.keys.iter().filter(|key| key.name == "Environment").flat_map(|key| &key.lines) {
        let ignored = ignored(text, *at);
        let is_set = |step: &Statement<'_>| ignored.is_none_or(|(_, span)| !span.holds(step.span));
        body.extend(assignments(text, *at, BETWEEN).into_iter().filter(is_set));
        body.extend(
            ignored.map(|(word, span)| observed_at(Observation::IgnoredAssignment, word, span, source)),
        );
    }
    body
}

/// What systemd leaves out of a line with a variable of the GPU, since it is no assignment: `"CUDA_VISIBLE_DEVICES =0"`, whose name
/// ends with a blank, `CUDA_VISIBLE_DEVICES = 0` in three words, and the `1` of `CUDA_VISIBLE_DEVICES=0, 1`.
fn ignored(text: &str, at: usize) -> Option<(&str, Span)> {
    const BLANKS: &[char] = &[' ', '\t'];
    let words = words(text, BLANKS);
    let is_of_gpu = |name: &str| VARIABLES.contains(&name.trim());
    let mut follows_mask = false;
    for &(start, word) in words.iter().filter(|(_, word)| !word.is_empty()) {
        let lead = word.len() - word.trim_start_matches(QUOTES).len();
        let plain = word.trim_matches(QUOTES);
        let span = Span::new(at + start + lead, at + start + lead + plain.len());
        match plain.split_once('=') {
            Some((name, _)) if is_of_gpu(name) && name.ends_with(BLANKS) => return Some((plain, span)),
            Some((name, value)) => follows_mask = is_of_gpu(name) && value.ends_with(','),
            None if is_of_gpu(plain) => return Some((plain, span)),
            None if follows_mask => return Some((plain, span)),
            None => {}
        }
    }
    None
}

/// Variables of which a line may be wrong in this way.
const VARIABLES: &[&str] = &[
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "PYTORCH_CUDA_ALLOC_CONF",
    "ROCR_VISIBLE_DEVICES",
];

const QUOTES: [char; 2] = ['"', '\''];

fn of_systemd<'s>(section: &Section<'s>, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    let all = |name: &'static str| section.keys.iter().filter(move |key| key.name == name);
    let mut body = variables_of(section, source);
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
    words(text, between).into_iter().filter_map(|(start, word)| assignment(word, at + start)).collect()
}

/// The words of a line with their quotes, and where each begins.
fn words<'s>(text: &'s str, between: &[char]) -> Vec<(usize, &'s str)> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (end, letter) in text.char_indices() {
        match (letter, quote) {
            (letter @ ('"' | '\''), None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (letter, None) if between.contains(&letter) => {
                words.push((start, &text[start..end]));
                start = end + 1;
            }
            _ => {}
        }
    }
    words.push((start, &text[start..]));
    words
}

fn assignment<'s>(word: &'s str, at: usize) -> Option<Statement<'s>> {
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

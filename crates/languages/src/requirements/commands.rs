//! `pip install …` and its relatives, on a command line of any shell.

use super::super::command_lines::Word;
use super::{lines, statement};
use crate::code::{Code, ExprKind, Index, Part};
use crate::commands::{Started, program_name};
use crate::facts::Span;
use std::sync::Arc;

/// Options that take the next word for their value and say nothing of packages.
const WITH_VALUE: &[&str] = &[
    "-t",
    "-e",
    "-p",
    "--target",
    "--editable",
    "--python",
    "--python-version",
    "--platform",
    "--prefix",
    "--root",
    "--cache-dir",
    "--implementation",
    "--abi",
    "--progress-bar",
    "--only-binary",
    "--no-binary",
    "--src",
    "--log",
    "--timeout",
    "--retries",
    "--proxy",
    "--trusted-host",
    "--cert",
    "--extra",
    "--group",
    "--package",
    "-d",
    "-w",
    "--upgrade-package",
    "-P",
    "--index-strategy",
    "--prerelease",
    "--resolution",
];

/// Options whose value is read.
const SAYING: &[&str] = &[
    "-r",
    "-c",
    "-i",
    "-f",
    "--requirement",
    "--requirements",
    "--constraint",
    "--constraints",
    "--index-url",
    "--extra-index-url",
    "--default-index",
    "--index",
    "--find-links",
    "--torch-backend",
];

/// Notes the packages that a command line installs. `started` is what its words come to.
pub fn note<'s>(words: &[Word<'s>], started: &Started, source: &str, code: &mut Code<'s>) {
    if matches!(started, Started::Program(name) if CONDA.contains(&name.as_str())) {
        return note_conda(words, code);
    }
    let is_installer = match started {
        Started::Program(name) => is_pip(name) || name == "uv",
        Started::Module(name) => name == "pip",
        _ => false,
    };
    if !is_installer {
        return;
    }
    let texts: Vec<Option<&str>> = words.iter().map(text_of).collect();
    let Some(first) = arguments_start(&texts) else { return };
    let part = next_part(code);
    let mut index = Index::default();
    let noted = code.requirements.len();
    let mut at = first;
    while at < words.len() {
        let Some(text) = texts[at] else {
            at += 1;
            continue;
        };
        let next = texts.get(at + 1).copied().flatten();
        if text.starts_with('-') {
            if let Some(value) = words.get(at + 1).filter(|_| SAYING.contains(&text) && next.is_none()) {
                // `--index-url ${TORCH_INDEX}`, which an `ARG` of the file may say.
                match given_by_file(value, source) {
                    Some(value) => lines::option(&format!("{text} {value}"), &mut index, &mut Vec::new()),
                    None => index.links = true,
                }
            } else if SAYING.contains(&text) {
                // Files that are named are looked at as files.
                lines::option(&format!("{text} {}", next.unwrap_or_default()), &mut index, &mut Vec::new());
            } else {
                lines::option(text, &mut index, &mut Vec::new());
            }
            at += if WITH_VALUE.contains(&text) || SAYING.contains(&text) { 2 } else { 1 };
            continue;
        }
        if let Some(mut requirement) = statement::read(text, 0, part.clone()) {
            requirement.span = span_of(&words[at]);
            code.requirements.push(requirement);
        }
        at += 1;
    }
    set_by_variables(&texts, source, &mut index);
    let index = Arc::new(index);
    code.requirements[noted..].iter_mut().for_each(|it| it.index = Arc::clone(&index));
}

const CONDA: &[&str] = &["conda", "mamba", "micromamba"];

/// `conda install -y pytorch cpuonly -c pytorch`
fn note_conda<'s>(words: &[Word<'s>], code: &mut Code<'s>) {
    const VALUED: &[&str] =
        &["-c", "-f", "-n", "-p", "--channel", "--file", "--name", "--prefix", "--root-prefix"];
    let texts: Vec<Option<&str>> = words.iter().map(text_of).collect();
    let installs = |text: &Option<&str>| matches!(text, Some("install" | "create"));
    let Some(start) = texts.iter().take(6).position(installs) else { return };
    let part = next_part(code);
    let mut at = start + 1;
    while at < words.len() {
        match texts[at] {
            Some(text) if text.starts_with('-') => at += usize::from(VALUED.contains(&text)),
            Some(text) => {
                if let Some(mut requirement) = statement::conda(text, 0) {
                    requirement.span = span_of(&words[at]);
                    requirement.part = part.clone();
                    code.requirements.push(requirement);
                }
            }
            None => {}
        }
        at += 1;
    }
}

fn next_part(code: &Code<'_>) -> Part {
    let number = code.requirements.iter().filter_map(|it| match it.part {
        Part::Command(number) => Some(number + 1),
        _ => None,
    });
    Part::Command(number.max().unwrap_or(0))
}

/// What a file says of a variable that a word is: the default of an `ARG`, where nothing else is said of it.
fn given_by_file<'t>(word: &'t Word<'_>, source: &'t str) -> Option<&'t str> {
    let (ExprKind::Variable(name) | ExprKind::VariableOr(name, _)) = &word.expr.kind else { return None };
    let mut said = assigned(source, name);
    said.next().filter(|_| said.next().is_none())
}

/// Indexes that variables of the same file name: `ENV PIP_INDEX_URL=…`, `ENV UV_TORCH_BACKEND=cpu`.
fn set_by_variables(texts: &[Option<&str>], source: &str, index: &mut Index) {
    let for_uv = texts.iter().flatten().any(|text| program_name(text) == "uv");
    let variables: &[(&str, &str)] = match for_uv {
        true => &[
            ("UV_DEFAULT_INDEX", "--index-url"),
            ("UV_INDEX_URL", "--index-url"),
            ("UV_TORCH_BACKEND", "--torch-backend"),
        ],
        false => &[("PIP_INDEX_URL", "--index-url")],
    };
    for (variable, option) in variables {
        let mut said = assigned(source, variable);
        if index.only.is_none()
            && let Some(value) = said.next().filter(|value| said.next().is_none() && !value.contains('$'))
        {
            lines::option(&format!("{option} {value}"), index, &mut Vec::new());
        }
    }
}

/// The values that lines such as `ENV X=…`, `ARG X=…` and `export X=…` give to a variable.
fn assigned<'t>(source: &'t str, variable: &'t str) -> impl Iterator<Item = &'t str> {
    let text = move |line: &'t str| -> Option<&'t str> {
        let line = line.trim_start();
        let line =
            ["ARG ", "ENV ", "export "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
        let value = line.trim_start().strip_prefix(variable)?.strip_prefix(['=', ' '])?;
        let value = value.split_whitespace().next()?.trim_matches(['"', '\'']);
        (!value.is_empty()).then_some(value)
    };
    source.lines().filter_map(text)
}

fn is_pip(name: &str) -> bool {
    name.strip_prefix("pip")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn text_of<'w>(word: &'w Word<'_>) -> Option<&'w str> {
    match &word.expr.kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

fn span_of(word: &Word<'_>) -> Span {
    word.expr.span
}

/// Where the packages begin: behind `pip install`, `pip download`, `uv add`.
fn arguments_start(texts: &[Option<&str>]) -> Option<usize> {
    let is = |at: usize, known: &[&str]| {
        texts.get(at).copied().flatten().is_some_and(|text| known.contains(&text))
    };
    for (at, text) in texts.iter().enumerate() {
        let Some(name) = text.map(program_name) else { continue };
        if is_pip(name) && is(at + 1, &["install", "download", "wheel"]) {
            return Some(at + 2);
        }
        if name == "uv" && is(at + 1, &["add"]) {
            return Some(at + 2);
        }
    }
    None
}

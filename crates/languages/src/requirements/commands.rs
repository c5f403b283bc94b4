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
pub fn note<'s>(words: &[Word<'s>], started: &Started, code: &mut Code<'s>) {
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
    let number = code.requirements.iter().filter_map(|it| match it.part {
        Part::Command(number) => Some(number + 1),
        _ => None,
    });
    let part = Part::Command(number.max().unwrap_or(0));
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
            if SAYING.contains(&text) {
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
    let index = Arc::new(index);
    code.requirements[noted..].iter_mut().for_each(|it| it.index = Arc::clone(&index));
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

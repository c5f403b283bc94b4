//! A build of torch that a command asks one index for, and that another index gives.

use super::Build;
use crate::code::{Part, Requirement};
use crate::rules::files::{FileScope, RawFinding};

/// What comes from the indexes of PyTorch.
const PACKAGES: &[&str] = &["torch", "torchaudio", "torchvision"];

/// `uv pip install torch --index-url …/cu118 --extra-index-url https://pypi.org/simple`, and a variable that adds the index of
/// the builds for the CPU.
pub fn overruled_indexes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let by_variable = text.lines().find_map(extra_by_variable);
    let mut found = left_behind(scope);
    let mut last: Option<&Part> = None;
    for asked in scope.code.requirements.iter().filter(|asked| PACKAGES.contains(&asked.name.as_str())) {
        let is_command = matches!(asked.part, Part::Command(_)) && last != Some(&asked.part);
        let Some(only) = asked.index.only.as_deref().filter(|_| is_command) else { continue };
        let Some(wanted) = Build::of_address(only) else { continue };
        let command = command_around(text, asked.span.start as usize);
        let words: Vec<&str> = command.split_whitespace().collect();
        let is_uv = words.windows(2).any(|pair| pair == ["uv", "pip"]);
        let is_chosen = command.contains("--index-strategy") || command.contains("UV_INDEX_STRATEGY");
        let extra = asked.index.extra.iter().find(|extra| extra.contains("pypi.org"));
        let overruling = match extra {
            Some(extra) if is_uv && !is_chosen => {
                Some((extra.clone(), "uv asks the extra index first, and takes what it has there"))
            }
            _ => {
                let extra = by_variable.filter(|extra| {
                    !is_uv
                        && Build::of_address(extra)
                            .is_some_and(|build| build != wanted && build == Build::Other)
                });
                extra.filter(|_| !is_pinned(asked)).map(|extra| {
                    (extra.to_owned(), "pip takes the newest version of all indexes, whichever has it")
                })
            }
        };
        if let Some((other, reason)) = overruling {
            last = Some(&asked.part);
            let raw_finding = RawFinding::at(scope.place(asked.span)).word("name", &asked.name);
            found.push(raw_finding.word("index", only).word("other", other).word("reason", reason));
        }
    }
    found
}

/// `--extra-index-url …/whl/cu118` with `torch`: that index has no new versions, and PyPI has.
fn left_behind(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let published = &scope.program.knowledge.tables.wheels.published;
    let mut found: Vec<RawFinding> = Vec::new();
    for asked in scope.code.requirements.iter().filter(|asked| asked.name == "torch") {
        let is_open = || !scope.text(asked.span).contains(['=', '<', '@', '/', '~']);
        if asked.index.only.is_some() || asked.index.links || is_bounded(asked) && !is_open() {
            continue;
        }
        let [extra] = asked.index.extra.as_slice() else { continue };
        let Some(cuda) = Build::of_address(extra).and_then(Build::cuda) else { continue };
        let is_known = published.iter().any(|row| row.cuda.contains(&cuda));
        let is_current = published.last().is_none_or(|row| row.cuda.contains(&cuda));
        let place = scope.place(asked.span);
        if !is_known || is_current || found.iter().any(|known| known.place == place) {
            continue;
        }
        let reason = "pip takes the newest version of all indexes, and this one gets no new versions";
        let raw_finding = RawFinding::at(place).word("name", &asked.name).word("index", extra);
        found.push(raw_finding.word("other", "PyPI").word("reason", reason));
    }
    // uv asks the extra index first.
    let is_uv = scope.whole_text().contains("uv pip") || scope.program.has_any(&["uv pip install -r"]);
    if is_uv { Vec::new() } else { found }
}

/// Whether the newest version may not be taken.
fn is_bounded(asked: &Requirement) -> bool {
    let Some(clauses) = &asked.clauses else { return true };
    clauses.iter().any(|clause| !matches!(clause.operator.as_str(), ">=" | ">" | "!="))
}

/// `ENV PIP_EXTRA_INDEX_URL=…`
fn extra_by_variable(line: &str) -> Option<&str> {
    let rest = line.split_once("PIP_EXTRA_INDEX_URL")?.1;
    let value = rest.trim_start().trim_start_matches([':', '=', ' ', '"', '\'']);
    value.split([' ', '"', '\'']).next().filter(|value| value.contains("://"))
}

fn is_pinned(asked: &Requirement) -> bool {
    asked.clauses.iter().flatten().any(|clause| clause.operator.starts_with("=="))
}

/// The command that a place of a script stands in, with its lines joined.
fn command_around(text: &str, at: usize) -> String {
    let before = &text[..at];
    let mut start = 0;
    for (end, _) in before.match_indices('\n') {
        if !before[..end].ends_with('\\') {
            start = end + 1;
        }
    }
    let mut rest = &text[start..];
    let mut command = String::new();
    while let Some((line, below)) = rest.split_once('\n') {
        command.push_str(line.trim_end_matches('\\'));
        command.push(' ');
        if !line.ends_with('\\') {
            return command;
        }
        rest = below;
    }
    command.push_str(rest);
    command
}

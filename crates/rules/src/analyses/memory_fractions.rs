//! Shares of a card's memory that are written as percentages.

use crate::commands::program_name;
use crate::facts::{Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Both names of the variable that XLA reads end so.
const OF_XLA: &str = "CLIENT_MEM_FRACTION";

/// With this JAX may take more than the card has, on the side of the host.
const UNIFIED: &[&str] = &["FORCE_UNIFIED_MEMORY"];

/// Calls that take a share, where it stands, and what a larger one leads to.
const CALLS: &[(&str, Option<usize>, &str, &str)] = &[
    (
        "torch.cuda.set_per_process_memory_fraction",
        Some(0),
        "fraction",
        "torch takes a `float` from 0 to 1, and raises",
    ),
    (
        "torch.cuda.memory.set_per_process_memory_fraction",
        Some(0),
        "fraction",
        "torch takes a `float` from 0 to 1, and raises",
    ),
    ("vllm.LLM", None, "gpu_memory_utilization", "vLLM takes a share from 0 to 1, and refuses to start"),
    (
        "vllm.EngineArgs",
        None,
        "gpu_memory_utilization",
        "vLLM takes a share from 0 to 1, and refuses to start",
    ),
    (
        "vllm.AsyncEngineArgs",
        None,
        "gpu_memory_utilization",
        "vLLM takes a share from 0 to 1, and refuses to start",
    ),
    (
        "cupy.get_default_memory_pool().set_limit",
        None,
        "fraction",
        "CuPy takes a share from 0 to 1, and raises",
    ),
];

/// Numbers above 1 where a share is asked for.
pub(super) fn above_one(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = in_variables(scope);
    scope.each_call(&mut |_, call, _| {
        let path = scope.names.path(&call.callee).unwrap_or_default();
        let Some((_, at, name, effect)) = CALLS.iter().find(|(known, ..)| *known == path) else { return };
        let Some(given) = argument(&call.arguments, *at, Some(name)) else { return };
        let written = scope.text(scope.names.meant(given).span);
        if is_above_one(written) {
            found.push(raw_finding(scope, given.span, written, effect));
        }
    });
    for command in scope.own_commands() {
        let words = command.words();
        let is_vllm = |word: &Option<&str>| {
            word.is_some_and(|word| program_name(word) == "vllm" || word.starts_with("vllm.entrypoints"))
        };
        if !words.iter().any(is_vllm) {
            continue;
        }
        let value = words.iter().enumerate().find_map(|(at, word)| match word.as_deref()?.split_once('=') {
            Some((name, value)) => (name == "--gpu-memory-utilization").then_some(value),
            None if *word == Some("--gpu-memory-utilization") => words.get(at + 1).copied().flatten(),
            None => None,
        });
        if let Some(value) = value.filter(|value| is_above_one(value))
            && !found.iter().any(|known| known.place == command.site)
        {
            let effect = "vLLM takes a share from 0 to 1, and refuses to start";
            let seen = RawFinding::at(command.site).word("value", value).word("share", share(value));
            found.push(seen.word("effect", effect));
        }
    }
    found
}

fn raw_finding(scope: &FileScope<'_>, span: Span, written: &str, effect: &str) -> RawFinding {
    let seen = RawFinding::at(scope.place(span)).word("value", written).word("share", share(written));
    seen.word("effect", effect)
}

fn is_above_one(written: &str) -> bool {
    written.parse::<f64>().is_ok_and(|share| share > 1.0 && share.is_finite())
}

/// `0.1` for `10`.
fn share(written: &str) -> String {
    let share = written.parse::<f64>().unwrap_or_default();
    let share = if share > 100.0 { 1.0 } else { share / 100.0 };
    format!("{share:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `XLA_CLIENT_MEM_FRACTION=10`, in whatever language it is set.
fn in_variables(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if !text.contains(OF_XLA) || scope.program.has_any(UNIFIED) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (span, line) in lines_in(text) {
        let is_remark = line.trim_start().starts_with(['#', ';']) || line.trim_start().starts_with("//");
        let Some((before, rest)) = line.split_once(OF_XLA).filter(|_| !is_remark) else { continue };
        let start = span.start as usize + before.len() + OF_XLA.len();
        let Some((at, value)) = value_behind(rest).filter(|(_, value)| is_above_one(value)) else { continue };
        let start = (start + at) as u32;
        let span = Span { start, end: start + value.len() as u32 };
        let effect = "XLA takes a share from 0 to 1, so that this is more than the card has";
        found.push(raw_finding(scope, span, value, effect));
    }
    found
}

/// The number that a variable is given: `=10`, `"] = "10"`, `: 10`, `", "10")`, and where it stands.
fn value_behind(rest: &str) -> Option<(usize, &str)> {
    let signs = rest.len() - rest.trim_start_matches(['"', '\'', ']', ' ']).len();
    let behind = rest[signs..].strip_prefix(['=', ':', ','])?;
    let blanks = behind.len() - behind.trim_start_matches(['"', '\'', ' ']).len();
    let at = signs + 1 + blanks;
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let end = rest[at..].find(|letter| !is_number(letter)).unwrap_or(rest.len() - at);
    let follows = rest[at + end..].chars().next();
    let ends =
        follows.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | ')' | ',' | ';' | '}'));
    (end > 0 && ends).then(|| (at, &rest[at..at + end]))
}

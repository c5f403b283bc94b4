//! Cards that a command gives to vLLM, which takes one unless it is told how many.

use crate::commands::program_name;
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Options that say over how many cards the model goes, or where such options stand.
const SPREADING: &[&str] = &[
    "--tensor-parallel-size",
    "--tensor_parallel_size",
    "--pipeline-parallel-size",
    "--pipeline_parallel_size",
    "--data-parallel-size",
    "--data_parallel_size",
    "--config",
    "--headless",
    "-tp",
    "-pp",
    "-dp",
];

const VARIABLE: &str = "CUDA_VISIBLE_DEVICES=";

/// `CUDA_VISIBLE_DEVICES=0,1 vllm serve some/model`
pub(super) fn left_by_vllm(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let Some((mask, count)) = only_mask(text) else { return Vec::new() };
    let mut found = Vec::new();
    for command in scope.own_commands() {
        // Options from a variable may say it.
        let is_known = command.words.iter().all(Option::is_some);
        let words: Vec<&str> = command.words.iter().flatten().map(AsRef::as_ref).collect();
        let is_server = words.iter().any(|word| word.starts_with("vllm.entrypoints."))
            || words.windows(2).any(|pair| program_name(pair[0]) == "vllm" && pair[1] == "serve");
        let is_spread = |word: &&str| SPREADING.iter().any(|option| word.split('=').next() == Some(*option));
        if is_server && is_known && !words.iter().any(is_spread) {
            let raw_finding = RawFinding::at(command.site).word("count", count.to_string());
            found.push(raw_finding.beside(scope.place(mask), "the mask is set here"));
        }
    }
    found
}

/// Where a file sets a mask of several cards, and no other mask.
fn only_mask(text: &str) -> Option<(Span, usize)> {
    let mut found: Option<(Span, usize)> = None;
    for (at, _) in text.match_indices(VARIABLE) {
        let rest = text[at + VARIABLE.len()..].trim_start_matches(['"', '\'']);
        let mask = rest.split(|next: char| !next.is_ascii_digit() && next != ',').next().unwrap_or_default();
        let cards: Vec<&str> = mask.split(',').collect();
        if cards.len() < 2 || cards.iter().any(|card| card.is_empty()) {
            return None;
        }
        if found.is_some_and(|(_, count)| count != cards.len()) {
            return None;
        }
        let end = text.len() - rest.len() + mask.len();
        found = found.or(Some((Span { start: at as u32, end: end as u32 }, cards.len())));
    }
    found
}

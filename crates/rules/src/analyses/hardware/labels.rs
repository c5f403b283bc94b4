//! Names of architectures and features in code: `"Ada Lovelace"`, `Architecture.ADA`, `is_hopper`, `use_bf16`.

use super::mentions::{Mention, MentionKind, mentions_of};
use super::names::Kinds;
use super::patterns::PATTERNS;
use crate::architectures::{Feature, architectures, features};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;

/// Architectures that code names in one place; with each whether it stands for what came later too.
#[derive(Debug)]
pub(super) struct Label {
    pub architectures: Vec<(usize, bool)>,
    pub span: Span,
}

/// The architectures that a text is the name of: "NVIDIA Ada Lovelace", "Ampere or newer"; not what speaks of one.
pub(super) fn named(text: &str) -> Option<Vec<(usize, bool)>> {
    if text.len() >= 60 {
        return None;
    }
    let kinds = Kinds::of(text);
    if !kinds.have(Kinds::ARCHITECTURE) {
        return None;
    }
    let all = mentions_of(kinds, text, false);
    let mut rest = text.to_owned();
    for one in all.iter().rev() {
        rest.replace_range(one.start..one.end, " ");
    }
    let only_names = PATTERNS.links.replace_all(&rest, "").chars().all(|one| !one.is_alphanumeric())
        || matches!(rest.trim().to_lowercase().as_str(), "and" | "or");
    let names: Vec<(usize, bool)> = all.iter().filter_map(architecture).collect();
    let others = all
        .iter()
        .any(|one| !matches!(one.what, MentionKind::Architecture { .. } | MentionKind::Product { .. }));
    (only_names && !others && !names.is_empty()).then_some(names)
}

/// The architecture that a longer text says is there, where it is one alone and nothing is denied.
pub(super) fn spoken_of(text: &str) -> Option<Vec<(usize, bool)>> {
    let kinds = Kinds::of(text);
    if !kinds.have(Kinds::ARCHITECTURE) {
        return None;
    }
    let all = mentions_of(kinds, text, false);
    let names: Vec<(usize, bool)> = all.iter().filter_map(architecture).collect();
    let capital =
        all.iter().all(|one| !matches!(one.what, MentionKind::Architecture { lower_case: true, .. }));
    let others = [&PATTERNS.lacking, &PATTERNS.wanted, &PATTERNS.doubt];
    let plain = all.len() == names.len() && !others.iter().any(|other| other.is_match(text));
    (names.len() == 1 && capital && plain).then_some(names)
}

fn architecture(one: &Mention) -> Option<(usize, bool)> {
    match one.what {
        MentionKind::Architecture { index, and_newer, .. } => Some((index, and_newer)),
        _ => None,
    }
}

/// The label that a value is or holds: a text, a member of an enumeration, or the first of these in a record.
pub(super) fn of_value(value: &Expr<'_>) -> Option<Label> {
    let label = |names: Option<Vec<(usize, bool)>>| {
        names.map(|architectures| Label { architectures, span: value.span })
    };
    match &value.kind {
        ExprKind::Text(text) => label(named(text)),
        ExprKind::Attribute(_, name) => label(of_identifier(name)),
        ExprKind::Name(name) if name.starts_with(char::is_uppercase) => label(of_identifier(name)),
        ExprKind::Sequence(parts) => parts.iter().find_map(of_value),
        ExprKind::Mapping(entries) => {
            entries.iter().find_map(|(key, value)| match key.as_ref().map(|key| &key.kind) {
                Some(ExprKind::Text(key)) if names_architecture(key) => of_value(value),
                _ => None,
            })
        }
        ExprKind::Call(call) => call.arguments.iter().find_map(|argument| match argument.name {
            None => of_value(&argument.value),
            Some(name) if names_architecture(name) => of_value(&argument.value),
            Some(_) => None,
        }),
        _ => None,
    }
}

/// A key under which the name of an architecture stands.
pub(super) fn names_architecture(key: &str) -> bool {
    let key = key.to_lowercase();
    [
        "arch",
        "architecture",
        "name",
        "family",
        "generation",
        "codename",
        "gen",
        "gpu_arch",
        "arch_name",
        "architecture_name",
    ]
    .contains(&key.as_str())
}

/// Words that say nothing more about an architecture in an identifier.
const NEUTRAL: &[&str] = &[
    "is",
    "on",
    "has",
    "gpu",
    "gpus",
    "arch",
    "architecture",
    "nvidia",
    "cc",
    "sm",
    "cap",
    "capability",
    "compute",
    "device",
    "card",
    "generation",
    "min",
    "family",
    "cuda",
    "running",
    "detected",
    "check",
    "run",
    "are",
];

/// Words that take in what came later.
const NEWER: &[&str] =
    &["plus", "newer", "later", "up", "above", "higher", "least", "min", "minimum", "beyond"];

/// The architecture that an identifier is about: `is_hopper`, `AMPERE_CC`, `is_ampere_or_newer`.
pub(super) fn of_identifier(name: &str) -> Option<Vec<(usize, bool)>> {
    if !Kinds::of(name).have(Kinds::ARCHITECTURE) {
        return None;
    }
    let words = words_of(name);
    let mut found = Vec::new();
    let mut newer = false;
    for word in &words {
        if let Some(index) = architectures().iter().position(|one| one.words.contains(word)) {
            if !found.contains(&index) {
                found.push(index);
            }
        } else if NEWER.contains(&word.as_str()) {
            newer = true;
        } else if !NEUTRAL.contains(&word.as_str()) && !matches!(word.as_str(), "or" | "at" | "and") {
            return None;
        }
    }
    (!found.is_empty()).then(|| found.into_iter().map(|one| (one, newer)).collect())
}

/// The words of an identifier in lower case: of `isAdaGPU`, `is`, `ada` and `gpu`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for one in name.chars() {
        if one == '_' || (one.is_uppercase() && before_lower) {
            words.push(String::new());
        }
        before_lower = one.is_lowercase() || one.is_ascii_digit();
        if one != '_' {
            words.last_mut().expect("one at least").extend(one.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The feature that an identifier turns on: `use_bf16`, `supports_fp8`, `allow_tf32`.
pub(super) fn feature_of_identifier(name: &str) -> Option<&'static Feature> {
    const OTHER: &[&str] = &[
        "no",
        "not",
        "without",
        "disable",
        "disabled",
        "emulated",
        "emulation",
        "force",
        "skip",
        "fake",
        "simulate",
        "simulated",
    ];
    let lower = name.to_lowercase();
    let words = words_of(&lower);
    if words.iter().any(|word| OTHER.contains(&word.as_str())) {
        return None;
    }
    features().iter().find(|one| {
        let hit = one.words.iter().any(|word| match word.contains('_') {
            true => lower.contains(word.as_str()),
            false => words.contains(word),
        });
        hit && !one.unless.iter().any(|word| lower.contains(word.as_str()))
    })
}

/// The feature that a value of this text asks for.
pub(super) fn feature_of_text(text: &str) -> Option<&'static Feature> {
    let lower = text.to_lowercase();
    let plain = lower.trim_end_matches("-mixed").trim_end_matches("-true");
    let plain = plain.strip_prefix("torch.").unwrap_or(plain);
    let named = |one: &&Feature| {
        one.words
            .iter()
            .any(|word| word == plain || plain.strip_prefix("fp8_").is_some_and(|rest| rest == word))
    };
    features().iter().find(named)
}

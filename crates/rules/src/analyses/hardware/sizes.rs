//! Sizes of the memory of cards in code: the names under which they stand, and the values.

use super::mentions::{Mention, MentionKind, mentions};
use crate::code::{Expr, ExprKind};

/// A name under which the size of a card's memory stands, in GB.
pub(super) fn is_size(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(['_', ' ', '-']).collect();
    let known = [
        "gpu", "gpus", "vram", "memory", "mem", "gb", "gib", "size", "total", "sizes", "by", "name", "card",
        "cards", "model",
    ];
    words.iter().all(|word| known.contains(word))
        && (lower.contains("vram") || (lower.contains("mem") && lower.contains("gb")))
}

/// A name of that kind beside others that do not speak of a whole machine: `{"gpu": "A100", "vcpus": 96, "memory_gb": 900}`.
pub(super) fn is_size_among(name: &str, fields: &[(&str, &Expr<'_>)]) -> bool {
    is_size(name) && (says_card(name) || !fields.iter().any(|(other, _)| is_of_machine(other)))
}

/// Whether the name of a size says that it is that of a card.
pub(super) fn says_card(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["vram", "gpu", "card", "video"].iter().any(|word| lower.contains(word))
}

/// A name of what a whole machine has, such as the instances of a cloud: the memory beside it is that of the machine.
pub(super) fn is_of_machine(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["cpu", "instance", "disk", "storage"].iter().any(|word| lower.contains(word))
}

/// The size that a value is, in GB.
pub(super) fn gb(value: &Expr<'_>) -> Option<f64> {
    match &value.kind {
        ExprKind::Int(number @ 1..=999) => Some(*number as f64),
        ExprKind::Text(text) => match mentions(text, false).as_slice() {
            [Mention { what: MentionKind::Memory(gb), start: 0, end }] if *end == text.len() => Some(*gb),
            _ => None,
        },
        _ => None,
    }
}

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

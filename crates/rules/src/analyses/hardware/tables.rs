//! Tables of documents: what one row says of one product or architecture.

use super::claims::{self, Context};
use super::mentions::{Mention, MentionKind, mentions, mentions_of};
use super::names::Kinds;
use super::patterns::PATTERNS;
use super::sizes::{is_of_machine, says_card};
use super::{Found, Topic};
use crate::languages::{PassageKind, TextPiece};
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// The faults of one table, given by its cells.
pub(super) fn faults(
    cells: &[TextPiece],
    about_gpus: &LazyCell<bool, impl FnOnce() -> bool>,
    found: &mut Vec<Found>,
) {
    // Numbers and sizes alone say nothing of hardware.
    if !cells.iter().any(|cell| Kinds::of(&cell.text).have(Kinds::HARDWARE)) {
        return;
    }
    let mut rows: BTreeMap<u32, BTreeMap<u32, &TextPiece>> = BTreeMap::new();
    for cell in cells {
        if let PassageKind::Cell(row, column) = cell.kind {
            rows.entry(row).or_default().insert(column, cell);
        }
    }
    let Some(head) = rows.remove(&0) else { return };
    let is_cue = |text: &str| {
        PATTERNS.capability.is_match(text)
            || matches!(text.trim(), "SM" | "CC" | "sm" | "Sm" | "Capacité" | "Capacidad")
    };
    let cued = |column: &u32| head.get(column).is_some_and(|cell| is_cue(&cell.text));
    let sizes = size_column(&head);
    for row in rows.values() {
        let label_is_cue = row.get(&0).is_some_and(|cell| is_cue(&cell.text) && !has_number(&cell.text));
        let mut named: Vec<Mention> = Vec::new();
        let mut product = None;
        let mut own_fault = false;
        for (column, cell) in row {
            let context =
                Context { cued: cued(column) || label_is_cue, about_gpus: **about_gpus, used_memory: true };
            let text = with_a_point(&cell.text, context.cued);
            let kinds = Kinds::of(&text);
            for fault in claims::faults(kinds, &text, context) {
                own_fault = true;
                let span = cell.origin.span(fault.start, fault.end);
                found.push(Found {
                    topic: fault.topic,
                    span,
                    text: fault.text,
                    in_prose: true,
                    beside: None,
                });
            }
            let here = mentions_of(kinds, &text, context.cued);
            // A cell that names nothing says something only where the head does.
            if here.is_empty() && !label_is_cue
                || PATTERNS.doubt.is_match(&cell.text)
                || PATTERNS.lacking.is_match(&cell.text)
            {
                continue;
            }
            if here.iter().any(|one| matches!(one.what, MentionKind::Barrier)) {
                continue;
            }
            // Below a head that names an architecture the numbers of a row are its own.
            if label_is_cue && *column > 0 {
                if let Some(head) = head.get(column) {
                    one_row(&[mentions(&head.text, false), here].concat(), cell, found);
                }
                continue;
            }
            // The words of a free column speak of many things.
            if *column > 0 && cell.text.chars().count() > 60 && !cued(column) {
                continue;
            }
            if let (1, [Mention { what: MentionKind::Product { product: one, exactly: true }, .. }]) =
                (named_products(&here), only_products(&here).as_slice())
            {
                product = product.or(Some(*one));
            }
            named.extend(said_of_row(&cell.text, *column == 0, here));
        }
        let said = |one: &&Mention| !matches!(one.what, MentionKind::Capability { said: false, .. });
        let named: Vec<Mention> = named.iter().filter(said).copied().collect();
        if let (Some(first), Some(last), false) = (row.values().next(), row.values().next_back(), own_fault) {
            let start = first.origin.span(0, 1).start;
            let end = last.origin.span(0, last.text.len()).end;
            for fault in claims::of_one_row(&named) {
                let span = crate::facts::Span { start, end };
                found.push(Found {
                    topic: fault.topic,
                    span,
                    text: fault.text,
                    in_prose: true,
                    beside: None,
                });
            }
        }
        // "8 x A100 (40GB)" says it beside the name; what another column says is that of the machine.
        let is_said_elsewhere = || {
            let says_size = |text: &str| {
                mentions(text, false).iter().any(|one| matches!(one.what, MentionKind::Memory(_)))
            };
            row.iter().any(|(column, cell)| Some(*column) != sizes && says_size(&cell.text))
        };
        if let (Some(product), Some(cell)) = (product, sizes.and_then(|column| row.get(&column)))
            && let [Mention { what: MentionKind::Memory(gb), .. }] = sizes_of(&cell.text).as_slice()
            && gb.fract() == 0.0
            && let Some(text) = claims::memory_of_row(product, *gb)
            && !numbers_of(row).any(|cards| claims::memory_of_row(product, *gb / cards).is_none())
            && !is_said_elsewhere()
        {
            let span = cell.origin.span(0, cell.text.len());
            found.push(Found { topic: Topic::Product, span, text, in_prose: true, beside: None });
        }
    }
}

/// What the cells of a row may say of how many cards there are: `2`, `x4`, `8x`, or `2× L40S`, above one.
fn numbers_of(row: &BTreeMap<u32, &TextPiece>) -> impl Iterator<Item = f64> {
    const TIMES: [char; 5] = ['x', 'X', '×', '*', ' '];
    let number = |cell: &&TextPiece| {
        let text = cell.text.trim().trim_matches(TIMES);
        let length = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, rest) = text.split_at(length);
        (rest.is_empty() || rest.trim_start().starts_with(['x', 'X', '×', '*']))
            .then(|| number.parse::<u32>().ok())?
    };
    row.values().filter_map(number).filter(|number| *number > 1).map(f64::from)
}

/// `8,6`, as French and Spanish write a number, in a column of capabilities.
fn with_a_point(text: &str, cued: bool) -> String {
    match text.trim().split_once(',') {
        Some((major, minor))
            if cued
                && [major, minor]
                    .iter()
                    .all(|part| !part.is_empty() && part.bytes().all(|one| one.is_ascii_digit()))
                && minor.len() == 1 =>
        {
            text.replace(',', ".")
        }
        _ => text.to_owned(),
    }
}

fn one_row(named: &[Mention], cell: &TextPiece, found: &mut Vec<Found>) {
    for fault in claims::of_one_row(named) {
        let span = cell.origin.span(0, cell.text.len());
        found.push(Found { topic: fault.topic, span, text: fault.text, in_prose: true, beside: None });
    }
}

/// What a cell says of its row. Behind the first column only lists of cards count, and architectures that a cell
/// begins with; in "A40, Titan Ada" the architecture belongs to a card that is not known.
fn said_of_row(text: &str, first: bool, named: Vec<Mention>) -> Vec<Mention> {
    let mut rest = text.to_owned();
    for one in named.iter().rev() {
        rest.replace_range(one.start..one.end, " ");
    }
    let rest = PATTERNS.links.replace_all(&rest, " ");
    let only_names =
        rest.split_whitespace().all(|word| matches!(word, "and" | "or" | "et" | "y" | "&" | "…"));
    let cards = !only_products(&named).is_empty();
    let keep = |one: &Mention| match one.what {
        MentionKind::Architecture { .. } => {
            !cards && (first || text[..one.start].trim_matches(['*', '`', ' ']).is_empty())
        }
        MentionKind::Product { .. } => first || only_names,
        _ => true,
    };
    let begins = named.first().is_some_and(|one| text[..one.start].trim_matches(['*', '`', ' ']).is_empty());
    named.into_iter().filter(|one| keep(one) || (begins && only_names && !cards)).collect()
}

fn has_number(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn named_products(named: &[Mention]) -> usize {
    only_products(named).len()
}

fn only_products(named: &[Mention]) -> Vec<Mention> {
    named.iter().filter(|one| matches!(one.what, MentionKind::Product { .. })).copied().collect()
}

fn sizes_of(text: &str) -> Vec<Mention> {
    let plain = text.trim();
    let named: Vec<Mention> =
        mentions(plain, false).into_iter().filter(|one| matches!(one.what, MentionKind::Memory(_))).collect();
    match (&named[..], plain.parse::<f64>()) {
        ([], Ok(gb)) => vec![Mention { what: MentionKind::Memory(gb), start: 0, end: plain.len() }],
        // Nothing but the size: no range, no "used".
        ([one], _) if one.start == 0 && one.end == plain.len() => named,
        ([one], _)
            if one.start == 0
                && plain[one.end..].trim_start().to_lowercase().starts_with(['g', 'h', 'v']) =>
        {
            named
        }
        _ => Vec::new(),
    }
}

/// The column that says how much memory the card of each row has; none where it may say how much of it is used.
fn size_column(head: &BTreeMap<u32, &TextPiece>) -> Option<u32> {
    let text = |column: &u32| head[column].text.trim().to_lowercase();
    let of_a_run = [
        "model",
        "modèle",
        "modelo",
        "precision",
        "quant",
        "method",
        "config",
        "resolution",
        "task",
        "steps",
        "params",
    ];
    if head.keys().any(|column| of_a_run.iter().any(|word| text(column).contains(word))) {
        return None;
    }
    let is_size = |column: &&u32| {
        let text = text(column);
        let plain = text.replace(['(', ')', '[', ']'], " ");
        let words: Vec<&str> = plain.split_whitespace().collect();
        let known = ["vram", "memory", "gpu", "gb", "gib", "size", "mémoire", "memoria", "total", "video"];
        words.iter().all(|word| known.contains(word))
            && words.iter().any(|word| matches!(*word, "vram" | "memory" | "mémoire" | "memoria"))
    };
    let mut columns = head.keys().filter(is_size);
    let size = columns.next().copied().filter(|_| columns.next().is_none())?;
    let is_of_card = says_card(&text(&size)) || !head.keys().any(|column| is_of_machine(&text(column)));
    is_of_card.then_some(size)
}

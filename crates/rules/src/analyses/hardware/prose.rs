//! Comments, paragraphs and tables: cut into what belongs together, one sentence or one row at a time.

use super::claims::{self, Context};
use super::mentions::{Mention, MentionKind, mentions, mentions_of};
use super::names::Kinds;
use super::patterns::PATTERNS;
use super::range::Range;
use super::{Found, Topic};
use crate::architectures::{Product, architecture_of, features};
use crate::languages::{PassageKind, TextPiece};
use crate::rules::files::FileScope;
use std::cell::LazyCell;

/// What the comments, docstrings and documents of a file say wrongly.
pub(super) fn faults(scope: &FileScope<'_>, all: &[TextPiece]) -> Vec<Found> {
    let text = scope.whole_text();
    let about_gpus = LazyCell::new(|| PATTERNS.about_gpus.is_match(text));
    let mut found = Vec::new();
    let mut headings: Vec<(u8, &str, Kinds)> = Vec::new();
    let mut record = PrintedCard::default();
    let mut at = 0;
    while let Some(passage) = all.get(at) {
        at += 1;
        let kinds = Kinds::of(&passage.text);
        match passage.kind {
            PassageKind::Cell(..) => {
                let mut end = at;
                // The next table begins with a head again.
                while all.get(end).is_some_and(|next| follows(&all[end - 1], next)) {
                    end += 1;
                }
                super::tables::faults(&all[at - 1..end], &about_gpus, &mut found);
                at = end;
                continue;
            }
            PassageKind::Heading(level) => {
                headings.retain(|(other, ..)| *other < level);
                headings.push((level, &passage.text, kinds));
            }
            _ => {}
        }
        record.line(passage, kinds, &mut found);
        let (heading, above) =
            headings.last().map_or(("", Kinds::default()), |(_, text, kinds)| (text, *kinds));
        // Most comments name nothing, and what is said of hardware takes long to read.
        if !kinds.and(above).have(Kinds::IN_PROSE) {
            continue;
        }
        in_passage(passage, &about_gpus, &mut found);
        if !matches!(passage.kind, PassageKind::Heading(_)) {
            if kinds.and(above).have(Kinds::FEATURE) {
                about_tf32(passage, heading, text, &mut found);
            }
            if above.have(Kinds::ARCHITECTURE) {
                in_section(passage, heading, &mut found);
            }
        }
    }
    found
}

fn follows(one: &TextPiece, next: &TextPiece) -> bool {
    match (one.kind, next.kind) {
        (PassageKind::Cell(row, _), PassageKind::Cell(next, column)) => {
            next > row || (next == row && column > 0)
        }
        _ => false,
    }
}

fn in_passage(
    passage: &TextPiece,
    about_gpus: &LazyCell<bool, impl FnOnce() -> bool>,
    found: &mut Vec<Found>,
) {
    for (start, sentence) in sentences(&passage.text) {
        let kinds = Kinds::of(sentence);
        if !claims::may_be_wrong(kinds, sentence, false) {
            continue;
        }
        let context = Context { about_gpus: **about_gpus, ..Context::default() };
        for fault in claims::faults(kinds, sentence, context) {
            let span = passage.origin.span(start + fault.start, start + fault.end);
            found.push(Found { topic: fault.topic, span, text: fault.text, in_prose: true, beside: None });
        }
    }
}

/// The sentences of a text, with where they begin.
fn sentences(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in text.match_indices(['.', '!', '?', ';']) {
        let rest = &text[at + 1..];
        let next = rest.trim_start().chars().next();
        let ends = mark == ";"
            || (rest.starts_with([' ', '\n'])
                && next.is_none_or(|one| !one.is_lowercase())
                && !["e.g", "i.e", "approx", "vs", "min", "max", "p. ej", "ex"]
                    .iter()
                    .any(|one| text[..at].ends_with(one)));
        if ends && at >= start {
            found.push((start, &text[start..at + 1]));
            start = at + 1;
        }
    }
    found.push((start, &text[start..]));
    found
}

/// Lines that a program printed about one card: its name, and below it what it has.
#[derive(Default)]
struct PrintedCard {
    product: Option<&'static Product>,
    lines: u32,
}

impl PrintedCard {
    fn line(&mut self, passage: &TextPiece, kinds: Kinds, found: &mut Vec<Found>) {
        let text = passage.text.trim();
        if passage.kind != PassageKind::Line || text.is_empty() || self.lines > 6 {
            *self = PrintedCard::default();
        }
        if passage.kind != PassageKind::Line {
            return;
        }
        self.lines += 1;
        if self.product.is_none() && !kinds.have(Kinds::PRODUCT) {
            return;
        }
        let named = mentions_of(kinds, text, false);
        if let [Mention { what: MentionKind::Product { product, exactly: true }, .. }] = named.as_slice() {
            *self = PrintedCard { product: Some(*product), lines: 0 };
            return;
        }
        let lower = text.to_lowercase();
        let size = ["vram:", "memory:", "total memory:"].iter().any(|word| lower.starts_with(word));
        if let (true, Some(product)) = (size, self.product)
            && let [Mention { what: MentionKind::Memory(gb), .. }] = named.as_slice()
            && let Some(text) = claims::memory_of_row(product, *gb)
        {
            let span = passage.origin.span(0, passage.text.len());
            found.push(Found { topic: Topic::Product, span, text, in_prose: true, beside: None });
        }
    }
}

/// An item of a section that its heading gives to one capability: the heading's architecture is right for the product
/// that the item begins with, and the capability is not.
fn in_section(passage: &TextPiece, heading: &str, found: &mut Vec<Found>) {
    let above = mentions(heading, false);
    let [architecture, number] = above.as_slice() else { return };
    let (
        MentionKind::Architecture { index, .. },
        MentionKind::Capability { range: Range::Exactly(said), said: true },
    ) = (architecture.what, number.what)
    else {
        return;
    };
    let named = mentions(&passage.text, false);
    if let Some(Mention { what: MentionKind::Product { product, exactly: true }, start: 0, end }) =
        named.first()
        && passage.text[*end..].trim_start().starts_with(':')
        && architecture_of(said) == Some(index)
        && product.architecture() == Some(index)
        && product.capability != said
    {
        let text = format!(
            "the {} has compute capability {}, not the {said} of this section",
            product.name, product.capability
        );
        let span = passage.origin.span(0, *end);
        found.push(Found { topic: Topic::Product, span, text, in_prose: true, beside: None });
    }
}

/// TF32 has ten bits of mantissa, and multiplies matrices only where it is asked to.
fn about_tf32(passage: &TextPiece, heading: &str, whole: &str, found: &mut Vec<Found>) {
    let lower = passage.text.to_lowercase();
    if !["manti", "défaut", "defa", "defecto", "predeterminad"].iter().any(|word| lower.contains(word)) {
        return;
    }
    let named = |text: &str| -> Vec<Mention> {
        let all = mentions(text, false).into_iter();
        all.filter(|one| matches!(one.what, MentionKind::Feature(_))).collect()
    };
    let is_tf32 =
        |one: &Mention| matches!(one.what, MentionKind::Feature(index) if features()[index].name == "TF32");
    let text = passage.text.as_str();
    let (here, above) = (named(text), named(heading));
    let only = |list: &[Mention]| !list.is_empty() && list.iter().all(is_tf32);
    let speaks_of_it = only(&here) || here.is_empty() && only(&above);
    let mut say = |range: std::ops::Range<usize>, fault: &str| {
        let span = passage.origin.span(range.start, range.end);
        found.push(Found {
            topic: Topic::Feature,
            span,
            text: fault.to_owned(),
            in_prose: true,
            beside: None,
        });
    };
    if speaks_of_it
        && let Some(bits) = PATTERNS.mantissa.captures(text)
        && bits.get(1).or(bits.get(2)).is_some_and(|bits| bits.as_str() == "19")
    {
        let range = bits.get(0).map_or(0..0, |all| all.range());
        say(range, "TF32 has a mantissa of 10 bits; 19 are all of its bits");
    }
    let says_off =
        [" off", "disabled", "désactiv", "desactiv", "deshabilit", "inactiv", "conv", "cudnn", "1.7", "1.11"];
    if !PATTERNS.by_default.is_match(text) {
        return;
    }
    let elsewhere = whole.to_lowercase();
    // Containers of NVIDIA turn it on.
    let others = ["tensorflow", "keras", "jax", "ngc", "nvcr.io", "paddle", "mxnet"];
    if says_off.iter().any(|word| lower.contains(word))
        || !elsewhere.contains("torch")
        || others.iter().any(|word| elsewhere.contains(word))
    {
        return;
    }
    for (start, sentence) in sentences(text) {
        let says_on = ["on by", "enabled", "activ", "habilitad", "used"];
        let lower = sentence.to_lowercase();
        if let Some(default) = PATTERNS.by_default.find(sentence)
            && (speaks_of_it || only(&named(sentence)))
            && says_on.iter().any(|word| lower.contains(word))
            && !PATTERNS.lacking.is_match(sentence)
        {
            say(
                start + default.start()..start + default.end(),
                "PyTorch multiplies matrices in TF32 only where it is asked to; by default only cuDNN uses it",
            );
        }
    }
}

//! Comments, paragraphs and tables: cut into what belongs together, one sentence or one row at a time.

use super::claims::{self, Context};
use super::mentions::{Mention, What, mentions};
use super::patterns::PATTERNS;
use super::{Found, Topic};
use crate::architectures::features;
use crate::code::walk::{Part, walk};
use crate::code::{ExprKind, StepKind};
use crate::facts::Span;
use crate::languages::{Passage, PassageKind, passages};
use crate::rules::files::FileScope;

/// What the comments, docstrings and documents of a file say wrongly.
pub(super) fn faults(scope: &FileScope<'_>) -> Vec<Found> {
    let text = scope.whole_text();
    let about_gpus = PATTERNS.about_gpus.is_match(text);
    let mut found = Vec::new();
    let all = passages(scope.program.sources.file(scope.file));
    let mut headings: Vec<(u8, &str)> = Vec::new();
    let mut at = 0;
    while let Some(passage) = all.get(at) {
        at += 1;
        match passage.kind {
            PassageKind::Cell(..) => {
                let mut end = at;
                // The next table begins with a head again.
                while all.get(end).is_some_and(|next| follows(&all[end - 1], next)) {
                    end += 1;
                }
                super::tables::faults(&all[at - 1..end], about_gpus, &mut found);
                at = end;
                continue;
            }
            PassageKind::Heading(level) => {
                headings.retain(|(other, _)| *other < level);
                headings.push((level, &passage.text));
            }
            _ => {}
        }
        in_passage(passage, about_gpus, &mut found);
        let heading = headings.last().map_or("", |(_, heading)| heading);
        if !matches!(passage.kind, PassageKind::Heading(_)) {
            about_tf32(passage, heading, text, &mut found);
        }
    }
    for span in docstrings(scope) {
        in_lines(scope.text(span), span.start as usize, about_gpus, &mut found);
    }
    found
}

fn follows(one: &Passage, next: &Passage) -> bool {
    match (one.kind, next.kind) {
        (PassageKind::Cell(row, _), PassageKind::Cell(next, column)) => {
            next > row || (next == row && column > 0)
        }
        _ => false,
    }
}

fn in_passage(passage: &Passage, about_gpus: bool, found: &mut Vec<Found>) {
    let context = Context { about_gpus, ..Context::default() };
    for (start, sentence) in sentences(&passage.text) {
        for fault in claims::faults(sentence, context) {
            let span = passage.origin.span(start + fault.start, start + fault.end);
            found.push(Found { topic: fault.topic, span, text: fault.text, in_prose: true, beside: None });
        }
    }
}

fn in_lines(text: &str, start: usize, about_gpus: bool, found: &mut Vec<Found>) {
    let mut at = start;
    for line in text.split_inclusive('\n') {
        in_passage(&Passage::new(PassageKind::Text, line.trim_end(), at), about_gpus, found);
        at += line.len();
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

/// The texts that stand alone as statements.
fn docstrings(scope: &FileScope<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        if let Part::Step(step) = part
            && let StepKind::Evaluate(expr) = &step.kind
            && let ExprKind::Text(_) = expr.kind
        {
            found.push(expr.span);
        }
    });
    found
}

/// TF32 has ten bits of mantissa, and multiplies matrices only where it is asked to.
fn about_tf32(passage: &Passage, heading: &str, whole: &str, found: &mut Vec<Found>) {
    let named = |text: &str| -> Vec<Mention> {
        let all = mentions(text, false).into_iter();
        all.filter(|one| matches!(one.what, What::Feature(_))).collect()
    };
    let is_tf32 =
        |one: &Mention| matches!(one.what, What::Feature(index) if features()[index].name == "TF32");
    let text = passage.text.as_str();
    let (here, above) = (named(text), named(heading));
    let only = |list: &[Mention]| !list.is_empty() && list.iter().all(is_tf32);
    if !only(&here) && !(here.is_empty() && only(&above)) {
        return;
    }
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
    if let Some(bits) = PATTERNS.mantissa.captures(text)
        && bits.get(1).or(bits.get(2)).is_some_and(|bits| bits.as_str() == "19")
    {
        let range = bits.get(0).map_or(0..0, |all| all.range());
        say(range, "TF32 has a mantissa of 10 bits; 19 are all of its bits");
    }
    let lower = text.to_lowercase();
    let says_on = ["on by", "enabled", "activ", "habilitad", "used"].iter().any(|word| lower.contains(word));
    let says_off =
        [" off", "disabled", "désactiv", "desactiv", "deshabilit", "inactiv", "conv", "cudnn", "1.7", "1.11"];
    let elsewhere = whole.to_lowercase();
    if let Some(default) = PATTERNS.by_default.find(text)
        && says_on
        && !says_off.iter().any(|word| lower.contains(word))
        && !PATTERNS.lacking.is_match(text)
        && elsewhere.contains("torch")
        && !["tensorflow", "keras", "jax"].iter().any(|word| elsewhere.contains(word))
    {
        say(
            default.range(),
            "PyTorch multiplies matrices in TF32 only where it is asked to; by default only cuDNN uses it",
        );
    }
}

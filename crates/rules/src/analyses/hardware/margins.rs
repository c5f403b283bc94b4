//! Comments that name the architecture which the code beside them is about: `if cc >= 90:  # Blackwell`,
//! `"8.6",  # Ada`, `-gencode arch=compute_86,code=sm_86  # Turing`.

use super::branches::Test;
use super::labels;
use super::mentions::{MentionKind, mentions};
use super::range::Range;
use super::{Found, Topic, claims};
use crate::architectures::{Capability, architecture_of};
use crate::languages::{PassageKind, TextPiece};
use crate::rules::files::FileScope;

/// The faults of the comments of a file, each beside code.
pub(super) fn faults(scope: &FileScope<'_>, passages: &[TextPiece], tests: &[Test]) -> Vec<Found> {
    let text = scope.whole_text();
    let mut found = Vec::new();
    for passage in passages {
        if !matches!(passage.kind, PassageKind::Comment | PassageKind::Line) {
            continue;
        }
        // What stands before the mark on the line is code.
        let Some(mark) = passage.text.find(['#', '/']) else { continue };
        let Some(names) = labels::named(passage.text[mark..].trim_start_matches(['#', '/', ' '])) else {
            continue;
        };
        let span = passage.origin.span(mark, passage.text.len());
        let at = span.start as usize;
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let code = &text[start..at];
        let beside = match code.trim().is_empty() {
            false => (start, at),
            // A comment of its own speaks of the line below.
            true => {
                let next = text[end..].find(|one: char| one != '\n').map_or(text.len(), |skip| end + skip);
                (next, text[next..].find('\n').map_or(text.len(), |end| next + end))
            }
        };
        if code.trim().is_empty() && text[end..beside.0].matches('\n').count() > 1 {
            continue;
        }
        let on_line = |test: &&Test| (beside.0..beside.1).contains(&(test.span.start as usize));
        let mut here = tests.iter().filter(on_line);
        let wrong = match (here.next(), here.next()) {
            (Some(test), None) => wrong_test(test, &names),
            (None, _) => wrong_literal(&text[beside.0..beside.1], &names),
            _ => None,
        };
        if let Some(card) = wrong {
            let text = claims::not_so(Range::Exactly(card), names[0].0);
            found.push(Found { topic: Topic::Architecture, span, text, in_prose: true, beside: None });
        }
    }
    found
}

fn is(card: Capability, names: &[(usize, bool)]) -> bool {
    let Some(own) = architecture_of(card) else { return true };
    names.iter().any(|&(name, newer)| name == own || (newer && own > name))
}

/// A card that comes here and is another: all of them are, or the lowest is older.
fn wrong_test(test: &Test, names: &[(usize, bool)]) -> Option<Capability> {
    if test.cards.iter().all(|one| !is(*one, names)) {
        return test.cards.first().copied();
    }
    let older = |one: &Capability| names.iter().all(|(name, _)| architecture_of(*one) < Some(*name));
    test.from.filter(|one| test.cards.contains(one) && !is(*one, names) && older(one))
}

/// The only capability that a line of code writes down.
fn wrong_literal(code: &str, names: &[(usize, bool)]) -> Option<Capability> {
    let quoted = code.contains(['"', '\'']) || code.contains("ARCH") || code.trim_start().starts_with('-');
    let mut cards: Vec<Capability> = Vec::new();
    for one in mentions(code, false) {
        match one.what {
            MentionKind::Capability { range: Range::Exactly(card), said } => {
                let in_quotes = code[..one.start].ends_with(['"', '\'', '='])
                    || code[..one.start].trim_end().ends_with(['-', ':', '=']);
                if !(said || quoted && in_quotes) {
                    return None;
                }
                cards.push(card);
            }
            MentionKind::Capability { .. } | MentionKind::Architecture { .. } => return None,
            _ => {}
        }
    }
    cards.dedup();
    match cards[..] {
        [only] if !is(only, names) && only.is_known() => Some(only),
        _ => None,
    }
}

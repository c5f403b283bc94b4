//! Words about hardware in a text: architectures, compute capabilities, products, sizes of memory and features.

use super::names::Kinds;
use super::patterns::PATTERNS;
use super::range::Range;
use crate::architectures::{Capability, Product, architectures, features, products, series};

/// Something that a text names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention {
    pub what: MentionKind,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MentionKind {
    Architecture {
        index: usize,
        /// `Ampere or newer`
        and_newer: bool,
        /// Written as no name is: it may be a unit, or a word of another language.
        lower_case: bool,
    },
    /// `said`: the text says that the number is a capability; else it may be any number.
    Capability { range: Range, said: bool },
    /// `exactly`: the product itself, no variant of it.
    Product { product: &'static Product, exactly: bool },
    /// In GB.
    Memory(f64),
    /// By its place in the table.
    Feature(usize),
    /// MentionKind is named is denied or only compared with: nothing is said of it, and nothing across it.
    Barrier,
}

/// Everything that a text names, in order. `cued`: what is around the text says that its numbers are capabilities.
pub(super) fn mentions(text: &str, cued: bool) -> Vec<Mention> {
    mentions_of(Kinds::of(text), text, cued)
}

/// The same of a text of which it is known what kinds of names it may hold.
pub(super) fn mentions_of(kinds: Kinds, text: &str, cued: bool) -> Vec<Mention> {
    let mut found = Vec::new();
    if kinds.have(Kinds::PRODUCT) {
        products_in(text, &mut found);
    }
    if kinds.have(Kinds::SERIES) {
        series_in(text, &mut found);
    }
    if kinds.have(Kinds::ARCHITECTURE) {
        architectures_in(text, &mut found);
    }
    if kinds.have(Kinds::FEATURE) {
        features_in(text, &mut found);
    }
    if may_hold_sizes(text) {
        memory_in(text, &mut found);
    }
    if cued || may_hold_capabilities(kinds, text) {
        capabilities_in(text, cued, &mut found);
    }
    // The longest of those that begin at one place, and nothing inside another.
    found.sort_by_key(|one: &Mention| (one.start, std::cmp::Reverse(one.end)));
    let mut end = 0;
    found.retain(|one| {
        let apart = one.start >= end;
        if apart {
            end = one.end;
        }
        apart
    });
    found
}

/// `16 GB`, as far as a node_predicate tells.
pub(super) fn may_hold_sizes(text: &str) -> bool {
    text.as_bytes().windows(3).any(|bytes| match bytes {
        [number, b'g' | b'G', _] | [number, b' ' | b'-', b'g' | b'G'] => number.is_ascii_digit(),
        _ => false,
    })
}

/// `8.6`, `(8, 6)`, and any number beside a word that speaks of capabilities.
pub(super) fn may_hold_capabilities(kinds: Kinds, text: &str) -> bool {
    let begins_pair = |(at, _): (usize, &str)| {
        let rest = text[at + 1..].trim_start();
        let behind = rest.trim_start_matches(|one: char| one.is_ascii_digit());
        behind.len() < rest.len() && behind.trim_start().starts_with(',')
    };
    let has_point = |bytes: &[u8]| matches!(bytes, [b'0'..=b'9', b'.', b'0'..=b'9' | b'x' | b'X']);
    kinds.have(Kinds::CAPABILITY)
        || text.as_bytes().windows(3).any(has_point)
        || text.match_indices('(').any(begins_pair)
}

/// The architecture or product that a text names, where it names nothing else.
pub(super) fn only_name(text: &str) -> Option<Mention> {
    let kinds = Kinds::of(text);
    if !kinds.have(Kinds::ARCHITECTURE.and(Kinds::PRODUCT).and(Kinds::SERIES)) {
        return None;
    }
    let [only] = mentions_of(kinds, text, false)[..] else { return None };
    matches!(only.what, MentionKind::Architecture { .. } | MentionKind::Product { .. }).then_some(only)
}

/// Whether a word stands alone: not in an identifier or a longer word.
fn alone(text: &str, start: usize, end: usize) -> bool {
    let inside = |one: char| one.is_alphanumeric() || one == '_';
    !text[..start].ends_with(inside) && !text[end..].starts_with(inside)
}

fn architectures_in(text: &str, found: &mut Vec<Mention>) {
    for word in PATTERNS.architecture.find_iter(text) {
        if !alone(text, word.start(), word.end()) {
            continue;
        }
        let written = word.as_str().to_lowercase();
        let Some(index) = architectures().iter().position(|one| one.words.contains(&written)) else {
            continue;
        };
        let open = PATTERNS.and_newer.find(&text[word.end()..]);
        let end = word.end() + open.map_or(0, |open| open.end());
        let lower_case = word.as_str().starts_with(char::is_lowercase);
        let other_cards = PATTERNS.or_other_kind.is_match(&text[word.end()..]);
        let what = match other_cards || PATTERNS.denied.is_match(&text[..word.start()]) {
            true => MentionKind::Barrier,
            false => MentionKind::Architecture { index, and_newer: open.is_some(), lower_case },
        };
        found.push(Mention { what, start: word.start(), end });
    }
}

fn products_in(text: &str, found: &mut Vec<Mention>) {
    let named = PATTERNS.product.captures_iter(text).chain(PATTERNS.product_any_case.captures_iter(text));
    for word in named {
        let Some(whole) = word.get(0) else { continue };
        if !alone(text, whole.start(), whole.end()) {
            continue;
        }
        let plain = plain(whole.as_str());
        let Some(product) = products().iter().find(|one| {
            let name = self::plain(&one.name);
            // Some are called by a part of their names: `A6000`, `K80`.
            name == plain || name.strip_prefix("tesla").or(name.strip_prefix("rtx")) == Some(&plain)
        }) else {
            continue;
        };
        let behind = &text[whole.end()..];
        let what = match PATTERNS.denied.is_match(&text[..whole.start()])
            || PATTERNS.other_product.is_match(behind)
        {
            true => MentionKind::Barrier,
            false => MentionKind::Product { product, exactly: !PATTERNS.variant.is_match(behind) },
        };
        found.push(Mention { what, start: whole.start(), end: whole.end() });
    }
}

fn series_in(text: &str, found: &mut Vec<Mention>) {
    for word in PATTERNS.series.captures_iter(text) {
        let (Some(whole), Some(kind), Some(number)) = (word.get(0), word.get(1), word.get(2)) else {
            continue;
        };
        let name = format!("{} {}", kind.as_str().to_uppercase(), number.as_str());
        if let Some(product) = series().iter().find(|one| one.name == name)
            && alone(text, whole.start(), whole.end())
        {
            let what = MentionKind::Product { product, exactly: false };
            found.push(Mention { what, start: whole.start(), end: whole.end() });
        }
    }
}

/// A name without blanks and marks, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn features_in(text: &str, found: &mut Vec<Mention>) {
    for word in PATTERNS.feature.find_iter(text) {
        let written = word.as_str().to_lowercase();
        if let Some(index) = features().iter().position(|one| one.words.contains(&written))
            && alone(text, word.start(), word.end())
        {
            found.push(Mention { what: MentionKind::Feature(index), start: word.start(), end: word.end() });
        }
    }
}

fn memory_in(text: &str, found: &mut Vec<Mention>) {
    for word in PATTERNS.memory.captures_iter(text) {
        let (Some(whole), Some(number)) = (word.get(0), word.get(1)) else { continue };
        if let Ok(gb) = number.as_str().parse()
            && alone(text, whole.start(), whole.end())
        {
            found.push(Mention { what: MentionKind::Memory(gb), start: whole.start(), end: whole.end() });
        }
    }
}

/// A number as it is written: `8.6`, `86`, `(8, 6)`; `8.x`.
fn number(text: &str) -> Option<Range> {
    let digits: String = text
        .chars()
        .map(|one| if one == ',' { '.' } else { one })
        .filter(|one| "0123456789.xX".contains(*one))
        .collect();
    if let Some(major) = digits.strip_suffix(['x', 'X']) {
        return major.trim_end_matches('.').parse().ok().map(Range::Major);
    }
    let one = match digits.contains('.') {
        true => Capability::parse(&digits),
        false => Capability::of_number(digits.parse().ok()?),
    };
    one.map(Range::Exactly)
}

fn capabilities_in(text: &str, cued: bool, found: &mut Vec<Mention>) {
    // Where the last number ended of which the text says that it is a capability, or the words that say so.
    let mut cue = cued.then_some(0);
    let mut cues = PATTERNS.capability.find_iter(text).map(|one| one.end()).peekable();
    for word in PATTERNS.number.captures_iter(text) {
        let (Some(whole), Some(digits)) = (word.get(0), word.name("sm").or(word.name("number"))) else {
            continue;
        };
        let (start, end) = (whole.start(), whole.end());
        while let Some(at) = cues.next_if(|at| *at <= start) {
            cue = Some(at);
        }
        let by_target = word.name("sm").is_some();
        let after_cue = cue.is_some_and(|at| at <= start && PATTERNS.leads_on.is_match(&text[at..start]));
        let before_cue = PATTERNS.capability_follows.is_match(&text[end..]);
        let tuple = digits.as_str().contains(',');
        let said = by_target || after_cue || before_cue || tuple || cued;
        let short = !digits.as_str().contains(['.', ',', 'x', 'X']);
        let taken = alone(text, start, end) && (by_target || !short || after_cue);
        let other_number = !by_target
            && !tuple
            && (PATTERNS.unit.is_match(&text[end..])
                || PATTERNS.version.is_match(&text[..start])
                || text[..start].ends_with(['.', '$', '€'])
                || continues(&text[end..]));
        let Some(mut range) = number(digits.as_str()).filter(|_| taken && !other_number) else { continue };
        let mut stop = end;
        if let Range::Exactly(one) = range {
            if let Some(to) = PATTERNS.range.captures(&text[end..])
                && let Some(Range::Exactly(last)) = to.get(1).and_then(|last| number(last.as_str()))
                && last > one
                && last.is_known()
            {
                stop += to.get(0).map_or(0, |all| all.end());
                range = Range::Between(one, last);
            } else if let Some(more) = PATTERNS.or_more.find(&text[end..]) {
                stop += more.end();
                range = Range::From(one);
            } else if let Some(less) = PATTERNS.or_less.find(&text[end..]) {
                stop += less.end();
                range = Range::UpTo(one);
            } else if let Some(before) = PATTERNS.bound.captures(&text[..start]) {
                range = match before.get(1).map_or("", |one| one.as_str()) {
                    "<=" | "≤" | "=<" => Range::UpTo(one),
                    "<" => Range::Below(one),
                    ">" => Range::Above(one),
                    ">=" | "≥" | "=>" => Range::From(one),
                    word if PATTERNS.below.is_match(word) => Range::Below(one),
                    word if PATTERNS.above.is_match(word) => Range::Above(one),
                    _ => Range::From(one),
                };
            }
        }
        let stands_for_some = match range {
            Range::Exactly(one) => one.is_known(),
            range => !range.known().is_empty(),
        };
        if said {
            cue = Some(stop);
        }
        if stands_for_some {
            found.push(Mention { what: MentionKind::Capability { range, said }, start, end: stop });
        }
    }
}

/// The number goes on: `8.6.1`, `8.6-rc`.
fn continues(behind: &str) -> bool {
    let mut rest = behind.chars();
    match rest.next() {
        Some('.') => rest.next().is_some_and(|one| one.is_ascii_digit()),
        Some('%') => true,
        _ => false,
    }
}

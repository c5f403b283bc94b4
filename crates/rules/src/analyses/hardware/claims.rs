//! What one sentence says of hardware, held against the tables: "Hopper (8.9)", "the RTX 3090 is Ada". Only names that
//! stand together by the words between them are compared, and what may be read in two ways is taken for right.

use super::mentions::{Mention, MentionKind, may_hold_capabilities, may_hold_sizes, mentions_of};
use super::names::Kinds;
use super::patterns::PATTERNS;
use super::range::Range;
use super::{Fault, Topic};
use crate::architectures::{Product, architectures};

/// What the text around a sentence says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// Numbers are compute capabilities: the heading of the column says so.
    pub cued: bool,
    /// The file is about GPUs: a number in parentheses behind an architecture is its capability.
    pub about_gpus: bool,
    /// Sizes may be other things than that of a card's memory.
    pub used_memory: bool,
}

/// Names of one kind that stand in one list.
struct Group<'m> {
    kind: Kind,
    names: &'m [Mention],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Architecture,
    Capability,
    Product,
    Other,
}

/// How strongly two neighbours stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ClaimStrength {
    /// `Ampere, 8.6`
    List,
    /// `Ampere 8.6`
    Words,
    /// `Ampere (8.6)`, `8.6: Ampere`
    Said,
}

/// Whether a sentence with names of these kinds may say one thing of another.
pub(super) fn may_be_wrong(kinds: Kinds, sentence: &str, cued: bool) -> bool {
    let architecture = kinds.have(Kinds::ARCHITECTURE);
    let product = kinds.have(Kinds::PRODUCT.and(Kinds::SERIES));
    architecture && kinds.have(Kinds::PRODUCT.and(Kinds::SERIES).and(Kinds::FEATURE))
        || product && may_hold_sizes(sentence)
        || kinds.have(Kinds::HARDWARE) && (cued || may_hold_capabilities(kinds, sentence))
}

/// The faults of one sentence with names of these kinds; places count in it.
pub(super) fn faults(kinds: Kinds, sentence: &str, context: Context) -> Vec<Fault> {
    let mut found = Vec::new();
    let named = mentions_of(kinds, sentence, context.cued);
    super::features::faults(sentence, &named, &mut found);
    memory(sentence, &named, context, &mut found);
    // Sizes stand between names without keeping them apart.
    let named: Vec<Mention> =
        named.into_iter().filter(|one| !matches!(one.what, MentionKind::Memory(_))).collect();
    let groups = groups(sentence, &named);
    let ties: Vec<Option<ClaimStrength>> = groups
        .windows(2)
        .map(|pair| tie(sentence, &pair[0], &pair[1], context).filter(|_| pair[0].kind != pair[1].kind))
        .collect();
    for (at, tie) in ties.iter().enumerate() {
        let Some(tie) = *tie else { continue };
        let (left, right) = (&groups[at], &groups[at + 1]);
        // A name belongs to the neighbour that it stands closer to; with two of the same kind at one distance it is
        // either's.
        let rival = |other: Option<usize>, kind: Kind| {
            other.is_some_and(|other| {
                ties[other].is_some_and(|rival| rival >= tie)
                    && (groups[other].kind == kind || groups[other + 1].kind == kind)
            })
        };
        let before = rival(at.checked_sub(1), right.kind);
        let behind = rival((at + 2 < groups.len()).then_some(at + 1), left.kind);
        let only = |kind: Kind| groups.iter().filter(|one| one.kind == kind).count() == 1;
        let is_enumeration = || !(only(left.kind) && only(right.kind)) || goes_on(sentence, right);
        if before || behind || tie == ClaimStrength::List && is_enumeration() {
            continue;
        }
        let spoken = spoken_of(sentence, left, right);
        found.extend(compared(spoken, right.names, left.kind, right.kind));
    }
    // Where a capability already speaks against an architecture, the product beside it would only say it again.
    let by_capability: Vec<(usize, usize)> =
        found.iter().filter(|one| one.topic == Topic::Architecture).map(|one| (one.start, one.end)).collect();
    found.retain(|one| {
        let again = |&(start, end): &(usize, usize)| one.start < end && start < one.end;
        one.topic != Topic::Product || !by_capability.iter().any(again)
    });
    if !found.is_empty() && PATTERNS.doubt.is_match(sentence) {
        found.clear();
    }
    found
}

/// `RTX-4090, Hopper, etc.` names examples, and says nothing of one by the other.
fn goes_on(sentence: &str, last: &Group<'_>) -> bool {
    let end = last.names.last().map_or(0, |name| name.end);
    let rest = sentence.get(end..).unwrap_or_default().trim_start_matches([',', ' ']);
    ["etc", "and so on", "and others", "and more", "..", "…"].iter().any(|word| rest.starts_with(word))
}

fn kind_of(one: &Mention) -> Kind {
    match one.what {
        MentionKind::Architecture { .. } => Kind::Architecture,
        MentionKind::Capability { .. } => Kind::Capability,
        MentionKind::Product { .. } => Kind::Product,
        _ => Kind::Other,
    }
}

/// Neighbours of one kind that nothing but commas and the like keeps apart.
fn groups<'m>(sentence: &str, named: &'m [Mention]) -> Vec<Group<'m>> {
    let together = |one: &Mention, next: &Mention| {
        kind_of(one) == kind_of(next)
            && kind_of(one) != Kind::Other
            && PATTERNS.list.is_match(&without_sizes(&sentence[one.end..next.start]))
    };
    named.chunk_by(together).map(|names| Group { kind: kind_of(&names[0]), names }).collect()
}

fn without_sizes(text: &str) -> String {
    PATTERNS.memory.replace_all(text, "").into_owned()
}

fn tie(sentence: &str, left: &Group<'_>, right: &Group<'_>, context: Context) -> Option<ClaimStrength> {
    let (last, first) = (left.names.last()?, right.names.first()?);
    if left.kind == Kind::Other || right.kind == Kind::Other {
        return None;
    }
    let between = without_sizes(&sentence[last.end..first.start]);
    // "Volta: V100" and below it "Turing: T4" are two lines of a list.
    if between.contains('\n') && between.trim().is_empty() {
        return None;
    }
    if between.contains(';')
        || between.chars().count() > 60
        || !PATTERNS.links.replace_all(&between, "").is_empty()
    {
        return None;
    }
    // In "Hopper H200 → Blackwell B200" the arrow leads from one card to the next, each with its own architecture.
    let arrow = between.contains(['→', '⇒']) || between.contains("->");
    if arrow && has_both(sentence, left, right) {
        return None;
    }
    let commas = between.contains([',', '/', ')', ']', '|', '.']);
    let opens =
        between.trim_end().ends_with(['(', '[', ':', '=', '→', '⇒', '–', '—']) || between.contains("->");
    let verbs = [
        "is",
        "are",
        "est",
        "sont",
        "es",
        "son",
        "has",
        "have",
        "a",
        "ont",
        "possède",
        "possèdent",
        "tiene",
        "tienen",
    ];
    let verb = between.split_whitespace().any(|word| verbs.contains(&word));
    let tie = match () {
        () if (opens || verb) && !between.contains([')', '|']) => ClaimStrength::Said,
        () if commas => ClaimStrength::List,
        () => ClaimStrength::Words,
    };
    // "On Hopper, sm_80 code runs as well" is no list.
    let apart = || {
        let before = sentence[..left.names.first().map_or(0, |one| one.start)]
            .trim_end_matches([' ', '`', '*', '#', '"']);
        let behind =
            sentence[right.names.last().map_or(0, |one| one.end)..].trim_start_matches([' ', '`', '*', '"']);
        (before.is_empty() || before.ends_with(['(', ':', '-', '–', '—', ',', '=', '|', '[']))
            && (behind.is_empty() || behind.starts_with([')', '.', ',', ';', '|', ']']))
    };
    if tie == ClaimStrength::List && !apart() {
        return None;
    }
    let bare = |group: &Group<'_>| {
        group.names.iter().any(|one| matches!(one.what, MentionKind::Capability { said: false, .. }))
    };
    let lower = |group: &Group<'_>| {
        group.names.iter().any(|one| matches!(one.what, MentionKind::Architecture { lower_case: true, .. }))
    };
    if bare(left) || bare(right) {
        // `Hopper (9.0)`, and nothing else in the parentheses.
        let behind = sentence[right.names.last()?.end..].trim_start_matches(['`', '*', ' ']);
        let in_parentheses = bare(right)
            && between.trim_matches(['`', '*', ' ', '~']).eq("(")
            && behind.starts_with([')', '+', ',']);
        let fits =
            in_parentheses && context.about_gpus && !lower(left) && !PATTERNS.versions.is_match(sentence);
        return fits.then_some(tie);
    }
    Some(tie)
}

/// Whether a card and an architecture have, on their other sides, an architecture and a card of their own.
fn has_both(sentence: &str, left: &Group<'_>, right: &Group<'_>) -> bool {
    let (Some(first), Some(last)) = (left.names.first(), right.names.last()) else { return false };
    let before = sentence[..first.start].split([',', ';', '.', '(']).next_back().unwrap_or_default();
    let behind = sentence[last.end..].split([',', ';', '.', ')']).next().unwrap_or_default();
    let names = |text: &str, kind: Kind| {
        mentions_of(Kinds::of(text), text, false).iter().any(|one| kind_of(one) == kind)
    };
    match (left.kind, right.kind) {
        (Kind::Product, Kind::Architecture) => {
            names(before, Kind::Architecture) && names(behind, Kind::Product)
        }
        (Kind::Architecture, Kind::Product) => {
            names(before, Kind::Product) && names(behind, Kind::Architecture)
        }
        _ => false,
    }
}

/// The names on the left that the right speaks of: behind an opening parenthesis the nearest, else all of them. One list
/// behind another, as in "sm_90/sm_100 (H100/B200)", may speak of all.
fn spoken_of<'m>(sentence: &str, left: &Group<'m>, right: &Group<'m>) -> &'m [Mention] {
    let (Some(last), Some(first)) = (left.names.last(), right.names.first()) else { return left.names };
    let nearest = left.kind == Kind::Capability
        && right.names.len() == 1
        && sentence[last.end..first.start].contains('(');
    if nearest { &left.names[left.names.len() - 1..] } else { left.names }
}

/// What two lists of names say of each other.
fn compared(left: &[Mention], right: &[Mention], one: Kind, other: Kind) -> Option<Fault> {
    match (one, other) {
        (Kind::Architecture, Kind::Capability) => architecture_of(right, left),
        (Kind::Capability, Kind::Architecture) => architecture_of(left, right),
        (Kind::Product, Kind::Architecture) => products_of(left, right, true),
        (Kind::Architecture, Kind::Product) => products_of(right, left, false),
        (Kind::Product, Kind::Capability) => products_at(left, right, true),
        (Kind::Capability, Kind::Product) => products_at(right, left, false),
        _ => None,
    }
    .map(|(topic, text)| Fault {
        topic,
        start: left[0].start.min(right[0].start),
        end: left.last().map_or(0, |one| one.end).max(right.last().map_or(0, |one| one.end)),
        text,
    })
}

fn architecture_names(list: &[Mention]) -> Vec<(usize, bool)> {
    let name = |one: &Mention| match one.what {
        MentionKind::Architecture { index, and_newer, .. } => Some((index, and_newer)),
        _ => None,
    };
    list.iter().filter_map(name).collect()
}

fn ranges(list: &[Mention]) -> Vec<Range> {
    let range = |one: &Mention| match one.what {
        MentionKind::Capability { range, .. } => Some(range),
        _ => None,
    };
    list.iter().filter_map(range).collect()
}

fn named_products(list: &[Mention]) -> Vec<(&'static Product, bool)> {
    let product = |one: &Mention| match one.what {
        MentionKind::Product { product, exactly } => Some((product, exactly)),
        _ => None,
    };
    list.iter().filter_map(product).collect()
}

/// A capability none of the architectures has.
fn architecture_of(numbers: &[Mention], names: &[Mention]) -> Option<(Topic, String)> {
    let names = architecture_names(names);
    let ranges = ranges(numbers);
    let wrong = ranges.iter().find(|range| match range {
        // A list of architectures may be that of a span of capabilities, or name some that have what begins with one.
        Range::Between(..) | Range::From(_) if names.len() > 1 => {
            !names.iter().any(|&(name, _)| has_some(**range, name))
        }
        _ => !names.iter().any(|&(name, newer)| range.may_be(name, newer)),
    })?;
    let (first, _) = *names.first()?;
    Some((Topic::Architecture, not_so(*wrong, first)))
}

fn has_some(range: Range, architecture: usize) -> bool {
    architectures()[architecture].capabilities.iter().any(|one| range.contains(*one))
}

/// What is said of a capability, and what is right.
pub(super) fn not_so(range: Range, architecture: usize) -> String {
    let name = &architectures()[architecture].name;
    let truth = range.truth();
    let own: Vec<String> =
        architectures()[architecture].capabilities.iter().map(|one| one.to_string()).collect();
    format!("compute capability {range} is {truth}, not {name}, which has {}", own.join(", "))
}

/// A product of another architecture; `may_be_any`: the list of products stands first, and each may belong to any.
fn products_of(products: &[Mention], names: &[Mention], products_first: bool) -> Option<(Topic, String)> {
    let names = architecture_names(names);
    let products = named_products(products);
    let fits = |product: &Product| {
        let Some(own) = product.architecture() else { return true };
        names.iter().any(|&(name, newer)| own == name || (newer && own > name))
    };
    if products_first && products.iter().any(|(product, _)| fits(product)) {
        return None;
    }
    let (wrong, _) = products.iter().find(|(product, _)| !fits(product))?;
    let truth = &architectures()[wrong.architecture()?].name;
    let said = &architectures()[names.first()?.0].name;
    Some((Topic::Product, format!("{} is {truth}, not {said}", card(wrong))))
}

/// A product with another capability.
fn products_at(products: &[Mention], numbers: &[Mention], products_first: bool) -> Option<(Topic, String)> {
    let ranges = ranges(numbers);
    let products = named_products(products);
    let fits = |product: &Product| ranges.iter().any(|range| range.contains(product.capability));
    if products_first && products.iter().any(|(product, _)| fits(product)) {
        return None;
    }
    let (wrong, _) = products.iter().find(|(product, _)| !fits(product))?;
    let said = ranges.first()?;
    Some((Topic::Product, format!("{} has compute capability {}, not {said}", card(wrong), wrong.capability)))
}

fn card(product: &Product) -> String {
    format!("the {}", product.name)
}

/// `RTX 3090 (16 GB)`
fn memory(sentence: &str, named: &[Mention], context: Context, found: &mut Vec<Fault>) {
    let some = |is: fn(&MentionKind) -> bool| named.iter().any(|one| is(&one.what));
    if context.used_memory
        || !some(|what| matches!(what, MentionKind::Memory(_)))
        || !some(|what| matches!(what, MentionKind::Product { .. }))
        || PATTERNS.memory_used.is_match(sentence)
    {
        return;
    }
    for pair in named.windows(2) {
        let (product, gb, product_first) = match (pair[0].what, pair[1].what) {
            (MentionKind::Product { product, exactly: true }, MentionKind::Memory(gb)) => (product, gb, true),
            (MentionKind::Memory(gb), MentionKind::Product { product, exactly: true }) => {
                (product, gb, false)
            }
            _ => continue,
        };
        let between = &sentence[pair[0].end..pair[1].start];
        let close = match product_first {
            true => {
                PATTERNS.links.replace_all(between, "").is_empty()
                    && !between.contains([')', '|', '/', '>', '~'])
            }
            false => {
                between.trim().is_empty()
                    && !sentence[..pair[0].start].trim_end().ends_with([',', '(', ':', '-', '/'])
            }
        };
        // `2x RTX 3090 (48 GB)`, `RTX 3090 x2 48 GB`
        let several = PATTERNS.several.is_match(&sentence[..pair[0].start])
            || sentence[pair[1].end..].starts_with(['/', 'x', '×', '-']);
        // `A100 80GB` may be one of `8x A100 40GB/80GB`.
        if close && !several && gb >= 1.0 && !product.may_have(gb) && !is_multiple(product, gb) {
            let sizes: Vec<String> = product.memory_gb.iter().map(|size| size.to_string()).collect();
            let text = format!("{} has {} GB of memory, not {gb}", card(product), sizes.join(" or "));
            found.push(Fault { topic: Topic::Product, start: pair[0].start, end: pair[1].end, text });
        }
    }
}

/// So much may be the memory of four or eight cards.
fn is_multiple(product: &Product, gb: f64) -> bool {
    product
        .memory_gb
        .iter()
        .any(|size| [4, 8, 16].iter().any(|cards| (gb - f64::from(size * cards)).abs() < 0.5))
}

/// What is said of products, architectures and capabilities that stand in one row of a table or one record.
pub(super) fn of_one_row(names: &[Mention]) -> Vec<Fault> {
    let of =
        |kind: Kind| -> Vec<Mention> { names.iter().filter(|one| kind_of(one) == kind).copied().collect() };
    let (products, generations, numbers) = (of(Kind::Product), of(Kind::Architecture), of(Kind::Capability));
    let mut found = Vec::new();
    let mut say = |one: &[Mention], kind: Kind, other: &[Mention], other_kind: Kind| {
        if !one.is_empty() && !other.is_empty() {
            found.extend(compared(one, other, kind, other_kind));
        }
    };
    say(&numbers, Kind::Capability, &generations, Kind::Architecture);
    say(&numbers, Kind::Capability, &products, Kind::Product);
    // Where the capability already speaks against the architecture, the product would only say it again.
    if found.is_empty() {
        found.extend(
            (!products.is_empty() && !generations.is_empty())
                .then(|| compared(&products, &generations, Kind::Product, Kind::Architecture))
                .flatten(),
        );
    }
    found
}

/// The size that a row of a table gives a product.
pub(super) fn memory_of_row(product: &'static Product, gb: f64) -> Option<String> {
    let sizes: Vec<String> = product.memory_gb.iter().map(|size| size.to_string()).collect();
    (!product.may_have(gb) && !is_multiple(product, gb))
        .then(|| format!("{} has {} GB of memory, not {gb}", card(product), sizes.join(" or ")))
}

//! What texts say of features: "bf16 needs compute capability 7.0", "FP8 is exclusive to Blackwell".

use super::mentions::{Mention, MentionKind};
use super::patterns::PATTERNS;
use super::range::Range;
use super::{Fault, Topic};
use crate::architectures::{Capability, Feature, architectures, capabilities, features};
use std::cell::LazyCell;

/// The faults of one sentence.
pub(super) fn faults(sentence: &str, named: &[Mention], found: &mut Vec<Fault>) {
    let has = |is: fn(&MentionKind) -> bool| named.iter().any(|one| is(&one.what));
    if !has(|what| matches!(what, MentionKind::Feature(_)))
        || !has(|what| {
            matches!(what, MentionKind::Architecture { .. } | MentionKind::Capability { said: true, .. })
        })
    {
        return;
    }
    let lower = sentence.to_lowercase();
    let lacking = LazyCell::new(|| PATTERNS.lacking.is_match(sentence));
    let plain = |feature: &Feature| !feature.unless.iter().any(|word| lower.contains(word.as_str()));
    for (at, one) in named.iter().enumerate() {
        let MentionKind::Feature(index) = one.what else { continue };
        let feature = &features()[index];
        if !plain(feature) {
            continue;
        }
        let fault = |end: &Mention, text: String| Fault {
            topic: Topic::Feature,
            start: one.start.min(end.start),
            end: one.end.max(end.end),
            text,
        };
        let behind = named[at + 1..].iter().find(|next| !matches!(next.what, MentionKind::Feature(_)));
        if let Some(next) = behind.filter(|_| !*lacking)
            && let between = names_of_features_removed(&sentence[one.end..next.start])
            && PATTERNS.needs.is_match(&between)
            && let Some(text) = too_low(feature, next)
        {
            found.push(fault(next, text));
        }
        let before = named[..at].iter().rev().find(|next| !matches!(next.what, MentionKind::Feature(_)));
        if let Some(next) = before.filter(|_| !*lacking)
            && PATTERNS.offers.is_match(&names_of_features_removed(&sentence[next.end..one.start]))
            && let Some(text) = too_low(feature, next)
        {
            found.push(fault(next, text));
        }
        let only_there = || {
            behind.is_some_and(|next| {
                let rest = sentence[next.end..].trim_matches(['*', '`', ' ', '.', '!']).to_lowercase();
                sentence[..one.start].trim_matches(['*', '`', ' ', '-']).split(' ').count() < 2
                    && PATTERNS.only_there.is_match(&sentence[one.end..next.start])
                    && matches!(rest.as_str(), "" | "gpus" | "cards" | "hardware" | "gpu")
            })
        };
        if (PATTERNS.exclusive.is_match(sentence) && !PATTERNS.not_exclusive.is_match(sentence)
            || only_there())
            && let Some((next, text)) = shared(feature, named)
        {
            found.push(fault(next, text));
        }
    }
}

fn names_of_features_removed(text: &str) -> String {
    PATTERNS.feature.replace_all(text, "").replace(['/', ','], " ").replace(" and ", " ").replace('+', " ")
}

/// The feature is said to be there where the hardware lacks it.
fn too_low(feature: &Feature, of: &Mention) -> Option<String> {
    let said = match of.what {
        MentionKind::Capability { range: Range::Exactly(one) | Range::From(one), said: true }
            if one < feature.minimum =>
        {
            format!("compute capability {one}")
        }
        MentionKind::Architecture { index, lower_case: false, .. } if lacks(index, feature.minimum) => {
            architectures()[index].name.clone()
        }
        _ => return None,
    };
    Some(begins(feature, &said))
}

fn lacks(architecture: usize, minimum: Capability) -> bool {
    architectures()[architecture].capabilities.iter().all(|one| *one < minimum)
}

/// Where a feature begins, for one that was said to be elsewhere.
pub(super) fn begins(feature: &Feature, said: &str) -> String {
    let first = crate::architectures::architecture_of(feature.minimum);
    let name = first.map_or("", |first| architectures()[first].name.as_str());
    format!(
        "{} begins with compute capability {} ({name}); {said} has none of it",
        feature.name, feature.minimum
    )
}

/// An architecture that is not the only one.
fn shared<'m>(feature: &Feature, named: &'m [Mention]) -> Option<(&'m Mention, String)> {
    let owners: Vec<usize> = capabilities()
        .into_iter()
        .filter(|one| *one >= feature.minimum)
        .filter_map(crate::architectures::architecture_of)
        .collect();
    let mut architectures_named =
        named.iter().filter(|one| matches!(one.what, MentionKind::Architecture { .. }));
    let only = architectures_named.next()?;
    let MentionKind::Architecture { index, and_newer: false, .. } = only.what else { return None };
    let others: Vec<&str> = (0..architectures().len())
        .filter(|one| owners.contains(one) && *one != index)
        .map(|one| architectures()[one].name.as_str())
        .collect();
    let name = &architectures()[index].name;
    (architectures_named.next().is_none() && owners.contains(&index) && !others.is_empty()).then(|| {
        (only, format!("{} is not exclusive to {name}; {} can do it too", feature.name, others.join(" and ")))
    })
}

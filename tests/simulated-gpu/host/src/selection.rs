//! Which cards a process sees, and in which order: CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as the driver reads them.
//!
//! Sources: the CUDA programming guide, appendix on environment variables; `_parse_visible_devices` and
//! `_transform_uuid_to_ordinals` of torch, which its tests hold against driver 525.60.13; `nvitop/api/device.py`. What
//! `tests/vectors/visible-on-two-cards.yaml` has is held against this.

use crate::{Card, Description};

/// What becomes of the cards of a host in one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// At least one, in the order of their ordinals.
    Cards(Vec<Selected>),
    Nothing,
    /// Nothing, because an entry repeats a card.
    Repeated,
}

/// A card, or a slice of one in MIG mode, each by its place in the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    pub card: usize,
    pub instance: Option<usize>,
}

/// What a process with these values of CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER sees.
pub fn selection_of(description: &Description, visible: Option<&str>, order: Option<&str>) -> Selection {
    let ordered = ordered_cards(description, order);
    let chosen = match visible {
        None => Some(ordered.iter().map(|&card| Selected { card, instance: None }).collect()),
        Some(list) if list.starts_with("MIG-") => {
            entries(list, |entry| instance_named(description, &ordered, entry))
        }
        Some(list) if list.starts_with("GPU-") => entries(list, |entry| {
            let mut named = ordered.iter().filter(|&&card| begins(&description.cards[card], entry));
            let card = named.next().copied()?;
            named.next().is_none().then_some(Selected { card, instance: None })
        }),
        Some(list) => entries(list, |entry| {
            let card = *ordered.get(leading_number(entry.trim())?)?;
            Some(Selected { card, instance: None })
        }),
    };
    let Some(chosen) = chosen else { return Selection::Repeated };
    match at_most_one_slice(description, chosen) {
        chosen if chosen.is_empty() => Selection::Nothing,
        chosen => Selection::Cards(chosen),
    }
}

/// The cards as CUDA counts them.
fn ordered_cards(description: &Description, order: Option<&str>) -> Vec<usize> {
    let mut cards: Vec<usize> = (0..description.cards.len()).collect();
    if order == Some("PCI_BUS_ID") {
        cards.sort_by_key(|&card| description.cards[card].address());
    } else {
        let rank = |card: &Card| description.fastest_first.iter().position(|start| begins(card, start));
        cards.sort_by_key(|&card| rank(&description.cards[card]).unwrap_or(usize::MAX));
    }
    cards
}

fn begins(card: &Card, start: &str) -> bool {
    !start.is_empty() && card.uuid.starts_with(start)
}

/// What the entries name, up to the first that names nothing; `None` if one is named twice.
fn entries(list: &str, named: impl Fn(&str) -> Option<Selected>) -> Option<Vec<Selected>> {
    let mut chosen = Vec::new();
    for entry in list.split(',') {
        let Some(next) = named(entry) else { break };
        if chosen.contains(&next) {
            return None;
        }
        chosen.push(next);
    }
    Some(chosen)
}

/// As `strtoul` reads it: a sign and the digits at the beginning, whatever follows them. Nothing below 0 is a card.
fn leading_number(entry: &str) -> Option<usize> {
    let (negative, digits) = match entry.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, entry.strip_prefix('+').unwrap_or(entry)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: usize = digits[..end].parse().ok()?;
    (number == 0 || !negative).then_some(number)
}

/// `MIG-…` as a UUID of its own, or `MIG-GPU-…/1/0` by its card and its two instances.
fn instance_named(description: &Description, ordered: &[usize], entry: &str) -> Option<Selected> {
    for &card in ordered {
        for (instance, slice) in description.cards[card].mig.iter().enumerate() {
            let uuid = &description.cards[card].uuid;
            let older = format!("MIG-{uuid}/{}/{}", slice.gpu_instance, slice.compute_instance);
            if entry == slice.uuid || entry == older {
                return Some(Selected { card, instance: Some(instance) });
            }
        }
    }
    None
}

/// A process sees one slice at most. A card in MIG mode stands for its first one, and hides all else.
fn at_most_one_slice(description: &Description, chosen: Vec<Selected>) -> Vec<Selected> {
    let sliced = chosen.iter().find_map(|selected| {
        let has_slices = !description.cards[selected.card].mig.is_empty();
        has_slices.then(|| Selected { card: selected.card, instance: selected.instance.or(Some(0)) })
    });
    sliced.map_or(chosen, |sliced| vec![sliced])
}

//! The card that the policy allows on this machine, and whether a process gets it and no other.

use super::cards::Card;
use super::driver::{Answer, codes};
use super::machine::CardAnswer;
use super::management::{CardState, Mode};
use crate::policy::{Amount, Gpu};
use serde::Serialize;

/// Why no card was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoChoice {
    /// The machine shows no card at all.
    NoCards,
    /// None is allowed; for each card the reason.
    NoneAllowed(Vec<(String, String)>),
    /// The policy allows cards of several kinds and does not say which.
    Several(Vec<String>),
    /// `visible-devices` names a card that the rest of the policy does not allow.
    Contradiction { named: String, card: String, reason: String, instead: Option<String> },
    /// `visible-devices` names no card that is here.
    NamesNone { named: String, cards: String, instead: Option<String> },
    /// The policy has only an index, and here an index does not count the cards of the machine.
    OnlyAnIndex { named: String, cards: String },
}

impl std::fmt::Display for NoChoice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoChoice::NoCards => formatter.write_str("there is no NVIDIA GPU that this process could use"),
            NoChoice::NoneAllowed(reasons) => {
                let reasons: Vec<String> =
                    reasons.iter().map(|(card, why)| format!("{card} {why}")).collect();
                write!(formatter, "the policy allows none of the cards here: {}", reasons.join("; "))
            }
            NoChoice::Several(cards) => write!(
                formatter,
                "the policy allows {}, which are not alike, and does not say which: write more of the name in `gpu.name`, or the \
                 UUID of one in `gpu.visible-devices`",
                cards.join(" and ")
            ),
            NoChoice::Contradiction { named, card, reason, instead } => {
                write!(
                    formatter,
                    "the policy wants `visible-devices: \"{named}\"`, which is {card} here, and that {reason}"
                )?;
                write_way_out(formatter, instead.as_deref())
            }
            NoChoice::NamesNone { named, cards, instead } => {
                write!(
                    formatter,
                    "the policy wants `visible-devices: \"{named}\"`, which names no card here"
                )?;
                match instead {
                    Some(_) => write_way_out(formatter, instead.as_deref()),
                    None => write!(formatter, ": write the UUID of one ({cards})"),
                }
            }
            NoChoice::OnlyAnIndex { named, cards } => write!(
                formatter,
                "the policy has only an index, `visible-devices: \"{named}\"`, and here an index may count other cards than \
                 on the machine (a container, a job of a cluster, slices of a card, or a lost card): write `gpu.name`, or the UUID \
                 ({cards})"
            ),
        }
    }
}

/// What to write instead.
fn write_way_out(formatter: &mut std::fmt::Formatter<'_>, instead: Option<&str>) -> std::fmt::Result {
    instead.map_or(Ok(()), |instead| write!(formatter, ": write {instead}"))
}

/// What the driver makes of a value that the policy wants scripts to set CUDA_VISIBLE_DEVICES to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    pub value: String,
    /// The cards that a process with it is shown. `None` when the driver did not say.
    pub shown: Option<Vec<Card>>,
}

impl Mask {
    pub fn of(value: &str, told: &CardAnswer<Answer>) -> Mask {
        let shown = match told.answer() {
            Some(Answer::Cards { cards, .. }) => Some(cards.clone()),
            Some(Answer::Error { code: codes::NO_DEVICE | codes::INVALID_DEVICE }) => Some(Vec::new()),
            _ => None,
        };
        Mask { value: value.to_owned(), shown }
    }

    /// The cards that it stands for. What the driver did not say is looked up in the order of `boards`.
    fn boards<'b>(&self, boards: &'b [CardState], renumbered: bool) -> Vec<&'b CardState> {
        let board_of = |card: &Card| {
            // Slices of one card share its address.
            let mut there = boards.iter().filter(|board| board.card.pci == card.pci);
            let only = there.next().filter(|_| there.next().is_none());
            boards.iter().find(|board| board.card.is(card)).or(only)
        };
        match &self.shown {
            Some(shown) => shown.iter().filter_map(board_of).collect(),
            None => self
                .value
                .split(',')
                .filter_map(|element| named_by(element.trim(), boards, renumbered))
                .collect(),
        }
    }
}

/// Whether a mask counts cards, and does not name them.
fn is_index(value: &str) -> bool {
    !value.trim_start().starts_with("GPU-") && !value.trim_start().starts_with("MIG-")
}

/// What this process may choose from, beside what the policy says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// What the driver makes of `gpu.visible-devices`.
    pub masks: &'a [Mask],
    /// What started this process hides cards and counts the others from 0, so that an index of the policy, which was written
    /// for the whole machine, proves nothing here.
    pub renumbered: bool,
    /// A scheduler chose the cards for this process, so that an index of the policy says nothing at all.
    pub handed_out: bool,
    /// The cards that CUDA_VISIBLE_DEVICES leaves to this process. `None` where it is not set.
    pub left: Option<&'a [Card]>,
}

/// The cards that the policy allows, at least one: one that it names, or all of one kind, of which each is as good. `boards`
/// are all that this process knows of, in the order of their PCI addresses. Where CUDA_VISIBLE_DEVICES leaves some of the
/// allowed cards it is these; where it leaves none of them, all are told, for whoever says what is missing.
pub fn allowed<'b>(
    gpu: &Gpu,
    boards: &'b [CardState],
    given: &Given<'_>,
) -> Result<Vec<&'b CardState>, NoChoice> {
    if boards.is_empty() {
        return Err(NoChoice::NoCards);
    }
    let fitting: Vec<&CardState> = boards.iter().filter(|board| objection(gpu, board).is_none()).collect();
    let instead = match fitting.as_slice() {
        [only] => Some(format!("\"{}\", which is {}", only.card.uuid, only.card.name)),
        _ => None,
    };
    let values = &gpu.visible_devices;
    let mut named = Vec::new();
    // An index of the whole machine may well be none, or another card, where fewer are shown.
    let mut counts_others =
        (given.renumbered || given.handed_out) && values.iter().any(|value| is_index(value));
    for value in values.iter().filter(|value| !given.handed_out || !is_index(value)) {
        let asked = given.masks.iter().find(|mask| mask.value == *value).cloned();
        let mask = asked.unwrap_or_else(|| Mask { value: value.clone(), shown: None });
        let shown = mask.boards(boards, given.renumbered);
        // The driver counts cards, and of one that is divided it takes the first slice.
        if is_index(value) && shown.iter().any(|board| board.card.is_slice()) {
            counts_others = true;
            continue;
        }
        // Every script that obeys the policy gets all of these.
        if let Some((board, reason)) = shown.iter().find_map(|board| Some((board, objection(gpu, board)?))) {
            let (named, card) = (value.clone(), board.card.to_string());
            return Err(NoChoice::Contradiction { named, card, reason, instead });
        }
        named.extend(shown);
    }
    let by_index_alone = gpu.name.is_none() && values.iter().all(|value| is_index(value));
    if counts_others && by_index_alone {
        return Err(NoChoice::OnlyAnIndex { named: values.join("`, `"), cards: described(boards) });
    }
    let is_left =
        |board: &&CardState| given.left.is_none_or(|left| left.iter().any(|card| card.is(&board.card)));
    if let Some(first) = named.first() {
        return Ok(vec![named.iter().find(|board| is_left(board)).unwrap_or(first)]);
    }
    if !values.is_empty() && !counts_others {
        return Err(NoChoice::NamesNone { named: values.join("`, `"), cards: described(boards), instead });
    }
    if fitting.is_empty() {
        let why = |board: &CardState| (board.card.to_string(), objection(gpu, board).unwrap_or_default());
        return Err(NoChoice::NoneAllowed(boards.iter().map(why).collect()));
    }
    let left: Vec<&CardState> = fitting.iter().copied().filter(is_left).collect();
    match left.as_slice() {
        [] => Ok(fitting),
        [first, others @ ..] if others.iter().all(|other| is_alike(&first.card, &other.card)) => Ok(left),
        several => Err(NoChoice::Several(several.iter().map(|board| board.card.to_string()).collect())),
    }
}

/// Whether two cards are of one kind, so that programs find the same on both.
fn is_alike(left: &Card, right: &Card) -> bool {
    let size = |card: &Card| card.is_slice().then_some(card.memory);
    left.name == right.name && size(left) == size(right)
}

/// The cards with what a policy may write for them.
fn described(boards: &[CardState]) -> String {
    let cards: Vec<String> =
        boards.iter().map(|board| format!("{} is {}", board.card.name, board.card.uuid)).collect();
    cards.join(", ")
}

/// Why the policy does not allow a card, as what follows its name; `None` when it does.
pub fn objection(gpu: &Gpu, board: &CardState) -> Option<String> {
    let card = &board.card;
    if let Some(part) = forbidding(&gpu.forbidden, &card.name) {
        return Some(format!("is forbidden (`gpu.forbidden: {part}`)"));
    }
    if let Some(name) = gpu.name.as_deref().filter(|name| !contains(&card.name, name)) {
        return Some(format!("is not `{name}` (`gpu.name`)"));
    }
    if let Some(least) = gpu.min_memory.filter(|least| card.memory < least.bytes) {
        let has = Amount { bytes: card.memory };
        return Some(format!("has {has} of memory, less than {least} (`gpu.min-memory`)"));
    }
    if board.mig == Some(true) {
        return Some("is divided into slices (MIG), of which this process sees none".to_owned());
    }
    (board.compute_mode == Some(Mode::Nobody))
        .then(|| "lets nobody compute (its compute mode is Prohibited)".to_owned())
}

/// What is wrong with the cards that a process gets, when one is allowed: nothing, or one sentence.
pub fn complaint(gpu: &Gpu, allowed: &Card, visible: &[Card]) -> Option<String> {
    let Some(first) = visible.first() else { return Some("the process gets no GPU".to_owned()) };
    if !first.is(allowed) {
        return Some(format!("ordinal 0 is {first}, and the policy wants {allowed}"));
    }
    let others: Vec<&Card> = visible.iter().filter(|card| !card.is(allowed)).collect();
    if let Some(card) = others.iter().find(|card| is_forbidden(&gpu.forbidden, &card.name)) {
        return Some(format!("{card} is visible too, and the policy forbids it"));
    }
    others.first().map(|card| format!("{card} is visible too"))
}

/// The same, where the policy names sets of cards and `masks` are what the driver makes of them; each card of them is
/// allowed. `None` where it names no set.
pub fn complaint_about_set(masks: &[Mask], visible: &[Card]) -> Option<Option<String>> {
    let sets: Vec<(&Mask, &[Card])> =
        masks.iter().filter_map(|mask| Some((mask, mask.shown.as_deref()?))).collect();
    let (mask, wanted) = sets.iter().find(|(_, shown)| shown.len() > 1)?;
    // The order counts too: ordinal 0 is the first.
    let is_whole = |set: &[Card]| {
        set.len() == visible.len() && set.iter().zip(visible).all(|(wanted, card)| wanted.is(card))
    };
    if sets.iter().any(|(_, set)| !set.is_empty() && is_whole(set)) {
        return Some(None);
    }
    let named = |cards: &[Card]| match cards {
        [] => "no GPU".to_owned(),
        cards => cards.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "),
    };
    Some(Some(format!(
        "the process gets {}, and the policy wants {}: set CUDA_VISIBLE_DEVICES to {}",
        named(visible),
        named(wanted),
        mask.value
    )))
}

/// Whether one of these parts of names is in the name of a card.
pub fn is_forbidden(forbidden: &[String], name: &str) -> bool {
    forbidding(forbidden, name).is_some()
}

fn forbidding<'f>(forbidden: &'f [String], name: &str) -> Option<&'f String> {
    forbidden.iter().find(|part| contains(name, part))
}

fn contains(name: &str, part: &str) -> bool {
    name.to_lowercase().contains(&part.to_lowercase())
}

/// The card that an element of `visible-devices` stands for.
fn named_by<'b>(element: &str, boards: &'b [CardState], renumbered: bool) -> Option<&'b CardState> {
    if element.starts_with("GPU-") || element.starts_with("MIG-") {
        return boards.iter().find(|board| board.card.uuid.starts_with(element));
    }
    let index: usize = element.parse().ok()?;
    boards.get(index).filter(|_| !renumbered)
}

#[cfg(test)]
mod tests;

//! The card that the policy allows on this machine, and whether a process gets it and no other.

use super::cards::Card;
use super::driver::{Answer, codes};
use super::machine::Told;
use super::management::{Board, Mode};
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
    /// The policy allows several and does not say which.
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
                "the policy allows {} and does not say which: name one in `gpu.visible-devices`",
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
                 on the machine (a container, a job of a cluster, or a lost card): write `gpu.name`, or the UUID ({cards})"
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
    pub fn of(value: &str, told: &Told<Answer>) -> Mask {
        let shown = match told.answer() {
            Some(Answer::Cards { cards, .. }) => Some(cards.clone()),
            Some(Answer::Error { code: codes::NO_DEVICE | codes::INVALID_DEVICE }) => Some(Vec::new()),
            _ => None,
        };
        Mask { value: value.to_owned(), shown }
    }

    /// The cards that it stands for. What the driver did not say is looked up in the order of `boards`.
    fn boards<'b>(&self, boards: &'b [Board], renumbered: bool) -> Vec<&'b Board> {
        // A slice has a UUID of its own, and the address of its card.
        let board_of = |card: &Card| {
            let is_same = |board: &&Board| board.card.uuid == card.uuid || board.card.pci == card.pci;
            boards.iter().find(is_same)
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

/// The card that the policy allows. `boards` are all that this process knows of, in the order of their PCI addresses, and
/// `masks` what the driver makes of `gpu.visible-devices`. `renumbered`: what started this process hides cards and counts the
/// others from 0, so that an index of the policy, which was written for the whole machine, proves nothing here.
pub fn allowed<'b>(
    gpu: &Gpu,
    boards: &'b [Board],
    masks: &[Mask],
    renumbered: bool,
) -> Result<&'b Board, NoChoice> {
    if boards.is_empty() {
        return Err(NoChoice::NoCards);
    }
    let fitting: Vec<&Board> = boards.iter().filter(|board| objection(gpu, board).is_none()).collect();
    let instead = match fitting.as_slice() {
        [only] => Some(format!("\"{}\", which is {}", only.card.uuid, only.card.name)),
        _ => None,
    };
    let mut named = Vec::new();
    for value in &gpu.visible_devices {
        let asked = masks.iter().find(|mask| mask.value == *value).cloned();
        let mask = asked.unwrap_or_else(|| Mask { value: value.clone(), shown: None });
        let shown = mask.boards(boards, renumbered);
        // Every script that obeys the policy gets all of these.
        if let Some((board, reason)) = shown.iter().find_map(|board| Some((board, objection(gpu, board)?))) {
            let (named, card) = (value.clone(), board.card.to_string());
            return Err(NoChoice::Contradiction { named, card, reason, instead });
        }
        named.extend(shown);
    }
    let values = &gpu.visible_devices;
    let by_index_alone =
        !values.is_empty() && gpu.name.is_none() && values.iter().all(|value| is_index(value));
    if renumbered && by_index_alone {
        return Err(NoChoice::OnlyAnIndex { named: values.join("`, `"), cards: described(boards) });
    }
    if let Some(board) = named.first() {
        return Ok(board);
    }
    // An index of the whole machine may well be none where fewer are shown.
    let says_nothing = renumbered && values.iter().any(|value| is_index(value));
    if !values.is_empty() && !says_nothing {
        return Err(NoChoice::NamesNone { named: values.join("`, `"), cards: described(boards), instead });
    }
    match fitting.as_slice() {
        [one] => Ok(one),
        [] => Err(NoChoice::NoneAllowed(
            boards
                .iter()
                .map(|board| (board.card.to_string(), objection(gpu, board).unwrap_or_default()))
                .collect(),
        )),
        several => Err(NoChoice::Several(several.iter().map(|board| board.card.to_string()).collect())),
    }
}

/// The cards with what a policy may write for them.
fn described(boards: &[Board]) -> String {
    let cards: Vec<String> =
        boards.iter().map(|board| format!("{} is {}", board.card.name, board.card.uuid)).collect();
    cards.join(", ")
}

/// Why the policy does not allow a card, as what follows its name; `None` when it does.
pub fn objection(gpu: &Gpu, board: &Board) -> Option<String> {
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
    (board.compute_mode == Some(Mode::Nobody))
        .then(|| "lets nobody compute (its compute mode is Prohibited)".to_owned())
}

/// What is wrong with the cards that a process gets, when one is allowed: nothing, or one sentence.
pub fn complaint(gpu: &Gpu, allowed: &Card, visible: &[Card]) -> Option<String> {
    let Some(first) = visible.first() else { return Some("the process gets no GPU".to_owned()) };
    if first.uuid != allowed.uuid {
        return Some(format!("ordinal 0 is {first}, and the policy wants {allowed}"));
    }
    let others: Vec<&Card> = visible.iter().filter(|card| card.uuid != allowed.uuid).collect();
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
    let is_whole = |set: &[Card]| set.iter().map(|card| &card.uuid).eq(visible.iter().map(|card| &card.uuid));
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
fn named_by<'b>(element: &str, boards: &'b [Board], renumbered: bool) -> Option<&'b Board> {
    if element.starts_with("GPU-") {
        return boards.iter().find(|board| board.card.uuid.starts_with(element));
    }
    let index: usize = element.parse().ok()?;
    boards.get(index).filter(|_| !renumbered)
}

#[cfg(test)]
mod tests;

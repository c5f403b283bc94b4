//! The card that the policy allows on this machine, and whether a process gets it and no other.

use super::cards::Card;
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
    Contradiction { named: String, card: String, reason: String },
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
            NoChoice::Contradiction { named, card, reason } => {
                write!(
                    formatter,
                    "the policy wants `visible-devices: \"{named}\"`, which is {card} here, and that {reason}"
                )
            }
        }
    }
}

/// The card that the policy allows. `boards` are all of the machine, in the order of their PCI addresses. `renumbered`: what
/// started this process hides cards and counts the others from 0, so that an index of the policy means nothing here.
pub fn allowed<'b>(gpu: &Gpu, boards: &'b [Board], renumbered: bool) -> Result<&'b Board, NoChoice> {
    if boards.is_empty() {
        return Err(NoChoice::NoCards);
    }
    let named: Vec<(&String, &Board)> = gpu
        .visible_devices
        .iter()
        .flat_map(|value| value.split(',').map(move |element| (value, element.trim())))
        .filter_map(|(value, element)| Some((value, named_by(element, boards, renumbered)?)))
        .collect();
    let fitting: Vec<&Board> = boards.iter().filter(|board| objection(gpu, board).is_none()).collect();
    let named_and_fitting = fitting.iter().filter(|board| named.iter().any(|(_, one)| one == *board));
    if let Some(board) = named_and_fitting.copied().next() {
        return Ok(board);
    }
    if let Some((value, board)) = named.first() {
        let reason = objection(gpu, board).unwrap_or_default();
        return Err(NoChoice::Contradiction {
            named: (*value).clone(),
            card: board.card.to_string(),
            reason,
        });
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

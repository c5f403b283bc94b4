//! The lines of a policy that name a card by its UUID: an index may be another card after a reboot, or in a container.

use crate::policy::Gpu;
use crate::runtime::cards::Card;
use crate::runtime::choice;
use crate::runtime::management::CardState;
use serde::Serialize;

/// More cards than this are not told apart by reading.
const MOST: usize = 4;

/// What to write for one card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyLines {
    /// As NVML calls it.
    pub name: String,
    pub uuid: String,
    /// For `gpulint.yaml`, with a line end behind each line.
    pub text: String,
}

/// The lines for the cards that may be meant: the one that the policy allows, or all that it does not refuse. None where
/// the policy has the UUID already.
pub fn policy_lines(gpu: Option<&Gpu>, allowed: Option<&Card>, boards: &[CardState]) -> Vec<PolicyLines> {
    let is_named = |card: &Card| gpu.is_some_and(|gpu| gpu.visible_devices.contains(&card.uuid));
    let may_be_meant = |board: &&CardState| match allowed {
        Some(card) => board.card.is(card),
        None => gpu.is_none_or(|gpu| choice::objection(gpu, board).is_none()),
    };
    let cards: Vec<&Card> = boards.iter().filter(may_be_meant).map(|board| &board.card).collect();
    if cards.len() > MOST || cards.iter().any(|card| is_named(card)) {
        return Vec::new();
    }
    cards.into_iter().map(PolicyLines::of).collect()
}

impl PolicyLines {
    fn of(card: &Card) -> PolicyLines {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let text = format!(
            "gpu:\n  name: {}\n  visible-devices: {}\n  device-order: PCI_BUS_ID\n",
            quoted(card.short_name()),
            quoted(&card.uuid)
        );
        PolicyLines { name: card.name.clone(), uuid: card.uuid.clone(), text }
    }
}

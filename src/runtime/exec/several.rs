//! One of several cards that the policy allows alike: the first that nobody holds, so that as many jobs as cards run at once.

use crate::runtime::cards::Card;
use crate::runtime::slot::{self, CardUse, Holder, SlotError, SlotWait};
use std::path::Path;
use std::time::Duration;

/// How somebody asks for the slot of a card.
pub(super) enum Patience {
    /// Only now, and nobody is told of it.
    None,
    /// As long as was asked for.
    AsAsked,
}

/// Holds the first of `cards` that is free, else waits for the one for which the fewest wait.
pub(super) fn first_free<T>(
    cards: &[Card],
    mut hold: impl FnMut(&Card, Patience) -> Result<T, SlotError>,
) -> Result<Option<T>, SlotError> {
    let mut shortest: Option<(usize, &Card)> = None;
    for card in cards.iter().filter(|_| cards.len() > 1) {
        let ahead = match hold(card, Patience::None) {
            Ok(held) => return Ok(Some(held)),
            Err(SlotError::Timeout { progress }) => progress.ahead,
            // Whoever computes there without a slot stands in no queue.
            Err(SlotError::Refused(_)) => usize::MAX,
            Err(error) => return Err(error),
        };
        if shortest.is_none_or(|(least, _)| ahead < least) {
            shortest = Some((ahead, card));
        }
    }
    let card = shortest.map(|(_, card)| card).or(cards.first());
    card.map(|card| hold(card, Patience::AsAsked)).transpose()
}

/// The first whose slot is free now, else the first: who wants it will wait for it, and hear of what is wrong with its slot.
pub(super) fn free_now(cards: Vec<Card>, folder: &Path) -> Option<Card> {
    let is_free = |card: &&Card| {
        let wait =
            SlotWait { timeout: Some(Duration::ZERO), card: &mut || CardUse::Free, progress: &mut |_| () };
        slot::take(folder, &card.uuid, &Holder::of_this_process(&[]), wait).is_ok()
    };
    let free = cards.iter().filter(|_| cards.len() > 1).find(is_free).or(cards.first());
    free.cloned()
}

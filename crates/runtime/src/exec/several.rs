//! One of several cards that the policy allows alike: the first that nobody holds, so that as many jobs as cards run at once.

use crate::runtime::cards::Card;
use crate::runtime::slot::{self, CardUse, Holder, Reservation, SlotError, SlotWait};
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

/// The first whose slot is free now and which no other choice stands for, else one that at least nobody else chose, else the first: who
/// wants it will wait for it, and hear of what is wrong with its slot. The choice stands until what comes with it is dropped, so two
/// who choose at the same moment get different cards.
pub(super) fn free_now(cards: Vec<Card>, folder: &Path) -> Option<(Card, Option<Reservation>)> {
    let is_free = |card: &Card| {
        let wait =
            SlotWait { timeout: Some(Duration::ZERO), card: &mut || CardUse::Free, progress: &mut |_| () };
        slot::take(folder, &card.uuid, &Holder::of_this_process(&[]), wait).is_ok()
    };
    let reserved = |card: &Card| slot::reserve(folder, &card.uuid).ok().flatten();
    if cards.len() > 1 {
        let free = cards.iter().find_map(|card| Some((card, reserved(card).filter(|_| is_free(card))?)));
        let unclaimed = || cards.iter().find_map(|card| Some((card, reserved(card)?)));
        if let Some((card, reservation)) = free.or_else(unclaimed) {
            return Some((card.clone(), Some(reservation)));
        }
    }
    cards.into_iter().next().map(|card| (card, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::cards::PciAddress;

    #[test]
    fn who_choose_at_the_same_time_get_different_cards() {
        let folder = std::env::temp_dir().join(format!("gpulint-several-{}", std::process::id()));
        let card = |uuid: &str| Card {
            uuid: uuid.to_owned(),
            name: "NVIDIA GeForce RTX 3090".to_owned(),
            memory: 24 << 30,
            pci: PciAddress { domain: 0, bus: 1, device: 0 },
            capability: None,
        };
        let cards = ["GPU-a", "GPU-b", "GPU-c"].map(card).to_vec();
        let choice = || free_now(cards.clone(), &folder).expect("there is one");
        // No slot is held: each is about to use its card, or between two uses.
        let (first, second, third) = (choice(), choice(), choice());
        let chosen = [&first, &second, &third].map(|(card, _)| card.uuid.as_str());
        assert_eq!(chosen, ["GPU-a", "GPU-b", "GPU-c"]);
        // Who finds none left waits.
        let (fourth, reservation) = choice();
        assert_eq!((fourth.uuid.as_str(), reservation.is_none()), ("GPU-a", true));
        drop(second);
        assert_eq!(choice().0.uuid, "GPU-b");
        // A card that somebody computes on is the last that is chosen.
        let wait =
            SlotWait { timeout: Some(Duration::ZERO), card: &mut || CardUse::Free, progress: &mut |_| () };
        let held = slot::take(&folder, "GPU-b", &Holder::of_this_process(&[]), wait).expect("it is free");
        drop(third);
        let third = choice();
        assert_eq!(third.0.uuid, "GPU-c");
        let second = choice();
        assert_eq!((second.0.uuid.as_str(), second.1.is_some()), ("GPU-b", true));
        drop((held, first, second, third));
        let _ = std::fs::remove_dir_all(folder);
    }
}

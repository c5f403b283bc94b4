//! The card of a command: which one it is, and whether the driver shows a process that one and no other.

use super::faults::{driver_trouble, no_card};
use super::{MachineBefore, Refusal};
use crate::policy::Gpu;
use crate::runtime::cards::Card;
use crate::runtime::choice::{self, Given};
use crate::runtime::driver::Answer;
use crate::runtime::machine::{self, CardAnswer};
use crate::runtime::process::HiddenFiles;
use crate::runtime::surroundings::Scheduler;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// The cards that the policy allows, each as good as the others, or without a policy the one that the environment gives.
pub(super) fn chosen(gpu: Option<&Gpu>, seen: &MachineBefore) -> Result<Vec<Card>, Refusal> {
    let MachineBefore { machine, environment, .. } = seen;
    // Before anybody waits in a queue for a card that no program can use.
    if let Some(trouble) = driver_trouble(&machine.driver) {
        return Err(trouble);
    }
    let mask = environment.get("CUDA_VISIBLE_DEVICES");
    let shows_cards = matches!(machine.driver, CardAnswer::Answer(Answer::Cards { .. }));
    if !shows_cards && (mask.is_none() || gpu.is_none() || machine.boards().is_empty()) {
        return Err(no_card(machine, mask));
    }
    let cards = match gpu {
        Some(gpu) => allowed(gpu, seen, mask)?,
        None => vec![machine.visible().first().cloned().ok_or_else(|| no_card(machine, mask))?],
    };
    match cards.first() {
        Some(card) if machine.lost() > 0 && machine.board(card).is_none() => Err(lost(card)),
        _ => Ok(cards),
    }
}

fn allowed(gpu: &Gpu, seen: &MachineBefore, mask: Option<&str>) -> Result<Vec<Card>, Refusal> {
    let machine = &seen.machine;
    let visible = machine.visible();
    let given = Given {
        masks: &seen.masks,
        renumbered: seen.renumbered,
        handed_out: seen.scheduler.is_some(),
        left: mask.is_some().then_some(visible),
    };
    let boards = machine.known_boards();
    let allowed = choice::allowed(gpu, &boards, &given).map_err(|why| {
        let why = match seen.scheduler {
            Some(scheduler) => format!("in what {} gave this job: {why}", scheduler.name()),
            None => why.to_string(),
        };
        match machine.lost() {
            0 => Refusal::Environment(why),
            // It may well be the one that is wanted.
            1 => {
                Refusal::Infrastructure(format!("{why}; another card fell off the bus: restart the machine"))
            }
            lost => {
                Refusal::Infrastructure(format!("{why}; {lost} more fell off the bus: restart the machine"))
            }
        }
    })?;
    let cards: Vec<Card> = allowed.into_iter().map(|board| board.card.clone()).collect();
    // Whoever chose fewer cards meant it; the choice is not widened again behind their back.
    match (mask, cards.as_slice()) {
        (Some(value), [first, ..]) if !cards.iter().any(|card| visible.iter().any(|left| left.is(card))) => {
            Err(hidden(first, value, visible, seen.scheduler))
        }
        _ => Ok(cards),
    }
}

/// That the environment leaves none of the allowed cards, of which this is the first.
fn hidden(wanted: &Card, mask: &str, visible: &[Card], scheduler: Option<Scheduler>) -> Refusal {
    let left: Vec<String> = visible.iter().map(ToString::to_string).collect();
    let left = if left.is_empty() { "no card".to_owned() } else { left.join(" and ") };
    Refusal::Environment(match scheduler {
        Some(scheduler) => format!(
            "{} gave this job {left} (CUDA_VISIBLE_DEVICES={mask}), and the policy wants a card like {wanted}: ask for one with {}",
            scheduler.name(),
            scheduler.way_to_ask()
        ),
        None => format!(
            "CUDA_VISIBLE_DEVICES={mask} leaves {left} to the command, and the policy wants {wanted}: unset it, or set \
             it to {}",
            wanted.uuid
        ),
    })
}

/// Asks the driver whether a process with this environment gets the card and no other.
pub(super) fn confirm(
    card: &Card,
    environment: &[(&'static str, String)],
    patience: Duration,
) -> Result<(), Refusal> {
    let told = shown(environment, None, patience).map_err(super::faults::not_asked)?;
    match told.cards() {
        [only] if only.is(card) => Ok(()),
        [] => Err(driver_trouble(&told).unwrap_or_else(|| {
            Refusal::Infrastructure(format!(
                "the driver showed {card} at first, and with CUDA_VISIBLE_DEVICES={} it shows no card",
                card.uuid
            ))
        })),
        others => {
            let shown: Vec<String> = others.iter().map(ToString::to_string).collect();
            Err(Refusal::Environment(format!(
                "with CUDA_VISIBLE_DEVICES={} the driver shows {} and not {card} alone",
                card.uuid,
                shown.join(" and ")
            )))
        }
    }
}

/// What the driver shows a process with this environment, from which these files are hidden.
pub(super) fn shown(
    environment: &[(&'static str, String)],
    hiding: Option<&HiddenFiles>,
    patience: Duration,
) -> io::Result<CardAnswer<Answer>> {
    let changes: Vec<(&str, Option<OsString>)> =
        environment.iter().map(|(name, value)| (*name, Some(value.into()))).collect();
    machine::answer(&changes, hiding, patience)
}

pub(super) fn lost(card: &Card) -> Refusal {
    Refusal::Infrastructure(format!(
        "{card} fell off the bus, and no program can use it: restart the machine, and look for the cause in its log \
         (`dmesg | grep NVRM`)"
    ))
}

//! The card of a command: which one it is, and whether the driver shows a process that one and no other.

use super::faults::{driver_trouble, no_card};
use super::{Refusal, Seen};
use crate::policy::Gpu;
use crate::runtime::cards::Card;
use crate::runtime::choice;
use crate::runtime::driver::Answer;
use crate::runtime::machine::{self, Told};
use crate::runtime::process::Hiding;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// The card that the policy allows, or without a policy the one that the environment gives.
pub(super) fn chosen(gpu: Option<&Gpu>, seen: &Seen) -> Result<Card, Refusal> {
    let Seen { machine, environment, .. } = seen;
    // Before anybody waits in a queue for a card that no program can use.
    if let Some(trouble) = driver_trouble(&machine.driver) {
        return Err(trouble);
    }
    let mask = environment.get("CUDA_VISIBLE_DEVICES");
    let shows_cards = matches!(machine.driver, Told::Answer(Answer::Cards { .. }));
    if !shows_cards && (mask.is_none() || gpu.is_none() || machine.boards().is_empty()) {
        return Err(no_card(machine, mask));
    }
    let card = match gpu {
        Some(gpu) => allowed(gpu, seen, mask)?,
        None => machine.visible().first().cloned().ok_or_else(|| no_card(machine, mask))?,
    };
    let board = machine.board(&card);
    if board.is_none() && machine.lost() > 0 {
        return Err(lost(&card));
    }
    match board {
        Some(board) if board.mig == Some(true) => Err(Refusal::Environment(format!(
            "{card} is divided into slices (MIG), and a program gets one of them, which exec can neither choose nor watch: \
             turn MIG off (`nvidia-smi -mig 0`), or start the program by itself with the UUID of its slice in \
             CUDA_VISIBLE_DEVICES"
        ))),
        _ => Ok(card),
    }
}

fn allowed(gpu: &Gpu, seen: &Seen, mask: Option<&str>) -> Result<Card, Refusal> {
    let machine = &seen.machine;
    let boards = machine.known_boards();
    let board =
        choice::allowed(gpu, &boards, &seen.masks, seen.renumbered).map_err(|why| match machine.lost() {
            0 => Refusal::Environment(why.to_string()),
            // It may well be the one that is wanted.
            1 => {
                Refusal::Infrastructure(format!("{why}; another card fell off the bus: restart the machine"))
            }
            lost => {
                Refusal::Infrastructure(format!("{why}; {lost} more fell off the bus: restart the machine"))
            }
        })?;
    let visible = machine.visible();
    // Whoever chose fewer cards meant it; the choice is not widened again behind their back.
    match mask {
        Some(value) if !visible.iter().any(|card| card.uuid == board.card.uuid) => {
            let left: Vec<String> = visible.iter().map(ToString::to_string).collect();
            let left = if left.is_empty() { "no card".to_owned() } else { left.join(" and ") };
            Err(Refusal::Environment(format!(
                "CUDA_VISIBLE_DEVICES={value} leaves {left} to the command, and the policy wants {}: unset it, or set \
                 it to {}",
                board.card, board.card.uuid
            )))
        }
        _ => Ok(board.card.clone()),
    }
}

/// Asks the driver whether a process with this environment gets the card and no other.
pub(super) fn confirm(
    card: &Card,
    environment: &[(&'static str, String)],
    patience: Duration,
) -> Result<(), Refusal> {
    let told = shown(environment, None, patience).map_err(super::faults::not_asked)?;
    match told.cards() {
        [only] if only.uuid == card.uuid => Ok(()),
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
    hiding: Option<&Hiding>,
    patience: Duration,
) -> io::Result<Told<Answer>> {
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

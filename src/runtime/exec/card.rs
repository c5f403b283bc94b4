//! The card of a command: which one it is, and whether the driver shows a process that one and no other.

use super::Refusal;
use crate::policy::Gpu;
use crate::runtime::cards::Card;
use crate::runtime::choice;
use crate::runtime::doctor::driver_fault;
use crate::runtime::driver::{Answer, codes};
use crate::runtime::machine::{self, Machine, Told};
use crate::runtime::surroundings::Environment;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// The card that the policy allows, or without a policy the one that the environment gives.
pub(super) fn chosen(
    gpu: Option<&Gpu>,
    machine: &Machine,
    environment: &Environment,
    renumbered: bool,
) -> Result<Card, Refusal> {
    let visible = machine.visible();
    let Some(gpu) = gpu else {
        return visible.first().cloned().ok_or_else(|| no_card(&machine.driver));
    };
    let boards = machine.known_boards();
    if boards.is_empty() {
        return Err(no_card(&machine.driver));
    }
    let board =
        choice::allowed(gpu, &boards, renumbered).map_err(|why| Refusal::Environment(why.to_string()))?;
    let mask = environment.get("CUDA_VISIBLE_DEVICES");
    // Whoever chose fewer cards meant it; the choice is not widened again behind their back.
    match mask {
        Some(value) if !visible.iter().any(|card| card.uuid == board.card.uuid) => {
            if let Some(fault) = fault_of(&machine.driver) {
                return Err(fault);
            }
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
    let changes: Vec<(&str, Option<OsString>)> =
        environment.iter().map(|(name, value)| (*name, Some(value.into()))).collect();
    let told = machine::answer(&changes, patience).map_err(not_asked)?;
    match told.cards() {
        [only] if only.uuid == card.uuid => Ok(()),
        [] => Err(no_card(&told)),
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

pub(super) fn not_asked(error: io::Error) -> Refusal {
    Refusal::Infrastructure(format!("no process can be started to ask the driver: {error}"))
}

/// Why there is no card.
fn no_card(driver: &Told<Answer>) -> Refusal {
    fault_of(driver).unwrap_or_else(|| {
        let why = driver_fault(driver);
        Refusal::Environment(why.unwrap_or_else(|| "there is no NVIDIA GPU here".to_owned()))
    })
}

/// Trouble of the driver, which is nobody's choice of a card.
fn fault_of(driver: &Told<Answer>) -> Option<Refusal> {
    let by_choice = [codes::NO_DEVICE, codes::INVALID_DEVICE, codes::STUB_LIBRARY];
    let is_trouble = match driver {
        Told::Answer(Answer::Error { code }) => !by_choice.contains(code),
        Told::Answer(Answer::Cards { .. } | Answer::NoLibrary) => false,
        Told::Answer(Answer::Broken { .. }) | Told::Silence(_) | Told::Crash(_) => true,
    };
    let why = driver_fault(driver).filter(|_| is_trouble)?;
    Some(Refusal::Infrastructure(why))
}

//! What is wrong with a machine on which no command can be started: the cause, and the way out.

use super::Refusal;
use crate::runtime::doctor::{cause, driver_fault, shows_none};
use crate::runtime::driver::{Answer, codes};
use crate::runtime::machine::{CardAnswer, Machine};
use std::io;

/// Why there is no card, where the driver is in no trouble.
pub(super) fn no_card(machine: &Machine, mask: Option<&str>) -> Refusal {
    let hidden = mask.filter(|_| shows_none(machine) && !machine.boards().is_empty());
    let hidden = hidden.map(|value| {
        format!("CUDA_VISIBLE_DEVICES={value} leaves no card to the command: unset it, or name a card in it")
    });
    let why = hidden.or_else(|| cause(machine)).or_else(|| driver_fault(&machine.driver));
    Refusal::Environment(why.unwrap_or_else(|| "there is no NVIDIA GPU here".to_owned()))
}

/// Trouble of the driver, which is nobody's choice of a card.
pub(super) fn driver_trouble(driver: &CardAnswer<Answer>) -> Option<Refusal> {
    let by_choice = [codes::NO_DEVICE, codes::INVALID_DEVICE, codes::STUB_LIBRARY];
    let is_trouble = match driver {
        CardAnswer::Answer(Answer::Error { code }) => !by_choice.contains(code),
        CardAnswer::Answer(Answer::Cards { .. } | Answer::NoLibrary) => false,
        CardAnswer::Answer(Answer::Broken { .. }) | CardAnswer::Silence(_) | CardAnswer::Crash(_) => true,
    };
    let why = driver_fault(driver).filter(|_| is_trouble)?;
    Some(Refusal::Infrastructure(match driver {
        CardAnswer::Silence(_) => {
            format!(
                "{why}: give it longer with `--driver-timeout`, or restart the machine if it stays silent"
            )
        }
        _ => why,
    }))
}

pub(crate) fn not_asked(error: io::Error) -> Refusal {
    Refusal::Infrastructure(format!("no process can be started to ask the driver: {error}"))
}

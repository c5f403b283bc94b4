//! What a command can reach beside its card: the device files of other cards are hidden from it where the system allows it,
//! and what is not prevented is said.

use super::card::shown;
use crate::policy::Gpu;
use crate::runtime::cards::Card;
use crate::runtime::choice::is_forbidden;
use crate::runtime::driver::Answer;
use crate::runtime::machine::{CardAnswer, Machine};
use crate::runtime::prevention::{Prevention, device_folder, files_of_others};
use crate::runtime::process::{HiddenFiles, Namespace};
use crate::runtime::record::NotChecked;
use crate::runtime::watch::{Gauge, INTERVAL};
use std::path::PathBuf;
use std::time::Duration;

/// Why nothing is hidden, where nobody wants it.
pub(super) const NOT_WANTED: &str = "it was asked not to (`--hide-cards never`)";

/// What hides these files from a command, tried with a process that asks the driver for its cards: if with it the driver does
/// not show what it should, it is left out. Whoever may mount needs the first way only.
pub(super) fn prevented(
    environment: &[(&'static str, String)],
    files: Result<Vec<PathBuf>, String>,
    is_right: &dyn Fn(&CardAnswer<Answer>) -> bool,
    patience: Duration,
) -> (Option<HiddenFiles>, Prevention) {
    let files = match files {
        Ok(files) if files.is_empty() => return (None, Prevention::NothingToHide),
        Ok(files) => files,
        Err(why) => return (None, Prevention::NotPossible { why }),
    };
    let mut why = String::new();
    for namespace in [Namespace::Mount, Namespace::User] {
        let hiding = HiddenFiles { files: files.clone(), namespace };
        match shown(environment, Some(&hiding), patience) {
            Ok(told) if is_right(&told) => {
                let prevention = Prevention::of(&hiding);
                return (Some(hiding), prevention);
            }
            Ok(_) => {
                why = "with them hidden the driver does not show what it should".to_owned();
                break;
            }
            Err(error) => {
                why = format!("the system gives a command no view of its own of the files ({error})");
            }
        }
    }
    (None, Prevention::NotPossible { why })
}

/// The device files of the other cards, or in one clause why they are not known.
pub(super) fn files(gauge: Option<&Gauge>) -> Result<Vec<PathBuf>, String> {
    let gauge = gauge.ok_or("NVML does not tell which device file is the card's")?;
    let minor = gauge.minor.ok_or("the driver does not tell which device file is the card's")?;
    files_of_others(&device_folder(gauge.simulated), minor)
}

/// What a watch cannot exclude of a command that could reach other cards.
pub(super) fn unchecked(
    prevention: &Prevention,
    card: &Card,
    machine: &Machine,
    gpu: Option<&Gpu>,
) -> Option<NotChecked> {
    let boards = machine.known_boards();
    let others = boards.iter().map(|board| &board.card).filter(|other| !other.is(card));
    let (others, why): (Vec<&Card>, &str) = match prevention {
        Prevention::NotPossible { why } => (others.collect(), why),
        // All slices of a card are reached through the files of that card.
        _ => (others.filter(|other| other.pci == card.pci).collect(), "it is a slice (MIG) of the same card"),
    };
    let forbidden = gpu.map(|gpu| gpu.forbidden.as_slice()).unwrap_or_default();
    let named = others.iter().map(|other| match is_forbidden(forbidden, &other.name) {
        true => format!("{other}, which the policy forbids"),
        false => other.to_string(),
    });
    let named: Vec<String> = named.collect();
    let seconds = INTERVAL.as_secs_f64();
    (!named.is_empty()).then(|| NotChecked {
        what: format!("whether the command was for less than {seconds} s on {}", named.join(" or ")),
        why: format!("it was looked at every {seconds} s, and could not be kept out of reach: {why}"),
    })
}

//! Runs a command on the card that the policy allows: chosen, held alone, named by its UUID and confirmed by the driver
//! before the command starts.

mod run;

pub use run::{Message, Outputs, run};

use super::cards::Card;
use super::choice;
use super::doctor::{driver_fault, listing_fault};
use super::driver::{Answer, codes};
use super::exports::variables;
use super::machine::{self, Machine, Told};
use super::management::{Listing, User};
use super::process::{self, Limits, NotStarted, Running};
use super::record::{NotChecked, REPORT};
use super::slot::{self, CardUse, Holder, Progress, Slot, SlotError, Wait};
use super::surroundings::{Environment, Surroundings, World};
use crate::policy::Gpu;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What is wanted.
pub struct Request<'a> {
    /// The program and its arguments; at least one word.
    pub command: &'a [OsString],
    pub gpu: Option<&'a Gpu>,
    pub limits: Limits,
    /// How long to wait for the slot; `None` as long as it takes.
    pub slot_timeout: Option<Duration>,
    pub slot_folder: PathBuf,
    pub foreign: Foreign,
    /// How long the driver may take for an answer.
    pub patience: Duration,
}

/// What to do about somebody on the card who knows nothing of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Foreign {
    #[default]
    Wait,
    Refuse,
}

/// Why the command was not started.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A wrong, a forbidden or no card.
    #[error("{0}")]
    Environment(String),
    /// The driver is in trouble, or the card was not free in time.
    #[error("{0}")]
    Infrastructure(String),
    /// Something that was asked for cannot be done, such as writing a file.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Command(#[from] NotStarted),
}

impl Refusal {
    /// What gpulint ends with.
    pub fn exit_code(&self) -> i32 {
        match self {
            Refusal::Usage(_) | Refusal::Command(_) => 2,
            Refusal::Environment(_) => 5,
            Refusal::Infrastructure(_) => 6,
        }
    }
}

/// A card that is held, for a command that has not started yet.
pub struct Prepared {
    pub card: Card,
    pub slot: Slot,
    /// What the command gets beside the environment of this process.
    pub environment: Vec<(&'static str, String)>,
    pub unchecked: Vec<NotChecked>,
}

/// The card that a command would get, which nobody holds yet.
pub fn card(gpu: Option<&Gpu>, patience: Duration) -> Result<Card, Refusal> {
    let environment = Environment::of_process();
    let surroundings = Surroundings::of(&World::of_this_machine(&environment));
    let machine = Machine::seen_with(&[], patience).map_err(not_asked)?;
    let renumbered = !surroundings.numbering.is_of_the_machine();
    chosen(gpu, &machine, &environment, renumbered)
}

/// Chooses the card, waits for its slot, and asks the driver whether the command would get it and no other.
pub fn prepare(
    request: &Request<'_>,
    progress: &mut dyn FnMut(&Card, &Progress),
) -> Result<Prepared, Refusal> {
    let card = card(request.gpu, request.patience)?;
    let mut unchecked = Vec::new();
    let mut card_use = || {
        let told = users_of(&card, request.patience);
        match told {
            Ok(users) => use_of(&users, request.foreign),
            Err(why) => {
                unchecked =
                    vec![NotChecked { what: format!("whether somebody else computes on {card}"), why }];
                CardUse::Free
            }
        }
    };
    let holder = Holder::of_this_process(request.command);
    let wait = Wait {
        timeout: request.slot_timeout,
        card: &mut card_use,
        progress: &mut |told| progress(&card, told),
    };
    let slot = slot::take(&request.slot_folder, &card.uuid, &holder, wait).map_err(of_slot)?;
    let environment = variables(&card).to_vec();
    confirm(&card, &environment, request.patience)?;
    Ok(Prepared { card, slot, environment, unchecked })
}

impl Prepared {
    /// Starts the command; the slot is held until `self` is dropped. The command may write numbers of its own to `report`.
    ///
    /// # Errors
    /// When there is no such program, or the system does not start it.
    pub fn start(&self, words: &[OsString], limits: Limits, report: &Path) -> Result<Running, NotStarted> {
        let (program, arguments) =
            words.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        let mut command = Command::new(program.cloned().unwrap_or_default());
        command.args(arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env(REPORT, report);
        process::start(command, limits)
    }
}

/// The card that the policy allows, or without a policy the one that the environment gives.
fn chosen(
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
fn confirm(card: &Card, environment: &[(&'static str, String)], patience: Duration) -> Result<(), Refusal> {
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

fn not_asked(error: io::Error) -> Refusal {
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

fn of_slot(error: SlotError) -> Refusal {
    match error {
        SlotError::Uuid(_) => Refusal::Environment(error.to_string()),
        other => Refusal::Infrastructure(other.to_string()),
    }
}

/// Who computes on a card, by NVML.
fn users_of(card: &Card, patience: Duration) -> Result<Vec<User>, String> {
    let told = machine::listing(patience).map_err(|error| error.to_string())?;
    let Told::Answer(Listing::Cards { boards, .. }) = &told else {
        return Err(listing_fault(&told).unwrap_or_default());
    };
    let board = boards.iter().find(|board| board.card.uuid == card.uuid).ok_or("NVML does not list it")?;
    board.users.clone().ok_or_else(|| "the driver does not say".to_owned())
}

fn use_of(users: &[User], foreign: Foreign) -> CardUse {
    let Some(first) = users.first() else { return CardUse::Free };
    let name = name_of(first.pid).map(|name| format!(" ({name})")).unwrap_or_default();
    let others = match users.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let told = format!("process {}{name}{others}, which has no slot", first.pid);
    match foreign {
        Foreign::Wait => CardUse::Busy(told),
        Foreign::Refuse => CardUse::Refused(told),
    }
}

/// The name of a process, where the system tells.
fn name_of(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}

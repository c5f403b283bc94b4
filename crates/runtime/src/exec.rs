//! Runs a command on the card that the policy allows: chosen, held alone, named by its UUID and confirmed by the driver
//! before the command starts.

mod card;
mod faults;
mod others;
mod reach;
mod run;
mod said;
mod several;
pub mod withheld;
mod without;

pub use run::{Message, Outputs, run};
pub(crate) use {
    faults::not_asked,
    run::{add_end, changes},
    without::{NO_CARD, prevented_for_cpu},
};

use super::cards::Card;
use super::choice::{Mask, NoChoice};
use super::doctor::listing_fault;
use super::driver::Answer;
use super::exports::variables;
use super::machine::{AskedMasks, CardAnswer, Machine};
use super::management::{CardState, Listing};
use super::prevention::Prevention;
use super::process::{self, HiddenFiles, Limits, NotStarted, Running};
use super::record::{End, NotChecked, REPORT};
use super::slot::{self, CardUse, Holder, Progress, Reservation, Slot, SlotError, SlotWait};
use super::surroundings::{Environment, Scheduler, SearchRoot, Surroundings};
use super::watch::{Baseline, Gauge, NvmlFailure, Stray};
use crate::policy::{Gpu, Mode};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use withheld::WithheldVariables;

/// Why nothing ends well on such cards by itself, with the way out.
pub const SIMULATED: &str = "the cards of this machine are simulated, so that nothing is proven on them: to try gpulint out, say that \
                             this is meant with `--allow-simulated`";

/// What is wanted.
pub struct Request<'a> {
    /// The program and its arguments; at least one word.
    pub command: &'a [OsString],
    pub gpu: Option<&'a Gpu>,
    /// Whether it gets the GPU at all.
    pub mode: Mode,
    pub limits: Limits,
    /// How long to wait for the slot; `None` as long as it takes.
    pub slot_timeout: Option<Duration>,
    pub slot_folder: PathBuf,
    pub foreign: ForeignProcessPolicy,
    pub strays: Strays,
    /// Names of variables of a CI job that the command gets although they could be used to forge an outcome.
    pub keep_env: &'a [String],
    /// Whether the other cards are kept out of the command's reach where that is possible.
    pub hides_cards: bool,
    /// Whether cards that do not exist are as good as others.
    pub allows_simulated: bool,
    /// How long the driver may take for an answer.
    pub patience: Duration,
}

/// What to do about somebody on the card who knows nothing of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForeignProcessPolicy {
    #[default]
    Wait,
    Refuse,
}

/// What to do about a process of the command on another card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strays {
    /// End the command where the policy forbids that card, and else say it.
    #[default]
    ByPolicy,
    Warn,
    Fail,
}

impl Strays {
    /// Whether the command fails for it. Whose a process is must be known, unless it is asked to be strict.
    pub fn fails(self, stray: &Stray) -> bool {
        match self {
            Strays::ByPolicy => stray.forbidden && !stray.unclaimed,
            Strays::Warn => false,
            Strays::Fail => stray.forbidden || !stray.unclaimed,
        }
    }
}

/// Why the command was not started.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A wrong, a forbidden or no card.
    #[error("{0}")]
    Environment(String),
    /// The cards do not exist, and nobody said that this is all right.
    #[error("{SIMULATED}")]
    Simulated,
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
    /// How the command ended, which was not started.
    pub fn end(&self) -> End {
        let reason = self.to_string();
        match self {
            Refusal::Command(_) => End::NotStarted { reason },
            _ => End::Refused { reason },
        }
    }

    /// What gpulint ends with.
    pub fn exit_code(&self) -> i32 {
        match self {
            Refusal::Usage(_) | Refusal::Command(_) => 2,
            Refusal::Environment(_) | Refusal::Simulated => 5,
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
    pub prevention: Prevention,
    pub hiding: Option<HiddenFiles>,
    /// The card as NVML tells about it, and how it was before the command; or why it cannot be watched.
    pub gauge: Result<(Gauge, Baseline), String>,
}

/// A card for many commands, each of which waits for its slot.
pub struct Choice {
    pub board: CardState,
    /// Whether the policy allows others as well, so that the next command could get another one unless it is told.
    pub is_one_of_several: bool,
    /// That nobody else who chooses among the same cards takes it, while this is kept.
    pub reservation: Option<Reservation>,
}

/// The card that a command would get, which nobody holds yet. Of several it is one that nobody holds now.
///
/// # Errors
/// When there is none.
pub fn board(
    gpu: Option<&Gpu>,
    slot_folder: &Path,
    allows_simulated: bool,
    patience: Duration,
) -> Result<Choice, Refusal> {
    let seen = MachineBefore::now(gpu, patience)?;
    if seen.machine.is_simulated() && !allows_simulated {
        return Err(Refusal::Simulated);
    }
    let cards = card::chosen(gpu, &seen)?;
    let is_one_of_several = cards.len() > 1;
    let (card, reservation) = several::free_now(cards, slot_folder).ok_or_else(no_choice)?;
    let board = seen.machine.board(&card).unwrap_or_else(|| CardState::of_card(card));
    Ok(Choice { board, is_one_of_several, reservation })
}

/// The machine before anything was chosen.
struct MachineBefore {
    machine: Machine,
    environment: Environment,
    /// Whether an index of the policy may count other cards here than on the machine.
    renumbered: bool,
    /// What the driver makes of the policy's mask.
    masks: Vec<Mask>,
    /// Who chose the cards of this process, if somebody did.
    scheduler: Option<Scheduler>,
}

impl MachineBefore {
    fn now(gpu: Option<&Gpu>, patience: Duration) -> Result<MachineBefore, Refusal> {
        let asked = Machine::asked_with(&[]).map_err(faults::not_asked)?;
        let masks = AskedMasks::of(gpu).map_err(faults::not_asked)?;
        let environment = Environment::of_process();
        let surroundings = Surroundings::of(&SearchRoot::of_this_machine(&environment));
        let machine = asked.told(patience);
        let masks = masks.told(patience);
        // Behind one that is lost the others are counted from another place.
        let renumbered = !surroundings.numbering.is_of_the_machine() || machine.lost() > 0;
        let scheduler = surroundings.scheduler();
        Ok(MachineBefore { machine, environment, renumbered, masks, scheduler })
    }
}

/// The card for several commands, one after the other: chosen, held and confirmed as for one. `None` where there is no card and the policy
/// asks for none.
///
/// # Errors
/// When there is a card, or the policy asks for one, and it cannot be had.
pub(crate) fn held(
    request: &Request<'_>,
    progress: &mut dyn FnMut(&Card, &Progress),
) -> Result<Option<(Prepared, Machine)>, Refusal> {
    let seen = MachineBefore::now(request.gpu, request.patience)?;
    let has_cards =
        matches!(seen.machine.listing.answer(), Some(Listing::Cards { boards, .. }) if !boards.is_empty());
    if request.gpu.is_none() && !has_cards && seen.machine.driver.cards().is_empty() {
        return Ok(None);
    }
    if seen.machine.is_simulated() && !request.allows_simulated {
        return Err(Refusal::Simulated);
    }
    Ok(Some((prepare(&seen, request, progress)?, seen.machine)))
}

/// Chooses the card, waits for its slot, and asks the driver whether the command would get it and no other. The order is that
/// of a proof: the card is chosen, then held, and only then it counts who else is on it and what the driver shows.
fn prepare(
    seen: &MachineBefore,
    request: &Request<'_>,
    progress: &mut dyn FnMut(&Card, &Progress),
) -> Result<Prepared, Refusal> {
    let machine = &seen.machine;
    let patience = request.patience;
    let cards = card::chosen(request.gpu, seen)?;
    let held = several::first_free(&cards, |card, how| hold(card, how, machine, request, progress));
    let HeldCard { card, gauge, slot, unchecked, is_lost } = held.map_err(of_slot)?.ok_or_else(no_choice)?;
    if is_lost {
        return Err(card::lost(&card));
    }
    // Before and after the driver is asked, which takes longer than a change that passes.
    let earlier = gauge.as_ref().ok().and_then(|gauge| gauge.memory_in_use(patience).ok());
    let environment = variables(&card).to_vec();
    let files = match request.hides_cards {
        true => reach::files(gauge.as_ref().ok()),
        false => Err(reach::NOT_WANTED.to_owned()),
    };
    let is_alone = |told: &CardAnswer<Answer>| matches!(told.cards(), [only] if only.is(&card));
    let (hiding, prevention) = reach::prevented(&environment, files, &is_alone, patience);
    if hiding.is_none() {
        card::confirm(&card, &environment, patience)?;
    }
    let gauge =
        gauge.and_then(|gauge| gauge.baseline_after(earlier, patience).map(|baseline| (gauge, baseline)));
    if matches!(gauge, Err(NvmlFailure::Lost)) {
        return Err(card::lost(&card));
    }
    let gauge = gauge.map_err(|why| why.to_string());
    Ok(Prepared { card, slot, environment, unchecked, prevention, hiding, gauge })
}

fn no_choice() -> Refusal {
    Refusal::Environment(NoChoice::NoCards.to_string())
}

/// A card whose slot is held.
struct HeldCard {
    card: Card,
    gauge: Result<Gauge, NvmlFailure>,
    slot: Slot,
    unchecked: Vec<NotChecked>,
    is_lost: bool,
}

/// Waits for the slot of a card, and until nobody without one computes on it.
fn hold(
    card: &Card,
    how: several::Patience,
    machine: &Machine,
    request: &Request<'_>,
    progress: &mut dyn FnMut(&Card, &Progress),
) -> Result<HeldCard, SlotError> {
    let patience = request.patience;
    // A library that hung or fell over in a child is not let into this process.
    let gauge = match listing_fault(&machine.listing) {
        Some(why) => Err(NvmlFailure::Other(why)),
        None => Gauge::open(&card.uuid, patience),
    };
    let mut unchecked = Vec::new();
    let mut is_lost = false;
    let mut card_use = || {
        let users = gauge.as_ref().map_err(NvmlFailure::clone).and_then(|gauge| gauge.users_now(patience));
        match users {
            Ok(users) => return others::use_of(&users, request.foreign),
            Err(NvmlFailure::Lost) => is_lost = true,
            Err(NvmlFailure::Other(why)) => {
                let what = format!("whether somebody else computes on {card}");
                unchecked = vec![NotChecked { what, why }];
            }
        }
        CardUse::Free
    };
    let holder = Holder::of_this_process(request.command);
    let (timeout, is_silent) = match how {
        several::Patience::None => (Some(Duration::ZERO), true),
        several::Patience::AsAsked => (request.slot_timeout, false),
    };
    let mut told = |told: &Progress| {
        if !is_silent {
            progress(card, told);
        }
    };
    let wait = SlotWait { timeout, card: &mut card_use, progress: &mut told };
    let slot = slot::take(&request.slot_folder, &card.uuid, &holder, wait)?;
    Ok(HeldCard { card: card.clone(), gauge, slot, unchecked, is_lost })
}

impl Prepared {
    /// Starts the command; the slot is held until `self` is dropped. The command may write numbers of its own to `report`.
    ///
    /// # Errors
    /// When there is no such program, or the system does not start it.
    fn start(
        &self,
        request: &Request<'_>,
        withheld: &WithheldVariables,
        report: &Path,
    ) -> Result<Running, NotStarted> {
        let environment = with_report(&self.environment, report);
        started(request.command, request.limits, environment, withheld, self.hiding.as_ref(), |_| ())
    }
}

/// Starts a command with these variables beside those of this process, without those that are withheld from it.
///
/// # Errors
/// When there is no such program, or the system does not start it.
pub(crate) fn started(
    words: &[OsString],
    limits: Limits,
    environment: impl IntoIterator<Item = (&'static str, OsString)>,
    withheld: &WithheldVariables,
    hiding: Option<&HiddenFiles>,
    prepare: impl FnOnce(&mut Command),
) -> Result<Running, NotStarted> {
    let (program, arguments) =
        words.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    let mut command = Command::new(program.cloned().unwrap_or_default());
    withheld.names.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.args(arguments).envs(environment);
    if let Some(hiding) = hiding {
        hiding.apply(&mut command).map_err(|error| NotStarted::of(&command, error))?;
    }
    prepare(&mut command);
    process::start(command, limits)
}

/// The variables of a command, and the file for numbers of its own.
fn with_report(
    environment: &[(&'static str, String)],
    report: &Path,
) -> impl Iterator<Item = (&'static str, OsString)> {
    let variables = environment.iter().map(|(name, value)| (*name, value.into()));
    variables.chain([(REPORT, report.as_os_str().to_owned())])
}

fn of_slot(error: SlotError) -> Refusal {
    match error {
        SlotError::Uuid(_) => Refusal::Environment(error.to_string()),
        SlotError::Refused(_) => {
            Refusal::Infrastructure(format!("{error}: end that, or wait for it with `--foreign wait`"))
        }
        other => Refusal::Infrastructure(other.to_string()),
    }
}

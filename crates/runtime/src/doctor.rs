//! Which GPU this process would get, and why: everything that `gpulint doctor` finds out, before it is written down for
//! anybody.

mod pages;
mod policy_lines;
mod resolution;
mod sections;

pub use pages::{markdown, text};
pub use policy_lines::PolicyLines;
pub use resolution::{Order, Resolution, Variable};

use super::advice::allocator::AllocatorAdvice;
use super::advice::architecture::ArchitectureFacts;
use super::advice::batch::{BatchAdvice, ProgramFigures};
use super::backends::{Backends, CudaAnswer};
use super::cards::Card;
use super::choice::{self, Given, Mask, NoChoice};
use super::driver::Answer;
use super::exports::{Export, exports_of};
use super::machine::{self, AskedMasks, CardAnswer, Machine};
use super::management::{CardState, Listing};
use super::surroundings::{Environment, SearchRoot, Surroundings};
use crate::policy::Policy;
use serde::Serialize;
use std::io;
use std::time::Duration;

/// What was found out.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// The number of the form of this report.
    pub schema: u32,
    /// Whether the cards do not exist, and tests only pretend they do: then nothing here says anything about hardware.
    pub simulated: bool,
    pub surroundings: Surroundings,
    /// What NVML lists, and what the driver shows a process with this environment.
    pub machine: Machine,
    pub resolution: Resolution,
    /// One for each card that NVML lists, or the driver shows where NVML lists none.
    pub architectures: Vec<ArchitectureFacts>,
    pub backends: Backends,
    pub allocator: AllocatorAdvice,
    /// For the card that the process gets.
    pub batch: Option<BatchAdvice>,
    pub verdict: Verdict,
    /// What a policy may say to name a card by its UUID, where it does not yet.
    pub policy_lines: Vec<PolicyLines>,
    /// What could not be seen, and why.
    pub unseen: Vec<String>,
}

/// The policy held against the machine.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// There is no policy, or it says nothing about GPUs.
    NoPolicy,
    /// The process gets the card that the policy allows, and no other.
    Met { card: Card },
    NotMet {
        reason: String,
        /// The card that the policy allows, when there is one.
        allowed: Option<Card>,
        /// What would satisfy it.
        exports: Vec<Export>,
    },
}

impl Diagnosis {
    /// Looks at this machine, with the environment of this process. The driver may take so long for each answer.
    ///
    /// # Errors
    /// When no process can be started to ask the driver.
    pub fn of_this_machine(
        policy: &Policy,
        known: &ProgramFigures,
        patience: Duration,
    ) -> io::Result<Diagnosis> {
        let environment = Environment::of_process();
        let world = SearchRoot::of_this_machine(&environment);
        let surroundings = Surroundings::of(&world);
        let masks = AskedMasks::of(policy.gpu.as_ref())?;
        let machine = Machine::seen_with(&[], patience)?;
        let masks = masks.told(patience);
        let unmasked = unmasked(&machine, patience)?;
        let resolution = Resolution::of(&environment, &machine, unmasked.as_ref());
        let first = machine.visible().first();
        let switch = policy.cpu.as_ref().and_then(|cpu| cpu.switch.as_deref());
        let backends = Backends::of(&surroundings, &environment, &cuda_answer(&machine), switch);
        let allocator = AllocatorAdvice::of(&environment, &world.platform, first);
        let free = first
            .and_then(|card| machine.board(card))
            .and_then(|board| board.card.memory.checked_sub(board.used?));
        let known = ProgramFigures { free_bytes: known.free_bytes.or(free), ..*known };
        let batch = first.map(|card| BatchAdvice::of(card, &known));
        let verdict = verdict(
            policy,
            &machine,
            &masks,
            &surroundings,
            environment.get("CUDA_VISIBLE_DEVICES").is_some(),
        );
        let allowed = match &verdict {
            Verdict::Met { card } => Some(card),
            Verdict::NotMet { allowed, .. } => allowed.as_ref(),
            Verdict::NoPolicy => None,
        };
        let policy_lines = policy_lines::policy_lines(policy.gpu.as_ref(), allowed, &machine.known_boards());
        let architectures = machine.cards().into_iter().map(ArchitectureFacts::of).collect();
        let unseen = unseen(&machine);
        Ok(Diagnosis {
            schema: 1,
            simulated: machine.is_simulated(),
            surroundings,
            machine,
            resolution,
            architectures,
            backends,
            allocator,
            batch,
            verdict,
            policy_lines,
            unseen,
        })
    }

    /// Whether the policy, if any, is met.
    pub fn is_met(&self) -> bool {
        !matches!(self.verdict, Verdict::NotMet { .. })
    }
}

impl Machine {
    /// The cards that the process may use, in the order of their ordinals.
    pub fn visible(&self) -> &[Card] {
        self.driver.cards()
    }

    /// The cards of the machine, in the order of their PCI addresses.
    pub fn boards(&self) -> &[CardState] {
        match self.listing.answer() {
            Some(Listing::Cards { boards, .. }) => boards,
            _ => &[],
        }
    }

    /// What programs can get of them, slices in place of a card that is divided. Where NVML lists nothing, what the driver
    /// shows is all there is.
    pub fn known_boards(&self) -> Vec<CardState> {
        match self.boards() {
            [] => self.visible().iter().cloned().map(CardState::of_card).collect(),
            boards => boards.iter().flat_map(CardState::parts).collect(),
        }
    }

    /// How many cards fell off the bus, of which nothing more is known.
    pub fn lost(&self) -> usize {
        match self.listing.answer() {
            Some(Listing::Cards { lost, .. }) => *lost,
            _ => 0,
        }
    }

    /// Whether the cards do not exist, which either library says of itself.
    pub fn is_simulated(&self) -> bool {
        matches!(self.listing.answer(), Some(Listing::Cards { simulated: true, .. }))
            || matches!(self.driver.answer(), Some(Answer::Cards { simulated: true, .. }))
    }

    /// The state of a card, or of a slice.
    pub fn board(&self, card: &Card) -> Option<CardState> {
        self.boards().iter().flat_map(CardState::parts).find(|board| board.card.is(card))
    }

    /// All cards that anybody told of.
    fn cards(&self) -> Vec<&Card> {
        match self.boards() {
            [] => self.visible().iter().collect(),
            boards => boards.iter().map(|board| &board.card).collect(),
        }
    }
}

/// The cards in the order that CUDA gives them when nothing is set; asked only where there are several.
fn unmasked(machine: &Machine, patience: Duration) -> io::Result<Option<Vec<Card>>> {
    let is_silent = matches!(machine.driver, CardAnswer::Silence(_));
    if is_silent || (machine.boards().len() < 2 && machine.visible().len() < 2) {
        return Ok(None);
    }
    let bare =
        machine::answer(&[("CUDA_VISIBLE_DEVICES", None), ("CUDA_DEVICE_ORDER", None)], None, patience)?;
    Ok(Some(bare.cards().to_vec()).filter(|cards| !cards.is_empty()))
}

fn cuda_answer(machine: &Machine) -> CudaAnswer {
    match &machine.driver {
        CardAnswer::Answer(Answer::Cards { cards, .. }) => CudaAnswer::Cards(cards.len()),
        CardAnswer::Answer(Answer::NoLibrary) => CudaAnswer::NoDriver,
        other => CudaAnswer::Refused(driver_fault(other).unwrap_or_default()),
    }
}

fn verdict(
    policy: &Policy,
    machine: &Machine,
    masks: &[Mask],
    surroundings: &Surroundings,
    is_masked: bool,
) -> Verdict {
    let Some(gpu) = &policy.gpu else { return Verdict::NoPolicy };
    let visible = machine.visible();
    // Behind a card that is lost the others are counted from another place.
    let renumbered = !surroundings.numbering.is_of_the_machine() || machine.lost() > 0;
    let left = is_masked.then_some(visible);
    let handed_out = surroundings.scheduler().is_some();
    match choice::allowed(gpu, &machine.known_boards(), &Given { masks, renumbered, handed_out, left }) {
        Err(why) => Verdict::NotMet { reason: why.to_string(), allowed: None, exports: Vec::new() },
        Ok(boards) => {
            let gets = boards.iter().find(|board| visible.first().is_some_and(|first| first.is(&board.card)));
            let Some(board) = gets.or(boards.first()) else {
                let reason = NoChoice::NoCards.to_string();
                return Verdict::NotMet { reason, allowed: None, exports: Vec::new() };
            };
            let about_set = choice::complaint_about_set(masks, visible);
            let is_set = about_set.is_some();
            let complaint = about_set.unwrap_or_else(|| choice::complaint(gpu, &board.card, visible));
            // A set is more than one card.
            let exports =
                complaint.as_ref().filter(|_| !is_set).map(|_| exports_of(&board.card)).unwrap_or_default();
            match complaint {
                None => Verdict::Met { card: board.card.clone() },
                Some(reason) => Verdict::NotMet { reason, allowed: Some(board.card.clone()), exports },
            }
        }
    }
}

/// Why the driver shows no card, as a clause; `None` when it shows some.
pub fn driver_fault(told: &CardAnswer<Answer>) -> Option<String> {
    use super::driver::codes;
    Some(match told {
        CardAnswer::Answer(Answer::Cards { .. }) => return None,
        CardAnswer::Answer(Answer::NoLibrary) => "no library of CUDA's driver is installed (libcuda.so.1, nvcuda.dll)".into(),
        CardAnswer::Answer(Answer::Broken { reason }) => format!("the library of CUDA's driver is broken: {reason}"),
        CardAnswer::Answer(Answer::Error { code }) => match *code {
            codes::NO_DEVICE => "CUDA's driver shows no card (error 100): there is none, or the environment hides all".into(),
            codes::INVALID_DEVICE => "CUDA's driver refuses the list of cards (error 101)".into(),
            codes::STUB_LIBRARY => {
                "the library that was found is the toolkit's stub, not a driver (error 34): remove its folder from \
                 the library path"
                    .into()
            }
            codes::SYSTEM_DRIVER_MISMATCH => {
                "the driver in the kernel is of another version than its library (error 803): restart the machine".into()
            }
            code => format!("CUDA's driver answers with error {code}"),
        },
        CardAnswer::Silence(seconds) => format!("CUDA's driver did not answer within {}", spelt(*seconds)),
        CardAnswer::Crash(how) => format!("the process that asked CUDA's driver ended: {how}"),
    })
}

/// Whether the driver is there and shows no card.
pub fn shows_none(machine: &Machine) -> bool {
    matches!(machine.driver, CardAnswer::Answer(Answer::Error { code: super::driver::codes::NO_DEVICE }))
}

/// Why a machine shows no card, with the way out, where NVML tells more than the driver; this says the same whatever the cause is.
pub fn cause(machine: &Machine) -> Option<String> {
    let is_none = shows_none(machine);
    match (&machine.driver, machine.listing.answer()) {
        (CardAnswer::Answer(Answer::NoLibrary), _) => driver_fault(&machine.driver).map(|why| {
            format!("{why}: install NVIDIA's driver, or start the container with `--gpus` on a host that has it")
        }),
        (_, Some(Listing::NoDriver)) if is_none => Some(
            "CUDA's driver shows no card (error 100), and NVML finds no loaded driver: load its kernel module \
             (`modprobe nvidia`), or restart the machine if it was just installed"
                .to_owned(),
        ),
        (_, Some(Listing::NoPermission)) if is_none => Some(
            "CUDA's driver shows no card (error 100), and NVML may not be used by this user: whoever runs programs \
             on the GPU must be allowed to read and write /dev/nvidia*"
                .to_owned(),
        ),
        (_, Some(Listing::Cards { boards, lost: 0, .. })) if is_none && boards.is_empty() => {
            Some("there is no NVIDIA GPU in this machine, although its driver is installed".to_owned())
        }
        _ => None,
    }
}

/// Why NVML lists no card, as a clause; `None` when it lists them.
pub fn listing_fault(told: &CardAnswer<Listing>) -> Option<String> {
    Some(match told {
        CardAnswer::Answer(Listing::Cards { .. }) => return None,
        CardAnswer::Answer(Listing::NoLibrary) => {
            "NVML is not installed (libnvidia-ml.so.1, nvml.dll)".into()
        }
        CardAnswer::Answer(Listing::NoDriver) => "NVML finds no loaded driver".into(),
        CardAnswer::Answer(Listing::VersionMismatch) => {
            "NVML is of another version than the driver in the kernel: restart the machine".into()
        }
        CardAnswer::Answer(Listing::NoPermission) => "NVML may not be used by this user".into(),
        CardAnswer::Answer(Listing::Failed { reason }) => format!("NVML fails: {reason}"),
        CardAnswer::Silence(seconds) => format!("NVML did not answer within {}", spelt(*seconds)),
        CardAnswer::Crash(how) => format!("the process that asked NVML ended: {how}"),
    })
}

fn spelt(seconds: u64) -> String {
    if seconds == 1 { "1 second".to_owned() } else { format!("{seconds} seconds") }
}

fn unseen(machine: &Machine) -> Vec<String> {
    let mut unseen = Vec::new();
    if let Some(why) = listing_fault(&machine.listing) {
        unseen.push(format!("all cards of the machine, whatever the environment says: {why}"));
    }
    if let Some(why) = driver_fault(&machine.driver) {
        unseen.push(format!("the cards that a program gets: {why}"));
    }
    match machine.lost() {
        0 => {}
        1 => unseen.push("a card that fell off the bus: restart the machine".to_owned()),
        lost => unseen.push(format!("{lost} cards that fell off the bus: restart the machine")),
    }
    for board in machine.boards() {
        match &board.users {
            None => unseen.push(format!("who computes on {}: the driver does not say", board.card)),
            Some(users) if users.iter().any(|user| user.memory.is_none()) => unseen.push(format!(
                "how much memory each process has on {}: the driver does not say, as under WDDM and WSL",
                board.card
            )),
            Some(_) => {}
        }
    }
    unseen
}

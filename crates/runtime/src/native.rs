//! The native stage: loads for a card that need neither Python nor a CUDA toolkit, run in a process of their own that
//! writes down what it measures.
//!
//! ```text
//! kernels    the PTX that gpulint brings
//! device     a context, memory and launches, as a safe interface
//! leak       allocate, multiply, check, free; and again
//! burn       as much memory and as many products as the card can take
//! cublas     NVIDIA's library for products, where it is installed
//! lines      what is written down
//! journal    the file that it is written to
//! ```
//!
//! No profile chooses a card: it takes the first that its environment shows, and works only if that is the one it was
//! told to use.

pub mod burn;
mod cublas;
pub mod device;
pub mod journal;
pub mod kernels;
pub mod leak;
pub mod lines;

use super::cards::is_same;
use device::Device;
use journal::Journal;
use lines::{Failure, Line};
use std::io;
use std::path::Path;

/// The command of this program that runs a profile; people need not know it.
pub const COMMAND: &str = "work-on-card";

/// A load, and how much of it.
#[derive(Clone, Debug)]
pub enum Profile {
    Leak(leak::Amount),
    Burn(burn::Amount),
}

/// How a profile ended. The journal says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end, whatever it measured.
    Ended,
    /// A call did not succeed.
    Failed,
    /// The process got another card, and did nothing with it.
    WrongCard,
}

impl End {
    /// What the process ends with.
    pub fn exit_code(self) -> i32 {
        match self {
            End::Ended => 0,
            End::Failed => 4,
            End::WrongCard => 5,
        }
    }
}

/// Why a profile stops early.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    #[error("{}: {}", .0.doing, .0.why)]
    Failure(Failure),
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

/// Runs the profile on the card with this UUID, and appends what it measures to the file.
///
/// # Errors
/// When the file cannot be written.
pub fn run(profile: &Profile, uuid: &str, file: &Path) -> io::Result<End> {
    let mut journal = Journal::open(file)?;
    let (end, failure) = match worked(profile, uuid, &mut journal) {
        Ok(None) => (End::Ended, None),
        Ok(Some(wrong_card)) => (End::WrongCard, Some(wrong_card)),
        Err(Stop::Failure(failure)) => (End::Failed, Some(failure)),
        Err(Stop::Journal(error)) => return Err(error),
    };
    journal.write(&failure.map_or(Line::Ended, Line::Failed))?;
    Ok(end)
}

/// Returns what speaks against the card, if something does.
fn worked(profile: &Profile, uuid: &str, journal: &mut Journal) -> Result<Option<Failure>, Stop> {
    let card = device::first_card()?;
    if !is_same(&card.uuid, uuid) {
        let why = format!("it got card {} instead of {uuid}", card.uuid);
        return Ok(Some(Failure { doing: "looking for the card".to_owned(), code: None, why }));
    }
    match profile {
        Profile::Leak(amount) => {
            // The CPU does its part before the card is taken.
            let case = leak::Case::of(amount.side)?;
            let device = began(card, journal)?;
            leak::work(&device, &case, amount, journal)?;
            device.close()?;
        }
        Profile::Burn(amount) => {
            let device = began(card, journal)?;
            burn::work(&device, amount, journal)?;
            device.close()?;
        }
    }
    Ok(None)
}

fn began(card: super::cards::Card, journal: &mut Journal) -> Result<Device, Stop> {
    let device = Device::open()?;
    journal.write(&Line::Began { card, context: device.used()? })?;
    Ok(device)
}

//! The GPUs of this machine, as NVML lists them, or `nvidia-smi` where gpulint cannot ask NVML.

use crate::architectures::short_name;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A driver that is in trouble may never answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Counted by PCI slot.
    pub index: u32,
    pub name: String,
    /// Not told of cards that share the memory of the machine.
    pub mebibytes: Option<u64>,
    pub uuid: Option<String>,
}

impl Card {
    /// The name without the maker: `RTX 3090`.
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }
}

/// The GPUs, or why there are none in one clause.
pub fn cards() -> Result<Vec<Card>, String> {
    #[cfg(feature = "runtime")]
    if let Some(listed) = of_nvml() {
        return listed;
    }
    of_nvidia_smi()
}

/// `None` where there is no NVML.
#[cfg(feature = "runtime")]
fn of_nvml() -> Option<Result<Vec<Card>, String>> {
    use crate::runtime::doctor::listing_fault;
    use crate::runtime::machine::{self, CardAnswer};
    use crate::runtime::management::Listing;
    let told = machine::listing(machine::PATIENCE).ok()?;
    match &told {
        CardAnswer::Answer(Listing::NoLibrary) => None,
        // The others would be counted wrongly.
        CardAnswer::Answer(Listing::Cards { lost: 1.., .. }) => {
            Some(Err("a card fell off the bus: restart the machine".to_owned()))
        }
        CardAnswer::Answer(Listing::Cards { boards, .. }) if boards.is_empty() => {
            Some(Err("NVML lists none".to_owned()))
        }
        CardAnswer::Answer(Listing::Cards { boards, .. }) => {
            // They are in the order of their PCI addresses.
            let cards = (0..).zip(boards).map(|(index, board)| Card {
                index,
                name: board.card.name.clone(),
                mebibytes: Some(board.card.memory >> 20).filter(|memory| *memory > 0),
                uuid: Some(board.card.uuid.clone()),
            });
            Some(Ok(cards.collect()))
        }
        _ => listing_fault(&told).map(Err),
    }
}

fn of_nvidia_smi() -> Result<Vec<Card>, String> {
    let query = ["--query-gpu=index,name,memory.total,uuid", "--format=csv,noheader,nounits"];
    let mut command = Command::new("nvidia-smi");
    command.args(query).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut driver = command.spawn().map_err(|_| "there is no program `nvidia-smi` in PATH".to_owned())?;
    let Some(mut stdout) = driver.stdout.take() else { return Ok(Vec::new()) };
    let (sender, answer) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.read_to_end(&mut text);
        let _ = sender.send(read.map(|_| text));
    });
    let Ok(text) = answer.recv_timeout(PATIENCE) else {
        // It may be stuck where no signal reaches it, so nobody waits for its end.
        let _ = driver.kill();
        return Err(format!("`nvidia-smi` did not answer within {} seconds", PATIENCE.as_secs()));
    };
    let text = String::from_utf8_lossy(&text.map_err(|error| error.to_string())?).into_owned();
    match driver.wait() {
        Ok(status) if !status.success() => {
            let told = text.lines().next().unwrap_or("it failed").trim();
            Err(format!("`nvidia-smi` says: {}", told.trim_end_matches('.')))
        }
        _ => Ok(text.lines().filter_map(card_in).collect()),
    }
}

/// `0, NVIDIA GeForce RTX 3090, 24576, GPU-1f2e…`
fn card_in(line: &str) -> Option<Card> {
    let mut fields = line.split(',').map(str::trim);
    let (index, name) = (fields.next()?.parse().ok()?, fields.next()?);
    let mebibytes = fields.next().and_then(|field| field.parse().ok());
    let uuid = fields.next().filter(|uuid| uuid.starts_with("GPU-")).map(str::to_owned);
    (!name.is_empty()).then(|| Card { index, name: name.to_owned(), mebibytes, uuid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_driver() {
        let card = card_in("1, NVIDIA GeForce RTX 3090, 24576, GPU-1f2e").unwrap();
        assert_eq!((card.index, card.short_name(), card.mebibytes), (1, "RTX 3090", Some(24576)));
        assert_eq!(card.uuid.as_deref(), Some("GPU-1f2e"));
        let shared = card_in("0, NVIDIA GB10, [N/A], [N/A]").unwrap();
        assert_eq!((shared.mebibytes, shared.uuid, shared.name.as_str()), (None, None, "NVIDIA GB10"));
        assert_eq!(card_in("No devices were found"), None);
    }
}

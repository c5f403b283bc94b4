//! Looks at the machine from child processes: the driver reads the environment once, may hang, and may end the process
//! that asks. A child is this program again, with a command that people need not know.

use super::cards::{Card, is_same};
use super::choice::Mask;
use super::driver::{self, Answer};
use super::management::{self, Listing};
use super::process::HiddenFiles;
use crate::policy::{DeviceOrder, Gpu};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The command of this program with which the child is started.
pub const COMMAND: &str = "look-at-machine";

/// How long the driver may take for its answers. Where no program keeps it awake, it starts the cards first, which takes seconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What was told of the machine.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// All cards, whatever the environment says.
    pub listing: CardAnswer<Listing>,
    /// The cards that a process with the environment may use.
    pub driver: CardAnswer<Answer>,
}

/// An answer, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CardAnswer<T> {
    Answer(T),
    /// Nothing came in so many seconds.
    Silence(u64),
    /// The process that asked ended without a word; how it ended.
    Crash(String),
}

impl<T> CardAnswer<T> {
    pub fn answer(&self) -> Option<&T> {
        match self {
            CardAnswer::Answer(answer) => Some(answer),
            _ => None,
        }
    }
}

/// What answers: each in a process of its own, so that one that hangs or crashes takes nothing from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Library {
    Nvml,
    Cuda,
}

impl CardAnswer<Answer> {
    /// The cards that the driver shows, in the order of their ordinals.
    pub fn cards(&self) -> &[Card] {
        match self.answer() {
            Some(Answer::Cards { cards, .. }) => cards,
            _ => &[],
        }
    }
}

impl Machine {
    /// Asks for the environment of this process with some variables changed; `None` removes one.
    ///
    /// # Errors
    /// When a child cannot be started.
    pub fn seen_with(changes: &[(&str, Option<OsString>)], patience: Duration) -> io::Result<Machine> {
        Ok(Machine::asked_with(changes)?.told(patience))
    }

    /// The same, without waiting for the answers.
    ///
    /// # Errors
    /// When a child cannot be started.
    pub fn asked_with(changes: &[(&str, Option<OsString>)]) -> io::Result<AskedMachine> {
        let nvml = PendingQuestion::start(Library::Nvml, changes, None)?;
        let cuda = PendingQuestion::start(Library::Cuda, changes, None)?;
        Ok(AskedMachine { nvml, cuda })
    }
}

/// What NVML lists, without a question to CUDA's driver.
///
/// # Errors
/// When the child cannot be started.
pub fn listing(patience: Duration) -> io::Result<CardAnswer<Listing>> {
    Ok(PendingQuestion::start(Library::Nvml, &[], None)?.told(Instant::now() + patience, patience))
}

/// What CUDA's driver shows a process whose environment has these changes and from which these files are hidden, without a
/// question to NVML.
///
/// # Errors
/// When the child cannot be started, which is so where the system hides no files.
pub fn answer(
    changes: &[(&str, Option<OsString>)],
    hiding: Option<&HiddenFiles>,
    patience: Duration,
) -> io::Result<CardAnswer<Answer>> {
    Ok(PendingQuestion::start(Library::Cuda, changes, hiding)?.told(Instant::now() + patience, patience))
}

/// What the child does: one line from the library.
///
/// # Errors
/// When nobody reads.
pub fn tell(library: Library, mut out: impl Write) -> io::Result<()> {
    let line = match library {
        Library::Nvml => serde_json::to_string(&management::listing())?,
        Library::Cuda => serde_json::to_string(&driver::answer())?,
    };
    writeln!(out, "{line}")?;
    out.flush()
}

/// What CUDA's driver makes of each value that the policy accepts for CUDA_VISIBLE_DEVICES: asked with that and the policy's
/// CUDA_DEVICE_ORDER, as every script that obeys the policy sets them. An index without an order counts by PCI address.
pub struct AskedMasks {
    masks: Vec<(String, PendingQuestion)>,
    began: Instant,
}

impl AskedMasks {
    /// # Errors
    /// When a child cannot be started.
    pub fn of(gpu: Option<&Gpu>) -> io::Result<AskedMasks> {
        let began = Instant::now();
        let order = match gpu.and_then(|gpu| gpu.device_order) {
            Some(DeviceOrder::FastestFirst) => "FASTEST_FIRST",
            Some(DeviceOrder::PciBusId) | None => "PCI_BUS_ID",
        };
        let asked = |value: &String| {
            let changes =
                [("CUDA_VISIBLE_DEVICES", Some(value.into())), ("CUDA_DEVICE_ORDER", Some(order.into()))];
            Ok((value.clone(), PendingQuestion::start(Library::Cuda, &changes, None)?))
        };
        let values = gpu.iter().flat_map(|gpu| &gpu.visible_devices);
        Ok(AskedMasks { masks: values.map(asked).collect::<io::Result<_>>()?, began })
    }

    pub fn told(self, patience: Duration) -> Vec<Mask> {
        // They were asked when the machine was, and need not be waited for once more.
        let until = self.began + patience;
        self.masks.into_iter().map(|(value, asked)| Mask::of(&value, &asked.told(until, patience))).collect()
    }
}

/// A machine that was asked and has not answered yet.
pub struct AskedMachine {
    nvml: PendingQuestion,
    cuda: PendingQuestion,
}

impl AskedMachine {
    pub fn told(self, patience: Duration) -> Machine {
        let until = Instant::now() + patience;
        let listing = self.nvml.told(until, patience);
        let driver = with_slices(self.cuda.told(until, patience), &listing);
        Machine { listing, driver }
    }
}

/// CUDA's driver tells the digits of a UUID alone; which are those of slices, NVML knows.
fn with_slices(mut driver: CardAnswer<Answer>, listing: &CardAnswer<Listing>) -> CardAnswer<Answer> {
    if let (CardAnswer::Answer(Answer::Cards { cards, .. }), Some(Listing::Cards { boards, .. })) =
        (&mut driver, listing.answer())
    {
        for card in cards {
            let mut slices = boards.iter().flat_map(|board| &board.slices);
            if let Some(slice) = slices.find(|slice| is_same(&slice.uuid, &card.uuid)) {
                card.uuid.clone_from(&slice.uuid);
            }
        }
    }
    driver
}

/// A child that was asked and has not answered yet.
struct PendingQuestion {
    child: Child,
    lines: Receiver<String>,
}

impl PendingQuestion {
    fn start(
        library: Library,
        changes: &[(&str, Option<OsString>)],
        hiding: Option<&HiddenFiles>,
    ) -> io::Result<PendingQuestion> {
        let mut command = Command::new(std::env::current_exe()?);
        let name = match library {
            Library::Nvml => "nvml",
            Library::Cuda => "cuda",
        };
        command.args([COMMAND, name]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        for (name, value) in changes {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        hiding.map_or(Ok(()), |hiding| hiding.apply(&mut command))?;
        let mut child = command.spawn()?;
        let lines = lines_of(&mut child);
        Ok(PendingQuestion { child, lines })
    }

    fn told<T: DeserializeOwned>(mut self, until: Instant, patience: Duration) -> CardAnswer<T> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                let _ = self.child.wait();
                serde_json::from_str(&line).map_or_else(
                    |error| CardAnswer::Crash(format!("it said something else: {error}")),
                    CardAnswer::Answer,
                )
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                // It may be stuck where no signal reaches it, so only a thread of its own waits for its end.
                std::thread::spawn(move || self.child.wait());
                CardAnswer::Silence(patience.as_secs())
            }
            Err(RecvTimeoutError::Disconnected) => CardAnswer::Crash(
                self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string()),
            ),
        }
    }
}

fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, lines) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    lines
}

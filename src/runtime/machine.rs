//! Looks at the machine from a child process: the driver reads the environment once, may hang, and may end the process
//! that asks. The child is this program again, with a command that people need not know.

use super::driver::{self, Answer};
use super::management::{self, Listing};
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
    pub listing: Told<Listing>,
    /// The cards that a process with the environment may use.
    pub driver: Told<Answer>,
}

/// An answer, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told<T> {
    Answer(T),
    /// Nothing came in so many seconds.
    Silence(u64),
    /// The process that asked ended without a word; how it ended.
    Crash(String),
}

impl<T> Told<T> {
    pub fn answer(&self) -> Option<&T> {
        match self {
            Told::Answer(answer) => Some(answer),
            _ => None,
        }
    }
}

impl Machine {
    /// Asks for the environment of this process with some variables changed; `None` removes one.
    ///
    /// # Errors
    /// When the child cannot be started.
    pub fn seen_with(changes: &[(&str, Option<OsString>)], patience: Duration) -> io::Result<Machine> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(COMMAND).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        for (name, value) in changes {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut child = command.spawn()?;
        let lines = lines_of(&mut child);
        let started = Instant::now();
        let next = || {
            let left = patience.saturating_sub(started.elapsed());
            lines.recv_timeout(left)
        };
        let (listing, driver) = (next(), next());
        let is_silent = [&listing, &driver].iter().any(|line| **line == Err(RecvTimeoutError::Timeout));
        let ending = if is_silent {
            // It may be stuck where no signal reaches it, so nobody waits for its end.
            let _ = child.kill();
            String::new()
        } else {
            child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
        };
        Ok(Machine { listing: told(listing, patience, &ending), driver: told(driver, patience, &ending) })
    }
}

/// What the child does: one line from the library for management, one from the driver.
///
/// # Errors
/// When nobody reads.
pub fn tell(mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(&management::listing())?)?;
    // The driver may never answer; what is known so far is not lost with it.
    out.flush()?;
    writeln!(out, "{}", serde_json::to_string(&driver::answer())?)?;
    out.flush()
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

fn told<T: DeserializeOwned>(
    line: Result<String, RecvTimeoutError>,
    patience: Duration,
    ending: &str,
) -> Told<T> {
    match line {
        Ok(line) => serde_json::from_str(&line)
            .map_or_else(|error| Told::Crash(format!("it said something else: {error}")), Told::Answer),
        Err(RecvTimeoutError::Timeout) => Told::Silence(patience.as_secs()),
        Err(RecvTimeoutError::Disconnected) => Told::Crash(ending.to_owned()),
    }
}

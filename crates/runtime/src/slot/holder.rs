//! Who has a slot: what its holder says of itself, for the messages of those who wait.

use crate::report::printable;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Long enough to recognise a command by.
const MOST_CHARACTERS: usize = 120;
const MOST_BYTES: u64 = 8 * 1024;

/// Somebody who has a slot. Only for messages: anybody can write anything into the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub user: String,
    pub command: String,
    /// Seconds since 1970.
    pub since: u64,
}

impl Holder {
    /// This process, about to run a command.
    pub fn of_this_process(command: &[OsString]) -> Holder {
        let words = command.iter().map(|word| word.to_string_lossy());
        Holder {
            pid: std::process::id(),
            host: short(&super::shared::host()),
            user: short(&super::shared::user()),
            command: short(&words.collect::<Vec<_>>().join(" ")),
            since: now(),
        }
    }

    pub fn held_for(&self) -> Duration {
        Duration::from_secs(now().saturating_sub(self.since))
    }

    /// From now on.
    pub(super) fn write(&self, mut file: &File) -> io::Result<()> {
        let text = serde_json::to_vec(&Holder { since: now(), ..self.clone() })?;
        file.rewind()?;
        file.write_all(&text)?;
        file.set_len(text.len() as u64)
    }

    /// `None` when nobody has it, or somebody has who has not written anything yet.
    pub(super) fn read(mut file: &File) -> Option<Holder> {
        let mut text = Vec::new();
        file.rewind().ok()?;
        file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        let holder: Holder = serde_json::from_slice(&text).ok()?;
        let Holder { host, user, command, .. } = &holder;
        Some(Holder { host: short(host), user: short(user), command: short(command), ..holder })
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Holder { pid, user, command, .. } = self;
        write!(formatter, "pid {pid} ({command}) of {user} for {}", span(self.held_for()))
    }
}

/// `42 s`, `3 min`, `5 h`.
pub(super) fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// Without what would steer a terminal, and not longer than a line.
fn short(text: &str) -> String {
    let text = printable(text);
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

//! How fast a card was in earlier runs. There is one JSON file for each card, named after its UUID, in a folder of the user:
//! another card of the same model may be slower, and another user's runs are another user's.
//!
//! A card is compared with itself doing the same: the same load, multiplied by the same code under the same driver. What a
//! simulated card does is kept apart from what cards do.
//!
//! A file that cannot be understood is left as it is, and that is said: it may be from a newer gpulint.

use super::document::{BurnEvidence, EarlierRun, Kind};
use crate::atomic_write;
use crate::runtime::native::lines::Multiplier;
use crate::runtime::slot::Folder;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Of fewer runs the median says little.
pub const FEWEST: usize = 3;
/// So many runs are kept for each load, the latest; an old card is compared with what it was lately.
pub const MOST: usize = 50;

/// The version of the file.
const SCHEMA: u32 = 1;
/// Of all loads together.
const MOST_ENTRIES: usize = 1000;
/// A file of that many entries is a quarter as long.
const MOST_BYTES: u64 = 2 << 20;

/// What one card did in earlier runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    schema: u32,
    /// The UUID of the card.
    card: String,
    /// The oldest first.
    entries: Vec<Entry>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub load: Load,
    /// In UTC: `2026-01-31T12:00:00Z`.
    pub when: String,
    /// 10^12 floating-point operations in a second: the median of the run's rounds.
    pub teraflops: Option<f64>,
    /// 10^9 bytes in a second that were read.
    pub gigabytes: Option<f64>,
}

/// What was done, and with what. Only runs in which all of it is equal are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Whether the card does not exist.
    pub simulated: bool,
    pub profile: Kind,
    /// Rows of the square matrices.
    pub side: u32,
    /// `own`, or `cublas` and its version.
    pub multiplier: String,
    /// The version of the driver.
    pub driver: Option<String>,
    /// The version of the kernels that gpulint brings.
    pub kernels: String,
}

/// What a run is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Teraflops,
    Gigabytes,
}

/// Why there is no history, each a clause with the way out.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("the earlier speeds of the card in {} cannot be read or written: {why}", file.display())]
    Disk { file: PathBuf, why: io::Error },
    #[error(
        "{} does not hold earlier speeds of this card ({why}), so it is left alone; with the file moved away they begin anew",
        file.display()
    )]
    Foreign { file: PathBuf, why: String },
}

/// Where gpulint keeps what it remembers, with what other programs remember of a user. `None` for a user without a home.
pub fn state_folder() -> Option<PathBuf> {
    folder_of(cfg!(windows), std::env::home_dir(), |name| std::env::var_os(name))
}

fn folder_of(
    windows: bool,
    home: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let name = if windows { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };
    // A relative path would be another folder for each working directory; the specification of XDG ignores it as well.
    let named = variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let inside = if windows { ["AppData", "Local"] } else { [".local", "state"] };
    let of_home = || home.filter(|home| home.is_absolute()).map(|home| home.join(inside[0]).join(inside[1]));
    Some(named.or_else(of_home)?.join("gpulint"))
}

impl Load {
    pub fn of_burn(evidence: &BurnEvidence, driver: Option<String>, kernels: &str, simulated: bool) -> Load {
        let multiplier = match &evidence.multiplier {
            Multiplier::Own => "own".to_owned(),
            // Where the library lies does not matter.
            Multiplier::Cublas { version: Some(version), .. } => format!("cublas {version}"),
            Multiplier::Cublas { version: None, .. } => "cublas".to_owned(),
        };
        let (profile, side) = (Kind::Burn, evidence.side);
        Load { simulated, profile, side, multiplier, driver, kernels: kernels.to_owned() }
    }
}

impl History {
    /// Of a card that nothing is known of.
    pub fn of_new_card(uuid: &str) -> History {
        History { schema: SCHEMA, card: uuid.to_owned(), entries: Vec::new() }
    }

    /// What the folder has of a card, which may be nothing.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or holds something else.
    pub fn read(folder: &Path, uuid: &str) -> Result<History, Fault> {
        let file = file_of(folder, uuid);
        let foreign = |why: String| Fault::Foreign { file: file.clone(), why };
        let text = match content_of(&file) {
            Ok(Some(text)) => text,
            Ok(None) => return Err(foreign("it is too long".to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(History::of_new_card(uuid)),
            Err(why) => return Err(Fault::Disk { file, why }),
        };
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let version: Version = serde_json::from_slice(&text).map_err(|error| foreign(error.to_string()))?;
        if version.schema != SCHEMA {
            let why = format!("its version is {}, and this gpulint reads {SCHEMA}", version.schema);
            return Err(foreign(why));
        }
        let history: History = serde_json::from_slice(&text).map_err(|error| foreign(error.to_string()))?;
        match history.card == uuid {
            true => Ok(history),
            false => Err(foreign("it is about another card".to_owned())),
        }
    }

    /// The median of the earlier runs with the same load; `None` of fewer than [`FEWEST`].
    pub fn earlier(&self, load: &Load, measure: Measure) -> Option<f64> {
        let same = self.entries.iter().filter(|entry| entry.load == *load);
        let mut speeds: Vec<f64> = same.filter_map(|entry| entry.speed(measure)).collect();
        speeds.sort_by(f64::total_cmp);
        let middle = speeds.len() / 2;
        match speeds.len() {
            ..FEWEST => None,
            count if count % 2 == 1 => speeds.get(middle).copied(),
            _ => Some(f64::midpoint(*speeds.get(middle - 1)?, *speeds.get(middle)?)),
        }
    }

    /// The earlier runs with the same load, the oldest first.
    pub fn runs(&self, load: &Load) -> Vec<EarlierRun> {
        let same = self.entries.iter().filter(|entry| entry.load == *load);
        same.map(|entry| EarlierRun {
            when: entry.when.clone(),
            teraflops: entry.speed(Measure::Teraflops),
            gigabytes: entry.speed(Measure::Gigabytes),
        })
        .collect()
    }

    /// A speed of an earlier run with the same load that no run can have had, beside one of now and what the card could do at
    /// most: nothing, less than a hundredth, more than a hundred times as much, or more than the most.
    pub fn impossible(&self, load: &Load, measure: Measure, now: f64, peak: Option<f64>) -> Option<f64> {
        const FAR: f64 = 100.0;
        let most = peak.unwrap_or(f64::INFINITY).min(now * FAR);
        let same = self.entries.iter().filter(|entry| entry.load == *load);
        let mut speeds = same.filter_map(|entry| entry.measured(measure));
        speeds.find(|speed| !speed.is_finite() || *speed <= now / FAR || *speed > most)
    }

    /// With one run more, which is the latest, and without those that are too many then.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> History {
        let same: Vec<usize> = (0..self.entries.len())
            .filter(|index| self.entries.get(*index).is_some_and(|other| other.load == entry.load))
            .collect();
        // From the end, so that the places of the others stay.
        for index in same.iter().take((same.len() + 1).saturating_sub(MOST)).rev() {
            self.entries.remove(*index);
        }
        self.entries.push(entry);
        self.entries.drain(..self.entries.len().saturating_sub(MOST_ENTRIES));
        self
    }

    /// Replaces the file as a whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Fault> {
        let file = file_of(folder, &self.card);
        let written = serde_json::to_string_pretty(self).map_err(io::Error::from).and_then(|text| {
            fs::create_dir_all(folder)?;
            atomic_write::replace(&file, (text + "\n").as_bytes())
        });
        written.map_err(|why| Fault::Disk { file, why })
    }

    /// Adds a run to what the folder has by now of a card: two validations that end together both add theirs.
    ///
    /// # Errors
    /// As [`History::read`] and [`History::write`]; the file is then as it was.
    pub fn add(folder: &Path, uuid: &str, entry: Entry) -> Result<(), Fault> {
        let file = file_of(folder, uuid);
        let turn = fs::create_dir_all(folder).and_then(|()| {
            // Beside the file, which is another one each time that it is replaced. Windows locks nothing that is only appended to.
            let name =
                file.with_extension("lock").file_name().unwrap_or_default().to_string_lossy().into_owned();
            // What others may have put there is neither followed nor waited for.
            let turn = Folder::open(folder)?.file(&name)?;
            match turn.lock() {
                Err(error) if error.kind() != ErrorKind::Unsupported => Err(error),
                // Where the disk knows no locks, nobody takes turns.
                _ => Ok(turn),
            }
        });
        let turn = turn.map_err(|why| Fault::Disk { file, why })?;
        let added = History::read(folder, uuid).and_then(|history| history.with(entry).write(folder));
        drop(turn);
        added
    }
}

impl Entry {
    fn measured(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Teraflops => self.teraflops,
            Measure::Gigabytes => self.gigabytes,
        }
    }

    /// A speed of nothing, or less, was not measured.
    fn speed(&self, measure: Measure) -> Option<f64> {
        self.measured(measure).filter(|speed| speed.is_finite() && *speed > 0.0)
    }
}

/// A UUID has letters, digits and hyphens. The names of older slices also have what leads into other folders.
pub(super) fn file_of(folder: &Path, uuid: &str) -> PathBuf {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = uuid.chars().take(100).map(safe).collect();
    folder.join(format!("{name}.json"))
}

/// `None` if it is longer than such a file is.
fn content_of(file: &Path) -> io::Result<Option<Vec<u8>>> {
    // What is no file, such as a pipe that nobody writes to, would be waited for.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MOST_BYTES).then_some(bytes))
}

#[cfg(test)]
mod tests;

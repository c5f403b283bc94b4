//! Who holds which memory: one file for each process and card, below the folder that processes share.
//!
//! A file counts as long as its process lives, so that the memory of a killed one is free at once. An id that was given to
//! another process since is told by when that started.

use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What one process holds of one card, or slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub bytes: u64,
    /// The most that it was.
    pub peak: u64,
    pub contexts: u32,
}

/// A process that is, or was, on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: u32,
    /// Clock ticks between the start of the machine and that of the process.
    pub started: u64,
    pub usage: Usage,
}

/// The files of all processes.
#[derive(Debug)]
pub struct Accounts {
    folder: PathBuf,
}

impl Accounts {
    /// In `folder`, which is made if it is not there.
    pub fn new(folder: &Path) -> io::Result<Accounts> {
        fs::create_dir_all(folder)?;
        Ok(Accounts { folder: folder.to_path_buf() })
    }

    /// Does it while no other process, and no other thread, does the like.
    pub fn alone<T>(&self, work: impl FnOnce() -> T) -> io::Result<T> {
        let lock = File::create(self.folder.join("lock"))?;
        lock.lock()?;
        Ok(work())
    }

    /// Every process that ever was on the device, by id.
    pub fn processes(&self, device: &str) -> Vec<Process> {
        let files = fs::read_dir(self.folder.join(device)).into_iter().flatten().flatten();
        let read = files.filter_map(|file| serde_json::from_slice(&fs::read(file.path()).ok()?).ok());
        let mut processes: Vec<Process> = read.collect();
        processes.sort_by_key(|process| process.pid);
        processes
    }

    /// Those that live and have a context.
    pub fn living(&self, device: &str) -> Vec<Process> {
        let mut processes = self.processes(device);
        processes.retain(|process| process.usage.contexts > 0 && process.lives());
        processes
    }

    /// When a process last wrote down what it holds, in microseconds.
    pub fn last_change(&self, device: &str, pid: u32) -> Option<u64> {
        let changed = fs::metadata(self.folder.join(device).join(pid.to_string())).ok()?.modified().ok()?;
        u64::try_from(changed.duration_since(std::time::UNIX_EPOCH).ok()?.as_micros()).ok()
    }

    /// Writes down what this process holds.
    pub fn record(&self, device: &str, usage: Usage) -> io::Result<()> {
        let pid = std::process::id();
        let process = Process { pid, started: start_of(pid).unwrap_or_default(), usage };
        let folder = self.folder.join(device);
        fs::create_dir_all(&folder)?;
        // Others read without asking: they must find the old one or the new one.
        let unfinished = self.folder.join(format!("unfinished-{pid}"));
        fs::write(&unfinished, serde_json::to_vec(&process)?)?;
        fs::rename(unfinished, folder.join(pid.to_string()))
    }
}

impl Process {
    pub fn lives(&self) -> bool {
        start_of(self.pid) == Some(self.started)
    }
}

/// Whether there is a process of that id which did not end.
pub(crate) fn is_alive(pid: u32) -> bool {
    start_of(pid).is_some()
}

/// When the process started; `None` if there is none, or if only its exit status is left of it.
fn start_of(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it is in parentheses, and may hold some itself.
    let mut fields = status.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    // Field 22 of proc(5); the state is field 3.
    let started = fields.nth(18)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(started)
}

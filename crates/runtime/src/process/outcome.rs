//! What became of a command.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// What `timeout` of the GNU tools ends with, too.
pub const LIMIT_REACHED: i32 = 124;

/// The limit of ours that a command reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    Time(Duration),
    /// Bytes on the GPU.
    Memory {
        allowed: u64,
        used: u64,
    },
    /// In words, as the end of "the command was stopped: …".
    Other(String),
}

/// What became of a command.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The command's own, 128 + the number of the signal that ended it, or [`LIMIT_REACHED`].
    pub code: i32,
    /// That ended the command, whoever sent it.
    pub signal: Option<i32>,
    pub limit: Option<Limit>,
    /// What the command left behind, and we ended.
    pub orphans: Vec<Orphan>,
    /// From the start of the command to its end, without the time for orphans.
    pub wall: Duration,
    /// Of the command and of what it started, as far as the system counted it.
    pub cpu_time: Option<Duration>,
}

/// A process that outlived the command that started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    pub pid: u32,
    pub name: String,
    /// False if it is still there, because a driver holds it or it belongs to another user.
    pub ended: bool,
}

/// A process of the command.
#[derive(Clone, Debug)]
pub struct Process {
    pub pid: u32,
    /// It may change: first it is that of the process which started this one.
    pub name: String,
    /// In the clock of the system: numbers of processes are given again, but not at the same time.
    pub(super) started: u64,
}

impl Process {
    fn identity(&self) -> (u32, u64) {
        (self.pid, self.started)
    }
}

impl PartialEq for Process {
    fn eq(&self, other: &Process) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Process {}

impl Hash for Process {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
        match self {
            Limit::Time(time) => write!(formatter, "it ran for longer than {} s", time.as_secs_f64()),
            Limit::Memory { allowed, used } => write!(
                formatter,
                "it used {} MiB of GPU memory, and may use {} MiB",
                mebibytes(*used),
                mebibytes(*allowed)
            ),
            Limit::Other(reason) => formatter.write_str(reason),
        }
    }
}

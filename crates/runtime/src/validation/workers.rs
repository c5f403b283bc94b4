//! One check in a process of its own: this program again, as `exec` for what uses the card, and as `check` for the project's
//! files. What it leaves are three files beside the document: its record, its measurements, and what it said.

use super::document::Kind;
use super::evidence::Lines;
use super::plan::{Burn, Planned, Work};
use super::repeated::{self, Repeated};
use crate::policy::Mode;
use crate::runtime::cards::Card;
use crate::runtime::document::Document;
use crate::runtime::exports::variables;
use crate::runtime::native;
use crate::runtime::process::Worker;
use crate::runtime::proof::document::Proof;
use crate::runtime::record::Record;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Of what a worker said, so many bytes of its end are kept.
const SAID: u64 = 4096;

/// A log that is longer is cut, and so much of its end is left.
const MOST_SAID: u64 = 16 << 20;
const LEFT: u64 = 1 << 20;

/// How a worker begins its lines about waiting for the card.
pub const WAITING: &str = "waiting for ";
/// And others, before its command speaks.
pub const NOTE: &str = "note: ";

/// How workers are started.
pub struct Workers {
    /// This program.
    pub program: PathBuf,
    /// Where the project is; commands of the policy are run here.
    pub project: PathBuf,
    /// Where their files are.
    pub folder: PathBuf,
    /// `--config` and the like, for `check` and `exec`.
    pub policy: Vec<OsString>,
    /// What `exec` is told beside it: limits, and where slots are.
    pub exec: Vec<OsString>,
    /// And what `prove` is told: limits alone.
    pub prove: Vec<OsString>,
    /// Whether workers are told which card it is, because the policy allows others as well.
    pub names_card: bool,
}

/// The files of one check.
#[derive(Clone, Debug)]
pub struct Files {
    pub record: PathBuf,
    pub lines: PathBuf,
    /// What it said.
    pub log: PathBuf,
    /// What it wrote to standard output, where that is a document; or what a Python program told of its repetitions.
    pub output: PathBuf,
}

impl Workers {
    /// The check may be any number in the plan.
    pub fn files(&self, number: usize) -> Files {
        let file = |what: &str| self.folder.join(format!("{number}.{what}"));
        Files {
            record: file("run.json"),
            lines: file("lines.jsonl"),
            log: file("log"),
            output: file("output.json"),
        }
    }

    /// # Errors
    /// When its files cannot be written, or no process can be started.
    pub fn start(&self, check: &Planned, card: Option<&Card>, files: &Files) -> io::Result<Worker> {
        // Of whatever is there, a link or a pipe included, only the name is removed.
        for old in files.all() {
            match fs::remove_file(old) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let mut command = Command::new(&self.program);
        command.current_dir(&self.project).stdin(Stdio::null());
        // What is added goes to its end, also after it was cut.
        let log = File::options().append(true).create_new(true).open(&files.log)?;
        match &check.work {
            Work::Lint => {
                // A verdict takes nothing from a cache, which what ran here before could have written.
                command.args(["check", "--no-cache", "--format", "json", "--exit-zero"]);
                command.args(&self.policy).arg(&self.project);
                command.stdout(File::create_new(&files.output)?);
            }
            Work::Command { words, mode: Mode::Cpu, .. } => {
                command
                    .args(["prove", "--cpu", "--worker"])
                    .args(self.policy_of_commands())
                    .args(&self.prove);
                command.arg("--record").arg(&files.output).arg("--").args(words).stdout(log.try_clone()?);
            }
            work => {
                command
                    .args(["exec", "--worker"])
                    .args(self.policy_of_commands())
                    .args(&self.exec)
                    .arg("--record")
                    .arg(&files.record);
                command.arg("--").args(self.words(work, card, files)).stdout(log.try_clone()?);
                if matches!(work, Work::Command { .. }) {
                    command.env(repeated::VARIABLE, &files.output);
                }
                if let Some(card) = card.filter(|_| self.names_card) {
                    command.envs(variables(card));
                }
            }
        }
        Worker::start(command.stderr(log))
    }

    /// How the project is checked is no matter of what gets the card, or gets none.
    fn policy_of_commands(&self) -> impl Iterator<Item = &OsString> {
        self.policy.iter().filter(|word| !word.as_encoded_bytes().starts_with(b"--mode="))
    }

    /// What `exec` runs.
    fn words(&self, work: &Work, card: Option<&Card>, files: &Files) -> Vec<OsString> {
        let mut words: Vec<OsString> = match work {
            Work::Lint => Vec::new(),
            Work::Command { words, .. } => return words.iter().map(OsString::from).collect(),
            Work::Leak { iterations, side } => {
                let (iterations, side) = (iterations.to_string(), side.to_string());
                ["leak", "--iterations", &iterations, "--side", &side].map(OsString::from).into()
            }
            Work::Burn(Burn { time, share, side }) => {
                let (time, share, side) =
                    (time.as_secs_f64().to_string(), share.to_string(), side.to_string());
                ["burn", "--seconds", &time, "--share", &share, "--side", &side].map(OsString::from).into()
            }
        };
        words.splice(0..0, [self.program.clone().into_os_string(), native::COMMAND.into()]);
        words.extend(["--lines".into(), files.lines.clone().into_os_string()]);
        words.extend(card.into_iter().flat_map(|card| ["--uuid".into(), OsString::from(&card.uuid)]));
        words
    }
}

impl Files {
    /// `None` when there is none, or none that can be read.
    pub fn record(&self) -> Option<Record> {
        Record::read(&self.record).ok()
    }

    /// `None` when there is none, or none that can be read.
    pub fn proof(&self) -> Option<Proof> {
        Proof::read(&self.output).ok()
    }

    /// `None` when the command did not repeat a Python program.
    pub fn repeated(&self) -> Option<Repeated> {
        Repeated::read(&self.output)
    }

    /// Without any when they cannot be read.
    pub fn lines(&self, kind: Kind) -> Lines {
        if kind.is_native() { Lines::read(&self.lines).unwrap_or_default() } else { Lines::default() }
    }

    /// The end of what the worker said.
    pub fn said(&self) -> String {
        let bytes = end_of(&self.log, SAID).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        // What the worker said itself while it waited for the card, and not its command.
        let lines = text.lines().filter(|line| !line.starts_with(WAITING));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Keeps the log of a worker that is running from filling the disk. Nothing that it writes meanwhile is lost where
    /// the file system can give back the space of a file's beginning.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn bound_log(&self) -> io::Result<()> {
        let file = File::options().append(true).open(&self.log)?;
        let metadata = file.metadata()?;
        if space_of(&metadata) <= MOST_SAID || give_back(&file, metadata.len() - LEFT).is_ok() {
            return Ok(());
        }
        self.cut_log()
    }

    /// Leaves the end of a log that has become too long. For a worker that has ended: what one writes between the two
    /// steps would be lost.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn cut_log(&self) -> io::Result<()> {
        let length = fs::metadata(&self.log)?.len();
        if length <= MOST_SAID {
            return Ok(());
        }
        let end = end_of(&self.log, LEFT)?;
        let mut left =
            format!("… {} MiB before this were cut by gpulint\n", (length - end.len() as u64) >> 20)
                .into_bytes();
        left.extend(end);
        let mut file = File::options().append(true).open(&self.log)?;
        file.set_len(0)?;
        file.write_all(&left)
    }

    pub fn all(&self) -> [&Path; 4] {
        [&self.record, &self.lines, &self.log, &self.output]
    }
}

/// What a command writes has no limit.
fn end_of(file: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end)?;
    Ok(end)
}

/// How much of the disk a file takes, in bytes.
#[cfg(unix)]
fn space_of(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.len().min(metadata.blocks() * 512)
}

#[cfg(not(unix))]
fn space_of(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// Gives the space of a file's first bytes back; they read as zeros, and its length stays.
///
/// # Errors
/// When the file system cannot.
#[cfg(target_os = "linux")]
fn give_back(file: &File, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, 0, bytes)?)
}

#[cfg(not(target_os = "linux"))]
fn give_back(_: &File, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_while_a_log_is_bounded_is_kept() {
        let folder = std::env::temp_dir().join(format!("gpulint-log-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("it can be made");
        let file = |name: &str| folder.join(name);
        let files =
            Files { record: file("record"), lines: file("lines"), log: file("log"), output: file("output") };
        let mut log = File::options().append(true).create(true).open(&files.log).expect("it can be made");
        let lines = 300_000;
        let writer = std::thread::spawn(move || {
            let padding = "x".repeat(100);
            for number in 0..lines {
                writeln!(log, "{number} {padding}").expect("it is written");
            }
        });
        while !writer.is_finished() {
            files.bound_log().expect("it is bounded");
        }
        writer.join().expect("it ended");
        files.cut_log().expect("it is cut");
        let text = fs::read_to_string(&files.log).expect("it is there");
        fs::remove_dir_all(&folder).expect("it is removed");
        assert!(text.len() as u64 <= LEFT + 100);
        let numbers: Vec<u32> =
            text.lines().skip(2).filter_map(|line| line.split(' ').next()?.parse().ok()).collect();
        assert_eq!(numbers.last(), Some(&(lines - 1)));
        assert!(numbers.len() > 9000 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1));
    }
}

//! What the system and NVML tell about the processes of a command while it runs: device files that are open, libraries that are loaded,
//! Python, and who computes on a card. Each process is looked at fifty times in a second, and the cards ten times. Where the system
//! tells of each file that is opened, no device file is missed, however briefly it is open.

use super::document::{Sighting, What};
use crate::runtime::management::CardState;
use crate::runtime::process::{Handle, Opened};
use crate::runtime::record::NotChecked;
use crate::runtime::watch::Gauge;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two looks at the processes.
const PAUSE: Duration = Duration::from_millis(20);
/// Between two looks at the cards and at what is loaded.
const SELDOM: Duration = Duration::from_millis(100);
/// How long a Python process must have been seen. Between fork and exec a child looks like its parent.
const LONG_ENOUGH: Duration = Duration::from_millis(200);

/// A Python process, as it is seen from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Python {
    pub pid: u32,
    pub command: Vec<String>,
}

/// What was seen.
#[derive(Default)]
pub struct ProcessFindings {
    pub sightings: Vec<Sighting>,
    pub interpreters: Vec<Python>,
    /// Whether the system told of each file that was opened.
    pub every_opening: bool,
    pub not_checked: Vec<NotChecked>,
}

/// Two threads: one looks, and one reads what the system tells, until they are told to end.
pub struct Watch {
    over: Arc<AtomicBool>,
    sightings: Sightings,
    looks: Option<JoinHandle<ProcessSearch>>,
    openings: Option<JoinHandle<()>>,
}

impl Watch {
    pub fn begin(
        handle: Handle,
        told: Option<Opened>,
        devices: &Path,
        forbidden: &[String],
        boards: &[CardState],
        patience: Duration,
    ) -> Watch {
        let (over, sightings) = (Arc::new(AtomicBool::new(false)), Sightings::default());
        let devices = devices.join("nvidia");
        // Before all else: each file that the command opens waits for it.
        let openings = told.and_then(|told| {
            let (over, sightings, devices) = (over.clone(), sightings.clone(), devices.clone());
            let body = move || {
                while !over.load(Ordering::Relaxed) {
                    if let Some((pid, path)) = told.next(PAUSE)
                        && begins_with(&path, &devices)
                    {
                        sightings.add(What::DeviceFile, pid, path.display().to_string());
                    }
                }
            };
            std::thread::Builder::new().name("read-openings".into()).spawn(body).ok()
        });
        let mut look = ProcessSearch::new(handle, sightings.clone(), devices, forbidden, boards, patience);
        let asked = over.clone();
        let body = move || {
            while !asked.load(Ordering::Relaxed) {
                look.at_processes();
                std::thread::sleep(PAUSE);
            }
            look
        };
        let looks = std::thread::Builder::new().name("look-at-processes".into()).spawn(body).ok();
        Watch { over, sightings, looks, openings }
    }

    pub fn end(self) -> ProcessFindings {
        self.over.store(true, Ordering::Relaxed);
        let mut seen = self.looks.and_then(|thread| thread.join().ok()).map_or_else(
            || {
                let (what, why) = ("the processes of the command", "the thread that looks at them ended");
                let not_checked = vec![NotChecked { what: what.to_owned(), why: why.to_owned() }];
                ProcessFindings { not_checked, ..ProcessFindings::default() }
            },
            ProcessSearch::seen,
        );
        seen.every_opening = self.openings.is_some_and(|thread| thread.join().is_ok());
        seen.sightings = self.sightings.all();
        seen
    }
}

/// What both threads see, each thing once.
#[derive(Clone, Default)]
struct Sightings(Arc<Mutex<BTreeMap<Key, Sighting>>>);

/// What was seen, of which process, and where.
type Key = (What, u32, String);

impl Sightings {
    fn add(&self, what: What, pid: u32, detail: String) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asker = || (what == What::DeviceFile).then(|| asker_in(pid)).flatten();
        let sighting = || Sighting { pid, name: name_of(pid), what, detail: detail.clone(), asker: asker() };
        known.entry((what, pid, detail.clone())).or_insert_with(sighting);
    }

    fn all(&self) -> Vec<Sighting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

fn begins_with(path: &Path, beginning: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(beginning.as_os_str().as_encoded_bytes())
}

/// Libraries that ask the driver by themselves: torch's part for CUDA does when a gradient of tensors on the CPU is computed.
const ASKERS: [&str; 1] = ["/libtorch_cuda.so"];

/// The first of them that the process has loaded.
fn asker_in(pid: u32) -> Option<String> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let mut paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    paths.find(|path| ASKERS.iter().any(|asker| path.ends_with(asker))).map(str::to_owned)
}

/// What a process is called now; nothing when it has ended.
fn name_of(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

struct ProcessSearch {
    handle: Handle,
    /// What the names of device files of GPUs begin with.
    devices: PathBuf,
    /// Parts of the paths of libraries that belong to forbidden modules.
    libraries: Vec<String>,
    cards: Vec<(String, Gauge)>,
    patience: Duration,
    seldom: Instant,
    sightings: Sightings,
    /// Since when, and until when, a process was seen to run Python.
    pythons: BTreeMap<u32, (Instant, Instant, Vec<String>)>,
    not_checked: Vec<NotChecked>,
}

impl ProcessSearch {
    fn new(
        handle: Handle,
        sightings: Sightings,
        devices: PathBuf,
        forbidden: &[String],
        boards: &[CardState],
        patience: Duration,
    ) -> ProcessSearch {
        let mut not_checked = Vec::new();
        let mut cards = Vec::new();
        for board in boards {
            match Gauge::open(&board.card.uuid, patience) {
                Ok(gauge) => cards.push((board.card.to_string(), gauge)),
                Err(why) => {
                    let what = format!("whether a process of the command was on {}", board.card);
                    not_checked.push(NotChecked { what, why: why.to_string() });
                }
            }
        }
        not_checked.extend(cannot_see());
        let plain = forbidden.iter().filter(|module| !module.contains('*'));
        ProcessSearch {
            handle,
            devices,
            libraries: plain.map(|module| format!("-packages/{}/", module.replace('.', "/"))).collect(),
            cards,
            patience,
            seldom: Instant::now() - SELDOM,
            sightings,
            pythons: BTreeMap::new(),
            not_checked,
        }
    }

    fn at_processes(&mut self) {
        let seldom = self.seldom.elapsed() >= SELDOM;
        let ours = self.handle.pids();
        for &pid in &ours {
            let folder = PathBuf::from(format!("/proc/{pid}"));
            for file in open_files(&folder) {
                if begins_with(&file, &self.devices) {
                    self.sightings.add(What::DeviceFile, pid, file.display().to_string());
                }
            }
            self.note_python(pid, &folder);
            if seldom {
                for library in self.libraries_of(&folder) {
                    self.sightings.add(What::Library, pid, library);
                }
            }
        }
        if seldom {
            self.seldom = Instant::now();
            self.at_cards(&ours);
        }
    }

    fn at_cards(&mut self, ours: &[u32]) {
        let mut there = Vec::new();
        for (name, gauge) in &self.cards {
            let users = gauge.users_now(self.patience).unwrap_or_default();
            there.extend(
                users
                    .into_iter()
                    .filter(|user| ours.contains(&user.pid))
                    .map(|user| (user.pid, name.clone())),
            );
        }
        there.into_iter().for_each(|(pid, card)| self.sightings.add(What::OnCard, pid, card));
    }

    fn note_python(&mut self, pid: u32, folder: &Path) {
        let is_python = std::fs::read_link(folder.join("exe")).is_ok_and(|file| is_python(&file));
        if is_python {
            let now = Instant::now();
            let command = || {
                let text = std::fs::read(folder.join("cmdline")).unwrap_or_default();
                let words = text.split(|byte| *byte == 0).filter(|word| !word.is_empty());
                words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
            };
            self.pythons.entry(pid).or_insert_with(|| (now, now, command())).1 = now;
        }
    }

    /// Libraries of forbidden modules that the process has loaded, each module once.
    fn libraries_of(&self, folder: &Path) -> Vec<String> {
        if self.libraries.is_empty() {
            return Vec::new();
        }
        let maps = std::fs::read_to_string(folder.join("maps")).unwrap_or_default();
        let paths = || maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
        let first = |part: &String| paths().find(|path| path.contains(part.as_str()) && path.contains(".so"));
        self.libraries.iter().filter_map(first).map(str::to_owned).collect()
    }

    fn seen(self) -> ProcessFindings {
        let long = |(first, last, _): &(Instant, Instant, Vec<String>)| *last - *first >= LONG_ENOUGH;
        let pythons = self.pythons.into_iter().filter(|(_, seen)| long(seen));
        ProcessFindings {
            interpreters: pythons.map(|(pid, (.., command))| Python { pid, command }).collect(),
            not_checked: self.not_checked,
            ..ProcessFindings::default()
        }
    }
}

fn open_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
    entries.filter_map(|entry| std::fs::read_link(entry.path()).ok())
}

/// Whether a program of this path is Python: `python3.12`, `pypy3`.
pub fn is_python(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    rest.is_some_and(|rest| {
        rest.trim_end_matches(".exe").chars().all(|c| c.is_ascii_digit() || c == '.' || c == 't')
    })
}

/// What cannot be seen on this system.
fn cannot_see() -> Option<NotChecked> {
    let why = "only Linux tells which files another process has open".to_owned();
    (!cfg!(target_os = "linux"))
        .then(|| NotChecked { what: "which device files the command opened".to_owned(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_python() {
        let is = |name: &str| is_python(Path::new(name));
        assert!(
            is("/usr/bin/python3.12")
                && is("python")
                && is("/opt/pypy3")
                && is("Python.exe")
                && is("python3.13t")
        );
        assert!(!is("/usr/bin/python-config") && !is("bash") && !is("pythonista") && !is(""));
    }
}

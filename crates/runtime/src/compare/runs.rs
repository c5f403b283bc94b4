//! Single runs of both sides: in an environment of their own, with the card watched where there is one.

use super::outputs::Outputs;
use super::{Request, Side};
use crate::runtime::exec::withheld::WithheldVariables;
use crate::runtime::exec::{NO_CARD, Prepared, Refusal, prevented_for_cpu, started};
use crate::runtime::prevention::{Prevention, device_folder, files_of_cards};
use crate::runtime::process::{Ended, Handle, HiddenFiles, Limit};
use crate::runtime::record::NotChecked;
use crate::runtime::watch::{LAST_PATIENCE, Plan, Readings, Watch};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// What slows a card down that is not its own limit of power: times of such runs say nothing.
const DISTURBING: [&str; 4] =
    ["hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown"];
/// Of what a command said last.
const TAIL: u64 = 4096;

/// Where the runs take place.
pub enum RunPlace {
    /// On a card that is held as long as this is.
    Card(Box<Prepared>),
    /// Without any.
    Without { hiding: Option<HiddenFiles> },
    /// There is none.
    Plain,
}

/// One run.
pub struct Run {
    pub seconds: f64,
    pub end: RunEnd,
    pub outputs: Option<Outputs>,
    /// Bytes that it had on the card.
    pub peak_memory: Option<u64>,
    /// What disturbed it.
    pub disturbed: Option<String>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Code(i32),
    Signal(i32),
    /// It ran longer than it may.
    Time,
    /// What it did not put out, in words.
    Missing(String),
}

impl RunEnd {
    /// In words, after "base" or "head".
    pub fn words(&self) -> String {
        match self {
            RunEnd::Code(code) => format!("ended with code {code}"),
            RunEnd::Signal(signal) => format!("was ended by signal {signal}"),
            RunEnd::Time => "had not ended in time (`--timeout`)".to_owned(),
            RunEnd::Missing(what) => what.clone(),
        }
    }
}

impl RunPlace {
    /// Without a card.
    pub fn without(simulated: bool, patience: Duration) -> (RunPlace, Option<NotChecked>) {
        let environment = [(NO_CARD.0, NO_CARD.1.to_owned())];
        let files = files_of_cards(&device_folder(simulated)).into_values().collect();
        let (hiding, prevention) = prevented_for_cpu(&environment, files, patience);
        let unchecked = match prevention {
            Prevention::NotPossible { why } => {
                let what = "whether a command used a GPU by setting CUDA_VISIBLE_DEVICES anew".to_owned();
                Some(NotChecked { what, why })
            }
            _ => None,
        };
        (RunPlace::Without { hiding }, unchecked)
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        match self {
            RunPlace::Card(prepared) => prepared.environment.clone(),
            RunPlace::Without { .. } => vec![(NO_CARD.0, NO_CARD.1.to_owned())],
            RunPlace::Plain => Vec::new(),
        }
    }

    fn hiding(&self) -> Option<&HiddenFiles> {
        match self {
            RunPlace::Card(prepared) => prepared.hiding.as_ref(),
            RunPlace::Without { hiding } => hiding.as_ref(),
            RunPlace::Plain => None,
        }
    }
}

/// Runs one side once. What it says is in `scratch` meanwhile.
///
/// # Errors
/// When it cannot be started.
pub fn run(request: &Request<'_>, side: &Side, ground: &RunPlace, scratch: &Path) -> Result<Run, Refusal> {
    let unwritable = |error| Refusal::Usage(format!("there is no place for what a command says: {error}"));
    let (said, errors) = (scratch.join("stdout"), scratch.join("stderr"));
    let stdout = File::create(&said).map_err(unwritable)?;
    let stderr = File::create(&errors).map_err(unwritable)?;
    let handle = Arc::new(OnceLock::<Handle>::new());
    let watch = watched(ground, &handle, request.patience);
    let withheld = WithheldVariables::of_process(request.keep_env);
    let variables = ground.environment().into_iter().map(|(name, value)| (name, value.into()));
    let began = SystemTime::now();
    let running = started(&side.command, request.limits, variables, &withheld, ground.hiding(), |command| {
        command.current_dir(&side.folder).stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    })?;
    let _ = handle.set(running.handle());
    let ended = running.wait();
    let readings = watch.map(|watch| watch.end(Duration::ZERO).readings(LAST_PATIENCE));
    let returned = comes_back(ground, request.patience);
    let mut end = end_of(&ended);
    let mut outputs = None;
    if end == RunEnd::Code(0) {
        let said = (!request.ignores_stdout).then_some(said.as_path());
        match Outputs::read(said, request.files, &side.folder, began) {
            Ok(read) => outputs = Some(read),
            Err(why) => end = RunEnd::Missing(why),
        }
    }
    Ok(Run {
        // One that took no time at all took the least that a clock tells.
        seconds: ended.wall.as_secs_f64().max(1e-9),
        end,
        outputs,
        peak_memory: readings.as_ref().and_then(|readings| Some(readings.command_memory?.max)),
        disturbed: readings.as_ref().and_then(disturbance).or(returned),
    })
}

/// The last line of what the last run said to its standard error.
pub fn last_words(scratch: &Path) -> Option<String> {
    let mut file = File::open(scratch.join("stderr")).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map(|line| line.trim().chars().take(200).collect())
}

fn watched(ground: &RunPlace, handle: &Arc<OnceLock<Handle>>, patience: Duration) -> Option<Watch> {
    let RunPlace::Card(prepared) = ground else { return None };
    let (gauge, _) = prepared.gauge.as_ref().ok()?;
    let baseline = gauge.baseline(patience).ok()?;
    let asked = handle.clone();
    let ours = move || asked.get().map(Handle::pids).unwrap_or_default();
    Some(Watch::start(gauge, &baseline, Plan { points: 1, ..Plan::default() }, ours, |_| ()))
}

/// Waits for the memory of the card; why the next run would not find it as this one did.
fn comes_back(ground: &RunPlace, patience: Duration) -> Option<String> {
    let RunPlace::Card(prepared) = ground else { return None };
    let (gauge, baseline) = prepared.gauge.as_ref().ok()?;
    match gauge.returned_to(baseline, &[], patience.min(super::RETURN)) {
        crate::runtime::watch::Returned::NotBack { .. } => {
            Some("memory of the card was not given back".to_owned())
        }
        _ => None,
    }
}

fn disturbance(readings: &Readings) -> Option<String> {
    if let Some(xid) = readings.xids.first() {
        let number = xid.number.map_or("of an unknown number".to_owned(), |number| number.to_string());
        return Some(format!("the driver reported an error of the card (XID {number})"));
    }
    if let Some(foreign) = readings.foreign_processes.first() {
        return Some(format!("{} was on the card", foreign.process()));
    }
    let slowed = readings.slowed.iter().find(|slowed| DISTURBING.contains(&slowed.reason.as_str()));
    slowed.map(|slowed| format!("the card was slowed down ({})", slowed.reason))
}

fn end_of(ended: &Ended) -> RunEnd {
    match (&ended.limit, ended.signal) {
        (Some(Limit::Time(_)), _) => RunEnd::Time,
        (_, Some(signal)) => RunEnd::Signal(signal),
        _ => RunEnd::Code(ended.code),
    }
}

/// A folder for what commands say and for work trees, gone when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// # Errors
    /// When there is no place for temporary files.
    pub fn new() -> std::io::Result<Scratch> {
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = std::env::temp_dir().join(format!("gpulint-compare-{}-{moment}", std::process::id()));
        // One that is there already is somebody else's, and nobody else may look into this one.
        let builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        let builder = {
            let mut builder = builder;
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder
        };
        builder.create(&folder)?;
        Ok(Scratch(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

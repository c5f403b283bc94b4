//! A whole run: prepared, watched, ended, written down. The record is written when the run begins and when it ends, however
//! it ends.

use super::withheld::WithheldVariables;
use super::{MachineBefore, Prepared, Refusal, Request, prepare, reach, said, without};
use crate::policy::Mode;
use crate::runtime::cards::Card;
use crate::runtime::document::Document;
use crate::runtime::management::Listing;
use crate::runtime::metrics::{self, Address, Server};
use crate::runtime::process::{self, Ended, Handle, LIMIT_REACHED, Limit};
use crate::runtime::record::{End, NotChecked, Orphan, Record, Report, Slot};
use crate::runtime::slot::Progress;
use crate::runtime::watch::{self, Alarm, Baseline, Gauge, Plan, Returned, View, Watch};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// What is watched for, and where it is written down.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Bytes that the command may take on the card.
    pub max_memory: Option<u64>,
    pub record: Option<PathBuf>,
    pub metrics_file: Option<PathBuf>,
    pub metrics_listen: Option<Address>,
}

/// What the run says to whoever started it.
pub enum Message<'a> {
    Waiting(&'a Card, &'a Progress),
    /// Something that the command does not say itself.
    Note(String),
    Error(String),
}

/// Runs the command; the answer is what gpulint ends with, unless it is a refusal.
///
/// # Errors
/// When the command was not started.
pub fn run(
    request: &Request<'_>,
    outputs: &Outputs,
    tell: &mut dyn FnMut(Message<'_>),
) -> Result<i32, Refusal> {
    let words = request.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let state = Arc::new(Mutex::new(State { record: Record::begun(words), view: None }));
    // Before anything else, so that nobody waits for a run that cannot be written down.
    write(&state, outputs)?;
    let _server = outputs.metrics_listen.map(|address| serve(address, &state)).transpose()?;
    let outcome = match request.mode {
        Mode::Gpu => attempt(request, outputs, &state, tell),
        Mode::Cpu => without::attempt(request, outputs, &state, tell),
    };
    change(&state, |record| match &outcome {
        Ok(code) => record.exit_code = Some(*code),
        Err(refusal) => {
            record.end = refusal.end();
            record.exit_code = Some(refusal.exit_code());
        }
    });
    // The command has run: that it cannot be written down does not change how it ended.
    if let Err(error) = write(&state, outputs) {
        tell(Message::Error(error.to_string()));
    }
    outcome
}

/// The record so far, and the readings while they come.
pub(super) struct State {
    record: Record,
    view: Option<View>,
}

fn attempt(
    request: &Request<'_>,
    outputs: &Outputs,
    state: &Arc<Mutex<State>>,
    tell: &mut dyn FnMut(Message<'_>),
) -> Result<i32, Refusal> {
    let mut place = None;
    let mut progress = |card: &Card, told: &Progress| {
        place.get_or_insert(told.ahead as u64);
        tell(Message::Waiting(card, told));
    };
    let seen = MachineBefore::now(request.gpu, request.patience)?;
    // A refusal, too, says which driver it was.
    change(state, |record| {
        record.simulated = seen.machine.is_simulated();
        if let Some(Listing::Cards { driver, .. }) = seen.machine.listing.answer() {
            record.driver.clone_from(driver);
        }
    });
    if seen.machine.is_simulated() && !request.allows_simulated {
        return Err(Refusal::Simulated);
    }
    let prepared = prepare(&seen, request, &mut progress)?;
    let withheld = WithheldVariables::of_process(request.keep_env);
    change(state, |record| {
        record.card = Some(prepared.card.clone());
        record.environment = changes(&prepared.environment, &withheld);
        record.kept_environment.clone_from(&withheld.kept);
        let waited_seconds = prepared.slot.waited.as_secs_f64();
        record.slot = Some(Slot { waited_seconds, place: place.unwrap_or_default() });
        record.not_checked.extend(prepared.unchecked.iter().cloned());
        record.prevention = Some(prepared.prevention.clone());
        record.not_checked.extend(reach::unchecked(
            &prepared.prevention,
            &prepared.card,
            &seen.machine,
            request.gpu,
        ));
    });
    for unchecked in &prepared.unchecked {
        tell(Message::Note(format!("not checked: {}: {}", unchecked.what, unchecked.why)));
    }
    if let Some(board) = seen.machine.board(&prepared.card) {
        said::tell_state(&board, tell);
    }
    let watched = Watched::begin(&prepared, request, outputs, state)?;
    let report = ReportFile::new();
    let running = prepared.start(request, &withheld, report.path())?;
    watched.started(running.handle());
    let ended = running.wait();
    let returned = watched.end(&ended, state);
    change(state, |record| {
        add_end(record, &ended);
        record.add_report(Report::read(report.path()));
        record.returned = Some(returned.clone());
        if let (Returned::NotKnown { reason }, Some(_)) = (&returned, &record.readings) {
            let what = "whether the memory of the card is back".to_owned();
            record.not_checked.push(NotChecked { what, why: reason.clone() });
        }
    });
    let readings = state.lock().unwrap_or_else(PoisonError::into_inner).record.readings.clone();
    said::tell_end(&ended, &returned, readings.as_ref(), request.strays, tell);
    // Seen too late to end the command for it.
    let failed =
        readings.iter().flat_map(|readings| &readings.strays).any(|stray| request.strays.fails(stray));
    // Only now: the next in the queue finds the card as it was.
    drop(prepared);
    Ok(if failed && ended.code == 0 { LIMIT_REACHED } else { ended.code })
}

/// The variables that the command gets, and those that it does not get.
pub fn changes(
    environment: &[(&'static str, String)],
    withheld: &WithheldVariables,
) -> BTreeMap<String, Option<String>> {
    let set = environment.iter().map(|(name, value)| ((*name).to_owned(), Some(value.clone())));
    let removed = withheld.names.iter().map(|name| (name.to_string_lossy().into_owned(), None));
    set.chain(removed).collect()
}

/// The card while the command runs on it.
struct Watched {
    gauge: Option<(Gauge, Baseline, Watch)>,
    handle: Arc<OnceLock<Handle>>,
    patience: Duration,
}

impl Watched {
    fn begin(
        prepared: &Prepared,
        request: &Request<'_>,
        outputs: &Outputs,
        state: &Arc<Mutex<State>>,
    ) -> Result<Watched, Refusal> {
        let handle = Arc::new(OnceLock::<Handle>::new());
        let patience = request.patience;
        let (gauge, baseline) = match &prepared.gauge {
            Ok(opened) => opened.clone(),
            Err(why) if outputs.max_memory.is_some() => {
                return Err(Refusal::Infrastructure(format!(
                    "the memory of the command cannot be limited: {why}"
                )));
            }
            Err(why) => {
                let unchecked = NotChecked { what: "the card during the run".to_owned(), why: why.clone() };
                change(state, |record| record.not_checked.push(unchecked));
                return Ok(Watched { gauge: None, handle, patience });
            }
        };
        let (asked, told) = (handle.clone(), handle.clone());
        let ours = move || asked.get().map(Handle::pids).unwrap_or_default();
        let allowed = outputs.max_memory.unwrap_or(u64::MAX);
        let strays = request.strays;
        let alarm = move |alarm: Alarm<'_>| {
            let limit = match alarm {
                Alarm::Memory(used) => Limit::Memory { allowed, used },
                Alarm::Stray(stray) if strays.fails(stray) => Limit::Other(said::stray(stray)),
                Alarm::Stray(_) => return,
            };
            if let Some(handle) = told.get() {
                handle.stop(limit);
            }
        };
        let forbidden = request.gpu.map(|gpu| gpu.forbidden.clone()).unwrap_or_default();
        let plan = Plan { max_memory: outputs.max_memory, forbidden, ..Plan::default() };
        let watch = Watch::start(&gauge, &baseline, plan, ours, alarm);
        change(state, |record| {
            record.simulated |= gauge.simulated;
            record.driver.clone_from(&gauge.driver);
            record.baseline = Some(baseline.clone());
        });
        state.lock().unwrap_or_else(PoisonError::into_inner).view = Some(watch.view());
        Ok(Watched { gauge: Some((gauge, baseline, watch)), handle, patience })
    }

    fn started(&self, handle: Handle) {
        // It is the only one.
        let _ = self.handle.set(handle);
    }

    fn end(self, ended: &Ended, state: &Arc<Mutex<State>>) -> Returned {
        let Some((gauge, baseline, watch)) = self.gauge else {
            return Returned::NotKnown { reason: "the card was not watched".to_owned() };
        };
        let longer = if ended.code == 0 { Duration::ZERO } else { watch::LATE_ERRORS };
        let ending = watch.end(longer);
        let left: Vec<u32> =
            ended.orphans.iter().filter(|orphan| !orphan.ended).map(|orphan| orphan.pid).collect();
        let returned = gauge.returned_to(&baseline, &left, self.patience.min(watch::PATIENCE));
        let readings = ending.readings(watch::LAST_PATIENCE);
        state.lock().unwrap_or_else(PoisonError::into_inner).view = None;
        change(state, |record| record.add_readings(readings));
        returned
    }
}

pub(crate) fn add_end(record: &mut Record, ended: &Ended) {
    record.wall_seconds = Some(ended.wall.as_secs_f64());
    record.cpu_seconds = ended.cpu_time.map(|time| time.as_secs_f64());
    record.end = match (&ended.limit, ended.signal) {
        (Some(Limit::Time(time)), _) => End::TimeLimit { seconds: time.as_secs_f64() },
        (Some(Limit::Memory { allowed, used }), _) => End::MemoryLimit { allowed: *allowed, used: *used },
        (Some(Limit::Other(reason)), _) => End::Stopped { reason: reason.clone() },
        (None, Some(signal)) => End::Signalled { signal },
        (None, None) => End::Exited { code: ended.code },
    };
    let orphan =
        |orphan: &process::Orphan| Orphan { pid: orphan.pid, name: orphan.name.clone(), ended: orphan.ended };
    record.orphans = ended.orphans.iter().map(orphan).collect();
}

/// A file that the command may write numbers of its own to; removed when it is dropped.
pub(super) struct ReportFile(PathBuf);

impl ReportFile {
    pub(super) fn new() -> ReportFile {
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let file = std::env::temp_dir().join(format!("gpulint-report-{}-{moment}", std::process::id()));
        // Where it cannot be made, the command finds that it cannot write it.
        let _ = OpenOptions::new().write(true).create_new(true).open(&file);
        ReportFile(file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn serve(address: Address, state: &Arc<Mutex<State>>) -> Result<Server, Refusal> {
    let state = state.clone();
    let text = move || {
        let (mut record, view) = {
            let state = state.lock().unwrap_or_else(PoisonError::into_inner);
            (state.record.clone(), state.view.clone())
        };
        if let Some(view) = view {
            record.add_readings(view.so_far());
        }
        metrics::text(&record)
    };
    Server::start(address, text)
        .map_err(|error| Refusal::Usage(format!("metrics cannot be served at {address}: {error}")))
}

pub(super) fn change(state: &Mutex<State>, change: impl FnOnce(&mut Record)) {
    change(&mut state.lock().unwrap_or_else(PoisonError::into_inner).record);
}

fn write(state: &Mutex<State>, outputs: &Outputs) -> Result<(), Refusal> {
    let record = state.lock().unwrap_or_else(PoisonError::into_inner).record.clone();
    let failed = |what: &str, file: &Path, error| {
        Refusal::Usage(format!("the {what} cannot be written to {}: {error}", file.display()))
    };
    if let Some(file) = &outputs.record {
        record.write(file).map_err(|error| failed("record", file, error))?;
    }
    if let Some(file) = &outputs.metrics_file {
        metrics::write(&record, file).map_err(|error| failed("metrics", file, error))?;
    }
    Ok(())
}

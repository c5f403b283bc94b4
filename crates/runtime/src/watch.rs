//! Watches one card while a command runs on it: how much memory is taken and by whom, load, heat, power, what slows it
//! down, and the errors that the driver reports. Afterwards it proves that the memory is back.
//!
//! ```text
//! gauge       one card, as NVML tells about it; every question has a patience
//!    │
//! baseline    memory and users before the command, and whether the memory is back after it
//! sampler     a reading at a time, on a thread of its own; whose the processes are
//! strays      processes of the command on other cards
//! traces      what the driver remembers of who has been on a card
//! xids        errors that the driver reports, on a thread of its own
//!    │
//! readings    what all of that adds up to
//! ```
//!
//! NVML may hang and cards may fall off the bus. Neither holds up the end of a run: a thread that does not end is left
//! behind, and the readings say so.

mod baseline;
mod gauge;
mod readings;
mod sampler;
mod strays;
mod traces;
mod xids;

pub use baseline::{Baseline, Returned, TOLERANCE};
pub use gauge::{Gauge, NvmlFailure};
pub use readings::{Foreign, Passed, Point, Readings, Series, Slowed, Source, Summary, Xid, process};
pub use strays::{ForbiddenCard, Stray, strays_seen};

use sampler::Sampler;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Ten readings in a second.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// How long the driver has for its first answers. Where no program keeps it awake, it starts the card first, which takes
/// seconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What a failing card makes a command fail with comes a moment before the driver tells of the error.
pub const LATE_ERRORS: Duration = Duration::from_millis(100);

/// How long the threads have at the end of a run.
pub const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// What is watched for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Between two readings.
    pub interval: Duration,
    /// Bytes that the command may take on the card.
    pub max_memory: Option<u64>,
    /// Parts of the names of cards that the command must never use.
    pub forbidden: Vec<String>,
    /// At most so many points are kept for plots.
    pub points: usize,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { interval: INTERVAL, max_memory: None, forbidden: Vec::new(), points: 1000 }
    }
}

/// What cannot wait until the end of the command.
pub enum Alarm<'a> {
    /// It has taken so many bytes, which are more than the plan allows.
    Memory(u64),
    /// A process was seen on another card.
    Stray(&'a Stray),
}

/// A card that is being watched.
pub struct Watch {
    view: View,
    stop: Sender<()>,
    end: Arc<OnceLock<Instant>>,
    ended: Receiver<()>,
}

/// A watch that was told to end.
pub struct StoppedWatch {
    view: View,
    ended: Receiver<()>,
}

/// The readings of a watch that goes on.
#[derive(Clone)]
pub struct View(Arc<Mutex<Readings>>);

impl View {
    pub fn so_far(&self) -> Readings {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Readings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// Begins to watch; best before the command starts, so that no error of the card is missed. `ours` tells the processes of
    /// the command, none before it started; it is asked only when a process appears that was not there before. `alarm` is
    /// told of it when the command takes more memory than the plan allows, once, and of each process of it on another card.
    pub fn start(
        gauge: &Gauge,
        baseline: &Baseline,
        plan: Plan,
        ours: impl FnMut() -> Vec<u32> + Send + 'static,
        alarm: impl FnMut(Alarm<'_>) + Send + 'static,
    ) -> Watch {
        let view = View(Arc::new(Mutex::new(Readings::of_plan(&plan))));
        let (stop, stopped) = channel();
        let (alive, ended) = channel::<()>();
        let (listen, listening) = channel::<()>();
        let began = Instant::now();
        let sampler = Sampler::new(gauge.clone(), baseline, plan, view.clone(), began);
        let sampling = sampler.asking(ours, alarm);
        let looked = listen.clone();
        view.spawn("samples", alive.clone(), move || sampling.run(looked, &stopped));
        let end = Arc::new(OnceLock::new());
        let (gauge, shared, until) = (gauge.clone(), view.clone(), end.clone());
        view.spawn("XIDs", alive, move || xids::listen(&gauge, &shared, &until, began, listen));
        // Nothing is sent: it is over when the listener listens, or cannot, and when the other cards were looked at.
        let _ = listening.recv_timeout(LAST_PATIENCE);
        Watch { view, stop, end, ended }
    }

    /// For who wants to know during the run.
    pub fn view(&self) -> View {
        self.view.clone()
    }

    /// Tells the watch to end, without waiting for it: errors of the card are listened for so much longer.
    pub fn end(self, longer: Duration) -> StoppedWatch {
        // Nobody else sets it.
        let _ = self.end.set(Instant::now() + longer);
        let _ = self.stop.send(());
        StoppedWatch { view: self.view, ended: self.ended }
    }

    /// Ends the watch, if need be without its threads, and says so in the notes of the readings.
    pub fn stop(self, patience: Duration) -> Readings {
        self.end(Duration::ZERO).readings(patience)
    }
}

impl StoppedWatch {
    /// All that was read. Threads that have not ended in time are left behind, and the notes say so.
    pub fn readings(self, patience: Duration) -> Readings {
        let is_left = self.ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
        let mut readings = self.view.so_far();
        if is_left {
            let patience = patience.as_secs_f64();
            readings.notes.push(format!(
                "NVML did not answer within {patience} s at the end of the command: what it said before is all there is"
            ));
        }
        readings
    }
}

impl View {
    /// A thread that has ended when its `end` is gone.
    fn spawn(&self, what: &str, end: Sender<()>, work: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().name(format!("watch-{}", what.to_lowercase()));
        let working = move || {
            work();
            drop(end);
        };
        if let Err(error) = thread.spawn(working) {
            self.lock().notes.push(format!("there are no {what}: no thread could be started: {error}"));
        }
    }
}

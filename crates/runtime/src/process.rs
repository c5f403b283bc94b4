//! Running a command so that nothing of it stays: it has a group of its own, a time limit, and afterwards whatever it
//! started and left behind is ended too.
//!
//! On Linux this process becomes the one that orphans below it are given to, so that also a process that made itself
//! independent (`setsid`, `nohup … &`) is found by walking down from here; nobody else's process ever is. On other
//! systems of the kind of Unix only the group is ended. On Windows the command and all that it starts are in one job.
//! Not followed is what somebody else starts on request: a daemon of containers, `systemd-run`, a task scheduler.
//!
//! When this process is killed, the job of Windows ends with it; on Linux the command itself is asked to end, and what it
//! started is its own affair.
//!
//! One command at a time in a process; children that it starts otherwise in the meantime stay in its own process group,
//! which is how they are told from those of the command. After the first command the usual signals do not end this
//! process by themselves any more.

mod hiding;
mod not_started;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod openings;
mod outcome;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
mod worker;

pub use hiding::{HiddenFiles, Namespace};
pub use not_started::NotStarted;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub use openings::{Opened, Promise};
pub use outcome::{Ended, LIMIT_REACHED, Limit, Orphan, Process};
#[cfg(unix)]
pub use unix::is_ignored;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use unix::opened::{Opened, Promise};
pub use worker::Worker;

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
#[cfg(unix)]
use unix::{Family, Tree, asks_to_end};
#[cfg(windows)]
use windows::{Family, Tree, asks_to_end};

/// Helpers that end by themselves when their parent has ended, as those of Python's `multiprocessing`, have this long.
const SETTLING: Duration = Duration::from_millis(500);
/// How long the kernel has to remove what was killed. What a driver holds in a call can outlast any signal.
const REMOVAL: Duration = Duration::from_secs(5);
/// Between two looks when nothing happens.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a command may run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// From the request to end until the end without one. Windows has no such request.
    pub grace: Duration,
    /// Whether who asks this process to end wants the end of the command as well, after the same time. Otherwise the command
    /// gets the signal, and does with it what it likes.
    pub ends_when_asked: bool,
}

/// A command that runs. It is waited for by the thread that started it: on Linux the command ends with that thread.
pub struct Running {
    tree: Tree,
    limits: Limits,
    started: Instant,
    events: Receiver<Event>,
    handle: Handle,
    /// Whom we have told to end, and how.
    told: HashMap<Process, Urgency>,
    waited: bool,
    _only: Only,
    _same_thread: PhantomData<*const ()>,
}

/// For other threads, such as one that watches memory.
#[derive(Clone)]
pub struct Handle {
    events: Sender<Event>,
    family: Arc<Family>,
    leader: u32,
}

enum Event {
    /// That this process got.
    #[cfg_attr(windows, expect(dead_code, reason = "there are no signals"))]
    Signal(i32),
    Stop(Limit),
    /// A child has another state.
    Child,
}

/// How a command ended by itself.
struct Exit {
    code: i32,
    signal: Option<i32>,
}

/// Starts the command with the streams that it is given, and in the environment that it is given.
pub fn start(mut command: Command, limits: Limits) -> Result<Running, NotStarted> {
    let only = Only::new().ok_or(NotStarted::Another)?;
    let (sender, events) = mpsc::channel();
    let started = Instant::now();
    let tree = Tree::start(&mut command, &sender).map_err(|error| NotStarted::of(&command, error))?;
    let handle = Handle { events: sender, family: tree.family(), leader: tree.pid() };
    Ok(Running {
        tree,
        limits,
        started,
        events,
        handle,
        told: HashMap::new(),
        waited: false,
        _only: only,
        _same_thread: PhantomData,
    })
}

impl Handle {
    /// Ends the command as the time limit does. The first reason counts; after the end of the command none does.
    pub fn stop(&self, reason: Limit) {
        // Nobody listens when it has ended.
        let _ = self.events.send(Event::Stop(reason));
    }

    /// The number of the command itself, also after its end.
    pub fn pid(&self) -> u32 {
        self.leader
    }

    /// The numbers of the command itself, which may have ended, and of its processes that run now.
    pub fn pids(&self) -> Vec<u32> {
        std::iter::once(self.leader).chain(self.processes().iter().map(|one| one.pid)).collect()
    }

    /// The processes of the command that run now: all other processes on its GPU are somebody else's.
    pub fn processes(&self) -> Vec<Process> {
        self.family.members()
    }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.tree.pid()
    }

    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Waits for the end of the command, and for that of all that it started.
    pub fn wait(mut self) -> Ended {
        let (exit, limit) = self.end_of_the_command();
        let wall = self.started.elapsed();
        let orphans = self.end_orphans();
        self.waited = true;
        let code = if limit.is_some() { LIMIT_REACHED } else { exit.code };
        Ended { code, signal: exit.signal, limit, orphans, wall, cpu_time: self.tree.cpu_time() }
    }

    fn end_of_the_command(&mut self) -> (Exit, Option<Limit>) {
        let mut limit = None;
        let mut kill_at: Option<Instant> = None;
        loop {
            if let Some(exit) = self.tree.exit() {
                return (exit, limit);
            }
            let now = Instant::now();
            let time_is_over = self.limits.time.filter(|time| limit.is_none() && self.started + *time <= now);
            let mut reached = time_is_over.map(Limit::Time);
            if kill_at.is_some_and(|at| at <= now) {
                self.end(Urgency::Now);
                // And again, for what was started just then.
                kill_at = Some(now + PAUSE);
            }
            let deadlines =
                [kill_at, self.limits.time.filter(|_| limit.is_none()).map(|time| self.started + time)];
            let next = deadlines.into_iter().flatten().min();
            let pause = next.map_or(PAUSE, |next| next.saturating_duration_since(now).min(PAUSE));
            match self.events.recv_timeout(pause) {
                Ok(Event::Signal(signal)) => {
                    self.tree.pass_on(signal);
                    if self.limits.ends_when_asked && asks_to_end(signal) {
                        let now = Instant::now();
                        // Who asks twice does not want to wait.
                        kill_at = Some(kill_at.map_or(now + self.limits.grace, |at| at.min(now)));
                    }
                }
                Ok(Event::Stop(reason)) => reached = reached.or(Some(reason)),
                Ok(Event::Child) | Err(_) => {}
            }
            if limit.is_none() && reached.is_some() && !self.tree.has_ended() {
                limit = reached;
                self.end(Urgency::Asked);
                kill_at = Some(Instant::now() + self.limits.grace);
            }
        }
    }

    /// Ends the command, and all that it has started so far.
    fn end(&mut self, urgency: Urgency) {
        let processes = self.handle.processes();
        self.tree.end(&processes, urgency);
        self.told.extend(processes.into_iter().map(|process| (process, urgency)));
    }

    /// Ends what the command left behind: each is asked once, and then not asked any more.
    fn end_orphans(&mut self) -> Vec<Orphan> {
        let settled = Instant::now() + SETTLING;
        let mut kill_at = settled + self.limits.grace;
        let mut orphans = HashSet::new();
        let mut pause = Duration::from_millis(2);
        let left = loop {
            self.tree.bury();
            let left = self.handle.processes();
            let now = Instant::now();
            if left.is_empty() || now >= kill_at + REMOVAL {
                break left;
            }
            if now >= settled.min(kill_at) {
                let urgency = if now >= kill_at { Urgency::Now } else { Urgency::Asked };
                let fresh = |process: &&Process| self.told.get(process).is_none_or(|told| *told < urgency);
                let fresh = left.iter().filter(fresh).cloned().collect::<Vec<_>>();
                self.tree.end(&fresh, urgency);
                self.told.extend(fresh.into_iter().map(|process| (process, urgency)));
                for process in left {
                    orphans.replace(process);
                }
            }
            // Whoever presses Ctrl-C now does not want to wait.
            if let Ok(Event::Signal(signal)) = self.events.recv_timeout(pause)
                && asks_to_end(signal)
            {
                kill_at = kill_at.min(Instant::now());
            }
            pause = (pause * 2).min(Duration::from_millis(100));
        };
        // Those that ended between the last two looks.
        self.tree.bury();
        let mut orphans = orphans.into_iter().collect::<Vec<Process>>();
        orphans.sort_by_key(|process| (process.started, process.pid));
        let ended = |process: &Process| !left.contains(process);
        let told = |process: Process| Orphan { ended: ended(&process), pid: process.pid, name: process.name };
        orphans.into_iter().map(told).collect()
    }
}

impl Drop for Running {
    /// Nobody waited, so nobody wants it any more.
    fn drop(&mut self) {
        if !self.waited {
            self.limits = Limits { time: None, grace: Duration::ZERO, ends_when_asked: false };
            self.end(Urgency::Now);
            let until = Instant::now() + REMOVAL;
            while self.tree.exit().is_none() && Instant::now() < until {
                let _ = self.events.recv_timeout(Duration::from_millis(20));
            }
            self.end_orphans();
        }
    }
}

/// How a process is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    Asked,
    Now,
}

/// That only one command runs: a second would take the orphans of the first for its own.
struct Only;

static RUNNING: AtomicBool = AtomicBool::new(false);

impl Only {
    fn new() -> Option<Only> {
        (!RUNNING.swap(true, Ordering::AcqRel)).then_some(Only)
    }
}

impl Drop for Only {
    fn drop(&mut self) {
        RUNNING.store(false, Ordering::Release);
    }
}

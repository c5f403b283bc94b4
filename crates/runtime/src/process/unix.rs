//! A command in a process group of its own, and the processes below it.

#[cfg(target_os = "linux")]
mod family;
#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(target_os = "linux")]
mod hiding;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub mod opened;
mod signals;
mod terminal;

#[cfg(target_os = "linux")]
pub use family::Family;
#[cfg(not(target_os = "linux"))]
pub use group::Family;
#[cfg(target_os = "linux")]
pub use hiding::hide;

use super::{Event, Exit, Process, Urgency};
#[cfg(target_os = "linux")]
use family::{Guardian, end_with_this_thread};
#[cfg(not(target_os = "linux"))]
use group::{Guardian, end_with_this_thread};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, kill_process_group, setsid, waitid,
    waitpid,
};
use signals::Signals;
pub use signals::is_ignored;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use terminal::Terminal;

/// Ends with this thread, and has no terminal that it could take from another.
pub fn set_apart(command: &mut Command) {
    end_with_this_thread(command);
    // SAFETY: between fork and exec only one system call is made, and nothing is allocated.
    unsafe { command.pre_exec(|| setsid().map(drop).map_err(io::Error::from)) };
}

pub fn ask_to_end(child: &mut Child) {
    // It is not buried yet, so its number is still its own.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
}

/// The command, until it has ended and its end was noticed, and all below it.
pub struct Tree {
    leader: Pid,
    /// Its number is not given to another process before this.
    ended: bool,
    family: Arc<Family>,
    terminal: Terminal,
    cpu_before: Option<Duration>,
    _signals: Signals,
    _guardian: Guardian,
}

impl Tree {
    pub fn start(command: &mut Command, events: &Sender<Event>) -> io::Result<Tree> {
        let guardian = Guardian::new()?;
        let signals = Signals::new(events.clone())?;
        let before = Family::before();
        let cpu_before = cpu_time_of_children();
        command.process_group(0);
        end_with_this_thread(command);
        // It closes nothing when it is dropped: standard streams are inherited.
        let child = command.spawn()?;
        let leader = Pid::from_child(&child);
        let terminal = Terminal::new(leader);
        Ok(Tree {
            leader,
            ended: false,
            family: Arc::new(before.of(leader)),
            terminal,
            cpu_before,
            _signals: signals,
            _guardian: guardian,
        })
    }

    pub fn pid(&self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    pub fn family(&self) -> Arc<Family> {
        Arc::clone(&self.family)
    }

    /// How the command ended, once. Lets the terminal follow it when it stops.
    pub fn exit(&mut self) -> Option<Exit> {
        let exit = self.exit_of_the_leader();
        // Afterwards, when there is mostly nobody left to be looked for.
        self.family.bury(self.leader);
        exit
    }

    fn exit_of_the_leader(&mut self) -> Option<Exit> {
        let status = match waitpid(Some(self.leader), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
            Ok(Some((_, status))) => status,
            Ok(None) => return None,
            // Somebody else noticed the end, and how it ended is lost.
            Err(_) => return Some(self.ended(1, None)),
        };
        if let Some(signal) = status.stopping_signal() {
            self.terminal.stopped(signal);
            return None;
        }
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Some(self.ended(code, None)),
            (None, Some(signal)) => Some(self.ended(128 + signal, Some(signal))),
            (None, None) => None,
        }
    }

    /// Whether it has, without taking notice.
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.ended || !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    /// Gives the command a signal that this process got.
    pub fn pass_on(&self, signal: i32) {
        if signal == Signal::CONT.as_raw() {
            self.terminal.resumed();
        } else if let Some(signal) = Signal::from_named_raw(signal)
            && !self.ended
        {
            // Not there any more is fine.
            let _ = kill_process_group(self.leader, signal);
        }
    }

    pub fn end(&self, processes: &[Process], urgency: Urgency) {
        let signal = match urgency {
            Urgency::Asked => Signal::TERM,
            Urgency::Now => Signal::KILL,
        };
        if !self.ended {
            let _ = kill_process_group(self.leader, signal);
        }
        let group = (!self.ended).then_some(self.leader);
        for process in processes {
            self.family.signal(process, signal, group);
        }
        if urgency == Urgency::Asked {
            // What is stopped hears nothing.
            for process in processes {
                self.family.signal(process, Signal::CONT, None);
            }
        }
    }

    /// Takes notice of the ends of orphans.
    pub fn bury(&self) {
        self.family.bury(self.leader);
    }

    pub fn cpu_time(&self) -> Option<Duration> {
        cpu_time_of_children()?.checked_sub(self.cpu_before?)
    }

    fn ended(&mut self, code: i32, signal: Option<i32>) -> Exit {
        self.ended = true;
        self.family.leader_ended();
        self.terminal.take_back();
        Exit { code, signal }
    }
}

/// Whether somebody who sends this wants the command to end.
pub fn asks_to_end(signal: i32) -> bool {
    [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT].iter().any(|ending| ending.as_raw() == signal)
}

fn cpu_time_of_children() -> Option<Duration> {
    // SAFETY: all zeros is a valid value of this plain structure, and it is ours to be written to.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) == 0).then_some(usage)
    }?;
    let time = |time: libc::timeval| {
        let microseconds = time.tv_sec as i128 * 1_000_000 + time.tv_usec as i128;
        Duration::from_micros(u64::try_from(microseconds).unwrap_or(0))
    };
    Some(time(usage.ru_utime) + time(usage.ru_stime))
}

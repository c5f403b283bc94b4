//! The processes of a command on Linux: found in `/proc`, by who started whom.
//!
//! This process is made the one to which orphans below it are given. So all that a command started is below the command,
//! or is a child of this process that was not there before.

use super::Process;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, child_subreaper, getpgrp, getpid, getppid,
    kill_process, pidfd_open, pidfd_send_signal, set_child_subreaper, set_parent_process_death_signal,
    waitid, waitpid,
};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who belongs to the command.
pub struct Family {
    leader: i32,
    leader_ended: AtomicBool,
    before: Before,
}

/// The children of this process when there was no command yet.
pub struct Before(HashSet<(i32, u64)>);

/// What the kernel says of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    pid: i32,
    name: String,
    has_ended: bool,
    parent: i32,
    group: i32,
    started: u64,
}

impl Family {
    pub fn before() -> Before {
        if children() == Children::None {
            return Before(HashSet::new());
        }
        let own = getpid().as_raw_nonzero().get();
        Before(
            entries().filter(|entry| entry.parent == own).map(|entry| (entry.pid, entry.started)).collect(),
        )
    }

    /// All that run.
    pub fn members(&self) -> Vec<Process> {
        if children() == Children::None {
            return Vec::new();
        }
        let own = getpid().as_raw_nonzero().get();
        let mut children: HashMap<i32, Vec<Entry>> = HashMap::new();
        for entry in entries() {
            children.entry(entry.parent).or_default().push(entry);
        }
        let first = children.remove(&own).unwrap_or_default();
        let mut found = first.into_iter().filter(|entry| self.is_child(entry)).collect::<Vec<_>>();
        let mut next = 0;
        while let Some(entry) = found.get(next) {
            let below = children.remove(&entry.pid).unwrap_or_default();
            found.extend(below);
            next += 1;
        }
        found.retain(|entry| !entry.has_ended);
        found.sort_by_key(|entry| (entry.started, entry.pid));
        let named = |entry: Entry| Process {
            pid: entry.pid.unsigned_abs(),
            name: entry.name,
            started: entry.started,
        };
        found.into_iter().map(named).collect()
    }

    /// Sends it to this very process, and to no other that has its number by now. Those in `except` have it already.
    pub fn signal(&self, process: &Process, signal: Signal, except: Option<Pid>) {
        let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else { return };
        let is_the_same = || {
            let except = except.map(|group| group.as_raw_nonzero().get());
            entry(pid.as_raw_nonzero().get())
                .is_some_and(|entry| entry.started == process.started && Some(entry.group) != except)
        };
        // With the descriptor first and the look second, the number cannot be given away in between.
        let _ = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(opened) if is_the_same() => pidfd_send_signal(opened, signal),
            // Before Linux 5.3, and where a sandbox knows no newer calls.
            Err(Errno::NOSYS | Errno::PERM) if is_the_same() => kill_process(pid, signal),
            _ => Ok(()),
        };
    }

    /// Takes notice of the ends of orphans, of which this process is the parent now.
    pub fn bury(&self, leader: Pid) {
        if children() != Children::Ended {
            return;
        }
        let own = getpid().as_raw_nonzero().get();
        let leader = leader.as_raw_nonzero().get();
        let adopted = |entry: &Entry| entry.parent == own && entry.pid != leader && self.is_child(entry);
        for entry in entries().filter(|entry| entry.has_ended && adopted(entry)) {
            let _ = waitpid(Pid::from_raw(entry.pid), WaitOptions::NOHANG);
        }
    }

    /// From now on another process may have its number.
    pub fn leader_ended(&self) {
        self.leader_ended.store(true, Ordering::Release);
    }

    /// Of the children of this process.
    fn is_child(&self, entry: &Entry) -> bool {
        if entry.pid == self.leader && !self.leader_ended.load(Ordering::Acquire) {
            return true;
        }
        // Other children that this process starts stay in its group.
        let own_group = getpgrp().as_raw_nonzero().get();
        entry.group != own_group && !self.before.0.contains(&(entry.pid, entry.started))
    }
}

impl Before {
    pub fn of(self, leader: Pid) -> Family {
        let leader = leader.as_raw_nonzero().get();
        Family { leader, leader_ended: AtomicBool::new(false), before: self }
    }
}

/// Makes this process the parent of orphans below it, until it is dropped.
pub struct Guardian {
    was_one: bool,
}

impl Guardian {
    pub fn new() -> io::Result<Guardian> {
        let was_one = child_subreaper()?.is_some();
        set_child_subreaper(Some(getpid()))?;
        Ok(Guardian { was_one })
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        if !self.was_one {
            let _ = set_child_subreaper(None);
        }
    }
}

/// When this process is killed nobody is left to end the command.
pub fn end_with_this_thread(command: &mut Command) {
    let own = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::TERM))?;
        // It may have been killed before this.
        match getppid() {
            Some(parent) if parent == own => Ok(()),
            _ => Err(io::Error::from_raw_os_error(libc::ESRCH)),
        }
    };
    // SAFETY: between fork and exec only two system calls are made, and nothing is allocated.
    unsafe { command.pre_exec(ask) };
}

/// What the kernel says of the children of this process, without a look at all processes of the machine. Who has none has
/// nothing below it either: orphans are given to it.
#[derive(PartialEq, Eq)]
enum Children {
    None,
    /// All run, or are stopped.
    Run,
    /// At least one has ended, and nobody took notice.
    Ended,
}

fn children() -> Children {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::All, options) {
        Err(Errno::CHILD) => Children::None,
        Ok(None) => Children::Run,
        // One too many is looked at, rather than one too few.
        Ok(Some(_)) | Err(_) => Children::Ended,
    }
}

fn entries() -> impl Iterator<Item = Entry> {
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    numbers.filter_map(|number| entry(number.file_name().to_str()?.parse().ok()?))
}

fn entry(pid: i32) -> Option<Entry> {
    parsed(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

/// proc_pid_stat(5): the name stands in brackets and may hold anything, so the rest begins after the last one.
fn parsed(stat: &str) -> Option<Entry> {
    let (pid, rest) = stat.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(')')?;
    let fields = rest.split_ascii_whitespace().collect::<Vec<_>>();
    // The first is the third of the page.
    let field = |number: usize| fields.get(number - 3).copied();
    Some(Entry {
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        // Other threads can outlive the first.
        has_ended: matches!(field(3)?, "Z" | "X" | "x") && matches!(field(20)?, "0" | "1"),
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        started: field(22)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest() {
        let stat = "42 (a) R (b)) S 7 41 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 9876 1000 2000";
        let entry = parsed(stat).unwrap();
        assert_eq!((entry.pid, entry.name.as_str(), entry.parent, entry.group), (42, "a) R (b)", 7, 41));
        assert_eq!((entry.started, entry.has_ended), (9876, false));
        assert_eq!(parsed("42 (cut"), None);
        assert_eq!(parsed("42 (cut) S 1"), None);
    }

    #[test]
    fn this_process_is_listed() {
        let own = getpid().as_raw_nonzero().get();
        assert!(entries().any(|entry| entry.pid == own && !entry.has_ended));
    }
}

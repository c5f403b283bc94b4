//! The processes of a command where there is no list of them to be read and nobody to give orphans to: its group.

use super::Process;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::io;
use std::process::Command;

/// The group, as if it were one process.
pub struct Family {
    leader: Pid,
}

pub struct Before;

impl Family {
    pub fn before() -> Before {
        Before
    }

    pub fn members(&self) -> Vec<Process> {
        let group = Process {
            pid: self.leader.as_raw_nonzero().get().unsigned_abs(),
            name: "its process group".to_owned(),
            started: 0,
        };
        if test_kill_process_group(self.leader).is_ok() { vec![group] } else { Vec::new() }
    }

    /// While anybody is in the group its number is not given to another.
    pub fn signal(&self, _group: &Process, signal: Signal, except: Option<Pid>) {
        if except != Some(self.leader) {
            let _ = kill_process_group(self.leader, signal);
        }
    }

    pub fn bury(&self, _leader: Pid) {}

    pub fn leader_ended(&self) {}
}

impl Before {
    pub fn of(self, leader: Pid) -> Family {
        Family { leader }
    }
}

pub struct Guardian;

impl Guardian {
    pub fn new() -> io::Result<Guardian> {
        Ok(Guardian)
    }
}

pub fn end_with_this_thread(_command: &mut Command) {}

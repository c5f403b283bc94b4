//! The host as one process meets it: the description, the state that all share, and the log.

use crate::accounts::is_alive;
use crate::description::MIB;
use crate::devices::{is_hidden, minors};
use crate::{Accounts, CallLog, Card, Description, Fault, Incident, Incidents, Process, Selected, Usage};
use crate::{CALLS, DESCRIPTION, FAULTS, STATE};
use std::path::PathBuf;

#[derive(Debug)]
pub struct Model {
    pub description: Description,
    pub accounts: Accounts,
    pub incidents: Incidents,
    pub calls: CallLog,
    /// The numbers of the device files of the cards.
    minors: Vec<(String, u32)>,
}

/// What CUDA has an ordinal for: a card, or a slice of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Where it is in the description.
    pub selected: Selected,
    /// Its own.
    pub uuid: String,
    /// That of the board.
    pub card: String,
    /// Bytes that can be given out.
    pub usable: u64,
}

impl Model {
    /// As the variables of this process say; an error is a sentence about what is wrong with them.
    pub fn from_environment() -> Result<Model, String> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let mut description = match variable(DESCRIPTION) {
            None => Description::default(),
            Some(file) => {
                let text = std::fs::read_to_string(&file).map_err(|error| format!("{file:?}: {error}"))?;
                serde_yaml::from_str(&text).map_err(|error| format!("{file:?}: {error}"))?
            }
        };
        if let Ok(more) = std::env::var(FAULTS) {
            let more: Vec<Fault> =
                serde_yaml::from_str(&more).map_err(|error| format!("{FAULTS}: {error}"))?;
            description.faults.extend(more);
        }
        for fault in description.faults.iter().filter(|fault| matches!(fault, Fault::Mig { .. })) {
            for card in description.cards.iter_mut().filter(|card| fault.concerns(&card.uuid)) {
                if card.mig.is_empty() {
                    card.mig = Fault::slices_of(card);
                }
            }
        }
        let all = description.cards.iter().map(|card| card.uuid.clone());
        let minors: Vec<(String, u32)> = all.zip(minors(&description.cards)).collect();
        let is_open = |uuid: &str| !minors.iter().any(|(other, minor)| other == uuid && is_hidden(*minor));
        description.cards.retain(|card| is_open(&card.uuid));
        let state = variable(STATE).unwrap_or_else(|| std::env::temp_dir().join("simulated-gpu"));
        let accounts = Accounts::new(&state).map_err(|error| format!("{state:?}: {error}"))?;
        let calls = CallLog::new(variable(CALLS).as_deref());
        Ok(Model { description, accounts, incidents: Incidents::new(&state), calls, minors })
    }

    /// The number of the device file of a card.
    pub fn minor_of(&self, card: &Card) -> Option<u32> {
        self.minors.iter().find(|(uuid, _)| *uuid == card.uuid).map(|(_, minor)| *minor)
    }

    pub fn has(&self, wanted: impl Fn(&Fault) -> bool) -> bool {
        self.description.faults.iter().any(wanted)
    }

    /// The faults of one card.
    pub fn faults_of<'a>(&'a self, card: &'a str) -> impl Iterator<Item = &'a Fault> {
        self.description.faults.iter().filter(move |fault| fault.concerns(card))
    }

    /// Writes the call down, and does not return if it is one that hangs.
    pub fn enter(&self, symbol: &str) {
        self.calls.write(symbol);
        if self.has(|fault| matches!(fault, Fault::HungCall { symbol: hung } if hung == symbol)) {
            loop {
                std::thread::sleep(std::time::Duration::from_secs(3600));
            }
        }
    }

    pub fn device(&self, selected: Selected) -> Option<Device> {
        let card = self.description.cards.get(selected.card)?;
        let slice = selected.instance.and_then(|instance| card.mig.get(instance));
        Some(Device {
            selected,
            uuid: slice.map_or(&card.uuid, |slice| &slice.uuid).clone(),
            card: card.uuid.clone(),
            usable: slice.map_or(card.usable(), |slice| slice.memory_mib * MIB),
        })
    }

    pub fn is_lost(&self, card: &str) -> bool {
        let at_once = |fault: &Fault| matches!(fault, Fault::GpuLost { launch: 0, .. });
        self.faults_of(card).any(at_once) || self.incidents.is_lost(card)
    }

    /// The living processes on a card, or slice: ours, and those of the fault.
    pub fn processes(&self, device: &str) -> Vec<Process> {
        let mut processes = self.accounts.living(device);
        for fault in self.faults_of(device) {
            if let Fault::ForeignProcess { bytes, pid, .. } = *fault
                && device.starts_with("GPU-")
                && is_alive(pid)
            {
                let usage = Usage { bytes, peak: bytes, contexts: 1 };
                processes.push(Process { pid, started: 0, usage });
            }
        }
        processes
    }

    /// Bytes that living processes hold.
    pub fn held(&self, device: &str) -> u64 {
        self.processes(device).iter().map(|process| process.usage.bytes).sum()
    }

    /// Bytes held on the whole card, its slices included.
    pub fn held_on_card(&self, card: &Card) -> u64 {
        self.held(&card.uuid) + card.mig.iter().map(|slice| self.held(&slice.uuid)).sum::<u64>()
    }

    /// The id that NVML gives for a process.
    pub fn reported_pid(&self, pid: u32) -> u32 {
        if self.has(|fault| matches!(fault, Fault::PidOpaque)) { pid + 100_000 } else { pid }
    }

    /// Writes down what this process holds, if the device has that much; whether it had.
    pub fn charge(&self, device: &Device, usage: Usage) -> bool {
        let own = std::process::id();
        let charged = self.accounts.alone(|| {
            let others = self.processes(&device.uuid).into_iter().filter(|process| process.pid != own);
            let held: u64 = others.map(|process| process.usage.bytes).sum();
            held + usage.bytes <= device.usable && self.accounts.record(&device.uuid, usage).is_ok()
        });
        charged.unwrap_or(false)
    }

    pub fn report_xid(&self, card: &str, xid: u64) {
        let incident = Incident { card: card.to_owned(), xid };
        let _ = self.accounts.alone(|| self.incidents.report(&incident));
    }
}

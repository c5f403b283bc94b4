//! What the driver remembers of who has been on a card, where it does: samples of how busy each process kept the card, and
//! its accounting, which an administrator turns on (`nvidia-smi --accounting-mode=1`).

use nvml_wrapper::Device;
use std::collections::HashSet;

/// What it remembered at one moment.
pub(super) struct Traces {
    /// The time of the newest sample, as the driver counts it.
    newest: u64,
    accounted: HashSet<u32>,
}

impl Traces {
    pub(super) fn before(device: &Device<'_>) -> Traces {
        let samples = device.process_utilization_stats(None).unwrap_or_default();
        let newest = samples.iter().map(|sample| sample.timestamp).max().unwrap_or_default();
        Traces { newest, accounted: device.accounting_pids().unwrap_or_default().into_iter().collect() }
    }

    /// The processes that came to the card since then, as far as it is remembered.
    pub(super) fn since(&self, device: &Device<'_>) -> Vec<u32> {
        let samples = device.process_utilization_stats(self.newest).unwrap_or_default();
        // Some drivers give more samples than were asked for, and some with nothing in them.
        let is_new = samples.into_iter().filter(|sample| {
            sample.timestamp > self.newest && sample.pid != 0 && (sample.sm_util > 0 || sample.mem_util > 0)
        });
        let accounted = device.accounting_pids().unwrap_or_default().into_iter();
        let mut processes: Vec<u32> = is_new.map(|sample| sample.pid).collect();
        processes.extend(accounted.filter(|pid| !self.accounted.contains(pid)));
        processes.sort_unstable();
        processes.dedup();
        processes
    }
}

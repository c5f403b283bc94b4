//! Validations of hosts on which much happens in the first iterations, and nothing leaks: each is approved, at once.
//! `scripts/validate_often.py` does the same hundreds of times.

use crate::validate::{POLICY, Project};
use serde_json::Value;
use simulated_gpu_host::{Fault, SimulatedHost};

/// Context, module and first launch in MiB, whether there are pools, and what is not known of processes.
const HOSTS: [(u64, u64, u64, bool, &[Fault]); 12] = [
    (256, 2, 8, true, &[]),
    (256, 0, 0, true, &[]),
    (301, 3, 33, true, &[]),
    (64, 40, 64, true, &[]),
    (512, 2, 128, true, &[]),
    (256, 2, 1, false, &[]),
    (64, 0, 33, false, &[]),
    (301, 40, 128, false, &[]),
    (256, 2, 64, true, &[Fault::NoProcessMemory]),
    (512, 3, 8, false, &[Fault::NoProcessMemory]),
    (256, 40, 2, true, &[Fault::PidOpaque]),
    (64, 3, 64, false, &[Fault::PidOpaque, Fault::NoProcessMemory]),
];

#[test]
fn what_does_not_leak_is_approved_each_time() {
    for (context, module, first_launch, pools, faults) in HOSTS {
        let host = SimulatedHost::new().changed(|host| {
            for card in &mut host.cards {
                (card.context_mib, card.module_mib) = (context, module);
                (card.first_launch_mib, card.memory_pools) = (first_launch, pools);
            }
            host.faults.extend_from_slice(faults);
        });
        let validated = Project::of(host, POLICY).validated(&[]);
        let told = (validated.code, &validated.document["fallback"]);
        assert_eq!(told, (Some(0), &Value::Null), "{:#}", validated.document["reasons"]);
    }
}

#[test]
fn workspaces_that_come_late_are_no_leak() {
    for workspaces in [vec![(4, 8)], vec![(3, 2), (6, 2), (11, 2)], vec![(12, 32)], vec![(5, 8), (25, 8)]] {
        let host = SimulatedHost::new().changed(|host| {
            host.cards.iter_mut().for_each(|card| card.workspaces = workspaces.clone());
        });
        let validated = Project::of(host, POLICY).validated(&[]);
        let document = &validated.document;
        assert_eq!(validated.code, Some(0), "{workspaces:?}: {:#}", document["reasons"]);
        assert_eq!(document["checks"][1]["leak"]["growth"]["outcome"], "one_off", "{workspaces:?}");
    }
}

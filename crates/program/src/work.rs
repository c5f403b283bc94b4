//! What following the programs cost, counted: it is the same on every machine, where seconds differ.

use super::trace::Trace;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one program cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Bodies of functions that were followed.
    pub bodies: usize,
    /// Bodies of modules.
    pub modules: usize,
    /// Calls that a summary answered.
    pub replayed: usize,
}

/// The sums over all programs.
#[derive(Debug, Default)]
pub(super) struct Work {
    programs: AtomicU64,
    steps: AtomicU64,
    bodies: AtomicU64,
    distinct_bodies: AtomicU64,
    modules: AtomicU64,
    distinct_modules: AtomicU64,
    replayed: AtomicU64,
}

impl Work {
    pub fn add(&self, trace: &Trace) {
        let amounts = [
            (&self.programs, 1),
            (&self.steps, trace.steps),
            (&self.bodies, trace.cost.bodies),
            (&self.distinct_bodies, trace.ran.len()),
            (&self.modules, trace.cost.modules),
            (&self.distinct_modules, trace.entered.len()),
            (&self.replayed, trace.cost.replayed),
        ];
        for (sum, amount) in amounts {
            sum.fetch_add(amount as u64, Ordering::Relaxed);
        }
    }

    /// One line of JSON. A body counts as distinct once in each program.
    pub fn json(&self) -> String {
        let [programs, steps, bodies, distinct_bodies, modules, distinct_modules, replayed] = [
            &self.programs,
            &self.steps,
            &self.bodies,
            &self.distinct_bodies,
            &self.modules,
            &self.distinct_modules,
            &self.replayed,
        ]
        .map(|sum| sum.load(Ordering::Relaxed));
        format!(
            "{{\"programs\": {programs}, \"steps\": {steps}, \"bodies\": {bodies}, \
             \"distinct_bodies\": {distinct_bodies}, \"modules\": {modules}, \
             \"distinct_modules\": {distinct_modules}, \"replayed\": {replayed}}}\n"
        )
    }
}

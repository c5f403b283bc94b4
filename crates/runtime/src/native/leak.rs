//! The profile `leak`: whether memory is still there after many rounds of allocate, multiply, check, free.
//!
//! The first iterations are not measured: with them come the code of the kernels and what else a driver makes once. What
//! then grows stays away, block by block: see [`crate::runtime::growth`]. Where few iterations leave it open, there are more.

pub mod case;

use super::Stop;
use super::device::{Device, Source};
use super::journal::Journal;
use super::lines::{Failure, Iteration, Line};
use crate::runtime::growth::{self, Outcome};
pub use case::Case;
use std::iter;
use std::time::Instant;

/// What pools hand out at once, at least, in bytes.
pub const POOL_UNIT: u64 = 512;

/// So many iterations at least, and so many as long as memory still grows, are not measured.
const WARM_UP: std::ops::RangeInclusive<usize> = 2..=5;
/// The driver may need a moment to notice that memory is back; the least of so many readings counts.
const READINGS: usize = 3;

/// How much of the profile.
#[derive(Clone, Debug)]
pub struct Amount {
    /// Measured, unless that leaves it open.
    pub iterations: usize,
    /// Rows of the square matrices.
    pub side: u32,
    pub source: Source,
}

/// Runs the profile, and writes each iteration down.
pub(super) fn work(device: &Device, case: &Case, amount: &Amount, journal: &mut Journal) -> Result<(), Stop> {
    let mut warm_up: Vec<u64> = Vec::new();
    let still_grows = |used: &[u64]| used.windows(2).next_back().is_some_and(|pair| pair[1] > pair[0]);
    while warm_up.len() < *WARM_UP.start() || (still_grows(&warm_up) && warm_up.len() < *WARM_UP.end()) {
        let iteration = iterated(device, case, amount)?;
        warm_up.push(iteration.used);
        let number = warm_up.len() as u64;
        journal.write(&Line::Iteration(Iteration { number, warm_up: true, ..iteration }))?;
    }
    let (mut used, mut pool_used) = (Vec::new(), Some(Vec::new()));
    while let Some(target) = iterations_to_reach(amount.iterations, &used, pool_used.as_deref()) {
        while used.len() < target {
            let number = used.len() as u64 + 1;
            let iteration = Iteration { number, ..iterated(device, case, amount)? };
            used.push(iteration.used);
            pool_used = pool_used.zip(iteration.pool_used).map(|(mut used, now)| {
                used.push(now);
                used
            });
            journal.write(&Line::Iteration(iteration))?;
        }
    }
    Ok(())
}

/// How many iterations are to be measured in all, if those so far are too few: for what is in use on the card after each, and
/// of its pool where it has one. Whoever judges the lines goes by it, too.
pub fn iterations_to_reach(asked: usize, used: &[u64], pool_used: Option<&[u64]>) -> Option<usize> {
    let series = || iter::once((used, growth::BLOCK)).chain(pool_used.map(|used| (used, POOL_UNIT)));
    // A leak that is certain needs no more evidence.
    let is_leak = |(used, unit): (&[u64], u64)| growth::judged(used, unit).outcome == Outcome::Leak;
    if used.len() >= asked && series().any(is_leak) {
        return None;
    }
    series().filter_map(|(used, unit)| growth::iterations_to_reach(asked, used, unit)).max()
}

/// One iteration, measured and without a number.
fn iterated(device: &Device, case: &Case, amount: &Amount) -> Result<Iteration, Failure> {
    let started = Instant::now();
    let mut a = device.buffer(case.a.len(), amount.source)?;
    let mut b = device.buffer(case.b.len(), amount.source)?;
    let mut product = device.buffer(case.product.len(), amount.source)?;
    a.write(&case.a)?;
    b.write(&case.b)?;
    device.multiply(&a, &b, &mut product, amount.side)?;
    let mut found = vec![0; case.product.len()];
    product.read(0, &mut found)?;
    let held = device.used()?;
    for buffer in [a, b, product] {
        buffer.free()?;
    }
    device.synchronise()?;
    if amount.source == Source::Pool {
        device.trim_pool()?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut used = u64::MAX;
    for _ in 0..READINGS {
        used = used.min(device.used()?);
    }
    let pool_used = device.pool_used()?;
    let wrong = case.wrong(&found);
    Ok(Iteration { number: 0, warm_up: false, held, used, pool_used, seconds, wrong })
}

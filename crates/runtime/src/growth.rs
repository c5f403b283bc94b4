//! Whether memory grows from one iteration to the next: a leak, one step, or nothing.
//!
//! Drivers give memory out in blocks of 2 MiB. A leak that is smaller than a block is seen as a block now and then, so what few
//! iterations leave open is asked of more: 10, then 30, then 100.
//!
//! What grows for good shows as a *lasting step*: everything after it is higher, by a unit at least, than everything before.
//! Memory that comes and goes makes none. The rule, which docs/leaks.md has in words for users:
//!
//! - A leak goes on. It steps in each third of the run, and in the last as often as before, or nearly so. Below 30
//!   iterations it must step every time, by the same size, because a clean run loads this and that when it needs it first;
//!   below 100 in one of five. From 100 on, ten steps are enough, and from three to nine if they are alike, in size and in
//!   distance. What was given back at the end is not lost. From 60 on, the second half is looked at by itself as well.
//! - What did not step in the second half of the run, and does not rise there, was growth that came once; 30 iterations
//!   are needed to say so.
//! - What neither steps nor rises is clean.
//! - All else is inconclusive, and more iterations are asked.

mod series;
mod slope;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use series::Steps;

/// What a driver hands out at once, in bytes.
pub const BLOCK: u64 = 2 * 1024 * 1024;

/// So many iterations are measured, each time that fewer left it open.
pub const EXTENSIONS: [usize; 2] = [30, 100];

/// Fewer iterations say nothing.
pub const FEWEST: usize = 5;

/// How the memory in use went over the iterations that were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    pub outcome: Outcome,
    pub iterations: u64,
    /// Bytes, from the end of the first iteration to the end of the last; negative when it became less.
    pub total: i64,
    /// The most bytes by which it grew from one iteration to the next.
    pub most_in_one: u64,
    /// Bytes in each iteration: the median of the slopes between all pairs of iterations (Theil–Sen).
    pub per_iteration: f64,
    /// From how many iterations to the next it grew.
    pub increases: u64,
    pub decreases: u64,
}

/// What the growth says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did not grow.
    Clean,
    /// It grew early, and no more.
    OneOff,
    /// It grows steadily.
    Leak,
    /// It grew, and that does not say which of the two it is.
    Inconclusive,
}

/// Judges the bytes in use after each iteration. `unit` is what is handed out at once where they were counted: [`BLOCK`] by a
/// driver, 512 or 1 by an allocator that counts for itself.
pub fn judged(used: &[u64], unit: u64) -> Growth {
    let differences = || used.windows(2).map(|pair| i128::from(pair[1]) - i128::from(pair[0]));
    let total = match used {
        [first, .., last] => i128::from(*last) - i128::from(*first),
        _ => 0,
    };
    Growth {
        outcome: outcome(used, unit.max(1)),
        iterations: used.len() as u64,
        total: total.clamp(i64::MIN.into(), i64::MAX.into()) as i64,
        most_in_one: differences().max().unwrap_or(0).max(0) as u64,
        per_iteration: slope::theil_sen(used),
        increases: differences().filter(|difference| *difference > 0).count() as u64,
        decreases: differences().filter(|difference| *difference < 0).count() as u64,
    }
}

/// How many iterations are to be measured in all, if those so far are too few: first as many as were asked for, and when they
/// leave it open, the next of [`EXTENSIONS`].
pub fn iterations_to_reach(asked: usize, used: &[u64], unit: u64) -> Option<usize> {
    if used.len() < asked {
        return Some(asked);
    }
    let is_open = outcome(used, unit.max(1)) == Outcome::Inconclusive;
    EXTENSIONS.into_iter().find(|extension| is_open && *extension > used.len())
}

fn outcome(used: &[u64], unit: u64) -> Outcome {
    if used.len() < FEWEST {
        return Outcome::Inconclusive;
    }
    let half = &used[used.len() / 2..];
    // Memory that was given back early, or a leak that began late, hides it from a look at the whole. The same must not be said
    // of a cache that fills, is given back and fills again: so the end has to be higher than all before.
    let is_higher = |half: &[u64]| {
        let before = used[..used.len() - half.len()].iter().max().copied().unwrap_or(0);
        slope::median(&half[half.len() * 2 / 3..]) >= before.saturating_add(unit) as f64
    };
    let is_long = used.len() >= 2 * EXTENSIONS[0];
    if leaks(used, unit) || is_long && is_higher(half) && leaks(half, unit) {
        return Outcome::Leak;
    }
    let views = series::steps(used, unit);
    let rises = slope::rises(used, unit);
    if views.iter().all(|steps| steps.at.is_empty()) {
        return if rises { Outcome::Inconclusive } else { Outcome::Clean };
    }
    let late = views.iter().any(|steps| steps.in_second_half());
    let third = &used[used.len() * 2 / 3..];
    // A small leak takes its first block when it has filled one, early or late.
    let is_short = used.len() < EXTENSIONS[0];
    if is_short || late || slope::rises(half, unit) || slope::rises(third, unit) {
        Outcome::Inconclusive
    } else {
        Outcome::OneOff
    }
}

/// Whether it is certain that it grows, and goes on to grow.
fn leaks(used: &[u64], unit: u64) -> bool {
    let [second, third] = EXTENSIONS;
    let is_leak = |steps: &Steps| {
        let (count, of) = (steps.at.len(), steps.length - 1);
        let is_so_often = match (steps.width, used.len()) {
            (1, length) if length < second => count == of && steps.are_of_one_size(unit),
            (1, length) if length < third => 5 * count >= of,
            (1 | 3, length) if length >= third => count >= 10 || steps.are_alike(unit),
            // There are few medians, so that noise alone can make one in five.
            _ => 4 * count >= 3 * of,
        };
        is_so_often && steps.go_on()
    };
    // What was given back at the very end is not lost.
    let is_held = slope::median(&used[used.len() - FEWEST..]) > slope::median(used);
    is_held && series::steps(used, unit).iter().any(is_leak)
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

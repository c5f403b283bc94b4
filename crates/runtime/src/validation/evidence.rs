//! What the native stage wrote down, as evidence. A last line that was cut, because its writer was killed, is left out.

use super::document::{BurnEvidence, LeakEvidence, LeakPoint, Speed};
use crate::runtime::growth::{self, BLOCK};
use crate::runtime::native::leak::POOL_UNIT;
use crate::runtime::native::lines::{Failure, Iteration, Line, Round};
use std::io;
use std::path::Path;

/// All lines of one attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    pub lines: Vec<Line>,
    /// A whole line that is none, or one behind the last: somebody else has written to the file.
    pub damaged: bool,
}

impl Lines {
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(file: &Path) -> io::Result<Lines> {
        match std::fs::read(file) {
            Ok(bytes) => Ok(Lines::of(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Lines::default()),
            Err(error) => Err(error),
        }
    }

    pub fn of(text: &str) -> Lines {
        let parsed: Vec<Option<Line>> = text.lines().map(|line| serde_json::from_str(line).ok()).collect();
        let is_cut = !text.ends_with('\n');
        let whole = parsed.len() - usize::from(is_cut && !parsed.is_empty());
        let lines: Vec<Line> = parsed.iter().flatten().cloned().collect();
        let goes_on = lines.iter().rev().skip(1).any(|line| matches!(line, Line::Ended | Line::Failed(_)));
        Lines { damaged: goes_on || parsed.iter().take(whole).any(Option::is_none), lines }
    }

    pub fn ended(&self) -> bool {
        self.lines.contains(&Line::Ended)
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.lines.iter().find_map(|line| match line {
            Line::Failed(failure) => Some(failure),
            _ => None,
        })
    }

    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            Line::Note { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// Of the profile `leak`; nothing when it had no context yet.
    pub fn leak(&self) -> Option<LeakEvidence> {
        let context = self.lines.iter().find_map(|line| match line {
            Line::Began { context, .. } => Some(*context),
            _ => None,
        })?;
        let iterations = || {
            self.lines.iter().filter_map(|line| match line {
                Line::Iteration(iteration) => Some(iteration),
                _ => None,
            })
        };
        let points = |warm_up| {
            iterations().filter(|iteration| iteration.warm_up == warm_up).map(point).collect::<Vec<_>>()
        };
        let measured = points(false);
        let used: Vec<u64> = measured.iter().map(|point| point.used).collect();
        let pool_used: Option<Vec<u64>> = measured.iter().map(|point| point.pool_used).collect();
        let growth = |used: Vec<u64>, unit| (!used.is_empty()).then(|| growth::judged(&used, unit));
        Some(LeakEvidence {
            context,
            warm_up: points(true),
            growth: growth(used, BLOCK),
            pool_growth: pool_used.and_then(|used| growth(used, POOL_UNIT)),
            wrong: iterations().map(|iteration| iteration.wrong).fold(0, u64::saturating_add),
            measured,
        })
    }

    /// Of the profile `burn`; nothing when its memory was not allocated yet.
    pub fn burn(&self) -> Option<BurnEvidence> {
        let load = self.lines.iter().find_map(|line| match line {
            Line::Load(load) => Some(load),
            _ => None,
        })?;
        let rounds: Vec<&Round> = self
            .lines
            .iter()
            .filter_map(|line| match line {
                Line::Round(round) => Some(round),
                _ => None,
            })
            .collect();
        // The first warms up.
        let measured: Vec<&Round> = rounds.iter().filter(|round| round.number > 1).copied().collect();
        let rate = |of: fn(&Round) -> (f64, f64), unit: f64| {
            let rates = measured.iter().map(|round| of(round));
            Speed::of(
                rates.filter(|(_, seconds)| *seconds > 0.0).map(|(amount, seconds)| amount / seconds / unit),
            )
        };
        Some(BurnEvidence {
            earlier_runs: Vec::new(),
            side: load.side,
            bytes: load.bytes,
            free: load.free,
            multiplier: load.multiplier.clone(),
            rounds: measured.len() as u64,
            seconds: measured.iter().map(|round| round.multiplying + round.comparing).sum(),
            teraflops: rate(|round| (round.operations, round.multiplying), 1e12),
            gigabytes: rate(|round| (round.bytes, round.comparing), 1e9),
            wrong: load.wrong,
            differing: rounds.iter().map(|round| round.differing).fold(0, u64::saturating_add),
        })
    }
}

fn point(iteration: &Iteration) -> LeakPoint {
    let Iteration { held, used, pool_used, seconds, .. } = *iteration;
    LeakPoint { held, used, pool_used, seconds }
}

impl Speed {
    /// Nothing without a single rate.
    fn of(rates: impl Iterator<Item = f64>) -> Option<Speed> {
        let mut rates: Vec<f64> = rates.filter(|rate| rate.is_finite()).collect();
        rates.sort_by(f64::total_cmp);
        let median = *rates.get(rates.len() / 2)?;
        Some(Speed { median, slowest: *rates.first()?, fastest: *rates.last()?, peak: None, earlier: None })
    }
}

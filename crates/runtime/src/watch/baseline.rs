//! Memory of a card before a command, and the proof that it is back afterwards.

use super::gauge::{Gauge, clause};
use crate::runtime::management::User;
use nvml_wrapper::error::NvmlError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Drivers give memory out in blocks of 2 MiB, so less than one more says nothing.
pub const TOLERANCE: u64 = 2 * 1024 * 1024;

/// The least of so many readings is what is really held, where somebody may be at work on the card.
const READINGS: usize = 3;
const PAUSE: Duration = Duration::from_millis(20);

/// The card before the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// Bytes in use: of everybody, what the driver keeps for itself included.
    pub memory: u64,
    /// Who computed on it. `null` when the driver did not say.
    pub users: Option<Vec<User>>,
}

/// Whether the memory of a card is back at its baseline after a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Returned {
    /// It is, up to 2 MiB; `after` is the least that was read, and `waited` are seconds.
    Back { baseline: u64, after: u64, waited: f64 },
    /// More is in use than before, and nobody else changed what they use. `holders` are processes of the command that
    /// are still on the card.
    NotBack { baseline: u64, after: u64, waited: f64, holders: Vec<User> },
    /// Others came, went, or changed what they use meanwhile, so that the numbers say nothing about the command.
    Disturbed { baseline: u64, after: u64, waited: f64, by: Vec<u32> },
    /// It could not be read.
    NotKnown { reason: String },
}

impl Returned {
    /// Bytes in use after the command, where they are its own affair.
    pub fn after(&self) -> Option<u64> {
        match self {
            Returned::Back { after, .. } | Returned::NotBack { after, .. } => Some(*after),
            Returned::Disturbed { .. } | Returned::NotKnown { .. } => None,
        }
    }
}

/// `earlier` is what was in use a moment ago, if somebody read it: where it still is, and nobody computes on the card, there
/// is nothing to be waited for.
pub(super) fn read(gauge: &Gauge, earlier: Option<u64>) -> Result<Baseline, NvmlError> {
    let mut memory = gauge.used()?;
    let users = gauge.users().ok();
    let nobody = users.as_ref().is_some_and(Vec::is_empty);
    if nobody && earlier == Some(memory) {
        return Ok(Baseline { memory, users });
    }
    for _ in 1..READINGS {
        std::thread::sleep(PAUSE);
        memory = memory.min(gauge.used()?);
    }
    Ok(Baseline { memory, users: gauge.users().ok() })
}

pub(super) fn returned(gauge: &Gauge, before: &Baseline, ours: &[u32], patience: Duration) -> Returned {
    let began = Instant::now();
    let mut after = u64::MAX;
    loop {
        match gauge.used() {
            Ok(used) => after = after.min(used),
            Err(error) => return Returned::NotKnown { reason: clause(&error) },
        }
        let is_back = after <= before.memory.saturating_add(TOLERANCE);
        if is_back || began.elapsed() >= patience {
            let waited = began.elapsed().as_secs_f64();
            return judged(before, after, waited, gauge.users().ok(), ours);
        }
        std::thread::sleep(PAUSE);
    }
}

/// `now` are the users after the command, if the driver told.
fn judged(before: &Baseline, after: u64, waited: f64, now: Option<Vec<User>>, ours: &[u32]) -> Returned {
    let baseline = before.memory;
    let is_more = after > baseline.saturating_add(TOLERANCE);
    let (Some(earlier), Some(now)) = (&before.users, now) else {
        return match is_more {
            true => Returned::NotBack { baseline, after, waited, holders: Vec::new() },
            false => Returned::Back { baseline, after, waited },
        };
    };
    let (holders, others): (Vec<User>, Vec<User>) = now
        .into_iter()
        .partition(|user| ours.contains(&user.pid) && earlier.iter().all(|known| known.pid != user.pid));
    let is_explained = |before: Option<u64>, after: Option<u64>| match (before, after) {
        (Some(before), Some(after)) if is_more => after > before.saturating_add(TOLERANCE),
        (Some(before), Some(after)) => before > after.saturating_add(TOLERANCE),
        // Unknown amounts may explain that there is more. That there is not needs no explanation.
        _ => is_more,
    };
    let mut by = Vec::new();
    for user in &others {
        match earlier.iter().find(|known| known.pid == user.pid) {
            Some(known) if is_explained(known.memory, user.memory) => by.push(user.pid),
            None if is_more => by.push(user.pid),
            _ => {}
        }
    }
    if !is_more {
        // What they held is free now, and may hide what the command still holds.
        let gone = earlier.iter().filter(|known| others.iter().all(|user| user.pid != known.pid));
        by.extend(gone.map(|known| known.pid));
    }
    match (by.is_empty(), is_more) {
        (false, _) => Returned::Disturbed { baseline, after, waited, by },
        (true, true) => Returned::NotBack { baseline, after, waited, holders },
        (true, false) => Returned::Back { baseline, after, waited },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn user(pid: u32, memory: u64) -> User {
        User { pid, memory: (memory > 0).then_some(memory) }
    }

    fn outcome(before: &[User], after: u64, now: &[User]) -> Returned {
        let before = Baseline { memory: GIB, users: Some(before.to_vec()) };
        judged(&before, after, 0.0, Some(now.to_vec()), &[7])
    }

    #[test]
    fn less_than_a_block_more_is_back() {
        let back = |outcome| matches!(outcome, Returned::Back { .. });
        assert!(back(outcome(&[], GIB + TOLERANCE, &[])));
        assert!(back(outcome(&[user(3, 0)], GIB, &[user(3, 0)])));
        // Somebody came, and still there is not more.
        assert!(back(outcome(&[], GIB, &[user(4, GIB)])));
    }

    #[test]
    fn what_is_left_is_blamed_on_the_command_alone() {
        let Returned::NotBack { holders, .. } = outcome(&[], 2 * GIB, &[user(7, GIB)]) else { panic!() };
        assert_eq!(holders, [user(7, GIB)]);
        let stayed = [user(3, GIB)];
        assert!(matches!(outcome(&stayed, 2 * GIB, &stayed), Returned::NotBack { .. }));
    }

    #[test]
    fn others_explain_what_changed() {
        let by = |outcome| match outcome {
            Returned::Disturbed { by, .. } => by,
            other => panic!("{other:?}"),
        };
        assert_eq!(by(outcome(&[], 2 * GIB, &[user(4, GIB)])), [4]);
        assert_eq!(by(outcome(&[user(3, GIB)], 2 * GIB, &[user(3, 2 * GIB)])), [3]);
        assert_eq!(by(outcome(&[user(3, 0)], 2 * GIB, &[user(3, 0)])), [3]);
        // What was theirs is free, and would hide what the command has left.
        assert_eq!(by(outcome(&[user(3, GIB)], GIB, &[])), [3]);
        assert_eq!(by(outcome(&[user(3, GIB)], GIB, &[user(3, GIB / 2)])), [3]);
    }

    #[test]
    fn without_a_list_of_users_the_numbers_count() {
        let before = Baseline { memory: GIB, users: None };
        assert!(matches!(judged(&before, GIB, 0.0, None, &[]), Returned::Back { .. }));
        assert!(matches!(judged(&before, 2 * GIB, 0.0, None, &[]), Returned::NotBack { .. }));
    }
}

//! A target with `mode: both` as one: it is two checks, both of which must hold, and what the run without the GPU paid for the GPU.

use super::document::{Check, Kind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BothModes {
    pub target: String,
    /// It holds where both do.
    pub state: State,
    pub without_gpu: State,
    pub with_gpu: State,
    /// How long the run without the GPU took.
    #[serde(default)]
    pub seconds_without_gpu: Option<f64>,
    /// The same with the GPU: the median of its turns.
    #[serde(default)]
    pub seconds_with_gpu: Option<f64>,
    /// What of the run without the GPU went into the import of forbidden modules; `null` where no process told about imports, or a
    /// module was imported of which nobody knows how long that took.
    #[serde(default)]
    pub seconds_for_gpu_modules: Option<f64>,
}

/// Of all checks, those that are halves of one.
pub fn of(checks: &[Check]) -> Vec<BothModes> {
    let is_of = |target: &str, kind: Kind| {
        checks.iter().find(|check| check.kind == kind && check.half_of.as_deref() == Some(target))
    };
    let targets = checks.iter().filter(|check| check.kind == Kind::CpuTarget);
    let targets = targets.filter_map(|without| {
        let target = without.half_of.as_deref()?;
        let with = is_of(target, Kind::GpuTarget)?;
        Some(BothModes {
            target: target.to_owned(),
            state: together(without.state, with.state),
            without_gpu: without.state,
            with_gpu: with.state,
            seconds_without_gpu: without.record.as_ref().and_then(|record| record.wall_seconds),
            seconds_with_gpu: with
                .leak
                .as_ref()
                .and_then(|turns| median(turns.measured.iter().map(|turn| turn.seconds).collect())),
            seconds_for_gpu_modules: without.proof.as_ref().and_then(|proof| {
                let is_told = !proof.interpreters.is_empty() && proof.silent.is_empty();
                let all: Option<f64> = proof.imports.iter().map(|import| import.milliseconds).sum();
                all.filter(|_| is_told).map(|milliseconds| milliseconds / 1000.0)
            }),
        })
    });
    targets.collect()
}

/// What two checks come to that must both hold.
fn together(one: State, other: State) -> State {
    let order = [
        State::Fails,
        State::NotRun,
        State::Running,
        State::Waiting,
        State::HoldsWithCorrections,
        State::Holds,
    ];
    order.into_iter().find(|state| [one, other].contains(state)).unwrap_or(State::NotRun)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use State::{Fails, Holds, HoldsWithCorrections, NotRun, Running, Waiting};

    #[test]
    fn both_must_hold() {
        for (one, other, expected) in [
            (Holds, Holds, Holds),
            (Holds, HoldsWithCorrections, HoldsWithCorrections),
            (Holds, Fails, Fails),
            (Fails, NotRun, Fails),
            (Holds, NotRun, NotRun),
            (Holds, Waiting, Waiting),
            (Running, Waiting, Running),
            (Fails, Running, Fails),
        ] {
            assert_eq!((together(one, other), together(other, one)), (expected, expected));
        }
    }

    #[test]
    fn the_halves_of_a_target_are_found_by_its_name() {
        let half = |target: Option<&str>, kind| Check {
            half_of: target.map(str::to_owned),
            ..Check::waiting("any", kind)
        };
        let checks = [
            half(None, Kind::Lint),
            half(None, Kind::CpuTarget),
            half(Some("a"), Kind::CpuTarget),
            half(Some("b"), Kind::CpuTarget),
            half(Some("b"), Kind::GpuTarget),
            half(Some("a"), Kind::GpuTarget),
        ];
        let found: Vec<String> = of(&checks).into_iter().map(|both| both.target).collect();
        assert_eq!(found, ["a", "b"]);
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(Vec::new())), (Some(2.0), None));
    }
}

//! Which checks a validation runs: what the policy requires, and what was asked for.

use super::document::Kind;
use crate::policy::{Mode, Policy};
use crate::runtime::record::NotChecked;
use std::borrow::Cow;
use std::time::Duration;

/// All checks of one validation, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub checks: Vec<Planned>,
    /// What could be checked, and is not asked for.
    pub not_checked: Vec<NotChecked>,
}

/// One check. All that are planned are required.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub name: String,
    /// The target that it is one of two checks of (`mode: both`).
    pub half_of: Option<String>,
    pub work: Work,
}

/// What a check does.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    Lint,
    Leak {
        iterations: u32,
        side: u32,
    },
    Burn(Burn),
    /// So many turns in a row.
    Command {
        words: Vec<String>,
        mode: Mode,
        turns: u32,
    },
}

/// How much the profile `burn` takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burn {
    pub time: Duration,
    /// The part of the free memory, above 0 and at most 1.
    pub share: f64,
    /// Rows of the matrices, at most.
    pub side: u32,
}

/// A load that gpulint brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Profile {
    /// Ten products of 1000×1000 matrices, each checked: does the memory come back?
    Leak,
    /// Large products in most of the free memory for a time: is the card right and quick under load?
    Burn,
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// None stands for what the policy requires.
    pub profiles: Vec<Profile>,
    /// Instead of those of the policy.
    pub iterations: Option<u32>,
    pub side: u32,
    pub burn: Burn,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum NoPlan {
    #[error(
        "there is nothing to validate: the policy has no `gpu:` section and no `runtime.targets`; name a profile with \
         --profile leak, or write a policy with gpulint init"
    )]
    Nothing,
    #[error(
        "`{0}` is the name of a check of gpulint's own; give the target in `runtime.targets` another name"
    )]
    Name(String),
    #[error("two checks would be called `{0}`: give one of the targets in `runtime.targets` another name")]
    Twice(String),
    #[error(
        "`runtime.iterations` is {0}, and more than {MOST_ITERATIONS} are not run: each is a whole run of a program"
    )]
    Iterations(u32),
}

/// Beyond this nobody waits for the end.
pub const MOST_ITERATIONS: u32 = 10_000;

impl Plan {
    /// # Errors
    /// When nothing is planned, or a target has the name of another check.
    pub fn of(policy: &Policy, wanted: &Wanted) -> Result<Plan, NoPlan> {
        let iterations = policy.runtime.iterations.get();
        if iterations > MOST_ITERATIONS {
            return Err(NoPlan::Iterations(iterations));
        }
        let targets = &policy.runtime.targets;
        let needs_card =
            policy.gpu.is_some() || targets.iter().any(|target| target.mode.modes().contains(&Mode::Gpu));
        let mut profiles = wanted.profiles.clone();
        if profiles.is_empty() && needs_card {
            profiles.push(Profile::Leak);
        }
        profiles.sort();
        profiles.dedup();
        if profiles.is_empty() && targets.is_empty() {
            return Err(NoPlan::Nothing);
        }
        let own = |name: &str, work| Planned { name: name.to_owned(), half_of: None, work };
        let mut checks = vec![own("lint", Work::Lint)];
        checks.extend(profiles.iter().map(|profile| match profile {
            Profile::Leak => {
                let iterations = wanted.iterations.unwrap_or(policy.runtime.iterations.get());
                own("leak", Work::Leak { iterations, side: wanted.side })
            }
            Profile::Burn => own("burn", Work::Burn(wanted.burn)),
        }));
        for target in targets {
            if ["lint", "leak", "burn"].contains(&target.name.as_str()) {
                return Err(NoPlan::Name(target.name.clone()));
            }
            let turns = policy.runtime.iterations.get();
            let modes = target.mode.modes();
            for &mode in modes {
                let work = Work::Command { words: target.command.clone(), mode, turns };
                let name = match (modes.len(), mode) {
                    (1, _) => target.name.clone(),
                    (_, Mode::Cpu) => format!("{} (cpu)", target.name),
                    (_, Mode::Gpu) => format!("{} (gpu)", target.name),
                };
                if checks.iter().any(|check| check.name == name) {
                    return Err(NoPlan::Twice(name));
                }
                let half_of = (modes.len() > 1).then(|| target.name.clone());
                checks.push(Planned { name, half_of, work });
            }
        }
        let missing = [
            (Profile::Leak, "whether memory leaks on the card", "leak"),
            (Profile::Burn, "the card under full load, and how fast it is", "burn"),
        ];
        // Where nothing is to run on a card, nobody expects anything of one.
        let needs_card = policy.gpu.is_some() || checks.iter().any(|check| check.work.kind().uses_card());
        let not_checked =
            missing.into_iter().filter(|(profile, ..)| needs_card && !profiles.contains(profile));
        let not_checked = not_checked
            .map(|(_, what, word)| NotChecked {
                what: what.to_owned(),
                why: format!("it was not asked for: add --profile {word}"),
            })
            .collect();
        Ok(Plan { checks, not_checked })
    }

    /// What tells this plan from another, for who resumes one, in words for people.
    pub fn fingerprint(&self) -> String {
        self.checks.iter().map(|check| check.words()).collect::<Vec<_>>().join("; ")
    }
}

impl Planned {
    /// No two that differ have the same.
    fn words(&self) -> String {
        let name = quoted(&self.name);
        match &self.work {
            Work::Lint => name.into_owned(),
            Work::Leak { iterations, side } => format!("{name} ({iterations} iterations, {side} rows)"),
            Work::Burn(Burn { time, share, side }) => {
                let time = humantime::format_duration(*time);
                format!("{name} ({time}, {share} of the free memory, at most {side} rows)")
            }
            Work::Command { words, mode, turns } => {
                let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
                let how = match mode {
                    Mode::Gpu if *turns == 1 => "with the GPU, once".to_owned(),
                    Mode::Gpu => format!("with the GPU, {turns} times"),
                    Mode::Cpu => "without a GPU".to_owned(),
                };
                format!("{name} ({how}: {})", words.join(" "))
            }
        }
    }
}

/// A word as it is, unless it could be taken for something else.
fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("{word:?}").into() }
}

impl Work {
    pub fn kind(&self) -> Kind {
        match self {
            Work::Lint => Kind::Lint,
            Work::Leak { .. } => Kind::Leak,
            Work::Burn(_) => Kind::Burn,
            Work::Command { mode: Mode::Gpu, .. } => Kind::GpuTarget,
            Work::Command { mode: Mode::Cpu, .. } => Kind::CpuTarget,
        }
    }
}

impl Kind {
    /// Whether the check takes the slot of the card.
    pub fn uses_card(self) -> bool {
        matches!(self, Kind::Leak | Kind::Burn | Kind::GpuTarget)
    }

    /// Whether the check is one of gpulint's own loads.
    pub fn is_native(self) -> bool {
        matches!(self, Kind::Leak | Kind::Burn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_told_apart_in_words() {
        let policy = |text: &str| -> Policy { serde_yaml::from_str(text).unwrap() };
        let burn = Burn { time: Duration::from_secs(90), share: 0.9, side: 8192 };
        let wanted = Wanted { profiles: Vec::new(), iterations: None, side: 1000, burn };
        let words = |text: &str, wanted: &Wanted| Plan::of(&policy(text), wanted).unwrap().fingerprint();
        let both = Wanted { profiles: vec![Profile::Leak, Profile::Burn], ..wanted.clone() };
        let target = |name: &str, command: &str| {
            format!("runtime: {{iterations: 3, targets: [{{name: {name}, command: {command}, mode: gpu}}]}}")
        };
        let all = words(&target("train", "[python, train.py, 'two words']"), &both);
        let expected = "lint; leak (3 iterations, 1000 rows); burn (1m 30s, 0.9 of the free memory, at most 8192 rows); \
                        train (with the GPU, 3 times: python train.py \"two words\")";
        assert_eq!(all, expected);
        let mut others = vec![
            all,
            words(&target("train", "[a, b]"), &wanted),
            words(&target("train", "['a b']"), &wanted),
            words(&target("train", "[a, '']"), &wanted),
            words(&target("train", "[a, '\"\"']"), &wanted),
            words(&target("train", "['a) ; x (b']"), &wanted),
            words(&target("'train (a'", "[a, b]"), &wanted),
            words(&target("train", "[a, b]").replace("gpu", "cpu"), &wanted),
            words(&target("train", "[a, b]").replace("gpu", "both"), &wanted),
            words(&target("train", "[a, b]").replace('3', "4"), &wanted),
            words("gpu: {name: A}", &wanted),
            words("gpu: {name: A}", &Wanted { iterations: Some(11), ..wanted.clone() }),
            words("gpu: {name: A}", &Wanted { side: 999, ..wanted.clone() }),
            words("gpu: {name: A}", &Wanted { burn: Burn { share: 0.91, ..burn }, ..both.clone() }),
            words("gpu: {name: A}", &both),
        ];
        let both_modes = words(&target("train", "[a, b]").replace("gpu", "both"), &wanted);
        assert!(
            both_modes.contains(
                "; \"train (cpu)\" (without a GPU: a b); \"train (gpu)\" (with the GPU, 3 times: a b)"
            ),
            "{both_modes}"
        );
        let count = others.len();
        others.sort();
        others.dedup();
        assert_eq!(others.len(), count);
    }
}

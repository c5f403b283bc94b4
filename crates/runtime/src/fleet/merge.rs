//! Reports in any order → one document. What is kept of a report does not grow with its length, and lists of what is said in
//! many of them keep the first in the order of the alphabet, which is the same whoever comes first.

use super::document::{Counted, Fleet, Machine, NotChecked, SCHEMA, Unreadable};
use super::kinds;
use super::reading::{NoReport, Reading, key_of, read, shortened};
use crate::runtime::validation::document::{Reason, Verdict, Weight};
use crate::sources::Digest;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Of what nobody looked at so much is kept, and of different reasons.
const MOST_GROUPS: usize = 200;
/// So many versions, policies or plans are named when there are several.
const MOST_NAMED: usize = 5;
/// So many cards that differ from their kind are named among the reasons; all stand with their machines.
const MOST_DIFFERENCES: usize = 50;

/// Reports that are merged.
#[derive(Debug, Default)]
pub struct Merge {
    /// By what a report is known again, and where it is among the machines.
    known: FxHashMap<Digest, usize>,
    machines: Vec<(Digest, Machine)>,
    copies: u64,
    unreadable: Vec<Unreadable>,
    versions: Variants,
    policies: Variants,
    plans: Variants,
    not_checked: BTreeMap<(String, String), u64>,
}

/// Why reports cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("there is no report to merge: {file}: {why}")]
    NoReport { file: String, why: String },
    #[error(
        "the reports are of several versions of gpulint: {0}; validate with one version, or merge only those of one"
    )]
    Versions(String),
    #[error(
        "the reports are of several policies: {0}; a verdict is of one policy, so merge those of each by themselves"
    )]
    Policies(String),
    #[error(
        "the machines were asked for different checks: {0}; a verdict is of one plan, so merge those of each by themselves"
    )]
    Plans(String),
}

/// What all reports must say alike: each text, how many say it, and the first file that does.
#[derive(Debug, Default)]
struct Variants(BTreeMap<String, (u64, String)>);

impl Variants {
    fn add(&mut self, text: &str, file: &str) {
        let (count, first) = self.0.entry(text.to_owned()).or_insert_with(|| (0, file.to_owned()));
        *count += 1;
        if file < first.as_str() {
            file.clone_into(first);
        }
        if self.0.len() > MOST_NAMED {
            self.0.pop_last();
        }
    }

    /// A copy was counted that another name is the first of.
    fn rename(&mut self, text: &str, file: &str) {
        if let Some((_, first)) = self.0.get_mut(text)
            && file < first.as_str()
        {
            file.clone_into(first);
        }
    }

    /// All of them, where there are several.
    fn differing(&self) -> Option<String> {
        let named = self.0.iter().map(|(text, (count, file))| {
            let reports = if *count == 1 { "report" } else { "reports" };
            format!("`{}` ({count} {reports}, such as {file})", shortened(text))
        });
        (self.0.len() > 1).then(|| named.collect::<Vec<_>>().join(", "))
    }
}

impl Merge {
    /// Adds the text of a file.
    pub fn add(&mut self, file: &str, text: &[u8]) {
        match read(file, text) {
            Ok(reading) => self.add_reading(Digest::of(text), reading),
            Err(NoReport { version, why }) => {
                version.iter().for_each(|version| self.versions.add(version, file));
                self.add_unreadable(file, why);
            }
        }
    }

    /// Adds a file whose text nobody can have.
    pub fn add_unreadable(&mut self, file: &str, why: String) {
        self.unreadable.push(Unreadable { file: file.to_owned(), why });
    }

    fn add_reading(&mut self, digest: Digest, Reading { origin, machine, not_checked }: Reading) {
        let policy = origin.policy.as_deref().unwrap_or("unknown");
        if let Some((_, known)) = self.known.get(&digest).and_then(|at| self.machines.get_mut(*at)) {
            self.copies += 1;
            self.versions.rename(&origin.version, &machine.file);
            self.policies.rename(policy, &machine.file);
            self.plans.rename(&origin.plan, &machine.file);
            if machine.file < known.file {
                known.file = machine.file;
            }
            return;
        }
        self.versions.add(&origin.version, &machine.file);
        self.policies.add(policy, &machine.file);
        self.plans.add(&origin.plan, &machine.file);
        // An earlier state of another report may be left out, and has said nothing else.
        if machine.verdict != Verdict::Running {
            for not in not_checked {
                *self.not_checked.entry((not.what, not.why)).or_default() += 1;
                if self.not_checked.len() > MOST_GROUPS {
                    self.not_checked.pop_last();
                }
            }
        }
        self.known.insert(digest, self.machines.len());
        self.machines.push((digest, machine));
    }

    /// What all reports come to. `expected` is how many cards, or machines without one, there must be.
    ///
    /// # Errors
    /// When there is no report, or not all are of one version, policy and plan.
    pub fn end(mut self, expected: Option<u64>) -> Result<Fleet, Refusal> {
        self.unreadable.sort();
        if self.machines.is_empty() {
            let Unreadable { file, why } = self
                .unreadable
                .into_iter()
                .next()
                .unwrap_or(Unreadable { file: "nothing".to_owned(), why: "no file was named".to_owned() });
            return Err(Refusal::NoReport { file, why });
        }
        type Refused = fn(String) -> Refusal;
        let refusals: [(&Variants, Refused); 3] = [
            (&self.versions, Refusal::Versions),
            (&self.policies, Refusal::Policies),
            (&self.plans, Refusal::Plans),
        ];
        for (variants, refusal) in refusals {
            if let Some(named) = variants.differing() {
                return Err(refusal(named));
            }
        }
        let copies = self.copies + self.leave_out_earlier_states();
        let key = |machine: &Machine| {
            (
                machine.host.clone(),
                machine.card.as_ref().map(|card| card.uuid.clone()),
                machine.started.clone(),
            )
        };
        self.machines.sort_by_cached_key(|(digest, machine)| (key(machine), digest.to_string()));
        let mut machines: Vec<Machine> = self.machines.into_iter().map(|(_, machine)| machine).collect();
        let kinds = kinds::compare(&mut machines);
        let mut reasons = of_unreadable(&self.unreadable).into_iter().collect::<Vec<_>>();
        reasons.extend(of_missing(&machines, expected));
        reasons.extend(of_machines(&machines));
        reasons.extend(of_differences(&machines));
        reasons.extend(of_repeated(&machines));
        reasons.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        let verdict = Verdict::of(reasons.iter().map(|reason| reason.weight).min());
        let only = |variants: Variants| variants.0.into_keys().next().unwrap_or_default();
        let not_checked = self.not_checked.into_iter();
        Ok(Fleet {
            schema: SCHEMA,
            tool: "gpulint".to_owned(),
            version: only(self.versions),
            simulated: machines.iter().any(|machine| machine.simulated),
            plan: only(self.plans),
            policy: Some(only(self.policies)).filter(|policy| policy != "unknown"),
            verdict,
            exit_code: verdict.exit_code(),
            reasons,
            reports: machines.len() as u64,
            expected,
            copies,
            unreadable: self.unreadable,
            verdicts: counted(&machines),
            kinds,
            machines,
            not_checked: not_checked
                .map(|((what, why), reports)| NotChecked { what, why, reports })
                .collect(),
        })
    }

    /// Leaves out what a validation had written before its end, where its end is there too; how many these are.
    fn leave_out_earlier_states(&mut self) -> u64 {
        let key = |machine: &Machine| {
            Some((machine.host.clone(), machine.card.as_ref()?.uuid.clone(), machine.started.clone()))
        };
        let has_ended = |machine: &Machine| machine.verdict != Verdict::Running;
        let ended = self.machines.iter().map(|(_, machine)| machine).filter(|machine| has_ended(machine));
        let ended: FxHashSet<_> = ended.filter_map(key).collect();
        let before = self.machines.len();
        self.machines.retain(|(_, machine)| {
            has_ended(machine) || key(machine).is_none_or(|key| !ended.contains(&key))
        });
        (before - self.machines.len()) as u64
    }
}

fn counted(machines: &[Machine]) -> Vec<Counted> {
    let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
    machines.iter().for_each(|machine| *counts.entry(machine.verdict).or_default() += 1);
    counts.into_iter().map(|(verdict, reports)| Counted { verdict, reports }).collect()
}

fn of_unreadable(unreadable: &[Unreadable]) -> Option<Reason> {
    let first = unreadable.first()?;
    let (count, hold) = match unreadable.len() {
        1 => ("1 file".to_owned(), "holds"),
        count => (format!("{count} files"), "hold"),
    };
    let message = format!(
        "{count} {hold} no report, so nothing is known of these machines; {}: {}",
        first.file, first.why
    );
    Some(Reason::of(Weight::Infrastructure, "unreadable", message))
}

/// That there are fewer cards than there must be. A card that was validated twice is one.
fn of_missing(machines: &[Machine], expected: Option<u64>) -> Option<Reason> {
    let cards: FxHashSet<&str> =
        machines.iter().filter_map(|machine| Some(machine.card.as_ref()?.uuid.as_str())).collect();
    let without = machines.iter().filter(|machine| machine.card.is_none()).count();
    let found = (cards.len() + without) as u64;
    let expected = expected.filter(|expected| found < *expected)?;
    let cards = if found == 1 { "card" } else { "cards" };
    let message = format!(
        "there are reports of {found} {cards}, and {expected} are expected: those that are missing have not ended, or \
         two of them were on one card"
    );
    Some(Reason::of(Weight::Infrastructure, "missing-reports", message))
}

/// What the machines say for themselves, each reason once, with the number of machines that have it.
fn of_machines(machines: &[Machine]) -> Vec<Reason> {
    type Key<'a> = (Weight, Option<&'a str>, &'a str);
    let mut groups: BTreeMap<Key<'_>, (u64, &Machine, &Reason)> = BTreeMap::new();
    for machine in machines {
        let mut of_machine: BTreeSet<Key<'_>> = BTreeSet::new();
        for reason in &machine.reasons {
            let key = (reason.weight, reason.check.as_deref(), reason.code.as_str());
            if of_machine.insert(key) {
                groups.entry(key).or_insert((0, machine, reason)).0 += 1;
            }
            if groups.len() > MOST_GROUPS {
                groups.pop_last();
            }
        }
    }
    let all = machines.len();
    let reason_of = |(count, machine, reason): (u64, &Machine, &Reason)| {
        let place = name_of(machine);
        let message = match (count, all) {
            (1, _) => format!("{place}: {}", reason.message),
            (count, all) => format!("on {count} of {all} machines, such as {place}: {}", reason.message),
        };
        Reason { message, ..reason.clone() }
    };
    groups.into_values().map(reason_of).collect()
}

/// Each card that is not as its kind.
fn of_differences(machines: &[Machine]) -> Vec<Reason> {
    let all =
        machines.iter().flat_map(|machine| machine.differences.iter().map(move |reason| (machine, reason)));
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(_, reason)| reason.weight);
    let more = all.len().saturating_sub(MOST_DIFFERENCES);
    let weight = all.get(MOST_DIFFERENCES).map(|(_, reason)| reason.weight);
    all.truncate(MOST_DIFFERENCES);
    let named = all.into_iter().map(|(machine, reason)| Reason {
        message: format!("{}: {}", name_of(machine), reason.message),
        ..reason.clone()
    });
    let rest = weight.map(|weight| {
        Reason::of(
            weight,
            "more-differences",
            format!("{more} more cards differ from their kind; each says how"),
        )
    });
    named.chain(rest).collect()
}

/// That one card has several reports, of which each counts: else one could validate until it goes well.
fn of_repeated(machines: &[Machine]) -> Option<Reason> {
    let mut counts: BTreeMap<&str, (u64, &Machine)> = BTreeMap::new();
    for machine in machines {
        if let Some(card) = &machine.card {
            counts.entry(&card.uuid).or_insert((0, machine)).0 += 1;
        }
    }
    let several: Vec<_> = counts.into_values().filter(|(count, _)| *count > 1).collect();
    let (count, machine) = several.first()?;
    let cards = match several.len() {
        1 => "1 card has".to_owned(),
        several => format!("{several} cards have"),
    };
    let message = format!(
        "{cards} more than one report, such as {} with {count}; each of them counts",
        name_of(machine)
    );
    Some(Reason::of(Weight::Note, "validated-again", message))
}

/// Where a report is from, for people.
pub fn name_of(machine: &Machine) -> String {
    let host = machine.host.as_deref().unwrap_or("a machine without a name");
    match &machine.card {
        Some(card) => format!("{host}, {card}"),
        None => format!("{host}, no card ({})", machine.file),
    }
}

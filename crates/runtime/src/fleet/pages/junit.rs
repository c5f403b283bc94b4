//! The XML of JUnit: each machine is a test case, and so are the verdict on all of them and each file without a report.

use super::words;
use crate::report::junit::{self, Case, CaseOutcome, Suite};
use crate::runtime::fleet::document::{Fleet, Machine};
use crate::runtime::validation::document::{Reason, Verdict};
use crate::runtime::validation::pages::junit::of_verdict;
use crate::runtime::validation::pages::words as of_validation;
use std::io;

pub fn junit(fleet: &Fleet) -> io::Result<String> {
    let whole = Case {
        name: "verdict".to_owned(),
        group: "gpulint.fleet".to_owned(),
        seconds: None,
        outcome: of_verdict(fleet.verdict, lines(&fleet.reasons.iter().collect::<Vec<_>>(), fleet.simulated)),
    };
    let machines = fleet.machines.iter().map(of_machine);
    let unreadable = fleet.unreadable.iter().map(|unreadable| Case {
        name: unreadable.file.clone(),
        group: "gpulint.fleet".to_owned(),
        seconds: None,
        outcome: CaseOutcome::Errored {
            kind: "unreadable",
            message: unreadable.why.clone(),
            text: String::new(),
        },
    });
    let suite = Suite {
        name: words::title(fleet),
        cases: [whole].into_iter().chain(machines).chain(unreadable).collect(),
    };
    let mut suites = vec![suite];
    let skipped = words::not_checked(fleet);
    if !skipped.is_empty() {
        let cases = skipped.into_iter().map(|(what, why)| Case {
            name: what,
            group: "gpulint.fleet".to_owned(),
            seconds: None,
            outcome: CaseOutcome::Skipped(why),
        });
        suites.push(Suite { name: "not checked".to_owned(), cases: cases.collect() });
    }
    junit::text(&suites)
}

fn of_machine(machine: &Machine) -> Case {
    // Services take what is behind the last dot for the name, and what is before it for a folder.
    let host = machine.host.as_deref().unwrap_or("unknown").replace('.', "-");
    let card = machine.card.as_ref().map_or("no-card", |card| card.uuid.as_str()).replace('.', "-");
    let reasons: Vec<&Reason> = machine.reasons.iter().chain(&machine.differences).collect();
    let differs = words::heaviest(machine).map_or(Verdict::Approved, |weight| Verdict::of(Some(weight)));
    // What others of its kind show makes an approved card one with corrections, and nothing worse.
    let verdict = if machine.verdict == Verdict::Approved { differs } else { machine.verdict };
    Case {
        name: format!("{card} at {}", machine.started),
        group: format!("gpulint.fleet.{host}"),
        seconds: machine.wall_seconds,
        outcome: of_verdict(verdict, lines(&reasons, machine.simulated)),
    }
}

fn lines(reasons: &[&Reason], simulated: bool) -> String {
    let simulated = simulated.then(|| format!("{}\n", of_validation::SIMULATED));
    let line = |reason: &&Reason| {
        format!("{}: {}\n", of_validation::weight(reason.weight), of_validation::reason(reason))
    };
    simulated.into_iter().chain(reasons.iter().map(line)).collect()
}

//! For a terminal: the verdict, why, what was seen, and what nobody looked at.

use super::document::Proof;
use crate::runtime::record::End;
use crate::runtime::terminal::facts;
use crate::runtime::validation::pages::words;

pub fn text(proof: &Proof) -> String {
    let mut page = format!("gpulint prove --cpu: {}\n", proof.verdict.words());
    if proof.record.simulated {
        page.push_str(words::SIMULATED);
        page.push('\n');
    }
    let reasons = proof.reasons.iter().map(|reason| (words::weight(reason.weight), reason.message.clone()));
    facts("Why", &reasons.collect::<Vec<_>>(), &mut page);
    facts("What was seen", &seen(proof), &mut page);
    let unchecked = proof.record.not_checked.iter().map(|one| (one.what.clone(), one.why.clone()));
    facts("Not checked", &unchecked.collect::<Vec<_>>(), &mut page);
    page
}

/// What was seen, in words.
pub fn seen(proof: &Proof) -> Vec<(&'static str, String)> {
    let seconds = proof.record.wall_seconds.map(words::duration).unwrap_or_default();
    let ended = match &proof.record.end {
        End::Exited { code } => format!("with exit code {code}, after {seconds}"),
        _ => format!("not by itself, after {seconds}"),
    };
    let count = proof.interpreters.len();
    let python = match count {
        0 => "no process told about its imports".to_owned(),
        1 => format!("1 process told about its imports, of Python {}", version(proof)),
        _ => format!("{count} processes told about their imports, of Python {}", version(proof)),
    };
    let gpu = match (proof.cards.len(), proof.device_files.len()) {
        (0, 0) => "this machine has none: no device file, and NVML tells of no card".to_owned(),
        (0, _) => format!("NVML tells of no card; the device files are {}", proof.device_files.join(", ")),
        _ => format!("the command's processes were looked for on {}", proof.cards.join(" and ")),
    };
    let devices =
        if proof.strict { "hidden from the command" } else { "left as they were; `--strict` hides them" };
    vec![
        ("ended", ended),
        ("forbidden", proof.forbidden.join(", ")),
        ("Python", python),
        ("GPU", gpu),
        ("devices", devices.to_owned()),
    ]
}

fn version(proof: &Proof) -> String {
    let mut versions: Vec<&str> = proof.interpreters.iter().map(|one| one.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    versions.join(" and ")
}

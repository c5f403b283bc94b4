//! What was seen, and what it proves. The same evidence has the same verdict.

use super::document::{Import, Proof, Sighting, What};
use super::sightings::is_python;
use crate::runtime::record::{End, NotChecked};
use crate::runtime::validation::document::{Reason, Verdict, Weight};
use std::path::Path;

/// Puts reasons, verdict and exit code into the document.
pub fn judge(proof: &mut Proof) {
    let mut reasons = of_end(proof);
    reasons.extend(of_imports(&proof.imports));
    let is_news = |sighting: &&Sighting| !is_of_an_import(sighting, &proof.imports);
    reasons.extend(proof.sightings.iter().filter(is_news).map(of_sighting));
    reasons.extend(of_silent(proof));
    if proof.interpreters.is_empty() && reasons.is_empty() {
        let message = "no process of the command was Python: nothing is known of modules, and what the system and the driver tell of its processes is all";
        reasons.push(Reason::of(Weight::Note, "no-python", message));
    }
    reasons.sort_by_key(|reason| reason.weight);
    proof.record.not_checked.push(NotChecked {
        what: "Python that lives for less than 0.2 s and does not load gpulint's module (`python -I`, an emptied environment)".to_owned(),
        why: "processes are looked at fifty times in a second".to_owned(),
    });
    if !proof.every_opening {
        proof.record.not_checked.push(NotChecked {
            what: "a device file that is open for less than 0.02 s".to_owned(),
            why: "the system does not tell of each file that is opened (seccomp)".to_owned(),
        });
    }
    proof.verdict = Verdict::of(reasons.first().map(|reason| reason.weight));
    proof.reasons = reasons;
    proof.exit_code = proof.verdict.exit_code();
    proof.record.exit_code = Some(proof.exit_code);
}

fn of_end(proof: &Proof) -> Vec<Reason> {
    let reason = |weight, code: &str, message: String| vec![Reason::of(weight, code, message)];
    let hidden = if proof.strict { ", with the GPUs hidden" } else { "" };
    let mut reasons = match &proof.record.end {
        End::Exited { code: 0 } => Vec::new(),
        End::Exited { code } => {
            reason(Weight::Rejection, "command-failed", format!("the command ended with code {code}{hidden}"))
        }
        End::Signalled { signal } => {
            reason(Weight::Rejection, "crashed", format!("signal {signal} ended the command{hidden}"))
        }
        End::TimeLimit { seconds } => reason(
            Weight::Rejection,
            "time-limit",
            format!("the command had not ended after {seconds} s: `--timeout`"),
        ),
        _ => {
            reason(Weight::Infrastructure, "infrastructure", "the command did not come to its end".to_owned())
        }
    };
    let left: Vec<String> =
        proof.record.orphans.iter().map(|orphan| format!("{} (pid {})", orphan.name, orphan.pid)).collect();
    if !left.is_empty() {
        let message = format!("the command left processes behind, which were ended: {}", left.join(", "));
        reasons.push(Reason::of(Weight::Note, "process-left", message));
    }
    reasons
}

/// One reason for each module: of the first process that imported it.
fn of_imports(imports: &[Import]) -> Vec<Reason> {
    let mut reasons: Vec<(&str, Reason)> = Vec::new();
    for import in imports {
        if reasons.iter().any(|(module, _)| *module == import.module) {
            continue;
        }
        let all = imports.iter().filter(|other| other.module == import.module).count();
        let more = if all > 1 { format!(", and in {} more", processes(all - 1)) } else { String::new() };
        let took = import.milliseconds.map(|took| format!(", which took {took:.0} ms")).unwrap_or_default();
        let message = format!("`{}` was imported{took}: {}{more}", import.module, chain(import));
        reasons.push((&import.module, Reason::of(Weight::Rejection, "forbidden-import", message)));
    }
    reasons.into_iter().map(|(_, reason)| reason).collect()
}

fn processes(count: usize) -> String {
    if count == 1 { "process".to_owned() } else { format!("{count} processes") }
}

/// The lines that led to an import, from the inside out; of a long chain both ends.
fn chain(import: &Import) -> String {
    const SHOWN: usize = 6;
    let site = |at: usize| import.chain.get(at).map(|site| format!("{}:{}", site.path, site.line));
    let length = import.chain.len();
    let numbers: Vec<usize> =
        if length > SHOWN { (0..SHOWN - 1).chain([length - 1]).collect() } else { (0..length).collect() };
    let mut text = numbers.iter().filter_map(|at| site(*at)).collect::<Vec<_>>().join(", imported by ");
    if length > SHOWN {
        text.push_str(&format!(" ({} lines between are in the document)", length - SHOWN));
    }
    if text.is_empty() { format!("by a program of its own, in process {}", import.pid) } else { text }
}

/// A library of a module of which it is said already that it was imported.
fn is_of_an_import(sighting: &Sighting, imports: &[Import]) -> bool {
    let is_in = |import: &Import| sighting.detail.contains(&format!("/{}/", import.module.replace('.', "/")));
    sighting.what == What::Library && imports.iter().any(is_in)
}

fn of_sighting(sighting: &Sighting) -> Reason {
    let Sighting { pid, name, what, detail, asker } = sighting;
    let (code, message) = match what {
        What::DeviceFile => {
            let by = asker.as_ref().map(|library| {
                format!(
                    ". It has loaded {library}, which asks in each `backward()`, of tensors on the CPU too: torch's build for the CPU does not"
                )
            });
            let by = by.unwrap_or_default();
            (
                "device-opened",
                format!("{name} (pid {pid}) opened {detail}, or tried to: it asked the driver{by}"),
            )
        }
        What::OnCard => ("on-card", format!("{name} (pid {pid}) was on {detail}")),
        What::Library => ("forbidden-library", format!("{name} (pid {pid}) had loaded {detail}")),
    };
    Reason::of(Weight::Rejection, code, message)
}

/// Processes of which nobody knows what they imported.
fn of_silent(proof: &Proof) -> Option<Reason> {
    // One that was ended may have been about to tell.
    if !matches!(proof.record.end, End::Exited { .. }) {
        return None;
    }
    let told = !proof.interpreters.is_empty();
    let program = proof.record.command.first().map(Path::new);
    let which = match proof.silent.first() {
        Some(python) => format!("`{}` (pid {})", python.command.join(" "), python.pid),
        None if !told && program.is_some_and(is_python) => "the command".to_owned(),
        None => return None,
    };
    let message = format!(
        "{which} is Python and did not load gpulint's module, so what it imported is not known: start it without `-I`, `-E` and `-S`, and hand on PYTHONPATH and the variables that begin with GPULINT_PROOF_"
    );
    Some(Reason::of(Weight::Infrastructure, "python-not-watched", message))
}

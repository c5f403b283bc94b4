//! The examples in docs/doctor.md and docs/validate.md are what gpulint says of a simulated host.

use crate::folder::Folder;
use gpulint::runtime::prevention::Prevention;
use gpulint::runtime::process::Namespace;
use gpulint::runtime::validation::document::Validation;
use gpulint::runtime::validation::pages::{Format, render};
use simulated_gpu_host::{Fault, SimulatedHost};
use std::fs;
use std::path::Path;
use std::process::Output;

const POLICY: &str = "gpu:\n  name: \"RTX 3090\"\n  forbidden: [\"RTX 5060 Ti\"]\n";
/// They tell of the machine on which the test runs.
const OF_THIS_MACHINE: [&str; 3] = ["Surroundings", "Backends", "Not seen"];

#[test]
fn the_example_of_doctor_is_fresh() {
    is_fresh("docs/doctor.md", "Policy\n", &doctor());
}

#[test]
fn the_example_of_validate_is_fresh() {
    is_fresh("docs/validate.md", "gpulint validate: ", &validate());
}

/// The block of text in the page that begins so.
fn is_fresh(page: &str, beginning: &str, example: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let committed = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) =
        committed.split_once(&format!("```text\n{beginning}")).expect("the page has the example");
    let (_, after) = rest.split_once("```\n").expect("the example ends");
    let fresh = format!("{before}```text\n{example}```\n{after}");
    if committed == fresh {
        return;
    }
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        fs::write(&path, fresh).expect("the page is writable");
        return;
    }
    panic!(
        "{page} shows something else; run `GPULINT_UPDATE=1 cargo test --test runtime fresh` and commit it:\n{fresh}"
    );
}

fn doctor() -> String {
    let output = run(&SimulatedHost::new(), "doctor", &[("CUDA_VISIBLE_DEVICES", "1")], &[]);
    assert_eq!(output.status.code(), Some(5));
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    let sections: Vec<&str> = text
        .trim_end()
        .split("\n\n")
        .filter(|section| !OF_THIS_MACHINE.iter().any(|title| section.starts_with(&format!("{title}\n"))))
        .collect();
    sections.join("\n\n") + "\n"
}

/// What differs from run to run, from machine to machine and from version to version is made up.
fn validate() -> String {
    let host = SimulatedHost::new().with(Fault::Leak { bytes: 2 << 20, in_pool: false, card: None });
    let output = run(&host, "validate", &[], &["--format", "json", "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    let mut validation: Validation = serde_json::from_slice(&output.stdout).expect("it is a document");
    validation.not_checked.retain(|one| !one.what.contains("the policy forbids"));
    (validation.host, validation.version) = (Some("workstation".into()), "0.1.0".into());
    (validation.started, validation.wall_seconds) = ("2026-01-31T12:00:00Z".into(), Some(1.5));
    for (check, seconds) in validation.checks.iter_mut().zip([0.2, 1.4]) {
        check.wall_seconds = Some(seconds);
        let Some(record) = &mut check.record else { continue };
        let files = vec!["/dev/nvidia0".to_owned()];
        record.prevention = Some(Prevention::Hidden { files, namespace: Namespace::User });
        record.slot.as_mut().expect("it had the card").waited_seconds = 0.0;
        (record.peak_memory, record.headroom) = (Some(606 << 20), Some(23_970 << 20));
        let readings = record.readings.as_mut().expect("it was watched");
        (readings.samples, readings.failed) = (9, 0);
        readings.forbidden_cards.iter_mut().for_each(|card| card.looks = 9);
    }
    render(&validation, Format::Text).expect("it can be written")
}

fn run(host: &SimulatedHost, command: &str, variables: &[(&str, &str)], options: &[&str]) -> Output {
    let folder = Folder::new("page");
    fs::write(folder.path().join("gpulint.yaml"), POLICY).expect("the temporary folder is writable");
    fs::write(folder.path().join("train.py"), "print(\"trained\")\n")
        .expect("the temporary folder is writable");
    let mut program = host.command(env!("CARGO_BIN_EXE_gpulint"));
    program.args([command, "--allow-simulated"]).args(options).current_dir(folder.path());
    program.env_clear().envs(host.environment()).envs(variables.iter().copied());
    for (name, place) in [("GPULINT_SLOT_DIR", "slots"), ("XDG_STATE_HOME", "remembered")] {
        program.env(name, host.folder().join(place));
    }
    program.output().expect("gpulint can be started")
}

//! `exec`, `doctor` and `validate` where only some cards are handed out: jobs of schedulers, cards of one kind, slices of cards (MIG).

use crate::client::taking;
use crate::commands::{Said, policy_folder, said};
use crate::folder::Folder;
use crate::strays::record_of;
use crate::validate::Project;
use simulated_gpu_host::{Card, Description, Fault, Instance, SimulatedHost};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const TWINS: [&str; 2] =
    ["GPU-30903090-0000-4000-8000-00000000000a", "GPU-30903090-0000-4000-8000-00000000000b"];
const RTX_5060_TI: &str = "GPU-50605060-0000-4000-8000-000000000001";
const SLICES: [&str; 2] =
    ["MIG-10903090-0000-4000-8000-000000000002", "MIG-20903090-0000-4000-8000-000000000002"];

/// An RTX 5060 Ti and two of the RTX 3090.
fn twins() -> SimulatedHost {
    let twin = |at: usize| Card {
        uuid: TWINS[at].into(),
        pci: format!("0000:0{}:00.0", at + 5),
        ..Card::rtx_3090()
    };
    let cards = vec![Card::rtx_5060_ti(), twin(0), twin(1)];
    SimulatedHost::of(Description { cards, ..Default::default() })
}

fn divided() -> SimulatedHost {
    SimulatedHost::new().with(Fault::Mig { card: Some("GPU-3090".into()) })
}

fn gpulint(host: &SimulatedHost, folder: &Path, variables: &[(&str, &str)], words: &[&str]) -> Command {
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command.current_dir(folder).env("GPULINT_SLOT_DIR", folder.join("slots")).env_remove("CI").args(words);
    command.envs(variables.iter().copied());
    command
}

/// `exec` of a command that shows its card, under this policy.
fn shown(host: &SimulatedHost, policy: &str, variables: &[(&str, &str)]) -> Said {
    let folder = policy_folder(policy);
    let words = ["exec", "--allow-simulated", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"];
    said(gpulint(host, folder.path(), variables, &words))
}

#[track_caller]
fn assert_card(answer: &Said, card: &str) {
    assert_eq!(
        (answer.code, answer.text.as_str()),
        (Some(0), format!("{card}\n").as_str()),
        "{}",
        answer.error
    );
}

#[track_caller]
fn assert_refused(answer: &Said, pieces: &[&str]) {
    assert_eq!((answer.code, answer.text.as_str()), (Some(5), ""), "{}", answer.error);
    for piece in pieces {
        assert!(answer.error.contains(piece), "{piece} is not in: {}", answer.error);
    }
}

/// What Slurm sets for a job that got one card, by its number on the node.
fn slurm(card: &str) -> [(&str, &str); 4] {
    [
        ("SLURM_JOB_ID", "7"),
        ("SLURM_JOB_GPUS", card),
        ("CUDA_VISIBLE_DEVICES", card),
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
    ]
}

#[test]
fn what_a_scheduler_gave_is_judged_by_name_and_uuid_and_by_no_index() {
    let host = twins();
    for policy in
        ["gpu: {name: RTX 3090}", "gpu: {name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID}"]
    {
        assert_card(&shown(&host, policy, &slurm("2")), TWINS[1]);
        assert_card(&shown(&host, policy, &slurm("1")), TWINS[0]);
        let wrong = shown(&host, policy, &slurm("0"));
        assert_refused(&wrong, &["Slurm gave this job NVIDIA GeForce RTX 5060 Ti", "`--gres=gpu:TYPE:1`"]);
    }
    let either = format!("gpu: {{visible-devices: [{}, {}]}}", TWINS[0], TWINS[1]);
    assert_card(&shown(&host, &either, &slurm("2")), TWINS[1]);
    let alone = shown(&host, "gpu: {visible-devices: '2', device-order: PCI_BUS_ID}", &slurm("2"));
    assert_refused(&alone, &["in what Slurm gave this job: the policy has only an index", TWINS[1]]);
    let ray = [("RAY_RAYLET_PID", "1"), ("CUDA_VISIBLE_DEVICES", RTX_5060_TI)];
    assert_refused(
        &shown(&host, "gpu: {name: RTX 3090}", &ray),
        &["Ray gave this job", "`accelerator_type`"],
    );
    // Nobody handed that out, so who wrote the index meant it.
    let own = [("CUDA_VISIBLE_DEVICES", TWINS[1])];
    let meant = shown(&host, "gpu: {name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID}", &own);
    assert_refused(&meant, &["leaves NVIDIA GeForce RTX 3090", TWINS[0]]);
}

#[test]
fn where_only_the_given_card_is_there_it_is_counted_from_0() {
    let alone = |at: usize| twins().changed(|host| host.cards.retain(|card| card.uuid == TWINS[at]));
    let policy = "gpu: {name: RTX 3090, visible-devices: '2', device-order: PCI_BUS_ID}";
    // As Slurm says it where it confines jobs to their devices.
    let confined = [("SLURM_JOB_ID", "7"), ("SLURM_JOB_GPUS", "2"), ("CUDA_VISIBLE_DEVICES", "0")];
    assert_card(&shown(&alone(1), policy, &confined), TWINS[1]);
    let pod = [("KUBERNETES_SERVICE_HOST", "192.0.2.1")];
    assert_card(&shown(&alone(0), policy, &pod), TWINS[0]);
    let wrong = shown(&alone(0), "gpu: {name: H200, visible-devices: '0'}", &pod);
    assert_refused(
        &wrong,
        &["in what Kubernetes gave this job: the policy allows none", "is not `H200` (`gpu.name`)"],
    );
}

#[test]
fn doctor_agrees() {
    let host = twins();
    let folder = policy_folder("gpu: {name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID}");
    let doctor = |variables: &[(&str, &str)]| {
        said(gpulint(&host, folder.path(), variables, &["doctor", "--allow-simulated"]))
    };
    let met = doctor(&slurm("2"));
    assert_eq!(met.code, Some(0), "{}", met.text);
    assert!(met.words().contains("met: "), "{}", met.text);
    assert_eq!(doctor(&slurm("0")).code, Some(5));
    let slice = {
        let (host, folder) = (divided(), policy_folder("gpu: {name: RTX 3090}"));
        let given = [("CUDA_VISIBLE_DEVICES", SLICES[1])];
        said(gpulint(&host, folder.path(), &given, &["doctor", "--allow-simulated"]))
    };
    assert_eq!(slice.code, Some(0), "{}", slice.text);
    assert!(slice.text.contains(&format!("visible-devices: \"{}\"", SLICES[1])), "{}", slice.text);
    assert!(!slice.words().contains("by the documentation of the variables"), "{}", slice.text);
    let whole = said(gpulint(&divided(), folder.path(), &[], &["doctor", "--allow-simulated"]));
    assert!(!whole.words().contains("by the documentation of the variables"), "{}", whole.text);
    let ray = doctor(&[("RAY_RAYLET_PID", "1"), ("CUDA_VISIBLE_DEVICES", TWINS[0])]);
    assert!(ray.words().contains("this is a worker of Ray"), "{}", ray.text);
}

/// A command that holds a card until its input ends, with the card that it got.
fn holding(host: &SimulatedHost, folder: &Folder) -> (Child, String) {
    use std::io::{BufRead, BufReader};
    let script = "echo $CUDA_VISIBLE_DEVICES; exec cat";
    let words = ["exec", "--allow-simulated", "--", "sh", "-c", script];
    let mut command = gpulint(host, folder.path(), &[], &words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("it is piped");
    BufReader::new(stdout).read_line(&mut line).expect("it can be read");
    (child, line.trim().to_owned())
}

#[test]
fn jobs_spread_over_cards_of_one_kind() {
    let host = twins();
    let folder = policy_folder("gpu: {name: RTX 3090}");
    let (mut first, one) = holding(&host, &folder);
    let (mut second, other) = holding(&host, &folder);
    assert_eq!([one.as_str(), other.as_str()], TWINS);
    let words = ["exec", "--allow-simulated", "--slot-timeout", "0.2", "--", "true"];
    let late = said(gpulint(&host, folder.path(), &[], &words));
    assert_eq!(late.code, Some(6), "{}", late.error);
    assert!(late.error.contains("held by pid"), "{}", late.error);
    for child in [&mut first, &mut second] {
        drop(child.stdin.take());
        child.wait().expect("it ends");
    }
    // Who computes there without a slot is in the way too.
    let pid = std::process::id();
    let busy = twins().with(Fault::ForeignProcess { bytes: 1 << 20, pid, card: Some(TWINS[0].into()) });
    assert_card(&shown(&busy, "gpu: {name: RTX 3090}", &[]), TWINS[1]);
}

#[test]
fn a_validation_stays_on_one_of_several_cards() {
    let project = Project::of(twins(), "gpu: {name: RTX 3090}\n");
    let (mut child, held) = holding(&project.host, &project.folder);
    assert_eq!(held, TWINS[0]);
    let said = said(project.command(&["--profile", "leak", "--iterations", "3"]));
    drop(child.stdin.take());
    child.wait().expect("it ends");
    let document: serde_json::Value = serde_json::from_str(&said.text).expect("it is a document");
    assert_eq!(document["card"]["uuid"], TWINS[1], "{}", said.error);
    assert_eq!(said.code, Some(0), "{}", said.text);
}

/// Where one begins no check of the other may have begun, so no slot tells which card is taken.
#[test]
fn validations_that_begin_together_take_different_cards() {
    let host = twins();
    let folder = policy_folder("gpu: {name: RTX 3090}");
    let begun = |state: &str| {
        let words =
            ["validate", "--allow-simulated", "--format", "json", "--iterations", "3", "--side", "32"];
        let mut command = gpulint(&host, folder.path(), &[], &words);
        command.args(["--jobs", "1", "--state"]).arg(folder.path().join(state));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let cards = ["one", "other"].map(begun).map(|child| {
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        let document: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("it is a document");
        assert_eq!(ended.status.code(), Some(0), "{said}");
        assert!(!said.contains("waiting for"), "{said}");
        document["card"]["uuid"].as_str().expect("a card").to_owned()
    });
    assert_eq!(std::collections::BTreeSet::from(cards), TWINS.map(str::to_owned).into());
}

#[test]
fn a_slice_is_chosen_by_its_uuid() {
    let host = divided();
    let named = format!("gpu: {{visible-devices: {}}}", SLICES[1]);
    assert_card(&shown(&host, &named, &[]), SLICES[1]);
    // Both are alike, and the first is free.
    assert_card(&shown(&host, "gpu: {name: RTX 3090}", &[]), SLICES[0]);
    let given = [("CUDA_VISIBLE_DEVICES", SLICES[1])];
    assert_card(&shown(&host, "gpu: {name: RTX 3090, min-memory: 10GiB}", &given), SLICES[1]);
    assert_card(&shown(&host, "{}", &given), SLICES[1]);
    let larger = shown(&host, "gpu: {name: RTX 3090, min-memory: 20GiB}", &given);
    assert_refused(&larger, &["RTX 3090 (MIG-10903090…) has 12132MiB", "less than 20GiB (`gpu.min-memory`)"]);
    let other = shown(&host, &named, &[("CUDA_VISIBLE_DEVICES", SLICES[0])]);
    assert_refused(&other, &["leaves NVIDIA GeForce RTX 3090 (MIG-10903090…) to the command", SLICES[1]]);
    // An index counts cards.
    let index = shown(&host, "gpu: {visible-devices: '1', device-order: PCI_BUS_ID}", &[]);
    assert_refused(&index, &["the policy has only an index", SLICES[0]]);
    assert_card(
        &shown(&host, "gpu: {name: RTX 5060 Ti}", &[("CUDA_VISIBLE_DEVICES", RTX_5060_TI)]),
        RTX_5060_TI,
    );
}

#[test]
fn slices_of_different_sizes_are_not_alike() {
    let slice = |number: u32, memory_mib| Instance {
        uuid: SLICES[number as usize - 1].into(),
        memory_mib,
        gpu_instance: number,
        compute_instance: 0,
    };
    let host = SimulatedHost::new().changed(|host| host.cards[1].mig = vec![slice(1, 4864), slice(2, 19968)]);
    let either = shown(&host, "gpu: {name: RTX 3090}", &[]);
    assert_refused(
        &either,
        &["(MIG-10903090…) and NVIDIA GeForce RTX 3090 (MIG-20903090…), which are not alike"],
    );
    assert_card(&shown(&host, "gpu: {name: RTX 3090, min-memory: 10GiB}", &[]), SLICES[1]);
}

#[test]
fn a_slice_is_held_and_watched() {
    let host = divided();
    let folder = policy_folder(&format!("gpu: {{visible-devices: {}}}", SLICES[0]));
    let exec = |command: &[String]| {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let options = ["exec", "--allow-simulated", "--strays", "fail", "--record", "run.json", "--"];
        let said = said(gpulint(&host, folder.path(), &[], &[&options[..], &words].concat()));
        (said, record_of(&folder))
    };
    let (said, record) = exec(&taking(64 << 20, 0.5));
    assert_eq!((said.code, said.error.as_str()), (Some(0), ""));
    let readings = record.readings.expect("it was watched");
    assert!(readings.command_memory.is_some_and(|memory| memory.max >= 64 << 20), "{readings:?}");
    assert_eq!(readings.strays, []);
    // All slices are reached through the files of one card.
    let unchecked: Vec<String> = record.not_checked.iter().map(|one| one.what.clone()).collect();
    assert!(unchecked.iter().any(|what| what.contains("(MIG-20903090…)")), "{unchecked:?}");
    let straying: Vec<String> = ["env".to_owned(), format!("CUDA_VISIBLE_DEVICES={}", SLICES[1])]
        .into_iter()
        .chain(taking(64 << 20, 600.0))
        .collect();
    let (said, record) = exec(&straying);
    assert_eq!(said.code, Some(124), "{}", said.error);
    let strays = record.readings.map(|readings| readings.strays).unwrap_or_default();
    assert_eq!(strays.iter().map(|stray| stray.card.as_str()).collect::<Vec<_>>(), [SLICES[1]]);
}

#[test]
fn a_slice_is_validated() {
    let project = Project::of(divided(), &format!("gpu: {{visible-devices: {}}}\n", SLICES[1]));
    let validated = project.validated(&["--profile", "leak", "--iterations", "3"]);
    assert_eq!(validated.document["card"]["uuid"], SLICES[1], "{validated:?}");
    assert_eq!((validated.code, validated.verdict.as_str()), (Some(0), "approved"), "{validated:?}");
}

//! What a policy's `visible-devices` stands for: what the driver makes of it, outside of containers and in them.

use crate::commands::{Said, policy_folder, said};
use simulated_gpu_host::SimulatedHost;

const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";
/// What engines set in a container.
const IN_A_CONTAINER: (&str, &str) = ("container", "podman");

/// What `exec` says of a policy, and what `doctor` ends with.
fn asked(policy: &str, variables: &[(&str, &str)]) -> (Said, Option<i32>) {
    let host = SimulatedHost::new();
    let folder = policy_folder(&format!("gpu: {policy}\n"));
    let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
    exec.current_dir(folder.path()).env("GPULINT_SLOT_DIR", folder.path().join("slots"));
    exec.envs(variables.iter().copied()).args([
        "exec",
        "--allow-simulated",
        "--",
        "sh",
        "-c",
        "echo $CUDA_VISIBLE_DEVICES",
    ]);
    let mut doctor = host.command(env!("CARGO_BIN_EXE_gpulint"));
    doctor
        .current_dir(folder.path())
        .args(["doctor", "--allow-simulated"])
        .envs(variables.iter().copied())
        .env("CUDA_VISIBLE_DEVICES", RTX_3090);
    (said(exec), said(doctor).code)
}

#[track_caller]
fn gives_the_3090(policy: &str, variables: &[(&str, &str)]) {
    let (said, doctor) = asked(policy, variables);
    assert_eq!(
        (said.code, said.text.trim(), doctor),
        (Some(0), RTX_3090, Some(0)),
        "{policy}: {}",
        said.error
    );
}

#[track_caller]
fn is_refused(policy: &str, variables: &[(&str, &str)], why: &str) {
    let (said, doctor) = asked(policy, variables);
    assert_eq!((said.code, said.text.as_str(), doctor), (Some(5), "", Some(5)), "{policy}: {}", said.error);
    assert!(said.error.contains(why), "{policy}: {}", said.error);
}

#[test]
fn what_names_no_card_is_refused() {
    for value in ["99", "GPU-dead"] {
        let policy = format!("{{name: RTX 3090, visible-devices: '{value}', device-order: PCI_BUS_ID}}");
        let why = format!(
            "error: the policy wants `visible-devices: \"{value}\"`, which names no card here: write \"{RTX_3090}\""
        );
        // Without a mark of a container an index is one of the machine; tests may run in a container.
        if value == "GPU-dead" || !std::path::Path::new("/.dockerenv").exists() {
            is_refused(&policy, &[], &why);
        }
    }
    is_refused("{name: RTX 3090, visible-devices: GPU-dead}", &[IN_A_CONTAINER], "names no card here");
}

#[test]
fn the_order_of_the_policy_counts() {
    gives_the_3090("{name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID}", &[]);
    gives_the_3090("{name: RTX 3090, visible-devices: '0', device-order: FASTEST_FIRST}", &[]);
    let wrong = "which is NVIDIA GeForce RTX 5060 Ti (GPU-50605060…) here";
    is_refused("{name: RTX 3090, visible-devices: '1', device-order: FASTEST_FIRST}", &[], wrong);
    is_refused("{name: RTX 3090, visible-devices: '0', device-order: PCI_BUS_ID}", &[], wrong);
}

#[test]
fn in_a_container_a_name_or_a_uuid_decides() {
    let inside = [IN_A_CONTAINER];
    let forbidden =
        "{name: RTX 3090, forbidden: [RTX 5060 Ti], visible-devices: '0', device-order: PCI_BUS_ID}";
    is_refused(
        forbidden,
        &inside,
        "which is NVIDIA GeForce RTX 5060 Ti (GPU-50605060…) here, and that is forbidden",
    );
    is_refused("{visible-devices: '1', device-order: PCI_BUS_ID}", &inside, "the policy has only an index");
    gives_the_3090(&format!("{{visible-devices: {RTX_3090}}}"), &inside);
    // An index of the host that is none in here.
    gives_the_3090("{name: RTX 3090, visible-devices: '7', device-order: PCI_BUS_ID}", &inside);
}

//! `gpulint exec`: which card a command gets, what is refused before it starts, and what is left afterwards.

use crate::commands::{Said, policy_folder, said};
use simulated_gpu_host::{Fault, SimulatedHost};
use std::path::Path;
use std::process::Command;

const POLICY: &str = "gpu: {name: RTX 3090, min-memory: 20GiB, visible-devices: '1', device-order: PCI_BUS_ID, \
                      forbidden: [RTX 5060 Ti]}";
const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";
const RTX_5060_TI: &str = "GPU-50605060-0000-4000-8000-000000000001";

fn exec(host: &SimulatedHost, folder: &Path, options: &[&str], command: &[&str]) -> Command {
    let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
    exec.current_dir(folder).args(["exec", "--allow-simulated"]).args(options).arg("--").args(command);
    exec.env("GPULINT_SLOT_DIR", folder.join("slots"));
    exec
}

fn under_policy(host: &SimulatedHost, options: &[&str], command: &[&str]) -> Said {
    let folder = policy_folder(POLICY);
    said(exec(host, folder.path(), options, command))
}

const SHOW: [&str; 3] = ["sh", "-c", "echo $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES"];

#[test]
fn the_command_gets_the_card_by_its_uuid() {
    let answer = under_policy(&SimulatedHost::new(), &[], &SHOW);
    assert_eq!(answer, Said::of(0, &format!("PCI_BUS_ID {RTX_3090}\n"), ""));
}

#[test]
fn without_a_policy_it_gets_the_first_card_that_is_visible() {
    let host = SimulatedHost::new();
    let folder = policy_folder("{}");
    let mut command = exec(&host, folder.path(), &[], &SHOW);
    command.env("CUDA_VISIBLE_DEVICES", "1");
    assert_eq!(said(command), Said::of(0, &format!("PCI_BUS_ID {RTX_5060_TI}\n"), ""));
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    let host = SimulatedHost::new();
    assert_eq!(under_policy(&host, &[], &["sh", "-c", "exit 7"]).code, Some(7));
    assert_eq!(under_policy(&host, &[], &["sh", "-c", "kill -9 $$"]).code, Some(137));
    let late = under_policy(&host, &["--timeout", "0.3"], &["sleep", "600"]);
    assert_eq!(
        (late.code, late.error.as_str()),
        (Some(124), "error: the command was ended: it ran for longer than 0.3 s\n")
    );
    let absent = under_policy(&host, &[], &["no-such-program"]);
    assert_eq!(
        (absent.code, absent.error.as_str()),
        (Some(2), "error: `no-such-program` was not found: it is in no folder of PATH\n")
    );
}

#[test]
fn a_choice_that_hides_the_card_is_not_widened() {
    let host = SimulatedHost::new();
    let folder = policy_folder(POLICY);
    let refused = |value: &str| {
        let mut command = exec(&host, folder.path(), &[], &["echo", "it ran"]);
        command.env("CUDA_VISIBLE_DEVICES", value);
        said(command)
    };
    let wrong = refused("1");
    assert_eq!((wrong.code, wrong.text.as_str()), (Some(5), ""));
    assert_eq!(
        wrong.error,
        format!(
            "error: CUDA_VISIBLE_DEVICES=1 leaves NVIDIA GeForce RTX 5060 Ti (GPU-50605060…) to the command, and the policy \
             wants NVIDIA GeForce RTX 3090 (GPU-30903090…): unset it, or set it to {RTX_3090}\n"
        )
    );
    let none = refused("-1");
    assert_eq!((none.code, none.text.as_str()), (Some(5), ""));
    assert!(none.error.contains("CUDA_VISIBLE_DEVICES=-1 leaves no card to the command"), "{}", none.error);
    assert_eq!(refused("0").text, "it ran\n");
    assert_eq!(refused("0,1").text, "it ran\n");
}

#[test]
fn nothing_runs_where_the_card_or_the_driver_is_missing() {
    let environment: [(SimulatedHost, &str); 5] = [
        (
            SimulatedHost::new().changed(|host| host.cards.retain(|card| !card.name.contains("3090"))),
            "forbidden",
        ),
        (SimulatedHost::new().changed(|host| host.cards.clear()), "no NVIDIA GPU in this machine"),
        (SimulatedHost::new().without_cuda().without_nvml(), "no library of CUDA's driver"),
        (SimulatedHost::new().with(Fault::NoDriver), "no loaded driver"),
        (SimulatedHost::new().with(Fault::StubLibrary), "stub"),
    ];
    for (host, cause) in environment {
        let answer = under_policy(&host, &[], &["echo", "it ran"]);
        assert_eq!((answer.code, answer.text.as_str()), (Some(5), ""), "{cause}: {}", answer.error);
        assert!(answer.error.contains(cause), "{cause}: {}", answer.error);
    }
    let trouble: [(SimulatedHost, &[&str], &str); 3] = [
        (SimulatedHost::new().with(Fault::VersionMismatch), &[], "restart the machine"),
        (
            SimulatedHost::new().with(Fault::HungCall { symbol: "cuInit".into() }),
            &["--driver-timeout", "1"],
            "did not answer within 1 second",
        ),
        (
            SimulatedHost::new().with(Fault::ForeignProcess {
                card: Some("GPU-3090".into()),
                pid: 1,
                bytes: 1 << 30,
            }),
            &["--foreign", "refuse"],
            "without a slot",
        ),
    ];
    for (host, options, cause) in trouble {
        let answer = under_policy(&host, options, &["echo", "it ran"]);
        assert_eq!((answer.code, answer.text.as_str()), (Some(6), ""), "{cause}: {}", answer.error);
        assert!(answer.error.contains(cause), "{cause}: {}", answer.error);
    }
}

#[test]
fn one_at_a_time() {
    let host = SimulatedHost::new();
    let folder = policy_folder(POLICY);
    // Each run would find the mark of another that runs at the same time.
    let alone = "mkdir alone || exit 1; sleep 0.1; rmdir alone";
    let start = |_: usize| exec(&host, folder.path(), &[], &["sh", "-c", alone]).spawn().expect("it starts");
    let runs: Vec<_> = (0..5).map(start).collect();
    for mut run in runs {
        assert_eq!(run.wait().expect("it ends").code(), Some(0));
    }
    // Without a shell between that would outlive the kill.
    let mut holder = exec(&host, folder.path(), &[], &["sh", "-c", "echo held; exec sleep 600"]);
    let mut holder = holder.stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let stdout = holder.stdout.take().expect("it is piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).expect("it says so");
    let late = said(exec(&host, folder.path(), &["--slot-timeout", "0.2"], &["echo", "it ran"]));
    assert_eq!((late.code, late.text.as_str()), (Some(6), ""));
    assert!(late.error.contains("waiting for NVIDIA GeForce RTX 3090"), "{}", late.error);
    assert!(late.error.contains("held by pid") && late.error.contains("sleep 600"), "{}", late.error);
    holder.kill().expect("it runs");
    holder.wait().expect("it ends");
    // A killed holder keeps nothing.
    assert_eq!(
        said(exec(&host, folder.path(), &["--slot-timeout", "60"], &["echo", "it ran"])).text,
        "it ran\n"
    );
}

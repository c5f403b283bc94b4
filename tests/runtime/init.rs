//! `gpulint init`: which cards of a simulated host it offers, and what it writes.

use crate::folder::Folder;
use crate::pytest_plugin::{has_pytest, python};
use simulated_gpu_host::{Fault, SimulatedHost};
use std::process::Command;

/// What `gpulint init` wrote, without comments, and what it noted.
struct Written {
    policy: String,
    keys: Vec<String>,
    note: String,
}

/// In a folder of its own, and with no `nvidia-smi`.
fn init(host: &SimulatedHost, words: &[&str]) -> Written {
    init_in(&Folder::new("init"), host, words)
}

fn init_in(folder: &Folder, host: &SimulatedHost, words: &[&str]) -> Written {
    let mut command: Command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    let output =
        command.arg("init").args(words).current_dir(folder.path()).env("PATH", folder.path()).output();
    let output = output.expect("gpulint can be started");
    let note = String::from_utf8(output.stderr).expect("it is UTF-8");
    assert_eq!(output.status.code(), Some(0), "{note}");
    let policy = std::fs::read_to_string(folder.path().join("gpulint.yaml")).expect("it was written");
    let keys = policy.lines().map(|line| line.split("  # ").next().unwrap_or_default().trim_end());
    let keys = keys.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned);
    Written { keys: keys.collect(), note, policy }
}

#[test]
fn the_card_with_the_most_memory_and_the_other_is_forbidden() {
    let host = SimulatedHost::new();
    let written = init(&host, &[]);
    let expected = [
        "gpu:",
        "  name: \"RTX 3090\"",
        "  min-memory: 21GiB",
        "  visible-devices: \"1\"",
        "  device-order: PCI_BUS_ID",
        "  forbidden: [\"RTX 5060 Ti\"]",
    ];
    assert_eq!(written.keys, expected);
    assert_eq!(written.note, "");
    let by_uuid = "# visible-devices: \"GPU-30903090-0000-4000-8000-000000000002\"";
    assert!(written.policy.contains(by_uuid), "{}", written.policy);
    // NVML says it all, so that the driver was not asked.
    assert!(host.calls().iter().all(|call| !call.symbol.starts_with("cu")));
}

/// A project whose launcher sets this mask.
fn init_for_mask(mask: &str) -> Written {
    let folder = Folder::new("init-for-mask");
    let launcher = format!("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={mask} python train.py\n");
    std::fs::write(folder.path().join("run.sh"), launcher).expect("it can be written");
    std::fs::write(folder.path().join("train.py"), "import torch\n\ntorch.zeros(1).cuda()\n")
        .expect("so can this");
    init_in(&folder, &SimulatedHost::new(), &[])
}

#[test]
fn the_card_of_a_project_is_held_against_the_machine() {
    for mask in ["1", "GPU-30903090-0000-4000-8000-000000000002"] {
        let Written { policy, keys, .. } = init_for_mask(mask);
        let named = format!("  visible-devices: \"{mask}\"");
        assert!(keys.contains(&"  name: \"RTX 3090\"".to_owned()) && keys.contains(&named), "{policy}");
        assert!(policy.contains("# set at run.sh:1\n") && !policy.contains("On this machine"), "{policy}");
    }
    // Of the other card nothing is chosen, and both are shown.
    for mask in ["0", "GPU-50605060-0000-4000-8000-000000000001"] {
        let Written { policy, keys, .. } = init_for_mask(mask);
        assert_eq!(keys, ["gpu:", "  device-order: PCI_BUS_ID"], "{policy}");
        let told = format!(
            "# On this machine RTX 3090 is 1, and the project sets CUDA_VISIBLE_DEVICES to \"{mask}\" in run.sh:1: write the \
             one that is right, and its name.\n"
        );
        assert!(policy.contains(&told), "{policy}");
        for shown in
            ["  # name: \"RTX 3090\"", "  # visible-devices: \"1\"", "  # forbidden: [\"RTX 5060 Ti\"]"]
        {
            assert!(policy.contains(shown), "{shown}: {policy}");
        }
    }
}

#[test]
fn what_was_written_is_met_by_its_card() {
    let host = SimulatedHost::new();
    let folder = Folder::new("init-then-doctor");
    let gpulint = |words: &[&str], mask: &str| {
        let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
        command.args(words).current_dir(folder.path()).env("CUDA_VISIBLE_DEVICES", mask);
        command.env("CUDA_DEVICE_ORDER", "PCI_BUS_ID").output().expect("gpulint can be started").status.code()
    };
    assert_eq!(gpulint(&["init"], "0"), Some(0));
    assert_eq!(gpulint(&["doctor", "--allow-simulated"], "1"), Some(0));
    assert_eq!(gpulint(&["doctor", "--allow-simulated"], "0"), Some(5));
}

#[test]
fn a_mask_hides_no_card_from_it() {
    let host = SimulatedHost::new();
    let folder = Folder::new("init-masked");
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command.arg("init").current_dir(folder.path()).env("CUDA_VISIBLE_DEVICES", "");
    assert!(command.output().expect("gpulint can be started").status.success());
    let policy = std::fs::read_to_string(folder.path().join("gpulint.yaml")).expect("it was written");
    assert!(policy.contains("\n  name: \"RTX 3090\""), "{policy}");
}

#[test]
fn one_card_of_two_is_chosen_in_words() {
    let words = ["--visible-devices", "0", "--gpu-name", "RTX 5060 Ti"];
    let written = init(&SimulatedHost::new(), &words);
    let expected =
        ["gpu:", "  name: \"RTX 5060 Ti\"", "  visible-devices: \"0\"", "  device-order: PCI_BUS_ID"];
    assert_eq!(written.keys, expected);
}

#[test]
fn without_a_card_the_reason_is_said() {
    let because = "note: the policy names no GPU yet, because ";
    let hosts = [
        (SimulatedHost::new().changed(|host| host.cards.clear()), "NVML lists none"),
        (SimulatedHost::new().with(Fault::NoDriver), "NVML finds no loaded driver"),
        (
            SimulatedHost::new().with(Fault::VersionMismatch),
            "NVML is of another version than the driver in the kernel: restart the machine",
        ),
    ];
    for (host, reason) in hosts {
        let written = init(&host, &[]);
        assert_eq!(written.note.trim_end(), format!("{because}{reason}; write its name under `gpu`"));
        assert_eq!(written.keys, [""; 0]);
    }
}

/// pytest runs what `--import-test` writes: of four packages one sets a mask, one starts CUDA and one cannot be imported.
#[test]
fn importing_leaves_the_gpu_alone() {
    if !has_pytest() {
        return;
    }
    let folder = Folder::new("init-import-test");
    let starts = "import ctypes\nctypes.CDLL('libcuda.so.1').cuInit(0)\n";
    let masks = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n";
    let packages = [
        ("broken", "import not_there\n"),
        ("masks", masks),
        ("quiet", "print('made', end='')\n"),
        ("starts", starts),
    ];
    for (name, text) in packages {
        std::fs::create_dir(folder.path().join(name)).expect("it can be made");
        std::fs::write(folder.path().join(name).join("__init__.py"), text).expect("it can be written");
    }
    let host = SimulatedHost::new();
    let mut init = host.command(env!("CARGO_BIN_EXE_gpulint"));
    let written = init.args(["init", "--import-test"]).current_dir(folder.path()).output();
    assert!(written.expect("gpulint can be started").status.success());
    let mut pytest = host.command(python());
    let options = ["-q", "-p", "no:cacheprovider", "-rf", "tests/test_import_leaves_gpu_alone.py"];
    pytest.args(["-m", "pytest"]).args(options).current_dir(folder.path());
    pytest.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONPATH", folder.path()).env("COLUMNS", "200");
    let said = pytest.output().expect("pytest can be started");
    let said = String::from_utf8_lossy(&said.stdout);
    let masked = "`import masks` sets {'CUDA_VISIBLE_DEVICES': '1'}, for every program that imports it";
    for expected in
        [masked, "`import starts` starts CUDA", "`import broken` failed", "2 failed, 4 passed, 2 errors"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

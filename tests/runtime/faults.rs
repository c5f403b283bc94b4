//! Everything that can be made to go wrong with a simulated driver, end to end: what `gpulint exec` and `gpulint doctor` end
//! with, what they say, and what is written down. docs/exec.md has the table for people.

use crate::client::{REFUSED_BY_THE_DRIVER, launching, taking};
use crate::commands::{policy_folder, said};
use crate::patience::nothing_is_left_of;
use gpulint::runtime::document::Document;
use gpulint::runtime::record::{End, NotChecked, Record};
use gpulint::runtime::watch::Returned;
use simulated_gpu_host::{Fault, SimulatedHost};

const POLICY: &str = "gpu: {name: RTX 3090, min-memory: 20GiB, forbidden: [RTX 5060 Ti]}";
const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";
const MIB: u64 = 1 << 20;
/// Enough for a driver that answers, also on a machine that is busy.
const PATIENCE: &str = "60";

/// What is expected of one host.
struct Expected {
    code: i32,
    /// All that standard error says, in pieces; none: nothing.
    says: &'static [&'static str],
    /// Pieces of what stands below `not_checked`.
    not_checked: &'static [&'static str],
    doctor: (i32, &'static str),
}

const WELL: Expected = Expected { code: 0, says: &[], not_checked: &[], doctor: (0, "met: ") };

fn refused(code: i32, says: &'static [&'static str], doctor: &'static str) -> Expected {
    Expected { code, says, not_checked: &[], doctor: (5, doctor) }
}

/// Runs both, and holds them against what is expected; what else is to be said of the record is for the caller.
#[track_caller]
fn run(host: &SimulatedHost, options: &[&str], command: &[String], expected: &Expected) -> Record {
    let folder = policy_folder(POLICY);
    let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
    exec.current_dir(folder.path()).env("GPULINT_SLOT_DIR", folder.path().join("slots")).env_remove("CI");
    exec.args(["exec", "--allow-simulated", "--record", "run.json"]).args(options).arg("--").args(command);
    let answer = said(exec);
    let faults = &host.description.faults;
    assert_eq!(answer.code, Some(expected.code), "{faults:?}: {}", answer.error);
    for piece in expected.says {
        assert!(answer.error.contains(piece), "{faults:?}: {piece} is not in: {}", answer.error);
    }
    assert_eq!(answer.error.is_empty(), expected.says.is_empty(), "{faults:?}: {}", answer.error);
    assert!(!answer.error.contains("panicked"), "{faults:?}: {}", answer.error);
    let record = Record::read(&folder.path().join("run.json")).expect("it is a record");
    assert_ne!(record.end, End::Running, "{faults:?}");
    assert_eq!(record.exit_code, Some(expected.code), "{faults:?}");
    // Whether other cards can be kept out of reach is up to the system that runs the tests; `strays.rs` is about it.
    let others = |one: &&NotChecked| !one.why.contains("could not be kept out of reach");
    let unchecked: Vec<String> =
        record.not_checked.iter().filter(others).map(|one| format!("{}: {}", one.what, one.why)).collect();
    for piece in expected.not_checked {
        assert!(unchecked.iter().any(|one| one.contains(piece)), "{faults:?}: {piece}: {unchecked:?}");
    }
    assert_eq!(unchecked.is_empty(), expected.not_checked.is_empty(), "{faults:?}: {unchecked:?}");
    nothing_is_left_of(host);

    let mut doctor = host.command(env!("CARGO_BIN_EXE_gpulint"));
    doctor.current_dir(folder.path()).env("CUDA_VISIBLE_DEVICES", RTX_3090);
    let given = options.iter().skip_while(|option| **option != "--driver-timeout").nth(1);
    let timeout = given.copied().unwrap_or(PATIENCE);
    doctor.args(["doctor", "--allow-simulated", "--driver-timeout", timeout]);
    let answer = said(doctor);
    let (code, sentence) = expected.doctor;
    assert_eq!(answer.code, Some(code), "{faults:?}: {}", answer.text);
    assert_eq!(answer.error, "", "{faults:?}");
    assert!(answer.words().contains(sentence), "{faults:?}: {sentence} is not in: {}", answer.text);
    nothing_is_left_of(host);
    record
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}

fn with(fault: Fault) -> SimulatedHost {
    SimulatedHost::new().with(fault)
}

fn hung(symbol: &str) -> SimulatedHost {
    with(Fault::HungCall { symbol: symbol.to_owned() })
}

/// Whoever adds a fault finds this, and the tests below.
fn _each_has_a_test(fault: &Fault) {
    match fault {
        Fault::NoDriver | Fault::StubLibrary | Fault::VersionMismatch | Fault::NoPermission => {}
        Fault::ForeignProcess { .. } | Fault::Mig { .. } => {}
        Fault::OutOfMemory { .. } | Fault::Leak { .. } | Fault::WrongResult { .. } => {}
        Fault::SlowCard { .. } | Fault::Xid { .. } | Fault::EccErrors { .. } => {}
        Fault::NoProcessMemory | Fault::PidOpaque => {}
        Fault::GpuLost { .. } | Fault::HungCall { .. } => {}
        // Of no library that exec or doctor asks: the loads have tests of their own.
        Fault::CublasWrong | Fault::CublasRefuses => {}
    }
}

#[test]
fn nothing_runs_and_the_cause_and_the_way_out_are_said() {
    let one_card = |name: &str| {
        SimulatedHost::new().changed(|host| {
            host.cards.retain(|card| card.name.contains(name));
        })
    };
    let another = one_card("3090").changed(|host| host.cards[0].name = "NVIDIA H200".into());
    let busy = || with(Fault::ForeignProcess { bytes: MIB, pid: 1, card: None });
    let still_met = |says| Expected { doctor: (0, "used by process 1"), ..refused(6, says, "") };
    let cases: Vec<(SimulatedHost, &[&str], Expected)> = vec![
        (
            with(Fault::NoDriver),
            &[],
            refused(5, &["no loaded driver", "`modprobe nvidia`"], "no loaded driver"),
        ),
        (with(Fault::StubLibrary), &[], refused(5, &["stub", "remove its folder"], "the toolkit's stub")),
        (with(Fault::VersionMismatch), &[], refused(6, &["restart the machine"], "restart the machine")),
        (with(Fault::NoPermission), &[], refused(5, &["/dev/nvidia*"], "may not be used by this user")),
        (
            SimulatedHost::new().without_cuda(),
            &[],
            refused(
                5,
                &["no library of CUDA's driver", "install NVIDIA's driver"],
                "no library of CUDA's driver",
            ),
        ),
        (
            one_card("5060"),
            &[],
            refused(
                5,
                &["RTX 5060 Ti (GPU-50605060…) is forbidden (`gpu.forbidden: RTX 5060 Ti`)"],
                "is forbidden",
            ),
        ),
        (
            another,
            &[],
            refused(5, &["NVIDIA H200 (GPU-30903090…) is not `RTX 3090` (`gpu.name`)"], "is not `RTX 3090`"),
        ),
        (
            busy(),
            &["--foreign", "refuse"],
            still_met(&["in use by process 1", "without a slot: end that, or wait"]),
        ),
        (
            busy(),
            &["--slot-timeout", "0.2"],
            still_met(&["waiting for NVIDIA GeForce RTX 3090", "when the time to wait"]),
        ),
        (
            with(Fault::Mig { card: Some("GPU-3090".into()) }),
            &[],
            // Each slice has half of what the policy wants.
            refused(5, &["(MIG-10903090…) has 12132MiB", "less than 20GiB"], "(MIG-10903090…) has 12132MiB"),
        ),
        (
            with(Fault::GpuLost { launch: 0, card: Some("GPU-3090".into()) }),
            &[],
            refused(6, &["fell off the bus: restart the machine"], "fell off the bus"),
        ),
        (
            with(Fault::GpuLost { launch: 0, card: None }),
            &[],
            // The driver still shows it.
            Expected {
                doctor: (0, "2 cards that fell off the bus"),
                ..refused(6, &["fell off the bus"], "")
            },
        ),
        (
            hung("cuInit"),
            &["--driver-timeout", "1"],
            refused(6, &["within 1 second: give it longer"], "within 1 second"),
        ),
        (
            hung("cuDeviceGetUuid_v2"),
            &["--driver-timeout", "1"],
            refused(6, &["within 1 second"], "within 1 second"),
        ),
    ];
    for (host, options, expected) in cases {
        let record = run(&host, options, &words(&["echo", "it ran"]), &expected);
        assert!(matches!(record.end, End::Refused { .. }), "{record:?}");
        assert_eq!(record.wall_seconds, None);
    }
}

#[test]
fn what_a_command_meets_itself_is_its_own_affair() {
    let failed = Expected { code: REFUSED_BY_THE_DRIVER, ..WELL };
    let cases = [
        (with(Fault::OutOfMemory { allocation: 1 }), &failed),
        (with(Fault::Leak { bytes: 4 * MIB, in_pool: false, card: None }), &WELL),
        (with(Fault::WrongResult { launch: 1, card: None }), &WELL),
        (with(Fault::SlowCard { milliseconds: 20, card: None }), &WELL),
        // That of another card.
        (with(Fault::GpuLost { launch: 0, card: Some("GPU-5060".into()) }), &WELL),
    ];
    for (host, expected) in cases {
        let record = run(&host, &[], &launching(MIB, 3, 0.0), expected);
        assert!(matches!(record.end, End::Exited { .. }), "{record:?}");
        assert!(matches!(record.returned, Some(Returned::Back { .. })), "{record:?}");
        assert!(record.simulated && record.readings.is_some_and(|readings| readings.samples > 0));
    }
}

#[test]
fn what_happens_to_the_card_is_said_and_written_down() {
    let broken = Expected { says: &["note: the driver reported an error of the card", "XID 79"], ..WELL };
    let record =
        run(&with(Fault::Xid { number: 79, launch: 2, card: None }), &[], &launching(MIB, 3, 0.0), &broken);
    let numbers: Vec<_> =
        record.readings.iter().flat_map(|readings| &readings.xids).map(|xid| xid.number).collect();
    assert_eq!(numbers, [Some(79)]);

    let worn = with(Fault::EccErrors { corrected: 3, uncorrected: 2, card: Some("GPU-3090".into()) });
    let sentence = "2 errors of its memory since the driver was loaded that ECC could not correct";
    run(
        &worn,
        &[],
        &words(&["true"]),
        &Expected { says: &["counts 2 errors"], doctor: (0, sentence), ..WELL },
    );

    let lost = with(Fault::GpuLost { launch: 1, card: Some("GPU-3090".into()) });
    let gone = Expected {
        code: REFUSED_BY_THE_DRIVER,
        says: &["not checked: whether the memory of the card is back: the card fell off the bus"],
        not_checked: &["whether the memory of the card is back: the card fell off the bus"],
        doctor: (5, "fell off the bus"),
    };
    let record = run(&lost, &[], &launching(MIB, 1, 0.5), &gone);
    assert!(matches!(record.returned, Some(Returned::NotKnown { .. })), "{record:?}");
}

#[test]
fn what_the_driver_does_not_tell_is_not_checked() {
    let growth = Expected { not_checked: &["the growth of the whole card"], ..WELL };
    let record = run(&with(Fault::NoProcessMemory), &[], &taking(64 * MIB, 0.5), &growth);
    let memory = record.readings.and_then(|readings| readings.command_memory);
    assert!(memory.is_some_and(|memory| memory.max >= 64 * MIB), "{memory:?}");

    let unknown =
        Expected { not_checked: &["the growth of the whole card", "it is not known whose they are"], ..WELL };
    let record = run(&with(Fault::PidOpaque), &[], &taking(64 * MIB, 0.5), &unknown);
    assert!(matches!(record.returned, Some(Returned::Back { .. })), "{record:?}");

    let says = &[
        "note: not checked: whether somebody else computes on NVIDIA GeForce RTX 3090",
        "NVML is not installed",
    ];
    let blind = Expected {
        says,
        not_checked: &["whether somebody else computes", "the card during the run: NVML is not installed"],
        doctor: (0, "NVML is not installed"),
        code: 0,
    };
    let record = run(&SimulatedHost::new().without_nvml(), &[], &words(&["true"]), &blind);
    assert!(matches!(record.returned, Some(Returned::NotKnown { .. })), "{record:?}");
}

#[test]
fn nvml_that_hangs_holds_up_no_command() {
    let silent = |doctor| Expected {
        code: 0,
        says: &["not checked: whether somebody else computes", "NVML did not answer within 3 seconds"],
        not_checked: &["the card during the run: NVML did not answer"],
        doctor: (0, doctor),
    };
    let patience = ["--driver-timeout", "3"];
    for symbol in ["nvmlInit_v2", "nvmlDeviceGetComputeRunningProcesses_v3"] {
        run(&hung(symbol), &patience, &words(&["true"]), &silent("NVML did not answer within 3 seconds"));
    }
    // These two are asked only while a command runs.
    let late = Expected { not_checked: &["NVML did not answer within 2 s at the end"], ..WELL };
    for symbol in ["nvmlDeviceRegisterEvents", "nvmlEventSetWait_v2"] {
        run(&hung(symbol), &[], &words(&["true"]), &late);
    }
    let stuck = Expected { code: 124, says: &["it ran for longer than 1 s"], ..WELL };
    run(&hung("cuLaunchKernel"), &["--timeout", "1"], &launching(MIB, 1, 0.0), &stuck);
}

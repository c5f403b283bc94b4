//! A driver that never answers: doctor ends in time, says so, tells what else is known, and leaves no process behind.

use crate::folder::Folder;
use simulated_gpu_host::{Fault, SimulatedHost};
use std::path::Path;
use std::time::{Duration, Instant};

const POLICY: &str = "gpu: {name: RTX 3090}\n";

/// The report as words in one line, after an exit with this code.
fn told(host: &SimulatedHost, words: &[&str], code: i32) -> String {
    let folder = Folder::new("patience");
    std::fs::write(folder.path().join("gpulint.yaml"), POLICY).expect("the temporary folder is writable");
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command.args(["doctor", "--allow-simulated"]).args(words).current_dir(folder.path());
    let output = command.output().expect("gpulint can be started");
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    assert_eq!(output.status.code(), Some(code), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hanging_in(symbol: &str) -> SimulatedHost {
    SimulatedHost::new().with(Fault::HungCall { symbol: symbol.to_owned() })
}

/// Every process of a simulated host carries the path of its description.
fn has_processes(host: &SimulatedHost) -> bool {
    let folder = host.folder().to_str().expect("it is UTF-8").as_bytes();
    let processes = std::fs::read_dir("/proc").expect("Linux has it").flatten();
    // One that ended and is not yet buried has no environment any more.
    let environments = processes.filter_map(|process| std::fs::read(process.path().join("environ")).ok());
    environments.into_iter().any(|environment| environment.windows(folder.len()).any(|part| part == folder))
}

#[track_caller]
pub fn nothing_is_left_of(host: &SimulatedHost) {
    assert!(Path::new("/proc/self/environ").exists());
    let until = Instant::now() + Duration::from_secs(60);
    while has_processes(host) {
        assert!(Instant::now() < until, "a process is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_driver_that_hangs_hides_no_card_of_nvml() {
    let host = hanging_in("cuInit");
    let text = told(&host, &["--driver-timeout", "1"], 5);
    assert!(text.contains("cuda:0 no card why CUDA's driver did not answer within 1 second "), "{text}");
    assert!(text.contains("Policy not met: "), "{text}");
    for card in ["RTX 5060 Ti 15.9 GiB", "RTX 3090 24.0 GiB"] {
        assert!(text.contains(card), "{text}");
    }
    nothing_is_left_of(&host);
}

#[test]
fn nvml_that_hangs_hides_no_card_of_the_driver() {
    let host = hanging_in("nvmlInit_v2");
    // Both cards are visible without a mask, and the policy wants one.
    let text = told(&host, &["--driver-timeout", "3"], 5);
    assert!(text.contains("NVML did not answer within 3 seconds"), "{text}");
    assert!(text.contains("cuda:0 NVIDIA GeForce RTX 3090"), "{text}");
    assert!(!text.contains("CUDA's driver did not answer"), "{text}");
    // Which place they have among all cards is not known.
    assert!(text.contains("? RTX 5060 Ti 15.5 GiB ?"), "{text}");
    nothing_is_left_of(&host);
}

#[test]
fn the_report_for_programs_tells_silence_from_an_answer() {
    let host = hanging_in("cuInit");
    let text = told(&host, &["--driver-timeout", "1", "--format", "json"], 5);
    let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(report["machine"]["driver"]["silence"], 1);
    assert_eq!(report["machine"]["listing"]["answer"]["boards"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_cannot_be_used_is_refused_in_one_sentence() {
    let host = SimulatedHost::new();
    let folder = Folder::new("refused");
    let refused = |words: &[&str]| {
        let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
        let output = command.arg("doctor").args(words).current_dir(folder.path()).output();
        let output = output.expect("gpulint can be started");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}: {output:?}");
        String::from_utf8(output.stderr).expect("it is UTF-8")
    };
    for timeout in ["0", "-1", "3601", "soon", "1.5"] {
        assert!(refused(&[&format!("--driver-timeout={timeout}")]).contains("--driver-timeout"), "{timeout}");
    }
    assert!(refused(&["--batch-that-fits", "32"]).contains("32@16GiB"));
    for (content, words) in [
        (&b"gpu: {nmae: RTX 3090}\n"[..], "nmae"),
        (b"gpu: [\n", "gpulint.yaml"),
        (b"\xff\xfe\x00", "gpulint.yaml"),
    ] {
        std::fs::write(folder.path().join("gpulint.yaml"), content).expect("the folder is writable");
        let error = refused(&[]);
        assert!(error.starts_with("error: ") && error.contains(words), "{error}");
    }
    let error = refused(&["--config", "nowhere.yaml"]);
    assert!(error.contains("nowhere.yaml") && error.trim_end().lines().count() == 1, "{error}");
    assert!(host.calls().is_empty(), "no driver was asked");
}

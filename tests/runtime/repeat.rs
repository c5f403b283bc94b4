//! `python -m gpulint.repeat`: programs that lose memory of the GPU each time they run, and programs that seem to.

use crate::commands::{Said, has_python, said};
use crate::folder::Folder;
use crate::validate::Project;
use serde_json::Value;
use simulated_gpu_host::SimulatedHost;
use std::path::{Path, PathBuf};

const RTX_5060_TI: &str = "GPU-50605060-0000-4000-8000-000000000001";

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folders in which Python finds gpulint and the stand-ins.
fn path() -> std::ffi::OsString {
    let folders = [in_repository("packaging/python"), in_repository("tests/pytest/standins")];
    std::env::join_paths(folders).expect("plain paths")
}

struct Repeated {
    said: Said,
    document: Value,
}

fn repeated(variables: &[(&str, &str)], words: &[&str]) -> Repeated {
    let (host, folder) = (SimulatedHost::new(), Folder::new("repeat"));
    let report = folder.path().join("report.json");
    let mut python = host.command("python3");
    python.current_dir(in_repository("tests/pytest/programs")).env("PYTHONPATH", path());
    python.env("PYTHONDONTWRITEBYTECODE", "1").envs(variables.iter().copied());
    python.args(["-m", "gpulint.repeat", "--report"]).arg(&report).args(words);
    let said = said(python);
    let text = std::fs::read_to_string(report).unwrap_or_default();
    Repeated { said, document: serde_json::from_str(&text).unwrap_or_default() }
}

#[test]
fn each_program_is_told() {
    if !has_python() {
        return;
    }
    for (how, code, why) in [
        ("clean", 0, "clean: it gave back all that it took, 10 times"),
        ("smallest", 4, "leak: it lost 4.5 KiB of torch on cuda:0 over 10 iterations"),
        // While it warms up.
        ("model", 0, "clean: it gave back all that it took, 10 times"),
        ("late", 0, "one off: it took 3.8 MiB of torch on cuda:0 early, and no more"),
        ("traceback", 0, "clean: it gave back all that it took, 10 times"),
        ("fails", 4, "failed: run 4: ValueError: the fourth"),
        ("code", 4, "failed: run 1: it ended with code 3"),
        ("raw", 4, "leak: it lost 36.0 MiB of the driver on GPU-"),
        ("tensorflow", 4, "leak: it lost 34.3 MiB of tensorflow on cuda:0 over 10 iterations"),
    ] {
        let told = repeated(&[], &["losing.py", how]);
        assert_eq!(told.said.code, Some(code), "{how}: {}", told.said.error);
        assert!(told.said.error.contains(&format!("gpulint.repeat: {why}")), "{how}: {}", told.said.error);
    }
}

#[test]
fn figures_names_and_a_snapshot() {
    if !has_python() {
        return;
    }
    let folder = Folder::new("snapshot");
    let snapshot = folder.path().join("snapshot.pickle");
    let snapshot = snapshot.to_str().expect("a plain name");
    let told = repeated(&[], &["--snapshot", snapshot, "--iterations", "6", "-m", "losing", "smallest"]);
    assert_eq!(told.said.code, Some(4), "{}", told.said.error);
    assert_eq!(std::fs::read_to_string(snapshot).expect("it was written"), "recorded");
    let document = &told.document;
    let counted =
        document["iterations"].as_array().expect("a list").iter().filter(|one| one["counts"] == true);
    assert_eq!(counted.count(), 6);
    let last = &document["iterations"][7]["after"]["torch on cuda:0"];
    for figure in
        ["in_use", "held", "most_in_use", "most_held", "free", "total", "utilisation", "fragmentation"]
    {
        assert!(last[figure].is_number(), "{figure}: {last}");
    }
    assert_eq!(document["alive"][0]["held_by"], "`TENSORS` of kept.py");
    let torch =
        document["growth"].as_array().expect("a list").iter().find(|one| one["of"] == "torch on cuda:0");
    assert_eq!(torch.expect("it was read")["bytes"], 5 * 512);
    let told = repeated(&[], &["losing.py", "tensorflow"]);
    let last = &told.document["iterations"][3]["after"]["tensorflow on cuda:0"];
    assert_eq!((&last["in_use"], &last["most_in_use"]), (&16_000_000.into(), &16_000_000.into()), "{last}");
}

#[test]
fn what_is_not_known_is_not_approved() {
    if !has_python() {
        return;
    }
    let told = repeated(&[], &["-m", "this"]);
    assert_eq!(told.said.code, Some(6), "{}", told.said.error);
    assert!(told.said.error.contains("nothing initialised CUDA"));
    for (words, message) in [
        (&["--iterations", "4", "losing.py"][..], "fewer than 5 iterations show nothing"),
        (&["no-such-script.py"], "there is no script no-such-script.py"),
    ] {
        let told = repeated(&[], words);
        assert!(told.said.code == Some(2) && told.said.error.contains(message), "{}", told.said.error);
    }
    // Something between the environment and the program chose another card.
    let told = repeated(&[("CUDA_VISIBLE_DEVICES", RTX_5060_TI)], &["losing.py", "another_card"]);
    assert_eq!(told.said.code, Some(5), "{}", told.said.error);
    assert!(told.said.error.contains("wrong card: CUDA_VISIBLE_DEVICES is GPU-5060"), "{}", told.said.error);
}

#[test]
fn as_a_target_of_a_validation() {
    if !has_python() {
        return;
    }
    let programs = in_repository("tests/pytest/programs");
    let script = programs.join("losing.py");
    let policy = |how: &str| {
        let words = serde_json::json!(["python3", "-m", "gpulint.repeat", script, how]);
        format!(
            "gpu: {{name: RTX 3090, device-order: PCI_BUS_ID, visible-devices: '1'}}\nruntime: {{iterations: 1, targets: [{{name: train, command: {words}, mode: gpu}}]}}\n"
        )
    };
    for (how, code, reasons) in [
        ("clean", 0, &[][..]),
        ("smallest", 4, &["leak"]),
        ("fails", 4, &["command-failed"]),
        ("nothing", 6, &["not-measured"]),
    ] {
        let project = Project::of(SimulatedHost::new(), &policy(how));
        let mut command = project.command(&["--profile", "leak"]);
        command.env("PYTHONPATH", path()).env("PYTHONDONTWRITEBYTECODE", "1");
        let said = said(command);
        let document: Value = serde_json::from_str(&said.text).expect("it is JSON");
        let told = document["reasons"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|reason| reason["weight"] != "note");
        let told: Vec<_> = told.filter_map(|reason| reason["code"].as_str()).collect();
        assert_eq!((said.code, told.as_slice()), (Some(code), reasons), "{}", said.text);
        let checks = document["checks"].as_array().expect("a list");
        let repeated = &checks.iter().find(|check| check["name"] == "train").expect("it ran")["repeated"];
        let counted = repeated["iterations"].as_array().expect("a list");
        let counted = counted.iter().filter(|one| one["counts"] == true).count();
        assert_eq!(counted, if how == "fails" { 2 } else { 10 }, "{how}: {repeated}");
        if how == "smallest" {
            let why = "it lost 4.5 KiB of torch on cuda:0 over 10 iterations; the last run left float32[1] torch on cuda:0, held by `TENSORS` of ";
            assert!(document["reasons"].to_string().contains(why), "{}", document["reasons"]);
            let torch = repeated["growth"].as_array().expect("a list");
            let torch = torch.iter().find(|one| one["of"] == "torch on cuda:0").expect("it was read");
            let series: Vec<_> =
                torch["series"].as_array().expect("a list").iter().map(Value::as_f64).collect();
            assert!(series.windows(2).all(|pair| pair[1].zip(pair[0]).is_some_and(|(b, a)| b - a == 512.0)));
        }
    }
}

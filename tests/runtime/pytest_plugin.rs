//! `pytest --gpulint` with real pytest, and with stand-ins for torch, CuPy and JAX that take memory of a simulated host.

use crate::commands::{Said, said};
use crate::folder::Folder;
use serde_json::Value;
use simulated_gpu_host::{Fault, SimulatedHost};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";
const RTX_5060_TI: &str = "GPU-50605060-0000-4000-8000-000000000001";
const NO_PROGRAM: &str = "/usr/bin:/bin";

/// Whether there is a Python with pytest and pytest-xdist; where tools are required, there is.
pub fn has_pytest() -> bool {
    let asked = Command::new("python3").args(["-c", "import pytest, xdist"]).output();
    let found = asked.is_ok_and(|output| output.status.success());
    assert!(
        found || std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(),
        "python3 has no pytest and pytest-xdist"
    );
    if !found {
        eprintln!("skipped: python3 has no pytest and pytest-xdist");
    }
    found
}

/// The program itself: what PATH leads to may be a script that looks for it there.
pub fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        String::from_utf8(asked.expect("it is there").stdout).expect("a path").trim().to_owned()
    })
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A run of pytest in a folder with these files of `tests/pytest/cases`.
struct Run {
    host: SimulatedHost,
    folder: Folder,
    /// With the folders in which the program gpulint is looked for.
    path: String,
    variables: Vec<(&'static str, &'static str)>,
}

impl Run {
    fn of(cases: &[&str]) -> Run {
        let folder = Folder::new("pytest");
        for name in cases.iter().chain(&["conftest.py"]) {
            let text =
                std::fs::read_to_string(in_repository("tests/pytest/cases").join(name)).expect("it is there");
            std::fs::write(folder.path().join(name), text).expect("the folder is writable");
        }
        Run { host: SimulatedHost::new(), folder, path: NO_PROGRAM.into(), variables: Vec::new() }
    }

    /// With this policy, and a program gpulint that approves simulated cards where `allowed`.
    fn with_program(mut self, policy: Option<&str>, allowed: bool) -> Run {
        let bin = self.folder.path().join("bin");
        std::fs::create_dir(&bin).expect("the folder is writable");
        let (program, option) =
            (env!("CARGO_BIN_EXE_gpulint"), if allowed { "--allow-simulated" } else { "" });
        let script = format!("#!/bin/sh\nword=$1; shift\nexec '{program}' $word {option} \"$@\"\n");
        std::fs::write(bin.join("gpulint"), script).expect("the folder is writable");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(bin.join("gpulint"), mode).expect("it is ours");
        if let Some(policy) = policy {
            std::fs::write(self.folder.path().join("gpulint.yaml"), policy).expect("the folder is writable");
        }
        self.path = format!("{}:{NO_PROGRAM}", bin.display());
        self
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Run {
        self.variables.push((name, value));
        self
    }

    fn pytest(&self, options: &[&str]) -> Said {
        let mut pytest = self.host.command(python());
        let paths = [in_repository("packaging/python"), in_repository("tests/pytest/standins")];
        pytest
            .current_dir(self.folder.path())
            .env("PYTHONPATH", std::env::join_paths(paths).expect("plain paths"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PATH", &self.path)
            .env("GPULINT_SLOT_DIR", self.folder.path().join("slots"))
            .env_remove("PYTEST_ADDOPTS")
            .envs(self.variables.iter().copied())
            .args([
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "-p",
                "gpulint.pytest_plugin",
                "--rootdir",
                ".",
            ])
            .args(options);
        said(pytest)
    }

    fn watched(&self, options: &[&str]) -> Watched {
        let report = self.folder.path().join("report.json");
        let mut words = vec![
            "--gpulint",
            "-rA",
            "--tb=short",
            "--gpulint-report",
            report.to_str().expect("a plain name"),
        ];
        words.extend(options);
        let said = self.pytest(&words);
        let text = std::fs::read_to_string(&report)
            .unwrap_or_else(|_| panic!("no report: {}{}", said.text, said.error));
        Watched { said, report: serde_json::from_str(&text).expect("it is JSON") }
    }
}

struct Watched {
    said: Said,
    report: Value,
}

impl Watched {
    fn tests(&self) -> &Vec<Value> {
        self.report["tests"].as_array().expect("a list")
    }

    fn test(&self, name: &str) -> &Value {
        let ends = |test: &&Value| test["id"].as_str().is_some_and(|id| id.ends_with(&format!("::{name}")));
        self.tests().iter().find(ends).unwrap_or_else(|| panic!("no test {name}: {}", self.said.text))
    }

    /// What pytest says of each test, as `FAILED test_a.py::test_b`.
    fn outcomes(&self) -> BTreeSet<String> {
        outcomes(&self.said)
    }

    fn notes(&self) -> String {
        self.report["notes"].to_string()
    }

    /// What each worker was given and then saw.
    fn cards(&self) -> Vec<(String, String)> {
        let workers = self.report["workers"].as_array().expect("a list");
        let mut cards: Vec<_> = workers
            .iter()
            .map(|worker| (worker["given"].to_string(), worker["visible"].to_string()))
            .collect();
        cards.sort();
        cards
    }
}

fn outcomes(said: &Said) -> BTreeSet<String> {
    let told = said.text.lines().filter(|line| {
        ["PASSED ", "FAILED ", "ERROR ", "XFAIL "].iter().any(|word| line.starts_with(word))
            && line.contains("::")
    });
    told.map(|line| line.split(" - ").next().unwrap_or_default().to_owned()).collect()
}

/// What the plugin is to say of a test, by the second word of its name.
fn expected(id: &str) -> &'static str {
    let name = id.rsplit("::").next().unwrap_or_default();
    match name.split('_').nth(1).unwrap_or_default() {
        "leak" => "leak",
        "clean" => "clean",
        "once" => "kept_once",
        "grew" => "grew",
        "used" => "used_gpu",
        "unmeasured" => "not_measured",
        _ => panic!("{id} does not say what is expected of it"),
    }
}

/// All cases of a file are told right, those and no others have errors that they do not have without the plugin, and nothing else changes.
fn each_case_is_told(file: &str, least: usize, options: &[&str]) -> Option<Watched> {
    if !has_pytest() {
        return None;
    }
    let run = Run::of(&[file]);
    let watched = run.watched(options);
    let mut wrong = String::new();
    for test in watched.tests() {
        let (id, verdict) = (test["id"].as_str().expect("a text"), test["verdict"].as_str().expect("a word"));
        if expected(id) != verdict {
            writeln!(wrong, "{id}: {verdict}: {}", test["why"]).expect("it is a text");
        }
    }
    assert!(wrong.is_empty() && watched.tests().len() >= least, "{wrong}\n{}", watched.said.text);
    assert_eq!(watched.said.code, Some(1), "{}", watched.said.error);
    let plain = outcomes(&run.pytest(&["-rA"]));
    let added: BTreeSet<_> = watched.outcomes().difference(&plain).cloned().collect();
    let failing = watched.tests().iter().map(|test| test["id"].as_str().expect("a text"));
    let failing = failing.filter(|id| ["leak", "used_gpu"].contains(&expected(id)));
    assert_eq!(added, failing.map(|id| format!("ERROR {id}")).collect());
    assert!(plain.is_subset(&watched.outcomes()), "{plain:?}");
    Some(watched)
}

#[test]
fn leaks_of_torch() {
    let Some(watched) = each_case_is_told("test_leaks.py", 40, &["--gpulint-repeats", "3"]) else { return };
    let held_by =
        |name: &str| watched.test(name)["alive"][0]["held_by"].as_str().unwrap_or_default().to_owned();
    let leak = watched.test("test_leak_four_megabytes");
    let tensor = serde_json::json!({
        "framework": "torch", "shape": [1_048_576], "dtype": "float32", "device": "cuda:0", "bytes": 4_194_304,
        "held_by": "`KEPT` of test_leaks.py"
    });
    assert_eq!(leak["alive"], serde_json::json!([tensor]));
    assert_eq!(leak["repeats"], serde_json::json!(vec![4_194_304; 3]));
    assert_eq!(held_by("test_leak_in_a_held_traceback"), "`TRACEBACKS` of test_leaks.py");
    assert_eq!(held_by("test_leak_in_a_closure"), "`BY_NAME` of test_leaks.py");
    assert_eq!(held_by("TestClass::test_leak_of_a_method"), "class `TestClass`");
    assert!(
        watched
            .said
            .text
            .contains("4.0 MiB  float32[1048576] torch on cuda:0, held by `KEPT` of test_leaks.py")
    );
    assert_eq!(watched.test("test_leak_on_the_second_card")["kept"]["torch on cuda:1"], 4_194_304);
}

#[test]
fn leaks_of_others() {
    let Some(watched) = each_case_is_told("test_others.py", 7, &[]) else { return };
    let of_tensorflow = watched.test("test_leak_tensorflow");
    assert_eq!(of_tensorflow["kept"]["tensorflow on cuda:0"], 4_000_000);
    assert_eq!(of_tensorflow["repeats"], serde_json::json!(vec![4_000_000; 5]));
    assert_eq!(watched.test("test_leak_jax")["repeats"], serde_json::json!(vec![4_000_000; 5]));
}

#[test]
fn tests_that_do_without_the_gpu() {
    let Some(watched) = each_case_is_told("test_cpu.py", 14, &[]) else { return };
    assert_eq!(watched.test("test_used_import")["why"], "it imported torch (test_cpu.py:36)");
}

/// Neither its own questions nor those to frameworks initialise CUDA.
#[test]
fn the_plugin_initialises_nothing() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&[]);
    let test = "import cupy, torch, jax, tensorflow\n\ndef test_unmeasured_imports():\n    pass\n";
    std::fs::write(run.folder.path().join("test_imports.py"), test).expect("the folder is writable");
    let watched = run.watched(&[]);
    assert_eq!(watched.test("test_unmeasured_imports")["verdict"], "not_measured");
    assert!(
        watched.notes().contains("cupy and jax and tensorflow and torch used no GPU"),
        "{}",
        watched.notes()
    );
    assert_eq!(watched.said.code, Some(0), "{}", watched.said.text);
    assert!(run.host.calls().is_empty(), "{:?}", run.host.calls());
}

#[test]
fn what_it_cannot_do_is_said_once() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&[]);
    let test = "def test_one(): pass\ndef test_two(): pass\n";
    std::fs::write(run.folder.path().join("test_plain.py"), test).expect("the folder is writable");
    let watched = run.watched(&["-n", "2"]);
    assert_eq!(watched.said.code, Some(0), "{}", watched.said.text);
    let note = "note: nothing was measured: none of torch, CuPy, JAX and TensorFlow was imported, and no library initialised CUDA";
    assert_eq!(watched.said.text.matches(note).count(), 1, "{}", watched.said.text);
    // Without the option there is not a word.
    let plain = run.pytest(&[]);
    assert!(plain.code == Some(0) && !plain.text.contains("gpulint"), "{}", plain.text);
}

#[test]
fn the_driver_is_not_judged_where_it_cannot_be() {
    if !has_pytest() {
        return;
    }
    let select = ["-k", "only_the_driver or four_megabytes"];
    let without = Run { host: SimulatedHost::new().without_nvml(), ..Run::of(&["test_leaks.py"]) };
    let container = Run { host: SimulatedHost::new().with(Fault::PidOpaque), ..Run::of(&["test_leaks.py"]) };
    let busy = SimulatedHost::new().with(Fault::PidOpaque).with(Fault::ForeignProcess {
        card: Some("GPU-3090".into()),
        pid: 1,
        bytes: 1 << 20,
    });
    let busy = Run { host: busy, ..Run::of(&["test_leaks.py"]) };
    for (run, verdict) in [(without, "clean"), (container, "leak"), (busy, "clean")] {
        let watched = run.watched(&select);
        assert_eq!(watched.test("test_leak_four_megabytes")["verdict"], "leak", "{}", watched.said.text);
        assert_eq!(
            watched.test("test_leak_that_only_the_driver_counts")["verdict"],
            verdict,
            "{}",
            watched.said.text
        );
    }
}

#[test]
fn options_and_marks() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&["test_leaks.py"]);
    let one = ["-k", "four_megabytes or once_global"];
    let verdicts = |options: &[&str]| {
        let watched = run.watched(&[&one, options].concat());
        let of = |name: &str| watched.test(name)["verdict"].as_str().expect("a word").to_owned();
        (of("test_leak_four_megabytes"), of("test_once_global"), watched.said.code)
    };
    let is = |leak: &str, once: &str, code| (leak.to_owned(), once.to_owned(), Some(code));
    assert_eq!(verdicts(&["--gpulint-allow", "4MiB"]), is("clean", "clean", 0));
    assert_eq!(verdicts(&["--gpulint-repeats", "2"]), is("leak", "kept_once", 1));
    assert_eq!(verdicts(&["-o", "gpulint_leak=report"]), is("grew", "grew", 0));
    // An option counts before an ini option.
    assert_eq!(verdicts(&["-o", "gpulint_leak=report", "--gpulint-leak", "strict"]), is("leak", "leak", 1));

    for (options, message) in [
        (&["--gpulint", "--gpulint-leak", "often"][..], "leak is `often`, and can be repeat, strict, report"),
        (&["--gpulint", "--gpulint-allow", "4Mi"], "allow is `4Mi`, which is no size such as 4MiB"),
        (&["--gpulint", "--gpulint-repeats", "1"], "repeats is `1`, and can be 2 to 1000"),
        (&["--gpulint", "--gpulint-cards", "all"], "cards is `all`, and can be auto, slot, keep"),
        (&["--gpulint-report", "x"], "--gpulint-report needs --gpulint"),
    ] {
        let said = run.pytest(options);
        assert!(
            said.code == Some(4) && said.error.contains(message),
            "{options:?}: {}{}",
            said.text,
            said.error
        );
    }
    let marks = "import pytest\n@pytest.mark.gpulint(leak='alow 4')\ndef test_x(): pass\n@pytest.mark.gpulint(mode='tpu')\ndef test_y(): pass\ndef test_z(): pass\n";
    std::fs::write(run.folder.path().join("test_leaks.py"), marks).expect("the folder is writable");
    let said = run.pytest(&["--gpulint", "-rA", "--tb=no"]);
    let told: Vec<_> = outcomes(&said).into_iter().collect();
    assert_eq!(
        told,
        ["ERROR test_leaks.py::test_x", "ERROR test_leaks.py::test_y", "PASSED test_leaks.py::test_z"]
    );
}

#[test]
fn a_report_that_cannot_be_written_is_said() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&["test_leaks.py"]);
    std::fs::write(run.folder.path().join("file"), "").expect("the folder is writable");
    let said = run.pytest(&["--gpulint", "-k", "clean_cycle", "--gpulint-report", "file/report.json"]);
    assert!(
        said.code == Some(4) && said.text.contains("file/report.json cannot be written"),
        "{}",
        said.text
    );
}

#[test]
fn the_errors_of_leaks_are_in_the_report_of_junit() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&["test_leaks.py"]);
    let file = run.folder.path().join("junit.xml");
    let watched = run.watched(&["-k", "four_megabytes", "--junitxml", "junit.xml"]);
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| panic!("{}", watched.said.text));
    for part in [
        r#"errors="1" failures="0""#,
        r#"<property name="gpulint" value="leak" />"#,
        r#"<property name="gpulint_kept: torch on cuda:0" value="4194304" />"#,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// What the file of JUnit says of a test, of each of its entries.
fn entries<'a>(junit: &'a str, test: &str) -> Vec<&'a str> {
    let is_of_it = |entry: &&str| entry.contains(&format!(r#"name="{test}""#));
    junit.split("<testcase").skip(1).filter(is_of_it).collect()
}

#[test]
fn what_does_not_leak_has_its_figures_in_the_report_of_junit_too() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&["test_leaks.py"]);
    let own = "import pytest, torch\n\n\nKEPT = []\n\n\n@pytest.mark.parametrize('what', ['a.b/c'])\ndef test_once_own(record_property, what):\n    record_property('shape', 5)\n    KEPT[:] = [torch.zeros(1000, device='cuda:0')]\n\n\ndef test_no_gpu():\n    pass\n";
    std::fs::write(run.folder.path().join("test_a.py"), own).expect("the folder is writable");
    let plain = "def test_before():\n    pass\n";
    std::fs::write(run.folder.path().join("test_0.py"), plain).expect("the folder is writable");
    for options in [&["-n0"][..], &["-n", "2", "--dist", "loadfile", "--junit-prefix", "gpu"]] {
        let select = ["-k", "four_megabytes or clean_cycle or own or before", "--junitxml", "junit.xml"];
        let watched = run.watched(&[&select, options].concat());
        let text = std::fs::read_to_string(run.folder.path().join("junit.xml")).expect("it was written");
        let property = |name: &str, value: &str| format!(r#"<property name="{name}" value="{value}" />"#);
        let clean = entries(&text, "test_clean_cycle");
        assert!(clean.len() == 1 && clean[0].contains(&property("gpulint", "clean")), "{text}");
        let leak = entries(&text, "test_leak_four_megabytes");
        let is_told = |entry: &&str| entry.matches(&property("gpulint", "leak")).count() == 1;
        assert!(leak.len() == 2 && leak.iter().all(is_told), "{text}");
        let once = entries(&text, "test_once_own[a.b/c]");
        for part in [
            property("shape", "5"),
            property("gpulint", "kept_once"),
            property("gpulint_kept: torch on cuda:0", "4096"),
        ] {
            assert!(once.len() == 1 && once[0].contains(&part), "{part}: {text}");
        }
        assert_eq!(once[0].matches("<properties>").count(), 1, "{text}");
        // Nothing had initialised CUDA yet.
        assert!(!entries(&text, "test_before")[0].contains("gpulint"), "{text}");
        assert_eq!(watched.said.code, Some(1), "{}", watched.said.text);
    }
}

#[test]
fn of_a_worker_that_crashes_what_it_measured_is_told() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&[]);
    let tests = "import os, torch\n\nKEPT = []\n\n\ndef test_leak_first():\n    KEPT.append(torch.zeros(1000, 1000, device='cuda:0'))\n\n\ndef test_clean_second():\n    torch.zeros(10, device='cuda:0')\n\n\ndef test_crash():\n    os._exit(9)\n\n\ndef test_clean_last():\n    torch.zeros(10, device='cuda:0')\n";
    std::fs::write(run.folder.path().join("test_crash.py"), tests).expect("the folder is writable");
    let watched = run.watched(&["-n", "1", "--junitxml", "junit.xml"]);
    let verdicts: Vec<_> = ["leak_first", "clean_second", "crash", "clean_last"]
        .map(|name| watched.test(&format!("test_{name}"))["verdict"].as_str().expect("a word").to_owned())
        .into();
    assert_eq!(verdicts, ["leak", "clean", "not_measured", "clean"], "{}", watched.said.text);
    assert_eq!(watched.tests().len(), 4, "{:?}", watched.tests());
    let crashed = watched.test("test_crash");
    assert_eq!(
        (&crashed["why"], &crashed["worker"]),
        (&"the worker ended while it ran".into(), &"gw0".into())
    );
    let note = "the worker gw0 ended early: what it had measured by then is told";
    assert!(watched.notes().contains(note), "{}", watched.notes());
    let text = std::fs::read_to_string(run.folder.path().join("junit.xml")).expect("it was written");
    let clean = r#"<property name="gpulint" value="clean" />"#;
    assert!(entries(&text, "test_clean_second")[0].contains(clean), "{text}");
}

fn pair(given: &str, visible: &[&str]) -> (String, String) {
    (serde_json::json!(given).to_string(), serde_json::json!(visible).to_string())
}

#[test]
fn each_worker_has_a_card_of_its_own() {
    if !has_pytest() {
        return;
    }
    let one_each = vec![pair(RTX_3090, &[RTX_3090]), pair(RTX_5060_TI, &[RTX_5060_TI])];
    let run = || Run::of(&["test_workers.py"]);
    for run in [run(), run().with("CUDA_VISIBLE_DEVICES", "1,0").with("CUDA_DEVICE_ORDER", "PCI_BUS_ID")] {
        let watched = run.watched(&["-n", "2"]);
        assert_eq!(watched.cards(), one_each, "{}", watched.said.text);
        let leaks = watched.tests().iter().filter(|test| test["verdict"] == "leak").count();
        assert_eq!((leaks, watched.tests().len()), (1, 7), "{}", watched.said.text);
        assert_eq!(watched.outcomes().iter().filter(|line| line.starts_with("ERROR ")).count(), 1);
    }
}

#[test]
fn no_worker_has_more_than_the_environment_and_the_policy_leave() {
    if !has_pytest() {
        return;
    }
    let policy = "gpu: {name: RTX 3090, min-memory: 20GiB, visible-devices: '1', device-order: PCI_BUS_ID, forbidden: [RTX 5060 Ti]}\n";
    let run = || Run::of(&["test_workers.py"]);
    let with_policy = run().with_program(Some(policy), false).watched(&["-n", "2"]);
    assert_eq!(with_policy.cards(), [pair(RTX_3090, &[RTX_3090]), pair(RTX_3090, &[RTX_3090])]);
    assert!(with_policy.notes().contains("2 workers share fewer cards"), "{}", with_policy.notes());

    // The second card in CUDA's own order.
    let narrowed = run().with("CUDA_VISIBLE_DEVICES", "1").watched(&["-n", "2"]);
    assert_eq!(narrowed.cards(), [pair("1", &[RTX_5060_TI]), pair("1", &[RTX_5060_TI])]);

    let unknown = run();
    std::fs::write(unknown.folder.path().join("gpulint.yaml"), "gpu:\n  name: RTX 3090\n")
        .expect("the folder is writable");
    let unknown = unknown.watched(&["-n", "2"]);
    assert!(unknown.cards().iter().all(|(given, _)| given == "null"), "{:?}", unknown.cards());
    assert!(unknown.notes().contains("does not tell which card"), "{}", unknown.notes());
}

#[test]
fn the_slot_is_waited_for() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&["test_workers.py"]).with_program(None, true).with("CUDA_VISIBLE_DEVICES", "0");
    let watched = run.watched(&["-n", "2", "--gpulint-cards", "slot"]);
    assert_eq!(
        watched.cards(),
        [pair(RTX_3090, &[RTX_3090]), pair(RTX_3090, &[RTX_3090])],
        "{}",
        watched.said.text
    );
    assert_eq!(watched.tests().len(), 7);

    let refused = Run::of(&["test_workers.py"]).with_program(None, false).pytest(&[
        "--gpulint",
        "--gpulint-cards",
        "slot",
    ]);
    assert_eq!(refused.code, Some(4), "{}", refused.text);
    let all = format!("{}{}", refused.text, refused.error);
    assert!(
        all.contains("no slot: gpulint exec ended with 5: error: the cards of this machine are simulated"),
        "{all}"
    );
    let none = Run::of(&["test_workers.py"]).pytest(&["--gpulint", "--gpulint-cards", "slot"]);
    assert_eq!(none.code, Some(4), "{}", none.text);
    assert!(format!("{}{}", none.text, none.error).contains("slot needs the program gpulint"));
}

#[test]
fn what_can_be_asked_without_running_tests() {
    if !has_pytest() {
        return;
    }
    let run = Run::of(&[]);
    let said = run.pytest(&[in_repository("tests/pytest/units").to_str().expect("a plain path")]);
    assert_eq!(said.code, Some(0), "{}", said.text);
}

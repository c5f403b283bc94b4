//! What an earlier run found is kept for the same files, and only where the user keeps caches.

use crate::INDEX_WITHOUT_ORDER;
use crate::project::{Answer, Project};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

fn project() -> Project {
    Project::new().file("app/main.py", INDEX_WITHOUT_ORDER)
}

/// The outcomes of checks that are kept below a folder of caches; what programs came to lies beside them.
fn entries(caches: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(caches.join("gpulint/check")).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

/// Makes an entry old, so that whoever takes it can be told from who does not.
fn age(entry: &Path) {
    let file = fs::File::options().append(true).open(entry).expect("it is there");
    file.set_modified(SystemTime::now() - Duration::from_secs(1_000_000)).expect("it is ours");
}

fn is_old(entry: &Path) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified()).expect("it is there");
    modified.elapsed().is_ok_and(|age| age > Duration::from_secs(500_000))
}

#[cfg(unix)]
#[test]
fn a_second_run_says_the_same_from_the_cache() {
    for format in ["text", "json", "sarif", "github", "concise", "rdjson"] {
        let project = project();
        let words = format!("check app --format {format}");
        let first = project.run(&words);
        let [entry] = entries(&project.path(".cache")).try_into().expect("one entry");
        age(&entry);
        let same = |second: &Answer| second.is(1, &first.stdout, &first.stderr);
        same(&project.run(&words));
        assert!(!is_old(&entry), "{format}: taken");
        age(&entry);
        same(&project.run(&format!("{words} --no-cache")));
        assert!(is_old(&entry), "{format}: not taken");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_kept_without_a_cache_nor_in_the_project() {
    let project = project();
    project.run("check app --no-cache");
    assert!(!project.path(".cache").exists());
    let caches = project.path("caches");
    project.run_with_env("check app", "XDG_CACHE_HOME", &caches);
    assert_eq!(entries(&caches).len(), 1);
    assert!(!project.path(".cache").exists());
    let in_app: Vec<_> = fs::read_dir(project.path("app")).expect("readable").collect();
    assert_eq!(in_app.len(), 1);
}

/// A home that is missing, relative or a file: the check is made, and says nothing of it.
#[test]
fn a_place_that_cannot_hold_a_cache_holds_none() {
    let project = project().file("file", "");
    let expected = project.run("check app --no-cache");
    for caches in ["relative", "/proc/nothing", project.path("file/below").to_str().expect("UTF-8")] {
        let answer = project.run_with_env("check app", "XDG_CACHE_HOME", caches);
        answer.is(1, &expected.stdout, &expected.stderr);
        assert!(!project.path("relative").exists());
    }
}

#[test]
fn fixes_and_changed_files_are_checked_anew() {
    let project = project();
    let first = project.run("check app --format json");
    project.run("check app --format json");
    let fixed = project.run("check app --fix --unsafe-fixes --format json");
    assert_eq!(fixed.code, Some(0), "{fixed:?}");
    let text = project.read("app/main.py");
    assert!(text.contains("CUDA_DEVICE_ORDER"), "{text}");
    assert_eq!(project.run("check app --format json").code, Some(0));
    fs::write(project.path("app/main.py"), INDEX_WITHOUT_ORDER).expect("writable");
    let again = project.run("check app --format json");
    assert_eq!(again.stdout, first.stdout);
}

#[test]
fn standard_input_and_another_folder_have_answers_of_their_own() {
    let project = project();
    let run = || project.run_with_input("check - --stdin-filename app/main.py --format concise", b"x = 1\n");
    assert_eq!(project.run("check app --format concise").code, Some(1));
    assert_eq!(run().code, Some(0));
    assert_eq!(run().code, Some(0));
    let from_inside = project.run_in("app", "check --format concise");
    assert_eq!(from_inside.code, Some(1));
    assert!(from_inside.stdout.starts_with("main.py:2"), "{from_inside:?}");
}

/// What no program runs is followed alone, after the programs. That is kept too, with what they left of it.
#[cfg(unix)]
#[test]
fn code_that_no_program_runs_says_the_same_from_the_cache() {
    let library = "import torch\n\n\ndef choose():\n    torch.cuda.set_device(1)\n\n\ndef other():\n    torch.cuda.set_device(3)\n";
    let project = Project::new().file("library.py", library).file("start.py", "print()\n");
    let same = |name: &str, text: &str| {
        fs::write(project.path(name), text).expect("writable");
        let words = "check . --format json --min-severity note";
        let kept = project.run(words).json()["findings"].clone();
        assert_eq!(kept, project.run(&format!("{words} --no-cache")).json()["findings"], "{name}: {text}");
        kept.as_array().map_or(0, Vec::len)
    };
    let alone = same("start.py", "print(1)\n");
    assert_ne!(alone, 0);
    assert_eq!(same("start.py", "print(2)\n"), alone);
    same("library.py", &library.replace("(1)", "(2)"));
    // One of its functions is not left alone any more, and then it is again.
    same("start.py", "import library\n\nlibrary.choose()\n");
    same("start.py", "import library\n");
}

/// Of what an edit left as it was, nothing is followed again.
#[test]
fn an_edit_costs_the_programs_that_rest_on_it() {
    let shared = "import torch\n\n\ndef load():\n    return torch.zeros(1, device='cuda:1')\n\n\ndef save():\n    number = 1\n    return number\n";
    let project = Project::new()
        .file("shared.py", shared)
        .file("first.py", "import shared\n\nshared.load()\n")
        .file("second.py", "import shared\n\nshared.save()\n")
        .file("alone.py", "import torch\n\ntorch.zeros(1).cuda()\n");
    fs::create_dir_all(project.path(".cache")).expect("writable");
    let counts = project.path(".cache/counts.json");
    let followed = |name: &str, text: &str| {
        fs::write(project.path(name), text).expect("writable");
        _ = fs::remove_file(&counts);
        let answer = project.run_with_env("check . --format json", "GPULINT_WORK", &counts);
        assert_eq!(
            answer.json()["findings"],
            project.run("check . --format json --no-cache").json()["findings"]
        );
        let counts = fs::read_to_string(&counts).expect("it was written");
        serde_json::from_str::<serde_json::Value>(&counts).expect("it is JSON")["programs"].as_u64()
    };
    assert_ne!(followed("alone.py", "import torch\n\ntorch.zeros(2).cuda()\n"), Some(0));
    assert_eq!(followed("alone.py", "import torch\n\ntorch.zeros(3).cuda()\n"), Some(1));
    assert_eq!(followed("shared.py", &format!("{shared}# a comment\n")), Some(0));
    assert_eq!(followed("shared.py", &shared.replace("number = 1", "number = 2")), Some(1));
    assert_eq!(followed("shared.py", &format!("{shared}print()\n")), Some(2));
    assert_eq!(followed("shared.py", &format!("{shared}SIZE = len('a')\n")), Some(2));
    // What a name holds matters to those who mention it.
    assert_eq!(followed("shared.py", &format!("{shared}SIZE = 1\n")), Some(0));
    assert_eq!(
        followed("shared.py", &format!("{shared}SIZE = 2\n\n\ndef size():\n    return SIZE\n")),
        Some(0)
    );
    // Then nobody runs the function that had the name, so it is looked at alone.
    assert_eq!(followed("shared.py", &format!("{shared}load = None\n")), Some(3));
    assert_eq!(followed("shared.py", &format!("{shared}DEVICE = 'cuda:1'\n")), Some(2));
    assert_eq!(followed("shared.py", &format!("{shared}GPU_ID = 1\n")), Some(2));
    assert_eq!(followed("second.py", "import shared\n\nprint(shared.SIZE)\n"), Some(1));
    assert_ne!(followed("shared.py", &format!("{shared}SIZE = 3\n")), Some(0));
}

/// What a rule finds in one file may rest on what the others say.
#[test]
fn a_file_that_is_as_it_was_is_judged_again_when_another_says_more() {
    let project = Project::new()
        .file("serve.py", "import onnxruntime\n\nnet = onnxruntime.InferenceSession('net.onnx', providers=['CUDAExecutionProvider'])\n")
        .file("Dockerfile", "FROM python:3.12\nRUN pip install onnxruntime\n")
        .file("install.sh", "echo one\n");
    let rules = |text: &str| {
        fs::write(project.path("install.sh"), text).expect("writable");
        let words = "check . --format json --select provider-without-build";
        let findings = project.run(words).json()["findings"].clone();
        assert_eq!(findings, project.run(&format!("{words} --no-cache")).json()["findings"], "{text}");
        findings.as_array().map_or(0, Vec::len)
    };
    assert_eq!(rules("echo two\n"), 1);
    assert_eq!(rules("echo onnxruntime-directml\n"), 0);
    assert_eq!(rules("echo three\n"), 1);
}

/// Which names are deprecated rests on the version that a document says to install.
#[test]
fn a_file_is_judged_again_when_the_instructions_change() {
    let project = Project::new()
        .file("step.py", "import torch\n\nwith torch.cuda.amp.autocast():\n    print(torch.ones(3))\n")
        .file("INSTALL.md", "# Setup\n");
    let found = |text: &str| {
        fs::write(project.path("INSTALL.md"), text).expect("writable");
        let answer = project.run("check . --format json --select deprecated-amp-api");
        answer.json()["findings"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(found("# Setup of all\n"), 1);
    assert_eq!(found("# Setup\n\n    pip install torch==1.8.0\n"), 0);
    assert_eq!(found("# Setup\n\n    pip install torch==2.9.0\n"), 1);
}

/// A value that is written in another file is known where no file sets it anew.
#[test]
fn a_value_from_another_file_is_looked_up_again_when_some_file_sets_it() {
    let run = "import torch\nfrom settings import DEVICE\n\n\ndef main():\n    net = torch.nn.Linear(4, 2).to(DEVICE)\n    rows = torch.ones(3, 4).to('cuda:0')\n    print(net(rows))\n\n\nmain()\n";
    let project = Project::new()
        .file("settings.py", "DEVICE = 'cuda:1'\n")
        .file("run.py", run)
        .file("tune.py", "import settings\n");
    let found = |name: &str, text: &str| {
        fs::write(project.path(name), text).expect("writable");
        let words = "check . --format json --select input-on-another-device";
        let findings = project.run(words).json()["findings"].clone();
        let anew = project.run(&format!("{words} --no-cache")).json()["findings"].clone();
        assert_eq!(findings, anew, "{name}: {text}");
        findings.as_array().map_or(0, Vec::len)
    };
    assert_eq!(found("tune.py", "import settings\nprint(settings)\n"), 1);
    assert_eq!(found("tune.py", "import settings\nsettings.DEVICE = 'cuda:0'\n"), 0);
    assert_eq!(found("settings.py", "DEVICE = 'cuda:1'\nSIZE = 1\n"), 0);
    assert_eq!(found("tune.py", "import settings\nsettings.SIZE = 2\n"), 1);
    assert_eq!(found("settings.py", "DEVICE = 'cuda:0'\n"), 0);
}

/// A condition of a function that ran is a part of that function, and not of all its file.
#[test]
fn what_stands_behind_a_function_with_a_condition_costs_nothing() {
    let shared = "import torch\n\n\ndef load(kind):\n    if kind.strip():\n        return torch.zeros(1, device='cuda:1')\n    return None\n";
    let project = Project::new()
        .file("shared.py", shared)
        .file("first.py", "import sys\n\nimport shared\n\nshared.load(sys.argv[1])\n");
    fs::create_dir_all(project.path(".cache")).expect("writable");
    let counts = project.path(".cache/counts.json");
    let followed = |text: &str| {
        fs::write(project.path("shared.py"), text).expect("writable");
        _ = fs::remove_file(&counts);
        project.run_with_env("check . --format json", "GPULINT_WORK", &counts);
        let counts = fs::read_to_string(&counts).expect("it was written");
        serde_json::from_str::<serde_json::Value>(&counts).expect("it is JSON")["programs"].as_u64()
    };
    assert_ne!(followed(shared), Some(0));
    assert_eq!(followed(&format!("{shared}# a comment\n")), Some(0));
    assert_eq!(followed(&shared.replace("kind.strip()", "kind.upper()")), Some(1));
}

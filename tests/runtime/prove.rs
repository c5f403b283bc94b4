//! `gpulint prove --cpu`: programs that do without the GPU, and programs that seem to.

use crate::commands::{Said, has_python, said};
use crate::folder::Folder;
use serde_json::Value;
use simulated_gpu_host::SimulatedHost;
use std::path::Path;
use std::process::Command;

const GPULINT: &str = env!("CARGO_BIN_EXE_gpulint");

/// Packages that look like the forbidden ones: an import says which of them began to run.
const PACKAGES: [(&str, &str); 6] = [
    ("lib/site-packages/cupy/__init__.py", "import time\ntime.sleep(0.03)\nfrom cupy import core\n"),
    ("lib/site-packages/cupy/core.py", ""),
    ("lib/site-packages/numba/__init__.py", "def njit(function): return function\n"),
    ("lib/site-packages/numba/cuda/__init__.py", ""),
    ("pkg/__init__.py", ""),
    ("pkg/far.py", "from pkg import near\n"),
];

/// A folder with these files, and a program that is run there as `python3 main.py`.
struct Project(Folder);

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let folder = Folder::new("prove");
        for (path, text) in PACKAGES.iter().chain(files) {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is writable");
            std::fs::write(file, text).expect("the folder is writable");
        }
        Project(folder)
    }

    fn prove(&self, options: &[&str], command: &[&str]) -> Said {
        self.proven(Command::new(GPULINT), options, command)
    }

    fn proven(&self, mut gpulint: Command, options: &[&str], command: &[&str]) -> Said {
        gpulint
            .current_dir(self.0.path())
            .env("PYTHONPATH", "lib/site-packages")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        gpulint.args(["prove", "--cpu", "--format", "json"]).args(options).arg("--").args(command);
        said(gpulint)
    }
}

/// The codes of the reasons that are no notes.
fn codes(said: &Said) -> Vec<String> {
    let document: Value =
        serde_json::from_str(&said.text).unwrap_or_else(|_| panic!("{}{}", said.text, said.error));
    let reasons = document["reasons"].as_array().expect("a list");
    let heavy = reasons.iter().filter(|reason| reason["weight"] != "note");
    heavy.filter_map(|reason| Some(reason["code"].as_str()?.to_owned())).collect()
}

const IN_A_CHILD: &str = "import multiprocessing\n\ndef work(number):\n    import cupy\n    return number\n\n\
                          if __name__ == '__main__':\n    with multiprocessing.get_context('HOW').Pool(1) as pool:\n        pool.map(work, [1])\n";

#[test]
fn programs_that_do_without() {
    if !has_python() {
        return;
    }
    let programs = [
        ("nothing at all", "import json\n"),
        ("what is not installed", "try:\n    import torch\nexcept ImportError:\n    pass\n"),
        ("a stand-in", "import sys, types\nsys.modules['cupy'] = types.ModuleType('cupy')\nimport cupy\n"),
        ("a name that is never imported", "import importlib.util\nassert importlib.util.find_spec('cupy')\n"),
        ("a package with a forbidden part", "from numba import njit\n"),
        ("only type checking", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cupy\n"),
        ("a module with such a beginning", "import sys\nsys.path.insert(0, 'more')\nimport cupylike\n"),
        ("children of all kinds", &IN_A_CHILD.replace("import cupy", "import json").replace("HOW", "spawn")),
        ("a forked child", &IN_A_CHILD.replace("import cupy", "import json").replace("HOW", "fork")),
        ("its own start", "import own\nassert own.begun\n"),
        (
            "a thread",
            "import threading\nthread = threading.Thread(target=print)\nthread.start()\nthread.join()\n",
        ),
    ];
    for (what, program) in programs {
        let project = Project::new(&[
            ("main.py", program),
            ("more/cupylike.py", ""),
            ("lib/site-packages/sitecustomize.py", "import own\nown.begun = True\n"),
            ("lib/site-packages/own.py", "begun = False\n"),
        ]);
        for options in [&[][..], &["--strict"][..]] {
            let told = project.prove(options, &["python3", "main.py"]);
            assert_eq!((told.code, codes(&told)), (Some(0), vec![]), "{what}: {}{}", told.text, told.error);
        }
    }
}

#[test]
fn programs_that_import_what_is_forbidden() {
    if !has_python() {
        return;
    }
    let programs = [
        ("openly", "import cupy\n".to_owned()),
        ("a part of it", "from cupy import core\n".to_owned()),
        ("four levels deep", "import pkg.far\n".to_owned()),
        ("and hides it", "import sys, cupy\nfor name in list(sys.modules):\n    if name.startswith('cupy'):\n        del sys.modules[name]\ndel cupy\n".to_owned()),
        ("by name", "import importlib\nimportlib.import_module('cu' + 'py')\n".to_owned()),
        ("by a builtin", "__import__('cupy')\n".to_owned()),
        ("in a function", "def main():\n    import cupy\n\nmain()\n".to_owned()),
        ("in a thread", "import threading\nthread = threading.Thread(target=lambda: __import__('cupy'))\nthread.start()\nthread.join()\n".to_owned()),
        ("guarded", "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n".to_owned()),
        ("a forbidden part", "import numba.cuda\n".to_owned()),
        ("at exit", "import atexit\natexit.register(lambda: __import__('cupy'))\n".to_owned()),
        ("in a spawned child", IN_A_CHILD.replace("HOW", "spawn")),
        ("in a forked child", IN_A_CHILD.replace("HOW", "fork")),
        ("in a child of its own", "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import cupy'], check=True)\n".to_owned()),
        ("by a shell", "import os\nassert os.system('python3 -c \"import cupy\"') == 0\n".to_owned()),
        ("with its own finders", "import sys\nsys.meta_path[:] = [finder for finder in sys.meta_path if 'Path' in str(finder)]\nimport cupy\n".to_owned()),
        ("by an importer of its own", "import os\nexec(compile('pass', os.path.abspath('lib/site-packages/cupy/__init__.py'), 'exec'), {})\n".to_owned()),
        ("run as a module", "import runpy\nrunpy.run_module('cupy.core')\n".to_owned()),
    ];
    for (what, program) in &programs {
        let project = Project::new(&[
            ("main.py", program),
            ("pkg/near.py", "import pkg.nearer\n"),
            ("pkg/nearer.py", "\n\nimport cupy\n"),
        ]);
        let told = project.prove(&[], &["python3", "main.py"]);
        assert_eq!(
            (told.code, codes(&told)),
            (Some(4), vec!["forbidden-import".to_owned()]),
            "{what}: {}{}",
            told.text,
            told.error
        );
    }
}

#[test]
fn the_chain_of_an_import_and_its_cost() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[
        ("main.py", "\nimport pkg.far\n"),
        ("pkg/near.py", "import pkg.nearer\n"),
        ("pkg/nearer.py", "\n\nimport cupy\n"),
    ]);
    let told = project.prove(&[], &["python3", "main.py"]);
    let document: Value = serde_json::from_str(&told.text).expect("it is JSON");
    let import = &document["imports"][0];
    let sites: Vec<String> = import["chain"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|site| {
            let path = Path::new(site["path"].as_str().expect("a text"));
            format!("{}:{}", path.file_name().expect("a name").to_string_lossy(), site["line"])
        })
        .collect();
    assert_eq!(sites, ["nearer.py:3", "near.py:1", "far.py:1", "main.py:2"]);
    assert!(import["milliseconds"].as_f64().is_some_and(|took| took >= 30.0), "{import}");
    assert!(
        document["reasons"][0]["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("`cupy` was imported, which took "))
    );
}

#[test]
fn what_is_not_known_is_not_approved() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[
        ("main.py", "import json\n"),
        (
            "alone.py",
            "import subprocess, sys\nsubprocess.run([sys.executable, '-I', '-c', 'import time; time.sleep(0.6)'], check=True)\n",
        ),
        (
            "bare.py",
            "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(0.6)'], env={}, check=True)\n",
        ),
    ]);
    for command in [
        &["python3", "-I", "main.py"][..],
        &["python3", "-S", "main.py"],
        &["python3", "alone.py"],
        &["python3", "bare.py"],
    ] {
        let told = project.prove(&[], command);
        assert_eq!(
            (told.code, codes(&told)),
            (Some(6), vec!["python-not-watched".to_owned()]),
            "{command:?}: {}",
            told.text
        );
    }
}

#[test]
fn how_the_command_ends_counts() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[
        ("main.py", "import sys\nsys.exit(3)\n"),
        ("long.py", "import time\ntime.sleep(60)\n"),
    ]);
    let told = project.prove(&[], &["python3", "main.py"]);
    assert_eq!((told.code, codes(&told)), (Some(4), vec!["command-failed".to_owned()]));
    let told = project.prove(&["--timeout", "0.5s"], &["python3", "long.py"]);
    assert_eq!((told.code, codes(&told)), (Some(4), vec!["time-limit".to_owned()]));
    let told = project.prove(&[], &["no-such-program-at-all"]);
    assert_eq!((told.code, told.text.as_str()), (Some(2), ""), "{}", told.error);
    assert!(told.error.contains("no-such-program-at-all"), "{}", told.error);
    let told = project.prove(&[], &[]);
    assert_eq!(told.code, Some(2));
    let told = project.prove(&[], &["true"]);
    assert_eq!((told.code, codes(&told)), (Some(0), vec![]), "{}", told.text);
    assert!(told.text.contains("no-python"), "{}", told.text);
}

#[test]
fn what_is_forbidden_is_said_by_the_policy_or_the_command_line() {
    if !has_python() {
        return;
    }
    let policy = ("gpulint.yaml", "cpu:\n  forbidden-imports: [json, 'lib*.**.deep']\n");
    let project =
        Project::new(&[policy, ("main.py", "import cupy\n"), ("other.py", "import json.decoder\n")]);
    assert_eq!(project.prove(&[], &["python3", "main.py"]).code, Some(0));
    assert_eq!(project.prove(&[], &["python3", "other.py"]).code, Some(4));
    assert_eq!(project.prove(&["--forbid", "cu*"], &["python3", "main.py"]).code, Some(4));
    assert_eq!(project.prove(&["--forbid", "cu*"], &["python3", "other.py"]).code, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn devices_and_cards() {
    if !has_python() {
        return;
    }
    let opens = "import glob, os, time\nfile = open(sorted(glob.glob(os.environ['SIMULATED_GPU_DEVICES'] + '/nvidia*'))[0])\n";
    let context = "import ctypes, time\ncuda = ctypes.CDLL('libcuda.so.1')\ncontext = ctypes.c_void_p()\n\
                   assert cuda.cuInit(0) == 0\nassert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0\ntime.sleep(0.5)\n";
    let asks = "import ctypes\nctypes.CDLL('libcuda.so.1').cuInit(0)\n";
    let project = Project::new(&[
        ("opens.py", opens),
        ("context.py", context),
        ("asks.py", asks),
        ("main.py", "import json\n"),
    ]);
    let host = SimulatedHost::new();
    let prove = |options: &[&str], command: &[&str]| {
        let options: Vec<&str> = ["--allow-simulated"].iter().chain(options).copied().collect();
        project.proven(host.command(GPULINT), &options, command)
    };
    for options in [&[][..], &["--strict"]] {
        let told = prove(options, &["python3", "main.py"]);
        assert_eq!((told.code, codes(&told)), (Some(0), vec![]), "{}{}", told.text, told.error);
        // A question to the driver takes a millisecond, and is seen all the same.
        for program in ["asks.py", "opens.py"] {
            let told = prove(options, &["python3", program]);
            assert_eq!(
                (told.code, codes(&told)),
                (Some(4), vec!["device-opened".to_owned()]),
                "{}{}",
                told.text,
                told.error
            );
        }
    }
    let told = prove(&[], &["python3", "context.py"]);
    assert!(
        told.code == Some(4) && codes(&told).contains(&"on-card".to_owned()),
        "{}{}",
        told.text,
        told.error
    );
    let told = prove(&["--strict"], &["python3", "context.py"]);
    let (both, codes) = (["command-failed", "device-opened"], codes(&told));
    assert!(told.code == Some(4) && both.iter().all(|code| codes.iter().any(|one| one == code)), "{codes:?}");
    let told = project.proven(host.command(GPULINT), &[], &["python3", "main.py"]);
    assert_eq!((told.code, told.text.as_str()), (Some(5), ""), "{}", told.error);
}

/// As torch's build for CUDA does when the gradient of a tensor on the CPU is computed, on a machine with a driver and on one without.
#[test]
#[cfg(target_os = "linux")]
fn a_library_that_asks_by_itself_is_named() {
    if !has_python() {
        return;
    }
    let program = "import ctypes, mmap\nfile = open('torch/lib/libtorch_cuda.so', 'rb')\nloaded = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\n\
                   def backward():\n    try:\n        ctypes.CDLL('libcuda.so.1').cuInit(0)\n    except OSError:\n        pass\n\nbackward()\n";
    let project = Project::new(&[("main.py", program), ("torch/lib/libtorch_cuda.so", "code")]);
    let host = SimulatedHost::new();
    let told = project.proven(host.command(GPULINT), &["--allow-simulated"], &["python3", "main.py"]);
    assert_eq!((told.code, codes(&told)), (Some(4), vec!["device-opened".to_owned()]), "{}", told.text);
    let document: Value = serde_json::from_str(&told.text).expect("it is JSON");
    let message = document["reasons"][0]["message"].as_str().expect("a text");
    assert!(
        message.contains("it asked the driver. It has loaded ") && message.contains("/libtorch_cuda.so"),
        "{message}"
    );
    assert!(!told.text.contains("would ask the driver"), "{}", told.text);
    // Nobody answers here, which proves nothing about a machine with a driver.
    if Path::new("/dev/nvidiactl").exists() {
        return;
    }
    let told = project.prove(&[], &["python3", "main.py"]);
    assert_eq!((told.code, codes(&told)), (Some(0), vec![]), "{}", told.text);
    assert!(told.text.contains("whether the command would ask the driver of a GPU"), "{}", told.text);
}

/// One target with `mode: both`: it holds where both proofs do.
#[test]
#[cfg(target_os = "linux")]
fn a_target_in_both_modes_is_one() {
    if !has_python() {
        return;
    }
    let uses = "import os, sys, time\nif os.environ.get('CUDA_VISIBLE_DEVICES'):\n    import ctypes\n    cuda = ctypes.CDLL('libcuda.so.1')\n    \
                context = ctypes.c_void_p()\n    assert cuda.cuInit(0) == 0\n    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0\n";
    let fails = "import os, sys\nsys.exit(3 if os.environ.get('CUDA_VISIBLE_DEVICES') else 0)\n";
    let policy = "gpu: {name: RTX 3090, device-order: PCI_BUS_ID, visible-devices: '1'}\nruntime:\n  iterations: 3\n  targets: [{name: app, command: [python3, main.py], mode: both}]\n";
    for (what, program, states, paid, line) in [
        ("clean", uses.to_owned(), ["holds", "holds", "holds"], Some(true), "pays nothing for the GPU"),
        (
            "an import",
            format!("import cupy\n{uses}"),
            ["fails", "fails", "holds"],
            Some(false),
            "s went into the import of forbidden modules",
        ),
        (
            "no GPU mode",
            fails.to_owned(),
            ["fails", "holds", "fails"],
            Some(true),
            "pays nothing for the GPU",
        ),
    ] {
        let project = Project::new(&[("gpulint.yaml", policy), ("main.py", &program)]);
        let host = SimulatedHost::new();
        let mut gpulint = host.command(GPULINT);
        gpulint.current_dir(project.0.path()).env("PYTHONPATH", "lib/site-packages");
        gpulint.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("CUDA_VISIBLE_DEVICES");
        let page = project.0.path().join("page.txt");
        gpulint.args(["validate", "--allow-simulated", "--format", "json", "--profile", "leak", "--state"]);
        gpulint.arg(project.0.path().join("state")).arg("--slot-folder").arg(project.0.path().join("slots"));
        gpulint.arg("--output").arg(format!("text={}", page.display()));
        let told = said(gpulint);
        let document: Value =
            serde_json::from_str(&told.text).unwrap_or_else(|_| panic!("{}{}", told.text, told.error));
        let both = &document["both_modes"][0];
        let [whole, without, with] = states;
        assert_eq!(
            (&both["target"], &both["state"], &both["without_gpu"], &both["with_gpu"]),
            (&"app".into(), &whole.into(), &without.into(), &with.into()),
            "{what}: {document:#}"
        );
        assert_eq!(
            both["seconds_for_gpu_modules"].as_f64().map(|seconds| seconds == 0.0),
            paid,
            "{what}: {both}"
        );
        assert!(both["seconds_without_gpu"].is_number(), "{what}: {both}");
        let page = std::fs::read_to_string(page).expect("it was written");
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            page.contains(&format!("In both modes app {whole}: ")) && page.contains(line),
            "{what}: {page}"
        );
    }
}

#[test]
fn targets_without_a_gpu_are_proven_by_validate() {
    if !has_python() {
        return;
    }
    let targets = |names: &[&str]| {
        let target =
            |name: &&str| format!("    - {{name: {name}, command: [python3, {name}.py], mode: cpu}}\n");
        format!("runtime:\n  targets:\n{}", names.iter().map(target).collect::<String>())
    };
    let validate = |names: &[&str]| {
        let policy = targets(names);
        let project = Project::new(&[
            ("gpulint.yaml", &policy),
            ("clean.py", "print(1)\n"),
            ("dirty.py", "import cupy\n"),
            ("fails.py", "raise SystemExit('the model has no weights')\n"),
        ]);
        let mut gpulint = Command::new(GPULINT);
        gpulint.current_dir(project.0.path()).env("PYTHONPATH", "lib/site-packages");
        gpulint.args(["validate", "--format", "json", "--state"]).arg(project.0.path().join("state"));
        let told = said(gpulint);
        let document: Value =
            serde_json::from_str(&told.text).unwrap_or_else(|_| panic!("{}{}", told.text, told.error));
        (told.code, document)
    };
    let (code, document) = validate(&["clean"]);
    assert_eq!((code, &document["verdict"]), (Some(0), &Value::from("approved")), "{document:#}");
    assert_eq!(document["checks"][1]["proof"]["interpreters"].as_array().map(Vec::len), Some(1));
    let (code, document) = validate(&["clean", "dirty"]);
    assert_eq!((code, &document["verdict"]), (Some(4), &Value::from("rejected")), "{document:#}");
    assert_eq!(document["reasons"][0]["code"], "forbidden-import");
    let (code, document) = validate(&["fails"]);
    assert_eq!(code, Some(4), "{document:#}");
    let why = document["reasons"][0]["message"].as_str().unwrap_or_default();
    assert!(why.ends_with("the command ended with code 1; it said: the model has no weights"), "{why}");
}

#[test]
fn targets_start_in_the_folder_of_their_policy() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[
        ("gpulint.yaml", "gpu: {visible-devices: '1', device-order: PCI_BUS_ID}\n"),
        ("train.py", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = 0\nimport torch\ntorch.cuda.init()\n"),
        (
            "part/gpulint.yaml",
            "runtime: {targets: [{name: it, command: [python3, only_here.py], mode: cpu}]}\n",
        ),
        ("part/only_here.py", "print(1)\n"),
    ]);
    let mut gpulint = Command::new(GPULINT);
    gpulint.current_dir(project.0.path().join("part")).env("PYTHONPATH", "../lib/site-packages");
    gpulint.args(["validate", "--format", "json", "--state"]).arg(project.0.path().join("state"));
    let told = said(gpulint);
    let document: Value =
        serde_json::from_str(&told.text).unwrap_or_else(|_| panic!("{}{}", told.text, told.error));
    // The faults of other folders are for a validation there.
    assert_eq!((told.code, &document["verdict"]), (Some(0), &Value::from("approved")), "{document:#}");
}

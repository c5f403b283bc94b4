//! `gpulint map`: what touches a GPU in a project, who leads there, and which card each program takes.

use crate::project::Project;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A package whose `__init__` imports what must stay out of the CPU part, with every way to import a GPU library.
fn cartography() -> Project {
    Project::new()
        .file(
            "engine/__init__.py",
            "from engine.device import array_module\nfrom engine.report import table\n",
        )
        .file(
            "engine/device.py",
            "import os\n\
             from typing import TYPE_CHECKING\n\
             import numpy\n\
             if TYPE_CHECKING:\n\
             \x20   import cupy.typing\n\
             GPU_DISABLED = True\n\
             try:\n\
             \x20   import cupy as cp\n\
             except ImportError:\n\
             \x20   cp = None\n\
             def array_module():\n\
             \x20   if GPU_DISABLED or os.environ.get(\"ENGINE_DISABLE_GPU\") == \"1\":\n\
             \x20       return numpy\n\
             \x20   card = int(os.environ.get(\"ENGINE_GPU_ID\", \"0\"))\n\
             \x20   cp.cuda.Device(card).use()\n\
             \x20   return cp\n",
        )
        .file(
            "engine/report.py",
            "\"\"\"Tables.\n\n\
             >>> import torch\n\
             import torch is what nobody does here.\n\
             \"\"\"\n\
             import importlib\n\
             from numba import njit\n\
             def table(rows):\n\
             \x20   import torch\n\
             \x20   return torch.tensor(rows)\n\
             def __getattr__(name):\n\
             \x20   return importlib.import_module(\"cupy\")\n",
        )
        .file("engine/plain.py", "def add(a, b):\n\x20   return a + b\n")
        .file("train.py", "import torch\nnet = torch.nn.Linear(4, 4).to(\"cuda\")\n")
        .file("run.sh", "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=1 python train.py\n")
        .file("numba_cache/kernel.nbi", "not read")
}

pub fn json(project: &Project, words: &str) -> Value {
    let answer = project.run(words);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    valid(&answer.stdout)
}

/// What is written as JSON, which is as `gpulint-map.schema.json` says.
pub fn valid(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("gpulint-map.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).expect("the schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> =
        validator.iter_errors(&value).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{text}");
    value
}

/// The touchpoints of a module as `line kind name`.
fn touchpoints(map: &Value, path: &str) -> Vec<String> {
    let module = map["modules"].as_array().unwrap().iter().find(|module| module["path"] == path);
    let touchpoints =
        module.unwrap_or_else(|| panic!("{path} in {map:#}"))["touchpoints"].as_array().unwrap();
    let shown = |one: &Value| {
        format!("{} {} {}", one["line"], one["kind"].as_str().unwrap(), one["name"].as_str().unwrap())
    };
    touchpoints.iter().map(shown).collect()
}

#[test]
fn every_way_to_import_a_library_has_its_kind() {
    let map = json(&cartography(), "map --format json");
    let edges = map["edges"].as_array().unwrap().iter();
    let edges: Vec<String> = edges
        .map(|edge| {
            let mark = |key: &str| if edge[key] == true { format!(" {key}") } else { String::new() };
            format!(
                "{}:{} {} {}{}{}",
                edge["from"].as_str().unwrap(),
                edge["line"],
                edge["kind"].as_str().unwrap(),
                edge["to"].as_str().unwrap(),
                mark("crosses"),
                mark("loads_gpu_library")
            )
        })
        .collect();
    assert_eq!(
        edges,
        [
            "engine/__init__.py:1 eager engine/device.py crosses loads_gpu_library",
            "engine/__init__.py:2 eager engine/report.py",
            "engine/device.py:5 type-checking cupy.typing",
            "engine/device.py:8 guarded cupy loads_gpu_library",
            "engine/report.py:9 function torch crosses",
            "engine/report.py:12 dynamic cupy crosses",
            "train.py:1 eager torch loads_gpu_library",
        ]
    );
    let paths: Vec<&str> =
        map["modules"].as_array().unwrap().iter().map(|module| module["path"].as_str().unwrap()).collect();
    assert!(!paths.contains(&"engine/plain.py"), "{paths:?}");
    assert_eq!(
        touchpoints(&map, "engine/report.py"),
        ["3 import-docstring torch", "9 import-function torch", "12 import-dynamic cupy"]
    );
}

#[test]
fn the_summary_and_the_modules_in_markdown() {
    let answer = cartography().run("map --mode cpu");
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    let has = |line: &str| assert!(answer.stdout.lines().any(|one| one == line), "{line}\n{}", answer.stdout);
    has("# GPU map");
    has("| GPU library imported: under a condition or in a <code>try</code> | 1 | 1 |");
    has("| GPU library named in a docstring only | 1 | 1 |");
    has("| compiled cache in the project | 1 | 1 |");
    has("| <code>run.sh:2</code> | <code>train.py</code> | \"1\" | \"PCI\\_BUS\\_ID\" |");
    has(
        "| <code>engine/\\_\\_init\\_\\_.py</code> | <code>engine/\\_\\_init\\_\\_.py:1</code> → <code>engine/device.py</code> (eager)<br><code>engine/device.py:8</code> → <code>cupy</code> (guarded) |",
    );
    has(
        "| between CPU and GPU | <code>ENGINE\\_DISABLE\\_GPU</code> (variable, <code>engine/device.py:12</code>), <code>GPU\\_DISABLED</code> (constant, <code>engine/device.py:6</code>) |",
    );
    has(
        "| which cards are used | <code>CUDA\\_VISIBLE\\_DEVICES</code> (variable, <code>run.sh:2</code>), <code>ENGINE\\_GPU\\_ID</code> (variable, <code>engine/device.py:14</code>) |",
    );
}

/// What the CPU part is, the policy says; the answer to `--isolated` is another.
#[test]
fn the_policy_names_the_cpu_part() {
    let policy = "cpu: {entry-points: [engine], forbidden-imports: [cupy]}\n";
    let project = cartography().file("gpulint.yaml", policy);
    let entries = |words: &str| -> Vec<String> {
        let map = json(&project, words);
        let chains = map["chains"].as_array().unwrap();
        chains.iter().map(|chain| chain["entry"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(entries("map --format json"), ["engine/__init__.py"]);
    assert_eq!(entries("map --format json --isolated"), [""; 0]);
    assert_eq!(entries("map --format json --isolated --config gpulint.yaml"), ["engine/__init__.py"]);
    let all = entries("map --format json --isolated --mode cpu");
    assert_eq!(all, ["engine/__init__.py", "engine/device.py", "train.py"], "each by its own imports");
}

/// A function that runs while its module is imported imports at once what stands in it.
#[test]
fn what_a_module_calls_is_imported_with_it() {
    let project = Project::new()
        .file("app/__init__.py", "from app import probe\n")
        .file(
            "app/probe.py",
            "def look():\n    import cupy\n    return cupy\nFOUND = look()\ndef later():\n    import torch\n",
        )
        .file("gpulint.yaml", "cpu: {entry-points: [app]}\n");
    let map = json(&project, "map --format json");
    let edges = map["edges"].as_array().unwrap();
    let loads: Vec<(&str, bool)> = edges
        .iter()
        .map(|edge| (edge["to"].as_str().unwrap(), edge["loads_gpu_library"].as_bool().unwrap()))
        .collect();
    assert_eq!(loads, [("app/probe.py", true), ("cupy", true), ("torch", false)]);
    let hops = map["chains"][0]["hops"].as_array().unwrap();
    assert_eq!(hops.iter().map(|hop| &hop["line"]).collect::<Vec<_>>(), [1, 2], "{map:#}");
}

#[test]
fn a_project_without_gpus_says_so() {
    let project = Project::new().file("a.py", "print(1)\n");
    project.run("map").is(0, "# GPU map\n\nNothing in 1 file has to do with GPUs.\n\n", "");
    Project::new().run("map").is(0, "# GPU map\n\nNothing in 0 files has to do with GPUs.\n\n", "");
    let words = "No program here uses a GPU.\n1 program uses no GPU, as far as it was followed.\n";
    project.run("map --programs").is(0, words, "");
    assert!(project.run("map --format html").stdout.contains("Nothing in 1 file has to do with GPUs."));
    assert!(project.run("map --format dot").stdout.starts_with("digraph gpulint {"));
}

#[test]
fn the_graph_in_dot() {
    let answer = cartography().run("map --format dot");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let lines: Vec<&str> = answer.stdout.lines().map(str::trim).collect();
    let number = |label: &str| {
        let line = lines.iter().find(|line| line.contains(&format!("[label=\"{label}\""))).expect(label);
        line.split(' ').next().unwrap()
    };
    let has = |from: &str, to: &str, look: &str| {
        let line = format!("{} -> {} [{look}];", number(from), number(to));
        assert!(lines.contains(&line.as_str()), "{line}\n{}", answer.stdout);
    };
    has("engine/__init__.py", "engine/device.py", "label=\"eager\", style=solid, color=red");
    has("engine/report.py", "torch", "label=\"function\", style=dashed, color=orange");
    has("run.sh", "train.py", "label=\"starts\", style=bold");
    assert_eq!(lines.iter().filter(|line| line.starts_with("subgraph")).count(), 4, "{}", answer.stdout);
}

/// What stands between two marks, each time.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

#[test]
fn the_page_loads_nothing_and_links_to_every_place() {
    let page = cartography().run("map --format html").stdout;
    let ids = between(&page, " id=\"", "\"");
    let mut distinct = ids.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(ids.len(), distinct.len(), "{ids:?}");
    let targets = between(&page, "href=\"#", "\"");
    assert!(targets.len() > 30 && targets.iter().all(|target| ids.contains(target)), "{targets:?}");
    let outside = |target: &&str| target.starts_with("https://") && !target.contains("/docs/rules.md#");
    assert!(!between(&page, "href=\"", "\"").iter().any(outside), "{page}");
    assert!(!page.contains("src=") && page.contains("default-src 'none'"), "{page}");
    // The picture has a box for each module with a line, and for each library.
    let labels = between(&page, "<text", "</text>");
    let labels: Vec<&str> = labels.iter().filter_map(|text| text.split('>').nth(1)).collect();
    assert_eq!(
        labels,
        ["run.sh", "engine/__init__.py", "engine/report.py", "engine/device.py", "train.py", "cupy", "torch"]
    );
    assert_eq!(page.matches("<article").count(), 6);
    assert!(page.contains("<mark>import torch</mark>"), "{page}");
    // The programs come first where they are asked for.
    let page = cartography().run("map --programs --format html").stdout;
    assert!(page.find("id=\"programs\"") < page.find("id=\"picture\""), "{page}");
}

/// Above a hundred modules those of a folder are one box.
#[test]
fn folders_are_folded_where_there_are_many_modules() {
    let mut project =
        Project::new().file("app/__init__.py", "").file("app/gpu/__init__.py", "import torch\n");
    for number in 0..130 {
        project =
            project.file(&format!("app/part{}/m{number}.py", number % 3), "from app.gpu import torch\n");
    }
    let page = project.run("map --format html").stdout;
    let labels_in = |page: &str| -> Vec<String> {
        let labels = between(page, "<text", "</text>");
        labels.iter().filter_map(|text| text.split('>').nth(1)).map(str::to_owned).collect()
    };
    let (whole, insides) = page.split_once("class=\"inside\"").expect("what opens");
    let labels = labels_in(whole);
    assert!(labels.len() < 10 && labels.iter().any(|label| label == "app/part0/ (44)"), "{labels:?}");
    assert!(whole.contains("a box with a number is a folder"), "{labels:?}");
    let labels = labels_in(insides);
    for number in 0..130 {
        let name = format!("app/part{}/m{number}.py", number % 3);
        assert!(labels.contains(&name), "{name} in {labels:?}");
    }
    assert_eq!(page.matches("<article").count(), 131);
}

/// Whatever files are called and say, it stays text.
#[test]
#[cfg(unix)]
fn names_and_code_with_markup_stay_text() {
    let name = "a<script>alert(1)<\u{2215}script>\"];x\u{1b}[31m|`b`.py";
    let code = "import torch  # </script><img src=x onerror=alert(2)>\ntorch.zeros(1, device=\"cuda\")\n";
    let project = Project::new()
        .file(name, code)
        .file("run.sh", format!("CUDA_VISIBLE_DEVICES='<b>1' python '{name}'\n"));
    for format in ["markdown", "html", "dot", "json"] {
        let answer = project.run(&format!("map --format {format}"));
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let is_harmless = !answer.stdout.contains("<script>alert") && !answer.stdout.contains("<img");
        assert!(is_harmless || format == "json" || format == "dot", "{}", answer.stdout);
        assert!(!answer.stdout.contains('\u{1b}'), "{format}: {}", answer.stdout);
        if format == "json" {
            let _: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        }
        if format == "dot" {
            assert!(answer.stdout.contains("\\\"];x"), "{}", answer.stdout);
        }
    }
    assert!(!project.run("map --programs").stdout.contains('\u{1b}'));
}

/// A line feed in a name is neither a new line nor a blank.
#[test]
#[cfg(unix)]
fn names_of_several_lines_stay_one() {
    let project = Project::new().file("new\nline.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n");
    for format in ["markdown", "text", "html", "dot"] {
        let told = project.run(&format!("map --format {format}")).stdout;
        assert!(told.contains("new\u{240a}line.py") && !told.contains("new\nline.py"), "{format}: {told}");
    }
    let told = project.run("map --programs").stdout;
    assert!(told.contains("new\u{240a}line.py"), "{told}");
    assert!(
        project
            .run("map")
            .stdout
            .contains("Of 1 file, 1 touches a GPU or leads to one. Of 1 program, 1 uses a GPU.")
    );
}

/// What the rules say of the CPU part of a labelled project is on its map: the import that is wrong, and a way to its module.
#[test]
fn the_map_has_what_the_rules_find_in_the_cpu_part() {
    let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
    let folders = fs::read_dir(projects).expect("the labelled projects").flatten().map(|entry| entry.path());
    let is_cpu =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cpu-"));
    let mut compared = 0;
    for folder in folders.filter(is_cpu) {
        let project = Project::new();
        copy(&folder, project.root());
        let map = json(&project, "map --format json");
        let edges = map["edges"].as_array().unwrap();
        let chains = map["chains"].as_array().unwrap();
        let found = project.run("check --format json --no-cache");
        let found: Value = serde_json::from_str(&found.stdout).expect("JSON");
        let is_about = |finding: &&Value| {
            let rule = finding["rule"].as_str().unwrap();
            finding["status"] == "active" && ["gpu-import-in-cpu-mode", "gpu-import-reached"].contains(&rule)
        };
        for finding in found["findings"].as_array().unwrap().iter().filter(is_about) {
            compared += 1;
            let is_there = |edge: &Value| {
                let same = edge["from"] == finding["path"] && edge["line"] == finding["line"];
                same && edge["loads_gpu_library"] == true
            };
            assert!(edges.iter().any(is_there), "{}: {finding:#}", folder.display());
            let leads = |chain: &Value| {
                let hops = chain["hops"].as_array().unwrap();
                hops.iter().any(|hop| hop["path"] == finding["path"])
            };
            assert!(chains.iter().any(leads), "{}: {finding:#}", folder.display());
        }
    }
    assert!(compared > 40, "{compared}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("readable").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => _ = fs::copy(entry.path(), target).expect("writable"),
        }
    }
}

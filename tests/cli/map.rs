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

fn json(project: &Project, words: &str) -> Value {
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

/// Programs that choose their card in different ways.
fn programs() -> Project {
    Project::new()
        .file("bare.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n")
        .file("pinned.py", "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\ntorch.zeros(1, device=\"cuda\")\n")
        .file("polite.py", "import os\nos.environ.setdefault(\"CUDA_VISIBLE_DEVICES\", \"1\")\nimport torch\ntorch.zeros(1, device=\"cuda\")\n")
        .file("late.py", "import os\nimport torch\ntorch.cuda.init()\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\ntorch.zeros(1, device=\"cuda\")\n")
        .file("second.py", "import torch\ntorch.cuda.set_device(1)\ntorch.zeros(1, device=\"cuda\")\n")
        .file("hidden.py", "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"\"\nimport torch\ntorch.zeros(1, device=\"cuda\")\n")
        .file("plain.py", "print(1)\n")
}

#[test]
fn one_line_for_each_program() {
    programs().run("map --programs").is(
        0,
        "\
program    started by           card                                           decided by     too late
bare.py    started as a script  the card that CUDA counts first                nothing
hidden.py  started as a script  no card: the mask hides all                    hidden.py:2
late.py    started as a script  the card that CUDA counts first                nothing        late.py:4
pinned.py  started as a script  card 1                                         pinned.py:3,2
polite.py  started as a script  the card that CUDA counts as 1, fastest first  polite.py:2
second.py  started as a script  the card that CUDA counts as 1, fastest first  second.py:2

card 1: 1 program
no card: the mask hides all: 1 program
the card that CUDA counts as 1, fastest first: 2 programs
the card that CUDA counts first: 2 programs
1 program uses no GPU, as far as it was followed.
",
        "",
    );
}

#[test]
fn what_another_environment_changes() {
    let answer = programs().run("map --programs --mask 0 --order FASTEST_FIRST");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let (_, told) = answer.stdout.split_once("\n\nWith ").expect("what is asked");
    assert_eq!(
        told,
        "\
CUDA_DEVICE_ORDER=FASTEST_FIRST CUDA_VISIBLE_DEVICES=0: of 6 programs that use a GPU, 2 change their card, and 1 finds none.

program                         before                                         then
polite.py, started as a script  the card that CUDA counts as 1, fastest first  the card that CUDA counts first
second.py, started as a script  the card that CUDA counts as 1, fastest first  fails: there is no `cuda:1`: the mask `0` leaves 1 card
"
    );
}

/// A launcher hands on what it was given, and what it sets itself wins.
#[test]
fn launchers_hand_the_environment_on() {
    let project = Project::new()
        .file("train.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n")
        .file("given.sh", "python train.py\n")
        .file("own.sh", "CUDA_VISIBLE_DEVICES=2 python train.py\n");
    let map = json(&project, "map --programs --format json --mask 1 --order pci_bus_id");
    let changes = map["what_if"]["changes"].as_array().unwrap();
    let shown: Vec<(&str, u64)> = changes
        .iter()
        .map(|change| {
            let launcher = change["program"]["launcher"]["path"].as_str().unwrap();
            (launcher, change["program"]["cards"][0]["index"].as_u64().unwrap())
        })
        .collect();
    // The order alone changes what `2` means.
    assert_eq!(shown, [("given.sh", 1), ("own.sh", 2)]);
    assert_eq!(map["programs"][1]["cards"][0]["is"], "counted", "{map:#}");
}

/// DeepSpeed with `--num_gpus` takes the first cards, whatever mask it is given; with a number that is not known nothing is said.
#[test]
fn deepspeed_counts_from_the_first_card() {
    let project = Project::new()
        .file("train.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n")
        .file("counted.sh", "deepspeed --num_gpus 2 train.py --num_gpus 7\n")
        .file("masked.sh", "CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus=1 train.py\n")
        .file("unknown.sh", "deepspeed --num_gpus $1 train.py\n");
    let map = json(&project, "map --programs --format json --mask 3 --order PCI_BUS_ID");
    let shown = |line: &Value| {
        let card = &line["cards"][0];
        let launcher = line["launcher"]["path"].as_str().unwrap();
        format!("{launcher} {} {}", card["is"].as_str().unwrap(), card["index"])
    };
    let lines: Vec<String> = map["programs"].as_array().unwrap().iter().map(shown).collect();
    assert_eq!(lines, ["counted.sh counted 0", "masked.sh counted 0", "unknown.sh unknown null"]);
    let changes = map["what_if"]["changes"].as_array().unwrap().iter();
    let changes: Vec<String> = changes.map(|change| shown(&change["program"])).collect();
    // The order alone changes them: no mask does.
    assert_eq!(changes[..2], ["counted.sh known 0", "masked.sh known 0"]);
    // A rule judges the mask that is written, and none that the launcher makes.
    let found = project.run("check --format concise --select missing-device-order");
    assert!(!found.stdout.contains("counted.sh"), "{found:?}");
}

/// A program of many environments: the first eight are followed, and each format says how many are not.
#[test]
fn environments_that_are_left_out_are_counted() {
    let mut project = Project::new().file("train.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n");
    for card in 0..11 {
        let script = format!("CUDA_VISIBLE_DEVICES={card} python train.py\n");
        project = project.file(&format!("run{card:02}.sh"), script);
    }
    let map = json(&project, "map --format json");
    assert_eq!(map["programs"].as_array().unwrap().len(), 8, "{map:#}");
    assert_eq!(map["starts_left_out"], serde_json::json!([{"path": "train.py", "count": 3}]));
    let words = "3 more starts in other environments: eight are followed";
    for format in ["markdown", "text", "html"] {
        let told = project.run(&format!("map --format {format}")).stdout;
        assert!(told.contains(words), "{told}");
    }
    let table = project.run("map --programs").stdout;
    assert!(table.contains(&format!("train.py has {words}.\n")), "{table}");
}

/// The cards of a report of `gpulint doctor`, in which the second card is the fastest.
const DOCTOR: &str = r#"{"machine": {"listing": {"answer": {"outcome": "cards", "boards": [
    {"uuid": "GPU-506", "name": "RTX 5060 Ti"}, {"uuid": "GPU-309", "name": "RTX 3090"}]}},
  "driver": {"answer": {"outcome": "cards", "cards": []}}},
  "resolution": {"orders_differ": true, "variables": []}}"#;

#[test]
fn the_cards_of_a_machine() {
    let project =
        programs().file("doctor.json", DOCTOR).file("gpulint.yaml", "gpu: {forbidden: [RTX 5060 Ti]}\n");
    let answer = project.run("map --programs --machine doctor.json");
    let card = |program: &str| {
        let line = answer.stdout.lines().find(|line| line.starts_with(program)).expect("a line");
        line.split("script").nth(1).unwrap().trim_start().split("  ").next().unwrap().to_owned()
    };
    assert_eq!(card("bare.py"), "card 1 (RTX 3090)");
    assert_eq!(card("pinned.py"), "card 1 (RTX 3090)");
    assert_eq!(card("polite.py"), "card 0 (RTX 5060 Ti), forbidden by the policy");
    let answer = project.run("map --programs --machine 1");
    assert!(answer.stdout.contains("fails: there is no `cuda:1`: the machine has 1 card"), "{answer:?}");
    assert!(
        answer.stdout.contains("fails: the mask `1` leaves no card: the machine has no card `1`"),
        "{answer:?}"
    );
}

#[test]
fn what_cannot_be_mapped_says_why() {
    let project = programs();
    project.run("map nowhere").fails(2, "error: no such file or directory: nowhere");
    for (words, message) in [
        ("map --mask one", "it is no list of indices or UUIDs"),
        ("map --mask 1,1", "it names a card twice"),
        ("map --order fastest", "CUDA knows PCI_BUS_ID and FASTEST_FIRST"),
        ("map --machine nowhere.json", "--machine: cannot read nowhere.json"),
        ("map --machine bare.py", "it is no report of `gpulint doctor --format json`"),
        ("map --machine 0", "a machine has between 1 and 64 cards"),
        ("map --programs --format dot", "--format dot draws modules"),
        ("map --config nowhere.yaml", "nowhere.yaml"),
    ] {
        let answer = project.run(words);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{words}: {answer:?}");
        assert!(answer.stderr.contains(message), "{words}: {}", answer.stderr);
    }
    for mask in ["-1", "0,2", "GPU-4f2d"] {
        assert_eq!(project.run_with_args(&["map", "--mask", mask]).code, Some(0), "{mask}");
    }
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

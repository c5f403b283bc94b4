//! What real projects showed that the map missed or made up, each in a smaller form.

use crate::project::Project;
use serde_json::Value;

fn json(project: &Project, words: &str) -> Value {
    let answer = project.run(words);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    serde_json::from_str(&answer.stdout).expect("JSON")
}

/// `path:line kind name` of the touchpoints that are no imports and start nothing.
fn touchpoints(map: &Value) -> Vec<String> {
    let modules = map["modules"].as_array().unwrap().iter();
    let all = modules.flat_map(|module| module["touchpoints"].as_array().unwrap());
    let shown = all.map(|one| {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        format!("{}:{} {} {}", text("path"), one["line"], text("kind"), text("name"))
    });
    shown.filter(|line| !line.contains(" import-") && !line.contains(" launch ")).collect()
}

/// The wrapper of NVIDIA is an engine of containers.
#[test]
fn nvidia_docker_hands_on_a_mask() {
    let project = Project::new().file("train.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n").file(
        "run.sh",
        "nvidia-docker run --name \"$name\" \\\n  -e CUDA_VISIBLE_DEVICES=\"$cards\" \\\n  image \"${command[@]}\"\n\
         nvidia-docker run -e CUDA_VISIBLE_DEVICES=1 image python train.py\n",
    );
    let map = json(&project, "map --format json");
    let touched = touchpoints(&map);
    for pin in ["run.sh:2 pin CUDA_VISIBLE_DEVICES", "run.sh:4 pin CUDA_VISIBLE_DEVICES"] {
        assert!(touched.contains(&pin.to_owned()), "{touched:?}");
    }
    assert_eq!(map["programs"][0]["cards"][0]["is"], "handed", "{map:#}");
    let check = project.run("check --no-cache");
    assert!(!check.stdout.contains("container-without-gpu"), "{check:?}");
}

/// A container that is given certain cards has a mask and an order that nobody wrote.
#[test]
fn what_nobody_wrote_is_no_pin() {
    let project = Project::new().file("train.py", "import torch\ntorch.zeros(1, device=\"cuda\")\n").file(
        "docker-compose.yml",
        "services:\n  app:\n    build: .\n    command: python train.py\n    deploy:\n      resources:\n        reservations:\n          \
         devices:\n            - driver: nvidia\n              device_ids: [\"1\"]\n              capabilities: [gpu]\n",
    );
    let map = json(&project, "map --format json");
    let touched = touchpoints(&map);
    assert!(!touched.iter().any(|one| one.contains(" pin ")), "{touched:?}");
    assert!(
        touched.iter().any(|one| one.starts_with("docker-compose.yml:") && one.contains(" device ")),
        "{touched:?}"
    );
    assert_eq!(map["variables"].as_array().unwrap().len(), 0, "{map:#}");
    assert_eq!(map["programs"][0]["mask"]["set_at"].as_array().unwrap().len(), 0, "{map:#}");
}

/// Functions to which no program was followed choose cards all the same.
#[test]
fn what_no_program_came_to_is_told_as_it_is_written() {
    let project = Project::new().file(
        "lib/choice.py",
        "import os\nimport torch\n\
         class Model:\n\
         \x20   def outputs(self, camera):\n\
         \x20       if not isinstance(camera, int):\n\
         \x20           return {}\n\
         \x20       return camera.intrinsics().cuda()\n\
         def worker(rank, queue):\n\
         \x20   os.environ[\"CUDA_VISIBLE_DEVICES\"] = str(rank)\n\
         \x20   for net in queue:\n\
         \x20       net.to(\"cuda:1\")\n\
         \x20       net.cuda(2)\n",
    );
    let map = json(&project, "map --format json");
    let touched = touchpoints(&map);
    let lines: Vec<&str> = touched.iter().map(|one| one.rsplit_once(' ').unwrap().0).collect();
    for wanted in [
        "lib/choice.py:7 allocation",
        "lib/choice.py:9 pin",
        "lib/choice.py:11 device",
        "lib/choice.py:12 device",
    ] {
        assert_eq!(lines.iter().filter(|line| **line == wanted).count(), 1, "{wanted}: {touched:?}");
    }
}

/// A program that asks for GPUs, and of which no more is known, is not one that uses none.
#[test]
fn a_program_that_only_asks_is_told_apart() {
    let project = Project::new()
        .file("ask.py", "import torch\nimport plugins\nif torch.cuda.is_available():\n\x20   plugins.run()\n")
        .file("plain.py", "print(1)\n");
    project.run("map --programs").is(
        0,
        "\
No program here uses a GPU.
1 program asks for GPUs, and none was seen that it takes:
  ask.py  started as a script  ask.py:3
1 program uses no GPU, as far as it was followed.
",
        "",
    );
    let map = json(&project, "map --programs --format json");
    assert_eq!(map["programs"][0]["asks"]["line"], 3, "{map:#}");
    assert!(project.run("map").stdout.contains("asks for GPUs; none was seen that it takes"));
}

/// `python main.py` in a folder that is a package too: the modules beside it are meant.
#[test]
fn a_script_in_a_package_imports_what_lies_beside_it() {
    let project = Project::new()
        .file("bench/kernel/__init__.py", "from .datasets import load\n")
        .file("bench/kernel/datasets.py", "import torch\ndef load():\n\x20   return torch.zeros(1)\n")
        .file("bench/kernel/main.py", "import argparse\nfrom datasets import load\nprint(load())\n");
    let map = json(&project, "map --format json");
    let edges = map["edges"].as_array().unwrap();
    let found = edges.iter().find(|edge| edge["from"] == "bench/kernel/main.py").expect("an import");
    assert_eq!((&found["to"], &found["line"]), (&Value::from("bench/kernel/datasets.py"), &Value::from(2)));
}

/// For people at a terminal there is no markup in it.
#[test]
fn text_has_no_marks() {
    let project = Project::new()
        .file("train.py", "import torch\nnet = torch.zeros(1, device=\"cuda\")\n")
        .file("run.sh", "CUDA_VISIBLE_DEVICES=1 python train.py\n");
    let answer = project.run("map --format text");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(!answer.stdout.contains(['<', '|', '`']), "{}", answer.stdout);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(
        lines.contains(&"run.sh:2  train.py  \"1\"                  not set")
            || lines.contains(&"run.sh:1  train.py  \"1\"                   not set"),
        "{}",
        answer.stdout
    );
    assert!(lines.iter().any(|line| line.starts_with("train.py  GPU")), "{}", answer.stdout);
}

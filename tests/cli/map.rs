//! `gpulint map`: what touches a GPU in a project, who leads there, and which card each program takes.

use crate::project::Project;
use serde_json::Value;

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
    serde_json::from_str(&answer.stdout).expect("JSON")
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

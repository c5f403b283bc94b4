//! `gpulint init` without words: a policy from what the programs of a project do already.

use super::{TAKES, said, written};
use crate::project::Project;

/// The policy that is written for a project, with its comments.
fn inferred(project: &Project) -> String {
    let text = written(project, &["--force"]);
    let checked = project.run("check");
    assert!(checked.code != Some(2) && !checked.stderr.contains("gpulint.yaml"), "{checked:?}");
    text
}

#[test]
fn a_policy_from_the_mask_that_all_launchers_set() {
    let project = Project::new()
        .file("run.sh", "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=1\npython train.py\npython test.py\n")
        .file("more.sh", "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python train.py\n")
        .file("train.py", TAKES)
        .file("test.py", TAKES);
    let text = inferred(&project);
    assert_eq!(said(&text), ["gpu:", "  visible-devices: \"1\"", "  device-order: PCI_BUS_ID"]);
    assert!(text.contains("# set at more.sh:1 and 1 more\n"), "{text}");
    assert_eq!(project.run("check --format json").findings(), [""; 0]);
}

/// What the index means is another thing without an order.
#[test]
fn an_index_without_an_order_is_told() {
    let of = |launcher: &str| inferred(&Project::new().file("run.sh", launcher).file("train.py", TAKES));
    let told = "# No program sets CUDA_DEVICE_ORDER, so that their index counts the fastest card first;";
    let bare = of("CUDA_VISIBLE_DEVICES=1 python train.py\n");
    assert!(bare.contains(told) && said(&bare) == ["gpu:", "  visible-devices: \"1\""], "{bare}");
    let ordered = of("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python train.py\n");
    let named = of("CUDA_VISIBLE_DEVICES=GPU-1b python train.py\n");
    assert!(!ordered.contains(told) && !named.contains(told), "{ordered}{named}");
}

#[test]
fn two_masks_are_shown_and_none_is_chosen() {
    let project = Project::new()
        .file("a.sh", "CUDA_VISIBLE_DEVICES=0 python train.py\n")
        .file("b.sh", "CUDA_VISIBLE_DEVICES=1 python train.py\n")
        .file("train.py", TAKES);
    let text = inferred(&project);
    assert!(said(&text).is_empty(), "{text}");
    assert!(
        text.contains("# Programs differ in CUDA_VISIBLE_DEVICES: \"0\" in a.sh:1, \"1\" in b.sh:1."),
        "{text}"
    );
}

#[test]
fn a_device_that_is_named_without_a_mask() {
    let project = Project::new().file("train.py", TAKES.replace(".cuda()", ".to(\"cuda:1\")"));
    let text = inferred(&project);
    assert_eq!(said(&text), ["gpu:", "  device: \"cuda:1\""]);
    assert!(text.contains("named at train.py:3, without a mask"), "{text}");
    // The first is no choice.
    let text = inferred(&Project::new().file("train.py", TAKES.replace(".cuda()", ".to(\"cuda:0\")")));
    assert!(said(&text).is_empty(), "{text}");
}

#[test]
fn masks_of_containers_and_programs_without_a_gpu_say_nothing_of_the_machine() {
    let project = Project::new()
        .file(
            "Dockerfile",
            "FROM x\nENV CUDA_VISIBLE_DEVICES=0\nCOPY train.py .\nCMD [\"python\", \"train.py\"]\n",
        )
        .file("train.py", TAKES);
    let text = inferred(&project);
    assert!(said(&text).is_empty() && text.contains("cards are counted from 0"), "{text}");
    assert!(text.contains("\"0\" in Dockerfile:2"), "{text}");
    let text = inferred(&Project::new().file("a.py", "x = 1\n"));
    assert!(said(&text).is_empty(), "{text}");
}

/// A service that waits, and takes no GPU.
const WAITS: &str = "import json\n\nif __name__ == \"__main__\":\n    print(json.dumps({}))\n";

#[test]
fn parts_from_which_every_gpu_is_hidden_are_named() {
    let hides = "import os\n\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"-1\"\n";
    let project = Project::new()
        .file(
            "run.sh",
            "export CUDA_VISIBLE_DEVICES=1\npython train.py\nCUDA_VISIBLE_DEVICES= python export.py\n",
        )
        .file("train.py", TAKES)
        .file("export.py", WAITS)
        .file("tools/serve.py", format!("{hides}{WAITS}"))
        .file("tools/__init__.py", "")
        .file("both.py", format!("{hides}{TAKES}"));
    let text = inferred(&project);
    let expected =
        ["gpu:", "  visible-devices: \"1\"", "cpu:", "  entry-points: [\"export\", \"tools.serve\"]"];
    assert_eq!(said(&text)[..4], expected, "{text}");
    let why = "  # every GPU is hidden from them at run.sh:3 and 1 more\n";
    assert!(text.contains(why), "{text}");
    let told = "# both.py imports a GPU library although every GPU is hidden from it (both.py:3): `cpu` does not name it.";
    assert!(text.contains(told), "{text}");
    // What is named holds today, and an import that breaks it is found.
    let of_cpu = |project: &Project| {
        let findings =
            project.run("check --select gpu-import-in-cpu-mode,gpu-import-reached --format json").findings();
        findings.into_iter().filter(|finding| !finding.starts_with("both.py")).collect::<Vec<_>>()
    };
    assert_eq!(of_cpu(&project), [""; 0]);
    let project = project.file("export.py", format!("import torch\n{WAITS}"));
    assert_eq!(of_cpu(&project), ["export.py:1 gpu-import-in-cpu-mode"]);
}

#[test]
fn modules_that_are_gpu_code_are_named_beside_a_part_that_needs_none() {
    let project = Project::new()
        .file("run.sh", "CUDA_VISIBLE_DEVICES= python export.py\npython train.py\n")
        .file("export.py", format!("import app.tables\n{WAITS}"))
        .file("train.py", format!("import app.fast.kernels, app.model\n{TAKES}"))
        .file("app/__init__.py", "")
        .file("app/tables.py", "import json\n")
        // In a function, so that the rule about imports alone says nothing of who imports it.
        .file("app/model.py", "def model():\n    import torch\n    return torch.nn.Linear(2, 2).cuda()\n")
        .file("app/types.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n")
        .file("app/fast/__init__.py", "import cupy\n")
        .file("app/fast/kernels.py", "import cupy\n")
        .file("app/fast/more/__init__.py", "from numba import cuda\n")
        .file("tests/test_model.py", "import torch\n");
    let text = inferred(&project);
    assert!(text.contains("\n  gpu-modules: [\"app.fast\", \"app.model\"]"), "{text}");
    let of_cpu = |project: &Project| {
        project.run("check --select gpu-import-in-cpu-mode,gpu-import-reached --format json").findings()
    };
    assert_eq!(of_cpu(&project), [""; 0], "what is named holds today");
    // One that the part uses is none of them, whatever it imports.
    let project = project.file("app/tables.py", "import app.model\n");
    assert_ne!(of_cpu(&project), [""; 0]);
    let text = inferred(&project);
    assert!(text.contains("\n  gpu-modules: [\"app.fast\"]"), "{text}");
    // Where everything needs a GPU, there is no such part.
    let text = inferred(&project.file("run.sh", "python train.py\n"));
    assert!(!text.contains("gpu-modules"), "{text}");
}

#[test]
fn the_variable_that_chooses_between_cpu_and_gpu_is_named() {
    let chooses = |name: &str| {
        format!(
            "import os\n\nif os.environ.get(\"{name}\", \"1\") == \"1\":\n    import cupy as xp\nelse:\n    \
             import numpy as xp\nprint(xp.zeros(3))\n"
        )
    };
    let project = Project::new().file("app.py", chooses("APP_USE_GPU"));
    let text = inferred(&project);
    let why = "  # chooses between CPU and GPU at app.py:3\n";
    // By itself the section would forbid what the project does.
    assert!(said(&text).is_empty() && text.contains("#   switch: APP_USE_GPU"), "{text}");
    assert!(text.contains(why), "{text}");
    let project = project.file("run.sh", "CUDA_VISIBLE_DEVICES= python export.py\n").file("export.py", WAITS);
    let text = inferred(&project);
    assert_eq!(said(&text).last(), Some(&"  switch: APP_USE_GPU"), "{text}");
    let findings =
        |project: &Project| project.run("check --select rival-backend-switches --format json").findings();
    assert_eq!(findings(&project), [""; 0]);
    let project = project.file("other.py", chooses("OTHER_USE_GPU"));
    assert_eq!(findings(&project), ["other.py:3 rival-backend-switches"]);
    let text = inferred(&project);
    let told = "# Several variables choose between CPU and GPU: \"APP_USE_GPU\" in app.py:3, \"OTHER_USE_GPU\" in other.py:3.";
    assert!(!text.contains("switch:") && text.contains(told), "{text}");
    // What tests ask says nothing of the project.
    let project = Project::new().file("tests/test_app.py", chooses("APP_USE_GPU"));
    assert!(!inferred(&project).contains("switch:"));
}

#[test]
fn tests_that_run_without_a_gpu_are_a_part_too() {
    let project = Project::new()
        .file("run_tests.sh", "CUDA_VISIBLE_DEVICES=\"\" python -m pytest tests\n")
        .file("tests/test_rows.py", "import rows\n\n\ndef test_rows():\n    assert rows.ROWS\n")
        .file("rows.py", "ROWS = [1]\n");
    let text = inferred(&project);
    assert_eq!(said(&text)[..2], ["cpu:", "  entry-points: [\"test_rows\"]"], "{text}");
    // A test that hides them for itself says nothing of the others.
    let alone = "import os\n\n\ndef test_alone(monkeypatch):\n    \
                 monkeypatch.setenv(\"CUDA_VISIBLE_DEVICES\", \"\")\n    assert not os.environ[\"CUDA_VISIBLE_DEVICES\"]\n";
    let text = inferred(&Project::new().file("tests/test_alone.py", alone));
    assert!(said(&text).is_empty(), "{text}");
}

/// A loop over the cards of a machine is one place.
#[test]
fn many_masks_of_one_place_are_told_in_short() {
    let launcher = "for CARD in 0 1 2 3; do\n    CUDA_VISIBLE_DEVICES=$CARD python train.py &\ndone\n";
    let text = inferred(&Project::new().file("all.sh", launcher).file("train.py", TAKES));
    assert!(
        text.contains("# Programs differ in CUDA_VISIBLE_DEVICES: \"0\", \"1\" and 2 more in all.sh:2."),
        "{text}"
    );
}

/// A file is one of containers by what it says, whatever its name and its words are.
#[test]
fn containers_are_known_by_their_structure() {
    let services = "services:\n  train:\n    image: pytorch/pytorch\n    runtime: nvidia\n    environment:\n      \
                    CUDA_VISIBLE_DEVICES: \"3\"\n    command: python train.py\n";
    let text = inferred(&Project::new().file("stack.yml", services).file("train.py", TAKES));
    assert!(said(&text).is_empty() && text.contains("\"3\" in stack.yml:6"), "{text}");
    assert!(text.contains("# In containers and jobs cards are counted from 0"), "{text}");
    let workflow = "on: push\njobs:\n  train:\n    runs-on: [self-hosted, gpu]\n    services:\n      cache:\n        \
                    image: redis\n    steps:\n      - run: python train.py\n        env:\n          \
                    CUDA_VISIBLE_DEVICES: \"3\"\n";
    let text =
        inferred(&Project::new().file(".github/workflows/compose.yml", workflow).file("train.py", TAKES));
    assert_eq!(said(&text), ["gpu:", "  visible-devices: \"3\""], "{text}");
}

//! `gpulint trace`: what a program does in order, and why a line is, or is not, reported.

use crate::project::Project;

fn project() -> Project {
    Project::new()
        .file(
            "train.py",
            "import sys\n\
             import gpu_env\n\
             import torch\n\
             \n\
             \n\
             def unused():\n\
             \x20   torch.cuda.init()\n\
             \n\
             \n\
             if len(sys.argv) > 1:\n\
             \x20   torch.cuda.set_device(0)\n\
             torch.zeros(1, device='cuda')\n",
        )
        .file("gpu_env.py", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n")
}

#[track_caller]
fn answers(words: &str, expected: &str) {
    let answer = project().run(words);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    assert_eq!(answer.stdout, expected);
}

#[test]
fn effects_in_order() {
    answers(
        "trace train.py",
        "\
train.py, started as a script:
  gpu_env.py:2    CUDA_VISIBLE_DEVICES = \"1\"
  train.py:3    import torch (GPU library)
  train.py:11   torch.cuda.set_device() takes 0  (on some paths)
  train.py:11   torch.cuda.set_device() initialises CUDA: makes a device current, which initialises torch's CUDA state  (on some paths)
  train.py:12   torch.zeros() initialises CUDA: creates a tensor on the GPU, even an empty one
First GPU use: torch.cuda.set_device() at train.py:11
  CUDA_VISIBLE_DEVICES is \"1\"
  CUDA_DEVICE_ORDER    was never set
",
    );
}

#[test]
fn why_a_line_is_reported() {
    answers(
        "trace train.py --why 12",
        "\
train.py:12: torch.zeros() initialises CUDA: creates a tensor on the GPU, even an empty one
  container-without-gpu is not reported:
    no  the program runs in containers that are given no GPU, and it happens on every path, as far as the conditions are understood
  cpu-choice-bypassed is not reported:
    no  the program chooses the CPU where there is no GPU
  missing-alloc-conf is not reported:
    no  nothing sets what the policy wants of torch's allocator, and the policy has gpu.alloc-conf
  missing-device-order is reported:
    yes CUDA_DEVICE_ORDER is not set by the program before (it was never set)
    yes nothing later on this path sets CUDA_DEVICE_ORDER
    yes the value of CUDA_VISIBLE_DEVICES is of the kind that the rule asks for (it is \"1\"), or not: the environment is handed to something that is not followed, and the policy has gpu.device-order beside an integer in gpu.visible-devices, and not: the value of CUDA_VISIBLE_DEVICES is of the kind that the rule asks for (it is \"1\")
  missing-gpu-validation is not reported:
    no  not: the program checks which GPU it got, and the policy has scripts.validators
  missing-visible-devices is not reported:
    no  CUDA_VISIBLE_DEVICES is not set by the program before (it is \"1\")
    yes nothing later on this path sets CUDA_VISIBLE_DEVICES
    yes the policy has gpu, or not: the program runs in containers that are given no GPU
    yes the policy has gpu, or not: the GPU has the number of this process on its machine
  notebook-without-accelerator is not reported:
    no  it happens on every path, as far as the conditions are understood, and the program is a notebook that Colab wrote, and asks it for no accelerator
  pin-removed is not reported:
    no  CUDA_VISIBLE_DEVICES was set and removed before (it is \"1\")
    yes nothing later on this path sets CUDA_VISIBLE_DEVICES
  wrong-visible-devices is not reported:
    no  the value of CUDA_VISIBLE_DEVICES is not the policy's (it is \"1\"), and the policy has gpu.visible-devices
",
    );
}

#[test]
fn why_a_line_is_not_reported() {
    answers(
        "trace train.py --why 7",
        "\
train.py:7: nothing that concerns a GPU happens here in this program
  the line lies in `unused`, which this program was not seen to call
",
    );
    answers(
        "trace train.py --why 1",
        "train.py:1: nothing that concerns a GPU happens here in this program\n",
    );
}

#[test]
fn the_same_as_json() {
    let answer = project().run("trace train.py --format json");
    let trace: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!((&trace["schema"], &trace["entry"]), (&1.into(), &"train.py".into()));
    let kinds: Vec<_> =
        trace["events"].as_array().expect("a list").iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["write", "import", "select", "call", "call"]);
    assert_eq!(trace["events"][0]["chain"][0]["enters"], "gpu_env.py");
    assert_eq!(trace["first_gpu_use"], 3);
    let environment = serde_json::json!({
        "CUDA_VISIBLE_DEVICES": {"values": ["1"], "known": true},
        "CUDA_DEVICE_ORDER": {"values": [null], "known": true},
    });
    let first = serde_json::json!({"path": "train.py", "line": 11, "environment": environment});
    assert_eq!(trace["first_use"], first);
}

#[test]
fn what_the_variables_may_hold_at_the_first_use() {
    let first_use = |program: &str| {
        let answer = Project::new().file("a.py", program).run("trace a.py --format json");
        let trace: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
        trace["first_use"].clone()
    };
    assert!(first_use("import torch\n").is_null());
    let several = first_use(
        "import os, sys, torch\nif len(sys.argv) > 1:\n    os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n\
         os.environ['CUDA_DEVICE_ORDER'] = sys.argv[0]\ntorch.cuda.init()\n",
    );
    let mask = &several["environment"]["CUDA_VISIBLE_DEVICES"];
    assert_eq!(*mask, serde_json::json!({"values": ["1", null], "known": true}));
    let order = &several["environment"]["CUDA_DEVICE_ORDER"];
    assert_eq!(*order, serde_json::json!({"values": [], "known": false}));
}

/// A program that two launchers start, each with a mask of its own.
fn launched() -> Project {
    Project::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("infer.py", "import torch\ntorch.ones(1, device='cuda:1')\n")
        .file("a.sh", "CUDA_VISIBLE_DEVICES=0 python infer.py\n")
        .file("b.sh", "CUDA_VISIBLE_DEVICES=0,1 python infer.py\n")
}

#[test]
fn a_program_is_told_as_its_launchers_start_it() {
    let told = launched().run("trace infer.py").stdout;
    for part in [
        "infer.py, started by a.sh:1:\n  a.sh:1      CUDA_VISIBLE_DEVICES = \"0\"\n",
        "\n\ninfer.py, started by b.sh:1:\n",
        "  CUDA_VISIBLE_DEVICES is \"0,1\"\n",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    // Nobody starts it without one of them.
    assert!(!told.contains("started as a script"), "{told}");
    let json: serde_json::Value =
        serde_json::from_str(&launched().run("trace infer.py --format json").stdout).expect("JSON");
    assert_eq!(json["start"], "started by a.sh:1");
    assert_eq!(json["others"][0]["start"], "started by b.sh:1");
}

#[test]
fn a_line_is_explained_as_the_launchers_come_to_it() {
    let project = launched();
    let told = project.run("trace infer.py --why 2").stdout;
    let (first, second) = told.split_once("\ninfer.py, started by b.sh:1:\n").expect("both are told");
    assert!(first.contains("device-outside-mask is reported"), "{told}");
    assert!(second.contains("device-outside-mask is not reported"), "{told}");
    // The check says the same.
    assert!(
        project.run("check --format concise").stdout.contains("infer.py:2:22: error[device-outside-mask]")
    );
}

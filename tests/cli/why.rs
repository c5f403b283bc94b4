//! `gpulint why`: the same story as that of `check`, over all programs and launchers.

use crate::project::Project;

/// One program, and two launchers that differ in what they leave it.
fn project() -> Project {
    Project::new()
        .file("a.sh", "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=0\npython infer.py\n")
        .file("b.sh", "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=0,1\npython infer.py\n")
        .file("infer.py", "import lib\n\nlib.run(1)\n")
        .file("lib.py", "import torch\n\n\ndef run(n):\n    torch.ones(n, device=\"cuda:1\")\n\n\ndef unused():\n    torch.cuda.init()\n")
}

#[track_caller]
fn answers(words: &str, expected: &str) {
    project().run(words).is(0, expected, "");
}

#[test]
fn a_finding_with_what_decided_it_and_every_way_to_it() {
    let story = "\
lib.py:5: torch.ones() takes cuda:1
lib.py:5: torch.ones() initialises CUDA: creates a tensor on the GPU, even an empty one

reported: error[device-outside-mask]: `torch.ones()` uses `cuda:1`, but CUDA_VISIBLE_DEVICES leaves no GPU with index 1
  a.sh:2: the mask is set to `0` here
  a.sh:3: the program is started with it here
  what to do: count among the visible GPUs, from 0

2 ways lead here:
  infer.py, started by a.sh:3
    infer.py:3 calls run()
    CUDA_VISIBLE_DEVICES is \"0\", see a.sh:2
    CUDA_DEVICE_ORDER is \"PCI_BUS_ID\", see a.sh:1
    container-without-gpu is silent: the program does not only run in containers that are given no GPU
    cpu-choice-bypassed is silent: the call does not surely need CUDA, or the program chooses no CPU
    device-by-late-mask is silent: CUDA was not initialised before
    device-not-allowed is silent: the device index is outside CUDA_VISIBLE_DEVICES, and the number of devices was not checked on the way
    missing-device-order is silent: CUDA_DEVICE_ORDER is \"PCI_BUS_ID\"
    missing-visible-devices is silent: CUDA_VISIBLE_DEVICES is \"0\"
    pin-removed is silent: CUDA_VISIBLE_DEVICES is \"0\"
  infer.py, started by b.sh:3
    infer.py:3 calls run()
    CUDA_VISIBLE_DEVICES is \"0,1\", see b.sh:2
    CUDA_DEVICE_ORDER is \"PCI_BUS_ID\", see b.sh:1
    container-without-gpu is silent: the program does not only run in containers that are given no GPU
    cpu-choice-bypassed is silent: the call does not surely need CUDA, or the program chooses no CPU
    device-by-late-mask is silent: CUDA was not initialised before
    device-not-allowed is silent: no policy has gpu, and the mask leaves several GPUs, and the index is one of them
    missing-device-order is silent: CUDA_DEVICE_ORDER is \"PCI_BUS_ID\"
    missing-visible-devices is silent: CUDA_VISIBLE_DEVICES is \"0,1\"
    pin-removed is silent: CUDA_VISIBLE_DEVICES is \"0,1\"
";
    answers("why lib.py:5", story);
    answers("why lib.py:5:26", story);
    answers("trace --why lib.py:5", story);
}

/// A script sets what none of its programs gets, so no rule looks at what happens there.
#[test]
fn a_line_where_nothing_happens_stands_above_its_finding() {
    let answer = Project::new()
        .file("run.sh", "HF_TOKEN=hf_abcdef CUDA_VISIBLE_DEVICES=1\npython infer.py\n")
        .file("infer.py", "import torch\n\ntorch.ones(1, device=\"cuda\")\n")
        .run("why run.sh:1");
    let top =
        "run.sh:1: HF_TOKEN=********* CUDA_VISIBLE_DEVICES=1\n\nreported: warning[gpu-env-not-exported]: ";
    assert!(answer.stdout.starts_with(top), "{answer:?}");
}

#[test]
fn a_launcher_ends_without_a_word() {
    let answer = project().run("trace a.sh");
    assert!(answer.stdout.contains("a.sh:3  infer.py is started\n"), "{answer:?}");
    assert!(!answer.stdout.contains("the end"), "{answer:?}");
}

#[test]
fn the_order_of_a_file_of_settings_is_missing_there() {
    let answer = Project::new()
        .file(".env", "CUDA_VISIBLE_DEVICES=1\n")
        .file("gpulint.yaml", "gpu: {visible-devices: \"1\"}\n")
        .run("check --format concise");
    assert!(
        answer.stdout.contains("CUDA_DEVICE_ORDER is not set here: nothing fixes which GPU"),
        "{answer:?}"
    );
}

#[test]
fn the_line_that_decides_says_where_the_finding_is() {
    let answer = project().run("why a.sh:2");
    let names = "error[device-outside-mask] is reported at lib.py:5 and names this line: the mask is set to `0` here\n";
    assert!(answer.stdout.contains(names), "{answer:?}");
    let answer = project().run("why b.sh:2");
    assert!(!answer.stdout.contains("is reported"), "{answer:?}");
}

#[test]
fn a_line_that_no_program_reaches() {
    answers(
        "why lib.py:9",
        "lib.py:9: nothing that concerns a GPU happens here in any program that was followed\n  \
         the line lies in `unused`, which no program was seen to call\n",
    );
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    for (words, message) in [
        ("why inferr.py:2", "error: there is no file inferr.py; did you mean infer.py?"),
        ("why src/lib.py:5", "error: there is no file src/lib.py; did you mean lib.py?"),
        ("why zzz", "error: there is no file zzz; `gpulint check --show-files` lists those that are read"),
        ("why lib.py:10", "error: lib.py has 9 lines, and no line 10; the lines with findings are 5"),
        ("why infer.py:0", "error: infer.py has 3 lines, and no line 0; nothing is reported in it"),
        (
            "why lib.py",
            "error: lib.py is a file; name a line of it, such as lib.py:1; the lines with findings are 5",
        ),
        ("why .", "error: . is a directory; name a line of a file, such as train.py:12"),
        (
            "trace infer.py --why lib.py:5",
            "error: --why: `lib.py:5` is no line of infer.py; `gpulint why lib.py:5` tells of all programs",
        ),
    ] {
        project().run(words).fails(2, message);
    }
}

#[test]
fn a_line_of_a_cell() {
    let cell = |text: &str| {
        format!(
            "{{\"cell_type\":\"code\",\"metadata\":{{}},\"outputs\":[],\"execution_count\":null,\"source\":{text:?}}}"
        )
    };
    let cells = [cell("import torch"), cell("x = 1\ntorch.cuda.init()")].join(",");
    let project = Project::new().file(
        "n.ipynb",
        format!("{{\"cells\":[{cells}],\"metadata\":{{}},\"nbformat\":4,\"nbformat_minor\":5}}"),
    );
    let answer = project.run_with_args(&["why", "n.ipynb:cell 2:2"]);
    assert!(answer.stdout.starts_with("n.ipynb:cell 2:2: torch.cuda.init() initialises CUDA"), "{answer:?}");
    project
        .run_with_args(&["why", "n.ipynb:cell 2:3"])
        .fails(2, "error: n.ipynb:cell 2 has 2 lines, and no line 3; the lines with findings are cell 2:2");
}

#[test]
fn a_trace_goes_through_launchers() {
    let project = project().file("gpulint.yaml", "");
    let answer = project.run("trace a.sh");
    let launched = "\ninfer.py, started by a.sh:3:\n";
    assert!(answer.stdout.contains(launched), "{answer:?}");
    assert!(
        answer
            .stdout
            .ends_with("  CUDA_VISIBLE_DEVICES is \"0\"\n  CUDA_DEVICE_ORDER    is \"PCI_BUS_ID\"\n"),
        "{answer:?}"
    );
    let json = project.run("trace a.sh --format json").json();
    assert_eq!(json["starts"][0]["entry"], "infer.py");
    assert_eq!(json["starts"][0]["first_use"]["path"], "lib.py");
    assert!(project.run("trace infer.py --format json").json().get("starts").is_none());
}

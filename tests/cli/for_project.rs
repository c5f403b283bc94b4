//! What is said once for a whole project that has no policy.

use crate::git::{commit, git};
use crate::project::{Answer, Project};

const NO_CHOICE: &str = "import torch\n\ntorch.cuda.init()\n";
const CHOICE: &str = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
                      os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\nimport torch\ntorch.cuda.init()\n";

/// Rule, severity and place of each finding, and how many programs it speaks for.
#[track_caller]
fn seen(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let line = |finding: &serde_json::Value| {
        let programs = finding["programs"].as_array().map_or(1, Vec::len);
        format!("{} {} {programs}", text(finding, "path"), text(finding, "severity"))
    };
    json["findings"].as_array().expect("a list").iter().map(line).collect()
}

fn programs(names: &[&str]) -> Project {
    names.iter().fold(Project::new(), |project, name| project.file(name, NO_CHOICE))
}

#[test]
fn one_warning_speaks_for_all_programs() {
    let project = programs(&["b.py", "a.py", "c.py", "d.py", "e.py"]);
    let answer = project.run("check --format json --min-severity note");
    let notes = ["b.py", "c.py", "d.py", "e.py"].map(|name| format!("{name} note 1"));
    assert_eq!(seen(&answer), [&["a.py warning 5".to_owned()][..], &notes].concat());
    let finding = &answer.json()["findings"][0];
    assert_eq!(finding["message"], "5 programs leave the choice of the GPU to whoever starts them");
    let related: Vec<_> =
        finding["related"].as_array().expect("a list").iter().map(|one| &one["path"]).collect();
    assert_eq!(related, ["b.py", "c.py", "d.py"], "{finding}");
}

#[test]
fn a_single_script_is_told_about_itself() {
    let answer = programs(&["a.py"]).run("check --format json");
    assert_eq!(seen(&answer), ["a.py warning 1"]);
    assert!(answer.stdout.contains("`torch.cuda.init()` is reached"), "{answer:?}");
}

#[test]
fn what_programs_show_at_a_line_that_they_share_is_said_there_once() {
    let shared = "import torch\n\n\ndef second():\n    torch.cuda.set_device(1)\n";
    let project = ["d.py", "b.py", "a.py", "c.py"].iter().fold(Project::new(), |project, name| {
        project.file(name, "import shared\n\nif __name__ == '__main__':\n    shared.second()\n")
    });
    let answer = project
        .file("shared.py", shared)
        .run("check --format json --min-severity note --select device-not-allowed");
    assert_eq!(seen(&answer), ["shared.py note 4"]);
    let finding = &answer.json()["findings"][0];
    let message = finding["message"].as_str().expect("a text");
    assert!(message.ends_with("; 4 programs lead here"), "{message}");
    let related: Vec<_> =
        finding["related"].as_array().expect("a list").iter().map(|one| &one["path"]).collect();
    assert_eq!(related, ["a.py", "b.py", "c.py"], "{finding}");
}

#[test]
fn a_question_is_followed_by_a_sentence_of_its_own() {
    let project = ["b.py", "a.py"].iter().fold(Project::new(), |project, name| {
        project.file(name, "import shared\nimport torch\n\ntorch.ones(1, device='cuda')\n")
    });
    let answer = project
        .file("shared.py", "import os\n\nos.environ['CUDA_VISIBLE_DEVICE'] = '1'\n")
        .run("check --format concise");
    let asked =
        "nothing reads `CUDA_VISIBLE_DEVICE`; did you mean `CUDA_VISIBLE_DEVICES`? 2 programs lead here\n";
    assert!(answer.stdout.contains(asked), "{answer:?}");
}

#[test]
fn a_program_with_the_statement_itself_speaks_for_itself() {
    let main = "import torch\n\n\ndef second():\n    torch.cuda.set_device(1)\n\n\nif __name__ == '__main__':\n    second()\n";
    let other = "import main\n\nif __name__ == '__main__':\n    main.second()\n";
    let answer = Project::new()
        .file("main.py", main)
        .file("other.py", other)
        .run("check --format json --min-severity note --select device-not-allowed");
    assert_eq!(seen(&answer), ["main.py warning 2"]);
    assert!(!answer.stdout.contains("lead here"), "{answer:?}");
}

#[test]
fn it_is_known_wherever_it_stands() {
    let project = programs(&["b.py", "c.py"]);
    assert_eq!(project.run("check --baseline known.json --write-baseline").code, Some(0));
    let project = project.file("a.py", NO_CHOICE);
    assert_eq!(project.run("check --baseline known.json").code, Some(0));
}

#[test]
fn who_accepts_the_first_accepts_all() {
    let ignored = "import torch\n\ntorch.cuda.init()  # gpulint: ignore[missing-visible-devices] one card\n";
    let project = programs(&["b.py", "c.py"]).file("a.py", ignored);
    assert_eq!(project.run("check").code, Some(0));
}

#[test]
fn a_program_against_the_convention_of_the_project_speaks_for_itself() {
    let project = programs(&["d.py", "e.py"]).file("a.py", CHOICE).file("b.py", CHOICE);
    assert_eq!(seen(&project.run("check --format json")), ["d.py warning 2"], "two are no convention");
    let project = project.file("c.py", CHOICE);
    assert_eq!(seen(&project.run("check --format json")), ["d.py warning 1", "e.py warning 1"]);
}

#[test]
fn a_program_that_a_change_adds_is_a_warning() {
    let project = programs(&["a.py", "b.py"]).file("gpulint.yaml", "");
    git(&project, "init -q");
    commit(&project);
    let project = project.file("c.py", NO_CHOICE);
    assert_eq!(seen(&project.run("check --format json --since main")), ["c.py warning 1"]);
}

#[test]
fn a_severity_that_the_policy_gives_holds_for_each() {
    let policy = "rules: {severity: {missing-visible-devices: warning}}\n";
    let project = programs(&["a.py", "b.py"]).file("gpulint.yaml", policy);
    assert_eq!(seen(&project.run("check --format json")), ["a.py warning 1", "b.py warning 1"]);
}

#[test]
fn what_many_places_say_in_the_same_words_is_said_once() {
    let file = |name: &str| {
        format!("from torch.cuda.amp import {name}\n\n\ndef f(step):\n    with {name}():\n        step()\n")
    };
    let of = |count: usize| {
        let names = ["a.py", "b.py", "c.py", "d.py", "e.py", "f.py"];
        let project =
            names[..count].iter().fold(Project::new(), |project, name| project.file(name, file("autocast")));
        project.file("g.py", file("GradScaler"))
    };
    let few = of(5).run("check --format json");
    assert_eq!(seen(&few).len(), 6, "{few:?}");
    let many = of(6).run("check --format json --min-severity note");
    let notes = ["b.py", "c.py", "d.py", "e.py", "f.py"].map(|name| format!("{name} note 1"));
    let others = ["g.py warning 1".to_owned()];
    assert_eq!(seen(&many), [&["a.py warning 1".to_owned()][..], &notes, &others].concat());
    let message = many.json()["findings"][0]["message"].to_string();
    assert!(message.ends_with("; 5 more places do the same\""), "{message}");
    let two = of(6).file("h.py", file("GradScaler")).run("check --format json --min-severity note");
    let seen_two = seen(&two);
    let last = ["g.py warning 1".to_owned(), "h.py note 1".to_owned()];
    assert!(seen_two.ends_with(&last), "a second name is said once where the first is: {seen_two:?}");
    let policy = "gpu: {visible-devices: '0', device-order: PCI_BUS_ID}\n";
    let decided = of(6).file("gpulint.yaml", policy).run("check --format json --select deprecated-amp-api");
    assert_eq!(seen(&decided).len(), 7, "{decided:?}");
    let fixed = of(6);
    fixed.run("check --fix --unsafe-fixes --select deprecated-amp-api");
    assert_eq!(seen(&fixed.run("check --format json --min-severity note")), Vec::<String>::new());
}

#[test]
fn of_several_objects_of_one_module_the_first_speaks() {
    let two =
        "import torch\n\nfirst = torch.ones(2, device=\"cuda\")\nsecond = torch.ones(3, device=\"cuda\")\n";
    let tables = format!("{two}third = torch.ones(4, device=\"cuda\")\n");
    let project = Project::new().file("app/__init__.py", "").file("app/tables.py", two);
    let select = "check --format json --min-severity note --select gpu-object-at-import";
    assert_eq!(seen(&project.run(select)), ["app/tables.py warning 1", "app/tables.py warning 1"]);
    let project = project.file("app/tables.py", &tables);
    let answer = project.run(select);
    assert_eq!(seen(&answer), ["app/tables.py warning 1", "app/tables.py note 1", "app/tables.py note 1"]);
    let message = answer.json()["findings"][0]["message"].to_string();
    assert!(message.ends_with("; 2 more places do the same\""), "{message}");
    let policy = "cpu: {entry-points: [app]}\n";
    let decided = project.file("gpulint.yaml", policy).run(select);
    assert_eq!(seen(&decided), ["app/tables.py error 1"; 3]);
}

#[test]
fn one_card_and_one_import_are_told_once_for_a_file() {
    let text = "import torch\n\ncard = 3\ntorch.cuda.set_device(card)\nx = torch.zeros(8, device=f\"cuda:{card}\")\n\
                y = torch.ones(8, device=\"cuda:2\")\n";
    let project = Project::new().file("demo.py", text);
    let answer = project.run("check --format json --min-severity note --select device-not-allowed");
    assert_eq!(seen(&answer), ["demo.py warning 1", "demo.py note 1", "demo.py warning 1"]);
    let message = answer.json()["findings"][0]["message"].to_string();
    assert!(message.ends_with("; one more place does the same\""), "{message}");
    let text = "import os\n\nimport numpy\n\nos.environ[\"OMP_NUM_THREADS\"] = \"4\"\n\
                os.environ[\"OPENBLAS_NUM_THREADS\"] = \"4\"\n";
    let project = Project::new().file("setup_model.py", text);
    let answer = project.run("check --format json --min-severity note --select blas-threads-too-late");
    assert_eq!(seen(&answer), ["setup_model.py warning 1", "setup_model.py note 1"]);
}

#[test]
fn a_card_that_is_not_there_is_a_note_where_that_is_meant_or_does_no_harm() {
    let select = "check --format json --min-severity note --select device-not-allowed";
    let torch = "import torch\n\ntorch.zeros(8, device=\"cuda:1\")\n";
    let project = Project::new().file("demo.py", torch).file("4_Multi-GPU/demo.py", torch);
    assert_eq!(seen(&project.run(select)), ["4_Multi-GPU/demo.py note 1", "demo.py warning 1"]);
    let eager = "import tensorflow as tf\n\nwith tf.device(\"/gpu:1\"):\n    print(tf.ones(3))\n";
    let graph = "import tensorflow as tf\n\nwith tf.device(\"/gpu:1\"):\n    sum = tf.constant(1.0) + 2.0\n\
                 with tf.Session(SETTINGS) as session:\n    print(session.run(sum))\n";
    let strict = graph.replace("SETTINGS", "");
    let soft = graph.replace("SETTINGS", "config=tf.ConfigProto(allow_soft_placement=True)");
    let project = Project::new().file("eager.py", eager).file("soft.py", &soft).file("strict.py", &strict);
    let answer = project.run(select);
    assert_eq!(seen(&answer), ["eager.py note 1", "soft.py note 1", "strict.py warning 1"]);
    let messages = [0, 2].map(|at: usize| answer.json()["findings"][at]["message"].to_string());
    assert!(messages[0].ends_with("and TensorFlow takes another device without an error\""), "{messages:?}");
    assert!(messages[1].ends_with("and the program ends with an error\""), "{messages:?}");
}

#[test]
fn a_test_speaks_for_the_project_only_where_no_program_does() {
    let uses = "import torch\n\ntorch.ones(2).cuda()\n";
    let test = "import torch\n\n\ndef test_ones():\n    torch.ones(2).cuda()\n";
    let project = Project::new().file("a/test_ones.py", test).file("b/test_ones.py", test);
    let select = "check --format json --min-severity note --select missing-visible-devices";
    assert_eq!(seen(&project.run(select)), ["a/test_ones.py warning 2", "b/test_ones.py note 1"]);
    let project = project.file("train.py", uses);
    let expected = ["a/test_ones.py note 1", "b/test_ones.py note 1", "train.py warning 3"];
    assert_eq!(seen(&project.run(select)), expected);
}

#[test]
fn a_page_that_shows_the_code_of_a_file_says_nothing_new() {
    let code = "import torch\n\n\ndef measure():\n    torch.cuda.reset_max_memory_allocated()  # from zero\n";
    let page =
        "# Peaks\n\n```python\nimport torch\n\ntorch.cuda.reset_max_memory_allocated()  # from zero\n```\n";
    let select = "check --format json --min-severity note --select deprecated-memory-api";
    let project = Project::new().file("a.py", code).file("b.py", code).file("README.md", page);
    let answer = project.run(select);
    assert_eq!(seen(&answer), ["README.md note 1", "a.py warning 1", "b.py warning 1"]);
    let message = answer.json()["findings"][1]["message"].as_str().expect("a text").to_owned();
    assert!(message.ends_with("; one more place does the same"), "{message}");
}

#[test]
fn what_tests_ask_when_they_are_defined_is_a_note() {
    let module = "import torch\n\n\ndef state(mask=torch.zeros(4, device='cuda')):\n    return mask\n";
    let test = format!("{module}\n\ndef test_state():\n    assert state() is not None\n");
    let select = "check --format json --min-severity note --select cuda-call-in-default-argument";
    let project = Project::new().file("tests/test_state.py", &test);
    assert_eq!(seen(&project.run(select)), ["tests/test_state.py note 1"]);
    let project = Project::new().file("state.py", module).file("tests/test_state.py", "import state\n");
    assert_eq!(seen(&project.run(select)), ["state.py warning 1"]);
}

#[test]
fn which_gpu_a_call_takes_without_a_mask() {
    let says = |line: &str| {
        let text = format!("import sys\nimport cupy\nimport torch\nimport transformers\n{line}\n");
        let answer = Project::new().file("work.py", &text).run("check --isolated --format json");
        let report: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
        let message = report["findings"][0]["message"].as_str().expect("a finding").to_owned();
        message.split_once("never set: ").map(|(_, taken)| taken.to_owned()).expect("what it takes")
    };
    assert_eq!(says("torch.ones(2).cuda()"), "the process takes whichever GPU comes first");
    let several = "it may take several GPUs, whichever come first";
    assert_eq!(
        says("transformers.AutoModel.from_pretrained('small', device_map='auto', num_labels=2)"),
        several
    );
    assert_eq!(says("import jax\ncards = jax.local_devices()"), several);
    assert_eq!(says("import deepspeed\ndeepspeed.initialize(model=torch.nn.Linear(2, 2))"), several);
    assert_eq!(says("import jax\nprint(jax.pmap(lambda row: row + 1)([[1.0]]))"), several);
    assert_eq!(says("transformers.Trainer(model=torch.nn.Linear(2, 2)).train()"), several);
    assert_eq!(
        says("torch.cuda.set_device(int(sys.argv[1]))"),
        "the number that it is given counts all GPUs of the machine, the fastest first"
    );
    assert_eq!(
        says("device = 'cuda' if len(sys.argv) < 2 else sys.argv[1]\ntorch.ones(2).to(device)"),
        "a number, if it is given one, counts all GPUs of the machine, the fastest first"
    );
    assert_eq!(
        says("cupy.cuda.Device(int(sys.argv[1])).use()"),
        "a number, if it is given one, counts all GPUs of the machine, the fastest first"
    );
}

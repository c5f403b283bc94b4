//! Runners of tasks, services and jobs: what they set is there when the program begins, and what is not read is no reason
//! to say that nobody sets it.

use crate::project::Project;

const POLICY: &str = "gpu: {visible-devices: \"0\", device-order: PCI_BUS_ID}\n";
const TRAIN: &str = "import torch\n\nmodel = torch.nn.Linear(4, 4).cuda()\n";

/// Files that start `train.py` with the mask `0`.
const RUNNERS: &[(&str, &str)] = &[
    (
        "justfile",
        "export CUDA_DEVICE_ORDER := \"PCI_BUS_ID\"\n\n# Trains.\ntrain epochs=\"3\": build\n    @CUDA_VISIBLE_DEVICES=0 python train.py --epochs {{epochs}}\n",
    ),
    (
        "tools/gpu.just",
        "export CUDA_DEVICE_ORDER := \"PCI_BUS_ID\"\nexport CUDA_VISIBLE_DEVICES := \"0\"\n\ntrain:\n    #!/usr/bin/env bash\n    set -e\n    python train.py\n",
    ),
    (
        "Taskfile.yml",
        "version: '3'\nenv:\n  CUDA_DEVICE_ORDER: PCI_BUS_ID\ntasks:\n  train:\n    env:\n      CUDA_VISIBLE_DEVICES: '0'\n    cmds:\n      - echo training\n      - cmd: python train.py\n",
    ),
    (
        "train.service",
        "[Unit]\nDescription=Trains\n\n[Service]\nEnvironment=CUDA_DEVICE_ORDER=PCI_BUS_ID \"CUDA_VISIBLE_DEVICES=0\"\nExecStart=-/usr/bin/python3 /opt/app/train.py\n",
    ),
    (
        "supervisord.conf",
        "[supervisord]\nenvironment=CUDA_DEVICE_ORDER=\"PCI_BUS_ID\"\n\n[program:train]\ncommand=python train.py\nenvironment=OMP_NUM_THREADS=\"4\",CUDA_VISIBLE_DEVICES=\"0\"\n",
    ),
    (
        "Procfile",
        "web: gunicorn app:app\ntrain: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 python train.py\n",
    ),
    (
        "package.json",
        "{\"name\": \"x\", \"scripts\": {\"train\": \"CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 python train.py\"}}\n",
    ),
    (
        "dvc.yaml",
        "stages:\n  train:\n    cmd: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 python train.py\n    deps: [train.py]\n",
    ),
    (
        "sky.yaml",
        "resources:\n  accelerators: A100:1\nenvs:\n  CUDA_DEVICE_ORDER: PCI_BUS_ID\n  CUDA_VISIBLE_DEVICES: '0'\nsetup: pip install torch\nrun: |\n  python train.py\n",
    ),
    (
        "azure-pipelines.yml",
        "pool: gpu\nvariables:\n  CUDA_DEVICE_ORDER: PCI_BUS_ID\njobs:\n  - job: train\n    variables:\n      - name: CUDA_VISIBLE_DEVICES\n        value: '0'\n    steps:\n      - script: python train.py\n",
    ),
    (
        ".azure/gpu.yml",
        "pool: gpu\nvariables:\n  CUDA_DEVICE_ORDER: PCI_BUS_ID\njobs:\n  - job: train\n    steps:\n      - bash: python train.py\n        env: {CUDA_VISIBLE_DEVICES: '0'}\n",
    ),
    (
        ".buildkite/pipeline.yml",
        "env:\n  CUDA_DEVICE_ORDER: PCI_BUS_ID\nsteps:\n  - group: gpu\n    steps:\n      - label: train\n        commands:\n          - export CUDA_VISIBLE_DEVICES=0\n          - python train.py\n  - wait\n",
    ),
    (
        "crontab",
        "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES = 0\n0 3 * * * cd /app && python train.py\n",
    ),
    (
        "playbook.yml",
        "- hosts: gpu\n  environment:\n    CUDA_DEVICE_ORDER: PCI_BUS_ID\n  tasks:\n    - name: train\n      ansible.builtin.shell:\n        cmd: python train.py\n      environment:\n        CUDA_VISIBLE_DEVICES: '0'\n",
    ),
    (
        "mise.toml",
        "[env]\nCUDA_DEVICE_ORDER = 'PCI_BUS_ID'\nCUDA_VISIBLE_DEVICES = '0'\n\n[tasks.train]\nrun = 'python train.py'\n",
    ),
];

fn findings(name: &str, text: &str) -> Vec<String> {
    let project = Project::new().file("gpulint.yaml", POLICY).file("train.py", TRAIN).file(name, text);
    project.run("check --format json").findings()
}

#[test]
fn what_a_runner_sets_is_there_when_the_program_begins() {
    for (name, text) in RUNNERS {
        assert_eq!(findings(name, text), [""; 0], "{name}");
        let at = text.find("CUDA_VISIBLE_DEVICES").expect("it sets the mask");
        let at = at + text[at..].find('0').expect("to the first card");
        let other = format!("{}1{}", &text[..at], &text[at + 1..]);
        let line = text[..at].matches('\n').count() + 1;
        let found = findings(name, &other);
        // A mask that is written as a map of name and value stands where its name does.
        let wrong = |line: usize| format!("{name}:{line} wrong-visible-devices");
        assert!(found == [wrong(line)] || found == [wrong(line - 1)], "{name}: {found:?}");
        let misspelt = text.replace("CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICE");
        let found = findings(name, &misspelt);
        assert!(found.contains(&"train.py:1 missing-visible-devices".to_owned()), "{name}: {found:?}");
    }
}

#[test]
fn each_runs_for_itself() {
    let justfile = "train:\n    export CUDA_VISIBLE_DEVICES=0\n    python train.py\n";
    let found = findings("justfile", justfile);
    assert!(
        found.contains(&"train.py:1 missing-visible-devices".to_owned()),
        "each line has its own shell: {found:?}"
    );
    let crontab = "0 3 * * * python train.py\nCUDA_VISIBLE_DEVICES=0\nCUDA_DEVICE_ORDER=PCI_BUS_ID\n@daily python train.py\n";
    let found = findings("crontab", crontab);
    assert!(
        found.contains(&"train.py:1 missing-visible-devices".to_owned()),
        "what is below comes later: {found:?}"
    );
}

#[test]
fn who_is_not_read_may_set_what_is_missing() {
    for (name, text) in [
        ("run.nu", "$env.CUDA_VISIBLE_DEVICES = \"0\"\npython train.py\n"),
        ("Snakefile", "rule train:\n    shell: 'CUDA_VISIBLE_DEVICES=0 python ./train.py'\n"),
        (
            "noxfile.py",
            "import nox\n\n\n@nox.session\ndef train(session):\n    session.run('python', 'train.py', env={'CUDA_VISIBLE_DEVICES': '0'})\n",
        ),
    ] {
        assert_eq!(findings(name, text), [""; 0], "{name}");
        let project = Project::new().file("gpulint.yaml", POLICY).file("train.py", TRAIN).file(name, text);
        let notes = project.run("check --format json --min-severity note").json();
        let all = notes["findings"].as_array().expect("a list");
        let note = all.iter().find(|note| note["rule"] == "missing-visible-devices").expect("it is a note");
        assert_eq!(note["severity"], "note");
        let related = note["related"].as_array().expect("a list").last().expect("it names the file");
        assert_eq!(related["path"], name, "{related}");
        // What holds in every environment is said all the same.
        let broken = TRAIN.replace(".cuda()", ".to(\"cuda:1\")");
        let found = project.file("train.py", broken).run("check --format json").findings();
        assert_eq!(found, ["train.py:3 device-not-allowed"], "{name}");
        // It is no file that was checked, and one that names another program says nothing of this one.
        let other = text.replace("train.py", "other.py");
        let found = findings(name, &other);
        assert!(found.contains(&"train.py:1 missing-visible-devices".to_owned()), "{name}: {found:?}");
    }
}

//! A project in which each program is started on the card that the policy names, in every way that we know; and what people
//! do to it. One folder for each way and each change, so that one commit holds them all.

/// What a change does to the line that sets the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Deleted,
    CommentedOut,
    Misspelt,
    /// The letters of a name are easily swapped.
    Swapped,
    OtherCard,
    // What changes nothing about the card.
    NoteAbove,
    NoteBelow,
    BlankLines,
    OtherModel,
}

/// On a machine of its own, where an index means one card.
pub const ON_MACHINES: [How; 4] = [How::Deleted, How::CommentedOut, How::Misspelt, How::OtherCard];
/// In a container the cards are counted anew, so another index is no other card.
pub const IN_CONTAINERS: [How; 4] = [How::Deleted, How::CommentedOut, How::Misspelt, How::Swapped];
pub const HARMLESS: [How; 4] = [How::NoteAbove, How::NoteBelow, How::BlankLines, How::OtherModel];

pub const POLICY: &str = "gpu: {visible-devices: \"0\", device-order: PCI_BUS_ID}\n";

const TRAIN: &str = "import torch\n\nmodel = torch.nn.Linear(4, 4).cuda()\n";

/// One program and what starts it.
pub struct Case {
    /// The folder of the program.
    pub folder: String,
    pub how: How,
    /// The files, with the names that they have in the project.
    files: Vec<(String, String)>,
    /// Which of them sets the mask.
    setter: usize,
}

impl Case {
    pub fn before(&self) -> &[(String, String)] {
        &self.files
    }

    /// The file that changes, and what it then holds.
    pub fn after(&self) -> (String, String) {
        let program =
            self.files.iter().position(|(_, text)| text.contains("torch.nn.Linear")).expect("there is one");
        let (name, text) = &self.files[if self.how == How::OtherModel { program } else { self.setter }];
        (name.clone(), changed(text, self.how))
    }
}

fn changed(text: &str, how: How) -> String {
    match how {
        How::NoteAbove if text.starts_with("#!") => {
            return text.replacen('\n', "\n# One card for each.\n", 1);
        }
        How::NoteAbove => return format!("# One card for each.\n{text}"),
        How::NoteBelow => return format!("{text}# One card for each.\n"),
        How::BlankLines => return format!("{text}\n\n"),
        How::OtherModel => return text.replace("Linear(4, 4)", "Linear(4, 8)"),
        _ => {}
    }
    let line = |line: &str| match (line.contains("CUDA_VISIBLE_DEVICES"), how) {
        (false, _) => Some(line.to_owned()),
        (true, How::Deleted) => None,
        (true, How::CommentedOut) => Some(format!("# {line}")),
        (true, How::Misspelt) => Some(line.replace("VISIBLE_DEVICES", "VISIBLE_DEVICE")),
        (true, How::Swapped) => Some(line.replace("VISIBLE_DEVICES", "VISIBEL_DEVICES")),
        (true, _) => {
            let at = line.rfind('0').expect("the mask is 0");
            Some(format!("{}1{}", &line[..at], &line[at + 1..]))
        }
    };
    text.lines().filter_map(line).map(|line| line + "\n").collect()
}

/// Every way to set the mask, changed in each of four ways.
pub fn regressions() -> Vec<Case> {
    cases(&ON_MACHINES, &IN_CONTAINERS)
}

/// The same ways, changed so that nothing is different.
pub fn harmless() -> Vec<Case> {
    cases(&HARMLESS, &HARMLESS)
}

fn cases(machines: &[How], containers: &[How]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, ways) in KINDS {
        assert_eq!(ways.len(), 5, "{kind}");
        let hows = if matches!(*kind, "dockerfile" | "compose") { containers } else { machines };
        for (number, way) in ways.iter().enumerate() {
            for how in hows {
                let folder = format!("{kind}_{number}_{how:?}").to_ascii_lowercase();
                cases.push(case(kind, way, *how, &folder));
            }
        }
    }
    cases
}

fn case(kind: &str, way: &str, how: How, folder: &str) -> Case {
    let here = |name: &str| format!("{folder}/{name}");
    let train = (here("train.py"), TRAIN.to_owned());
    let of = |name: String, text: String| vec![(name, text), (here("train.py"), TRAIN.to_owned())];
    let files = match kind {
        "script" => vec![(
            here("train.py"),
            format!("import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n{way}\n\n{TRAIN}"),
        )],
        "helper" => {
            let (helper, call) = way.split_once("---\n").expect("a helper and its call");
            let helper = format!("import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n{helper}");
            vec![(here("pins.py"), helper), (train.0, format!("{call}{TRAIN}"))]
        }
        "dockerfile" => of(
            here("Dockerfile"),
            format!(
                "FROM python:3.12\nENV CUDA_DEVICE_ORDER=PCI_BUS_ID\n{way}COPY train.py .\nCMD [\"python\", \"train.py\"]\n"
            ),
        ),
        "launcher" => of(here("run.sh"), format!("#!/bin/bash\nexport CUDA_DEVICE_ORDER=PCI_BUS_ID\n{way}")),
        "makefile" => of(here("Makefile"), format!("export CUDA_DEVICE_ORDER = PCI_BUS_ID\n{way}")),
        "workflow" => of(format!(".github/workflows/{folder}.yml"), way.replace("FOLDER", folder)),
        _ => {
            let service = format!(
                "services:\n  train:\n    image: trainer\n{}",
                way.split("---\n").next().unwrap_or(way)
            );
            let mut files = of(here("compose.yaml"), service);
            if let Some((_, settings)) = way.split_once("---\n") {
                files.push((here("card.env"), settings.to_owned()));
            }
            files
        }
    };
    let setter =
        files.iter().position(|(_, text)| text.contains("CUDA_VISIBLE_DEVICES")).expect("one sets the mask");
    Case { folder: folder.to_owned(), how, files, setter }
}

/// Five ways of each kind; the line with the mask can be taken out of each.
const KINDS: &[(&str, &[&str])] = &[
    (
        "script",
        &[
            "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"",
            "os.environ.setdefault(\"CUDA_VISIBLE_DEVICES\", \"0\")",
            "os.environ.update({\"CUDA_VISIBLE_DEVICES\": \"0\"})",
            "os.environ |= {\"CUDA_VISIBLE_DEVICES\": \"0\"}",
            "os.environ.update(\n    OMP_NUM_THREADS=\"4\",\n    CUDA_VISIBLE_DEVICES=\"0\",\n)",
        ],
    ),
    (
        "helper",
        &[
            "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n---\nimport pins\n\n",
            "\n\ndef pin():\n    print(\"pinned\")\n    os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n---\nimport pins\n\npins.pin()\n",
            "SETTINGS = {\n    \"OMP_NUM_THREADS\": \"4\",\n    \"CUDA_VISIBLE_DEVICES\": \"0\",\n}\nfor name, value in SETTINGS.items():\n    os.environ[name] = value\n---\nimport pins\n\n",
            "\n\nclass Card:\n    def __init__(self):\n        self.name = \"a card\"\n        os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n---\nfrom pins import Card\n\nCard()\n",
            "\n\ndef pin():\n    card = 7\n    os.environ[\"CUDA_VISIBLE_DEVICES\"] = str(0)\n---\nfrom pins import pin\n\npin()\n",
        ],
    ),
    (
        "dockerfile",
        &[
            "ENV CUDA_VISIBLE_DEVICES=0\n",
            "ENV CUDA_VISIBLE_DEVICES 0\n",
            "ENV OMP_NUM_THREADS=4 \\\n    CUDA_VISIBLE_DEVICES=0 \\\n    PYTHONUNBUFFERED=1\n",
            "ENV CUDA_VISIBLE_DEVICES=\"0\"\n",
            "RUN pip install torch\nENV PYTHONUNBUFFERED=1\nENV CUDA_VISIBLE_DEVICES='0'\n",
        ],
    ),
    (
        "launcher",
        &[
            "export CUDA_VISIBLE_DEVICES=0\npython train.py\n",
            "CUDA_VISIBLE_DEVICES=0 python train.py\n",
            "CUDA_VISIBLE_DEVICES=0 \\\n  python train.py\n",
            "set -a\nCUDA_VISIBLE_DEVICES=0\nset +a\npython train.py\n",
            "if [ -d /data ]; then\n  echo data\nfi\nexport OMP_NUM_THREADS=4\nexport CUDA_VISIBLE_DEVICES=\"0\"\npython train.py --epochs 3\n",
        ],
    ),
    (
        "makefile",
        &[
            "export CUDA_VISIBLE_DEVICES = 0\n\nrun:\n\tpython train.py\n",
            "export CUDA_VISIBLE_DEVICES := 0\n\nrun:\n\tpython train.py\n",
            "\nrun:\n\tCUDA_VISIBLE_DEVICES=0 python train.py\n",
            "\nrun: export CUDA_VISIBLE_DEVICES = 0\nrun:\n\tpython train.py\n",
            "\nrun:\n\texport OMP_NUM_THREADS=4; \\\n\texport CUDA_VISIBLE_DEVICES=0; \\\n\tpython train.py\n",
        ],
    ),
    (
        "workflow",
        &[
            "on: push\nenv:\n  CUDA_DEVICE_ORDER: PCI_BUS_ID\n  CUDA_VISIBLE_DEVICES: \"0\"\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: python FOLDER/train.py\n",
            "on: push\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    env:\n      CUDA_DEVICE_ORDER: PCI_BUS_ID\n      CUDA_VISIBLE_DEVICES: \"0\"\n    steps:\n      - run: python FOLDER/train.py\n",
            "on: push\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: python FOLDER/train.py\n        env:\n          CUDA_DEVICE_ORDER: PCI_BUS_ID\n          CUDA_VISIBLE_DEVICES: \"0\"\n",
            "on: push\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: |\n          export CUDA_DEVICE_ORDER=PCI_BUS_ID\n          export CUDA_VISIBLE_DEVICES=0\n          python FOLDER/train.py\n",
            "on: push\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    env:\n      CUDA_DEVICE_ORDER: PCI_BUS_ID\n    steps:\n      - working-directory: FOLDER\n        run: |\n          export CUDA_VISIBLE_DEVICES=0\n          python train.py\n",
        ],
    ),
    (
        "compose",
        &[
            "    environment:\n      CUDA_DEVICE_ORDER: PCI_BUS_ID\n      CUDA_VISIBLE_DEVICES: \"0\"\n    command: python train.py\n",
            "    environment:\n      - CUDA_DEVICE_ORDER=PCI_BUS_ID\n      - CUDA_VISIBLE_DEVICES=0\n    command: python train.py\n",
            "    env_file: card.env\n    command: python train.py\n---\nCUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=0\n",
            "    environment:\n      CUDA_DEVICE_ORDER: PCI_BUS_ID\n      CUDA_VISIBLE_DEVICES: 0\n    command: [\"python\", \"train.py\"]\n",
            "    environment:\n      - \"CUDA_DEVICE_ORDER=PCI_BUS_ID\"\n      - \"CUDA_VISIBLE_DEVICES=0\"\n    entrypoint: python train.py\n",
        ],
    ),
];

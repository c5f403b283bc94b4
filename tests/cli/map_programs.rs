//! `gpulint map --programs`: which card each program takes, in another environment and on another machine.

use crate::map::json;
use crate::project::Project;
use serde_json::Value;

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

/// What decides is not known before the program runs.
#[test]
fn a_device_that_is_not_known_is_not_guessed() {
    let project = Project::new()
        .file("a.py", "import sys\nimport torch\ntorch.cuda.set_device(int(sys.argv[1]))\ntorch.zeros(1, device=\"cuda\")\n")
        .file("b.py", "import os\nimport torch\ntorch.zeros(1, device=\"cuda:\" + os.environ[\"CARD\"])\n")
        .file("c.py", "import torch\ntorch.nn.Linear(2, 2).cuda(torch.cuda.device_count() - 1)\n")
        .file("d.py", "import torch\ntorch.nn.Linear(2, 2).cuda(non_blocking=True)\n");
    let told = project.run("map --programs").stdout;
    let cards: Vec<&str> = told.lines().filter(|line| line.contains("as a script")).collect();
    for (line, program) in cards.iter().zip(["a.py", "b.py", "c.py"]) {
        assert!(line.starts_with(program) && line.contains("not known"), "{told}");
    }
    assert!(cards[3].contains("the card that CUDA counts first"), "{told}");
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

//! `gpulint map --since`: which programs take another card because of a change, and which modules load a GPU library.

use crate::git::{commit, git};
use crate::map::valid;
use crate::project::Project;
use std::fs;

const PINNED: &str = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\ntorch.zeros(1, device=\"cuda\")\n";
const BARE: &str = "import torch\ntorch.zeros(1, device=\"cuda\")\n";

fn project() -> Project {
    let project = Project::new()
        .file("train.py", PINNED)
        .file("evaluate.py", BARE)
        .file("run.sh", "python evaluate.py\n")
        .file("cli.py", "import tables\nif __name__ == \"__main__\":\n\x20   tables.show()\n")
        .file("tables.py", "def show():\n\x20   print(1)\n");
    git(&project, "init -q");
    commit(&project);
    project
}

fn write(project: &Project, name: &str, text: &str) {
    fs::write(project.path(name), text).expect("writable");
}

#[test]
fn a_change_that_changes_nothing_says_so() {
    let project = project();
    write(&project, "tables.py", "# What is shown.\ndef show():\n    print(2)\n");
    project.run("map --since HEAD").is(
        0,
        "## Cards and GPU imports\n\nNo program takes another card than before, and no module gains a GPU library at import.\n\n",
        "",
    );
}

#[test]
fn programs_that_take_another_card_are_named() {
    let project = project();
    // Lines above move nothing.
    write(&project, "train.py", &format!("# Trains.\n{}", PINNED.replace("\"1\"", "\"0\"")));
    write(&project, "run.sh", "echo begins\nCUDA_VISIBLE_DEVICES=2 python evaluate.py\n");
    write(&project, "new.py", BARE);
    let answer = project.run("map --since HEAD --format text");
    answer.is(
        0,
        "\
Cards and GPU imports

Programs that take another card than before: 2; new ones that use a GPU: 1; ones that are gone: 0. Modules whose import loads a GPU library now and did not: 0.

program      started by           before                           now
evaluate.py  run.sh               the card that CUDA counts first  the card that CUDA counts as 2, fastest first
new.py       started as a script  not there                        the card that CUDA counts first
train.py     started as a script  card 1                           card 0

",
        "",
    );
    // As JSON, each card and place of it; what it says is what the schema says.
    let since = valid(&project.run("map --since HEAD --format json").stdout)["since"].clone();
    let programs = since["programs"].as_array().expect("programs").iter();
    let told: Vec<(&str, bool)> =
        programs.map(|one| (one["path"].as_str().expect("a path"), one["is_new"] == true)).collect();
    assert_eq!(told, [("evaluate.py", false), ("new.py", true), ("train.py", false)]);
    // A key of another name is none.
    let renamed = project.run("map --since HEAD --format json").stdout.replace("\"is_new\"", "\"new\"");
    assert!(std::panic::catch_unwind(|| valid(&renamed)).is_err());
    // The state before is not judged by what is there now: nothing is left behind either.
    git(&project, "stash -q -u");
    assert!(project.run("map --since HEAD").stdout.contains("No program takes another card"));
}

#[test]
fn modules_that_gain_a_library_are_named_with_the_way() {
    let project = project();
    write(&project, "tables.py", "import numpy\nfrom render import draw\ndef show():\n    draw()\n");
    write(&project, "render.py", "import torch\ndef draw():\n    print(torch.zeros(1))\n");
    let answer = project.run("map --since HEAD --format json");
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    let since = &valid(&answer.stdout)["since"];
    assert_eq!(since["programs"].as_array().unwrap().len(), 0, "{since:#}");
    let gained: Vec<String> = since["imports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let hops = one["hops"].as_array().unwrap().iter();
            let hops: Vec<String> = hops
                .map(|hop| {
                    format!(
                        "{}:{} {}",
                        hop["path"].as_str().unwrap(),
                        hop["line"],
                        hop["to"].as_str().unwrap()
                    )
                })
                .collect();
            format!("{} {}: {}", one["module"].as_str().unwrap(), one["is_entry"], hops.join(", "))
        })
        .collect();
    assert_eq!(
        gained,
        [
            "cli.py true: cli.py:1 tables.py, tables.py:2 render.py, render.py:1 torch",
            "tables.py false: tables.py:2 render.py, render.py:1 torch",
        ]
    );
    let markdown = project.run("map --since HEAD").stdout;
    assert!(markdown.contains("| <code>cli.py</code> | program or entry point | <code>cli.py:1</code> → <code>tables.py</code><br>"), "{markdown}");
}

/// What moves keeps its card; the commit where both parted is the base.
#[test]
fn files_that_move_are_the_same_programs() {
    let project = project();
    git(&project, "mv train.py fit.py");
    git(&project, "mv run.sh start.sh");
    assert!(project.run("map --since HEAD").stdout.contains("No program takes another card"));
    git(&project, "rm -q evaluate.py");
    let text = project.run("map --since HEAD --format text").stdout;
    assert!(text.contains("ones that are gone: 1"), "{text}");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let project = project();
    for (words, message) in [
        ("map --since nowhere", "--since nowhere: there is no such commit, branch or tag"),
        ("map --since HEAD --format html", "--since writes text, markdown or json"),
        ("map --since HEAD --mask 0", "cannot be used with"),
    ] {
        let answer = project.run(words);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{words}: {answer:?}");
        assert!(answer.stderr.contains(message), "{words}: {}", answer.stderr);
    }
}

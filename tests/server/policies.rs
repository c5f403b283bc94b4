//! The policy changes while the server runs, and may be wrong for a while.

use crate::client::{Client, Folder, range, rules};
use crate::{EMPTY_POLICY, RIGHT, RULE, WRONG};
use serde_json::{Value, json};

fn policy_changed(client: &mut Client, folder: &Folder) {
    let change = json!({"changes": [{"uri": folder.uri("gpulint.yaml"), "type": 2}]});
    client.tell("workspace/didChangeWatchedFiles", change);
}

#[test]
fn a_new_policy_holds_at_once() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", RIGHT);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    folder.write("gpulint.yaml", "gpu: {visible-devices: \"0\"}\n");
    policy_changed(&mut client, &folder);
    assert_eq!(rules(&client.diagnostics(&train, 1)), ["wrong-visible-devices"]);
    client.end();
}

#[test]
fn an_excluded_file_is_left_alone() {
    let folder = Folder::with(&[("gpulint.yaml", "exclude: [legacy]\n")]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let (train, legacy) = (folder.uri("train.py"), folder.uri("legacy/train.py"));
    client.open(&train, "python", WRONG);
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    client.open(&legacy, "python", WRONG);
    assert_eq!(client.diagnostics(&legacy, 1).len(), 0);
    client.end();
}

#[test]
fn what_the_baseline_lists_is_not_shown() {
    let folder = Folder::with(&[("gpulint.yaml", "baseline: known.json\n"), ("train.py", WRONG)]);
    let written = std::process::Command::new(env!("CARGO_BIN_EXE_gpulint"))
        .args(["check", "--write-baseline"])
        .current_dir(folder.path())
        .output()
        .expect("gpulint runs");
    assert!(written.status.success(), "{written:?}");
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    client.change(&train, 2, &format!("{WRONG}torch.zeros(2, device=\"cuda:7\")\n"));
    assert_eq!(rules(&client.diagnostics(&train, 2)), ["device-outside-mask"]);
    client.end();
}

#[test]
fn a_broken_policy_is_named_and_the_last_good_one_holds() {
    let folder = Folder::with(&[("gpulint.yaml", "gpu: {visible-devices: \"0\"}\n")]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let (train, policy) = (folder.uri("train.py"), folder.uri("gpulint.yaml"));
    client.open(&train, "python", RIGHT);
    assert_eq!(rules(&client.diagnostics(&train, 1)), ["wrong-visible-devices"]);
    folder.write("gpulint.yaml", "gpu:\n  visible-devises: \"0\"\n");
    policy_changed(&mut client, &folder);
    let wrong = client.diagnostics(&policy, None);
    assert_eq!(wrong[0]["range"], range((1, 0), (1, 22)));
    assert_eq!(wrong[0]["severity"], 1);
    assert!(wrong[0]["message"].as_str().unwrap().contains("did you mean `visible-devices`?"));
    let shown = client.told("window/showMessage");
    assert!(shown["message"].as_str().unwrap().contains("gpulint.yaml:2: unknown key"), "{shown}");
    // The old policy still holds, and the message comes once.
    client.change(&train, 2, &format!("{RIGHT}\n"));
    assert_eq!(rules(&client.diagnostics(&train, 2)), ["wrong-visible-devices"]);
    assert_eq!(client.kept("window/showMessage"), [] as [&Value; 0]);
    // An id that is no rule is found later, and told in the same way.
    folder.write("gpulint.yaml", "gpu:\n  visible-devices: \"1\"\nrules:\n  ignore: [no-such-rule]\n");
    policy_changed(&mut client, &folder);
    let wrong = client.diagnostics(&policy, None);
    assert_eq!(wrong[0]["range"]["start"]["line"], 3);
    folder.write("gpulint.yaml", "gpu:\n  visible-devices: \"1\"\n");
    policy_changed(&mut client, &folder);
    assert_eq!(client.diagnostics(&policy, None).len(), 0);
    assert_eq!(client.diagnostics(&train, 2).len(), 0);
    client.end();
}

#[test]
fn without_a_readable_policy_nothing_is_claimed() {
    let folder = Folder::with(&[("pyproject.toml", "[tool.gpulint]\ngpu = 3\n")]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let (train, policy) = (folder.uri("train.py"), folder.uri("pyproject.toml"));
    client.open(&policy, "toml", "[tool.gpulint]\ngpu = 3\n");
    assert_eq!(client.diagnostics(&policy, 1)[0]["range"]["start"]["line"], 1);
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    folder.write("pyproject.toml", "[tool.gpulint]\n");
    client.tell("textDocument/didSave", json!({"textDocument": {"uri": policy}}));
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    client.end();
}

#[test]
fn rules_of_the_project_are_rules() {
    let rule = "\
id: pinned-by-index
summary: the mask is an index
severity: warning
languages: [python]
why: An index is where a card stands in a list.
find: {event: gpu-use}
when:
  - in-force: {variable: CUDA_VISIBLE_DEVICES, selects: integer}
message: \"an index is in force\"
advice: name the card by its UUID
examples:
  - {title: none, good: \"import os\"}
";
    let policy = "rules: {paths: [checks]}\n";
    let folder = Folder::with(&[("gpulint.yaml", policy), ("checks/pinned-by-index.yaml", rule)]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", RIGHT);
    assert_eq!(rules(&client.diagnostics(&train, 1)), ["pinned-by-index"]);
    folder.write("checks/pinned-by-index.yaml", &rule.replace("severity: warning", "severity: error"));
    client.tell("workspace/didChangeWatchedFiles", json!({"changes": []}));
    assert_eq!(client.diagnostics(&train, 1)[0]["severity"], 1);
    client.end();
}

/// The card that a part of the project must take.
fn policy_of(card: u32) -> String {
    format!("gpu: {{visible-devices: \"{card}\", device-order: PCI_BUS_ID}}\n")
}

#[test]
fn each_open_file_is_judged_by_its_own_policy() {
    let (of_a, of_b) = (policy_of(1), policy_of(0));
    let folder = Folder::with(&[EMPTY_POLICY, ("a/gpulint.yaml", &of_a), ("b/gpulint.yaml", &of_b)]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let [a, b, c] = ["a/train.py", "b/train.py", "c/train.py"].map(|name| folder.uri(name));
    for (file, expected) in [(&a, &[][..]), (&b, &["wrong-visible-devices"]), (&c, &[])] {
        client.open(file, "python", RIGHT);
        assert_eq!(rules(&client.diagnostics(file, 1)), expected, "{file}");
    }
    // One of them changes, and the others stay as they are.
    folder.write("a/gpulint.yaml", &policy_of(2));
    let change = json!({"changes": [{"uri": folder.uri("a/gpulint.yaml"), "type": 2}]});
    client.tell("workspace/didChangeWatchedFiles", change);
    assert_eq!(rules(&client.diagnostics(&a, 1)), ["wrong-visible-devices"]);
    client.change(&c, 2, &format!("{RIGHT}\n"));
    assert_eq!(client.diagnostics(&c, 2).len(), 0);
    // One that is wrong is named in its file, and what was said before stays.
    folder.write("b/gpulint.yaml", "gpu: {visible-devises: \"1\"}\n");
    let change = json!({"changes": [{"uri": folder.uri("b/gpulint.yaml"), "type": 2}]});
    client.tell("workspace/didChangeWatchedFiles", change);
    let wrong = client.diagnostics(&folder.uri("b/gpulint.yaml"), None);
    assert!(wrong[0]["message"].as_str().unwrap().contains("visible-devises"), "{wrong:?}");
    folder.write("b/gpulint.yaml", &policy_of(1));
    client.tell("workspace/didChangeWatchedFiles", json!({"changes": []}));
    assert_eq!(client.diagnostics(&b, 1).len(), 0);
    client.end();
}

/// No editor watches the folder of a user, and some watch nothing at all.
#[test]
fn what_a_policy_leans_on_is_looked_at_without_the_editor() {
    let folder = Folder::with(&[
        ("project/.git/HEAD", ""),
        ("project/app/gpulint.yaml", "extends: ../.policies/cards.yaml\n"),
        ("project/.policies/cards.yaml", &policy_of(1)),
    ]);
    let project = folder.path().join("project");
    let mut client = Client::at_home(&project, folder.path());
    let [app, other] = ["project/app/train.py", "project/other.py"].map(|name| folder.uri(name));
    for file in [&app, &other] {
        client.open(file, "python", RIGHT);
        assert_eq!(client.diagnostics(file, 1).len(), 0, "{file}");
    }
    folder.write("project/.policies/cards.yaml", &policy_of(17));
    assert_eq!(rules(&client.diagnostics(&app, 1)), ["wrong-visible-devices"]);
    folder.write(".config/gpulint/gpulint.yaml", &policy_of(18));
    assert_eq!(rules(&client.diagnostics(&other, 1)), ["wrong-visible-devices"]);
    client.end();
}

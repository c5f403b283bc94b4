//! Documents open, change, depend on each other and close, and the findings follow.

use crate::client::{Client, Folder, range, rules, uri};
use crate::{EMPTY_POLICY, RIGHT, RULE, WRONG, page};
use serde_json::{Value, json};

#[test]
fn findings_follow_the_text() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    let found = client.diagnostics(&train, 1);
    assert_eq!(rules(&found), [RULE]);
    let finding = &found[0];
    assert_eq!(finding["range"], range((1, 0), (1, 40)));
    assert_eq!((&finding["severity"], &finding["source"]), (&json!(2), &json!("gpulint")));
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("\nhelp: "), "{message}");
    let expected = page(RULE).map(serde_json::Value::from).unwrap_or_default();
    assert_eq!(finding["codeDescription"]["href"], expected);
    let related = &finding["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], train.as_str());
    assert_eq!(related["location"]["range"]["start"]["line"], 3);

    client.change(&train, 2, RIGHT);
    assert_eq!(client.diagnostics(&train, 2), [] as [Value; 0]);

    // One part after the other: the line is taken out, then a line is put before all.
    let part = |range: Value, text: &str| json!({"range": range, "text": text});
    let changes = [part(range((1, 0), (2, 0)), ""), part(range((0, 0), (0, 0)), "# one card\n")];
    let document = json!({"uri": train, "version": 3});
    client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    let found = client.diagnostics(&train, 3);
    assert_eq!(rules(&found), [RULE]);
    assert_eq!(found[0]["range"]["start"]["line"], 2);

    client.close(&train);
    assert_eq!(client.diagnostics(&train, None), [] as [Value; 0]);
    client.end();
}

#[test]
fn an_edit_in_a_helper_changes_the_script() {
    let helper_text = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n";
    let script_text = format!("import card\n{WRONG}");
    let folder = Folder::with(&[EMPTY_POLICY, ("card.py", "import os\n"), ("train.py", &script_text)]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let (script, helper) = (folder.uri("train.py"), folder.uri("card.py"));
    client.open(&script, "python", &script_text);
    assert_eq!(rules(&client.diagnostics(&script, 1)), [RULE]);
    client.open(&helper, "python", "import os\n");
    assert_eq!(client.diagnostics(&helper, 1).len(), 0);
    // Unsaved, and about another document.
    client.change(&helper, 2, helper_text);
    assert_eq!(client.diagnostics(&script, 1).len(), 0);
    client.change(&helper, 3, "import os\n");
    assert_eq!(rules(&client.diagnostics(&script, 1)), [RULE]);
    // What is closed counts as it lies on disk.
    client.change(&helper, 4, helper_text);
    assert_eq!(client.diagnostics(&script, 1).len(), 0);
    client.close(&helper);
    assert_eq!(rules(&client.diagnostics(&script, 1)), [RULE]);
    // And what changes on disk is read again.
    folder.write("card.py", helper_text);
    let change = json!({"changes": [{"uri": helper, "type": 2}]});
    client.tell("workspace/didChangeWatchedFiles", change);
    assert_eq!(client.diagnostics(&script, 1).len(), 0);
    client.end();
}

#[test]
fn half_a_word_changes_nothing() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let (train, other) = (folder.uri("train.py"), folder.uri("other.py"));
    client.open(&train, "python", WRONG);
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    client.change(&train, 2, &format!("{WRONG}x = (\n"));
    client.open(&other, "python", "x = 1\n");
    client.diagnostics(&other, 1);
    client.change(&train, 3, &format!("{WRONG}x = (1)\n"));
    assert_eq!(rules(&client.diagnostics(&train, 3)), [RULE]);
    let about_half = client.kept("textDocument/publishDiagnostics");
    assert!(about_half.iter().all(|told| told["params"]["uri"] != train.as_str()), "{about_half:?}");
    client.end();
}

#[test]
fn characters_are_counted_as_agreed() {
    // A rocket has two units of UTF-16 and four bytes; the é is an e with a combining mark.
    let line = "x = \"\u{1F680}e\u{301}\"; os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"";
    let text = WRONG.replace("os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"", line);
    let folder = Folder::with(&[EMPTY_POLICY]);
    for (encoding, start) in [("utf-8", 15), ("utf-16", 12), ("utf-32", 11)] {
        let mut client = Client::start(folder.path());
        let capabilities = json!({"general": {"positionEncodings": [encoding, "utf-16"]}});
        let greeting = client.greet(capabilities, &[folder.path()]);
        assert_eq!(greeting["capabilities"]["positionEncoding"], encoding);
        let train = folder.uri("train.py");
        client.open(&train, "python", &text);
        let found = client.diagnostics(&train, 1);
        assert_eq!(found[0]["range"], range((1, start), (1, start + 40)), "{encoding}");
        let change = json!({"range": range((1, start), (1, start + 40)), "text": "pass"});
        let document = json!({"uri": train, "version": 2});
        client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
        let found = client.diagnostics(&train, 2);
        assert!(!rules(&found).contains(&RULE), "{encoding}: {found:?}");
        client.end();
    }
}

#[test]
fn windows_ends_its_lines_otherwise() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", &WRONG.replace('\n', "\r\n"));
    assert_eq!(client.diagnostics(&train, 1)[0]["range"], range((1, 0), (1, 40)));
    client.end();
}

#[test]
fn files_outside_of_all_folders_and_what_was_never_saved() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let elsewhere = Folder::with(&[("card.py", RIGHT), ("a b/ü.py", "")]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    // Only what it imports is looked at.
    let train = elsewhere.uri("train.py");
    client.open(&train, "python", &format!("import card\n{WRONG}"));
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    let escaped = elsewhere.uri("a%20b/%C3%BC.py");
    client.open(&escaped, "python", WRONG);
    assert_eq!(rules(&client.diagnostics(&escaped, 1)), [RULE]);
    client.open("untitled:Untitled-1", "python", WRONG);
    assert_eq!(rules(&client.diagnostics("untitled:Untitled-1", 1)), [RULE]);
    client.open("untitled:Untitled-2", "shellscript", "export CUDA_VISIBLE_DEVICES=1\npython train.py\n");
    client.diagnostics("untitled:Untitled-2", 1);
    // Nothing is said of what is only a view, in a language of others, or nonsense.
    for other in ["git:/train.py?HEAD", "nonsense", ""] {
        client.open(other, "python", WRONG);
        assert_eq!(client.diagnostics(other, 1).len(), 0, "{other}");
    }
    let code = folder.uri("main.cpp");
    client.open(&code, "cpp", "int main() {}");
    assert_eq!(client.diagnostics(&code, 1).len(), 0);
    client.end();
}

#[test]
fn installed_packages_are_not_for_their_reader_to_change() {
    let module = "env/lib/site-packages/torchy/__init__.py";
    let folder = Folder::with(&[EMPTY_POLICY, (module, WRONG)]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    client.open(&folder.uri(module), "python", WRONG);
    assert_eq!(client.diagnostics(&folder.uri(module), 1).len(), 0);
    client.end();
}

#[test]
fn several_folders_have_their_own_policies() {
    let policy = |mask: &str| format!("gpu: {{visible-devices: \"{mask}\"}}\n");
    let (one, two) =
        (Folder::with(&[("gpulint.yaml", &policy("1"))]), Folder::with(&[("gpulint.yaml", &policy("0"))]));
    let mut client = Client::greeted(one.path(), json!({}), &[one.path(), two.path()]);
    client.open(&one.uri("train.py"), "python", RIGHT);
    client.open(&two.uri("train.py"), "python", RIGHT);
    assert_eq!(client.diagnostics(&one.uri("train.py"), 1).len(), 0);
    assert_eq!(rules(&client.diagnostics(&two.uri("train.py"), 1)), ["wrong-visible-devices"]);
    let event = json!({"added": [], "removed": [{"uri": uri(two.path()), "name": "two"}]});
    client.tell("workspace/didChangeWorkspaceFolders", json!({"event": event}));
    client.change(&one.uri("train.py"), 2, WRONG);
    assert_eq!(rules(&client.diagnostics(&one.uri("train.py"), 2)), [RULE]);
    client.end();
}

#[test]
fn a_folder_without_policy_is_a_project_because_it_was_opened() {
    let launcher = "export CUDA_DEVICE_ORDER=PCI_BUS_ID\npython train.py\n";
    let folder = Folder::with(&[("run.sh", launcher)]);
    let train = folder.uri("train.py");
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1).len(), 0, "the launcher fixes the order");
    client.end();
}

#[test]
fn a_large_document_is_checked() {
    let mut text = "def f():\n    return 1\n".repeat(40_000);
    text.push_str(WRONG);
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    client.open(&folder.uri("train.py"), "python", &text);
    assert_eq!(client.diagnostics(&folder.uri("train.py"), 1)[0]["range"], range((80_001, 0), (80_001, 40)));
    client.end();
}

//! What an editor asks about findings: what can be done, and why.

use crate::client::{Client, Folder, actions, range, rules};
use crate::{EMPTY_POLICY, RULE, WRONG, linked, page};
use serde_json::{Value, json};

/// What editors say about actions.
fn capabilities() -> Value {
    json!({
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}},
        "workspace": {"workspaceEdit": {"documentChanges": true}},
        "window": {"showDocument": {"support": true}},
    })
}

#[test]
fn a_finding_can_be_ignored_and_explained() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), capabilities(), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    let cursor = range((1, 5), (1, 5));
    let offered = actions(&mut client, &train, cursor.clone(), None);
    let titles: Vec<_> = offered.iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert_eq!(
        titles,
        [
            "gpulint: set the order beside the mask (may change behaviour)",
            "gpulint: ignore missing-device-order here",
            "gpulint: explain missing-device-order",
        ]
    );
    let change = &offered[1]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({"uri": train, "version": 1}));
    let edit =
        json!({"range": range((1, 40), (1, 40)), "newText": "  # gpulint: ignore[missing-device-order]"});
    assert_eq!(change["edits"], json!([edit]));
    assert_eq!(offered[1]["diagnostics"][0]["code"], RULE);
    assert_eq!(actions(&mut client, &train, cursor.clone(), Some("quickfix")).len(), 2);
    assert_eq!(actions(&mut client, &train, cursor.clone(), Some("refactor")).len(), 0);
    assert_eq!(actions(&mut client, &train, range((0, 0), (0, 3)), None).len(), 0);
    assert_eq!(actions(&mut client, "file:///nowhere.py", cursor.clone(), None).len(), 0);

    // The explanation is a page of the web, or, while it is in none, a message.
    client.ask("workspace/executeCommand", offered[2]["command"].clone());
    match page(RULE) {
        Some(page) => assert_eq!(client.told("window/showDocument")["uri"], page),
        None => {
            let shown = client.told("window/showMessage");
            assert!(shown["message"].as_str().unwrap().contains(RULE), "{shown}");
        }
    }

    // The edit does what it promises.
    let changed = json!({"range": edit["range"], "text": edit["newText"]});
    let document = json!({"uri": train, "version": 2});
    client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [changed]}));
    assert_eq!(client.diagnostics(&train, 2).len(), 0);
    client.end();
}

#[test]
fn simple_editors_get_simple_answers() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let train = folder.uri("train.py");
    let literals = json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}});
    let mut client = Client::greeted(folder.path(), literals, &[]);
    client.open(&train, "python", WRONG);
    client.diagnostics(&train, 1);
    let offered = actions(&mut client, &train, range((1, 5), (1, 5)), None);
    assert_eq!(offered[0]["edit"]["changes"][&train].as_array().unwrap().len(), 1);
    client.ask("workspace/executeCommand", offered[2]["command"].clone());
    let shown = client.told("window/showMessage");
    assert!(shown["message"].as_str().unwrap().starts_with("missing-device-order: "), "{shown}");
    // Strange commands are passed over.
    client.ask("workspace/executeCommand", json!({"command": "gpulint.explainRule"}));
    client.ask("workspace/executeCommand", json!({"command": "other", "arguments": [1]}));
    client.end();

    let mut client = Client::greeted(folder.path(), json!({}), &[]);
    client.open(&train, "python", WRONG);
    client.diagnostics(&train, 1);
    assert_eq!(actions(&mut client, &train, range((1, 5), (1, 5)), None).len(), 0);
    client.end();
}

#[test]
fn the_page_of_a_rule_is_shown_over_its_finding() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    client.diagnostics(&train, 1);
    let mut hover = |line: u32, character: u32| {
        let position = json!({"line": line, "character": character});
        client.ask("textDocument/hover", json!({"textDocument": {"uri": train}, "position": position}))
    };
    let over = hover(1, 3);
    assert_eq!(over["contents"]["kind"], "markdown");
    assert_eq!(over["range"], range((1, 0), (1, 40)));
    let page = over["contents"]["value"].as_str().unwrap();
    for part in [linked(RULE).as_str(), "**What to do:** ", "Sources:\n- <https://"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert_eq!(hover(3, 3), Value::Null);
    assert_eq!(hover(99, 3), Value::Null);
    client.end();
}

#[test]
fn tags_say_what_is_old_and_what_is_of_no_use() {
    let text = "import torch\nx = 1  # gpulint: ignore[missing-device-order]\ntorch.cuda.memory_cached()\n";
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", text);
    let found = client.diagnostics(&train, 1);
    let tags = |rule: &str| {
        let found = found.iter().find(|diagnostic| diagnostic["code"] == rule);
        found.unwrap_or_else(|| panic!("{rule} is not in {found:?}"))["tags"].clone()
    };
    assert_eq!(tags("unused-suppression"), json!([1]));
    assert_eq!(tags("deprecated-memory-api"), json!([2]));
    client.end();
}

#[test]
fn severities_are_those_of_the_editor() {
    let folder = Folder::with(&[("gpulint.yaml", "rules: {severity: {missing-device-order: note}}\n")]);
    let train = folder.uri("train.py");
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1)[0]["severity"], 4);
    client.end();
    let mut client = Client::start_with(folder.path(), &["--stdio", "--min-severity", "warning"]);
    client.greet(json!({}), &[folder.path()]);
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    client.end();
}

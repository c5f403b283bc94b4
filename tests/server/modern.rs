//! What newer editors do: they ask for diagnostics and for the changes of actions, have settings of their own, show what is under
//! way, and hints between the lines.

use crate::client::{Client, Folder, actions, range, rules};
use crate::{EMPTY_POLICY, GPU_POLICY, RIGHT, RULE, WRONG, linked};
use serde_json::{Value, json};

/// An editor that asks.
fn pulling() -> Value {
    json!({
        "textDocument": {"diagnostic": {"dynamicRegistration": true}},
        "workspace": {"diagnostics": {"refreshSupport": true}, "inlayHint": {"refreshSupport": true}},
    })
}

fn pull(client: &mut Client, uri: &str, previous: Option<&str>) -> Value {
    client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}, "previousResultId": previous}))
}

fn items(answer: &Value) -> Vec<Value> {
    answer["items"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn diagnostics_are_asked_for_and_told_once() {
    let folder = Folder::with(&[EMPTY_POLICY, ("card.py", "ORDER = \"PCI_BUS_ID\"\n")]);
    let mut client = Client::start(folder.path());
    let greeting = client.greet(pulling(), &[folder.path()]);
    let provider =
        json!({"identifier": "gpulint", "interFileDependencies": true, "workspaceDiagnostics": false});
    assert_eq!(greeting["capabilities"]["diagnosticProvider"], provider);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    let first = pull(&mut client, &train, None);
    assert_eq!((first["kind"].as_str(), rules(&items(&first))), (Some("full"), vec![RULE]));
    let name = first["resultId"].as_str().unwrap().to_owned();
    assert_eq!(pull(&mut client, &train, Some(&name)), json!({"kind": "unchanged", "resultId": name}));
    client.change(&train, 2, RIGHT);
    let second = pull(&mut client, &train, Some(&name));
    assert_eq!((second["kind"].as_str(), items(&second).len()), (Some("full"), 0));
    assert_ne!(second["resultId"], first["resultId"]);
    assert_eq!(items(&pull(&mut client, &folder.uri("closed.py"), None)).len(), 0);
    assert!(client.kept("textDocument/publishDiagnostics").is_empty());
    client.end();
}

#[test]
fn news_about_other_documents_are_announced() {
    let uses = "import card\nimport torch\ntorch.cuda.init()\n";
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), pulling(), &[folder.path()]);
    let (card, train) = (folder.uri("card.py"), folder.uri("train.py"));
    let sets = |with: &str| format!("import os\n{with}os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n");
    client.open(&card, "python", &sets("os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n"));
    client.open(&train, "python", uses);
    assert_eq!(items(&pull(&mut client, &card, None)).len(), 0);
    // The fault is shown where the mask is set, which is in the other file, for the program that was not touched.
    client.change(&card, 2, &sets(""));
    client.told("workspace/diagnostic/refresh");
    assert_eq!(rules(&items(&pull(&mut client, &card, None))), [RULE]);
    client.end();
}

#[test]
fn an_editor_that_cannot_be_told_of_news_is_told_everything() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let asks = json!({"textDocument": {"diagnostic": {}}});
    let mut client = Client::start(folder.path());
    assert_eq!(client.greet(asks, &[folder.path()])["capabilities"].get("diagnosticProvider"), None);
    client.open(&folder.uri("train.py"), "python", WRONG);
    assert_eq!(rules(&client.diagnostics(&folder.uri("train.py"), 1)), [RULE]);
    client.end();
}

#[test]
fn questions_that_nobody_needs_any_more_are_answered() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), pulling(), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    client.send_raw(&framed(&json!({"jsonrpc": "2.0", "id": "q", "method": "textDocument/diagnostic",
                                    "params": {"textDocument": {"uri": train}}})));
    client.tell("$/cancelRequest", json!({"id": "q"}));
    let answer = client.wait(|message| message["id"] == "q");
    // Whichever came first.
    assert!(answer["error"]["code"] == -32800 || answer["result"]["kind"] == "full", "{answer}");
    client.end();
}

fn framed(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

#[test]
fn changes_of_actions_are_asked_for() {
    let folder = Folder::with(&[GPU_POLICY]);
    let resolves = json!({"textDocument": {"codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
        "dataSupport": true,
        "resolveSupport": {"properties": ["edit"]},
    }}});
    let mut client = Client::start(folder.path());
    let greeting = client.greet(resolves, &[folder.path()]);
    assert_eq!(greeting["capabilities"]["codeActionProvider"]["resolveProvider"], true);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    client.diagnostics(&train, 1);
    let offered = actions(&mut client, &train, range((1, 5), (1, 5)), None);
    let with_edit = offered.iter().filter(|action| action.get("edit").is_some()).count();
    assert_eq!((offered.len(), with_edit), (4, 0), "{offered:?}");
    for (at, expected) in [(0, "CUDA_DEVICE_ORDER"), (1, "# gpulint: ignore["), (3, "CUDA_DEVICE_ORDER")] {
        let action = client.ask("codeAction/resolve", offered[at].clone());
        let text =
            action["edit"]["changes"][&train][0]["newText"].as_str().unwrap_or_else(|| panic!("{action}"));
        assert!(text.contains(expected), "{text}");
        assert_eq!(action["title"], offered[at]["title"]);
    }
    // The explanation has no change to come.
    assert_eq!(client.ask("codeAction/resolve", offered[2].clone()), offered[2]);
    client.change(&train, 2, RIGHT);
    let refused = client.answer_to("codeAction/resolve", offered[0].clone());
    assert_eq!(refused["error"]["code"], -32801, "{refused}");
    client.end();
}

#[test]
fn settings_of_the_editor_count() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let train = folder.uri("train.py");
    let mut client = Client::start(folder.path());
    let asked = json!({"workspace": {"configuration": true, "didChangeConfiguration": {"dynamicRegistration": true}}});
    client.greet(asked, &[folder.path()]);
    let registered = client.told("client/registerCapability");
    assert_eq!(registered["registrations"][0]["method"], "workspace/didChangeConfiguration");
    let answer = |client: &mut Client, settings: Value| {
        let asked = client.wait(|message| message["method"] == "workspace/configuration");
        assert_eq!(asked["params"], json!({"items": [{"section": "gpulint"}]}));
        client.send_raw(&framed(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": [settings]})));
    };
    answer(&mut client, json!({"ignore": [RULE], "mode": "tpu"}));
    let told = client.told("window/showMessage");
    assert_eq!(
        told["message"],
        "gpulint: the setting gpulint.mode is gpu or cpu, not \"tpu\"; it is left out"
    );
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    client.tell("workspace/didChangeConfiguration", json!({"settings": null}));
    answer(&mut client, json!({"ignore": []}));
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    client.end();

    // Others hand them over with the first word, and with each change.
    let mut client = Client::start(folder.path());
    let first = json!({"capabilities": {}, "initializationOptions": {"minSeverity": "error"}});
    client.ask("initialize", first);
    client.tell("initialized", json!({}));
    client.open(&train, "python", WRONG);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    client.tell(
        "workspace/didChangeConfiguration",
        json!({"settings": {"gpulint": {"minSeverity": "warning"}}}),
    );
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    client.end();
}

#[test]
fn the_first_look_at_a_project_is_shown() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let shows = json!({"window": {"workDoneProgress": true}});
    let mut client = Client::greeted(folder.path(), shows, &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", WRONG);
    let token = client.told("window/workDoneProgress/create")["token"].clone();
    let begin = client.told("$/progress");
    assert_eq!((&begin["token"], &begin["value"]["kind"]), (&token, &json!("begin")));
    let end = client.told("$/progress");
    assert_eq!((&end["token"], &end["value"]), (&token, &json!({"kind": "end"})));
    client.diagnostics(&train, 1);
    client.change(&train, 2, RIGHT);
    client.diagnostics(&train, 2);
    assert!(client.kept("$/progress").is_empty());
    client.end();
}

#[test]
fn rules_are_explained_where_they_are_named() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let silent = WRONG.replace("\"1\"\n", "\"1\"  # gpulint: ignore[missing-device-order] one card\n");
    let (train, policy) = (folder.uri("train.py"), folder.uri("gpulint.yaml"));
    client.open(&train, "python", &silent);
    assert_eq!(client.diagnostics(&train, 1).len(), 0);
    let mut hover = |uri: &str, line: u32, character: u32| {
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
        client.ask("textDocument/hover", place)
    };
    let found = hover(&train, 1, 66);
    let text = found["contents"]["value"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
    assert!(text.starts_with(&linked("missing-device-order")) && text.contains("fastest"), "{text}");
    assert_eq!(found["range"], range((1, 60), (1, 80)));
    let word = hover(&train, 1, 54);
    assert!(word["contents"]["value"].as_str().unwrap().starts_with("**gpulint: ignore**"), "{word}");
    assert_eq!(hover(&train, 0, 1), Value::Null);
    client.open(&policy, "yaml", "rules: {ignore: [missing-device-order]}\n");
    let mut hover = |uri: &str, character: u32| {
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": character}});
        client.ask("textDocument/hover", place)
    };
    assert!(hover(&policy, 20)["contents"]["value"].as_str().unwrap().contains("missing-device-order"));
    assert_eq!(hover(&policy, 3), Value::Null);
    client.end();
}

fn hints(client: &mut Client, uri: &str) -> Vec<Value> {
    let whole = range((0, 0), (99, 0));
    let answer = client.ask("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": whole}));
    answer.as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn hints_show_the_card_that_a_program_takes() {
    let folder = Folder::with(&[
        GPU_POLICY,
        ("run.sh", "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 python plain.py\n"),
    ]);
    let mut client = Client::greeted(folder.path(), pulling(), &[folder.path()]);
    let (train, plain) = (folder.uri("train.py"), folder.uri("plain.py"));
    client.open(&train, "python", RIGHT);
    client.open(&plain, "python", "import torch\n\nx = torch.zeros(1).cuda()\n");
    let found = hints(&mut client, &train);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["label"], &found[0]["position"]),
        (&json!("→ card 1"), &json!({"line": 4, "character": 17}))
    );
    let page = found[0]["tooltip"]["value"].as_str().unwrap();
    assert!(page.contains("- CUDA_VISIBLE_DEVICES: \"1\"\n"), "{page}");
    assert!(page.contains("- decided at train.py:3: "), "{page}");
    let found = hints(&mut client, &plain);
    let page = found[0]["tooltip"]["value"].as_str().unwrap();
    assert!(page.contains("plain.py, started by run.sh:1"), "{page}");
    assert_eq!((&found[0]["label"], found.len()), (&json!("→ card 0"), 1));
    // They change with the text, and an editor that did not ask again hears of it.
    client.change(&train, 2, &RIGHT.replace("\"1\"", "\"2\""));
    client.told("workspace/inlayHint/refresh");
    assert_eq!(hints(&mut client, &train)[0]["label"], "→ card 2");
    client.tell("workspace/didChangeConfiguration", json!({"settings": {"gpulint": {"showCards": false}}}));
    assert_eq!(hints(&mut client, &train).len(), 0);
    client.end();
}

#[test]
fn hints_stand_in_the_cells_of_notebooks() {
    let folder = Folder::with(&[GPU_POLICY]);
    let mut client = Client::greeted(folder.path(), pulling(), &[folder.path()]);
    let (notebook, cells) = (folder.uri("n.ipynb"), [folder.uri("n.ipynb#a"), folder.uri("n.ipynb#b")]);
    let first = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n";
    let texts = [first, "import torch\ntorch.zeros(1).cuda()\n"];
    let kinds: Vec<Value> = cells.iter().map(|cell| json!({"kind": 2, "document": cell})).collect();
    let documents = cells.iter().zip(texts);
    let documents = documents
        .map(|(cell, text)| json!({"uri": cell, "languageId": "python", "version": 1, "text": text}));
    let params = json!({
        "notebookDocument": {"uri": notebook, "notebookType": "jupyter-notebook", "version": 1, "cells": kinds},
        "cellTextDocuments": documents.collect::<Vec<_>>(),
    });
    client.tell("notebookDocument/didOpen", params);
    let found = hints(&mut client, &cells[1]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["label"], &found[0]["position"]["line"]), (&json!("→ card 1"), &json!(1)));
    assert_eq!(hints(&mut client, &cells[0]).len(), 0);
    client.end();
}

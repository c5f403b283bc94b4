//! Fixes as quick fixes, and all safe ones of a file at once.

use crate::client::{Client, Folder, actions, range, rules};
use crate::{GPU_POLICY, RIGHT};
use serde_json::{Value, json};

const NOT_CALLED: &str = "availability-check-not-called";

/// Pinned as it should be, and three checks that are not called, one behind characters of several units.
fn program() -> String {
    format!(
        "{RIGHT}x = \"é\u{1F680}\" if torch.cuda.is_available else None\nassert torch.cuda.is_available\n"
    )
}

fn capabilities(encodings: &[&str], versioned: bool) -> Value {
    json!({
        "general": {"positionEncodings": encodings},
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}},
        "workspace": {"workspaceEdit": {"documentChanges": versioned}},
    })
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|action| action["title"].as_str().expect("a title")).collect()
}

/// Tells the server of edits that an editor has made.
fn make(client: &mut Client, uri: &str, version: i32, edits: &Value) {
    let mut edits = edits.as_array().expect("a list").clone();
    // As the protocol asks: all speak of the text as it was.
    edits.reverse();
    let changes = edits.iter().map(|edit| json!({"range": edit["range"], "text": edit["newText"]}));
    let params = json!({"textDocument": {"uri": uri, "version": version},
                        "contentChanges": changes.collect::<Vec<_>>()});
    client.tell("textDocument/didChange", params);
}

#[test]
fn a_finding_is_mended() {
    // The character behind é and a rocket, and the end of the name, in each encoding.
    for (encoding, columns) in [("utf-8", (16, 39)), ("utf-16", (13, 36)), ("utf-32", (12, 35))] {
        let folder = Folder::with(&[GPU_POLICY]);
        let mut client = Client::greeted(folder.path(), capabilities(&[encoding], true), &[folder.path()]);
        let train = folder.uri("train.py");
        client.open(&train, "python", &program());
        let found = client.diagnostics(&train, 1);
        assert_eq!(rules(&found), [NOT_CALLED, NOT_CALLED]);
        let place = range((5, columns.0), (5, columns.1));
        assert_eq!(found[0]["range"], place, "{encoding}");
        let offered = actions(&mut client, &train, range((5, 20), (5, 20)), None);
        assert_eq!(
            titles(&offered),
            [
                "gpulint: call it",
                "gpulint: ignore availability-check-not-called here",
                "gpulint: explain availability-check-not-called",
                "gpulint: fix all safe gpulint problems in this file",
            ]
        );
        assert_eq!((&offered[0]["kind"], &offered[0]["isPreferred"]), (&json!("quickfix"), &json!(true)));
        assert_eq!(offered[0]["diagnostics"][0]["code"], NOT_CALLED);
        assert_eq!(offered[1].get("isPreferred"), None);
        let change = &offered[0]["edit"]["documentChanges"];
        assert_eq!(change.as_array().map(Vec::len), Some(1));
        assert_eq!(change[0]["textDocument"], json!({"uri": train, "version": 1}));
        let edit = json!({"range": place, "newText": "torch.cuda.is_available()"});
        assert_eq!(change[0]["edits"], json!([edit]), "{encoding}");

        make(&mut client, &train, 2, &change[0]["edits"]);
        assert_eq!(rules(&client.diagnostics(&train, 2)), [NOT_CALLED]);
        client.end();
    }
}

#[test]
fn all_of_a_file_at_once() {
    let folder = Folder::with(&[GPU_POLICY]);
    let mut client = Client::greeted(folder.path(), capabilities(&["utf-8"], true), &[folder.path()]);
    let train = folder.uri("train.py");
    client.open(&train, "python", &program());
    client.diagnostics(&train, 1);
    let elsewhere = range((0, 0), (0, 0));
    assert_eq!(actions(&mut client, &train, elsewhere.clone(), None), [] as [Value; 0]);
    for only in ["source", "source.fixAll", "source.fixAll.gpulint"] {
        let offered = actions(&mut client, &train, elsewhere.clone(), Some(only));
        assert_eq!(titles(&offered), ["gpulint: fix all safe gpulint problems in this file"], "{only}");
        assert_eq!(offered[0]["kind"], "source.fixAll.gpulint");
    }
    for only in ["quickfix", "source.organizeImports", "source.fixAll.gpu", "source.fixAll.gpulint.x"] {
        assert_eq!(actions(&mut client, &train, elsewhere.clone(), Some(only)), [] as [Value; 0], "{only}");
    }
    let offered = actions(&mut client, &train, elsewhere.clone(), Some("source.fixAll"));
    let change = &offered[0]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({"uri": train, "version": 1}));
    assert_eq!(change["edits"].as_array().map(Vec::len), Some(2));
    make(&mut client, &train, 2, &change["edits"]);
    assert_eq!(client.diagnostics(&train, 2), [] as [Value; 0]);
    assert_eq!(actions(&mut client, &train, elsewhere, Some("source.fixAll")), [] as [Value; 0]);
    client.end();
}

#[test]
fn editors_without_versions_get_plain_changes_while_they_are_right() {
    let folder = Folder::with(&[GPU_POLICY]);
    let mut client = Client::greeted(folder.path(), capabilities(&[], false), &[folder.path()]);
    let train = folder.uri("train.py");
    let text = program().replace('\n', "\r\n");
    client.open(&train, "python", &text);
    client.diagnostics(&train, 1);
    let cursor = range((6, 10), (6, 10));
    let offered = actions(&mut client, &train, cursor.clone(), Some("quickfix"));
    let edit = json!({"range": range((6, 7), (6, 30)), "newText": "torch.cuda.is_available()"});
    assert_eq!(offered[0]["edit"], json!({"changes": {&train: [edit]}}));
    // A line more above, and not yet checked: what was found stood elsewhere.
    client.change(&train, 2, &format!("\r\n{text}"));
    assert_eq!(actions(&mut client, &train, cursor, None), [] as [Value; 0]);
    assert_eq!(client.diagnostics(&train, 2)[1]["range"]["start"]["line"], 7);
    client.end();
}

#[test]
fn cells_are_mended_in_their_documents() {
    let folder = Folder::with(&[GPU_POLICY]);
    let mut client = Client::greeted(folder.path(), capabilities(&["utf-16"], true), &[folder.path()]);
    let notebook = folder.uri("train.ipynb");
    let uri = |name: &str| format!("{}#{name}", notebook.replace("file:", "vscode-notebook-cell:"));
    let texts = [("pin", RIGHT), ("check", "y = 1\nx = \"\u{1F680}\" if torch.cuda.is_available else 0")];
    let cells = texts.map(|(name, _)| json!({"kind": 2, "document": uri(name)}));
    let documents = texts
        .map(|(name, text)| json!({"uri": uri(name), "languageId": "python", "version": 3, "text": text}));
    let document = json!({"uri": notebook, "notebookType": "jupyter-notebook", "version": 1, "cells": cells});
    let opened = json!({"notebookDocument": document, "cellTextDocuments": documents});
    client.tell("notebookDocument/didOpen", opened);
    let check = uri("check");
    assert_eq!(rules(&client.diagnostics(&check, 3)), [NOT_CALLED]);
    for only in ["quickfix", "source.fixAll"] {
        let offered = actions(&mut client, &check, range((1, 15), (1, 15)), Some(only));
        let change = &offered[0]["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({"uri": check, "version": 3}));
        let edit = json!({"range": range((1, 12), (1, 35)), "newText": "torch.cuda.is_available()"});
        assert_eq!(change["edits"], json!([edit]));
    }
    client.end();
}

#[test]
fn the_json_of_a_notebook_is_not_changed() {
    let folder = Folder::with(&[GPU_POLICY]);
    let mut client = Client::greeted(folder.path(), capabilities(&[], true), &[folder.path()]);
    let file = folder.uri("train.ipynb");
    let lines: Vec<_> = "import torch\nassert torch.cuda.is_available\n".split_inclusive('\n').collect();
    let text =
        serde_json::to_string_pretty(&json!({"cells": [{"cell_type": "code", "source": lines}]})).unwrap();
    client.open(&file, "json", &text);
    let found = client.diagnostics(&file, 1);
    let finding = found.iter().find(|finding| finding["code"] == NOT_CALLED).expect("it is found");
    let offered = actions(&mut client, &file, finding["range"].clone(), None);
    assert!(!titles(&offered).iter().any(|title| title.contains("call it") || title.contains("fix all")));
    client.end();
}

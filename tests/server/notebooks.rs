//! Notebooks: cells as documents, and the file as text.

use crate::client::{Client, Folder, range, rules};
use crate::{EMPTY_POLICY, RULE};
use serde_json::{Value, json};

const PIN: &str = "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"";
const ORDER: &str = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"";
const USE: &str = "import torch\ntorch.cuda.init()";

fn cell(notebook: &str, name: &str, kind: u32) -> Value {
    json!({"kind": kind, "document": cell_uri(notebook, name)})
}

fn cell_uri(notebook: &str, name: &str) -> String {
    format!("{}#{name}", notebook.replace("file:", "vscode-notebook-cell:"))
}

fn text(notebook: &str, name: &str, text: &str) -> Value {
    json!({"uri": cell_uri(notebook, name), "languageId": "python", "version": 1, "text": text})
}

#[test]
fn findings_belong_to_cells() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let actions = json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}});
    let mut client = Client::greeted(folder.path(), actions, &[folder.path()]);
    let notebook = folder.uri("train.ipynb");
    let cells = [cell(&notebook, "title", 1), cell(&notebook, "pin", 2), cell(&notebook, "use", 2)];
    let texts =
        [text(&notebook, "title", "# Training"), text(&notebook, "pin", PIN), text(&notebook, "use", USE)];
    let document = json!({"uri": notebook, "notebookType": "jupyter-notebook", "version": 1, "cells": cells});
    client
        .tell("notebookDocument/didOpen", json!({"notebookDocument": document, "cellTextDocuments": texts}));
    let pin = cell_uri(&notebook, "pin");
    let found = client.diagnostics(&pin, 1);
    assert_eq!(rules(&found), [RULE]);
    assert_eq!(found[0]["range"], range((1, 0), (1, 40)));
    let related = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(related["uri"], cell_uri(&notebook, "use").as_str());
    assert_eq!(related["range"]["start"]["line"], 1);

    // It can be fixed and suppressed in its cell.
    let params =
        json!({"textDocument": {"uri": pin}, "range": range((1, 2), (1, 2)), "context": {"diagnostics": []}});
    let offered = client.ask("textDocument/codeAction", params);
    let edit =
        json!({"range": range((1, 40), (1, 40)), "newText": "  # gpulint: ignore[missing-device-order]"});
    let order = "os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n";
    let fix = json!({"range": range((1, 0), (1, 0)), "newText": order});
    assert_eq!(offered[0]["edit"]["changes"][&pin], json!([fix]));
    assert_eq!(offered[1]["edit"]["changes"][&pin], json!([edit]));

    // A new cell before them all fixes the order.
    let new = [cell(&notebook, "order", 2)];
    let structure = json!({"array": {"start": 0, "deleteCount": 0, "cells": new},
                           "didOpen": [text(&notebook, "order", ORDER)]});
    let document = json!({"uri": notebook, "version": 2});
    let change = json!({"notebookDocument": document, "change": {"cells": {"structure": structure}}});
    client.tell("notebookDocument/didChange", change);
    assert_eq!(client.diagnostics(&pin, 1).len(), 0);

    // Its text changes, and it no longer does.
    let changed = json!({"document": {"uri": cell_uri(&notebook, "order"), "version": 2},
                         "changes": [{"range": range((1, 0), (1, 46)), "text": "pass"}]});
    let document = json!({"uri": notebook, "version": 3});
    let change = json!({"notebookDocument": document, "change": {"cells": {"textContent": [changed]}}});
    client.tell("notebookDocument/didChange", change);
    assert_eq!(rules(&client.diagnostics(&pin, 1)), [RULE]);

    // The cell with the finding goes.
    let structure = json!({"array": {"start": 2, "deleteCount": 1}, "didClose": [{"uri": pin}]});
    let document = json!({"uri": notebook, "version": 4});
    let change = json!({"notebookDocument": document, "change": {"cells": {"structure": structure}}});
    client.tell("notebookDocument/didChange", change);
    assert_eq!(client.diagnostics(&pin, None).len(), 0);
    let closed = ["title", "order", "use"].map(|name| json!({"uri": cell_uri(&notebook, name)}));
    client.tell(
        "notebookDocument/didClose",
        json!({"notebookDocument": {"uri": notebook}, "cellTextDocuments": closed}),
    );
    client.end();
}

#[test]
fn the_file_of_a_notebook_is_text_too() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let file = folder.uri("train.ipynb");
    let cells = [PIN, USE]
        .map(|code| json!({"cell_type": "code", "source": code.split_inclusive('\n').collect::<Vec<_>>()}));
    let text = serde_json::to_string_pretty(&json!({"cells": cells})).unwrap();
    client.open(&file, "json", &text);
    let found = client.diagnostics(&file, 1);
    assert_eq!(rules(&found), [RULE]);
    let line = text.lines().position(|line| line.contains("CUDA_VISIBLE_DEVICES")).unwrap() as u32;
    let length = text.lines().nth(line as usize).unwrap().len() as u32;
    assert_eq!(found[0]["range"], range((line, 0), (line, length)));
    // Broken while it is edited, and then no notebook at all.
    client.change(&file, 2, &text[..text.len() / 2]);
    client.change(&file, 3, "{\"cells\": []}");
    assert_eq!(client.diagnostics(&file, 3).len(), 0);
    client.end();
}

#[test]
fn other_kernels_are_left_alone() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    let notebook = folder.uri("train.ipynb");
    let cells = [cell(&notebook, "pin", 2), cell(&notebook, "use", 2)];
    let texts = [text(&notebook, "pin", PIN), text(&notebook, "use", USE)];
    let kernel = json!({"kernelspec": {"language": "julia", "name": "julia-1.11"}});
    let document = json!({"uri": notebook, "notebookType": "jupyter-notebook", "version": 1, "metadata": kernel,
                          "cells": cells});
    client
        .tell("notebookDocument/didOpen", json!({"notebookDocument": document, "cellTextDocuments": texts}));
    assert_eq!(client.diagnostics(&cell_uri(&notebook, "pin"), 1).len(), 0);
    client.end();
}

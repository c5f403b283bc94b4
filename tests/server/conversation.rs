//! How a conversation begins and ends, also when one side does not keep to the rules.

use crate::client::{Client, Folder, rules};
use crate::{EMPTY_POLICY, RULE, WRONG};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

#[test]
fn the_greeting_says_what_can_be_had() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::start(folder.path());
    let watching = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let greeting = client.greet(watching, &[folder.path()]);
    assert_eq!(greeting["serverInfo"]["name"], "gpulint");
    let can = &greeting["capabilities"];
    assert_eq!((&can["positionEncoding"], &can["hoverProvider"]), (&json!("utf-16"), &json!(true)));
    assert_eq!(can["textDocumentSync"]["change"], 2);
    assert_eq!(can["codeActionProvider"]["codeActionKinds"], json!(["quickfix", "source.fixAll.gpulint"]));
    let wanted = client.wait(|message| message["method"] == "client/registerCapability");
    let globs = wanted["params"]["registrations"][0]["registerOptions"]["watchers"].to_string();
    assert!(globs.contains("yaml") && globs.contains("Dockerfile"), "{globs}");
    client.end();
}

#[test]
fn nothing_happens_before_the_greeting_and_after_the_farewell() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::start(folder.path());
    let error = |answer: Value| answer["error"]["code"].as_i64().expect("an error");
    assert_eq!(error(client.answer_to("textDocument/hover", json!({}))), -32002);
    client.open(&folder.uri("early.py"), "python", WRONG);
    client.greet(json!({}), &[folder.path()]);
    assert_eq!(error(client.answer_to("initialize", json!({}))), -32600);
    assert_eq!(error(client.answer_to("textDocument/definition", json!({}))), -32601);
    assert_eq!(error(client.answer_to("textDocument/hover", json!({"textDocument": 3}))), -32602);
    client.tell("$/setTrace", json!({"value": "off"}));
    client.tell("$/cancelRequest", json!({"id": 99}));
    client.ask("shutdown", Value::Null);
    assert_eq!(error(client.answer_to("textDocument/hover", json!({}))), -32600);
    client.tell("exit", Value::Null);
    assert_eq!(client.exit_code(), Some(0));
}

#[test]
fn leaving_without_a_farewell_is_exit_code_1() {
    let folder = Folder::with(&[]);
    let mut client = Client::greeted(folder.path(), json!({}), &[]);
    client.tell("exit", Value::Null);
    assert_eq!(client.exit_code(), Some(1));
    let mut client = Client::greeted(folder.path(), json!({}), &[]);
    client.hang_up();
    assert_eq!(client.exit_code(), Some(1));
    let mut client = Client::greeted(folder.path(), json!({}), &[]);
    client.ask("shutdown", Value::Null);
    client.hang_up();
    assert_eq!(client.exit_code(), Some(0));
}

#[test]
fn malformed_messages_end_nothing() {
    let folder = Folder::with(&[EMPTY_POLICY]);
    let mut client = Client::greeted(folder.path(), json!({}), &[folder.path()]);
    client.send_raw(b"Content-Length: 5\r\n\r\n{oops");
    let answer = client.wait(|message| message.get("error").is_some());
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    client.send_raw(b"no header at all\r\n");
    client.wait(|message| message.get("error").is_some());
    client.send_raw(b"Content-Length: 33\r\n\r\n{\"id\":5,\"method\":3,\"params\":true}");
    let answer = client.wait(|message| message["id"] == 5);
    assert_eq!(answer["error"]["code"], -32600);
    // Known words with strange contents.
    let train = folder.uri("train.py");
    for method in ["didOpen", "didChange", "didClose"] {
        client.tell(&format!("textDocument/{method}"), json!({"textDocument": 3}));
        client.told("window/logMessage");
    }
    client.change(&train, 7, "never opened");
    client.close(&train);
    client.tell(
        "notebookDocument/didChange",
        json!({"notebookDocument": {"uri": train, "version": 1}, "change": {}}),
    );
    client.open(&train, "python", WRONG);
    assert_eq!(rules(&client.diagnostics(&train, 1)), [RULE]);
    client.end();
}

#[test]
#[cfg(unix)]
fn the_server_does_not_outlive_its_editor() {
    let folder = Folder::with(&[]);
    // Stands in for the editor; `cat` ends when its input does.
    let mut editor =
        Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("`cat` is there");
    let mut client = Client::start(folder.path());
    client.ask("initialize", json!({"processId": editor.id(), "rootUri": null, "capabilities": {}}));
    drop(editor.stdin.take());
    editor.wait().expect("it ends");
    assert_eq!(client.exit_code(), Some(1), "although its input is still open");
}

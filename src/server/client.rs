//! What the editor says about itself when it starts the conversation, and what it is told in return. Its words are read
//! one by one: what is missing or strange in one of them does not matter for the others.

use super::actions::{EXPLAIN, FIX_ALL};
use super::encoding::Encoding;
use super::uri::NamedDocument;
use lsp_types::PositionEncodingKind;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What is known of the editor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    pub encoding: Encoding,
    /// The process that started this one, and must not be outlived.
    pub process: Option<i32>,
    /// What it opened as projects.
    pub folders: Vec<PathBuf>,
    /// It can be asked to watch files.
    pub watches_files: bool,
    /// It can show a page of the web.
    pub shows_documents: bool,
    /// It takes changes of documents with the version that they are meant for.
    pub versioned_edits: bool,
    /// It knows actions that are more than the name of a command.
    pub knows_actions: bool,
    /// It asks for the change of an action when somebody takes it.
    pub resolves_edits: bool,
    /// It asks for diagnostics, and can be told that there are others.
    pub pulls: bool,
    /// It can be told that hints have changed.
    pub refreshes_hints: bool,
    /// It shows what is under way.
    pub shows_progress: bool,
    /// It can be asked for its settings.
    pub tells_settings: bool,
    /// It can be asked to tell of new settings.
    pub watches_settings: bool,
}

impl Client {
    pub fn of(params: &Value) -> Client {
        let can =
            |pointer: &str| params.pointer(&format!("/capabilities/{pointer}")) == Some(&Value::Bool(true));
        let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        let offered = offered.into_iter().flatten().filter_map(Value::as_str);
        let offered: Vec<_> = offered.map(|name| PositionEncodingKind::from(name.to_owned())).collect();
        let literals = params.pointer("/capabilities/textDocument/codeAction/codeActionLiteralSupport");
        Client {
            encoding: Encoding::chosen(&offered),
            process: params["processId"].as_i64().and_then(|process| i32::try_from(process).ok()),
            folders: folders_of(params),
            watches_files: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
            shows_documents: can("window/showDocument/support"),
            versioned_edits: can("workspace/workspaceEdit/documentChanges"),
            knows_actions: literals.is_some_and(Value::is_object),
            resolves_edits: can("textDocument/codeAction/dataSupport") && resolves(params),
            pulls: params.pointer("/capabilities/textDocument/diagnostic").is_some_and(Value::is_object)
                && can("workspace/diagnostics/refreshSupport"),
            refreshes_hints: can("workspace/inlayHint/refreshSupport"),
            shows_progress: can("window/workDoneProgress"),
            tells_settings: can("workspace/configuration"),
            watches_settings: can("workspace/didChangeConfiguration/dynamicRegistration"),
        }
    }

    /// What it is asked to tell of.
    pub fn registrations(&self) -> Vec<Value> {
        let settings = json!({
            "id": "settings",
            "method": "workspace/didChangeConfiguration",
            "registerOptions": {"section": "gpulint"},
        });
        let files = self.watches_files.then(watched);
        files.into_iter().chain(self.watches_settings.then_some(settings)).collect()
    }

    /// What this server can do.
    pub fn greeting(&self) -> Value {
        let mut greeting = json!({
            "capabilities": {
                "positionEncoding": self.encoding.kind(),
                "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
                "notebookDocumentSync": {
                    "notebookSelector": [{
                        "notebook": {"notebookType": "jupyter-notebook"},
                        "cells": [{"language": "python"}],
                    }],
                },
                "hoverProvider": true,
                "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL], "resolveProvider": self.resolves_edits},
                "inlayHintProvider": true,
                "executeCommandProvider": {"commands": [EXPLAIN]},
                "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
            },
            "serverInfo": {"name": "gpulint", "version": env!("CARGO_PKG_VERSION")},
        });
        // One that cannot be told of news would show old ones: an edit changes what is found in other files. It is told without asking.
        if self.pulls {
            greeting["capabilities"]["diagnosticProvider"] = json!({"identifier": "gpulint", "interFileDependencies": true, "workspaceDiagnostics": false});
        }
        greeting
    }
}

/// Whether somebody can be asked for the change of an action later.
fn resolves(params: &Value) -> bool {
    let known = params.pointer("/capabilities/textDocument/codeAction/resolveSupport/properties");
    known.and_then(Value::as_array).is_some_and(|known| known.iter().any(|property| property == "edit"))
}

/// The files that a check may depend on, for a client that is asked to watch them.
fn watched() -> Value {
    let endings =
        "{py,pyw,ipynb,sh,bash,zsh,sbatch,slurm,ps1,psm1,bat,cmd,rs,yaml,yml,toml,json,ini,cfg,env,mk,txt}";
    let names = [&format!("**/*.{endings}"), "**/{Dockerfile*,*.dockerfile,Makefile,Pipfile,.env*,.envrc}"];
    json!({
        "id": "files",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": {"watchers": names.map(|glob| json!({"globPattern": glob}))},
    })
}

/// The folders of the workspace; older clients name one root.
fn folders_of(params: &Value) -> Vec<PathBuf> {
    let folders = params["workspaceFolders"].as_array().into_iter().flatten();
    let folders: Vec<_> = folders.filter_map(|folder| folder["uri"].as_str()).filter_map(folder_at).collect();
    if !folders.is_empty() {
        return folders;
    }
    let root = params["rootUri"].as_str().and_then(folder_at);
    let path = || params["rootPath"].as_str().map(|path| crate::disk::absolute(path.as_ref()));
    root.or_else(path).into_iter().collect()
}

/// The folder that a URI names, if it lies on this machine.
pub fn folder_at(uri: &str) -> Option<PathBuf> {
    NamedDocument::of(uri).path().map(std::path::Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_enough() {
        for params in [json!(null), json!({}), json!({"capabilities": null, "processId": "x"}), json!([1])] {
            assert_eq!(Client::of(&params), Client::default(), "{params}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_it_says_is_understood() {
        let client = Client::of(&json!({
            "processId": 7,
            "rootUri": "file:///old",
            "workspaceFolders": [{"uri": "file:///a%20b", "name": "a"}, {"uri": "vscode-vfs://x/y", "name": "y"}],
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "window": {"showDocument": {"support": true}},
                "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
            },
        }));
        assert_eq!((client.encoding, client.process), (Encoding::Utf8, Some(7)));
        assert_eq!(client.folders, [PathBuf::from("/a b")]);
        assert!(client.shows_documents && client.knows_actions && !client.watches_files);
        assert_eq!(client.greeting()["capabilities"]["positionEncoding"], "utf-8");
        assert_eq!(Client::of(&json!({"rootUri": "file:///old"})).folders, [PathBuf::from("/old")]);
        assert_eq!(Client::of(&json!({"rootPath": "/older"})).folders, [PathBuf::from("/older")]);
    }
}

//! What the editor tells: documents that open, change and close, and files that changed on disk.

use super::Session;
use crate::server::documents::{Document, Notebook, NotebookCell};
use crate::server::uri::NamedDocument;
use lsp_server::Notification;
use lsp_types::{
    DidChangeNotebookDocumentParams, DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams,
    DidCloseNotebookDocumentParams, DidCloseTextDocumentParams, DidOpenNotebookDocumentParams,
    DidOpenTextDocumentParams, NotebookCellKind, NotebookDocumentCellChanges,
};
use serde::de::DeserializeOwned;
use std::time::Duration;

impl Session {
    pub(super) fn take(&mut self, told: Notification) {
        let method = told.method.as_str();
        let understood = match method {
            "textDocument/didOpen" => read(&told).map(|params| self.opened(params)),
            "textDocument/didChange" => read(&told).map(|params| self.changed(params)),
            "textDocument/didClose" => read(&told).map(|params| self.closed(&params)),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.disk_changed = true;
                self.check_soon();
                Ok(())
            }
            "notebookDocument/didOpen" => read(&told).map(|params| self.notebook_opened(params)),
            "notebookDocument/didChange" => read(&told).map(|params| self.notebook_changed(params)),
            "notebookDocument/didClose" => read(&told).map(|params| self.notebook_closed(params)),
            "workspace/didChangeWorkspaceFolders" => {
                read(&told).map(|params: DidChangeWorkspaceFoldersParams| {
                    let names = |folders: Vec<lsp_types::WorkspaceFolder>| {
                        folders.into_iter().map(|folder| folder.uri.0).collect::<Vec<_>>()
                    };
                    self.folders_changed(&names(params.event.added), &names(params.event.removed));
                    self.disk_changed = true;
                    self.check_soon();
                })
            }
            "workspace/didChangeConfiguration" => {
                self.settings_changed(&told.params);
                Ok(())
            }
            "$/cancelRequest" => {
                self.cancelled(&told.params["id"]);
                Ok(())
            }
            // Everything else is not for us.
            _ => Ok(()),
        };
        if let Err(error) = understood {
            self.out.log(&format!("`{method}` cannot be understood: {error}"));
        }
    }

    fn opened(&mut self, params: DidOpenTextDocumentParams) {
        let (uri, document) = Document::of(params.text_document);
        self.documents.alone.insert(uri, document);
        self.check_in(Duration::ZERO);
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let encoding = self.client.encoding;
        let identifier = params.text_document;
        if let Some(document) = self.documents.get_mut(identifier.text_document_identifier.uri.as_ref()) {
            document.change(identifier.version, params.content_changes, encoding);
            self.check_soon();
        }
    }

    /// What is closed is as it lies on disk again, and nothing is shown about it.
    fn closed(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = params.text_document.uri.as_ref();
        if self.documents.alone.remove(uri).is_some() {
            // Unless something is shown that is not about its text: a policy stays wrong.
            let is_policy = NamedDocument::of(uri).path().is_some_and(|path| {
                self.troubles.iter().any(|trouble| trouble.file.as_deref() == Some(path))
            });
            if !is_policy {
                self.forget(uri);
            }
            self.check_soon();
        }
    }

    fn notebook_opened(&mut self, params: DidOpenNotebookDocumentParams) {
        let notebook = params.notebook_document;
        let cells = notebook.cells.into_iter().map(cell).collect();
        let metadata = notebook.metadata.unwrap_or_default().into();
        self.documents.cells.extend(params.cell_text_documents.into_iter().map(Document::of));
        let known = Notebook { version: notebook.version, cells, metadata };
        self.documents.notebooks.insert(notebook.uri.0, known);
        self.check_in(Duration::ZERO);
    }

    fn notebook_changed(&mut self, params: DidChangeNotebookDocumentParams) {
        let uri = params.notebook_document.uri.0;
        let Some(notebook) = self.documents.notebooks.get_mut(&uri) else { return };
        notebook.version = params.notebook_document.version;
        if let Some(metadata) = params.change.metadata {
            notebook.metadata = metadata.into();
        }
        if let Some(cells) = params.change.cells {
            self.cells_changed(&uri, cells);
        }
        self.check_soon();
    }

    fn cells_changed(&mut self, uri: &str, changes: NotebookDocumentCellChanges) {
        let mut closed = Vec::new();
        if let Some(notebook) = self.documents.notebooks.get_mut(uri) {
            if let Some(structure) = changes.structure {
                let length = notebook.cells.len();
                let start = (structure.array.start as usize).min(length);
                let end = start.saturating_add(structure.array.delete_count as usize).min(length);
                let new = structure.array.cells.unwrap_or_default().into_iter().map(cell);
                notebook.cells.splice(start..end, new);
                self.documents.cells.extend(structure.did_open.into_iter().flatten().map(Document::of));
                closed.extend(structure.did_close.into_iter().flatten().map(|document| document.uri.0));
            }
            for changed in changes.data.into_iter().flatten().map(cell) {
                notebook.cells.iter_mut().filter(|known| known.uri == changed.uri).for_each(|known| {
                    known.is_code = changed.is_code;
                });
            }
        }
        for changed in changes.text_content.into_iter().flatten() {
            let identifier = changed.document;
            if let Some(document) = self.documents.cells.get_mut(&identifier.text_document_identifier.uri.0) {
                document.change(identifier.version, changed.changes, self.client.encoding);
            }
        }
        closed.iter().for_each(|uri| self.cell_closed(uri));
    }

    fn notebook_closed(&mut self, params: DidCloseNotebookDocumentParams) {
        self.documents.notebooks.remove(params.notebook_document.uri.as_ref());
        params.cell_text_documents.iter().for_each(|cell| self.cell_closed(cell.uri.as_ref()));
        self.check_soon();
    }

    fn cell_closed(&mut self, uri: &str) {
        self.documents.cells.remove(uri);
        self.forget(uri);
    }
}

fn cell(cell: lsp_types::NotebookCell) -> NotebookCell {
    NotebookCell { uri: cell.document.0, is_code: cell.kind == NotebookCellKind::Code }
}

fn read<T: DeserializeOwned>(told: &Notification) -> serde_json::Result<T> {
    T::deserialize(&told.params)
}

//! The documents that are open in the editor, as it last described them.

use super::encoding::{Encoding, Lines};
use super::uri::NamedDocument;
use lsp_types::{TextDocumentContentChangeEvent, TextDocumentItem};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file, or a cell of a notebook.
#[derive(Clone, Debug)]
pub struct Document {
    /// What the editor calls the language.
    pub language: String,
    /// Counted by the editor: a result about an older one is of no use.
    pub version: i32,
    pub text: Arc<str>,
}

/// A notebook: which cells it has is known here, their texts are documents.
#[derive(Clone, Debug)]
pub struct Notebook {
    pub version: i32,
    pub cells: Vec<NotebookCell>,
    /// What the notebook says about itself, such as its kernel.
    pub metadata: serde_json::Value,
}

#[derive(Clone, Debug)]
pub struct NotebookCell {
    /// The name of the document that holds its text.
    pub uri: String,
    pub is_code: bool,
}

/// What is open, by the names that the editor uses.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pub alone: BTreeMap<String, Document>,
    pub cells: BTreeMap<String, Document>,
    pub notebooks: BTreeMap<String, Notebook>,
}

impl Document {
    pub fn of(item: TextDocumentItem) -> (String, Document) {
        let language = String::from(item.language_id);
        (item.uri.0, Document { language, version: item.version, text: item.text.into() })
    }

    /// Applies changes in their order; each speaks of the text that the one before it left.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
        self.version = version;
        let mut text = self.text.to_string();
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let bytes = Lines::of(&text).bytes(part.range, encoding);
                    text.replace_range(bytes, &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    text = whole.text;
                }
            }
        }
        self.text = text.into();
    }
}

impl Documents {
    pub fn get(&self, uri: &str) -> Option<&Document> {
        self.alone.get(uri).or_else(|| self.cells.get(uri))
    }

    pub fn get_mut(&mut self, uri: &str) -> Option<&mut Document> {
        self.alone.get_mut(uri).or_else(|| self.cells.get_mut(uri))
    }

    /// The version of a document that is open.
    pub fn version(&self, uri: &str) -> Option<i32> {
        self.get(uri).map(|document| document.version)
    }

    /// The open document that stands for a file, by the name that the editor gives it.
    pub fn named(&self, path: &std::path::Path) -> Option<&str> {
        let is_it = |uri: &&String| NamedDocument::of(uri).path() == Some(path);
        self.alone.keys().find(is_it).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document { language: "python".to_owned(), version: 1, text: text.into() }
    }

    fn changed(text: &str, encoding: Encoding, changes: serde_json::Value) -> String {
        let mut document = document(text);
        document.change(2, serde_json::from_value(changes).unwrap(), encoding);
        assert_eq!(document.version, 2);
        document.text.to_string()
    }

    fn part(from: (u32, u32), to: (u32, u32), text: &str) -> serde_json::Value {
        let position =
            |(line, character): (u32, u32)| serde_json::json!({"line": line, "character": character});
        serde_json::json!({"range": {"start": position(from), "end": position(to)}, "text": text})
    }

    #[test]
    fn parts_change_one_after_the_other() {
        let changes = serde_json::json!([part((0, 0), (0, 1), "xy"), part((0, 2), (1, 0), "")]);
        assert_eq!(changed("a\nb\n", Encoding::Utf16, changes), "xyb\n");
        let behind = serde_json::json!([part((1, 0), (1, 0), "b")]);
        assert_eq!(changed("a\r\n", Encoding::Utf16, behind), "a\r\nb");
        assert_eq!(changed("a", Encoding::Utf16, serde_json::json!([{"text": "new"}])), "new");
        assert_eq!(changed("a", Encoding::Utf16, serde_json::json!([])), "a");
    }

    #[test]
    fn characters_of_several_units_stay_whole() {
        let rocket = "\u{1F680} = 1";
        let replaced = serde_json::json!([part((0, 0), (0, 2), "r")]);
        assert_eq!(changed(rocket, Encoding::Utf16, replaced), "r = 1");
        let between = serde_json::json!([part((0, 1), (0, 1), "r")]);
        assert_eq!(changed(rocket, Encoding::Utf16, between), "r\u{1F680} = 1");
    }

    #[test]
    fn a_file_is_found_by_its_path() {
        let mut documents = Documents::default();
        documents.alone.insert("file:///a%2Db.py".to_owned(), document(""));
        let path = crate::disk::absolute(std::path::Path::new("/a-b.py"));
        #[cfg(unix)]
        assert_eq!(documents.named(&path), Some("file:///a%2Db.py"));
        assert_eq!(documents.named(&path.join("c")), None);
    }
}

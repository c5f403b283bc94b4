//! Fixes as editors make them: changes of documents, each meant for the version that was checked.

use super::diagnostics::{DiagnosticBuilder, Origin};
use super::encoding::Lines;
use super::uri;
use crate::facts::FileId;
use crate::findings::{Edit, Finding, Fix, Safety};
use crate::fixes;
use crate::sources::{Language, Source};
use lsp_types::TextEdit;
use std::collections::BTreeMap;

/// What mends a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// What it does, as an order.
    pub title: String,
    pub is_safe: bool,
    pub changes: Vec<Change>,
}

/// What changes in one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub uri: String,
    /// Of the text that the edits are meant for; `None` where the file is not open.
    pub version: Option<i32>,
    pub edits: Vec<TextEdit>,
}

impl DiagnosticBuilder<'_> {
    /// The fix of a finding; `None` where there is none, or where a part of it is in no document that can be changed.
    pub fn remedy(&self, finding: &Finding) -> Option<Remedy> {
        let fix = finding.fix.as_ref()?;
        Some(Remedy {
            title: fix.title.clone(),
            is_safe: fix.safety == Safety::Safe,
            changes: self.changes(&fix.edits)?,
        })
    }

    /// For each open document the safe fixes of its own findings that change nothing else, as far as they hold together.
    pub fn all_safe(&self, findings: &[&Finding]) -> BTreeMap<String, Change> {
        let mut of_documents: BTreeMap<(FileId, String), Vec<&Fix>> = BTreeMap::new();
        for finding in findings {
            let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety == Safety::Safe) else { continue };
            let file = finding.place.file;
            if let Some([change]) = self.changes(&fix.edits).as_deref()
                && fix.edits.iter().all(|edit| edit.place.file == file)
            {
                of_documents.entry((file, change.uri.clone())).or_default().push(fix);
            }
        }
        let together = of_documents.into_iter().filter_map(|((file, uri), fixes)| {
            let edits = fixes::together(self.sources.file(file), &fixes);
            let change = self.changes(&edits)?.pop()?;
            Some((uri, change))
        });
        together.collect()
    }

    fn changes(&self, edits: &[Edit]) -> Option<Vec<Change>> {
        let mut changes: BTreeMap<String, Change> = BTreeMap::new();
        for edit in edits {
            let (uri, version, edit) = self.change(edit)?;
            let change = || Change { uri: uri.clone(), version, edits: Vec::new() };
            changes.entry(uri.clone()).or_insert_with(change).edits.push(edit);
        }
        Some(changes.into_values().collect())
    }

    /// An edit in its document, with the version of that.
    fn change(&self, edit: &Edit) -> Option<(String, Option<i32>, TextEdit)> {
        let source = self.sources.file(edit.place.file);
        let span = edit.place.span.range();
        match self.origins.get(&edit.place.file) {
            // The file of a notebook is JSON, where code is written in another way.
            _ if source.language == Language::Notebook && !self.is_open_as_cells(edit.place.file) => None,
            Some(Origin::Cells(documents)) => {
                let cells = source.cells.as_ref()?.as_ref().ok()?;
                let holds =
                    |range: &std::ops::Range<usize>| range.start <= span.start && span.end <= range.end;
                // What is put in at the start of a cell belongs to it, and not to the one before.
                let cell = cells.iter().filter(|cell| holds(&cell.range)).last()?;
                let uri = documents.get(cell.number as usize - 1)?;
                let inside = span.start - cell.range.start..span.end - cell.range.start;
                let range = Lines::of(source.text.get(cell.range.clone())?).range(inside, self.encoding);
                let version = *self.versions.get(uri)?;
                Some((uri.clone(), Some(version), TextEdit { range, new_text: edit.text.clone() }))
            }
            Some(Origin::Document(uri)) => {
                let range = Lines::of(&source.text).range(span, self.encoding);
                let version = *self.versions.get(uri)?;
                Some((uri.clone(), Some(version), TextEdit { range, new_text: edit.text.clone() }))
            }
            None => self.on_disk(source, edit),
        }
    }

    /// An edit of a file that is not open. Editors do not count the mark that it may begin with.
    fn on_disk(&self, source: &Source, edit: &Edit) -> Option<(String, Option<i32>, TextEdit)> {
        let path = source.path.as_deref()?;
        let text = source.text.trim_start_matches('\u{feff}');
        let mark = source.text.len() - text.len();
        let span = edit.place.span.range();
        let range = span.start.saturating_sub(mark)..span.end.saturating_sub(mark);
        let range = Lines::of(text).range(range, self.encoding);
        Some((uri::of_path(path), None, TextEdit { range, new_text: edit.text.clone() }))
    }

    fn is_open_as_cells(&self, file: FileId) -> bool {
        matches!(self.origins.get(&file), Some(Origin::Cells(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Place, Span};
    use crate::findings::Severity;
    use crate::rules::RuleSet;
    use crate::server::encoding::Encoding;
    use crate::sources::Sources;
    use std::collections::HashMap;
    use std::path::PathBuf;

    fn finding(edits: &[(u32, u32, u32, &str)]) -> Finding {
        let edit = |&(file, start, end, text): &(u32, u32, u32, &str)| Edit {
            place: Place { file: FileId(file), span: Span { start, end } },
            text: text.to_owned(),
        };
        let place = Place { file: FileId(edits[0].0), span: Span { start: 0, end: 1 } };
        let fix = Fix {
            title: "mend it".to_owned(),
            safety: Safety::Safe,
            edits: edits.iter().map(edit).collect(),
        };
        Finding { fix: Some(fix), ..Finding::new(("a-rule", "devices"), Severity::Warning, place, "") }
    }

    #[test]
    fn each_document_is_changed_in_its_own_way() {
        let cells = "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"x = 1\\ny\"}, {\"cell_type\": \"code\", \"source\": \"z\"}]}";
        let source = |name: &str, language, text: &str| {
            let path = PathBuf::from("/p").join(name);
            Source::new(Some(path), name.to_owned(), language, text.to_owned())
        };
        let sources = Sources {
            files: vec![
                source("open.py", Language::Python, "é = '\u{1F680}'; x\n"),
                source("marked.py", Language::Python, "\u{feff}a\r\nb\n"),
                source("n.ipynb", Language::Notebook, cells),
                source("closed.ipynb", Language::Notebook, cells),
            ],
            ..Sources::default()
        };
        let origins = HashMap::from([
            (FileId(0), Origin::Document("file:///p/open.py".to_owned())),
            (FileId(2), Origin::Cells(vec!["cell:1".to_owned(), "cell:2".to_owned()])),
        ]);
        let versions = HashMap::from([
            ("file:///p/open.py".to_owned(), 7),
            ("cell:1".to_owned(), 1),
            ("cell:2".to_owned(), 2),
        ]);
        let changes = |encoding, edits: &[(u32, u32, u32, &str)]| -> Option<Vec<String>> {
            let maker = DiagnosticBuilder {
                sources: &sources,
                rules: RuleSet::embedded(),
                origins: &origins,
                encoding,
                raw_notebooks: &HashMap::new(),
                versions: &versions,
            };
            let remedy = maker.remedy(&finding(edits))?;
            let shown = |change: &Change| {
                let edits = change.edits.iter().map(|edit| {
                    let (start, end) = (edit.range.start, edit.range.end);
                    let place = format!("{}:{}-{}:{}", start.line, start.character, end.line, end.character);
                    format!(" {place}={}", edit.new_text)
                });
                format!("{} {:?}{}", change.uri, change.version, edits.collect::<String>())
            };
            Some(remedy.changes.iter().map(shown).collect())
        };
        // Behind é, which has two bytes, and a rocket, which has four, and two units of UTF-16.
        let both: &[(u32, u32, u32, &str)] = &[(0, 13, 14, "y"), (1, 3, 4, "A"), (1, 6, 6, "B")];
        #[cfg(unix)]
        for (encoding, columns) in
            [(Encoding::Utf8, "13-0:14"), (Encoding::Utf16, "10-0:11"), (Encoding::Utf32, "9-0:10")]
        {
            assert_eq!(
                changes(encoding, both).unwrap(),
                [
                    "file:///p/marked.py None 0:0-0:1=A 1:0-1:0=B".to_owned(),
                    format!("file:///p/open.py Some(7) 0:{columns}=y"),
                ],
                "{encoding:?}"
            );
        }
        let utf8 = |edits: &[(u32, u32, u32, &str)]| changes(Encoding::Utf8, edits);
        assert_eq!(
            utf8(&[(2, 6, 7, "w"), (2, 8, 8, "# ")]).unwrap(),
            ["cell:1 Some(1) 1:0-1:1=w", "cell:2 Some(2) 0:0-0:0=# "]
        );
        assert_eq!(utf8(&[(2, 6, 9, "w")]), None, "over two cells");
        assert_eq!(utf8(&[(3, 0, 1, "w")]), None, "in the JSON of a file");
        assert_eq!(utf8(&[(0, 13, 14, "y"), (3, 0, 1, "w")]), None, "half a fix");
    }
}

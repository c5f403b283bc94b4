//! The comment that suppresses a finding: where it can stand so that it works. Each candidate is read back as the check
//! would read it, and only what suppresses the finding then is offered.

use super::encoding::Lines;
use crate::facts::{FileId, Span};
use crate::findings::suppressions::{Covers, Rules, suppressions_in};
use crate::languages::{self, Choices};
use crate::sources::{Language, Source};
use std::ops::Range;

/// A text to insert at a byte of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    pub at: usize,
    pub text: String,
}

/// Where a comment goes that suppresses `rule` for a finding at `place`, in bytes of the text. `None` where a language
/// has no comments, or none can stand there.
pub fn comment_for(rule: &str, text: &str, language: Language, place: Range<usize>) -> Option<Insertion> {
    let lines = Lines::of(text);
    let first = lines.line_of(place.start);
    let last = lines.line_of(place.end.saturating_sub(1).max(place.start));
    let (leader, behind_code) = comments_of(language)?;
    let comment = format!("{leader} gpulint: ignore[{rule}]");
    let above = |line: u32| {
        let code = lines.line(line);
        let indent = &code[..code.len() - code.trim_start().len()];
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Insertion { at: lines.start(line), text: format!("{indent}{comment}{end}") }
    };
    let behind = |line: u32| {
        let code = lines.line(line);
        Insertion { at: lines.start(line) + code.len(), text: format!("{}{comment}", blanks_after(code)) }
    };
    let mut candidates = Vec::new();
    if behind_code {
        candidates.extend([(behind(first), 0), (behind(last), 0)]);
    }
    candidates.push((above(first), 1));
    let suppresses = |(insertion, moved): &(Insertion, u32)| {
        let mut changed = text.to_owned();
        changed.insert_str(insertion.at, &insertion.text);
        is_suppressed(rule, changed, language, first + 1 + moved, last + 1 + moved)
    };
    candidates.into_iter().find(suppresses).map(|(insertion, _)| insertion)
}

/// What begins a comment, and whether one may follow code on its line. Where it may by the letter and some readers
/// take it for a part of the value, it may not.
fn comments_of(language: Language) -> Option<(&'static str, bool)> {
    match language {
        Language::Python
        | Language::Notebook
        | Language::Shell
        | Language::PowerShell
        | Language::Yaml
        | Language::Toml
        | Language::Markdown
        | Language::Requirements => Some(("#", true)),
        Language::Dotenv | Language::Dockerfile | Language::Makefile | Language::Ini => Some(("#", false)),
        Language::Rust => Some(("//", true)),
        Language::Batch => Some(("rem", false)),
        // JSON has none, and what accepts some is not known by the name.
        Language::Json | Language::Cache => None,
    }
}

fn blanks_after(code: &str) -> &'static str {
    match code {
        code if code.ends_with("  ") || code.is_empty() => "",
        code if code.ends_with([' ', '\t']) => " ",
        _ => "  ",
    }
}

/// Whether a comment in the text suppresses the rule on one of the lines, both 1-based.
fn is_suppressed(rule: &str, text: String, language: Language, first: u32, last: u32) -> bool {
    let (text, kept) = match language {
        // The text of one cell.
        Language::Notebook => {
            let cells = serde_json::json!({"cells": [{"cell_type": "code", "source": text}]});
            (cells.to_string(), Language::Notebook)
        }
        language => (text, language),
    };
    let source = Source::new(None, "-".to_owned(), kept, text);
    let Ok(code) = languages::lower(&source, Choices { markdown_shell: true }) else { return false };
    let comments: &[Span] = &code.comments;
    suppressions_in(FileId(0), &source, comments, &code.lines).iter().any(|suppression| {
        let names_it =
            |rules: &Rules| matches!(rules, Rules::Named(names) if names.iter().any(|name| name.id == rule));
        let covers = matches!(suppression.covers, Covers::Lines(from, to) if first <= to && from <= last);
        covers && names_it(&suppression.rules)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suppressed(text: &str, language: Language, what: &str) -> Option<String> {
        let at = text.find(what).unwrap();
        let insertion = comment_for("some-rule", text, language, at..at + what.len())?;
        let mut text = text.to_owned();
        text.insert_str(insertion.at, &insertion.text);
        Some(text)
    }

    #[test]
    fn behind_the_code_where_it_can_stand() {
        let python = suppressed("import os\r\nx = 1\r\n", Language::Python, "x = 1");
        assert_eq!(python.as_deref(), Some("import os\r\nx = 1  # gpulint: ignore[some-rule]\r\n"));
        let rust = suppressed("fn main() {\n    run();\n}\n", Language::Rust, "run()");
        assert_eq!(rust.as_deref(), Some("fn main() {\n    run();  // gpulint: ignore[some-rule]\n}\n"));
        let shell = suppressed("export A=1", Language::Shell, "A=1");
        assert_eq!(shell.as_deref(), Some("export A=1  # gpulint: ignore[some-rule]"));
        let again = suppressed("x = 1  # gpulint: ignore[other]\n", Language::Python, "x");
        assert_eq!(again.as_deref(), Some("x = 1  # gpulint: ignore[other]  # gpulint: ignore[some-rule]\n"));
    }

    #[test]
    fn elsewhere_where_it_cannot() {
        let text = "    x = \"\"\"\n    word\n    \"\"\"\n";
        let in_function = format!("def f():\n{text}");
        let python = suppressed(&in_function, Language::Python, "x = \"\"\"\n    word").unwrap();
        assert!(python.contains("def f():\n    # gpulint: ignore[some-rule]\n    x ="), "{python}");
        let dotenv = suppressed("A=1\nB=2\n", Language::Dotenv, "B=2");
        assert_eq!(dotenv.as_deref(), Some("A=1\n# gpulint: ignore[some-rule]\nB=2\n"));
        let batch = suppressed("set A=1\r\n", Language::Batch, "A=1");
        assert_eq!(batch.as_deref(), Some("rem gpulint: ignore[some-rule]\r\nset A=1\r\n"));
    }

    #[test]
    fn cells_of_notebooks_are_python_with_more() {
        let cell = suppressed("%env A=1\nx = 1", Language::Notebook, "x = 1");
        assert_eq!(cell.as_deref(), Some("%env A=1\nx = 1  # gpulint: ignore[some-rule]"));
    }

    #[test]
    fn nowhere_where_no_comment_works() {
        assert_eq!(suppressed("{\"a\": 1}", Language::Json, "a"), None);
        assert_eq!(suppressed("x = (", Language::Python, "x"), None, "cannot be read");
    }
}

//! What a fixer sees of a finding: the file, its tree, the program around it, and how to write into it.

use super::Refusal;
use super::originals::Originals;
use crate::code::Code;
use crate::facts::{FileId, Place, Span};
use crate::findings::{Edit, Finding, Safety};
use crate::languages::{NodeId, Scopes, Tree};
use crate::policy::{Cpu, Policy};
use crate::program::Program;
use crate::rules::PolicyRulings;
use crate::sources::{Language, Source};

/// A finding with all that a fix may look at.
pub struct Site<'a> {
    pub program: &'a Program<'a>,
    pub policy: &'a Policy,
    pub cpu: Option<&'a Cpu>,
    pub governed: &'a PolicyRulings<'a>,
    pub finding: &'a Finding,
    /// All findings of the run, also suppressed ones.
    pub findings: &'a [Finding],
    pub(super) originals: &'a Originals,
}

/// What a fixer proposes.
#[derive(Debug, Default)]
pub struct Draft {
    pub edits: Vec<Edit>,
    /// Where it is safer or less safe than the rule says in general.
    pub safety: Option<Safety>,
    /// Where it does something else than the rule says in general.
    pub title: Option<String>,
}

impl From<Vec<Edit>> for Draft {
    fn from(edits: Vec<Edit>) -> Draft {
        Draft { edits, ..Draft::default() }
    }
}

impl<'a> Site<'a> {
    /// The file whose policy the finding is about.
    fn governed_file(&self) -> FileId {
        self.finding.programs.first().copied().unwrap_or(self.finding.place.file)
    }

    /// The modules that the CPU part starts with.
    pub fn cpu_part(&self) -> &'a [FileId] {
        self.program.cpu_part(self.governed_file())
    }

    /// What the names of the files begin with that the policy names.
    pub fn policy_folder(&self) -> &'a str {
        &self.governed.at(self.governed_file()).folder
    }

    pub fn file(&self) -> FileId {
        self.finding.place.file
    }

    pub fn span(&self) -> Span {
        self.finding.place.span
    }

    pub fn source(&self) -> &'a Source {
        self.program.sources.file(self.file())
    }

    /// The whole text of the file of the finding.
    pub fn text(&self) -> &'a str {
        &self.source().text
    }

    /// What stands at a place of that file.
    pub fn slice(&self, span: Span) -> &'a str {
        &self.text()[span.range()]
    }

    pub fn code(&self) -> &'a Code<'a> {
        self.program.code(self.file())
    }

    /// The tree of the file of the finding, when that is Python.
    pub fn tree(&self) -> Result<&'a Tree, Refusal> {
        self.originals.of(self.file()).tree(self.source())
    }

    /// Where the names of the file of the finding are bound and used, when that is Python.
    pub fn scopes(&self) -> Result<&'a Scopes, Refusal> {
        self.originals.of(self.file()).scopes(self.source())
    }

    /// The number of the line that a byte of the file of the finding stands on.
    pub fn line(&self, at: u32) -> usize {
        memchr::memchr_iter(b'\n', &self.text().as_bytes()[..at as usize]).count() + 1
    }

    /// The language that the finding stands in: Python inside a shell is Python.
    pub fn language(&self) -> Language {
        self.program.language_at(self.finding.place)
    }

    /// Whether the finding stands in a file of Python or a cell of a notebook, and not in Python inside another file.
    pub fn is_python_file(&self) -> bool {
        matches!(self.source().language, Language::Python | Language::Notebook)
    }

    /// An edit of the file of the finding.
    pub fn edit(&self, span: Span, text: impl Into<String>) -> Edit {
        Edit { place: Place { file: self.file(), span }, text: text.into() }
    }

    /// Something put in at a byte of the file of the finding.
    pub fn insertion(&self, at: u32, text: impl Into<String>) -> Edit {
        self.edit(Span { start: at, end: at }, text)
    }

    /// An edit of what may be a part of a token: in a file of Python the whole of it is replaced, since no fix cuts one.
    pub fn edit_inside(&self, span: Span, text: &str) -> Result<Edit, Refusal> {
        if !self.is_python_file() {
            return Ok(self.edit(span, text));
        }
        let tree = self.tree()?;
        let last = tree.tokens.partition_point(|token| token.span.start <= span.start);
        let Some(token) = tree.tokens[..last].last().filter(|token| token.is_word()) else {
            return Ok(self.edit(span, text));
        };
        let Span { start, end } = token.span;
        let is_part = match span.start == span.end {
            true => (start < span.start && span.start < end) || (token.is_middle() && span.start == start),
            false => span.start < end && (start < span.start || span.end < end),
        };
        if !is_part {
            return Ok(self.edit(span, text));
        }
        if span.end > end {
            return Err("it stands in several texts".to_owned());
        }
        let before = self.slice(Span { start, end: span.start });
        let behind = self.slice(Span { start: span.end, end });
        Ok(self.edit(token.span, format!("{before}{text}{behind}")))
    }

    /// The line end that the file uses.
    pub fn newline(&self) -> &'static str {
        newline_of(self.text())
    }

    /// One level of indentation as the file writes it.
    pub fn indent(&self) -> &'a str {
        indent_of(self.text())
    }

    /// The byte behind the line end of the line that holds this byte; the last line of a cell of a notebook has none.
    pub fn line_behind(&self, at: u32) -> u32 {
        let behind = line_behind(self.text(), at);
        let cells = self.source().cells.as_ref().and_then(|cells| cells.as_ref().ok());
        let mut ends = cells.into_iter().flat_map(|cells| cells.iter()).map(|cell| cell.range.end as u32);
        ends.find(|end| at <= *end).map_or(behind, |end| behind.min(end))
    }

    /// Lines put in above a statement of Python, with its indentation; where it shares its line with others, the
    /// statements stand before it on that line.
    pub fn statements_above(&self, tree: &Tree, statement: NodeId, lines: &[String]) -> Edit {
        let start = tree.node(statement).span.start;
        let blanks = blanks_before(self.text(), start);
        let text = match blanks {
            Some(blanks) => {
                let newline = self.newline();
                let mut text = String::new();
                for line in lines {
                    text.push_str(line);
                    text.push_str(newline);
                    text.push_str(blanks);
                }
                text
            }
            None => lines.iter().map(|line| format!("{line}; ")).collect(),
        };
        self.insertion(start, text)
    }
}

/// The blanks between the start of the line and this byte; `None` when something else stands there.
pub fn blanks_before(text: &str, at: u32) -> Option<&str> {
    let before = &text[..at as usize];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let blanks = before[start..].trim_start_matches('\u{feff}');
    blanks.chars().all(|character| matches!(character, ' ' | '\t' | '\u{c}')).then_some(blanks)
}

/// The line start at which lines are written that go before a statement: above the comments that stand directly over it,
/// but not above `least`.
pub fn start_with_comments(text: &str, mut line: u32, least: u32) -> u32 {
    while let Some(end) = (line as usize).checked_sub(1) {
        let above = text[..end].rfind('\n').map_or(0, |end| end + 1);
        if !text[above..end].trim_start().starts_with('#') || (above as u32) < least {
            break;
        }
        line = above as u32;
    }
    line
}

/// The byte behind the line end of the line that holds this byte.
pub fn line_behind(text: &str, at: u32) -> u32 {
    let rest = &text.as_bytes()[at as usize..];
    memchr::memchr(b'\n', rest).map_or(text.len(), |end| at as usize + end + 1) as u32
}

/// The line end that a text uses.
pub fn newline_of(text: &str) -> &'static str {
    let end = memchr::memchr(b'\n', text.as_bytes());
    if end.is_some_and(|end| text.as_bytes()[..end].ends_with(b"\r")) { "\r\n" } else { "\n" }
}

/// What its first indented line is indented by.
fn indent_of(text: &str) -> &str {
    let blanks = |line: &'_ str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut above = "";
    lines
        .find_map(|line| {
            let opens = above.trim_end().ends_with(':');
            let indent = blanks(line);
            let more = opens && indent > blanks(above);
            let part = more.then(|| &line[blanks(above)..indent]);
            above = line;
            part
        })
        .unwrap_or("    ")
}

//! Batch files of Windows (`cmd.exe`), read by hand: a line is taken apart only after its `%X%` have been put in,
//! which no grammar of the usual kind expresses.
//!
//! `set` always exports. Names have no case and are kept in capitals; the variable of a loop is kept as `%g`. Where
//! `goto` leads, the rest of the file from there is lowered once more in its place.

mod compound;
mod statements;
mod variables;
mod words;

use super::Refusal;
use super::embedded::Origin;
use super::shell::Script;
use crate::code::{Block, Code, Function, Host, Statement, StatementKind, Unit};
use crate::facts::Span;
use crate::sources::Source;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Statements nested deeper than this are not read: no person writes them.
const MAX_DEPTH: usize = 60;
/// Jumps that are followed in one text.
const MOST_JUMPS: usize = 40;

/// Lowers a file.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    let script = lower_part(&source.text, &Origin::from(0), source, &mut code);
    let span = Span::new(0, source.text.find('\n').unwrap_or(source.text.len()));
    code.units.push(Unit { span, name: "".into(), host: Host::Machine, body: script.steps });
    Ok(code)
}

/// Lowers commands that stand in a file, and adds the functions and snippets in them to the code of the file.
pub fn lower_part<'s>(text: &'s str, origin: &Origin, source: &'s Source, code: &mut Code<'s>) -> Script<'s> {
    let delayed = text.to_ascii_lowercase();
    let delayed = delayed.contains("enabledelayedexpansion") || delayed.contains("/v:on");
    let mut reader = Reader {
        text,
        origin,
        source,
        code,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        depth: 0,
        parentheses: 0,
        locals: 0,
        conditions: 0,
        delayed,
        labels: labels_of(text),
        passed: Vec::new(),
        jumps: 0,
        set_here: Vec::new(),
        ended_local: false,
        ends_local: false,
        for_later_steps: Vec::new(),
    };
    let mut steps = reader.subroutines();
    reader.sequence(&mut steps);
    let for_later_steps = std::mem::take(&mut reader.for_later_steps);
    if memchr::memmem::find(text.as_bytes(), b"gpulint:").is_some() {
        reader.note_comments();
    }
    Script { steps, for_later_steps }
}

struct Reader<'s, 'o> {
    text: &'s str,
    /// Where `text` stands in the file.
    origin: &'o Origin,
    source: &'s Source,
    code: &'o mut Code<'s>,
    at: usize,
    depth: usize,
    /// Open `(` of blocks.
    parentheses: usize,
    /// Open `setlocal`.
    locals: usize,
    /// Conditions around the current statement.
    conditions: usize,
    /// `!X!` is expanded.
    delayed: bool,
    /// Where the line behind each label begins, by its name in small letters.
    labels: FxHashMap<String, usize>,
    /// Labels on the way to the current statement.
    passed: Vec<String>,
    jumps: usize,
    /// Variables that the current line or block has set: its `%X%` still gives what they held before it.
    set_here: Vec<String>,
    /// `endlocal` came earlier on the current line.
    ended_local: bool,
    /// The statement just read was `endlocal`.
    ends_local: bool,
    for_later_steps: Block<'s>,
}

impl<'s> Reader<'s, '_> {
    fn span(&self, range: Range<usize>) -> Span {
        self.origin.span(range.start, range.end)
    }

    fn step(&self, start: usize, kind: StatementKind<'s>) -> Statement<'s> {
        let end = self.text[start..self.at.max(start)].trim_end().len() + start;
        Statement { span: self.span(start..end), kind }
    }

    /// Labels that `call :label` names, as functions.
    fn subroutines(&mut self) -> Block<'s> {
        let called = called_labels(self.text);
        let mut steps = Vec::new();
        for name in called {
            let Some(&at) = self.labels.get(&name) else { continue };
            let mut body = Vec::new();
            self.at = at;
            self.passed = vec![name.clone()];
            self.sequence(&mut body);
            let kept: &'s str = self.source.keep(format!(":{name}"));
            let line = self.text[..at].trim_end().rfind('\n').map_or(0, |end| end + 1);
            let span = self.span(line..at.max(line));
            self.code.functions.push(Function {
                name: kept,
                span,
                name_span: span,
                parameters: Vec::new(),
                body,
                is_async: false,
                is_generator: false,
                mentions_gpu: false,
            });
            let function = self.code.functions.len() - 1;
            steps.push(Statement { span, kind: StatementKind::Define { function, decorators: Vec::new() } });
        }
        self.at = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        self.passed.clear();
        steps
    }

    /// Comments that speak to gpulint.
    fn note_comments(&mut self) {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let blanks = line.len() - line.trim_start_matches([' ', '\t', '@', '\u{feff}']).len();
            let comment = line[blanks..].trim_end();
            if is_comment(comment) && comment.contains("gpulint:") {
                let span = self.span(start + blanks..start + blanks + comment.len());
                self.code.comments.push(span);
            }
            start += line.len();
        }
    }
}

/// `rem …` or `:: …`
fn is_comment(command: &str) -> bool {
    let rem = command.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("rem"));
    let ends = command.get(3..).and_then(|rest| rest.chars().next());
    command.starts_with("::") || (rem && ends.is_none_or(|next| !next.is_alphanumeric() && next != '_'))
}

/// Where the line behind each `:label` begins. The first of a name counts.
fn labels_of(text: &str) -> FxHashMap<String, usize> {
    let mut labels = FxHashMap::default();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let line = line.trim_start();
        if let Some(label) = line.strip_prefix(':')
            && !label.starts_with(':')
            && let Some(name) = label_name(label)
        {
            labels.entry(name).or_insert(end);
        }
    }
    labels
}

fn label_name(text: &str) -> Option<String> {
    let stops = |next: char| {
        next.is_whitespace() || matches!(next, '&' | '|' | ')' | '(' | ':' | '+' | ',' | ';' | '=')
    };
    let name = text.trim_start().split(stops).next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// The labels behind `call :`, each once.
fn called_labels(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut called: Vec<String> = Vec::new();
    for (at, word) in lower.match_indices("call") {
        let rest = lower[at + word.len()..].trim_start_matches([' ', '\t']);
        let name = rest.strip_prefix(':').and_then(label_name);
        if let Some(name) = name.filter(|name| !called.contains(name) && called.len() < MOST_JUMPS) {
            called.push(name);
        }
    }
    called
}

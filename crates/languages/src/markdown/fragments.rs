//! Python in documents that is no whole module: a method without its class, a signature with `(...)`, one line that
//! is no Python among many that are. What can be read is read, statement by statement.

use crate::code::{Block, Code};
use crate::languages::embedded::{Extract, Origin};
use crate::languages::python;
use crate::sources::Source;

/// Lowers the statements of a text that can be read; `None` when there are none, or the text is a session with prompts.
pub fn lower<'s>(text: &str, origin: &Origin, source: &'s Source, code: &mut Code<'s>) -> Option<Block<'s>> {
    if text.lines().any(|line| line.trim_start().starts_with(">>>")) {
        return None;
    }
    let (text, part) = without_indent(text);
    let origin = origin.of_part(&part);
    let text = source.keep(text);
    if let Ok(body) = python::lower_snippet(text, &origin, code) {
        return Some(body);
    }
    let mut body = Vec::new();
    for range in statements(text) {
        let part = origin.of_part(&Origin::from(range.start));
        let statement = &text[range];
        let read = python::lower_snippet(statement, &part, code);
        body.extend(
            read.or_else(|error| match filled(statement) {
                Some(filled) => python::lower_snippet(source.keep(filled), &part, code),
                None => Err(error),
            })
            .unwrap_or_default(),
        );
    }
    (!body.is_empty()).then_some(body)
}

/// The text without the blanks that all of its lines begin with.
fn without_indent(text: &str) -> (String, Origin) {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let written = text.lines().filter(|line| !line.trim().is_empty());
    let common = written.map(indent).min().unwrap_or(0);
    let mut extract = Extract::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let cut = common.min(indent(line));
        extract.push(&line[cut..], at + cut);
        at += line.len();
    }
    extract.finish()
}

/// Where each statement of the outermost level stands, as far as the indents of lines say it.
fn statements(text: &str) -> Vec<std::ops::Range<usize>> {
    const GO_ON: &[&str] = &["else", "elif", "except", "finally", ")", "]", "}"];
    let mut starts = Vec::new();
    let (mut at, mut decorated) = (0, false);
    for line in text.split_inclusive('\n') {
        let begins = !line.starts_with([' ', '\t', '\n', '\r', '#'])
            && !GO_ON.iter().any(|word| line.starts_with(word));
        if begins && !decorated {
            starts.push(at);
        }
        decorated = line.starts_with('@');
        at += line.len();
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// A definition whose parameters are left out, `def worker(...):`, with some in their place; of the same length.
fn filled(statement: &str) -> Option<String> {
    let defines = statement.starts_with("def ")
        || statement.starts_with("async def ")
        || statement.starts_with("class ");
    (defines && statement.contains("(...)")).then(|| statement.replace("(...)", "(*__)"))
}

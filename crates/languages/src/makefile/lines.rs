//! The lines of a Makefile → assignments, targets with their recipes, and conditionals around them.

use super::super::embedded::{Extract, Origin};
use crate::facts::Span;
use crate::sources::Source;
use rustc_hash::FxHashSet;

/// More targets than this on one line are those of a generated file.
const MOST_TARGETS: usize = 50;

/// Conditionals nested deeper than this are read as if they were not there.
const MAX_DEPTH: usize = 32;

/// A statement of the file.
pub enum Line<'s> {
    Assignment(Assignment<'s>),
    /// `export X Y`, `unexport X`; without names it is about all.
    Export {
        names: Vec<&'s str>,
        exports: bool,
        span: Span,
    },
    /// `train test: data`
    Target {
        names: Vec<&'s str>,
        prerequisites: Vec<&'s str>,
        span: Span,
    },
    /// `train: export X = 1`
    TargetAssignment {
        targets: Vec<&'s str>,
        assignment: Assignment<'s>,
    },
    /// A line of the recipe of the targets above it.
    Recipe(Recipe<'s>),
    /// `ifeq … else … endif`
    Either(Vec<Line<'s>>, Vec<Line<'s>>),
    Include(Vec<(&'s str, Span)>),
}

/// `X ?= 1`
pub struct Assignment<'s> {
    pub name: &'s str,
    pub value: &'s str,
    pub origin: Origin,
    pub span: Span,
    pub operator: Operator,
    pub exports: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Set,
    /// `?=`
    SetIfUnset,
    /// `+=`
    Append,
    /// `!=`: what a command prints.
    Output,
}

/// A line of a recipe, as the file has it, without what make takes off in front.
#[derive(Clone)]
pub struct Recipe<'s> {
    pub text: &'s str,
    pub origin: Origin,
    pub span: Span,
}

/// What a Makefile consists of.
#[derive(Default)]
pub struct Makefile<'s> {
    pub lines: Vec<Line<'s>>,
    pub comments: Vec<Span>,
    /// Simple statements, for comments to speak about.
    pub statements: Vec<Span>,
    /// All lines of a recipe run in one shell.
    pub one_shell: bool,
    pub exports_all: bool,
    /// Variables that some line exports.
    pub exported: FxHashSet<&'s str>,
}

/// A line with those that continue it.
struct Logical<'s> {
    text: &'s str,
    origin: Origin,
    span: Span,
}

/// Reads a file.
pub fn read(source: &Source) -> Makefile<'_> {
    let mut reader = Reader { source, at: 0, makefile: Makefile::default(), in_recipe: false };
    if source.text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let mut lines = Vec::new();
    while !matches!(reader.block(&mut lines, 0), End::File) {}
    reader.makefile.lines = lines;
    reader.makefile
}

/// What ended a block.
enum End {
    File,
    Else,
    Endif,
}

struct Reader<'s> {
    source: &'s Source,
    at: usize,
    makefile: Makefile<'s>,
    /// Lines with a tab belong to the target above.
    in_recipe: bool,
}

impl<'s> Reader<'s> {
    fn block(&mut self, lines: &mut Vec<Line<'s>>, depth: usize) -> End {
        while let Some(line) = self.logical() {
            if line.text.starts_with('\t') && self.in_recipe {
                self.recipe(&line, 0, lines);
                continue;
            }
            let trimmed = line.text.trim_start();
            if trimmed.is_empty() {
                continue;
            }
            let word = trimmed.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
            match word {
                "ifeq" | "ifneq" | "ifdef" | "ifndef" if depth < MAX_DEPTH => {
                    let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                    let mut end = self.block(&mut then, depth + 1);
                    // `else ifeq` goes on with one more way.
                    while matches!(end, End::Else) {
                        end = self.block(&mut otherwise, depth + 1);
                    }
                    lines.push(Line::Either(then, otherwise));
                    if matches!(end, End::File) {
                        return End::File;
                    }
                }
                "else" => return End::Else,
                "endif" => return End::Endif,
                _ => self.statement(&line, lines),
            }
        }
        End::File
    }

    /// The next line with those that continue it; comments are taken off and noted.
    fn logical(&mut self) -> Option<Logical<'s>> {
        let text = self.source.text.as_str();
        if self.at >= text.len() {
            return None;
        }
        let start = self.at;
        let is_recipe = text[start..].starts_with('\t') && self.in_recipe;
        let mut end;
        loop {
            let newline = memchr::memchr(b'\n', &text.as_bytes()[self.at..]);
            end = newline.map_or(text.len(), |length| self.at + length);
            let line = text[self.at..end].trim_end_matches('\r');
            self.at = end + 1;
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            if backslashes % 2 == 0 || self.at >= text.len() {
                end = end.min(self.at - 1).max(start);
                break;
            }
        }
        let whole = text[start..end].trim_end_matches('\r');
        if is_recipe {
            return Some(Logical {
                text: whole,
                origin: Origin::from(start),
                span: Span::new(start, start + whole.len()),
            });
        }
        let code = &whole[..comment_in(whole).unwrap_or(whole.len())];
        if code.len() < whole.len() {
            let comment = &whole[code.len()..];
            let from = start + code.len();
            self.makefile.comments.push(Span::new(from, from + comment.trim_end().len()));
        }
        let lead = code.len() - code.trim_start().len();
        let span = Span::new(start + lead, start + code.trim_end().len().max(lead));
        if !code.contains("\\\n") && !code.contains("\\\r\n") {
            return Some(Logical { text: code.trim_end(), origin: Origin::from(start), span });
        }
        let mut extract = Extract::default();
        let mut at = start;
        for line in code.split_inclusive('\n') {
            let plain = line.trim_end_matches(['\n', '\r']);
            extract.push(plain.strip_suffix('\\').filter(|_| line.ends_with('\n')).unwrap_or(plain), at);
            if line.ends_with('\n') {
                extract.push(" ", at + plain.len().saturating_sub(1));
            }
            at += line.len();
        }
        let (joined, origin) = extract.finish();
        Some(Logical { text: self.source.keep(joined).trim_end(), origin, span })
    }

    fn recipe(&mut self, line: &Logical<'s>, at: usize, lines: &mut Vec<Line<'s>>) {
        let text = &line.text[at..];
        let start = at + text.len() - text.trim_start_matches(['\t', ' ', '@', '-', '+']).len();
        let text = line.text[start..].trim_end();
        if !text.is_empty() {
            let origin = line.origin.of_part(&Origin::from(start));
            let span = line.origin.span(start, start + text.len());
            lines.push(Line::Recipe(Recipe { text, origin, span }));
        }
    }

    fn statement(&mut self, line: &Logical<'s>, lines: &mut Vec<Line<'s>>) {
        let text = line.text;
        let lead = text.len() - text.trim_start().len();
        let word = text[lead..].split_whitespace().next().unwrap_or_default();
        match word {
            "define" => return self.define(&text[lead + word.len()..], lines),
            "include" | "-include" | "sinclude" => {
                let files = text[lead + word.len()..].split_whitespace();
                let span = line.span;
                lines.push(Line::Include(files.map(|file| (file, span)).collect()));
                return;
            }
            _ => {}
        }
        self.makefile.statements.push(line.span);
        if let Some(assignment) = assignment(line, lead) {
            self.in_recipe = false;
            return lines.push(Line::Assignment(assignment));
        }
        if matches!(word, "export" | "unexport") {
            let names: Vec<&'s str> = text[lead + word.len()..].split_whitespace().collect();
            self.makefile.exports_all |= word == "export" && names.is_empty();
            if word == "export" {
                self.makefile.exported.extend(&names);
            }
            return lines.push(Line::Export { names, exports: word == "export", span: line.span });
        }
        let Some(colon) = colon_in(text) else { return };
        let names: Vec<&'s str> = text[..colon].split_whitespace().take(MOST_TARGETS).collect();
        let behind = colon + text[colon..].bytes().take_while(|byte| matches!(byte, b':' | b'&')).count();
        if let Some(assignment) = assignment(line, behind) {
            return lines.push(Line::TargetAssignment { targets: names, assignment });
        }
        let (prerequisites, recipe) = text[behind..].split_once(';').unwrap_or((&text[behind..], ""));
        match names.first() {
            Some(&".ONESHELL") => self.makefile.one_shell = true,
            Some(&".EXPORT_ALL_VARIABLES") => self.makefile.exports_all = true,
            _ => {}
        }
        self.in_recipe = true;
        let span = line.origin.span(lead, colon.max(lead));
        let prerequisites = prerequisites.split_whitespace().filter(|word| *word != "|").collect();
        lines.push(Line::Target { names, prerequisites, span });
        if !recipe.trim().is_empty() {
            self.recipe(line, text.len() - recipe.len(), lines);
        }
    }

    /// `define X` up to `endef`: its lines are the value.
    fn define(&mut self, head: &'s str, lines: &mut Vec<Line<'s>>) {
        let text = self.source.text.as_str();
        let name = head.split_whitespace().next().unwrap_or_default().trim_end_matches(['=', ':']);
        let start = self.at.min(text.len());
        let mut end = start;
        while self.at < text.len() {
            let length = memchr::memchr(b'\n', &text.as_bytes()[self.at..]).unwrap_or(text.len() - self.at);
            let line = &text[self.at..self.at + length];
            end = self.at;
            self.at += length + 1;
            if line.trim() == "endef" {
                break;
            }
            end = self.at.min(text.len());
        }
        let value = text[start..end].trim_end();
        let origin = Origin::from(start);
        let span = Span::new(start, start + value.len());
        let operator = Operator::Set;
        lines.push(Line::Assignment(Assignment { name, value, origin, span, operator, exports: false }));
    }
}

/// `export override X := 1`, when the text from `start` on is one.
fn assignment<'s>(line: &Logical<'s>, start: usize) -> Option<Assignment<'s>> {
    let mut start = start;
    let mut exports = false;
    let text = line.text;
    loop {
        start += text[start..].len() - text[start..].trim_start().len();
        let word = text[start..].split_whitespace().next()?;
        match word {
            "export" => exports = true,
            "override" | "private" => {}
            _ => break,
        }
        start += word.len();
    }
    let rest = &text[start..];
    let equals = rest.find('=')?;
    let head = &rest[..equals];
    let (head, operator) = match head.trim_end_matches(':').strip_suffix(['?', '+', '!']) {
        Some(shorter) => {
            let operator = match head.trim_end_matches(':').chars().next_back() {
                Some('?') => Operator::SetIfUnset,
                Some('+') => Operator::Append,
                _ => Operator::Output,
            };
            (shorter, operator)
        }
        None => (head.trim_end_matches(':'), Operator::Set),
    };
    let name = head.trim();
    let is_name =
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, ':' | '#' | '('));
    if !is_name {
        return None;
    }
    let value = rest[equals + 1..].trim();
    let value_start = text.len() - rest[equals + 1..].trim_start().len();
    let span = line.origin.span(start, (value_start + value.len()).max(start + equals + 1));
    let origin = line.origin.of_part(&Origin::from(value_start.min(text.len())));
    Some(Assignment { name, value, origin, span, operator, exports })
}

/// The colon between targets and what they need: one in a variable is none.
fn colon_in(text: &str) -> Option<usize> {
    let mut open = 0usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        byte == b':' && open == 0
    })
}

/// Where the comment of a line begins.
fn comment_in(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'#', bytes).find(|&at| at == 0 || bytes[at - 1] != b'\\')
}

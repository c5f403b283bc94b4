//! YAML text → trees of [`Node`]s that know where they stand. Aliases lead to the node of their anchor, merge keys
//! (`<<`) are followed, and a file may hold several documents. JSON is YAML too.
//!
//! An alias costs nothing: a tree may be far larger than its file when it is walked, so whoever walks one keeps
//! count.

use super::super::Refusal;
use super::super::embedded::Origin;
use super::scalars::{self, Style};
use crate::facts::Span;
use crate::sources::Source;
use rustc_hash::{FxHashMap, FxHashSet};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use std::borrow::Cow;
use std::rc::Rc;

/// Nodes nested deeper than this are not read: no person writes them.
const MAX_DEPTH: usize = 100;

/// Keys that merge keys are followed to, in a whole file.
const MAX_MERGED: usize = 100_000;

/// Words that mean that there is no value.
const NULLS: [&str; 5] = ["", "~", "null", "Null", "NULL"];

/// A value and where it stands.
#[derive(Debug)]
pub struct Node<'s> {
    pub span: Span,
    pub value: Value<'s>,
}

/// What a node holds.
#[derive(Debug)]
pub enum Value<'s> {
    Scalar(Scalar<'s>),
    List(Vec<Rc<Node<'s>>>),
    Map(Vec<Entry<'s>>),
}

/// A text, a number, or nothing.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'s> {
    /// What it is without quotes, escapes and indentation.
    pub text: &'s str,
    pub style: Style,
}

/// A key of a map and its value.
#[derive(Clone, Debug)]
pub struct Entry<'s> {
    pub key: Rc<Node<'s>>,
    pub value: Rc<Node<'s>>,
}

/// The documents of a file.
#[derive(Debug)]
pub struct Documents<'s> {
    pub roots: Vec<Rc<Node<'s>>>,
    /// Where scalars stand, in order, quotes included: what is outside of them may be a comment.
    pub scalars: Vec<Span>,
    /// Those over several lines; of a block with the line of its `|` or `>`.
    pub folded: Vec<Span>,
}

impl<'s> Node<'s> {
    /// The value of a key; the last one where a key stands twice.
    pub fn get(&self, key: &str) -> Option<&Rc<Node<'s>>> {
        self.entries().iter().rev().find(|entry| entry.key() == key).map(|entry| &entry.value)
    }

    /// The keys and values of a map; none of anything else.
    pub fn entries(&self) -> &[Entry<'s>] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Rc<Node<'s>>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a list, or the node alone: many keys take one value or several.
    pub fn one_or_more<'n>(self: &'n Rc<Node<'s>>) -> &'n [Rc<Node<'s>>] {
        match &self.value {
            Value::List(items) => items,
            Value::Scalar(_) if self.is_null() => &[],
            _ => std::slice::from_ref(self),
        }
    }

    pub fn scalar(&self) -> Option<Scalar<'s>> {
        match &self.value {
            Value::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// The text of a scalar that is not null.
    pub fn text(&self) -> Option<&'s str> {
        self.scalar().filter(|_| !self.is_null()).map(|scalar| scalar.text)
    }

    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.style == Style::Plain && NULLS.contains(&scalar.text))
    }

    /// Where the bytes of a scalar's text stand in the file.
    pub fn origin(&self, source: &Source) -> Origin {
        match &self.value {
            Value::Scalar(scalar) => scalars::origin(&source.text, self.span, scalar.style, scalar.text),
            _ => Origin::from(self.span.start as usize),
        }
    }
}

impl Entry<'_> {
    /// The key as text; empty when it is none.
    pub fn key(&self) -> &str {
        self.key.scalar().map_or("", |scalar| scalar.text)
    }

    /// Key and value, or the key alone when the value stands elsewhere.
    pub fn span(&self) -> Span {
        let (key, value) = (self.key.span, self.value.span);
        let beside = value.start >= key.end && value.end > value.start;
        if beside { Span { start: key.start, end: value.end } } else { key }
    }
}

/// Reads all documents of a file.
pub fn read(source: &Source) -> Result<Documents<'_>, Refusal> {
    let text = source.text.trim_start_matches('\u{feff}');
    let mut reader = Reader {
        source,
        bytes: Bytes::of(text, source.text.len() - text.len()),
        open: Vec::new(),
        anchors: FxHashMap::default(),
        merged: 0,
        documents: Documents { roots: Vec::new(), scalars: Vec::new(), folded: Vec::new() },
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| refusal(&error))?;
        let span = reader.bytes.span(span.start, span.end);
        reader.event(event, span)?;
    }
    Ok(reader.documents)
}

fn refusal(error: &ScanError) -> Refusal {
    format!("no YAML on line {}: {}", error.marker().line(), error.info())
}

struct Reader<'s> {
    source: &'s Source,
    bytes: Bytes,
    /// Lists and maps that have not ended, outermost first.
    open: Vec<Open<'s>>,
    anchors: FxHashMap<usize, Rc<Node<'s>>>,
    merged: usize,
    documents: Documents<'s>,
}

/// A list or map that has not ended.
struct Open<'s> {
    start: u32,
    anchor: usize,
    /// Items, or keys and values by turns.
    nodes: Vec<Rc<Node<'s>>>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    /// `!reference [a, b]`: what it stands for is not in the list.
    Opaque,
    Map,
}

impl<'s> Reader<'s> {
    fn event(&mut self, event: Event<'s>, span: Span) -> Result<(), Refusal> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar((text, style, tag), anchor, span),
            Event::SequenceStart(anchor, tag) => {
                let opaque = tag.is_some_and(|tag| !tag.is_yaml_core_schema());
                self.begin(if opaque { Kind::Opaque } else { Kind::List }, anchor, span)?;
            }
            Event::MappingStart(anchor, _) => self.begin(Kind::Map, anchor, span)?,
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => {
                // An anchor that holds its own alias is not finished yet.
                let node = self.anchors.get(&anchor).cloned();
                let nothing = || self.nothing(span);
                let node = node.unwrap_or_else(nothing);
                self.add(node);
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        (text, style, tag): (Cow<'s, str>, ScalarStyle, Option<Cow<'s, Tag>>),
        anchor: usize,
        span: Span,
    ) {
        let style = match style {
            // `!!str 1` is text like `"1"`.
            ScalarStyle::Plain if tag.is_some() => Style::Tagged,
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        let text = match text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => self.source.keep(text),
        };
        // What the parser takes for the end of a text in quotes may lie behind the comment that follows.
        let end =
            quotes_close(&self.source.text[span.range()]).map_or(span.end, |end| span.start + end as u32);
        let span = Span { start: span.start, end };
        if span.end > span.start {
            self.documents.scalars.push(span);
        }
        // Line breaks behind a text belong to nobody.
        let whole = &self.source.text[span.range()];
        let span = Span { start: span.start, end: span.start + whole.trim_end().len() as u32 };
        if matches!(style, Style::Literal | Style::Folded) {
            let before = self.source.text[..span.start as usize].trim_end();
            let start = before.rfind('\n').map_or(0, |at| at as u32 + 1);
            self.documents.folded.push(Span { start, end: span.end });
        } else if whole.contains('\n') {
            self.documents.folded.push(span);
        }
        let node = Rc::new(Node { span, value: Value::Scalar(Scalar { text, style }) });
        self.finish(node, anchor);
    }

    fn begin(&mut self, kind: Kind, anchor: usize, span: Span) -> Result<(), Refusal> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("YAML nested deeper than {MAX_DEPTH} levels"));
        }
        self.open.push(Open { start: span.start, anchor, nodes: Vec::new(), kind });
        Ok(())
    }

    fn end(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        let last = open.nodes.last().map_or(open.start, |node| node.span.end);
        // A block ends where its last item does, brackets where they are closed.
        let end = if span.end > span.start { span.end } else { last };
        let value = match open.kind {
            Kind::Map => Value::Map(self.entries(open.nodes)),
            Kind::List => Value::List(open.nodes),
            Kind::Opaque => Value::List(Vec::new()),
        };
        let node = Rc::new(Node { span: Span { start: open.start, end: end.max(open.start) }, value });
        self.finish(node, open.anchor);
    }

    fn finish(&mut self, node: Rc<Node<'s>>, anchor: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node);
    }

    fn add(&mut self, node: Rc<Node<'s>>) {
        match self.open.last_mut() {
            Some(open) => open.nodes.push(node),
            None => self.documents.roots.push(node),
        }
    }

    fn nothing(&self, span: Span) -> Rc<Node<'s>> {
        Rc::new(Node { span, value: Value::Scalar(Scalar { text: "", style: Style::Plain }) })
    }

    /// Keys with their values; those of `<<` behind the map's own, which win.
    fn entries(&mut self, nodes: Vec<Rc<Node<'s>>>) -> Vec<Entry<'s>> {
        let mut entries = Vec::with_capacity(nodes.len() / 2);
        let mut merged: Vec<Rc<Node<'s>>> = Vec::new();
        let mut nodes = nodes.into_iter();
        while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
            let is_merge = key.scalar().is_some_and(|key| key.text == "<<" && key.style == Style::Plain);
            if is_merge {
                merged.extend_from_slice(value.one_or_more());
            } else {
                entries.push(Entry { key, value });
            }
        }
        if merged.is_empty() {
            return entries;
        }
        let mut known: FxHashSet<String> = entries.iter().map(|entry| entry.key().to_owned()).collect();
        let left = MAX_MERGED.saturating_sub(self.merged);
        for entry in merged.iter().flat_map(|map| map.entries()).take(left) {
            self.merged += 1;
            if known.insert(entry.key().to_owned()) {
                entries.push(entry.clone());
            }
        }
        entries
    }
}

/// Positions of the parser count characters; these are the bytes at which they begin.
struct Bytes {
    /// Bytes before the text.
    before: usize,
    length: usize,
    /// Empty where every character is one byte.
    starts: Vec<u32>,
}

impl Bytes {
    fn of(text: &str, before: usize) -> Bytes {
        let starts =
            if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at as u32).collect() };
        Bytes { before, length: text.len(), starts }
    }

    fn at(&self, marker: Marker) -> usize {
        let index = marker.index();
        let at = if self.starts.is_empty() {
            index.min(self.length)
        } else {
            self.starts.get(index).map_or(self.length, |&start| start as usize)
        };
        self.before + at
    }

    fn span(&self, start: Marker, end: Marker) -> Span {
        let start = self.at(start);
        Span::new(start, self.at(end).max(start))
    }
}

/// Where the quotes close that a text begins with.
fn quotes_close(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let mut escaped = false;
    let mut marks = text.char_indices().skip(1).peekable();
    while let Some((at, mark)) = marks.next() {
        // Two single quotes are one that is meant.
        let mut doubled = || quote == '\'' && marks.peek().is_some_and(|(_, next)| *next == quote);
        match mark {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            mark if mark == quote && doubled() => escaped = true,
            mark if mark == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

//! Rust: `syn` reads it, and this front-end lowers what its functions do to [`Code`], as the same steps that
//! Python has. Names are resolved through `use` here, so that `CudaContext::new(1)` arrives as the call of
//! `cudarc.driver.CudaContext.new`.
//!
//! Types are not inferred: a method is followed where its receiver is made in sight.

mod attributes;
mod commands;
mod expressions;
mod items;
mod macros;
mod names;
mod patterns;
mod shape;
mod spans;
mod statements;

use super::Refusal;
use crate::code::{Block, Code, Expr, ExprKind, Statement, StatementKind};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::keywords::Keywords;
use crate::sources::Source;
use names::{KNOWN_CRATES, Scope};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Only generated bindings are larger.
const MAX_BYTES: usize = 1 << 20;

/// Words without which a file does nothing to a GPU, and says nothing of one.
const WORDS: &[&str] = &[
    "cuda",
    "Cuda",
    "CUDA",
    "gpu",
    "Gpu",
    "GPU",
    "nvml",
    "Nvml",
    "Ampere",
    "ampere",
    "Hopper",
    "hopper",
    "Blackwell",
    "blackwell",
    "Lovelace",
    "lovelace",
    "apability",
];

/// Lowers a Rust file. One that has nothing to do with GPUs is not parsed.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    static GPU: LazyLock<Keywords> = LazyLock::new(|| Keywords::new(WORDS));
    let text = source.text.as_str();
    // A file whose modules touch the GPU need not say so.
    let package = package_of(source);
    let is_module = |line: &str| line.ends_with(';') && (line.starts_with("mod ") || line.contains(" mod "));
    let leads_on = || package.is_some() || text.lines().any(|line| is_module(line.trim()));
    if text.len() > MAX_BYTES || (!GPU.are_in(text) && !leads_on()) {
        return Ok(Code::default());
    }
    let start = code_start(text);
    let lowered = parse_and_lower(source, start, package);
    // The text of every file that was parsed is kept for its spans until it is given up.
    proc_macro2::extra::invalidate_current_thread_spans();
    lowered
}

/// A byte order mark and a shebang are no Rust.
fn code_start(text: &str) -> usize {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let rest = &text[start..];
    match rest.strip_prefix("#!") {
        Some(line) if !line.trim_start().starts_with('[') => start + rest.find('\n').unwrap_or(rest.len()),
        _ => start,
    }
}

/// The name under which the file may call the library of its package: that of the folder, as nearly always.
fn package_of(source: &Source) -> Option<&str> {
    let whole = source.path.as_ref().map_or(source.name.clone().into(), |path| path.to_string_lossy());
    let folders: Vec<&str> = whole.split(['/', '\\']).collect();
    let own =
        folders.iter().rposition(|folder| matches!(*folder, "benches" | "examples" | "src" | "tests"))?;
    let name = folders.get(own.checked_sub(1)?)?.replace('-', "_");
    let is_used = source.text.contains(&format!("{name}::"));
    // In the repository of a known crate its examples use what is known about it.
    let is_own = is_variable_name(&name) && !KNOWN_CRATES.contains(&name.as_str());
    (is_used && is_own).then(|| source.keep(name))
}

fn parse_and_lower<'s>(
    source: &'s Source,
    start: usize,
    package: Option<&'s str>,
) -> Result<Code<'s>, Refusal> {
    let text = &source.text[start..];
    let failed = |error: proc_macro2::Span, what: String| {
        let at = start + error.byte_range().start.min(text.len());
        let line = source.text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1;
        format!("syntax error on line {line}: {what}")
    };
    let tokens: proc_macro2::TokenStream =
        text.parse().map_err(|error: proc_macro2::LexError| failed(error.span(), error.to_string()))?;
    let depth = shape::depth(tokens.clone());
    let speaks = memchr::memmem::find(text.as_bytes(), b"gpulint:").is_some();
    let literals = speaks.then(|| shape::literals(tokens.clone()));
    shape::with_room(depth, || {
        let file: syn::File = syn::parse2(tokens).map_err(|error| failed(error.span(), error.to_string()))?;
        let mut lowering = Lowering::new(source, start);
        lowering.package = package;
        lowering.file(&file);
        if let Some(literals) = literals {
            lowering.note_comments(&literals);
        }
        Ok(lowering.code)
    })?
}

struct Lowering<'s> {
    source: &'s Source,
    text: &'s str,
    /// Where the parsed part of the text begins.
    start: usize,
    code: Code<'s>,
    /// The name of the package's library, when paths of the file begin with it.
    package: Option<&'s str>,
    scopes: Vec<Scope<'s>>,
    /// The scope that names are looked up in.
    scope: usize,
    /// The type whose `impl` is being lowered.
    own_type: Option<&'s str>,
    /// Names that patterns of the function bind.
    locals: FxHashSet<&'s str>,
    /// Names that `if let` binds in the condition being lowered.
    bound: Vec<&'s str>,
    /// Steps that run before the statement that is being lowered: blocks that are values.
    before: Block<'s>,
    /// Where the text says something that may name a device, ascending.
    gpu_words: Vec<usize>,
    /// Statements, for comments to speak about.
    lines: Vec<Span>,
}

impl<'s> Lowering<'s> {
    fn new(source: &'s Source, start: usize) -> Self {
        static DEVICES: LazyLock<Keywords> =
            LazyLock::new(|| Keywords::new(&["uda", "UDA", "gpu", "Gpu", "GPU", "evice", "DEVICE"]));
        let text = source.text.as_str();
        Lowering {
            source,
            text,
            start,
            code: Code::default(),
            package: None,
            scopes: vec![Scope::default()],
            scope: 0,
            own_type: None,
            locals: FxHashSet::default(),
            bound: Vec::new(),
            before: Vec::new(),
            gpu_words: DEVICES.places(text).into_iter().map(|(start, _)| start).collect(),
            lines: Vec::new(),
        }
    }

    fn range(&self, span: proc_macro2::Span) -> Range<usize> {
        let range = span.byte_range();
        let clamp = |at: usize| (self.start + at).min(self.text.len());
        clamp(range.start)..clamp(range.end)
    }

    /// From the beginning of one token to the end of another.
    fn between(&self, first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
        let start = self.range(first).start;
        Span::new(start, self.range(last).end.max(start))
    }

    fn span_of(&self, expr: &syn::Expr) -> Span {
        self.between(spans::first(expr), spans::last(expr))
    }

    fn slice(&self, span: proc_macro2::Span) -> &'s str {
        self.text.get(self.range(span)).unwrap_or_default()
    }

    /// The name as it is looked up: `r#type` is `type`.
    fn name(&self, ident: &syn::Ident) -> &'s str {
        let text = self.slice(ident.span());
        text.strip_prefix("r#").unwrap_or(text)
    }

    fn unknown(&self, span: Span, parts: Vec<Expr<'s>>) -> Expr<'s> {
        Expr { span, kind: ExprKind::Unknown(parts) }
    }

    fn mentions_gpu(&self, span: Span) -> bool {
        let first = self.gpu_words.partition_point(|&word| word < span.start as usize);
        self.gpu_words.get(first).is_some_and(|&word| word < span.end as usize)
    }

    /// Adds a step behind the blocks that its values are made in.
    fn push(&mut self, span: Span, kind: StatementKind<'s>, block: &mut Block<'s>) {
        block.append(&mut self.before);
        block.push(Statement { span, kind });
    }

    /// Comments that speak to gpulint: those that are no part of a literal.
    fn note_comments(&mut self, literals: &[Range<usize>]) {
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if line.contains("gpulint:") {
                let mut leaders = line.match_indices("//").map(|(found, _)| at + found);
                let in_literal =
                    |place: usize| literals.iter().any(|range| range.contains(&(place - self.start)));
                let leader = leaders.find(|&place| place >= self.start && !in_literal(place));
                let end = at + line.trim_end().len();
                self.code.comments.extend(leader.map(|leader| Span::new(leader, end)));
            }
            at += line.len();
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.sort();
        // Of a statement that holds others the head is left, which is a line of its own.
        for index in 1..lines.len() {
            let next = lines[index].start;
            lines[index - 1].end = lines[index - 1].end.min(next);
        }
        self.code.lines = lines;
    }
}

//! Python, 3.8 to 3.15: `ruff_python_parser` reads it, and this front-end lowers its tree to [`Code`].
//!
//! Only this module and its children know the parser.

mod container_runs;
mod expressions;
mod logical_lines;
mod made_texts;
mod nesting;
mod older;
mod patterns;
mod remarks;
mod scopes;
mod shell_texts;
mod statements;
mod tree;

use crate::code::{Block, Code, Expr, ExprKind};
use crate::facts::Span;
use crate::keywords::Keywords;
use crate::languages::Refusal;
use crate::languages::embedded::Origin;
use crate::sources::Source;
pub use logical_lines::logical_lines;
use nesting::{MAX_DEPTH, TOO_DEEP};
pub use remarks::remarks;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{self as ast, ModModule, PySourceType};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange, TextSize};
use rustc_hash::FxHashMap;
pub use scopes::{Mention, NameUse, ScopeId, ScopeSort, Scopes, When};
use std::sync::LazyLock;
pub use tree::{Kind, Node, NodeId, Token, Tree};

/// Lowers a Python file. Version-dependent syntax of every Python from 3.8 on is accepted.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    let text: &str = &source.text;
    // The parser keeps byte offsets into what it gets; a byte order mark is part of the file's.
    let (text, origin) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, Origin::from('\u{feff}'.len_utf8())),
        None => (text, Origin::from(0)),
    };
    code.body = lower_part(text, &origin, Reader::Python(Some(source)), &mut code)?;
    Ok(code)
}

/// Lowers a cell of a notebook, in which IPython's own lines may stand among those of Python.
pub fn lower_cell<'s>(
    text: &'s str,
    origin: &Origin,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Result<Block<'s>, Refusal> {
    lower_part(text, origin, Reader::IPython(source), code)
}

/// Lowers Python that stands in a file of another language, and adds what it defines to the code of that
/// file.
pub fn lower_snippet<'s>(text: &'s str, origin: &Origin, code: &mut Code<'s>) -> Result<Block<'s>, Refusal> {
    lower_part(text, origin, Reader::Python(None), code)
}

/// Who runs a text. The file is there where texts may be put together for it.
#[derive(Clone, Copy)]
enum Reader<'s> {
    Python(Option<&'s Source>),
    IPython(&'s Source),
}

fn lower_part<'s>(
    text: &'s str,
    origin: &Origin,
    reader: Reader<'s>,
    code: &mut Code<'s>,
) -> Result<Block<'s>, Refusal> {
    nesting::check(text)?;
    let (source_type, source, notebook) = match reader {
        Reader::Python(source) => (PySourceType::Python, source, None),
        Reader::IPython(source) => (PySourceType::Ipynb, Some(source), Some(source)),
    };
    let Some(parsed) = older::parse(text, source_type) else {
        return Err("not a Python module".to_owned());
    };
    if let Some(error) = parsed.errors().first() {
        let line = text[..error.location.start().to_usize()].bytes().filter(|&byte| byte == b'\n').count();
        let reason = format!("syntax error on line {}: {}", line + 1, error.error);
        nesting::release(parsed, text.len());
        return Err(reason);
    }
    let mut lowering = Lowering {
        text,
        origin,
        source,
        notebook,
        code: std::mem::take(code),
        depth: 0,
        chained: 0,
        too_deep: false,
        marks: FunctionContents::default(),
        gpu_words: gpu_words(text),
        kept_texts: FxHashMap::default(),
        class: None,
    };
    let body = lowering.block(&parsed.syntax().body);
    lowering.code.mentions_gpu |= !lowering.gpu_words.is_empty();
    lowering.note_remarks(&parsed);
    let comments = lowering.comments_for_gpulint(&parsed);
    if !comments.is_empty() {
        lowering.code.comments.extend(comments);
        let lines = lowering.logical_lines(&parsed);
        lowering.code.lines.extend(lines);
    }
    *code = lowering.code;
    if lowering.too_deep {
        nesting::release(parsed, text.len());
        return Err(TOO_DEEP.to_owned());
    }
    Ok(body)
}

struct Lowering<'s, 'o> {
    text: &'s str,
    /// Where `text` stands in the file.
    origin: &'o Origin,
    source: Option<&'s Source>,
    /// The notebook that the text is a cell of.
    notebook: Option<&'s Source>,
    code: Code<'s>,
    depth: usize,
    /// Levels of the code that are none of the tree: each `elif` around what is being looked at.
    chained: usize,
    too_deep: bool,
    marks: FunctionContents,
    /// Where the text says something that may name a device, ascending.
    gpu_words: Vec<u32>,
    /// Names that hold command lines, with the number of the text.
    kept_texts: FxHashMap<&'s str, usize>,
    /// The class around it, without the underscores before its name.
    class: Option<String>,
}

/// What the function being lowered contains, as far as it matters to who runs it.
#[derive(Clone, Copy, Default)]
struct FunctionContents {
    yields: bool,
}

/// Offsets of text that may choose a GPU: a device by name or index, an argument that takes one, or a variable that is
/// set.
fn gpu_words(text: &str) -> Vec<u32> {
    static WORDS: LazyLock<Keywords> = LazyLock::new(|| {
        Keywords::new(&[
            "cuda:",
            "CUDA:",
            "gpu:",
            "GPU:",
            "cuda(",
            "device",
            "DEVICE",
            "Device",
            "main_gpu",
            "gpu_id",
            "gpus[",
            "gpus=",
            "gpu(",
            "CUDAExecutionProvider",
            "environ[",
            "environ.setdefault(",
            "environ.update(",
            "putenv(",
            "_ALLOC_CONF\":",
            "_ALLOC_CONF':",
        ])
    });
    let chooses = |end: usize| {
        let rest = text.as_bytes()[end..].iter().take(24);
        // `device=device` and the like pass on what somebody else chose; a choice has a literal or a
        // constant within reach.
        rest.take_while(|byte| **byte != b'\n').any(|byte| {
            byte.is_ascii_digit() || byte.is_ascii_uppercase() || matches!(byte, b'{' | b'"' | b'\'')
        })
    };
    let counts = |start: usize, end: usize| {
        chooses(end) && (!text[start..end].ends_with("environ[") || sets_item(&text[end..]))
    };
    let found = WORDS.places(text).into_iter().filter(|(start, end)| counts(*start, *end));
    found.map(|(start, _)| start as u32).collect()
}

/// Whether what follows a `[` gives the item a value, and does not read it.
fn sets_item(rest: &str) -> bool {
    let line = rest.split('\n').next().unwrap_or_default();
    line.split_once(']').is_some_and(|(_, behind)| {
        let behind = behind.trim_start();
        behind.starts_with('=') && !behind.starts_with("==")
    })
}

impl<'s> Lowering<'s, '_> {
    fn span(&self, range: TextRange) -> Span {
        self.origin.span(range.start().to_usize(), range.end().to_usize())
    }

    fn slice(&self, range: TextRange) -> &'s str {
        &self.text[range.start().to_usize()..range.end().to_usize()]
    }

    /// A name as Python takes it: letters in other forms are the plain ones (`ｏｓ` is `os`), and `a . b` is `a.b`.
    fn name(&self, name: &ast::Identifier) -> &'s str {
        self.named(name.range, &name.id)
    }

    fn named(&self, range: TextRange, name: &str) -> &'s str {
        let written = self.slice(range);
        match self.source {
            // Within `class Card` the name `__index` is `_Card__index`.
            Some(source)
                if name.starts_with("__")
                    && !name.ends_with("__")
                    && !name.contains('.')
                    && let Some(class) = self.class.as_deref().filter(|class| !class.is_empty()) =>
            {
                source.keep(format!("_{class}{name}"))
            }
            Some(source) if written != name && name != older::ASYNC_AS_NAME => source.keep(name.to_owned()),
            _ => written,
        }
    }

    /// Runs `lower` one level deeper, or gives up on the file when it is nested beyond reason.
    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth + self.chained >= MAX_DEPTH {
            self.too_deep = true;
            return None;
        }
        self.depth += 1;
        let lowered = match self.depth % nesting::LEVELS {
            0 => nesting::with_room(|| lower(self)),
            _ => lower(self),
        };
        self.depth -= 1;
        Some(lowered)
    }

    fn unknown(&self, range: TextRange, parts: Vec<Expr<'s>>) -> Expr<'s> {
        Expr { span: self.span(range), kind: ExprKind::Unknown(parts) }
    }

    /// Notes the comments and the blank lines.
    fn note_remarks(&mut self, parsed: &Parsed<ModModule>) {
        for token in parsed.tokens() {
            let range = token.range();
            match token.kind() {
                TokenKind::Comment => {
                    let comment = self.span(range);
                    self.code.remarks.comments.push(comment);
                }
                TokenKind::NonLogicalNewline => {
                    let before = self.text.get(..range.start().to_usize()).unwrap_or_default();
                    let start = before.trim_end_matches([' ', '\t']).len();
                    if start == 0 || before[..start].ends_with('\n') {
                        let line = TextRange::new(TextSize::from(start as u32), range.end());
                        let line = self.span(line);
                        self.code.remarks.blank_lines.push(line);
                    }
                }
                _ => {}
            }
        }
    }

    fn comments_for_gpulint(&self, parsed: &Parsed<ModModule>) -> Vec<Span> {
        if memchr::memmem::find(self.text.as_bytes(), b"gpulint:").is_none() {
            return Vec::new();
        }
        let comments = parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Comment);
        comments
            .filter(|token| self.slice(token.range()).contains("gpulint:"))
            .map(|token| self.span(token.range()))
            .collect()
    }

    /// From the first token of each statement to its end, or to the colon of a compound one.
    fn logical_lines(&self, parsed: &Parsed<ModModule>) -> Vec<Span> {
        let mut lines = Vec::new();
        let mut start = None;
        for token in parsed.tokens() {
            match token.kind() {
                TokenKind::Newline => {
                    if let Some(start) = start.take() {
                        let end = self.span(token.range()).start;
                        lines.push(Span { start, end });
                    }
                }
                TokenKind::Comment | TokenKind::NonLogicalNewline | TokenKind::Indent | TokenKind::Dedent => {
                }
                _ => _ = start.get_or_insert(self.span(token.range()).start),
            }
        }
        lines
    }
}

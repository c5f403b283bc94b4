//! Shells of the Bourne family (sh, bash, zsh, ksh): tree-sitter's bash grammar reads them, and this front-end
//! lowers what they do to variables and which programs they start.
//!
//! What a shell only prints or writes to a file is text, and nothing of it runs.

mod assignments;
mod builtins;
mod compound;
mod conditions;
mod edits;
mod inputs;
mod slurm;
mod statements;
mod words;

use super::embedded::Origin;
use super::{Refusal, grammar};
use crate::code::{Block, Code, Host, Statement, Unit};
use crate::facts::Span;
use crate::sources::Source;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Commands nested deeper than this are not read: no person writes them.
const MAX_DEPTH: usize = 100;

/// Lowers a script.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let start = if source.text.starts_with('\u{feff}') { 3 } else { 0 };
    let text = &source.text[start..];
    let tree = assignments::parse(text).ok_or(grammar::TANGLED)?;
    let mut code = Code { faults: grammar::faults(&tree), ..Code::default() };
    let script = lower_tree(&tree, text, &Origin::from(start), source, &mut code);
    let span = Span::new(0, source.text.find('\n').unwrap_or(source.text.len()));
    let (host, mut body) = match slurm::variables(&source.text) {
        Some(steps) => (Host::Scheduler, steps),
        None => (Host::Machine, Block::new()),
    };
    body.extend(script.steps);
    code.units.push(Unit { span, name: "".into(), host, body });
    Ok(code)
}

/// What a part of a file does that a shell runs.
#[derive(Debug, Default)]
pub struct Script<'s> {
    pub steps: Block<'s>,
    /// Variables that it leaves to later steps of its workflow, through `$GITHUB_ENV`.
    pub for_later_steps: Block<'s>,
}

/// Lowers shell code that stands in a file, and adds the functions and snippets in it to the code of the file.
pub fn lower_part<'s>(text: &'s str, origin: &Origin, source: &'s Source, code: &mut Code<'s>) -> Script<'s> {
    match assignments::parse(text) {
        Some(tree) => lower_tree(&tree, text, origin, source, code),
        None => Script::default(),
    }
}

fn lower_tree<'s>(
    tree: &Tree,
    text: &'s str,
    origin: &Origin,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Script<'s> {
    let root = tree.root_node();
    let mut lowering = Lowering {
        text,
        origin,
        source,
        code,
        depth: 0,
        substituted: Vec::new(),
        locals: Vec::new(),
        for_later_steps: Vec::new(),
    };
    let steps = lowering.block_of(root);
    let for_later_steps = std::mem::take(&mut lowering.for_later_steps);
    if memchr::memmem::find(text.as_bytes(), b"gpulint:").is_some() {
        lowering.note_comments(root);
    }
    Script { steps, for_later_steps }
}

struct Lowering<'s, 'o> {
    text: &'s str,
    /// Where `text` stands in the file.
    origin: &'o Origin,
    source: &'s Source,
    code: &'o mut Code<'s>,
    depth: usize,
    /// Commands of substitutions in the words of the current statement: they run before it.
    substituted: Block<'s>,
    /// Variables that end with the functions around the current statement, innermost last.
    locals: Vec<Vec<(&'s str, Span)>>,
    for_later_steps: Block<'s>,
}

impl<'s> Lowering<'s, '_> {
    fn span(&self, node: Node<'_>) -> Span {
        self.span_of(node.byte_range())
    }

    fn span_of(&self, range: Range<usize>) -> Span {
        self.origin.span(range.start, range.end)
    }

    fn slice(&self, node: Node<'_>) -> &'s str {
        &self.text[node.byte_range()]
    }

    /// The steps of the statements below a node.
    fn block_of(&mut self, node: Node<'_>) -> Block<'s> {
        let mut block = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.statement(child, &mut block);
        }
        block
    }

    fn step(&self, node: Node<'_>, kind: crate::code::StatementKind<'s>) -> Statement<'s> {
        Statement { span: self.span(node), kind }
    }

    /// Comments that speak to gpulint, and the commands that they may speak about.
    fn note_comments(&mut self, root: Node<'_>) {
        const SIMPLE: &[&str] = &["command", "declaration_command", "unset_command", "variable_assignment"];
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if node.kind() == "comment" {
                if self.slice(node).contains("gpulint:") {
                    let span = self.span(node);
                    self.code.comments.push(span);
                }
                continue;
            }
            if SIMPLE.contains(&node.kind()) {
                let span = self.span(node);
                self.code.lines.push(span);
            }
            // A substitution lies inside the command that it is a word of, which is what a comment means.
            if node.kind() != "command" {
                let mut cursor = node.walk();
                let children: Vec<_> = node.named_children(&mut cursor).collect();
                pending.extend(children.into_iter().rev());
            }
        }
    }
}

//! PowerShell: tree-sitter's grammar reads it, and this front-end lowers what a script does to `$env:` and which
//! programs it starts.
//!
//! Variables of the environment keep their names, in capitals; those of the language itself are written with their
//! `$`, in small letters, so that `$gpu` and `$env:GPU` are two things. What a function or a block does to `$env:`
//! stays when it ends: a process has one environment.

mod arguments;
mod cmdlets;
mod commands;
mod compound;
mod masks;
mod statements;
mod strings;
mod values;

use super::command_lines::Literal;
use super::embedded::Origin;
use super::shell::Script;
use super::{Refusal, grammar};
use crate::code::{Block, Code, Host, Statement, StatementKind, Unit};
use crate::facts::Span;
use crate::sources::Source;
use rustc_hash::FxHashMap;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Statements nested deeper than this are not read: no person writes them.
const MAX_DEPTH: usize = 100;

/// Lowers a script.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let text = &source.text;
    let tree = grammar::parse(&tree_sitter_powershell::LANGUAGE.into(), &masks::masked(text));
    let tree = tree.ok_or(grammar::TANGLED)?;
    let mut code = Code { faults: grammar::faults(&tree), ..Code::default() };
    let script = lower_tree(&tree, text, &Origin::from(0), source, &mut code);
    let span = Span::new(0, source.text.find('\n').unwrap_or(source.text.len()));
    code.units.push(Unit { span, name: "".into(), host: Host::Machine, body: script.steps });
    Ok(code)
}

/// Lowers PowerShell that stands in a file, and adds the functions and snippets in it to the code of the file.
pub fn lower_part<'s>(text: &'s str, origin: &Origin, source: &'s Source, code: &mut Code<'s>) -> Script<'s> {
    match grammar::parse(&tree_sitter_powershell::LANGUAGE.into(), &masks::masked(text)) {
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
        first: Vec::new(),
        for_later_steps: Vec::new(),
        texts: FxHashMap::default(),
        functions: FxHashMap::default(),
        locals: Vec::new(),
    };
    lowering.note_functions(root);
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
    /// Commands in the expressions of the current statement: they run before it.
    first: Block<'s>,
    for_later_steps: Block<'s>,
    /// Texts that variables were given, for those that an interpreter gets.
    texts: FxHashMap<String, Literal<'s>>,
    /// Functions of this text: their names are written in any case.
    functions: FxHashMap<String, &'s str>,
    /// Variables that end with the functions around the current statement, innermost last.
    locals: Vec<Vec<(String, Span)>>,
}

impl<'s> Lowering<'s, '_> {
    fn span(&self, node: Node<'_>) -> Span {
        self.span_of(node.start_byte()..end_of(node))
    }

    fn span_of(&self, range: Range<usize>) -> Span {
        self.origin.span(range.start, range.end)
    }

    /// What stands in the file: the parser got a text of the same length, in which [`masks`] hid some of it.
    fn slice(&self, node: Node<'_>) -> &'s str {
        self.slice_of(node.byte_range())
    }

    fn slice_of(&self, range: Range<usize>) -> &'s str {
        self.text.get(range).unwrap_or_default()
    }

    fn step(&self, node: Node<'_>, kind: StatementKind<'s>) -> Statement<'s> {
        Statement { span: self.span(node), kind }
    }

    fn note_functions(&mut self, root: Node<'_>) {
        if memchr::memmem::find(self.text.to_ascii_lowercase().as_bytes(), b"function").is_none() {
            return;
        }
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if node.kind() == "function_name" {
                let name = self.slice(node);
                self.functions.insert(name.to_ascii_lowercase(), name);
            }
            pending.extend(children_of(node));
        }
    }

    /// Comments that speak to gpulint, and the statements that they may speak about.
    fn note_comments(&mut self, root: Node<'_>) {
        const SIMPLE: &[&str] = &["command", "assignment_expression", "invokation_expression"];
        let mut pending = vec![(root, false)];
        while let Some((node, inside)) = pending.pop() {
            if node.kind() == "comment" {
                if self.slice(node).contains("gpulint:") {
                    let span = self.span(node);
                    self.code.comments.push(span);
                }
                continue;
            }
            let is_simple = SIMPLE.contains(&node.kind()) && !self.slice(node).contains('{');
            if is_simple && !inside {
                let span = self.span(node);
                self.code.lines.push(span);
            }
            // A comment behind a statement may be a part of it.
            pending.extend(children_of(node).into_iter().rev().map(|child| (child, inside || is_simple)));
        }
    }
}

/// Where a node ends without the comment and the blanks behind it, which the grammar takes for a part of it.
fn end_of(mut node: Node<'_>) -> usize {
    loop {
        let children = (0..node.child_count()).rev().filter_map(|at| node.child(at));
        let mut real = children.filter(|child| !matches!(child.kind(), "comment" | "command_argument_sep"));
        match real.next() {
            Some(last) => node = last,
            None => return node.end_byte(),
        }
    }
}

/// The named nodes below a node.
fn children_of(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The first named child of a kind.
fn child_of<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

//! Commands of the shell itself.

use super::super::command_lines::{self, Word, step_of};
use super::Lowering;
use crate::code::{Block, Export, Expr, ExprKind, SetVariable, Statement, StatementKind};
use std::borrow::Cow;
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// What a command of the shell comes to, when it is one.
    pub(super) fn builtin(&mut self, node: Node<'_>, words: &[Word<'s>]) -> Option<Statement<'s>> {
        let text = |at: usize| match &words.get(at)?.expr.kind {
            ExprKind::Text(text) => Some(&**text),
            _ => None,
        };
        let kind = match self.command_name(node)? {
            "source" | "." => {
                let path = words.get(1)?;
                let kind = match &path.expr.kind {
                    ExprKind::Text(text) if is_activation(text) => return Some(self.nothing(node)),
                    ExprKind::Text(text) => ExprKind::Text(text.clone()),
                    ExprKind::Variable(name) => ExprKind::Variable(name.clone()),
                    ExprKind::Join(parts) => match &parts.last()?.kind {
                        ExprKind::Text(text) if is_activation(text) => return Some(self.nothing(node)),
                        ExprKind::Text(text) if text.starts_with('/') => {
                            ExprKind::Text(text[1..].to_owned().into())
                        }
                        _ => ExprKind::Unknown(Vec::new()),
                    },
                    _ => ExprKind::Unknown(Vec::new()),
                };
                StatementKind::Source(Expr { span: path.expr.span, kind })
            }
            "set" => {
                let flags = text(1)?;
                // The command prompt of Windows sets a variable so; here it becomes an argument of the script.
                if flags.contains('=')
                    && ["CUDA_", "VISIBLE_DEVICES", "ALLOC_CONF"].iter().any(|word| flags.contains(word))
                {
                    return command_lines::foreign_assignment(self.slice(node), self.span(node), true);
                }
                let named = text(2) == Some("allexport");
                let sets = flags.starts_with('-') && (flags.contains('a') || (flags.ends_with('o') && named));
                let clears =
                    flags.starts_with('+') && (flags.contains('a') || (flags.ends_with('o') && named));
                if !sets && !clears {
                    return None;
                }
                StatementKind::ExportAll(sets)
            }
            "exit" => StatementKind::Raise { exception: None, cause: None },
            "return" => StatementKind::Return(None),
            "break" => StatementKind::Break,
            "continue" => StatementKind::Continue,
            "unset" => StatementKind::UnsetVariable(text(words.len() - 1)?.to_owned().into()),
            _ => return None,
        };
        Some(self.step(node, kind))
    }

    pub(super) fn assigned_defaults(&mut self, node: Node<'_>, words: Vec<Word<'s>>, block: &mut Block<'s>) {
        let span = self.span(node);
        for word in words.into_iter().skip(1) {
            if let ExprKind::VariableOr(name, default) = word.expr.kind {
                let value = Expr { span, kind: ExprKind::VariableOr(name.clone(), default) };
                let export = Export::IfExported;
                block.push(step_of(SetVariable {
                    name,
                    span,
                    value: Some(value),
                    export,
                    only_if_unset: false,
                }));
            }
        }
    }

    fn nothing(&self, node: Node<'_>) -> Statement<'s> {
        self.step(node, StatementKind::Apart(Vec::new()))
    }

    /// `read X`, `printf -v X …`: nothing is known of what these variables hold from here on, but where an array takes the
    /// words that are `given`.
    pub(super) fn read_variables(
        &mut self,
        node: Node<'_>,
        words: &[Word<'s>],
        mut given: Option<Expr<'s>>,
        block: &mut Block<'s>,
    ) {
        let text = |word: &Word<'s>| match &word.expr.kind {
            ExprKind::Text(text) => Some(text.clone()),
            _ => None,
        };
        let command = self.command_name(node).unwrap_or_default();
        let names: Vec<Cow<'s, str>> = match command {
            "getopts" => words.get(2).and_then(text).into_iter().collect(),
            "printf" => match words.get(1).and_then(text).as_deref() {
                Some("-v") => words.get(2).and_then(text).into_iter().collect(),
                _ => Vec::new(),
            },
            // Options and their values are no names of variables that anybody uses.
            _ => words[1..].iter().filter_map(text).filter(|name| !name.starts_with('-')).collect(),
        };
        let span = self.span(node);
        let is_array =
            |word: &Word<'s>| text(word).is_some_and(|text| text.starts_with('-') && text.contains('a'));
        if !words.iter().any(is_array) || names.len() != 1 {
            given = None;
        }
        for name in names.into_iter().filter(|name| crate::commands::is_variable_name(name)) {
            let unknown = || Expr { span, kind: ExprKind::Unknown(Vec::new()) };
            let value = Some(given.take().unwrap_or_else(unknown));
            let export = Export::IfExported;
            block.push(step_of(SetVariable { name, span, value, export, only_if_unset: false }));
        }
    }
}

/// Scripts that make an interpreter or a tool available, and choose no GPU.
fn is_activation(path: &str) -> bool {
    const ENDS: &[&str] = &[
        "bin/activate",
        "activate",
        "conda.sh",
        "mamba.sh",
        "nvm.sh",
        "cargo/env",
        "init/bash",
        "ghcup/env",
    ];
    ENDS.iter().any(|end| path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
}

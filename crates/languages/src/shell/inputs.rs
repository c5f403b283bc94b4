//! What commands read and write: heredocs, pipes, and the file that hands variables to later steps of a workflow.

use super::super::command_lines::{Literal, assignment, step_of};
use super::{Lowering, MAX_DEPTH};
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// What a command reads: `<<E`, `<<< "text"`.
    pub(super) fn input(&self, node: Node<'_>) -> Option<Literal<'s>> {
        let mut cursor = node.walk();
        let redirects: Vec<_> = node.children_by_field_name("redirect", &mut cursor).collect();
        let text = redirects.iter().find(|redirect| redirect.kind() == "herestring_redirect");
        text.and_then(|text| self.literal(text.named_child(0)?)).or_else(|| self.heredoc(node))
    }

    /// The text behind `<<`.
    pub(super) fn heredoc(&self, node: Node<'_>) -> Option<Literal<'s>> {
        let mut cursor = node.walk();
        let redirects: Vec<_> = node.children_by_field_name("redirect", &mut cursor).collect();
        let heredoc = redirects.into_iter().find(|redirect| redirect.kind() == "heredoc_redirect")?;
        let mut inner = heredoc.walk();
        let body = heredoc.named_children(&mut inner).find(|child| child.kind() == "heredoc_body")?;
        let dashed = heredoc.child(0).is_some_and(|operator| operator.kind() == "<<-");
        // A shell puts values in; what reads the text as another language does not get what stands here.
        let quoted =
            heredoc.named_child(0).is_some_and(|start| self.slice(start).contains(['\'', '"', '\\']));
        let is_for_shell = || {
            let name = self.command_name_in(node).unwrap_or_default();
            matches!(
                name,
                "bash" | "sh" | "zsh" | "ksh" | "dash" | "ssh" | "sbatch" | "sudo" | "srun" | "cat"
            )
        };
        if !quoted && self.slice(body).contains(['$', '`']) && !is_for_shell() {
            return None;
        }
        // Tabs that `<<-` takes away are indentation that Python would not accept either.
        self.literal(body).filter(|text| !dashed || !text.text.starts_with('\t'))
    }

    /// What `echo 'import torch' | python` and `printf` hand on, when it is one text.
    pub(super) fn printed(&self, node: Node<'_>) -> Option<Literal<'s>> {
        if !matches!(self.command_name(node), Some("echo" | "printf")) {
            return None;
        }
        let mut cursor = node.walk();
        let arguments: Vec<_> = node.children_by_field_name("argument", &mut cursor).collect();
        match arguments[..] {
            [only] => self.literal(only).filter(|text| !text.text.contains(['\\', '%'])),
            _ => None,
        }
    }

    /// Whether the output goes to the file through which a workflow hands variables on.
    pub(super) fn mentions_later_steps(&self, node: Node<'_>) -> bool {
        let is_output =
            |child: &Node<'_>| child.kind() == "file_redirect" || self.command_name(node) == Some("tee");
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .any(|child| is_output(&child) && self.slice(child).contains("GITHUB_ENV"))
    }

    /// `echo "X=1" >> "$GITHUB_ENV"`
    pub(super) fn for_later_steps(&mut self, node: Node<'_>) {
        if node.kind() != "command" {
            let mut cursor = node.walk();
            let children: Vec<_> = node.named_children(&mut cursor).collect();
            if self.depth < MAX_DEPTH {
                self.depth += 1;
                children.into_iter().for_each(|child| self.for_later_steps(child));
                self.depth -= 1;
            }
            return;
        }
        if !matches!(self.command_name(node), Some("echo" | "printf")) {
            return;
        }
        let mut cursor = node.walk();
        let arguments: Vec<_> = node.children_by_field_name("argument", &mut cursor).collect();
        for argument in arguments {
            let value = self.value(argument);
            self.for_later_steps.extend(assignment(value).map(step_of));
        }
    }
}

//! Statements of a shell → [`Step`].

use super::super::command_lines::{self, CommandLine, Literal, Word, assignment, step_of};
use super::super::nesting_room;
use super::{Lowering, MAX_DEPTH};
use crate::code::{Block, Export, Expr, ExprKind, SetVariable, Step, StepKind};
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    pub(super) fn deeper_block(&mut self, node: Node<'_>) -> Block<'s> {
        if self.depth >= MAX_DEPTH {
            return Vec::new();
        }
        self.depth += 1;
        let block = nesting_room(|| self.block_of(node));
        self.depth -= 1;
        block
    }

    pub(super) fn statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        nesting_room(|| self.lower_statement(node, block));
        self.depth -= 1;
    }

    fn lower_statement(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        match node.kind() {
            "command" => self.command(node, None, block),
            "redirected_statement" => self.redirected(node, block),
            "declaration_command" => self.declaration(node, block),
            "variable_assignment" => {
                let step = self.assigned(node, Export::IfExported);
                self.push(step, block);
            }
            "variable_assignments" | "compound_statement" | "do_group" | "program" | "ERROR" => {
                block.extend(self.deeper_block(node));
            }
            "unset_command" => {
                let mut cursor = node.walk();
                for name in node.named_children(&mut cursor).filter(|child| child.kind() != "test_operator") {
                    let name = self.slice(name);
                    if !name.starts_with('-') {
                        block.push(self.step(node, StepKind::UnsetVariable(name.into())));
                    }
                }
            }
            "list" => self.list(node, block),
            "pipeline" => self.pipeline(node, None, block),
            "subshell" => {
                let steps = self.deeper_block(node);
                block.push(self.step(node, StepKind::Apart(steps)));
            }
            "negated_command" => {
                if let Some(inner) = node.named_child(0) {
                    self.statement(inner, block);
                }
            }
            "if_statement" => self.if_statement(node, block),
            "while_statement" | "c_style_for_statement" => {
                let span = self.span(node);
                let body =
                    node.child_by_field_name("body").map(|body| self.deeper_block(body)).unwrap_or_default();
                let test = Expr { span, kind: ExprKind::Unknown(Vec::new()) };
                block.push(Step { span, kind: StepKind::While { test, body, otherwise: Vec::new() } });
            }
            "for_statement" => self.for_statement(node, block),
            "case_statement" => self.case_statement(node, block),
            "function_definition" => self.function(node, block),
            _ => {}
        }
    }

    /// Adds a step behind the substitutions in its words.
    pub(super) fn push(&mut self, step: Option<Step<'s>>, block: &mut Block<'s>) {
        block.append(&mut self.substituted);
        block.extend(step);
    }

    /// `X=value`
    fn assigned(&mut self, node: Node<'_>, export: Export) -> Option<Step<'s>> {
        self.assignment_in(node, export).map(step_of)
    }

    fn assignment_in(&mut self, node: Node<'_>, export: Export) -> Option<SetVariable<'s>> {
        let name = node.child_by_field_name("name").filter(|name| name.kind() == "variable_name")?;
        let appends = node.child(1).is_some_and(|operator| operator.kind() == "+=");
        let value = match node.child_by_field_name("value") {
            Some(_) if appends => Expr { span: self.span(node), kind: ExprKind::Unknown(Vec::new()) },
            Some(value) => self.value(value),
            None => Expr { span: self.span(node), kind: ExprKind::Text("".into()) },
        };
        let name = self.slice(name).into();
        Some(SetVariable { name, span: self.span(node), value: Some(value), export, only_if_unset: false })
    }

    /// `export X=1 Y`, `declare -x X=1`, `local X=1`
    fn declaration(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let word = node.child(0).map_or("", |word| self.slice(word));
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        let has_flag = |flag: char| {
            let flags =
                children.iter().filter(|child| child.kind() == "word").map(|child| self.slice(*child));
            flags.into_iter().any(|flags| flags.starts_with('-') && flags.contains(flag))
        };
        let unexports = word == "export" && has_flag('n');
        let exports = word == "export" || has_flag('x');
        let export = if exports && !unexports { Export::Yes } else { Export::IfExported };
        for child in children {
            match child.kind() {
                "variable_assignment" => {
                    let step = self.assigned(child, export);
                    self.push(step, block);
                }
                "variable_name" if unexports => {
                    block.push(self.step(node, StepKind::UnsetVariable(self.slice(child).into())));
                }
                "variable_name" if exports => {
                    let name = self.slice(child).into();
                    let span = self.span(child);
                    block.push(step_of(SetVariable {
                        name,
                        span,
                        value: None,
                        export,
                        only_if_unset: false,
                    }));
                }
                // `export "X=1"`
                "string" | "concatenation" | "raw_string" if exports => {
                    let value = self.value(child);
                    let step = assignment(value).map(step_of);
                    self.push(step, block);
                }
                _ => {}
            }
        }
    }

    /// A command with `>`, `<` or `<<`.
    fn redirected(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        if self.mentions_later_steps(node)
            && let Some(body) = node.child_by_field_name("body")
        {
            return self.for_later_steps(body);
        }
        let input = self.heredoc(node);
        let body = node.child_by_field_name("body");
        // `cat <<E | python`: the rest of the pipeline hangs below the heredoc.
        let mut cursor = node.walk();
        let redirects: Vec<_> = node.children_by_field_name("redirect", &mut cursor).collect();
        for redirect in redirects.iter().filter(|redirect| redirect.kind() == "heredoc_redirect") {
            let mut inner = redirect.walk();
            let behind: Vec<_> =
                redirect.named_children(&mut inner).filter(|child| child.kind() == "pipeline").collect();
            if let (Some(pipeline), Some(body), Some(text)) = (behind.first(), body, input.clone()) {
                return self.pipeline(*pipeline, Some((body, text)), block);
            }
        }
        match body {
            Some(body) if body.kind() == "command" => self.command(body, input, block),
            Some(body) => self.statement(body, block),
            None => {}
        }
    }

    /// The text behind `<<`.
    pub(super) fn heredoc(&self, node: Node<'_>) -> Option<Literal<'s>> {
        let mut cursor = node.walk();
        let redirects: Vec<_> = node.children_by_field_name("redirect", &mut cursor).collect();
        let heredoc = redirects.into_iter().find(|redirect| redirect.kind() == "heredoc_redirect")?;
        let mut inner = heredoc.walk();
        let body = heredoc.named_children(&mut inner).find(|child| child.kind() == "heredoc_body")?;
        let dashed = heredoc.child(0).is_some_and(|operator| operator.kind() == "<<-");
        // Tabs that `<<-` takes away are indentation that Python would not accept either.
        self.literal(body).filter(|text| !dashed || !text.text.starts_with('\t'))
    }

    pub(super) fn command(&mut self, node: Node<'_>, input: Option<Literal<'s>>, block: &mut Block<'s>) {
        let mut environment = Vec::new();
        let mut words: Vec<Word<'s>> = Vec::new();
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "variable_assignment" => environment.extend(self.assignment_in(child, Export::Yes)),
                "command_name" | "file_redirect" | "herestring_redirect" | "comment" => {
                    if child.kind() == "command_name" {
                        let word = self.word(child.named_child(0).unwrap_or(child));
                        words.push(word);
                    }
                }
                _ => {
                    let word = self.word(child);
                    words.push(word);
                }
            }
        }
        if let Some(step) = self.builtin(node, &words) {
            return self.push(Some(step), block);
        }
        match self.command_name(node) {
            // `: "${X:=0}"`
            Some(":") => return self.assigned_defaults(node, words, block),
            Some("eval") => {
                if let [_, Word { literal: Some(code), .. }] = &words[..] {
                    let script = super::lower_part(code.text, &code.origin, self.source, self.code);
                    return block.extend(script.steps);
                }
            }
            // A name alone, such as `X=1` on its own, is an assignment and no command.
            None if words.is_empty() => {
                block.extend(
                    environment
                        .into_iter()
                        .map(|set| step_of(SetVariable { export: Export::IfExported, ..set })),
                );
                return;
            }
            _ => {}
        }
        let line = CommandLine { span: self.span(node), environment, words, input };
        let step = command_lines::lower(line, self.source, self.code);
        self.push(step, block);
    }

    /// Commands of the shell itself.
    fn builtin(&mut self, node: Node<'_>, words: &[Word<'s>]) -> Option<Step<'s>> {
        let text = |at: usize| match &words.get(at)?.expr.kind {
            ExprKind::Text(text) => Some(&**text),
            _ => None,
        };
        let kind = match self.command_name(node)? {
            "source" | "." => {
                let path = words.get(1)?;
                let kind = match &path.expr.kind {
                    ExprKind::Text(text) => ExprKind::Text(text.clone()),
                    ExprKind::Join(parts) => match &parts.last()?.kind {
                        ExprKind::Text(text) if text.starts_with('/') => {
                            ExprKind::Text(text[1..].to_owned().into())
                        }
                        _ => ExprKind::Unknown(Vec::new()),
                    },
                    _ => ExprKind::Unknown(Vec::new()),
                };
                StepKind::Source(Expr { span: path.expr.span, kind })
            }
            "set" => {
                let flags = text(1)?;
                let named = text(2) == Some("allexport");
                let sets = flags.starts_with('-') && (flags.contains('a') || (flags.ends_with('o') && named));
                let clears =
                    flags.starts_with('+') && (flags.contains('a') || (flags.ends_with('o') && named));
                if !sets && !clears {
                    return None;
                }
                StepKind::ExportAll(sets)
            }
            "exit" => StepKind::Raise(None),
            "return" => StepKind::Return(None),
            "break" => StepKind::Break,
            "continue" => StepKind::Continue,
            "unset" => StepKind::UnsetVariable(text(words.len() - 1)?.to_owned().into()),
            _ => return None,
        };
        Some(self.step(node, kind))
    }

    fn assigned_defaults(&mut self, node: Node<'_>, words: Vec<Word<'s>>, block: &mut Block<'s>) {
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

    /// The name of a command, when it is written out.
    pub(super) fn command_name(&self, node: Node<'_>) -> Option<&'s str> {
        if node.kind() != "command" {
            return None;
        }
        let name = node.child_by_field_name("name")?;
        let word = name.named_child(0)?;
        (word.kind() == "word").then(|| self.slice(word))
    }

    pub(super) fn command_name_in(&self, redirected: Node<'_>) -> Option<&'s str> {
        redirected.child_by_field_name("body").and_then(|body| self.command_name(body))
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

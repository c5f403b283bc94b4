//! Statements of a shell → [`Statement`].

use super::super::command_lines::{self, CommandLine, Literal, Word, assignment, step_of};
use super::super::nesting_room;
use super::{Lowering, MAX_DEPTH};
use crate::code::{Block, Export, Expr, ExprKind, Operator, SetVariable, Statement, StatementKind};
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
                let children: Vec<_> = node.named_children(&mut cursor).collect();
                // `unset -f name` is about functions.
                let names = children.iter().filter(|child| child.kind() != "test_operator");
                let functions = children.iter().any(|child| self.slice(*child) == "-f");
                for name in names.filter(|_| !functions) {
                    let name = self.slice(*name);
                    if !name.starts_with('-') {
                        block.push(self.step(node, StatementKind::UnsetVariable(name.into())));
                    }
                }
            }
            "list" => self.list(node, block),
            "pipeline" => self.pipeline(node, None, block),
            "subshell" => {
                let steps = self.deeper_block(node);
                block.push(self.step(node, StatementKind::Apart(steps)));
            }
            "negated_command" => {
                if let Some(inner) = node.named_child(0) {
                    self.statement(inner, block);
                }
            }
            "if_statement" => self.if_statement(node, block),
            "while_statement" | "c_style_for_statement" => {
                let span = self.span(node);
                let mut body = Vec::new();
                let mut cursor = node.walk();
                let conditions: Vec<_> = node.children_by_field_name("condition", &mut cursor).collect();
                for condition in
                    conditions.into_iter().filter(|condition| condition.kind().contains("command"))
                {
                    // `while read -r gpu` gives a variable another value each time.
                    self.statement(condition, &mut body);
                }
                body.extend(
                    node.child_by_field_name("body").map(|body| self.deeper_block(body)).unwrap_or_default(),
                );
                let test = Expr { span, kind: ExprKind::Unknown(Vec::new()) };
                block.push(Statement {
                    span,
                    kind: StatementKind::While { test, body, otherwise: Vec::new() },
                });
            }
            "for_statement" => self.for_statement(node, block),
            "case_statement" => self.case_statement(node, block),
            "function_definition" => self.function(node, block),
            _ => {}
        }
    }

    /// Adds a step behind the substitutions in its words.
    pub(super) fn push(&mut self, step: Option<Statement<'s>>, block: &mut Block<'s>) {
        block.append(&mut self.substituted);
        block.extend(step);
    }

    /// `X=value`
    fn assigned(&mut self, node: Node<'_>, export: Export) -> Option<Statement<'s>> {
        self.assignment_in(node, export).map(step_of)
    }

    fn assignment_in(&mut self, node: Node<'_>, export: Export) -> Option<SetVariable<'s>> {
        let name = node.child_by_field_name("name").filter(|name| name.kind() == "variable_name")?;
        let appends = node.child(1).is_some_and(|operator| operator.kind() == "+=");
        let value = match node.child_by_field_name("value") {
            // `ARGS+=" --x"`, `args+=(--x)`: behind what it holds.
            Some(value) if appends => {
                let held = ExprKind::Variable(self.slice(name).into());
                let held = Expr { span: self.span(name), kind: held };
                let both = Box::new((held, self.value(value)));
                Expr { span: self.span(node), kind: ExprKind::Binary(Operator::Add, both) }
            }
            Some(value) => self.value(value),
            None => Expr { span: self.span(node), kind: ExprKind::Text("".into()) },
        };
        let name = in_container(self.slice(name)).into();
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
        let is_local = word == "local" || (matches!(word, "declare" | "typeset") && !has_flag('g'));
        if is_local && let Some(names) = self.locals.last_mut() {
            for child in &children {
                let name = child.child_by_field_name("name").unwrap_or(*child);
                if name.kind() == "variable_name" {
                    names.push((
                        &self.text[name.byte_range()],
                        self.origin.span(name.start_byte(), name.end_byte()),
                    ));
                }
            }
        }
        let export = if exports && !unexports { Export::Yes } else { Export::IfExported };
        for child in children {
            match child.kind() {
                "variable_assignment" => {
                    let step = self.assigned(child, export);
                    self.push(step, block);
                }
                "variable_name" if unexports => {
                    block.push(self.step(node, StatementKind::UnsetVariable(self.slice(child).into())));
                }
                "variable_name" if exports && self.is_before_sign(child) => {
                    let text = self.text[child.start_byte()..].lines().next().unwrap_or_default();
                    let text = text[..text.find([';', '&', '#']).unwrap_or(text.len())].trim_end();
                    let step = command_lines::no_assignment(text, self.span(node));
                    block.push(step);
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
                // `export $(cat .env)`: anything.
                "command_substitution" | "simple_expansion" | "expansion" if exports => {
                    let kind = StatementKind::Source(Expr {
                        span: self.span(child),
                        kind: ExprKind::Unknown(Vec::new()),
                    });
                    block.push(self.step(child, kind));
                }
                _ => {}
            }
        }
    }

    /// `export X = 1`: a name with a blank before the sign has no value, and the sign is no name.
    fn is_before_sign(&self, name: Node<'_>) -> bool {
        let behind = &self.text[name.end_byte()..];
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        blanks > 0 && behind[blanks..].starts_with('=')
    }

    /// A command with `>`, `<` or `<<`.
    fn redirected(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        if self.mentions_later_steps(node)
            && let Some(body) = node.child_by_field_name("body")
        {
            return self.for_later_steps(body);
        }
        let input = self.input(node);
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

    pub(super) fn command(&mut self, node: Node<'_>, mut input: Option<Literal<'s>>, block: &mut Block<'s>) {
        let mut environment = Vec::new();
        let mut words: Vec<Word<'s>> = Vec::new();
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        let mut read = None;
        for child in children {
            match child.kind() {
                "variable_assignment" => environment.extend(self.assignment_in(child, Export::Yes)),
                "command_name" => {
                    let word = self.word(child.named_child(0).unwrap_or(child));
                    words.push(word);
                }
                "herestring_redirect" => {
                    input = input.or_else(|| child.named_child(0).and_then(|text| self.literal(text)));
                    if self.command_name(node) == Some("read") {
                        read = child.named_child(0).map(|text| self.value(text));
                    }
                }
                "file_redirect" | "comment" => {}
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
            Some("read" | "mapfile" | "readarray" | "getopts" | "printf") => {
                let separator =
                    environment.iter().find(|set| set.name == "IFS").and_then(|set| match &set.value {
                        Some(Expr { kind: ExprKind::Text(by), .. }) => Some(by.clone()),
                        _ => None,
                    });
                self.read_variables(node, &words, read.and_then(|read| Self::parted(read, separator)), block)
            }
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
        // What `exec` starts takes the place of the script.
        let replaces = self.command_name(node) == Some("exec") && words.len() > 1;
        let line = CommandLine { span: self.span(node), environment, words, input };
        let step = command_lines::lower(line, self.source, self.code);
        self.push(step, block);
        if replaces {
            block.push(self.step(node, StatementKind::Raise { exception: None, cause: None }));
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
}

/// The name that a variable has in a container of Singularity, which takes `SINGULARITYENV_X` for X. Only those that choose a GPU are
/// meant: what else is handed in so is no variable of the script.
fn in_container(name: &str) -> &str {
    const PREFIXES: &[&str] = &["SINGULARITYENV_", "APPTAINERENV_"];
    let inner = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    inner.filter(|inner| matches!(*inner, "CUDA_VISIBLE_DEVICES" | "CUDA_DEVICE_ORDER")).unwrap_or(name)
}

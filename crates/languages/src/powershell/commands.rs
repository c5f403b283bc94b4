//! Commands and pipelines: programs that are started, scripts that are run in the same process, and code that is
//! handed to another interpreter.

use super::super::command_lines::{self, CommandLine, Literal, Word, assignment, step_of};
use super::arguments::Argument;
use super::values::innermost;
use super::{Lowering, child_of, children_of};
use crate::code::{Block, Export, Expr, ExprKind, StatementKind};
use std::borrow::Cow;
use tree_sitter::Node;

/// What comes to a command from the left of its pipe.
#[derive(Default)]
pub(super) struct Input<'s> {
    pub text: Option<Literal<'s>>,
    pub elements: Option<Expr<'s>>,
}

impl<'s> Lowering<'s, '_> {
    /// Commands and expressions between `|`.
    pub(super) fn chain(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let mut input = Input::default();
        let mut numbers = None;
        for child in children_of(node) {
            match child.kind() {
                "redirections" => {
                    if self.goes_to_later_steps(child)
                        && let Some(elements) = input.elements.take()
                    {
                        self.leave(elements);
                    }
                }
                "command" => {
                    // `1..4 | …` is read as a command of that name.
                    numbers = self.written_range(child);
                    if numbers.is_none() {
                        self.command(child, std::mem::take(&mut input), block);
                    }
                }
                "comment" | "verbatim_command_argument" => {}
                _ => {
                    let inner = innermost(child);
                    match inner.kind() {
                        "invokation_expression" => self.method(inner, block),
                        "pipeline" | "assignment_expression" => self.statement(inner, block),
                        _ => {
                            input.text = self.literal(inner);
                            let value = self.value(child);
                            block.append(&mut self.first);
                            input.elements = Some(value);
                        }
                    }
                }
            }
            if let Some(numbers) = numbers.take() {
                input.elements = Some(numbers);
            }
        }
        block.append(&mut self.first);
    }

    fn written_range(&self, command: Node<'_>) -> Option<Expr<'s>> {
        let (first, last) = self.slice(command).trim().split_once("..")?;
        let (first, last) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
        let span = self.span(command);
        let few = first <= last && last - first < 32;
        let numbers =
            (first..=if few { last } else { first }).map(|number| Expr { span, kind: ExprKind::Int(number) });
        let kind = if few { ExprKind::Sequence(numbers.collect()) } else { super::values::unknown() };
        Some(Expr { span, kind })
    }

    /// The name of a command in small letters, when it is written out.
    pub(super) fn command_name(&self, node: Node<'_>) -> Option<String> {
        let name = node.child_by_field_name("command_name")?;
        let written = self.slice(name).trim_matches(['"', '\'']);
        (!written.starts_with(['$', '{', '('])).then(|| written.to_ascii_lowercase())
    }

    pub(super) fn command(&mut self, node: Node<'_>, input: Input<'s>, block: &mut Block<'s>) {
        let Some(named) = node.child_by_field_name("command_name") else { return };
        let runs_block = innermost_name(named);
        if runs_block.kind() == "script_block_expression" {
            let steps = self.run_block(runs_block);
            return block.extend(steps);
        }
        let foreign = command_lines::foreign_assignment(self.slice(node), self.span(node), true);
        if foreign.is_some() {
            return block.extend(foreign);
        }
        let arguments = self.arguments(node);
        let name = self.command_name(node).unwrap_or_default();
        let is_shadowed = self.functions.contains_key(&name);
        let arguments = match is_shadowed {
            true => arguments,
            false => match self.cmdlet(node, &name, arguments, &input, block) {
                Some(arguments) => arguments,
                None => return block.append(&mut self.first),
            },
        };
        // What a command gets as blocks it most likely runs: `Measure-Command { … }`.
        let mut blocks = Vec::new();
        for inner in arguments.iter().filter_map(Argument::block) {
            let steps = self.run_block(inner);
            blocks.extend(steps);
        }
        block.append(&mut self.first);
        block.extend(blocks);
        let program = self.program_word(named, &name);
        if self.runs_script(&program.expr) {
            return self.run_script(node, program.expr, arguments, block);
        }
        let mut words = vec![program];
        words.extend(Self::words(arguments));
        let span = self.span(node);
        self.start(CommandLine { span, environment: Vec::new(), words, input: input.text }, block);
    }

    pub(super) fn start(&mut self, line: CommandLine<'s>, block: &mut Block<'s>) {
        let step = command_lines::lower(line, self.source, self.code);
        block.append(&mut self.first);
        block.extend(step);
    }

    /// The program: functions of the script by the name that they were given.
    fn program_word(&mut self, named: Node<'_>, name: &str) -> Word<'s> {
        let span = self.span(named);
        if let Some((expr, _)) = self.path_behind_variable(named.start_byte()) {
            return Word { expr, literal: None };
        }
        if let Some(declared) = self.functions.get(name) {
            return Word { expr: Expr { span, kind: ExprKind::Text((*declared).into()) }, literal: None };
        }
        let inner = innermost_name(named);
        let expr = match inner.kind() {
            "command_name" | "path_command_name" | "command_name_expr" => {
                let written = self.slice(named).replace(['"', '\'', '`'], "");
                Expr { span, kind: ExprKind::Text(written.into()) }
            }
            _ => self.value(inner),
        };
        Word { expr, literal: None }
    }

    fn runs_script(&self, program: &Expr<'s>) -> bool {
        let end = match &program.kind {
            ExprKind::Text(text) => text,
            ExprKind::Join(parts) => match parts.last().map(|part| &part.kind) {
                Some(ExprKind::Text(text)) => text,
                _ => return false,
            },
            _ => return false,
        };
        let end = end.to_ascii_lowercase();
        end.ends_with(".ps1") || end.ends_with(".psm1")
    }

    /// `.\run.ps1 -Gpu 1` runs in this process: what it does to `$env:` stays.
    pub(super) fn run_script(
        &mut self,
        node: Node<'_>,
        path: Expr<'s>,
        arguments: Vec<Argument<'s, '_>>,
        block: &mut Block<'s>,
    ) {
        let mut name = None;
        for argument in arguments {
            if argument.is_parameter() {
                name = Some(argument.written[1..].trim_end_matches(':').to_ascii_lowercase());
            } else if let Some(name) = name.take() {
                let span = argument.expr.span;
                let kind = self.set(format!("${name}").into(), span, argument.expr, Export::No, false);
                block.push(crate::code::Statement { span, kind });
            }
        }
        block.push(self.step(node, StatementKind::Source(ending_of(path))));
    }

    /// What is printed into the file through which a workflow hands variables on.
    pub(super) fn leave(&mut self, text: Expr<'s>) {
        match text.kind {
            ExprKind::Sequence(lines) => lines.into_iter().for_each(|line| self.leave(line)),
            kind => self.for_later_steps.extend(assignment(Expr { kind, ..text }).map(step_of)),
        }
    }

    /// Whether a redirection, or an argument, names that file.
    pub(super) fn goes_to_later_steps(&self, node: Node<'_>) -> bool {
        self.slice(node).to_ascii_uppercase().contains("GITHUB_ENV")
    }
}

/// The node that says what is run, below those that only hold it.
fn innermost_name(named: Node<'_>) -> Node<'_> {
    let mut node = named;
    while node.kind() == "command_name_expr" && node.named_child_count() == 1 {
        let Some(child) = node.named_child(0) else { break };
        node = child;
    }
    node
}

/// A path whose end alone is known is that end.
fn ending_of(path: Expr<'_>) -> Expr<'_> {
    let kind = match path.kind {
        ExprKind::Join(mut parts) => match parts.pop().map(|part| part.kind) {
            Some(ExprKind::Text(text)) if text.starts_with(['/', '\\']) => {
                let text: Cow<'_, str> = text[1..].to_owned().into();
                ExprKind::Text(text)
            }
            _ => super::values::unknown(),
        },
        kind => kind,
    };
    Expr { span: path.span, kind }
}

/// Whether a command has a redirection, and which.
pub(super) fn redirections_of(command: Node<'_>) -> Vec<Node<'_>> {
    let elements = child_of(command, "command_elements").map(children_of).unwrap_or_default();
    elements.into_iter().filter(|element| element.kind() == "redirection").collect()
}

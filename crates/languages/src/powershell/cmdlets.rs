//! Commands of PowerShell itself that set variables, start programs or run code.

use super::super::command_lines::{CommandLine, Word};
use super::arguments::{Argument, Parameters, parameters};
use super::commands::{Input, redirections_of};
use super::values::{capitals_owned, innermost, unknown};
use super::{Lowering, child_of, children_of};
use crate::code::{Block, Command, Export, Expr, ExprKind, SetVariable, Statement, StatementKind};
use tree_sitter::Node;

/// Parameters that take no value.
const SWITCHES: &[&str] = &[
    "wait",
    "nonewwindow",
    "passthru",
    "force",
    "append",
    "recurse",
    "confirm",
    "whatif",
    "verbose",
    "nonewline",
    "useshellexecute",
    "global",
    "parallel",
    "asjob",
    "leaf",
    "resolve",
    "debug",
];

impl<'s> Lowering<'s, '_> {
    /// Gives the arguments back when the command is none of those that are known here.
    pub(super) fn cmdlet<'t>(
        &mut self,
        node: Node<'t>,
        name: &str,
        arguments: Vec<Argument<'s, 't>>,
        input: &Input<'s>,
        block: &mut Block<'s>,
    ) -> Option<Vec<Argument<'s, 't>>> {
        match name {
            "set-item" | "si" | "new-item" | "ni" | "set-content" | "sc" if names_environment(&arguments) => {
                self.set_item(node, parameters(arguments, SWITCHES), block);
            }
            "remove-item" | "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" | "clear-item" | "cli" => {
                for name in arguments.iter().filter_map(Argument::env_variable) {
                    block.push(self.step(node, StatementKind::UnsetVariable(name.into())));
                }
            }
            "add-content" | "ac" | "out-file" | "set-content" | "sc" | "tee-object" | "tee"
                if self.goes_to_later_steps(node) =>
            {
                let mut parameters = parameters(arguments, SWITCHES);
                let value = parameters.take("value").map(|value| value.expr);
                let mut positional = parameters.positional.into_iter().map(|argument| argument.expr);
                let value = value.or_else(|| {
                    positional.next_back().filter(|last| !matches!(last.kind, ExprKind::Variable(_)))
                });
                let printed = input.elements.as_ref().map(copy);
                if let Some(value) = value.or(printed) {
                    self.leave(value);
                }
            }
            "echo" | "write-output" | "write" | "write-host" => {
                let later = redirections_of(node)
                    .into_iter()
                    .any(|redirection| self.goes_to_later_steps(redirection));
                if later {
                    arguments.into_iter().for_each(|argument| self.leave(argument.expr));
                }
            }
            "set-location" | "sl" | "cd" | "chdir" => self.change_folder(node, "cd", arguments, block),
            "push-location" | "pushd" => self.change_folder(node, "pushd", arguments, block),
            "pop-location" | "popd" => self.change_folder(node, "popd", Vec::new(), block),
            "start-process" | "saps" | "start" => {
                self.start_process(node, parameters(arguments, SWITCHES), block)
            }
            "start-job" | "sajb" => {
                let mut steps = Vec::new();
                self.blocks_of(&arguments, &mut steps);
                block.push(self.step(node, StatementKind::Apart(steps)));
            }
            "foreach-object" | "%" | "foreach" => {
                for body in arguments.iter().filter_map(Argument::block) {
                    self.for_each_object(node, body, input.elements.as_ref().map(copy), block);
                }
            }
            "where-object" | "?" | "where" | "select-object" | "sort-object" | "register-objectevent" => {}
            "invoke-command" | "icm" => {
                let elsewhere = arguments.iter().any(|argument| {
                    let name = argument.written.to_ascii_lowercase();
                    argument.is_parameter()
                        && (name.starts_with("-comp") || name.starts_with("-sess") || name == "-cn")
                });
                let mut steps = Vec::new();
                self.blocks_of(&arguments, &mut steps);
                match elsewhere {
                    true => block.push(self.step(node, StatementKind::Apart(steps))),
                    false => block.extend(steps),
                }
            }
            "invoke-expression" | "iex" => {
                let mut parameters = parameters(arguments, SWITCHES);
                if let Some(literal) = parameters.take_or_next("command").and_then(|code| code.literal) {
                    let script = super::lower_part(literal.text, &literal.origin, self.source, self.code);
                    block.extend(script.steps);
                }
            }
            "import-module" | "ipmo" => {
                let mut parameters = parameters(arguments, SWITCHES);
                if let Some(module) = parameters.take_or_next("name") {
                    self.run_script(node, module.expr, Vec::new(), block);
                }
            }
            _ => return Some(arguments),
        }
        None
    }

    fn blocks_of(&mut self, arguments: &[Argument<'s, '_>], steps: &mut Block<'s>) {
        for inner in arguments.iter().filter_map(Argument::block) {
            steps.extend(self.run_block(inner));
        }
    }

    /// `Set-Item Env:X 1`, `New-Item -Path Env: -Name X -Value 1`
    fn set_item(&mut self, node: Node<'_>, mut parameters: Parameters<'s, '_>, block: &mut Block<'s>) {
        let named = parameters.take("name").map(|name| name.expr.kind);
        let path = parameters.take("path").or_else(|| parameters.take("literalpath"));
        let path =
            path.or_else(|| (!parameters.positional.is_empty()).then(|| parameters.positional.remove(0)));
        let name = match named {
            Some(ExprKind::Text(name)) => Some(name.to_ascii_uppercase()),
            _ => path.and_then(|path| path.env_variable()),
        };
        let (Some(name), Some(value)) = (name, parameters.take_or_next("value")) else { return };
        let kind = match value.expr.kind {
            ExprKind::None => StatementKind::UnsetVariable(name.into()),
            _ => self.set(name.into(), self.span(node), value.expr, Export::Yes, false),
        };
        self.push(Statement { span: self.span(node), kind }, block);
    }

    fn change_folder(
        &mut self,
        node: Node<'_>,
        verb: &'static str,
        arguments: Vec<Argument<'s, '_>>,
        block: &mut Block<'s>,
    ) {
        let span = self.span(node);
        let path = arguments.into_iter().find(|argument| !argument.is_parameter()).map(|argument| {
            let kind = match argument.expr.kind {
                ExprKind::Text(path) => ExprKind::Text(path.replace('\\', "/").into()),
                kind => kind,
            };
            Expr { kind, ..argument.expr }
        });
        block.push(cd(span, verb, path));
    }

    /// `Start-Process python -ArgumentList "train.py", "-x"`
    fn start_process(&mut self, node: Node<'_>, mut given: Parameters<'s, '_>, block: &mut Block<'s>) {
        let span = self.span(node);
        let folder = given.take("workingdirectory").map(|folder| folder.expr);
        let environment =
            given.take("environment").map(|map| self.environment_of(map.node)).unwrap_or_default();
        let list = given.take("argumentlist").or_else(|| given.take("args"));
        let Some(file) = given
            .take("filepath")
            .or_else(|| (!given.positional.is_empty()).then(|| given.positional.remove(0)))
        else {
            return;
        };
        let list = list.or_else(|| given.positional.pop());
        let mut words = vec![Word { expr: file.expr, literal: None }];
        let elements = list.map(|list| Self::words(vec![list])).unwrap_or_default();
        for word in elements {
            match word.expr.kind {
                // One text is a command line.
                ExprKind::Text(text) if text.contains(' ') && !text.contains(['"', '\'']) => {
                    words.extend(text.split_whitespace().map(|part| Word {
                        expr: Expr { span: word.expr.span, kind: ExprKind::Text(part.to_owned().into()) },
                        literal: None,
                    }));
                }
                kind => words.push(Word { expr: Expr { kind, ..word.expr }, literal: None }),
            }
        }
        let mut steps = Vec::new();
        steps.extend(folder.map(|folder| cd(span, "cd", Some(folder))));
        self.start(CommandLine { span, environment, words, input: None }, &mut steps);
        block.push(Statement { span, kind: StatementKind::Apart(steps) });
    }

    /// `@{ X = "1" }`
    fn environment_of(&mut self, node: Node<'_>) -> Vec<SetVariable<'s>> {
        let body = child_of(innermost(node), "hash_literal_body").map(children_of).unwrap_or_default();
        let mut variables = Vec::new();
        for entry in body {
            if let [key, value] = children_of(entry)[..] {
                let name = capitals_owned(self.slice(key).trim().trim_matches(['"', '\'']));
                let value = Some(self.value(value));
                let span = self.span(entry);
                variables.push(SetVariable { name, span, value, export: Export::Yes, only_if_unset: false });
            }
        }
        variables
    }

    /// `[Environment]::SetEnvironmentVariable("X", "1")`, and calls that nothing is known of.
    pub(super) fn method(&mut self, node: Node<'_>, block: &mut Block<'s>) {
        let member = child_of(node, "member_name").map_or("", |member| self.slice(member));
        let class = child_of(node, "type_literal").map_or("", |class| self.slice(class)).to_ascii_lowercase();
        if !member.eq_ignore_ascii_case("SetEnvironmentVariable") || !class.ends_with("environment]") {
            let kind = StatementKind::Evaluate(self.value(node));
            return self.push(Statement { span: self.span(node), kind }, block);
        }
        // The third says for whom; `User` and `Machine` are for processes that start later elsewhere.
        let list =
            child_of(node, "argument_list").and_then(|list| child_of(list, "argument_expression_list"));
        let target =
            list.and_then(|list| list.named_child(2)).map(|target| self.slice(target).to_ascii_lowercase());
        if target.is_some_and(|target| !target.contains("process")) {
            return;
        }
        let mut arguments = self.call_arguments(node).into_iter();
        let (Some(name), Some(value)) = (arguments.next(), arguments.next()) else { return };
        let ExprKind::Text(name) = name.kind else { return };
        let name = capitals_owned(&name);
        let kind = match value.kind {
            ExprKind::None => StatementKind::UnsetVariable(name),
            _ => self.set(name, self.span(node), value, Export::Yes, false),
        };
        self.push(Statement { span: self.span(node), kind }, block);
    }
}

fn names_environment(arguments: &[Argument<'_, '_>]) -> bool {
    arguments.iter().any(|argument| {
        argument.env_variable().is_some()
            || argument.written.trim_end_matches(['\\', '/']).eq_ignore_ascii_case("env:")
    })
}

/// A change of the folder.
fn cd<'s>(span: crate::facts::Span, verb: &'static str, path: Option<Expr<'s>>) -> Statement<'s> {
    let mut words = vec![Expr { span, kind: ExprKind::Text(verb.into()) }];
    words.extend(path);
    Statement {
        span,
        kind: StatementKind::Command(Box::new(Command {
            environment: Vec::new(),
            words,
            snippet: None,
            script: Vec::new(),
        })),
    }
}

/// What comes through a pipe is used once by each command that reads it.
fn copy<'s>(expr: &Expr<'s>) -> Expr<'s> {
    let kind = match &expr.kind {
        ExprKind::Text(text) => ExprKind::Text(text.clone()),
        ExprKind::Int(number) => ExprKind::Int(*number),
        ExprKind::Variable(name) => ExprKind::Variable(name.clone()),
        ExprKind::Join(parts) => ExprKind::Join(parts.iter().map(copy).collect()),
        ExprKind::Sequence(parts) => ExprKind::Sequence(parts.iter().map(copy).collect()),
        _ => unknown(),
    };
    Expr { span: expr.span, kind }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::env_variable;

    #[test]
    fn paths_into_the_environment() {
        assert_eq!(env_variable("Env:\\Cuda_Visible_Devices").as_deref(), Some("CUDA_VISIBLE_DEVICES"));
        assert_eq!(env_variable("'env:X'").as_deref(), Some("X"));
        assert_eq!(env_variable("Envy:X"), None);
        assert_eq!(env_variable("é"), None);
    }
}

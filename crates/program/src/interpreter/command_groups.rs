//! Commands: the functions that `[project.scripts]` names, and programs of several, where a call of the group runs the one that the command
//! line names, as with Typer and click.

use super::branches::ArmRun;
use super::calls::Args;
use super::{Flow, Interpreter};
use crate::code::{Code, Expr, ExprKind, ImportNames, StatementKind};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{Closure, Value};

/// Objects that functions become commands of, by `@app.command()`.
const GROUPS: &[&str] = &["typer.Typer()", "cyclopts.App()", "click.Group()"];

impl<'p> Interpreter<'p> {
    /// Imports the module and calls the functions that `[project.scripts]` names in it.
    pub(super) fn run_console_scripts(&mut self) {
        for parent in self.program.modules.parents(self.entry) {
            self.enter_module(parent, Span::default());
        }
        self.run_entry_module();
        for name in self.program.console_functions(self.entry) {
            let Some(&scope) = self.modules.get(&self.entry) else { return };
            if let Some(Value::Function(closure)) = self.heap.peek(scope, &name).cloned() {
                let span = self.site_of_command(&closure, &name);
                self.here.statement = span;
                let result = self.run_function(&closure, Args::default(), span);
                self.run_paused(&result, span);
                self.flow = Flow::Next;
            }
            let commands = self.commands_in(self.entry, &name);
            if !commands.is_empty() {
                self.run_commands(commands, Span::default());
                self.flow = Flow::Next;
            }
        }
    }

    /// Where the module has a function that `[project.scripts]` names: its definition, or the import that brings it.
    fn site_of_command(&self, function: &Closure<'p>, name: &str) -> Span {
        if function.file == self.entry {
            return self.function_of(function).name_span;
        }
        let brings = |kind: &StatementKind<'p>| match kind {
            StatementKind::Import(import) => match &import.names {
                ImportNames::Names(names) => names.iter().any(|taken| taken.bound == name),
                _ => false,
            },
            _ => false,
        };
        let step = self.program.code(self.entry).body.iter().find(|step| brings(&step.kind));
        step.map_or_else(Span::default, |step| step.span)
    }

    /// The commands of what is called under a name, where that is a group of them.
    pub(super) fn commands_of(&mut self, callee: &Value<'p>, name: &'p str) -> Vec<Value<'p>> {
        /// A program calls its group at its top, or in its `main`.
        const DEPTH: usize = 1;
        match callee {
            Value::Function(closure) if !name.is_empty() && self.active.len() <= DEPTH => {
                let group = self.function_of(closure).name;
                self.commands_in(closure.file, group)
            }
            Value::Outside(path) if !name.is_empty() && GROUPS.contains(&&**self.paths.text(*path)) => {
                let here = self.here.file;
                let found = self.commands_in(here, name);
                if !found.is_empty() {
                    return found;
                }
                // `from package.cli import app`
                let program = self.program;
                let from = program.code(here).body.iter().find_map(|step| {
                    let StatementKind::Import(import) = &step.kind else { return None };
                    let ImportNames::Names(names) = &import.names else { return None };
                    let taken = names.iter().find(|taken| taken.bound == name)?;
                    Some((program.module_behind(here, import, None)?, taken.name))
                });
                from.map_or_else(Vec::new, |(file, name)| self.commands_in(file, name))
            }
            _ => Vec::new(),
        }
    }

    /// The functions that a module makes commands of a group.
    fn commands_in(&mut self, file: FileId, group: &str) -> Vec<Value<'p>> {
        let program = self.program;
        let table =
            self.commands.entry(file).or_insert_with(|| commands_of_groups(program.code(file)).into());
        let names: Vec<_> = table.iter().filter(|(of, _)| *of == group).map(|(_, name)| *name).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let Some(scope) = self.entered(file) else { return Vec::new() };
        let values = names.into_iter().filter_map(|name| self.heap.get(scope, name).cloned());
        values.filter(|value| matches!(value, Value::Function(_))).collect()
    }

    /// Runs the command of a group, whichever it is.
    pub(super) fn run_commands(&mut self, commands: Vec<Value<'p>>, span: Span) {
        let run = |run: &mut Self, command: Value<'p>| {
            let result = run.call(command, Args { items: Vec::new(), open: true }, span);
            run.run_paused(&result, span);
        };
        match <[Value<'p>; 1]>::try_from(commands) {
            Ok([command]) => run(self, command),
            Err(commands) => {
                let arms = commands.into_iter().map(|command| -> ArmRun<'_, 'p> {
                    Box::new(move |interpreter| run(interpreter, command))
                });
                self.exec_branches(arms.collect());
            }
        }
    }
}

/// The groups of a module and the names of their commands: functions with `@group.command`, with arguments or without, and those of
/// `group.add_command(function)`.
fn commands_of_groups<'p>(code: &'p Code<'p>) -> Vec<(&'p str, &'p str)> {
    let group_of = |decorator: &Expr<'p>| {
        let made_by = match &decorator.kind {
            ExprKind::Call(call) => &call.callee,
            _ => decorator,
        };
        match &made_by.kind {
            ExprKind::Attribute(object, "command" | "callback") => match object.kind {
                ExprKind::Name(group) => Some(group),
                _ => None,
            },
            _ => None,
        }
    };
    let defined = code.body.iter().flat_map(|step| match &step.kind {
        StatementKind::Define { function, decorators, .. } => {
            let name = code.functions[*function].name;
            decorators.iter().filter_map(group_of).map(|group| (group, name)).collect()
        }
        StatementKind::Evaluate(expr) => added_to_group(expr).into_iter().collect(),
        _ => Vec::new(),
    });
    defined.collect()
}

/// The group and the function of `group.add_command(function)`.
fn added_to_group<'p>(expr: &Expr<'p>) -> Option<(&'p str, &'p str)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let ExprKind::Attribute(group, "add_command") = &call.callee.kind else { return None };
    match (&group.kind, &call.arguments.first()?.value.kind) {
        (ExprKind::Name(group), ExprKind::Name(function)) => Some((group, function)),
        _ => None,
    }
}

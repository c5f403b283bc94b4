//! Code that stands in a file beside the name of its interpreter: each kind goes to the front-end of its language.

use super::command_lines::{Literal, add_snippet};
use super::shell::{self, Script};
use super::{batch, powershell};
use crate::code::{Code, Command, Expr, ExprKind, Statement, StatementKind};
use crate::sources::Source;

/// What runs a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpreter {
    /// sh, bash and their relatives.
    Posix,
    PowerShell,
    /// `cmd` of Windows.
    Batch,
    Python,
    /// One that is not followed.
    Other,
}

impl Interpreter {
    /// By what a file says of it: `bash`, `bash -el {0}`, `/bin/sh`.
    pub fn named(command: &str) -> Interpreter {
        let program = command.split_whitespace().next().unwrap_or_default();
        match crate::commands::program_name(program) {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => Interpreter::Posix,
            "pwsh" | "powershell" => Interpreter::PowerShell,
            "cmd" => Interpreter::Batch,
            name if crate::commands::is_interpreter(name) => Interpreter::Python,
            _ => Interpreter::Other,
        }
    }
}

/// Lowers code for an interpreter.
pub fn lower<'s>(
    interpreter: Interpreter,
    script: &Literal<'s>,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Script<'s> {
    match interpreter {
        Interpreter::Posix => shell::lower_part(script.text, &script.origin, source, code),
        Interpreter::Python => {
            let Some(snippet) = add_snippet(script, code) else { return Script::default() };
            let span = code.snippets[snippet].span;
            let words = vec![Expr { span, kind: ExprKind::Text("python".into()) }];
            let command =
                Command { environment: Vec::new(), words, snippet: Some(snippet), script: Vec::new() };
            let steps = vec![Statement { span, kind: StatementKind::Command(Box::new(command)) }];
            Script { steps, for_later_steps: Vec::new() }
        }
        Interpreter::PowerShell => powershell::lower_part(script.text, &script.origin, source, code),
        Interpreter::Batch => batch::lower_part(script.text, &script.origin, source, code),
        Interpreter::Other => Script::default(),
    }
}

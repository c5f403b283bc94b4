//! Variables that are exported in a shell which ends at once: `os.system("export X=1")`, `!export X=1`.

use crate::code::walk::{Part, walk};
use crate::code::{Block, Call, Expr, ExprKind, Operator, StepKind};
use crate::facts::Span;
use crate::program::is_gpu_variable;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::{Language, file_name_of};

/// Commands that use no variable of the GPU.
const IDLE: &[&str] = &["echo", "cd", "true", ":", "printenv", "pwd", "unset", "ulimit", "sleep", "env"];

/// Whether a part of a file is a line of a shell that may set a variable.
pub(in crate::rules) fn may_start(part: Part<'_, '_>) -> bool {
    match part {
        Part::Expr(Expr { kind: ExprKind::Text(text), .. }) => {
            ["export ", "setenv ", "set ", "DEVICES="].iter().any(|word| text.contains(word))
        }
        Part::Step(step) => matches!(step.kind, StepKind::Apart(_) | StepKind::Child(_)),
        _ => false,
    }
}

/// GPU variables that a shell sets and takes with it when it ends.
pub(super) fn that_take_variables_along(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| match part {
        Part::Expr(expr) => {
            let ExprKind::Call(call) = &expr.kind else { return };
            let Some(line) = command_line(scope, call) else { return };
            if let Some(variable) = lost_in(&line) {
                found.push(RawFinding::at(scope.place(expr.span)).word("variable", variable));
            }
        }
        // Lines with `!` and cells with `%%bash`.
        Part::Step(step) if scope.language() == Language::Notebook => {
            if let StepKind::Apart(block) | StepKind::Child(block) = &step.kind {
                let lost = lost_in_block(block).into_iter();
                found.extend(lost.map(|(name, at)| RawFinding::at(scope.place(at)).word("variable", name)));
            }
        }
        _ => {}
    });
    found
}

/// What a call hands to a shell, with a `0` for each part that is not known.
fn command_line(scope: &FileScope<'_>, call: &Call<'_>) -> Option<String> {
    let first = || argument(&call.arguments, Some(0), None);
    // `c.run("…")` of Invoke and Fabric.
    let is_run = matches!(call.callee.kind, ExprKind::Attribute(_, "run" | "sudo" | "local"));
    let Some(path) = scope.names.path(&call.callee) else {
        return first().filter(|_| is_run).and_then(|line| text_of(scope, line));
    };
    match path {
        "os.system"
        | "os.popen"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "builtins.get_ipython().system"
        | "IPython.get_ipython().system" => text_of(scope, first()?),
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen" => {
            let shell = argument(&call.arguments, None, Some("shell"));
            let given = argument(&call.arguments, Some(0), Some("args"))?;
            if shell.is_some_and(|shell| matches!(shell.kind, ExprKind::Bool(true))) {
                return text_of(scope, given);
            }
            let ExprKind::Sequence(words) = &scope.names.meant(given).kind else { return None };
            let words: Vec<String> = words.iter().map_while(|word| text_of(scope, word)).collect();
            let [shell, option, line] = &words[..] else { return None };
            let is_shell = ["sh", "bash", "zsh"].contains(&file_name_of(shell));
            (is_shell && option.ends_with('c')).then(|| line.clone())
        }
        _ => None,
    }
}

fn text_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<String> {
    let unknown = || "0".to_owned();
    match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        ExprKind::Join(parts) => {
            Some(parts.iter().map(|part| text_of(scope, part).unwrap_or_else(unknown)).collect())
        }
        ExprKind::Binary(Operator::Add, sides) => {
            Some(text_of(scope, &sides.0)? + &text_of(scope, &sides.1).unwrap_or_else(unknown))
        }
        ExprKind::Binary(Operator::Remainder, sides) => text_of(scope, &sides.0),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(text, "format") => text_of(scope, text),
            _ => None,
        },
        _ => None,
    }
}

/// The first GPU variable that a command line sets and that nothing behind it gets.
fn lost_in(line: &str) -> Option<String> {
    let mut lost = None;
    for statement in statements(line) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let Some((first, rest)) = words.split_first() else { continue };
        let set = match *first {
            "export" | "set" => set_by(rest),
            "declare" | "typeset" if rest.first() == Some(&"-x") => set_by(&rest[1..]),
            "setenv" => rest.first().map(|name| (*name).to_owned()),
            _ if words.iter().all(|word| is_assignment(word)) => set_by(&words),
            idle if IDLE.contains(&idle) => continue,
            _ => {
                lost = None;
                continue;
            }
        };
        lost = lost.or(set.filter(|name| is_gpu_variable(name)));
    }
    lost
}

/// The first GPU variable among words such as `X=1`.
fn set_by(words: &[&str]) -> Option<String> {
    let mut names = words.iter().filter(|word| is_assignment(word)).filter_map(|word| word.split('=').next());
    names.find(|name| is_gpu_variable(name)).map(str::to_owned)
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The statements of a command line, apart from what stands between quotes.
fn statements(line: &str) -> Vec<&str> {
    let (mut found, mut start, mut quote) = (Vec::new(), 0, None);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ';' | '\n' | '&' | '|') => {
                found.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&line[start..]);
    found
}

/// The GPU variables that steps of a shell set and that no program behind them gets.
fn lost_in_block<'c>(block: &'c Block<'_>) -> Vec<(&'c str, Span)> {
    let mut lost = Vec::new();
    for step in block {
        match &step.kind {
            StepKind::SetVariable(set) => {
                let again = lost
                    .last()
                    .is_some_and(|(_, before): &(&str, Span)| set.span.start.saturating_sub(before.end) <= 1);
                // Several variables of one `export` are one fault.
                if is_gpu_variable(&set.name) && !again {
                    lost.push((&*set.name, set.span));
                }
            }
            StepKind::Command(command) => {
                let first = command.words.first().map(|word| &word.kind);
                let is_idle = matches!(first, Some(ExprKind::Text(word)) if IDLE.contains(&&**word));
                if !is_idle {
                    lost.clear();
                }
            }
            StepKind::UnsetVariable(_) | StepKind::ExportAll(_) => {}
            _ => lost.clear(),
        }
    }
    lost
}

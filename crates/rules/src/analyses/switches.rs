//! Options of a command line that turn a GPU on or off, and that any text turns on: `type=bool`.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Words of which one is a part of the option's name.
const SUBJECTS: &[&str] = &["gpu", "gpus", "cuda", "cpu", "multigpu"];

/// `parser.add_argument("--use_gpu", type=bool, default=True)`
pub(super) fn that_any_text_turns_on(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    // `parser.register("type", bool, read_switch)`, and a parser that reads a bool as people mean it.
    if text.contains(".register(") || text.contains("jsonargparse") {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some(flag) = switch(call) else { return };
        let Some(kind) = argument(&call.arguments, None, Some("type")) else { return };
        if scope.names.path(kind) != Some("builtins.bool") {
            return;
        }
        let default =
            argument(&call.arguments, None, Some("default")).map(|one| &scope.names.meant(one).kind);
        let raw_finding = RawFinding::at(scope.place(kind.span)).word("name", flag);
        // Without a default that is on, the option has a use: `--use_gpu True`.
        let is_on = matches!(default, Some(ExprKind::Bool(true) | ExprKind::Int(1)));
        found.push(match is_on || is_told_off(scope, flag) {
            true => raw_finding,
            false => raw_finding.at_most(Severity::Note),
        });
    });
    found
}

/// The flag of an option that is named after a GPU: `--use_gpu`.
fn switch<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    let ExprKind::Attribute(_, "add_argument") = &call.callee.kind else { return None };
    let mut flags = call.arguments.iter().filter(|one| one.name.is_none() && !one.unpacked);
    flags.find_map(|one| match &one.value.kind {
        ExprKind::Text(flag) if flag.starts_with("--") => {
            let mut parts = flag.split(['-', '_']);
            parts.any(|part| SUBJECTS.contains(&part.to_ascii_lowercase().as_str())).then_some(flag.as_ref())
        }
        _ => None,
    })
}

/// Whether a file of the project says `--use_gpu False`.
fn is_told_off(scope: &FileScope<'_>, flag: &str) -> bool {
    let told = ["False", "false", "0", "no"].map(|word| [format!("{flag} {word}"), format!("{flag}={word}")]);
    told.iter()
        .flatten()
        .any(|words| scope.program.every_file().any(|(_, file)| file.text.contains(words.as_str())))
}

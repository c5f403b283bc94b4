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
        ExprKind::Text(flag) if is_long(flag) => {
            let mut parts = flag.split(['-', '_']);
            parts.any(|part| SUBJECTS.contains(&part.to_ascii_lowercase().as_str())).then_some(flag.as_ref())
        }
        _ => None,
    })
}

/// `--use_gpu`, or `-gpu`.
fn is_long(flag: &str) -> bool {
    flag.starts_with('-') && flag.len() > 2
}

/// Whether a file of the project says `--use_gpu False`.
fn is_told_off(scope: &FileScope<'_>, flag: &str) -> bool {
    let told = ["False", "false", "0", "no"].map(|word| [format!("{flag} {word}"), format!("{flag}={word}")]);
    told.iter()
        .flatten()
        .any(|words| scope.program.every_file().any(|(_, file)| file.text.contains(words.as_str())))
}

/// Words of a name that say that the option turns something off.
const NEGATIONS: &[&str] =
    &["no", "non", "not", "off", "disable", "disabled", "without", "skip", "ignore", "cpu", "avoid", "un"];

/// Words that may stand beside the GPU in the name of an option that turns it on.
const USES: &[&str] = &["use", "using", "with", "enable", "on", "is", "run", "flag", "multi", "available"];

/// `parser.add_argument("--cuda", action="store_false")`
pub(super) fn that_turn_it_off(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some(flag) = switch(call) else { return };
        let Some(action) = argument(&call.arguments, None, Some("action")) else { return };
        let is_given = |name: &str| argument(&call.arguments, None, Some(name)).map(|one| &one.kind);
        let is_off = matches!(&action.kind, ExprKind::Text(text) if text == "store_false");
        // `dest="no_cuda"` is another thing, and a default that is off leaves nothing to turn off.
        let positive =
            |text: &str| text.split(['-', '_']).all(|word| is_positive(&word.to_ascii_lowercase()));
        let dest = match is_given("dest") {
            Some(ExprKind::Text(dest)) => positive(dest),
            Some(_) => false,
            None => true,
        };
        if is_off && dest && positive(flag) && !matches!(is_given("default"), Some(ExprKind::Bool(false))) {
            let mut words = flag.split(['-', '_']);
            let subject = words.find(|word| is_subject(word)).unwrap_or_default();
            let raw_finding = RawFinding::at(scope.place(action.span)).word("name", flag);
            found.push(raw_finding.word("word", subject));
        }
    });
    found
}

fn is_subject(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    SUBJECTS.contains(&word.as_str()) && !NEGATIONS.contains(&word.as_str())
}

/// Whether a word of a name leaves the option one that speaks of using a GPU.
fn is_positive(word: &str) -> bool {
    word.is_empty() || is_subject(word) || USES.contains(&word)
}

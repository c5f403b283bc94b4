//! Numbers of GPUs that a command line gives as text, and torch takes for the name of a device.

use super::memory::method_of;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::{FileId, Place};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Calls that take a number, or the name of a device.
const TAKING: &[&str] = &["torch.cuda.device", "torch.cuda.set_device", "torch.device"];

/// Words of an option that is given a number.
const NUMBERED: &[&str] = &["gpu", "gpuid", "cuda"];

/// `torch.cuda.set_device(args.gpu)`, where `--gpu` has no `type`.
pub(super) fn given_as_devices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut taken = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        let takes = scope.names.path(&call.callee).is_some_and(|path| TAKING.contains(&path))
            || method_of(expr).is_some_and(|(_, name, _)| matches!(name, "cuda" | "to"));
        let Some(first) = call.arguments.first().filter(|one| takes && one.name.is_none()) else { return };
        if let ExprKind::Attribute(object, option) = &first.value.kind
            && matches!(
                object.kind,
                ExprKind::Name("args" | "opt" | "opts" | "options" | "config" | "cfg" | "flags")
            )
            && is_numbered(option)
        {
            taken.push((first.value.span, *option, scope.text(call.callee.span)));
        }
    });
    let mut found: Vec<RawFinding> = Vec::new();
    for (span, option, callee) in taken {
        let Some(place) = option_of_text(scope, option) else { continue };
        // One of them says it.
        if found.iter().any(|known| known.words.iter().any(|(_, word)| word == option)) {
            continue;
        }
        let raw_finding = RawFinding::at(scope.place(span)).word("option", option);
        let callee = callee.rsplit('.').next().unwrap_or(callee);
        found.push(raw_finding.word("callee", callee).beside(place, "the option is a text here"));
    }
    found
}

fn is_numbered(option: &str) -> bool {
    let mut parts = option.split('_');
    parts.any(|part| NUMBERED.contains(&part)) && !option.contains("use") && !option.ends_with('s')
}

/// The one place where the project declares an option of this name, when it gives a text and nobody makes a number of it.
fn option_of_text(scope: &FileScope<'_>, option: &str) -> Option<Place> {
    let flags = [format!("--{option}"), format!("--{}", option.replace('_', "-"))];
    let mut declared: Option<(Place, bool)> = None;
    for (file, source) in scope.program.every_file() {
        if !source.is_python() {
            continue;
        }
        let converts = |sign: &str| source.text.contains(&format!(".{option}{sign}"));
        if converts(" = ") && !converts(" == ") || converts("=") && !converts("==") {
            return None;
        }
        if !source.text.contains("add_argument")
            || !flags.iter().any(|flag| source.text.contains(flag.as_str()))
        {
            continue;
        }
        for (span, is_text) in declarations(scope, file, &flags) {
            if declared.is_some() {
                return None;
            }
            declared = Some((Place { file, span }, is_text));
        }
    }
    declared.and_then(|(place, is_text)| is_text.then_some(place))
}

/// The declarations of an option in a file, and whether each gives a text where somebody names a number.
fn declarations(scope: &FileScope<'_>, file: FileId, flags: &[String]) -> Vec<(crate::facts::Span, bool)> {
    let mut found = Vec::new();
    walk(scope.program.code(file), &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_flag = |one: &Expr<'_>| matches!(&one.kind, ExprKind::Text(text) if flags.iter().any(|flag| **flag == **text));
        let is_declared = matches!(&call.callee.kind, ExprKind::Attribute(_, "add_argument"))
            && call.arguments.iter().any(|one| one.name.is_none() && is_flag(&one.value));
        if is_declared {
            found.push((expr.span, gives_text(call)));
        }
    });
    found
}

/// Whether `add_argument` gives a text that is meant to be a number.
fn gives_text(call: &Call<'_>) -> bool {
    let given = |name: &str| argument(&call.arguments, None, Some(name));
    let others = ["action", "choices", "nargs", "dest"];
    if others.iter().any(|name| given(name).is_some()) || call.arguments.iter().any(|one| one.unpacked) {
        return false;
    }
    let is_text = match given("type").map(|kind| &kind.kind) {
        None | Some(ExprKind::Name("str")) => true,
        Some(ExprKind::Outside(name)) => name == "builtins.str",
        _ => false,
    };
    let is_number = match given("default").map(|default| &default.kind) {
        None | Some(ExprKind::None | ExprKind::Int(_)) => true,
        Some(ExprKind::Text(text)) => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    is_text && is_number
}

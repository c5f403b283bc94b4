//! Names of devices that are compared as a whole: `cuda:1` is a GPU too.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Comparison, Expr, ExprKind, Function, Target};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::file_name_of;

/// What holds the options of a command line.
const OPTIONS: &[&str] =
    &["args", "arguments", "config", "flags", "opt", "options", "opts", "parsed", "FLAGS"];

/// What takes a name of a device apart, or says that no other will do.
const TAKEN_APART: &[&str] = &[
    "startswith(",
    ".type",
    "split(",
    "torch.device(device",
    "torch.device(args.device",
    "raise ",
    "assert ",
];

/// `args.device == "cuda"` of an option that takes any text, and `device == "cuda"` of a parameter that is `"cuda"` by default; also
/// `{"cpu": …, "cuda": …}[args.device]`.
pub(super) fn as_a_whole(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let name = file_name_of(scope.program.name_of(scope.file));
    if name.starts_with("test_") || name.ends_with("_test.py") {
        return Vec::new();
    }
    let by_option = takes_any_device(scope);
    let mut found: Vec<(Option<usize>, RawFinding)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let (device, is_key) = match &expr.kind {
            ExprKind::Compare(Comparison::Equal, pair) if is_cuda(&pair.1, scope) => (&pair.0, false),
            ExprKind::Item(pair) if tells_cuda(&pair.0, scope) => (&pair.1, true),
            _ => return,
        };
        let function = around.iter().rev().find_map(|one| match one {
            Ancestor::Function(number) => Some(*number),
            _ => None,
        });
        let chosen = match &device.kind {
            ExprKind::Attribute(holder, "device") => {
                by_option && matches!(holder.kind, ExprKind::Name(name) if OPTIONS.contains(&name))
            }
            ExprKind::Name("device") => {
                function.is_some_and(|number| is_cuda_by_default(&scope.code.functions[number], scope))
            }
            _ => false,
        };
        let around_it =
            function.map_or(scope.whole_text(), |number| scope.text(scope.code.functions[number].span));
        let is_apart = || {
            let of_device = |line: &&str| line.contains("device");
            around_it.lines().filter(of_device).any(|line| TAKEN_APART.iter().any(|word| line.contains(word)))
        };
        if !chosen || found.iter().any(|(known, _)| *known == function) || is_apart() {
            return;
        }
        let shown = scope.text(device.span);
        let end = match is_key {
            true => "there is no such key for `cuda:1`",
            false => "it is false for `cuda:1`, which takes the other way",
        };
        let raw_finding = RawFinding::at(scope.place(expr.span)).word("text", scope.text(expr.span));
        found.push((function, raw_finding.word("device", shown).word("end", end)));
    });
    found.into_iter().map(|(_, raw_finding)| raw_finding).collect()
}

fn is_cuda(expr: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text == "cuda")
}

/// Whether a dictionary has a key for the GPU, and none for one of several.
fn tells_cuda(expr: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    let ExprKind::Mapping(pairs) = &scope.names.meant(expr).kind else { return false };
    let has = |wanted: &str| {
        pairs.iter().any(|(key, _)| {
            key.as_ref().is_some_and(|key| matches!(&key.kind, ExprKind::Text(text) if text == wanted))
        })
    };
    has("cuda") && has("cpu") && !has("cuda:0")
}

/// Whether a parameter `device` is the text `"cuda"` by default, and the function gives it no other value.
fn is_cuda_by_default(function: &Function<'_>, scope: &FileScope<'_>) -> bool {
    let given = function.parameters.iter().find(|one| one.name == "device");
    let is_text = given.and_then(|one| one.default.as_ref()).is_some_and(|default| is_cuda(default, scope));
    let mut is_set = false;
    walk(scope.code, &mut |part, around| {
        if let CodeNode::Target(Target::Name("device", span)) = part {
            is_set |= function.span.holds(*span) && !around.is_empty();
        }
    });
    is_text && !is_set
}

/// Whether the command line has an option `--device` for any text, and nothing but the command line decides what it is.
fn takes_any_device(scope: &FileScope<'_>) -> bool {
    let (mut takes, mut is_set) = (false, false);
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let is_option = matches!(call.callee.kind, ExprKind::Attribute(_, "add_argument"))
                && call
                    .arguments
                    .iter()
                    .any(|one| matches!(&one.value.kind, ExprKind::Text(text) if text == "--device"));
            let limits = ["choices", "action", "const"];
            let is_limited =
                || limits.iter().any(|word| argument(&call.arguments, None, Some(word)).is_some());
            let is_text = || {
                argument(&call.arguments, None, Some("type"))
                    .is_none_or(|kind| matches!(kind.kind, ExprKind::Name("str")))
            };
            takes |= is_option && !is_limited() && is_text();
        }
        CodeNode::Target(Target::Attribute(_, "device")) => is_set = true,
        _ => {}
    });
    takes && !is_set
}

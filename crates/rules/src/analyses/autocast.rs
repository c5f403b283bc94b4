//! Autocast: which number formats it computes in.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Argument, Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::{argument, expects_failure};

/// The calls, with the kind of device when the name says it and the position of `dtype`.
const AUTOCASTS: &[(&str, Option<&str>, usize)] = &[
    ("torch.amp.autocast", None, 1),
    ("torch.amp.autocast_mode.autocast", None, 1),
    ("torch.autocast", None, 1),
    ("torch.cpu.amp.autocast", Some("cpu"), 1),
    ("torch.cuda.amp.autocast", Some("cuda"), 1),
    ("torch.cuda.amp.autocast_mode.autocast", Some("cuda"), 1),
];

/// What it computes in, with the other names of the same.
const SUPPORTED: &[&str] = &["torch.float16", "torch.half", "torch.bfloat16"];

/// What CUDA computes in as well: full precision, which ends an autocast around it, and twice that.
const OF_CUDA: &[&str] = &["torch.float32", "torch.float", "torch.float64", "torch.double"];

/// Calls with a format that autocast does not compute in.
pub(super) fn with_other_dtypes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some(path) = scope.names.path(&call.callee) else { return };
        let Some((_, device, at)) = AUTOCASTS.iter().find(|(name, ..)| *name == path) else { return };
        let Some(dtype) = argument(&call.arguments, Some(*at), Some("dtype")) else { return };
        let off = argument(&call.arguments, None, Some("enabled"))
            .is_some_and(|enabled| matches!(scope.names.meant(enabled).kind, ExprKind::Bool(false)));
        if off || around.iter().any(|one| expects_failure(one, scope)) {
            return;
        }
        let device = device.or_else(|| named_device(&call.arguments, scope));
        let on_cpu = device.is_some_and(|name| name.starts_with("cpu"));
        let (formats, sure) = formats_of(dtype, scope);
        let is_wrong = |(name, is_text): &(String, bool)| is_unsupported(name, *is_text, on_cpu);
        let Some((name, _)) = formats.into_iter().find(is_wrong) else { return };
        let what = match on_cpu {
            true => "on the CPU it warns and switches itself off",
            false => "it is accepted, and operations fail later",
        };
        let raw_finding = RawFinding::at(scope.place(dtype.span)).word("name", name).word("what", what);
        found.push(if sure { raw_finding } else { raw_finding.unsure() });
    });
    found
}

/// Whether something is wrong with a format.
fn is_unsupported(name: &str, is_text: bool, on_cpu: bool) -> bool {
    // What CUDA makes of a text was not seen.
    if is_text {
        return on_cpu;
    }
    let Some(format) = name.strip_prefix("torch.") else { return false };
    let is_format = ["float", "int", "uint", "bool", "complex", "double", "half", "bfloat", "long", "short"]
        .iter()
        .any(|start| format.starts_with(start));
    let is_supported = SUPPORTED.contains(&name) || !on_cpu && OF_CUDA.contains(&name);
    is_format && !is_supported && !format.contains(['.', '('])
}

/// The formats that an expression may stand for, whether each is a text, and whether it is one for certain.
fn formats_of(expr: &Expr<'_>, scope: &FileScope<'_>) -> (Vec<(String, bool)>, bool) {
    match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => (vec![(text.to_string(), true)], true),
        ExprKind::Choice(parts) => {
            let mut formats = formats_of(&parts.1, scope).0;
            formats.extend(formats_of(&parts.2, scope).0);
            (formats, false)
        }
        _ => (scope.names.path(expr).map(|path| (path.to_owned(), false)).into_iter().collect(), true),
    }
}

fn named_device<'a>(arguments: &'a [Argument<'a>], scope: &'a FileScope<'a>) -> Option<&'a str> {
    let device = argument(arguments, Some(0), Some("device_type"))?;
    match &scope.names.meant(device).kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

//! Autocast: which number formats it computes in.

use crate::code::walk::{Part, walk};
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

/// Formats that it accepts for CUDA and that cost nothing but what it is for.
const FULL: &[&str] = &["torch.float32", "torch.float"];

/// Calls with a format that autocast does not compute in.
pub(super) fn with_other_dtypes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let Part::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
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
        let Some((name, kind)) = formats.into_iter().find_map(|(name, is_text)| {
            let kind = kind_of(&name, is_text, on_cpu)?;
            // Code for any device writes float32 to end an autocast around it, which it does; a choice of formats has it
            // as the one that is none.
            (device.is_some() && sure || !matches!(kind, Kind::Full)).then_some((name, kind))
        }) else {
            return;
        };
        let what = match (kind, on_cpu) {
            (_, true) => "on the CPU it warns and switches itself off",
            (Kind::Full, _) => "in full precision it changes nothing",
            (Kind::Other, _) => "it is accepted, and operations fail later",
        };
        let raw_finding = RawFinding::at(scope.place(dtype.span)).word("name", name).word("what", what);
        found.push(if sure { raw_finding } else { raw_finding.unsure() });
    });
    found
}

#[derive(Clone, Copy)]
enum Kind {
    /// Accepted, and as if there were no autocast.
    Full,
    /// It fails, or is switched off.
    Other,
}

/// What is wrong with a format, when something is.
fn kind_of(name: &str, is_text: bool, on_cpu: bool) -> Option<Kind> {
    // What CUDA makes of a text was not seen.
    if is_text {
        return on_cpu.then_some(Kind::Other);
    }
    let format = name.strip_prefix("torch.")?;
    let is_format = ["float", "int", "uint", "bool", "complex", "double", "half", "bfloat", "long", "short"]
        .iter()
        .any(|start| format.starts_with(start));
    if !is_format || SUPPORTED.contains(&name) || format.contains(['.', '(']) {
        return None;
    }
    Some(if FULL.contains(&name) { Kind::Full } else { Kind::Other })
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

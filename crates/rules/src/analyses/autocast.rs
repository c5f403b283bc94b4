//! Autocast: which number formats it computes in.

use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Argument, Expr, ExprKind, Function, StatementKind};
use crate::facts::{FileId, Place};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::{argument, expects_failure};
use rustc_hash::FxHashSet;

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

/// What torch has, and autocast computes in none of it.
const OTHERS: &[&str] = &[
    "bool",
    "cdouble",
    "cfloat",
    "chalf",
    "complex128",
    "complex32",
    "complex64",
    "double",
    "float",
    "float32",
    "float4_e2m1fn_x2",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "long",
    "short",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
];

/// Calls with a format that autocast does not compute in.
pub(super) fn with_other_dtypes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, around| {
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
        let what = match () {
            () if is_misspelt(&name) => "torch has no format of this name, and raises an AttributeError",
            () if on_cpu => "on the CPU it warns and switches itself off",
            // What is computed in there is computed in the format of the inner one.
            () if has_another_inside(scope, around) => return,
            () => "it is accepted, and operations fail later",
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
    let is_supported = SUPPORTED.contains(&name) || !on_cpu && OF_CUDA.contains(&name);
    !is_supported && (OTHERS.contains(&format) || is_misspelt(name))
}

/// `torch.float8e4m3fn`
fn is_misspelt(name: &str) -> bool {
    let plain = |name: &str| name.replace('_', "");
    let Some(format) = name.strip_prefix("torch.").filter(|format| !OTHERS.contains(format)) else {
        return false;
    };
    OTHERS.iter().any(|known| known.contains('_') && plain(known) == plain(format))
}

/// Whether a block with this item in its `with` has another autocast inside, itself or in a function that it calls by name.
fn has_another_inside(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    let step = around.iter().rev().find_map(|one| match one {
        Ancestor::WithItem(step) => Some(*step),
        _ => None,
    });
    let Some(StatementKind::With { body, .. }) = step.map(|step| &step.kind) else { return false };
    let (mut called, mut is_inside) = (FxHashSet::default(), false);
    walk_block(scope.code, body, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        is_inside |= scope.names.path(&call.callee).is_some_and(is_autocast);
        if let ExprKind::Name(name) | ExprKind::Attribute(_, name) = &call.callee.kind {
            called.insert(*name);
        }
    });
    let has_one = |file: FileId, function: &Function<'_>| {
        scope.program.text(Place { file, span: function.span }).contains(AUTOCAST)
    };
    is_inside
        || scope.program.files_with(AUTOCAST).iter().any(|&file| {
            let functions = &scope.program.code(file).functions;
            functions.iter().any(|function| called.contains(function.name) && has_one(file, function))
        })
}

fn is_autocast(path: &str) -> bool {
    AUTOCASTS.iter().any(|(name, ..)| *name == path)
}

/// How a block with autocast begins.
const AUTOCAST: &str = "autocast(";

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

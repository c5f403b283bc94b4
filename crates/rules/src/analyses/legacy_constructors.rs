//! Constructors of tensors from before torch 0.4, which take no other device than their own.

use crate::code::ExprKind;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// The constructors, each with the type that `torch.tensor` is given in their place.
const CONSTRUCTORS: &[(&str, &str)] = &[
    ("torch.BFloat16Tensor", "torch.bfloat16"),
    ("torch.BoolTensor", "torch.bool"),
    ("torch.ByteTensor", "torch.uint8"),
    ("torch.CharTensor", "torch.int8"),
    ("torch.DoubleTensor", "torch.float64"),
    ("torch.FloatTensor", "torch.float32"),
    ("torch.HalfTensor", "torch.float16"),
    ("torch.IntTensor", "torch.int32"),
    ("torch.LongTensor", "torch.int64"),
    ("torch.ShortTensor", "torch.int16"),
    (ANY, "torch.float32"),
];

/// This one makes tensors of the type that is the default, which may be one of a GPU.
const ANY: &str = "torch.Tensor";

/// `torch.FloatTensor(values, device=device)`
pub(super) fn with_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        let Some(path) = scope.names.path(&call.callee) else { return };
        let Some((name, kind)) = CONSTRUCTORS.iter().find(|(name, _)| *name == path) else { return };
        let Some(device) = argument(&call.arguments, None, Some("device")) else { return };
        let is_cpu = match &scope.names.meant(device).kind {
            ExprKind::Text(text) => text == "cpu",
            ExprKind::None => true,
            ExprKind::Call(made) => {
                let first = made.arguments.first().map(|first| &first.value.kind);
                matches!(first, Some(ExprKind::Text(text)) if text == "cpu")
            }
            _ => false,
        };
        let follows_default = *name == ANY && scope.program.has_any(&["set_default_tensor_type"]);
        if !is_cpu && !follows_default {
            let raw_finding = RawFinding::at(scope.place(expr.span)).word("name", *name);
            found.push(raw_finding.word("kind", *kind));
        }
    });
    found
}

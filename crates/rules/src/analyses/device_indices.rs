//! The number by which code names a GPU, in the words of each library.

use crate::code::{Call, Expr, ExprKind, Operator};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// Calls that take an index of CUDA, with where it stands.
pub(super) const TAKERS: &[(&str, usize, &str)] = &[
    ("ctranslate2.Generator", 2, "device_index"),
    ("ctranslate2.Translator", 2, "device_index"),
    ("cupy.cuda.Device", 0, "device"),
    ("faster_whisper.WhisperModel", 2, "device_index"),
    ("mxnet.context.gpu", 0, "device_id"),
    ("mxnet.gpu", 0, "device_id"),
    ("numba.cuda.select_device", 0, "device_id"),
    ("paddle.CUDAPlace", 0, "id"),
    ("paddle.fluid.CUDAPlace", 0, "id"),
    ("pycuda.driver.Device", 0, "device"),
    ("torch.accelerator.set_device_index", 0, "device"),
    ("torch.cuda.device", 0, "device"),
    ("torch.cuda.set_device", 0, "device"),
    ("torch.device", 1, "index"),
    ("transformers.pipeline", 11, "device"),
];

/// What stands before the number in the names of devices: of torch, of Paddle and of TensorFlow.
const KINDS: &[&str] = &["cuda:", "gpu:", "/gpu:", "/device:gpu:"];

/// Calls that list the GPUs of a process.
const LISTS: &[&str] = &[
    "jax.devices()",
    "jax.local_devices()",
    "tensorflow.config.experimental.list_physical_devices()",
    "tensorflow.config.list_physical_devices()",
];

/// The expression that says which GPU is meant, in one that names a device.
pub(super) fn index_in<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    match &expr.kind {
        // `f"cuda:{n}"`
        ExprKind::Join(parts) => match &parts[..] {
            [kind, index] if is_kind(kind) => Some(index),
            _ => None,
        },
        // `"cuda:" + str(n)`
        ExprKind::Binary(Operator::Add, sides) if is_kind(&sides.0) => Some(&sides.1),
        // `"cuda:%d" % n`
        ExprKind::Binary(Operator::Remainder, sides) => begins(&sides.0, "%").then_some(&sides.1),
        ExprKind::Call(call) => index_given(scope, call),
        _ => None,
    }
}

fn is_kind(expr: &Expr<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Text(text) if KINDS.contains(&&*text.to_ascii_lowercase()))
}

/// Whether a text is the name of a device with a place for its number.
fn begins(expr: &Expr<'_>, place: &str) -> bool {
    let ExprKind::Text(text) = &expr.kind else { return false };
    let text = text.to_ascii_lowercase();
    KINDS.iter().any(|kind| text.strip_prefix(kind).is_some_and(|rest| rest.starts_with(place)))
}

/// The index that a call takes.
fn index_given<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c Expr<'c>> {
    if let ExprKind::Attribute(object, method) = &call.callee.kind {
        let is_index = |one: &&Expr<'_>| !matches!(one.kind, ExprKind::Text(_));
        match *method {
            "format" if begins(object, "{") => return argument(&call.arguments, Some(0), None),
            "cuda" => return argument(&call.arguments, Some(0), Some("device")).filter(is_index),
            _ => {}
        }
    }
    let path = scope.names.path(&call.callee)?;
    let taker = TAKERS.iter().find(|(name, ..)| *name == path);
    if let Some((_, position, name)) = taker {
        return argument(&call.arguments, Some(*position), Some(name));
    }
    // `DataParallel(net, device_ids=[n])`
    only(argument(&call.arguments, None, Some("device_ids"))?)
}

/// The same where it chooses one of a list, in which a number below zero counts from the end: `jax.devices()[n]`,
/// `Trainer(devices=[n])`, and an option of ONNX Runtime.
pub(super) fn index_of_member<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    match &expr.kind {
        ExprKind::Item(item) => {
            let list = scope.names.path(&item.0)?;
            LISTS.contains(&list).then_some(&item.1)
        }
        ExprKind::Call(call) => {
            let path = scope.names.path(&call.callee)?;
            let is_trainer =
                path.contains("lightning") && (path.ends_with("Trainer") || path.ends_with("Fabric"));
            let given =
                ["devices", "gpus"].iter().find_map(|name| argument(&call.arguments, None, Some(name)));
            only(given.filter(|_| is_trainer)?)
        }
        ExprKind::Mapping(entries) if scope.whole_text().contains("CUDAExecutionProvider") => {
            let is_id = |key: &Option<Expr<'_>>| matches!(key, Some(Expr { kind: ExprKind::Text(text), .. }) if text == "device_id");
            entries.iter().find(|(key, _)| is_id(key)).map(|(_, value)| value)
        }
        _ => None,
    }
}

/// The only member of a list.
fn only<'c>(list: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    match &list.kind {
        ExprKind::Sequence(ids) => ids.first().filter(|_| ids.len() == 1),
        _ => None,
    }
}

//! A model that something else has placed on devices, and that is moved all the same.

use super::dataset_workers::given;
use super::given_arguments::parameter_behind;
use super::mask_numbers::written_target;
use super::memory::method_of;
use super::order::PlaceInFunction;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::program::is_spread;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Calls that load a model and take `device_map`.
const LOADERS: &[&str] =
    &["from_pretrained", "from_single_file", "load_checkpoint_and_dispatch", "dispatch_model"];

/// Methods that give a model back as it was placed.
const SAME: &[&str] = &["eval", "train", "requires_grad_", "half", "float", "bfloat16"];

/// Methods after which nobody else places the model.
const FREED: &[&str] = &["reset_device_map", "remove_all_hooks", "dequantize"];

/// Methods of a pipeline of diffusers that offload it, which it refuses where it has been mapped.
const OFFLOADS: &[&str] = &["enable_model_cpu_offload", "enable_sequential_cpu_offload"];
const OFFLOAD_REFUSED: &str = "diffusers raises a ValueError";

/// What placed a model, as it is written.
#[derive(Clone, Copy, PartialEq)]
enum Placement {
    DeviceMap,
    /// By transformers, for bitsandbytes: `quantized-model-moved` speaks of these.
    Quantized,
    ModelOffload,
    SequentialOffload,
}

impl Placement {
    fn written(self) -> &'static str {
        match self {
            Placement::DeviceMap => "device_map",
            Placement::Quantized => "quantization_config",
            Placement::ModelOffload => "enable_model_cpu_offload()",
            Placement::SequentialOffload => "enable_sequential_cpu_offload()",
        }
    }

    fn effect(self) -> &'static str {
        match self {
            Placement::DeviceMap => {
                "where it lies on several devices, accelerate warns or raises, and all of it goes to one GPU"
            }
            Placement::Quantized => "transformers raises a ValueError",
            Placement::ModelOffload => "all of it goes to the GPU, and nothing is saved",
            Placement::SequentialOffload => "diffusers raises a ValueError",
        }
    }
}

/// `model.to("cuda")` behind `model = AutoModel.from_pretrained(name, device_map="auto")`, and its relatives.
pub(super) fn that_are_moved(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    // What each name was given last, in the order of the text.
    let mut given: Vec<(PlaceInFunction, &str, Option<Placement>)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let place = PlaceInFunction::of(step.span, around);
            match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    // `model = model.eval()` keeps what it had.
                    let is_same = |name: &str| {
                        scope.text(before_methods(value).span) == name
                            || is_moved(scope, value, name)
                            || wraps(scope, value, name)
                    };
                    for target in targets {
                        // `model.to = lambda *_, **__: None`: what it does from here on is not known.
                        if let Target::Attribute(object, "to" | "cuda") = target {
                            given.push((place.clone(), scope.text(object.span), None));
                        }
                        let Some((name, _)) = written_target(scope, target) else { continue };
                        if !is_same(name) {
                            given.push((place.clone(), name, placement_of(scope, value)));
                        }
                    }
                }
                StatementKind::Evaluate(value) => {
                    let Some((object, method, _)) = method_of(value) else { return };
                    let placement = match method {
                        "enable_model_cpu_offload" => Some(Placement::ModelOffload),
                        "enable_sequential_cpu_offload" => Some(Placement::SequentialOffload),
                        _ if FREED.contains(&method) => None,
                        _ => return,
                    };
                    given.push((place, scope.text(object.span), placement));
                }
                _ => {}
            }
        }
        CodeNode::Expr(expr) => {
            let Some((object, method, call)) = method_of(expr) else { return };
            // What brings the parts of a pipeline to the GPU one by one does not go with a map of them.
            let offloads = OFFLOADS.contains(&method);
            if !offloads && !moves(scope, method, call) {
                return;
            }
            let place = PlaceInFunction::of(expr.span, around);
            let name = scope.text(object.span);
            let by_name = || {
                let of_it = |(at, given, _): &&(PlaceInFunction, &str, Option<Placement>)| {
                    at.home == place.home && *given == name && at.span.end <= place.span.start
                };
                let all: Vec<_> = given.iter().filter(of_it).collect();
                // What was given before something that surely ran is gone.
                let last_sure = all.iter().rposition(|(at, _, _)| at.precedes(&place)).unwrap_or(0);
                let left = &all[last_sure..];
                // Behind another question it is not known that both run.
                let is_plain = |arm: &(Span, bool)| {
                    left.iter().all(|(at, _, _)| at.arms.contains(arm))
                        || (arm.1 && scope.text(arm.0).contains("is_available"))
                };
                let are_placed = left.iter().all(|(_, _, placement)| placement.is_some());
                let placements = left.iter().rev().filter_map(|(_, _, placement)| *placement);
                let mut told = placements.filter(|placement| *placement != Placement::Quantized);
                (are_placed && place.arms.iter().all(is_plain)).then(|| told.next())?
            };
            let directly = placement_of(scope, object).filter(|one| *one != Placement::Quantized);
            let Some(placement) = directly.or_else(by_name) else { return };
            if offloads && placement != Placement::DeviceMap {
                return;
            }
            let end = object.span.end - expr.span.start;
            let moved = scope.text(expr.span).get(end as usize..).unwrap_or(".to()");
            let raw = RawFinding::at(scope.place(expr.span)).word("move", moved.trim());
            let effect = if offloads { OFFLOAD_REFUSED } else { placement.effect() };
            found.push(raw.word("placement", placement.written()).word("effect", effect));
        }
        CodeNode::Target(_) => {}
    });
    found
}

/// The expression without the methods at its end that change nothing about the place.
fn before_methods<'e, 's>(expr: &'e Expr<'s>) -> &'e Expr<'s> {
    match method_of(expr) {
        Some((object, method, _)) if SAME.contains(&method) => before_methods(object),
        _ => expr,
    }
}

/// Whether `value` is the model of that name, moved.
fn is_moved(scope: &FileScope<'_>, value: &Expr<'_>, name: &str) -> bool {
    method_of(value).is_some_and(|(object, method, _)| {
        matches!(method, "to" | "cuda") && scope.text(before_methods(object).span) == name
    })
}

/// `PeftModel.from_pretrained(model, …)` and its like, which put adapters around a model where it is.
fn wraps(scope: &FileScope<'_>, value: &Expr<'_>, name: &str) -> bool {
    let ExprKind::Call(call) = &before_methods(value).kind else { return false };
    let first = call.arguments.first().filter(|argument| argument.name.is_none());
    let callee = scope.text(call.callee.span);
    first.is_some_and(|first| scope.text(first.value.span) == name)
        && ["peft", "Peft", "prepare_model_for"].iter().any(|word| callee.contains(word))
}

/// Whether a call that loads a model asks for it in fewer bits.
pub(super) fn quantizes(call: &Call<'_>) -> bool {
    let asks = |keyword: &&str| argument(&call.arguments, None, Some(keyword)).is_some();
    ["load_in_8bit", "load_in_4bit", "quantization_config"].iter().any(asks)
}

/// What places the model that an expression loads.
fn placement_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<Placement> {
    let expr = before_methods(expr);
    let ExprKind::Call(call) = &expr.kind else { return None };
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = call.callee.kind else { return None };
    if !LOADERS.contains(&name) {
        return None;
    }
    if quantizes(call) {
        return Some(Placement::Quantized);
    }
    let map = given(scope, call, None, "device_map")?;
    match &scope.names.meant(map).kind {
        ExprKind::Text(text) => is_spread(text).then_some(Placement::DeviceMap),
        // A parameter of this name that nobody has to give, where the project spreads models somewhere.
        ExprKind::Name("device_map") => {
            let (_, parameter) = parameter_behind(scope, "device_map", map.span)?;
            let is_open = matches!(parameter.default.as_ref()?.kind, ExprKind::None);
            (is_open && scope.program.has_any(SPREADING)).then_some(Placement::DeviceMap)
        }
        _ => None,
    }
}

/// How a project says that its models are spread.
const SPREADING: &[&str] = &[
    "device_map=\"auto\"",
    "device_map='auto'",
    "\"device_map\": \"auto\"",
    "device_map: auto",
    "--device_map auto",
    "--device_map=auto",
    "--device-map auto",
    "--device-map=auto",
];

/// Whether a method moves its object to a GPU, or may.
fn moves(scope: &FileScope<'_>, method: &str, call: &Call<'_>) -> bool {
    if method == "cuda" {
        return scope.names.path(&call.callee).is_none_or(|path| path != "torch.cuda");
    }
    let given = argument(&call.arguments, Some(0), Some("device"));
    let is_device = |given: &Expr<'_>| {
        let given = scope.names.meant(given);
        let text = scope.text(given.span);
        let path = scope.names.path(given).unwrap_or(text);
        let is_type = path.starts_with("torch.") && !path.starts_with("torch.device");
        // `"cuda" if torch.cuda.is_available() else "cpu"` is a GPU where there is one.
        let is_cpu = text.contains("cpu") && !text.contains("cuda");
        !is_type && !text.contains("dtype") && !is_cpu && !text.contains("meta")
    };
    method == "to" && given.is_some_and(is_device)
}

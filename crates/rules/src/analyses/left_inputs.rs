//! Inputs that stay on the CPU, and are handed to a model that was moved to a GPU.

use super::cuda_calls::moves_to_gpu;
use super::dropped_moves::makes_on_cpu;
use super::gpu_values::SET_DEFAULT;
use super::homes::{Home, Kept, kept_as, kept_by};
use super::left_batches;
use super::memory::method_of;
use super::unmoved_tensors::SAME_DEVICE;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Argument, Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Words of files in which something else brings inputs to their model.
const BRINGS: &[&str] = &[
    "DataParallel",
    "FullyShardedDataParallel",
    "accelerate",
    "deepspeed",
    "device_map",
    "dispatch_model",
    "lightning",
    "offload",
    "quantization",
    "with torch.device(",
];

/// Methods that give the model itself.
const ITSELF: &[&str] =
    &["bfloat16", "cpu", "cuda", "double", "eval", "float", "half", "requires_grad_", "to", "train"];

/// Parts of what a tokenizer gives.
const PARTS: &[&str] = &["attention_mask", "input_ids", "pixel_values", "token_type_ids"];

/// Layers with weights: one without takes tensors of any device.
const LAYERS: &[&str] =
    &["Conv1d(", "Conv2d(", "Conv3d(", "Embedding(", "GRU(", "LSTM(", "Linear(", "TransformerEncoder("];

/// What becomes of one model.
#[derive(Default)]
struct Model {
    /// It is one whose calls move nothing.
    is_known: bool,
    /// Another object has the name somewhere, or it goes back to the CPU.
    wavers: bool,
    moved: Option<Span>,
}

/// `model(torch.zeros(1, 3))` behind `model.to("cuda")`, and `model(**tokenizer(text, return_tensors="pt"))`.
pub(super) fn of_moved_models(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let brings = |word: &&str| text.contains(*word);
    if BRINGS.iter().chain(SET_DEFAULT).any(brings) || scope.program.is_of_tests(scope.file) {
        return Vec::new();
    }
    let mut models: Vec<(Kept<'_>, Model)> = Vec::new();
    let mut calls: Vec<(Kept<'_>, Span, Span)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let [target @ (Target::Name(..) | Target::Attribute(..))] = &targets[..] else { return };
            let Some(kept) = kept_by(scope, target, around) else { return };
            let model = entry(&mut models, kept);
            let source = source_of(scope, value, model);
            let is_same = kept_as(scope, source, around) == Some(kept);
            model.is_known |= is_model(scope, source);
            model.wavers |= !is_same && !is_model(scope, source);
        }
        CodeNode::Expr(expr) => {
            let ExprKind::Call(call) = &expr.kind else { return };
            if let Some((object, method, call)) = method_of(expr)
                && let Some(kept) = kept_as(scope, object, around)
                && matches!(method, "cpu" | "cuda" | "to")
            {
                let model = entry(&mut models, kept);
                match moves_to_gpu(method, call, scope) {
                    true => model.moved = model.moved.or(Some(expr.span)),
                    false => model.wavers |= method == "cpu" || scope.text(expr.span).contains("cpu"),
                }
                return;
            }
            let run = match &call.callee.kind {
                ExprKind::Attribute(object, "forward" | "generate") => kept_as(scope, object, around),
                _ => kept_as(scope, &call.callee, around),
            };
            if let Some(kept) = run
                && let Some(input) = input_on_cpu(scope, call)
            {
                calls.push((kept, expr.span, input));
            }
        }
        CodeNode::Target(_) => {}
    });
    let mut found = left_batches::of_loaders(scope);
    for (kept, call, input) in calls {
        let of_it = models.iter().find(|(known, _)| *known == kept).map(|(_, model)| model);
        let Some(model) = of_it.filter(|model| model.is_known && !model.wavers) else { continue };
        let is_behind = |moved: &Span| matches!(kept.0, Home::Class(_)) || moved.start < call.start;
        let Some(moved) = model.moved.filter(is_behind) else { continue };
        let seen = RawFinding::at(scope.place(input)).word("text", scope.text(input)).word("model", kept.1);
        found.push(seen.beside(scope.place(moved), "the model is moved here"));
    }
    found
}

fn entry<'m, 's>(models: &'m mut Vec<(Kept<'s>, Model)>, kept: Kept<'s>) -> &'m mut Model {
    let at = models.iter().position(|(known, _)| *known == kept).unwrap_or_else(|| {
        models.push((kept, Model::default()));
        models.len() - 1
    });
    &mut models[at].1
}

/// What a value is without its moves, which are noted: `Net()` of `Net().eval().to("cuda")`.
fn source_of<'e, 's>(scope: &FileScope<'_>, value: &'e Expr<'s>, model: &mut Model) -> &'e Expr<'s> {
    match method_of(value) {
        Some((object, method, call)) if ITSELF.contains(&method) => {
            if moves_to_gpu(method, call, scope) {
                model.moved = model.moved.or(Some(value.span));
            }
            source_of(scope, object, model)
        }
        _ => value,
    }
}

/// Whether a call makes a model that takes its input as it is: one of a library, or of a class of this file that moves nothing.
fn is_model(scope: &FileScope<'_>, made: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &made.kind else { return false };
    if call
        .arguments
        .iter()
        .any(|one| one.unpacked || one.name.is_some_and(|name| name.starts_with("load_in")))
    {
        return false;
    }
    if let Some(path) = scope.names.path(&call.callee).filter(|path| !path.starts_with("builtins.")) {
        let of_transformers = || {
            let class =
                path.strip_prefix("transformers.").and_then(|rest| rest.strip_suffix(".from_pretrained"));
            class.is_some_and(|class| class.contains("Model") || class.contains("For"))
        };
        let of_layers = || LAYERS.iter().any(|layer| scope.text(made.span).contains(layer));
        return path == "torch.nn.Sequential" && of_layers()
            || path
                .strip_prefix("torch.nn.")
                .is_some_and(|name| LAYERS.iter().any(|one| one[..one.len() - 1] == *name))
            || path.starts_with("torchvision.models.")
            || path == "timm.create_model"
            || of_transformers();
    }
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let class = scope.code.classes.iter().find(|class| class.name == name);
    class.is_some_and(|class| {
        let is_module = |base: &Expr<'_>| scope.names.path(base) == Some("torch.nn.Module");
        let own = scope.text(class.span);
        class.bases.iter().any(is_module)
            && ![".to(", ".cuda(", "device"].iter().any(|word| own.contains(word))
    })
}

/// The input of a call that surely lies on the CPU: the first argument, or what a tokenizer gives.
fn input_on_cpu(scope: &FileScope<'_>, call: &Call<'_>) -> Option<Span> {
    let first = call.arguments.first()?;
    let is_left = |one: &Argument<'_>| match (one.unpacked, one.name) {
        // Who unpacks a list hands over what is not known.
        (true, _) => is_mapping(scope, one) && gives_tensors(scope, &one.value),
        (false, Some(name)) => PARTS.contains(&name) && is_on_cpu(scope, &one.value, 0),
        (false, None) => std::ptr::eq(one, first) && is_on_cpu(scope, &one.value, 0),
    };
    call.arguments.iter().find(|one| is_left(one)).map(|one| one.value.span)
}

/// `**inputs`, by what stands before it.
fn is_mapping(scope: &FileScope<'_>, one: &Argument<'_>) -> bool {
    let before = &scope.whole_text()[..one.value.span.range().start];
    before.trim_end().ends_with("**")
}

/// Whether a tensor is made on the CPU, and nothing moves it: by what is assigned to its name, where that is one thing.
fn is_on_cpu(scope: &FileScope<'_>, given: &Expr<'_>, hops: usize) -> bool {
    if hops > 4 {
        return false;
    }
    let made = scope.names.meant(given);
    let is_left = match &made.kind {
        _ if makes_on_cpu(scope, made) => has_sizes(scope, made),
        ExprKind::Attribute(whole, name) if PARTS.contains(name) => gives_tensors(scope, whole),
        ExprKind::Item(item) => {
            matches!(&item.1.kind, ExprKind::Text(name) if PARTS.contains(&&**name))
                && gives_tensors(scope, &item.0)
        }
        ExprKind::Call(call) => match method_of(made) {
            Some((_, "encode", _)) => returns_tensors(call),
            Some((object, method, _)) if SAME_DEVICE.contains(&method) => is_on_cpu(scope, object, hops + 1),
            _ => {
                let joins = matches!(
                    scope.names.path(&call.callee),
                    Some("torch.stack" | "torch.cat" | "torch.nn.utils.rnn.pad_sequence")
                );
                joins && call.arguments.first().is_some_and(|parts| are_on_cpu(scope, &parts.value, hops + 1))
            }
        },
        _ => false,
    };
    is_left && !is_touched(scope, given)
}

/// Whether all tensors of a list are: `[torch.tensor(row) for row in rows]`.
fn are_on_cpu(scope: &FileScope<'_>, parts: &Expr<'_>, hops: usize) -> bool {
    let are_left = match &scope.names.meant(parts).kind {
        ExprKind::Sequence(parts) => {
            !parts.is_empty() && parts.iter().all(|part| is_on_cpu(scope, part, hops))
        }
        ExprKind::Comprehension(one) => one.elements.iter().all(|part| makes_on_cpu(scope, part)),
        _ => false,
    };
    are_left && !is_touched(scope, parts)
}

/// Whether a name is written to in other ways than by its one assignment: moved where it is, or item by item.
fn is_touched(scope: &FileScope<'_>, given: &Expr<'_>) -> bool {
    let ExprKind::Name(name) = given.kind else { return false };
    let text = scope.whole_text();
    ["[", ".to(", ".cuda(", ".append(", ".update(", ".data"].iter().any(|end| {
        let word = format!("{name}{end}");
        text.match_indices(&word).any(|(at, _)| {
            let is_whole =
                !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
            let rest = &text[at + word.len()..];
            let writes = rest.split_once(']').is_some_and(|(_, rest)| {
                let rest = rest.trim_start();
                rest.starts_with('=') && !rest.starts_with("==")
            });
            is_whole && (*end != "[" || writes)
        })
    })
}

/// Whether a tensor has more than one number: one alone goes to any device.
fn has_sizes(scope: &FileScope<'_>, made: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &made.kind else { return false };
    let Some(first) = call.arguments.first() else { return false };
    match scope.names.path(&call.callee) {
        Some("torch.tensor" | "torch.as_tensor") => {
            matches!(scope.names.meant(&first.value).kind, ExprKind::Sequence(_) | ExprKind::Comprehension(_))
        }
        _ => true,
    }
}

/// Whether what a tokenizer gives holds tensors, and stays where it is: `tokenizer(text, return_tensors="pt")`.
fn gives_tensors(scope: &FileScope<'_>, whole: &Expr<'_>) -> bool {
    let are_tensors = match &scope.names.meant(whole).kind {
        ExprKind::Call(call) => {
            let name = scope.text(call.callee.span).rsplit('.').next().unwrap_or_default();
            let is_own = ["tokenizer", "processor", "feature_extractor", "tok"].contains(&name);
            is_own && returns_tensors(call)
        }
        _ => false,
    };
    are_tensors && !is_touched(scope, whole)
}

fn returns_tensors(call: &Call<'_>) -> bool {
    let given = argument(&call.arguments, None, Some("return_tensors"));
    matches!(given.map(|given| &given.kind), Some(ExprKind::Text(kind)) if kind == "pt")
}

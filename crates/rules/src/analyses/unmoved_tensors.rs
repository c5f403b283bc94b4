//! Tensors that a module keeps in an attribute of its own: `net.to("cuda")` moves its parameters and its buffers, and leaves
//! these where they are.

use super::attributes_in_text::{assignments_of, is_moved_by_hand};
use super::constructor_steps::{is_made_of, parameters_in, steps_of};
use super::dropped_moves::makes_on_cpu;
use super::gpu_values::SET_DEFAULT;
use super::handed_tensors;
use super::listed_tensors::in_lists;
use super::measures::{is_measure, is_on_cpu};
use super::memory::{called, function_called, method_of};
use super::names_in_text::mentions;
use super::parallel_models::is_copied;
use super::tensor_sides::computed_of;
use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Argument, Call, Class, Expr, ExprKind, Function, Parameter, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;
use std::cell::LazyCell;

/// Classes whose objects are moved to a device as a whole.
const MODULES: &[&str] = &["nn.Module", "LightningModule"];

/// What takes a tensor and gives another one of the same device.
pub(super) const SAME_DEVICE: &[&str] = &[
    "abs",
    "angle",
    "bool",
    "ceil",
    "clamp",
    "clone",
    "contiguous",
    "cos",
    "detach",
    "double",
    "exp",
    "expand",
    "flatten",
    "float",
    "floor",
    "half",
    "int",
    "log",
    "long",
    "neg",
    "permute",
    "pow",
    "repeat",
    "requires_grad_",
    "reshape",
    "round",
    "sigmoid",
    "sign",
    "sin",
    "sqrt",
    "squeeze",
    "t",
    "tanh",
    "transpose",
    "unsqueeze",
    "view",
];

/// Methods that a training runs with inputs on the device of the module.
pub(super) const RUN: &[&str] = &["forward", "predict_step", "test_step", "training_step", "validation_step"];

/// Calls that put tensors together.
pub(super) const JOINS: &[&str] = &[
    "torch.add",
    "torch.bmm",
    "torch.cat",
    "torch.cdist",
    "torch.einsum",
    "torch.matmul",
    "torch.mm",
    "torch.mul",
];

/// The tensors that such a call is given, one by one or in a list.
pub(super) fn joined<'c>(call: &'c Call<'c>) -> Vec<&'c Expr<'c>> {
    let parts = |one: &'c Argument<'c>| match &one.value.kind {
        ExprKind::Sequence(parts) => parts.iter().collect(),
        _ => vec![&one.value],
    };
    call.arguments.iter().flat_map(parts).collect()
}

/// Attributes that `forward` computes with, and that are no buffers.
pub(super) fn in_modules(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        let methods = methods_of(scope, class);
        let text = scope.text(class.span);
        if moves_itself(text, &methods) {
            continue;
        }
        let Some(made) = methods.iter().find(|method| method.name == "__init__") else { continue };
        // Files are searched for the answer.
        let copied = LazyCell::new(|| is_copied(scope, class.name));
        let is_copied = || *copied;
        let steps = steps_of(made, &methods, text);
        let parameters = parameters_in(scope, &steps);
        for listed in in_lists(scope, made, &methods, text) {
            let raw_finding = RawFinding::at(scope.place(listed.added)).word("name", listed.name);
            let raw_finding = raw_finding.word("where", "on the CPU when the module is moved to a GPU");
            found.push(raw_finding.beside(scope.place(listed.used), "it meets an input of the module here"));
        }
        for (name, span, on_gpu) in steps.iter().flat_map(|step| kept_in(scope, step, &is_copied)) {
            let by_others = [".cuda(", ".to("];
            let by_others = by_others.iter().any(|end| scope.whole_text().contains(&format!(".{name}{end}")));
            if by_others || is_moved_by_hand(text, name) || assignments_of(text, name) > 1 {
                continue;
            }
            let runs = methods.iter().filter(|method| RUN.contains(&method.name));
            let mut uses =
                runs.filter_map(|method| used_with_input(scope, method, name, on_gpu, &parameters));
            if let Some(used) = uses.next() {
                let where_it_stays = match on_gpu {
                    true if is_copied() => {
                        "on the GPU where it was put, also in the copies of the module for other GPUs"
                    }
                    true => "on the GPU that was current, also in a copy of the module for another GPU",
                    false => "on the CPU when the module is moved to a GPU",
                };
                let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
                let raw_finding = raw_finding.word("where", where_it_stays);
                let raw_finding =
                    raw_finding.beside(scope.place(used), "it meets an input of the module here");
                // With one GPU the current one is that of the module.
                let is_weak = on_gpu && !scope.program.has_any(&["DataParallel(", "cuda:1"]);
                found.push(if is_weak { raw_finding.at_most(Severity::Note) } else { raw_finding });
            }
        }
    }
    if found.is_empty() || scope.program.has_any(SET_DEFAULT) || !is_moved_somewhere(scope) {
        Vec::new()
    } else {
        found
    }
}

/// Whether a class may move its attributes: by a method of its own for it, or by going through all of them.
pub(super) fn moves_itself(text: &str, methods: &[&Function<'_>]) -> bool {
    methods.iter().any(|method| matches!(method.name, "_apply" | "cuda" | "to" | "setup"))
        || ["setattr(self", "vars(self)", "self.__dict__"].iter().any(|word| text.contains(word))
}

/// Whether the project speaks of GPUs: on the CPU nothing is wrong with what stays there.
pub(super) fn is_moved_somewhere(scope: &FileScope<'_>) -> bool {
    scope.program.has_any(&["cuda", "gpus", "\"gpu\"", "'gpu'"])
}

/// The attributes of a class that its constructor makes layers with parameters.
pub(super) fn layers_of<'a>(scope: &FileScope<'a>, class: &'a Class<'a>) -> FxHashSet<&'a str> {
    let mut layers = FxHashSet::default();
    for method in methods_of(scope, class).into_iter().filter(|method| method.name == "__init__") {
        walk_block(scope.code, &method.body, &mut |part, _| {
            let CodeNode::Statement(step) = part else { return };
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            if let [Target::Attribute(object, name)] = targets.as_slice()
                && matches!(object.kind, ExprKind::Name("self"))
                && makes_layer(scope, value)
            {
                layers.insert(*name);
            }
        });
    }
    layers
}

/// Layers of torch that have parameters, by what their names begin with.
const LAYERS: &[&str] = &[
    "BatchNorm",
    "Bilinear",
    "Conv",
    "Embedding",
    "GRU",
    "GroupNorm",
    "LSTM",
    "LayerNorm",
    "Linear",
    "MultiheadAttention",
    "Parameter",
    "RNN",
    "Sequential",
    "Transformer",
];

/// `torch.nn.Linear(8, 8)`, and a module of this file that has such layers.
pub(super) fn makes_layer(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    if let Some(layer) = scope.names.path(&call.callee).and_then(|path| path.strip_prefix("torch.nn.")) {
        // `torch.nn.Linear(8, 8).cuda()` is a move of one.
        return !layer.contains('(') && LAYERS.iter().any(|name| layer.starts_with(name));
    }
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let has_layers = |class: &Class<'_>| {
        let text = scope.text(class.span);
        text.contains("register_buffer(") || LAYERS.iter().any(|layer| is_called(text, layer))
    };
    scope.code.classes.iter().any(|class| class.name == name && is_module(scope, class) && has_layers(class))
}

/// Whether a text calls what begins with a name: `Conv2d(` for `Conv`.
fn is_called(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && text[at..].trim_start_matches(is_part).starts_with('(')
    })
}

pub(super) fn is_module(scope: &FileScope<'_>, class: &Class<'_>) -> bool {
    class.bases.iter().any(|base| {
        let text = scope.text(base.span);
        MODULES.iter().any(|name| text == *name || text.ends_with(&format!(".{name}")))
            || scope.names.path(base) == Some("torch.nn.Module")
    })
}

pub(super) fn methods_of<'a>(scope: &FileScope<'a>, class: &Class<'_>) -> Vec<&'a Function<'a>> {
    let defined = class.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, .. } => scope.code.functions.get(*function),
        _ => None,
    });
    defined.collect()
}

/// The attributes that a constructor gives a tensor on the CPU, or on the current GPU, with where it does.
pub(super) fn kept_in<'a>(
    scope: &FileScope<'a>,
    made: &'a Function<'a>,
    is_copied: &dyn Fn() -> bool,
) -> Vec<(&'a str, Span, bool)> {
    let mut kept = Vec::new();
    walk_block(scope.code, &made.body, &mut |part, around| {
        let CodeNode::Statement(step) = part else { return };
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        // In a branch it may be another thing on the other side.
        if !around.is_empty() {
            return;
        }
        if let [Target::Attribute(object, name)] = targets.as_slice()
            && matches!(object.kind, ExprKind::Name("self"))
        {
            let on_gpu = moved_to_current(scope, value, is_copied);
            let is_old = |made: &Expr<'_>| called(scope, made) == "torch.Tensor" && is_copied();
            if is_cpu_tensor(scope, on_gpu.unwrap_or(value), 0) || on_gpu.is_some_and(is_old) {
                kept.push((*name, step.span, on_gpu.is_some()));
            }
        }
    });
    kept
}

/// The tensor of `tensor.cuda()` and `tensor.to("cuda")`; of a module that is copied, also of `tensor.to(self.device).view(3, 1)`.
fn moved_to_current<'e, 's>(
    scope: &FileScope<'_>,
    value: &'e Expr<'s>,
    is_copied: &dyn Fn() -> bool,
) -> Option<&'e Expr<'s>> {
    let (object, method, call) = method_of(value)?;
    if SAME_DEVICE.contains(&method) && is_copied() {
        return moved_to_current(scope, object, is_copied);
    }
    let is_device = |one: &Expr<'_>| match one.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => name.ends_with("device") && is_copied(),
        _ => false,
    };
    let is_text = |one: &Argument<'_>| {
        is_device(&one.value)
            || matches!(&scope.names.meant(&one.value).kind, ExprKind::Text(text) if text == "cuda")
    };
    let is_current = match method {
        "cuda" => call.arguments.is_empty(),
        "to" => call.arguments.first().is_some_and(is_text),
        _ => false,
    };
    is_current.then_some(object)
}

/// Whether a value is a tensor on the CPU that has several elements.
pub(super) fn is_cpu_tensor(scope: &FileScope<'_>, value: &Expr<'_>, depth: usize) -> bool {
    /// Calls of calls of calls are not followed.
    const DEEPEST: usize = 6;
    if depth > DEEPEST {
        return false;
    }
    let value = scope.names.meant(value);
    if makes_on_cpu(scope, value) {
        let ExprKind::Call(call) = &value.kind else { return false };
        // `torch.tensor(0.5)` meets tensors of any device.
        let is_number = |expr: &Expr<'_>| {
            matches!(scope.names.meant(expr).kind, ExprKind::Int(_) | ExprKind::Negate(_) | ExprKind::Bool(_))
                || scope
                    .text(expr.span)
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e'))
        };
        let path = scope.names.path(&call.callee).unwrap_or(scope.text(call.callee.span));
        let is_text = |name: &str| path.ends_with(name);
        let Some(first) = argument(&call.arguments, Some(0), Some("size")) else { return false };
        return match is_text(".tensor") || is_text(".as_tensor") {
            // What a parameter holds may be a number.
            true => {
                matches!(scope.names.meant(first).kind, ExprKind::Sequence(_) | ExprKind::Comprehension(_))
            }
            false => !(is_text(".from_numpy") || is_text(".full") && is_number(first)),
        };
    }
    if let Some(of) = computed_of(scope, value) {
        return is_cpu_tensor(scope, of, depth + 1);
    }
    if let ExprKind::Negate(inner) = &value.kind {
        return is_cpu_tensor(scope, inner, depth + 1);
    }
    if let ExprKind::Binary(_, sides) = &value.kind {
        return is_cpu_tensor(scope, &sides.0, depth + 1) || is_cpu_tensor(scope, &sides.1, depth + 1);
    }
    // `steps[:, None]`; with a number it may be one element.
    if let ExprKind::Item(parts) = &value.kind {
        let key = scope.text(parts.1.span);
        return (key.contains("None") || key.contains(':')) && is_cpu_tensor(scope, &parts.0, depth + 1);
    }
    if let Some((object, name, _)) = method_of(value)
        && SAME_DEVICE.contains(&name)
    {
        return is_cpu_tensor(scope, object, depth + 1);
    }
    // `self.one_hot(n)`, of which every `return` gives one.
    let Some(helper) = function_called(scope, value) else { return false };
    let mut given = (0, 0);
    walk_block(scope.code, &helper.body, &mut |part, around| {
        if around.iter().any(|one| matches!(one, Ancestor::Function(_))) {
            return;
        }
        let CodeNode::Statement(step) = part else { return };
        if let StatementKind::Return(Some(value)) = &step.kind {
            given.0 += 1;
            given.1 += usize::from(is_cpu_tensor(scope, value, depth + 1));
        }
    });
    given.0 > 0 && given.0 == given.1
}

/// Where a method computes with an attribute and what it is given; with `handed` also where it hands both to a call.
fn used_with_input<'a>(
    scope: &FileScope<'a>,
    method: &Function<'a>,
    name: &str,
    handed: bool,
    parameters: &[&'a str],
) -> Option<Span> {
    // `scale=1.0` and `scale: float` are numbers.
    let head = scope.text(method.span);
    let head = head.find("):").or_else(|| head.find(") ->")).map_or("", |end| &head[..end]);
    let is_number = |one: &Parameter<'_>| {
        let by_default = one.default.as_ref().map(|default| scope.text(default.span));
        by_default
            .is_some_and(|text| text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-'))
            || ["float", "int"].iter().any(|kind| head.contains(&format!("{}: {kind}", one.name)))
    };
    let inputs = method.parameters.iter().filter(|one| one.name != "self" && !is_number(one));
    let mut inputs: FxHashSet<&str> = inputs.map(|parameter| parameter.name).collect();
    // These move with the module.
    inputs.extend(parameters);
    let is_it = |expr: &Expr<'_>| is_made_of(scope, expr, name);
    meets_input(scope, method, &mut inputs, &is_it, handed)
        .or_else(|| handed_tensors::used_with_input(scope, method, name, &inputs))
}

/// Where a function computes with something and an input, or with what it made of one, which becomes an input as well; with `handed`
/// also where it hands both to a call.
pub(super) fn meets_input<'a>(
    scope: &FileScope<'a>,
    function: &Function<'a>,
    inputs: &mut FxHashSet<&'a str>,
    is_it: &dyn Fn(&Expr<'_>) -> bool,
    handed: bool,
) -> Option<Span> {
    let mut used = None;
    walk_block(scope.code, &function.body, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            // `x = self.embed(tokens)` lies where its input does.
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && mentions(scope.text(value.span), inputs)
                && !is_measure(value)
                && !is_on_cpu(value)
            {
                inputs.extend(targets.iter().flat_map(Target::names));
            }
        }
        CodeNode::Expr(expr) if used.is_none() => {
            let meets = |one: &Expr<'_>, other: &Expr<'_>| is_it(one) && is_input(scope, other, inputs);
            match &expr.kind {
                ExprKind::Binary(_, sides) if meets(&sides.0, &sides.1) || meets(&sides.1, &sides.0) => {
                    used = Some(expr.span);
                }
                ExprKind::Call(call)
                    if handed || scope.names.path(&call.callee).is_some_and(|path| JOINS.contains(&path)) =>
                {
                    let flat = joined(call);
                    if flat.iter().any(|one| is_it(one))
                        && flat.iter().any(|one| is_input(scope, one, inputs))
                    {
                        used = Some(expr.span);
                    }
                }
                _ => {}
            }
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    used
}

pub(super) fn is_attribute(expr: &Expr<'_>, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Attribute(object, known)
        if *known == name && matches!(object.kind, ExprKind::Name("self")))
}

/// An input itself, or what a layer makes of one.
pub(super) fn is_input(scope: &FileScope<'_>, expr: &Expr<'_>, inputs: &FxHashSet<&str>) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => inputs.contains(name),
        ExprKind::Attribute(..) => inputs.contains(scope.text(expr.span)),
        ExprKind::Call(call) => {
            let by_layer = match &call.callee.kind {
                ExprKind::Attribute(object, name) => {
                    matches!(object.kind, ExprKind::Name("self"))
                        || SAME_DEVICE.contains(name) && is_input(scope, object, inputs)
                }
                _ => false,
            };
            // `torch.matmul(x, self.weight)` lies where `x` does.
            let by_torch = || {
                scope.names.path(&call.callee).is_some_and(|path| path.starts_with("torch."))
                    && call.arguments.iter().any(|one| is_input(scope, &one.value, inputs))
            };
            by_layer && mentions(scope.text(expr.span), inputs) || by_torch()
        }
        ExprKind::Binary(_, sides) => is_input(scope, &sides.0, inputs) || is_input(scope, &sides.1, inputs),
        _ => false,
    }
}

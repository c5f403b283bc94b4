//! Tasks and actors of Ray that use a GPU and ask for none: Ray shows them no card.

use super::memory::method_of;
use super::order::PlaceInFunction;
use super::{cuda_calls, own_calls, ray_workers};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block};
use crate::code::{Argument, Block, Call, Expr, ExprKind, Function, Statement, StatementKind, Target};
use crate::facts::{Place, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `@ray.remote` on a function or class that moves something to a GPU.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if ["NOSET_CUDA_VISIBLE_DEVICES", "OVERRIDE_ON_ZERO", "local_mode=True"]
        .iter()
        .any(|word| text.contains(word))
    {
        return Vec::new();
    }
    // `step.options(num_gpus=1).remote()`, also by the settings of a cluster, gives one where it is called.
    if text.contains(".options(") && may_be_told(scope) {
        return told_of_none(scope);
    }
    let mut found = wrapped_without_gpu(scope);
    found.extend(ray_workers::without_gpu(scope));
    scope.each_statement(&mut |step, _| {
        let Some((body, decorators, name)) = definition(scope, step) else { return };
        let remote = decorators.iter().find(|decorator| asks_for_no_gpu(scope, decorator));
        let Some(decorator) = remote.filter(|_| !is_handed_on(scope, name)) else { return };
        if let Some(used) = use_in(scope, body) {
            found.push(of_number(scope, decorator.span, name, used));
        } else if let Some(given) = given_from_gpu(scope, name) {
            found.push(of_number(scope, decorator.span, name, scope.place(given)));
        }
    });
    found
}

/// The body, the decorators and the name of the function or class that a statement defines.
pub(super) fn definition<'c>(
    scope: &FileScope<'c>,
    step: &'c Statement<'c>,
) -> Option<(&'c Block<'c>, &'c [Expr<'c>], &'c str)> {
    match &step.kind {
        StatementKind::Define { function, decorators } => {
            let function = &scope.code.functions[*function];
            Some((&function.body, decorators, function.name))
        }
        StatementKind::DefineClass { class, decorators } => {
            let class = &scope.code.classes[*class];
            Some((&class.body, decorators, class.name))
        }
        _ => None,
    }
}

fn of_number(scope: &FileScope<'_>, span: Span, name: &str, used: Place) -> RawFinding {
    let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
    let raw_finding = raw_finding.word("missing", "`num_gpus` is missing");
    let raw_finding = raw_finding.word("write", "`@ray.remote(num_gpus=1)`");
    raw_finding.beside(used, "a GPU is used here")
}

/// Whether the options of some call may bring a GPU: all but those that name other things.
fn may_be_told(scope: &FileScope<'_>) -> bool {
    const OTHERS: &[&str] =
        &["lifetime", "max_concurrency", "max_restarts", "max_retries", "memory", "name", "num_cpus"];
    let mut may = false;
    scope.each_call(&mut |_, call, _| {
        if matches!(call.callee.kind, ExprKind::Attribute(_, "options")) {
            let is_other = |one: &Argument<'_>| one.name.is_some_and(|name| OTHERS.contains(&name));
            may |= !call.arguments.iter().all(is_other);
        }
    });
    may
}

/// `Worker.options(num_gpus=0)` and `ray.remote(Worker).options(num_gpus=0)`, for what needs a GPU.
fn told_of_none(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let ExprKind::Attribute(object, "options") = &call.callee.kind else { return };
        let Some(given) = argument(&call.arguments, None, Some("num_gpus")) else { return };
        if !matches!(scope.names.meant(given).kind, ExprKind::Int(0)) {
            return;
        }
        let name = match &scope.names.meant(object).kind {
            ExprKind::Call(wrap) if scope.names.path(&wrap.callee) == Some("ray.remote") => {
                match wrap.arguments.first().map(|one| &one.value.kind) {
                    Some(ExprKind::Name(name)) => *name,
                    _ => return,
                }
            }
            ExprKind::Name(name) => *name,
            _ => return,
        };
        if let Some(used) = body_of(scope, name).and_then(|body| use_in(scope, body)) {
            let raw_finding = RawFinding::at(scope.place(given.span)).word("name", name);
            let raw_finding = raw_finding.word("missing", "`num_gpus` is 0");
            let raw_finding = raw_finding.word("write", "how many GPUs it needs: `num_gpus=1`");
            found.push(raw_finding.beside(used, "a GPU is used here"));
        }
    });
    found
}

/// `ray.remote(Worker)` and `ray.remote(num_cpus=1)(Worker)`, which start it at once or keep it under a name of this file.
fn wrapped_without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let wrap = match part {
            // `Remote = ray.remote(Worker)`
            CodeNode::Statement(Statement {
                kind: StatementKind::Assign { targets, value: Some(value), .. },
                ..
            }) => match &targets[..] {
                [Target::Name(name, _)] if !is_handed_on(scope, name) => value,
                _ => return,
            },
            // `ray.remote(Worker).remote()`
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => match &call.callee.kind {
                ExprKind::Attribute(object, "remote") => object,
                _ => return,
            },
            _ => return,
        };
        let ExprKind::Call(call) = &wrap.kind else { return };
        let [Argument { name: None, unpacked: false, value }] = &call.arguments[..] else { return };
        let ExprKind::Name(wrapped) = value.kind else { return };
        if !asks_for_no_gpu(scope, &call.callee) {
            return;
        }
        for name in meant_by(scope, wrapped, around) {
            if let Some(used) = body_of(scope, name).and_then(|body| use_in(scope, body)) {
                found.push(of_number(scope, wrap.span, name, used));
            }
        }
    });
    found
}

/// The class or function that a name stands for: itself, or what calls of this file give a parameter.
fn meant_by<'c>(scope: &FileScope<'c>, name: &'c str, around: &[Ancestor<'_, '_>]) -> Vec<&'c str> {
    let inside = around.iter().rev().find_map(|one| match one {
        Ancestor::Function(number) => Some(&scope.code.functions[*number]),
        _ => None,
    });
    let position = |function: &Function<'_>| function.parameters.iter().position(|one| one.name == name);
    let Some((function, at)) = inside.and_then(|function| Some((function, position(function)?))) else {
        return vec![name];
    };
    let mut given = Vec::new();
    scope.each_call(&mut |_, call, _| {
        if !matches!(call.callee.kind, ExprKind::Name(called) if called == function.name) {
            return;
        }
        if let Some(Expr { kind: ExprKind::Name(class), .. }) =
            argument(&call.arguments, Some(at), Some(name))
            && !given.contains(class)
        {
            given.push(*class);
        }
    });
    given
}

/// Where a task is given what the same function has moved to the GPU, which cannot be unpacked without one: `step.remote(model)`,
/// `step.remote(ray.put(model))`.
fn given_from_gpu(scope: &FileScope<'_>, task: &str) -> Option<Span> {
    // Where names get another value or another device, and whether that is a GPU.
    let mut moved: Vec<(PlaceInFunction, &str, bool)> = Vec::new();
    let mut given: Vec<(PlaceInFunction, &str, Span)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let (name, value) = match &step.kind {
                // `model.cuda()`, `model.cpu()`, of a module
                StatementKind::Evaluate(value) => match method_of(value) {
                    Some((Expr { kind: ExprKind::Name(name), .. }, "cuda" | "cpu" | "to", _)) => {
                        (*name, value)
                    }
                    _ => return,
                },
                StatementKind::Assign { targets, value: Some(value), .. } => match &targets[..] {
                    [Target::Name(name, _)] => (*name, value),
                    _ => return,
                },
                _ => return,
            };
            let to_gpu = method_of(value)
                .is_some_and(|(_, method, call)| cuda_calls::moves_to_gpu(method, call, scope));
            moved.push((PlaceInFunction::of(step.span, around), name, to_gpu));
        }
        // `for model in models:`
        CodeNode::Target(Target::Name(name, span)) => {
            moved.push((PlaceInFunction::of(*span, around), name, false));
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            let is_task = match &call.callee.kind {
                ExprKind::Attribute(object, "remote") => {
                    matches!(object.kind, ExprKind::Name(name) if name == task)
                }
                _ => false,
            };
            for one in call.arguments.iter().filter(|_| is_task) {
                let put = match &scope.names.meant(&one.value).kind {
                    ExprKind::Call(put) if scope.names.path(&put.callee) == Some("ray.put") => {
                        put.arguments.first().map_or(&one.value, |first| &first.value)
                    }
                    _ => &one.value,
                };
                if let ExprKind::Name(name) = put.kind {
                    given.push((PlaceInFunction::of(expr.span, around), name, one.value.span));
                }
            }
        }
        _ => {}
    });
    // The last of them decides.
    let is_moved = |place: &PlaceInFunction, name: &str| {
        let before = moved.iter().filter(|(at, known, _)| {
            *known == name && at.home == place.home && at.span.end <= place.span.start
        });
        let last = before.max_by_key(|(at, ..)| at.span.end);
        last.is_some_and(|(at, _, to_gpu)| *to_gpu && at.precedes(place))
    };
    given.into_iter().find(|(place, name, _)| is_moved(place, name)).map(|(.., span)| span)
}

/// The body of the one class or function of this name.
pub(super) fn body_of<'c>(scope: &FileScope<'c>, name: &str) -> Option<&'c Block<'c>> {
    let classes = scope.code.classes.iter().filter(|class| class.name == name).map(|class| &class.body);
    let functions = scope.code.functions.iter().filter(|one| one.name == name).map(|one| &one.body);
    let mut bodies = classes.chain(functions);
    bodies.next().filter(|_| bodies.next().is_none())
}

/// Whether a task is an argument of a call: who takes it may start it with a GPU.
fn is_handed_on(scope: &FileScope<'_>, name: &str) -> bool {
    let mut handed = false;
    scope.each_call(&mut |_, call, _| {
        handed |= call
            .arguments
            .iter()
            .any(|argument| matches!(&argument.value.kind, ExprKind::Name(given) if *given == name));
    });
    handed
}

/// `@ray.remote`, `@ray.remote(num_cpus=2)`, `@ray.remote(num_gpus=0)`
fn asks_for_no_gpu(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    let is_remote = |expr: &Expr<'_>| scope.names.path(expr) == Some("ray.remote");
    match &decorator.kind {
        ExprKind::Call(call) => {
            let asks = |one: &Argument<'_>| match one.name {
                Some("num_gpus") => !matches!(scope.names.meant(&one.value).kind, ExprKind::Int(0)),
                Some(name) => matches!(name, "accelerator_type" | "resources"),
                None => one.unpacked,
            };
            is_remote(&call.callee) && !call.arguments.iter().any(asks)
        }
        _ => is_remote(decorator),
    }
}

/// `vllm.LLM(model)`: the engine runs in this process, or in one that has its mask. With several GPUs it may start actors of its
/// own, which ask for theirs, unless it is told to start processes.
fn is_engine_here(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    if scope.names.path(&call.callee) != Some("vllm.LLM") || call.arguments.iter().any(|one| one.unpacked) {
        return false;
    }
    let given =
        |name: &str| argument(&call.arguments, None, Some(name)).map(|one| &scope.names.meant(one).kind);
    match given("distributed_executor_backend") {
        Some(ExprKind::Text(backend)) => matches!(backend.as_ref(), "mp" | "uni"),
        Some(_) => false,
        None => {
            matches!(given("tensor_parallel_size"), None | Some(ExprKind::Int(1)))
                && given("pipeline_parallel_size").is_none()
        }
    }
}

/// The first call in a body that surely needs a GPU, also in functions of the project that it calls; `None` where the code asks whether
/// there is one.
pub(super) fn use_in(scope: &FileScope<'_>, body: &Block<'_>) -> Option<Place> {
    let (mut used, mut asks) = (None, false);
    walk_block(scope.code, body, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        asks |= scope.names.path(&call.callee).is_some_and(|path| {
            path.ends_with(".is_available") || path.ends_with(".device_count") || path == "ray.get_gpu_ids"
        });
        if used.is_none()
            && (cuda_calls::fails_without_driver(expr, scope).is_some() || is_engine_here(scope, call))
        {
            used = Some(scope.place(expr.span));
        }
        if used.is_none() && !around.iter().any(own_calls::may_be_left_out) {
            used = own_calls::needed(call, scope);
        }
    });
    used.filter(|_| !asks)
}

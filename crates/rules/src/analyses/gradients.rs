//! Where gradients are off: `torch.no_grad()`, `torch.inference_mode()` and their relatives; and loops that run a
//! model in evaluation mode without them.

mod modes;

use super::memory::{called, method_of, path};
use crate::code::walk::{
    Ancestor, CodeNode, innermost_class, innermost_loop, walk, walk_block, within_function,
};
use crate::code::{Call, Expr, ExprKind, Function, Statement, StatementKind, Target};
use crate::facts::{Place, Span};
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashSet;

/// Whether an item of a `with`, or a decorator, turns gradients off.
pub(super) fn are_off(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    const OFF: &[&str] = &[
        "torch.no_grad",
        "torch.inference_mode",
        "torch.autograd.no_grad",
        "torch.autograd.inference_mode",
        "torch.autograd.grad_mode.no_grad",
        "torch.autograd.grad_mode.inference_mode",
    ];
    let expr = scope.names.meant(expr);
    let path = match &expr.kind {
        ExprKind::Call(call) => {
            let path = path(scope, &call.callee);
            if path.ends_with("set_grad_enabled") {
                return call
                    .arguments
                    .first()
                    .is_some_and(|one| matches!(one.value.kind, ExprKind::Bool(false)));
            }
            path
        }
        ExprKind::Choice(parts) => return are_off(scope, &parts.1) || are_off(scope, &parts.2),
        _ => path(scope, expr),
    };
    // What is chosen by the version of torch, or wrapped by the project, is known by its name.
    let name = scope.text(expr.span);
    OFF.contains(&path)
        || ["no_grad", "inference_mode", "disable_grad"].iter().any(|word| name.contains(word))
}

/// A call of a model in evaluation mode, in a loop, with gradients on.
pub(super) struct Run<'s> {
    pub model: &'s str,
    pub call: Span,
    /// The innermost loop around it.
    pub inside: Span,
    /// What put the model into evaluation mode.
    mode: Span,
}

/// The first call of a model in a loop behind `model.eval()`, with gradients on.
pub(super) fn missing_in_evaluation(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // A test compares what a few calls give.
    if scope.program.is_of_tests(scope.file) || models_differentiate(scope) {
        return Vec::new();
    }
    let mut seen: FxHashSet<(Span, &str)> = FxHashSet::default();
    let runs = runs_with_gradients(scope);
    let first = runs.iter().filter(|run| seen.insert((run.inside, run.model)));
    let raw_findings = first.map(|run| {
        let raw_finding = RawFinding::at(scope.place(run.call)).word("model", run.model);
        raw_finding.beside(scope.place(run.mode), "evaluation mode turns no gradients off")
    });
    raw_findings.collect()
}

/// Whether a model whose class is imported differentiates by itself, as one does whose forces are gradients of its energy.
fn models_differentiate(scope: &FileScope<'_>) -> bool {
    const WORD: &str = "autograd.grad(";
    let program = scope.program;
    program.files_imported(scope.file).into_iter().any(|file| {
        if !program.sources.file(file).text.contains(WORD) {
            return false;
        }
        let code = program.code(file);
        let text = |span: Span| program.text(Place { file, span });
        // Functions and classes that differentiate, and the classes that call or extend them.
        let functions = code.functions.iter().filter(|one| text(one.span).contains(WORD));
        let mut words: Vec<&str> = functions.map(|one| one.name).collect();
        words.retain(|name| !name.starts_with("__") && *name != "forward");
        let mut models: Vec<&str> = Vec::new();
        for _ in 0..code.classes.len() {
            let before = models.len();
            for class in &code.classes {
                let own = text(class.span);
                let differentiates = || own.contains(WORD) || words.iter().any(|word| own.contains(word));
                if !models.contains(&class.name) && differentiates() {
                    models.push(class.name);
                    words.push(class.name);
                }
            }
            if models.len() == before {
                break;
            }
        }
        models.into_iter().any(|model| scope.whole_text().contains(model))
    })
}

/// The calls of models in loops, in evaluation mode and with gradients on.
pub(super) fn runs_with_gradients<'s>(scope: &FileScope<'s>) -> Vec<Run<'s>> {
    let evaluated = modes::evaluated_in(scope);
    if evaluated.iter().all(|one| one.ended) || records_nothing(scope) {
        return Vec::new();
    }
    let off = functions_without_gradients(scope);
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let model = match &call.callee.kind {
            ExprKind::Attribute(object, name) if *name == "forward" || runs_model(scope, name, &off) => {
                scope.text(object.span)
            }
            _ => scope.text(call.callee.span),
        };
        let (_, inside) = within_function(around);
        let in_evaluation =
            |model: &str| modes::last_word(&evaluated, model, around, expr.span).filter(|one| !one.ended);
        // `self._loss(batch)`, which runs `self.model`.
        let by_method = || run_by_method(scope, call, around, &off).into_iter();
        let known = in_evaluation(model).map(|eval| (model, eval));
        let known = known.or_else(|| by_method().find_map(|model| Some((model, in_evaluation(model)?))));
        let Some((model, eval)) = known else { return };
        let is_off = inside.iter().any(|one| match one {
            Ancestor::With(step) => with_is_off(scope, step),
            _ => false,
        });
        let in_off_function =
            around.iter().any(|one| matches!(one, Ancestor::Function(it) if off.contains(it)));
        let Some(step) = innermost_loop(inside) else { return };
        if !is_off && !in_off_function && !makes(step, model) && !differentiates(scope, step) {
            found.push(Run { model, call: expr.span, inside: step.span, mode: eval.span });
        }
    });
    found
}

/// What a method of the same class runs, with gradients on, that lies in an attribute of the object.
fn run_by_method<'s>(
    scope: &FileScope<'s>,
    call: &Call<'_>,
    around: &[Ancestor<'_, '_>],
    off: &FxHashSet<usize>,
) -> Vec<&'s str> {
    let ExprKind::Attribute(object, name) = &call.callee.kind else { return Vec::new() };
    if !matches!(object.kind, ExprKind::Name("self")) {
        return Vec::new();
    }
    let Some(class) = innermost_class(around) else { return Vec::new() };
    let method = scope.code.classes[class].body.iter().find_map(|step| match &step.kind {
        StatementKind::Define { function, .. } if scope.code.functions[*function].name == *name => {
            Some(*function)
        }
        _ => None,
    });
    let Some(method) = method.filter(|method| !off.contains(method)) else { return Vec::new() };
    let mut run = Vec::new();
    walk_block(scope.code, &scope.code.functions[method].body, &mut |part, around| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_off = around.iter().any(|one| matches!(one, Ancestor::With(step) if with_is_off(scope, step)));
        let text = scope.text(call.callee.span);
        if !is_off && text.starts_with("self.") {
            run.push(text);
        }
    });
    run
}

/// Whether a `with` turns gradients off in its block.
pub(super) fn with_is_off(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    match &step.kind {
        StatementKind::With { items, .. } => items.iter().any(|(item, _)| are_off(scope, item)),
        _ => false,
    }
}

/// Whether a method runs a model with gradients on: one of a class of this file does, since those of libraries turn them off.
fn runs_model(scope: &FileScope<'_>, name: &str, off: &FxHashSet<usize>) -> bool {
    const RUNNING: &[&str] = &["decode", "encode", "generate", "infer", "inference", "predict", "sample"];
    let methods = || {
        scope.code.classes.iter().flat_map(|class| &class.body).filter_map(|step| match &step.kind {
            StatementKind::Define { function, .. } => Some((*function, &scope.code.functions[*function])),
            _ => None,
        })
    };
    let own = || methods().filter(|(_, function)| function.name == name);
    let has_no_graph = |(number, function): (usize, &Function<'_>)| {
        off.contains(&number) || scope.text(function.span).contains("no_grad") || {
            scope.text(function.span).contains("inference_mode")
        }
    };
    RUNNING.contains(&name) && own().next().is_some() && !own().any(has_no_graph)
}

/// Functions that run with gradients off: by a decorator, or because this file calls them so.
pub(super) fn functions_without_gradients(scope: &FileScope<'_>) -> FxHashSet<usize> {
    let mut off = FxHashSet::default();
    let mut fresh: Vec<usize> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    // Each call by name, with the function that it stands in.
    let mut calls: Vec<(usize, &str)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(Statement { kind: StatementKind::Define { function, decorators }, .. })
            if decorators.iter().any(|one| are_off(scope, one)) =>
        {
            off.insert(*function);
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            // `torch.set_grad_enabled(False)` as a statement holds from there on.
            let as_manager = matches!(around.last(), Some(Ancestor::WithItem(_) | Ancestor::Decorator(_)));
            if path(scope, &call.callee).ends_with("set_grad_enabled") && are_off(scope, expr) && !as_manager
            {
                fresh.extend(within_function(around).0);
            }
            let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else { return };
            if around.iter().any(|one| matches!(one, Ancestor::With(step) if with_is_off(scope, step))) {
                names.push(name);
            }
            calls.extend(within_function(around).0.map(|function| (function, *name)));
        }
        _ => {}
    });
    let functions = &scope.code.functions;
    let named = |name: &str| -> Vec<usize> {
        let all = functions.iter().enumerate();
        all.filter(|(_, function)| function.name == name).map(|(number, _)| number).collect()
    };
    fresh.extend(names.into_iter().flat_map(named).chain(off.iter().copied()));
    while let Some(function) = fresh.pop() {
        off.insert(function);
        let below = calls.iter().filter(|(caller, _)| *caller == function).flat_map(|(_, name)| named(name));
        fresh.extend(below.filter(|number| !off.contains(number)).collect::<Vec<_>>());
    }
    off
}

/// Whether each turn of a loop makes the model anew: then it is called once, and not for each of many batches.
fn makes(step: &Statement<'_>, model: &str) -> bool {
    let (StatementKind::For { body, .. } | StatementKind::While { body, .. }) = &step.kind else {
        return false;
    };
    body.iter().any(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(_), .. } => {
            targets.iter().any(|target| matches!(target, Target::Name(name, _) if *name == model))
        }
        _ => false,
    })
}

/// Whether a loop asks for gradients, which evaluation mode allows.
fn differentiates(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    let (StatementKind::For { body, .. } | StatementKind::While { body, .. }) = &step.kind else {
        return false;
    };
    let mut found = false;
    walk_block(scope.code, body, &mut |part, _| {
        if let CodeNode::Expr(expr) = part {
            let method = method_of(expr).map_or("", |(_, name, _)| name);
            found |= matches!(method, "backward" | "requires_grad_" | "manual_backward")
                || called(scope, expr).starts_with("torch.autograd.grad")
                || called(scope, expr).starts_with("torch.func.");
        }
    });
    found
}

/// Whether nothing in this file records a graph: its models ask for no gradients, or the whole program turned them off.
fn records_nothing(scope: &FileScope<'_>) -> bool {
    let text = scope.whole_text();
    let mut off = text.contains("requires_grad = False") || text.contains("requires_grad_(False)");
    walk(scope.code, &mut |part, around| {
        if let CodeNode::Statement(Statement { kind: StatementKind::Evaluate(value), .. }) = part {
            let module = !around.iter().any(|one| matches!(one, Ancestor::Function(_)));
            off |= module && called(scope, value).ends_with("set_grad_enabled") && are_off(scope, value);
        }
    });
    off
}

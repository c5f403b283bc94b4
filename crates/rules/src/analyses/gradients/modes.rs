//! Models in evaluation mode, as far as a file says: `model.eval()`, what it is wrapped in later, what a function of the
//! file hands out in that mode, and what a class keeps in it.

use crate::code::walk::{Ancestor, CodeNode, innermost_class, walk, within_function};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::analyses::memory::{method_of, path};
use crate::rules::files::FileScope;

/// A model that was put into evaluation mode.
pub(super) struct Evaluated {
    function: Option<usize>,
    class: Option<usize>,
    model: String,
    pub(super) span: Span,
    /// `model.train()`: it is no longer so.
    pub(super) ended: bool,
}

/// The last word about the mode of a model before a place. What a class keeps in evaluation mode, in whatever method, is
/// in it in all of them, unless one trains it.
pub(super) fn last_word<'e>(
    evaluated: &'e [Evaluated],
    model: &str,
    around: &[Ancestor<'_, '_>],
    before: Span,
) -> Option<&'e Evaluated> {
    let (function, _) = within_function(around);
    // One of a mapping, of which all were put into the mode: `self.model["generator"]`.
    let of_all = model
        .strip_suffix(']')
        .and_then(|model| model.split_once('['))
        .map(|(mapping, _)| format!("{mapping}{ALL}"));
    let of_model = || {
        let is_it =
            |one: &&Evaluated| one.model == model || of_all.as_ref().is_some_and(|all| one.model == *all);
        evaluated.iter().filter(is_it)
    };
    let here = of_model().rev().find(|one| one.function == function && one.span.end <= before.start);
    if here.is_some() || !model.starts_with("self.") {
        return here;
    }
    let class = innermost_class(around)?;
    let mut in_class = of_model().filter(|one| one.class == Some(class));
    if of_model().any(|one| one.class == Some(class) && one.ended) { None } else { in_class.next() }
}

pub(super) fn evaluated_in(scope: &FileScope<'_>) -> Vec<Evaluated> {
    let mut found: Vec<Evaluated> = Vec::new();
    let loaders = loaders_of(scope);
    walk(scope.code, &mut |part, around| {
        let (function, _) = within_function(around);
        let mut note = |model: &str, span, ended| {
            let class = innermost_class(around);
            found.push(Evaluated { function, class, model: model.to_owned(), span, ended });
        };
        match part {
            CodeNode::Statement(Statement {
                kind: StatementKind::Assign { targets, value: Some(value), .. },
                span,
            }) => {
                let [target] = &targets[..] else { return };
                let (model, is_name) = match target {
                    Target::Name(name, _) => ((*name).to_owned(), true),
                    Target::Attribute(object, name) => (format!("{}.{name}", scope.text(object.span)), false),
                    _ => return,
                };
                if matches!(mode_of(value), Some((_, false))) || is_loaded(value, &loaders) {
                    note(&model, *span, false);
                } else if let Some(inner) = same_model(scope, value) {
                    let inner = scope.text(inner.span);
                    let known = found.iter().rev().find(|one| one.function == function && one.model == inner);
                    if let Some(ended) = known.map(|known| known.ended) {
                        let class = innermost_class(around);
                        found.push(Evaluated { function, class, model, span: *span, ended });
                    }
                } else if is_name {
                    // Another object has the name now.
                    note(&model, *span, true);
                }
            }
            CodeNode::Expr(expr) => {
                if let Some((object, trains)) = mode_of(expr) {
                    note(scope.text(object.span), expr.span, trains);
                    if let Some(mapping) = mapping_of(scope, object, around) {
                        note(&format!("{mapping}{ALL}"), expr.span, trains);
                    }
                }
            }
            _ => {}
        }
    });
    found
}

/// Stands for all that a mapping holds.
const ALL: &str = "[*]";

/// The mapping whose values a loop puts into a mode, one after the other: `for key in models: models[key].eval()`,
/// `for model in models.values(): model.eval()`.
fn mapping_of<'s>(scope: &FileScope<'s>, object: &Expr<'_>, around: &[Ancestor<'_, '_>]) -> Option<&'s str> {
    let turned = around.iter().rev().find_map(|one| match one {
        Ancestor::Loop(step) => match &step.kind {
            StatementKind::For { target: Target::Name(name, _), iterable, .. } => Some((*name, iterable)),
            _ => None,
        },
        _ => None,
    });
    let (name, iterable) = turned?;
    let turns = scope.text(iterable.span);
    match &object.kind {
        ExprKind::Item(item) => {
            let mapping = scope.text(item.0.span);
            let is_key = matches!(item.1.kind, ExprKind::Name(key) if key == name);
            let of_it = turns == mapping || turns.strip_suffix(".keys()") == Some(mapping);
            (is_key && of_it).then_some(mapping)
        }
        ExprKind::Name(model) if *model == name => turns.strip_suffix(".values()"),
        _ => None,
    }
}

/// `model.eval()`, `model.train(False)`, `model.train()`: the model, and whether it trains now.
fn mode_of<'e, 's>(expr: &'e Expr<'s>) -> Option<(&'e Expr<'s>, bool)> {
    let (object, name, call) = method_of(expr)?;
    match (name, &call.arguments[..]) {
        ("eval", []) => Some((object, false)),
        ("train", []) => Some((object, true)),
        ("train", [one]) => Some((object, !matches!(one.value.kind, ExprKind::Bool(false)))),
        // `Net().eval().to(device)`
        (name, _) if MOVING.contains(&name) => mode_of(object),
        _ => None,
    }
}

/// Methods that return the model itself.
const MOVING: &[&str] = &["to", "cuda", "half", "float", "bfloat16", "cpu", "requires_grad_"];

/// The model that a value is, moved or wrapped: a wrapper runs it in the mode that it is in.
fn same_model<'e, 's>(scope: &FileScope<'_>, value: &'e Expr<'s>) -> Option<&'e Expr<'s>> {
    const WRAPPERS: &[&str] = &[
        "torch.compile",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.data_parallel.DataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
    ];
    let ExprKind::Call(call) = &value.kind else {
        return matches!(value.kind, ExprKind::Name(_) | ExprKind::Attribute(..)).then_some(value);
    };
    if let Some((object, name, _)) = method_of(value)
        && MOVING.contains(&name)
    {
        return same_model(scope, object);
    }
    let first = call.arguments.first().filter(|_| WRAPPERS.contains(&path(scope, &call.callee)))?;
    same_model(scope, &first.value)
}

/// Functions of the file that end by returning a model which they put into evaluation mode.
fn loaders_of<'s>(scope: &FileScope<'s>) -> Vec<&'s str> {
    let functions = scope.code.functions.iter();
    let loads = functions.filter(|function| {
        let Some(StatementKind::Return(Some(value))) = function.body.last().map(|step| &step.kind) else {
            return false;
        };
        if matches!(mode_of(value), Some((_, false))) {
            return true;
        }
        let ExprKind::Name(name) = &value.kind else { return false };
        function.body.iter().rev().skip(1).find_map(|step| mode_in(step, name)) == Some(false)
    });
    loads.map(|function| function.name).collect()
}

/// Whether a statement puts the model of this name into training mode, or out of it.
fn mode_in(step: &Statement<'_>, model: &str) -> Option<bool> {
    match &step.kind {
        StatementKind::Evaluate(value) => {
            let (object, trains) = mode_of(value)?;
            matches!(&object.kind, ExprKind::Name(name) if *name == model).then_some(trains)
        }
        StatementKind::Assign { targets, value: Some(value), .. } => {
            let is_it =
                targets.iter().any(|target| matches!(target, Target::Name(name, _) if *name == model));
            let trains = mode_of(value).map(|(_, trains)| trains);
            is_it.then_some(trains).flatten()
        }
        _ => None,
    }
}

fn is_loaded(value: &Expr<'_>, loaders: &[&str]) -> bool {
    if let Some((object, name, _)) = method_of(value)
        && MOVING.contains(&name)
    {
        return is_loaded(object, loaders);
    }
    let ExprKind::Call(call) = &value.kind else { return false };
    matches!(&call.callee.kind, ExprKind::Name(name) if loaders.contains(name))
}

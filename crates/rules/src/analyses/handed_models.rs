//! Models that a function of the project moves, which a training is handed together with its optimizer.

use super::memory::method_of;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Call, Code, Expr, ExprKind, Function, StatementKind};
use crate::facts::FileId;
use crate::rules::files::FileScope;

/// Functions that hand their model on to functions: further ones are not followed.
const MAX_HOPS: usize = 3;

/// `optimizer = make_optimizer(model)` of the project: the name of the model.
pub(super) fn made_by_helper<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c str> {
    let ExprKind::Name(name) = call.callee.kind else { return None };
    if !name.contains("optim") {
        return None;
    }
    let (_, function, file) = function_called(scope, name)?;
    let text = text_of(scope, file, function);
    let is_plain = text.contains("parameters()") && !text.contains(".cuda(") && !text.contains(".to(");
    let mut models = call.arguments.iter().filter_map(|one| match one.value.kind {
        ExprKind::Name(name) if name.contains("model") || name.contains("net") => Some(name),
        _ => None,
    });
    models.next().filter(|_| is_plain)
}

/// Whether a function of the project makes the model, and moves it already.
pub(super) fn is_moved_by_maker(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let text = function_called(scope, name).map(|(_, function, file)| text_of(scope, file, function));
    text.is_some_and(|text| text.contains(".cuda(") || text.contains(".to("))
}

/// Whether a call hands a model to a function of the project that moves it.
pub(super) fn moves_argument(scope: &FileScope<'_>, call: &Call<'_>, model: &str) -> bool {
    is_moved_by(scope, call, model, 0)
}

fn is_moved_by(scope: &FileScope<'_>, call: &Call<'_>, model: &str, hops: usize) -> bool {
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let is_model = |value: &Expr<'_>| matches!(value.kind, ExprKind::Name(name) if name == model);
    let Some(given) = call.arguments.iter().position(|one| !one.unpacked && is_model(&one.value)) else {
        return false;
    };
    let Some((code, function, file)) = function_called(scope, name).filter(|_| hops < MAX_HOPS) else {
        return false;
    };
    let text = text_of(scope, file, function);
    // Who goes through the state of the optimizer moves it too.
    if [".state.values()", ".state.items()", "optimizer.state["].iter().any(|word| text.contains(word)) {
        return false;
    }
    let parameter = match call.arguments[given].name {
        Some(name) => name,
        None => match function.parameters.get(given) {
            Some(parameter) => parameter.name,
            None => return false,
        },
    };
    let mut moved = false;
    walk_block(code, &function.body, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Evaluate(value) = &step.kind
                && let Some((object, "to" | "cuda", _)) = method_of(value)
            {
                moved |= matches!(object.kind, ExprKind::Name(name) if name == parameter);
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(inner), .. }) if !moved => {
            moved = is_moved_by(scope, inner, parameter, hops + 1);
        }
        _ => {}
    });
    moved
}

/// The one function of this name in the project.
fn function_called<'p>(
    scope: &'p FileScope<'_>,
    name: &str,
) -> Option<(&'p Code<'p>, &'p Function<'p>, FileId)> {
    let head = format!("def {name}(");
    let files = scope.program.every_file();
    let mut files = files.filter(|(_, source)| source.is_python() && source.text.contains(&head));
    let (file, _) = files.next().filter(|_| files.next().is_none())?;
    let code = scope.program.code(file);
    let mut functions = code.functions.iter().filter(|function| function.name == name);
    let function = functions.next().filter(|_| functions.next().is_none())?;
    Some((code, function, file))
}

fn text_of<'p>(scope: &'p FileScope<'_>, file: FileId, function: &Function<'_>) -> &'p str {
    scope.program.text_of(file).get(function.span.range()).unwrap_or_default()
}

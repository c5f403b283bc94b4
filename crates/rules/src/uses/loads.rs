//! Where what a call loads is put.

use super::{Use, argument};
use crate::code::walk::{CodeNode, functions_around, walk_block};
use crate::code::{Expr, ExprKind, Statement, StatementKind};
use crate::rules::files::FileScope;
use crate::sources::file_name_of;

/// Whether what a call returns is the state of a scheduler of learning rates, `scheduler.load_state_dict(torch.load(path))`, or of what
/// scales gradients: these are numbers.
pub(super) fn goes_into_scheduler(one: &Use<'_>, scope: &FileScope<'_>) -> bool {
    let whole = scope.text(one.statement);
    let receiver = whole.split_once(".load_state_dict(").map(|(receiver, _)| receiver);
    receiver.is_some_and(|receiver| {
        let receiver = receiver.to_ascii_lowercase();
        ["scheduler", "scaler"].iter().any(|name| receiver.ends_with(name))
    })
}

/// Whether what a call returns reaches `load_state_dict`: in the same statement, or under the name that it gets.
pub(super) fn goes_into_model(one: &Use<'_>, scope: &FileScope<'_>) -> bool {
    const PUTS: &str = "load_state_dict(";
    if scope.text(one.statement).contains(PUTS) {
        return true;
    }
    let Some(name) = one.binds else { return false };
    // So many bytes of a call are looked at for the name.
    const NEAR: usize = 120;
    let is_named = |text: &str| {
        let text: String = text.chars().take(NEAR).take_while(|&letter| letter != '\n').collect();
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name)
    };
    let behind = scope.whole_text().get(one.statement.end as usize..).unwrap_or_default();
    behind.match_indices(PUTS).any(|(at, _)| is_named(&behind[at + PUTS.len()..]))
}

/// `if not os.path.exists(path): fit(net, path)` and `else: net.load_state_dict(torch.load(path))`: what the program itself has left
/// there in an earlier run.
pub(super) fn is_made_where_missing(load: &Use<'_>, scope: &FileScope<'_>) -> bool {
    let Some(path) = argument(load.arguments, Some(0), Some("f")) else { return false };
    let path = scope.text(path.span);
    let asks = |test: &Expr<'_>| {
        let text = scope.text(test.span);
        text.contains("exists(") && text.contains(path)
    };
    let lies_in = |block: &[Statement<'_>]| block.iter().any(|step| step.span.holds(load.span));
    let mut is_made = false;
    scope.each_statement(&mut |step, _| {
        let StatementKind::Branch { test, then, otherwise } = &step.kind else { return };
        if asks(test) {
            is_made |= lies_in(otherwise) && makes(scope, then, path)
                || lies_in(then) && makes(scope, otherwise, path);
        }
    });
    is_made
}

/// Whether a block hands a path to what makes a file there.
fn makes(scope: &FileScope<'_>, block: &[Statement<'_>], path: &str) -> bool {
    const MAKERS: &[&str] = &["build", "create", "dump", "fit", "make", "save", "train"];
    let mut makes = false;
    walk_block(scope.code, block, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = call.callee.kind else { return };
        let name = name.to_ascii_lowercase();
        makes |= MAKERS.iter().any(|word| name.contains(word))
            && call.arguments.iter().any(|one| scope.text(one.value.span) == path);
    });
    makes
}

/// Whether the script or notebook itself, outside of functions, has saved a file of this name before, by a function that is called
/// so: `save_model(model, name="small.pth")`, and `torch.load("models/small.pth")` in a later cell.
pub(super) fn is_saved_by_name(load: &Use<'_>, scope: &FileScope<'_>) -> bool {
    let text_of = |expr: &Expr<'_>| match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        _ => None,
    };
    if load.function.is_some() {
        return false;
    }
    let Some(path) = argument(load.arguments, Some(0), Some("f")).and_then(text_of) else { return false };
    let name = file_name_of(&path);
    let mut is_saved = false;
    scope.each_call(&mut |expr, call, around| {
        let (ExprKind::Attribute(_, callee) | ExprKind::Name(callee)) = call.callee.kind else { return };
        is_saved |= expr.span.end <= load.span.start
            && functions_around(around).next().is_none()
            && callee.to_ascii_lowercase().starts_with("save")
            && call
                .arguments
                .iter()
                .any(|one| text_of(&one.value).is_some_and(|text| file_name_of(&text) == name));
    });
    is_saved
}

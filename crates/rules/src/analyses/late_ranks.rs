//! Processes that use a GPU before they choose their own: until then the current one is number 0.

use super::order::PlaceInFunction;
use crate::code::{Call, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Whether a call is given the number of this process under another name: `me = int(os.environ["LOCAL_RANK"])`.
fn holds_number(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let Some(given) = argument(&call.arguments, Some(0), Some("device")) else { return false };
    if scope.program.speaks_of_rank(scope.place(scope.names.meant(given).span)) {
        return true;
    }
    let ExprKind::Name(name) = given.kind else { return false };
    let function = scope.program.innermost_function(scope.file, given.span.start as usize);
    scope.program.is_rank_name(scope.file, name, function)
}

/// Uses of the current card above the call that makes the card of this process current.
pub(super) fn used_before(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut used, mut chosen): (Vec<PlaceInFunction>, Vec<PlaceInFunction>) = (Vec::new(), Vec::new());
    scope.each_call(&mut |expr, call, around| {
        if scope.names.path(&call.callee) == Some("torch.cuda.set_device")
            && (scope.program.speaks_of_rank(scope.place(expr.span)) || holds_number(scope, call))
        {
            chosen.push(PlaceInFunction::of(expr.span, around));
        }
        let current = match &call.callee.kind {
            ExprKind::Attribute(_, "cuda") => call.arguments.is_empty(),
            ExprKind::Attribute(_, "to") => argument(&call.arguments, Some(0), Some("device"))
                .is_some_and(|device| matches!(&device.kind, ExprKind::Text(text) if text == "cuda")),
            _ => false,
        };
        if current {
            used.push(PlaceInFunction::of(expr.span, around));
        }
    });
    // What is made current twice may be so before.
    let [chosen] = &chosen[..] else { return Vec::new() };
    let Some(early) = used.iter().find(|used| used.precedes(chosen)) else { return Vec::new() };
    let raw_finding = RawFinding::at(scope.place(early.span)).word("use", scope.text(early.span));
    vec![raw_finding.beside(scope.place(chosen.span), "the card of this process is chosen here")]
}

//! Processes of DeepSpeed that wait for each other before DeepSpeed has given each its card.

use crate::facts::Span;
use crate::rules::analyses::memory::function_called;
use crate::rules::analyses::order::PlaceInFunction;
use crate::rules::files::FileScope;

/// `deepspeed.init_distributed()`, where a barrier runs before `deepspeed.initialize()`, which makes the card of the process
/// the current one.
pub(super) fn joined_without_card(scope: &FileScope<'_>) -> Option<Span> {
    let (mut joined, mut waits, mut given) = (Vec::new(), Vec::new(), Vec::new());
    scope.each_call(&mut |expr, call, around| {
        let seen = PlaceInFunction::of(expr.span, around);
        match scope.names.path(&call.callee) {
            Some("deepspeed.init_distributed") => joined.push(seen),
            Some("deepspeed.initialize") => given.push(seen),
            Some("torch.distributed.barrier" | "deepspeed.comm.barrier") if call.arguments.is_empty() => {
                waits.push(seen);
            }
            _ => {
                let inside = function_called(scope, expr).is_some_and(|function| {
                    let text = scope.text(function.span);
                    text.contains("barrier()") && !text.contains("deepspeed.initialize")
                });
                if inside {
                    waits.push(seen);
                }
            }
        }
    });
    let is_between = |wait: &PlaceInFunction, join: &PlaceInFunction| {
        join.precedes(wait)
            && given.iter().any(|one| wait.home == one.home && wait.span.end <= one.span.start)
    };
    let found = joined.iter().find(|join| waits.iter().any(|wait| is_between(wait, join)));
    found.map(|join| join.span)
}

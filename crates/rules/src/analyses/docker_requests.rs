//! Requests for GPUs that a program in Python makes of docker.

use super::containers::split_by_docker;
use super::literal_defaults::{Literal, default_of};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// A number and names in one request, of a program or of a command.
pub(super) fn with_count_and_ids(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = split_by_docker(scope);
    requests(scope, &mut |call| {
        let count = argument(&call.arguments, None, Some("count"));
        let ids = argument(&call.arguments, None, Some("device_ids"));
        let counts = |count: &Expr<'_>| match &scope.names.meant(count).kind {
            ExprKind::Int(count) => *count != 0,
            ExprKind::Negate(_) => true,
            _ => false,
        };
        let names = |ids: &Expr<'_>| match &scope.names.meant(ids).kind {
            ExprKind::Sequence(ids) => !ids.is_empty(),
            _ => false,
        };
        if let (Some(count), Some(ids)) = (count, ids)
            && counts(count)
            && names(ids)
        {
            let written = format!("count={}, device_ids={}", scope.text(count.span), scope.text(ids.span));
            found.push(RawFinding::at(scope.place(ids.span)).word("text", written));
        }
    });
    found
}

/// `device_ids=["0,1"]`: each element is the name of one card, and nothing is split.
pub(super) fn with_lists_in_ids(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<(Span, String)> = Vec::new();
    requests(scope, &mut |call| {
        let Some(ids) = argument(&call.arguments, None, Some("device_ids")) else { return };
        let ExprKind::Sequence(ids) = &scope.names.meant(ids).kind else { return };
        for id in ids {
            if let Some(Literal::Text(text)) = default_of(scope, id)
                && text.contains(',')
            {
                found.push((id.span, text));
            }
        }
    });
    let raw_finding = |(span, text): (Span, String)| RawFinding::at(scope.place(span)).word("value", text);
    found.into_iter().map(raw_finding).collect()
}

fn requests<'c>(scope: &FileScope<'c>, each: &mut dyn FnMut(&'c Call<'c>)) {
    scope.each_call(&mut |_, call, _| {
        if matches!(
            scope.names.path(&call.callee),
            Some("docker.types.DeviceRequest" | "docker.types.containers.DeviceRequest")
        ) {
            each(call);
        }
    });
}

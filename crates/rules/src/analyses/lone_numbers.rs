//! The number of a process that is not the first one where no launcher has given it.

use super::memory::path;
use crate::code::ExprKind;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `int(os.environ.get("LOCAL_RANK", 1))`
pub(super) fn of_lone_processes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const NUMBERS: &[&str] = &[
        "LOCAL_RANK",
        "MPI_LOCALRANKID",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "SLURM_LOCALID",
    ];
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        if !matches!(path(scope, &call.callee), "os.environ.get" | "os.getenv") {
            return;
        }
        let (Some(name), Some(default)) = (
            argument(&call.arguments, Some(0), Some("key")),
            argument(&call.arguments, Some(1), Some("default")),
        ) else {
            return;
        };
        let ExprKind::Text(name) = &name.kind else { return };
        let number = match &default.kind {
            ExprKind::Int(number) => *number,
            ExprKind::Text(text) => text.trim().parse().unwrap_or_default(),
            _ => return,
        };
        if NUMBERS.contains(&&**name) && number > 0 {
            let raw_finding = RawFinding::at(scope.place(default.span)).word("name", name.to_string());
            found.push(raw_finding.word("number", number.to_string()));
        }
    });
    found
}

//! Workers of Dask that are told of a GPU each, and all see the same ones.

use super::cuda_calls::reaches_cuda;
use super::memory::{function_named, method_of, path};
use crate::code::ExprKind;
use crate::code::walk::{CodeNode, walk};
use crate::commands::{option_values, program_name};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `dask worker … --nworkers 4 --resources "GPU=1"`
pub(super) fn of_dask(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Whoever sets masks may give each worker its own.
    if scope.whole_text().contains("VISIBLE_DEVICES") {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let words = command.words();
        let is_program =
            |word: &Option<&str>, name: &str| word.is_some_and(|word| program_name(word) == name);
        let worker = words.iter().position(|word| is_program(word, "dask-worker")).or_else(|| {
            words.windows(2).position(|pair| is_program(&pair[0], "dask") && pair[1] == Some("worker"))
        });
        let Some(told) = worker.map(|at| &words[at + 1..]) else { continue };
        let value_of = |names: &[&str]| option_values(told, names).find_map(|(_, value)| value);
        let count = value_of(&["--nprocs", "--nworkers", "--n-workers"]);
        let gpu = value_of(&["--resources"]).filter(|resources| resources.contains("GPU="));
        if let (Some(count), Some(_)) = (count.and_then(|count| count.parse::<u32>().ok()), gpu)
            && count > 1
            && !found.iter().any(|known| known.place == command.site)
        {
            let seen = RawFinding::at(command.site).word("workers", format!("these {count} workers"));
            found.push(seen.word("reason", "`--resources` only counts tasks, and "));
        }
    }
    found.extend(of_local_cluster(scope));
    found
}

/// `LocalCluster()`, whose client hands a function to its workers that uses a GPU.
fn of_local_cluster(scope: &FileScope<'_>) -> Option<RawFinding> {
    if !scope.whole_text().contains("LocalCluster(") {
        return None;
    }
    let (mut made, mut handed): (Option<Span>, Vec<&str>) = (None, Vec::new());
    scope.each_call(&mut |expr, call, _| {
        if matches!(path(scope, &call.callee), "dask.distributed.LocalCluster" | "distributed.LocalCluster") {
            let given = |name: &str| argument(&call.arguments, None, Some(name)).map(|one| &one.kind);
            let is_one = matches!(given("n_workers"), Some(ExprKind::Int(1)))
                || matches!(given("processes"), Some(ExprKind::Bool(false)));
            made = made.or((!is_one).then_some(expr.span));
        }
        if let Some((client, "map" | "submit", call)) = method_of(expr)
            && scope.text(client.span).contains("client")
            && let Some(ExprKind::Name(name)) = call.arguments.first().map(|one| &one.value.kind)
        {
            handed.push(name);
        }
    });
    let cluster = made?;
    let used = handed.into_iter().find_map(|name| {
        let function = function_named(scope, name)?;
        let mut used = None;
        walk(scope.code, &mut |part, _| {
            if let CodeNode::Expr(expr) = part
                && function.span.holds(expr.span)
                && used.is_none()
            {
                used = reaches_cuda(expr, scope).map(|_| expr.span);
            }
        });
        used
    })?;
    let seen = RawFinding::at(scope.place(cluster)).word("workers", "the workers of this cluster");
    let seen = seen.word("reason", "").beside(scope.place(used), "its workers use the GPU here");
    // On a machine with one GPU they share it in any case.
    Some(seen.at_most(Severity::Note))
}

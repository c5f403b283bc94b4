//! Libraries that compute on one GPU, and take memory on all that they see.

use super::literal_defaults::{Literal, default_of};
use super::memory::path;
use super::pods::value;
use crate::code::Expr;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What CatBoost trains with: `devices` says on which GPUs.
const ESTIMATORS: &[&str] = &[
    "catboost.CatBoost",
    "catboost.CatBoostClassifier",
    "catboost.CatBoostRanker",
    "catboost.CatBoostRegressor",
];

/// `CatBoostClassifier(task_type="GPU", devices="3")`, in a project that sets no mask.
pub(super) fn by_catboost(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.program.has_any(&["CUDA_VISIBLE_DEVICES"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let path = path(scope, &call.callee);
        let (kind, devices) = if ESTIMATORS.contains(&path) {
            let given = |name: &str| argument(&call.arguments, None, Some(name));
            match (given("task_type"), given("devices")) {
                (Some(kind), Some(devices)) => (kind, devices),
                _ => match argument(&call.arguments, Some(0), Some("params"))
                    .and_then(|it| both_in(scope, it))
                {
                    Some(both) => both,
                    None => return,
                },
            }
        } else if matches!(path, "catboost.train" | "catboost.cv") {
            let params = argument(&call.arguments, None, Some("params")).or_else(|| {
                call.arguments.iter().map(|one| &one.value).find(|one| both_in(scope, one).is_some())
            });
            let Some(both) = params.and_then(|params| both_in(scope, params)) else { return };
            both
        } else {
            return;
        };
        let is_gpu = matches!(default_of(scope, kind), Some(Literal::Text(kind)) if kind == "GPU");
        let chosen = match default_of(scope, devices) {
            Some(Literal::Text(chosen)) => chosen,
            Some(Literal::Int(chosen)) => chosen.to_string(),
            _ => return,
        };
        // `0-3`, `0:1`: some of them, and the others are touched all the same.
        let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_known = found.iter().any(|known: &RawFinding| known.place.span == devices.span);
        if is_gpu && !is_known && chosen.split([':', '-']).all(is_index) {
            found.push(RawFinding::at(scope.place(devices.span)).word("chosen", chosen));
        }
    });
    found
}

/// Both parameters in a dictionary.
fn both_in<'c>(scope: &'c FileScope<'_>, params: &'c Expr<'c>) -> Option<(&'c Expr<'c>, &'c Expr<'c>)> {
    let params = scope.names.meant(params);
    Some((value(params, "task_type")?, value(params, "devices")?))
}

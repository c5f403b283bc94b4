//! Functions that are told a device, and do not hand it to one of the project that takes the first GPU where it is told none.

use super::memory::function_named;
use super::own_calls::{imported, module_and_name};
use super::unused_choices::WHICH;
use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Call, Expr, ExprKind, Function};
use crate::facts::{Place, Span};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What parameters are called by which callers choose a device.
const NAMES: &[&str] =
    &["cuda_device", "device", "device_id", "device_name", "gpu", "gpu_id", "gpu_index", "gpu_number"];

/// `def choose(device): if works(): net.to(device)`, where `works(number=0)` tries GPU 0.
pub(super) fn where_a_device_is_told(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    if scope.program.is_of_tests(scope.file) {
        return found;
    }
    for function in &scope.code.functions {
        let text = scope.text(function.span);
        let is_told = |name: &str| NAMES.contains(&name) && places(text, name);
        let Some(told) = function.parameters.iter().find(|one| is_told(one.name)) else { continue };
        let mut calls: Vec<(&Call<'_>, Span)> = Vec::new();
        walk_block(scope.code, &function.body, &mut |part, around| {
            let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            // `if device is None:`
            let is_asked = around.iter().any(|one| match one {
                Ancestor::Then(test) | Ancestor::Otherwise(test) => scope.text(test.span).contains(told.name),
                _ => false,
            });
            if !is_asked && !scope.text(expr.span).contains(told.name) {
                calls.push((call, expr.span));
            }
        });
        for (call, span) in calls {
            let Some((default, taken)) = default_taken(scope, call, function) else { continue };
            let what = format!("the parameter `{}` of `{}`", told.name, function.name);
            let card = if default == "0" { "GPU 0".to_owned() } else { format!("`{default}`") };
            let fate = format!("`{}` takes {card} without it", scope.text(span));
            let raw_finding = RawFinding::at(scope.place(span)).word("what", what).word("says", WHICH);
            let raw_finding = raw_finding.word("fate", fate).at_most(Severity::Note);
            found.push(raw_finding.beside(taken, "what it takes where it is told nothing"));
        }
    }
    found
}

/// The GPU that a function of the project takes in a call which does not name one, as it is written, and where.
fn default_taken<'a>(
    scope: &FileScope<'a>,
    call: &Call<'_>,
    caller: &Function<'_>,
) -> Option<(&'a str, Place)> {
    let (None, name) = module_and_name(&call.callee)? else { return None };
    if let Some(function) = function_named(scope, name) {
        return if std::ptr::eq(function, caller) { None } else { of_function(scope, call, function) };
    }
    // Names of libraries and of Python itself are not looked for.
    let is_imported = |line: &str| line.contains("import") && line.contains(name);
    let is_there = scope.whole_text().lines().any(is_imported);
    let (file, name) = if is_there { imported(scope, None, name)? } else { return None };
    let (default, place) = scope.in_other(file, |other| {
        let (_, place) = of_function(other, call, function_named(other, name)?)?;
        Some((scope.program.sources.file(file).text.get(place.span.range())?, place))
    })?;
    Some((default, place))
}

fn of_function<'a>(
    scope: &FileScope<'a>,
    call: &Call<'_>,
    function: &Function<'_>,
) -> Option<(&'a str, Place)> {
    let (at, taking) = function.parameters.iter().enumerate().find(|(_, one)| NAMES.contains(&one.name))?;
    let default = taking.default.as_ref()?;
    let is_gpu = match &default.kind {
        ExprKind::Int(0) => taking.name != "device",
        ExprKind::Text(text) => text.starts_with("cuda"),
        _ => false,
    };
    let is_given = argument(&call.arguments, Some(at), Some(taking.name)).is_some()
        || call.arguments.iter().any(|one| one.unpacked);
    let takes = is_gpu && !is_given && places(scope.text(function.span), taking.name);
    takes.then(|| (scope.text(default.span), scope.place(default.span)))
}

/// Whether the text of a function puts something on the device of this name.
fn places(text: &str, name: &str) -> bool {
    [".to(", "device=", "device(", ".cuda(", "map_location=", "cuda:{", "\"cuda:\" + str(", "'cuda:' + str("]
        .iter()
        .any(|sign| {
            text.match_indices(sign).any(|(at, _)| {
                let rest = &text[at + sign.len()..];
                rest.strip_prefix(name).is_some_and(|rest| rest.starts_with([')', ',', '}', '\n', '.']))
            })
        })
}

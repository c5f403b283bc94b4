//! The platform of JAX, where it is chosen after JAX has begun.

use super::memory::function_called;
use super::order::PlaceInFunction;
use super::written_variables::{overwritten, written};
use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::program::knowledge::Does;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Platforms that are chosen below the first computation.
pub(super) fn chosen_too_late(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut began, mut set): (Vec<PlaceInFunction>, Vec<(PlaceInFunction, String)>) =
        (Vec::new(), Vec::new());
    scope.each_call(&mut |expr, call, around| {
        if begins_inside(scope, expr) {
            return began.push(PlaceInFunction::of(expr.span, around));
        }
        let Some(path) = scope.names.path(&call.callee) else { return };
        if path == "jax.config.update" {
            let name = argument(&call.arguments, Some(0), None).map(|name| &name.kind);
            if let Some(ExprKind::Text(name)) = name
                && ["jax_platforms", "jax_platform_name"].iter().any(|known| name == known)
            {
                set.push((PlaceInFunction::of(expr.span, around), name.to_string()));
            }
        } else if path.starts_with("jax.") && begins(scope, path) {
            began.push(PlaceInFunction::of(expr.span, around));
        }
    });
    let mut found = read_at_import(scope);
    for (seen, name) in &set {
        let Some(first) = began.iter().find(|first| first.precedes(seen)) else { continue };
        let raw_finding = RawFinding::at(scope.place(seen.span)).word("name", name);
        let raw_finding = raw_finding.word("why", "JAX has already initialised its devices");
        found.push(raw_finding.beside(scope.place(first.span), "JAX begins here"));
    }
    found
}

/// `os.environ["JAX_PLATFORMS"] = "cpu"` below `import jax`, which reads it; what is set before as well, or for other processes, is
/// left alone.
fn read_at_import(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const NAME: &str = "JAX_PLATFORMS";
    const ELSEWHERE: &[&str] = &["jax_platforms", "multiprocessing", "reload(", "spawn", "subprocess"];
    let text = scope.whole_text();
    if !text.contains(NAME) || ELSEWHERE.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let (mut imported, mut found, mut is_set) = (None, Vec::new(), false);
    for step in &scope.code.body {
        match &step.kind {
            StatementKind::Import(import) if import.level == 0 && !import.lazy => {
                let is_jax = import.module == "jax" || import.module.starts_with("jax.");
                imported = imported.or(is_jax.then_some(step.span));
            }
            _ if !is_set && written(scope, step, NAME).is_some() => {
                is_set = true;
                let known = overwritten(scope, step, NAME)
                    .is_some_and(|value| matches!(value.kind, ExprKind::Text(_)));
                if let Some(before) = imported.filter(|_| known) {
                    let raw_finding = RawFinding::at(scope.place(step.span)).word("name", NAME);
                    let raw_finding = raw_finding.word("why", "JAX has read it when it was imported");
                    found.push(raw_finding.beside(scope.place(before), "it is imported here"));
                }
            }
            _ => {}
        }
    }
    found
}

/// Questions that make the devices of JAX, beside those of `rules/effects/jax.yaml`.
const ASKING: &[&str] = &["jax.default_backend", "jax.process_count", "jax.process_index"];

/// `jax.distributed.initialize()` below the first computation.
pub(super) fn joined_too_late(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut began, mut joined): (Vec<PlaceInFunction>, Vec<PlaceInFunction>) = (Vec::new(), Vec::new());
    scope.each_call(&mut |expr, call, around| {
        let place = PlaceInFunction::of(expr.span, around);
        match scope.names.path(&call.callee) {
            // Where the error is caught, it is expected.
            Some("jax.distributed.initialize") if !around.iter().any(is_tried) => joined.push(place),
            Some(path)
                if path.starts_with("jax.")
                    && path != "jax.config.update"
                    && (ASKING.contains(&path) || begins(scope, path)) =>
            {
                began.push(place);
            }
            _ if begins_inside(scope, expr) => began.push(place),
            _ => {}
        }
    });
    // What stands above a function, at the top of the file, runs before anybody calls it.
    let is_above = |first: &PlaceInFunction, seen: &PlaceInFunction| {
        let function = seen.home.map(|home| scope.code.functions[home].span);
        first.home.is_none()
            && first.arms.is_empty()
            && function.is_some_and(|function| first.span.end <= function.start)
    };
    let late = joined.iter().filter_map(|seen| {
        let first = began.iter().find(|first| first.precedes(seen) || is_above(first, seen))?;
        Some(RawFinding::at(scope.place(seen.span)).beside(scope.place(first.span), "JAX begins here"))
    });
    late.collect()
}

fn is_tried(around: &Ancestor<'_, '_>) -> bool {
    matches!(around, Ancestor::Try(_))
}

/// The CPU as what is preferred, in a file that neither says which platforms JAX shall begin nor asks for another one.
pub(super) fn only_preferred(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut found, mut is_decided) = (Vec::new(), scope.whole_text().contains("JAX_PLATFORMS"));
    scope.each_call(&mut |expr, call, _| {
        let path = scope.names.path(&call.callee).unwrap_or_default();
        let given = |at| argument(&call.arguments, Some(at), None).map(|given| scope.names.meant(given));
        // Who asks for the GPUs as well uses both.
        is_decided |= matches!(path, "jax.devices" | "jax.local_devices")
            && given(0).is_some_and(|platform| !is_text(platform, "cpu"));
        if path != "jax.config.update" {
            return;
        }
        let (Some(name), Some(value)) = (given(0), given(1)) else { return };
        if is_text(name, "jax_platform_name") && is_text(value, "cpu") {
            found.push(RawFinding::at(scope.place(expr.span)).word("name", "jax_platform_name"));
        } else if is_text(name, "jax_default_device") && is_cpu_device(scope, value) {
            found.push(RawFinding::at(scope.place(expr.span)).word("name", "jax_default_device"));
        } else if is_text(name, "jax_platforms") {
            is_decided = true;
        }
    });
    if is_decided { Vec::new() } else { found }
}

fn is_text(expr: &Expr<'_>, wanted: &str) -> bool {
    matches!(&expr.kind, ExprKind::Text(text) if text == wanted)
}

/// `jax.devices("cpu")[0]`
fn is_cpu_device(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Item(pair) = &expr.kind else { return false };
    let ExprKind::Call(call) = &scope.names.meant(&pair.0).kind else { return false };
    matches!(scope.names.path(&call.callee), Some("jax.devices" | "jax.local_devices"))
        && argument(&call.arguments, Some(0), Some("backend"))
            .is_some_and(|platform| is_text(platform, "cpu"))
}

/// A call of a function of the file, `run()`, whose own statements make the devices of JAX whatever a test says.
fn begins_inside(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    // Of a generator or a coroutine, the call alone runs nothing.
    let function = function_called(scope, expr).filter(|one| !one.is_async && !one.is_generator);
    let Some(function) = function else { return false };
    let mut found = false;
    walk_block(scope.code, &function.body, &mut |part, around| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        found |= around.is_empty()
            && scope
                .names
                .path(&call.callee)
                .is_some_and(|path| path.starts_with("jax.") && begins(scope, path));
    });
    found
}

/// A call that makes the devices of JAX.
fn begins(scope: &FileScope<'_>, path: &str) -> bool {
    let effects = scope.program.knowledge.of_call(path);
    effects.iter().any(|effect| effect.row.does.contains(&Does::CudaInit) && !effect.row.harmless)
}

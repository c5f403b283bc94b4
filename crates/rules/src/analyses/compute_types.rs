//! Number formats that CTranslate2 computes in on a GPU alone.

use crate::code::walk::{Ancestor, functions_around};
use crate::code::{Expr, ExprKind, Function, StatementKind};
use crate::facts::Place;
use crate::program::Names;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::gpu_questions::surely_needs_gpu;
use crate::rules::uses::{argument, expects_failure};

/// What loads a model, with the device that it takes when none is named.
const LOADERS: &[(&str, &str)] = &[
    ("ctranslate2.Encoder", "cpu"),
    ("ctranslate2.Generator", "cpu"),
    ("ctranslate2.Translator", "cpu"),
    ("ctranslate2.models.Wav2Vec2", "cpu"),
    ("ctranslate2.models.Wav2Vec2Bert", "cpu"),
    ("ctranslate2.models.Whisper", "cpu"),
    ("faster_whisper.WhisperModel", "auto"),
    ("faster_whisper.transcribe.WhisperModel", "auto"),
    ("whisperx.asr.load_model", ""),
    ("whisperx.load_model", ""),
];

/// Formats with float16, which CTranslate2 has for the CPU in no version.
const ON_GPU_ALONE: &[&str] = &["float16", "int8_float16"];

const ON_BOTH: &str = "on the CPU, which this program takes where there is no GPU";

/// Models that are loaded for the CPU, or for the CPU where there is no GPU, in such a format.
pub(super) fn not_on_cpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, around| {
        let path = scope.names.path(&call.callee).unwrap_or_default();
        let Some((_, default)) = LOADERS.iter().find(|(name, _)| *name == path) else { return };
        let Some(format) = argument(&call.arguments, None, Some("compute_type")) else { return };
        let given = argument(&call.arguments, Some(1), Some("device"));
        let function = functions_around(around).next_back().map(|number| &scope.code.functions[number]);
        let handed = function.zip(given);
        if let Some((name, caller)) =
            handed.and_then(|(function, device)| by_parameters(scope, function, device, format))
        {
            let raw_finding = RawFinding::at(scope.place(format.span)).word("name", name);
            let raw_finding = raw_finding.word("when", ON_BOTH);
            found.push(raw_finding.beside(caller, "the device is chosen here, and the format is not"));
            return;
        }
        let name = match &scope.names.meant(format).kind {
            ExprKind::Text(text) if ON_GPU_ALONE.contains(&&**text) => text.to_string(),
            _ => return,
        };
        let unpacked = call.arguments.iter().any(|argument| argument.unpacked);
        let when = match given {
            Some(device) => when_on_cpu(scope, device),
            None => (*default == "cpu" && !unpacked).then_some("on the CPU"),
        };
        // Who has no GPU comes to no end of it in any case.
        let needs_gpu =
            || when == Some(ON_BOTH) && surely_needs_gpu(scope, functions_around(around).next_back());
        let is_expected =
            || around.iter().any(|one| expects_failure(one, scope) || catches_refusal(one, scope));
        if let Some(when) = when.filter(|_| !is_expected() && !needs_gpu()) {
            let raw_finding = RawFinding::at(scope.place(format.span));
            found.push(raw_finding.word("name", name).word("when", when));
        }
    });
    found
}

/// `except ValueError:`, which CTranslate2 raises where it refuses a format, and any handler that asks for another one.
fn catches_refusal(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    let Ancestor::Try(step) = around else { return false };
    let StatementKind::Try { handlers, .. } = &step.kind else { return false };
    let is_refusal = |one: &Expr<'_>| scope.text(one.span).ends_with("ValueError");
    handlers.iter().any(|handler| {
        let mut body = handler.body.iter().map(|step| scope.text(step.span));
        handler.types.iter().any(is_refusal) || body.any(|text| text.contains("compute_type"))
    })
}

/// Whether a device is the CPU, or one of two that are chosen between.
fn when_on_cpu(scope: &FileScope<'_>, device: &Expr<'_>) -> Option<&'static str> {
    let is_cpu =
        |expr: &Expr<'_>| matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text == "cpu");
    match &scope.names.meant(device).kind {
        ExprKind::Text(text) if text == "cpu" => Some("on the CPU"),
        ExprKind::Choice(parts) if is_cpu(&parts.1) || is_cpu(&parts.2) => Some(ON_BOTH),
        _ => None,
    }
}

/// The format that is the default of a function or a class, which also takes the device, and a call that hands it the CPU and leaves the
/// format out.
fn by_parameters(
    scope: &FileScope<'_>,
    function: &Function<'_>,
    device: &Expr<'_>,
    format: &Expr<'_>,
) -> Option<(String, Place)> {
    let (ExprKind::Name(device), ExprKind::Name(format_name)) = (&device.kind, &format.kind) else {
        return None;
    };
    let position = |name: &str| function.parameters.iter().position(|one| one.name == name);
    let default = function.parameters.get(position(format_name)?)?.default.as_ref()?;
    let name = match &scope.names.meant(default).kind {
        ExprKind::Text(text) if ON_GPU_ALONE.contains(&&**text) => text.to_string(),
        _ => return None,
    };
    let is_method = function.parameters.first().is_some_and(|one| one.name == "self");
    let shift = usize::from(is_method);
    let at = position(device)?.checked_sub(shift);
    let class = scope.code.classes.iter().find(|class| class.span.holds(function.span));
    let called = match class {
        Some(class) if function.name == "__init__" => class.name,
        _ => function.name,
    };
    for (file, source) in scope.program.every_file() {
        if !source.is_python() || !source.text.contains(called) {
            continue;
        }
        let names = Names::of(scope.program, file);
        let other = scope.of_other(file, &names);
        let mut caller = None;
        other.each_call(&mut |expr, call, _| {
            let is_it = matches!(call.callee.kind, ExprKind::Name(name) | ExprKind::Attribute(_, name) if name == called);
            let is_open = call.arguments.iter().any(|one| one.unpacked);
            let own = position(format_name).and_then(|at| at.checked_sub(shift));
            let says = argument(&call.arguments, own, Some(format_name)).is_some();
            let given = argument(&call.arguments, at, Some(device));
            if is_it && !is_open && !says && given.is_some_and(|given| when_on_cpu(&other, given).is_some()) {
                caller = Some(Place { file, span: expr.span });
            }
        });
        if let Some(caller) = caller {
            return Some((name, caller));
        }
    }
    None
}

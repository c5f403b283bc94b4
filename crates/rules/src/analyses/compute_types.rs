//! Number formats that CTranslate2 computes in on a GPU alone.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
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

/// Models that are loaded for the CPU, or for the CPU where there is no GPU, in such a format.
pub(super) fn not_on_cpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let path = scope.names.path(&call.callee).unwrap_or_default();
        let Some((_, default)) = LOADERS.iter().find(|(name, _)| *name == path) else { return };
        let Some(format) = argument(&call.arguments, None, Some("compute_type")) else { return };
        let name = match &scope.names.meant(format).kind {
            ExprKind::Text(text) if ON_GPU_ALONE.contains(&&**text) => text.to_string(),
            _ => return,
        };
        let unpacked = call.arguments.iter().any(|argument| argument.unpacked);
        let when = match argument(&call.arguments, Some(1), Some("device")) {
            Some(device) => when_on_cpu(scope, device),
            None => (*default == "cpu" && !unpacked).then_some("on the CPU"),
        };
        if let Some(when) = when.filter(|_| !around.iter().any(|one| expects_failure(one, scope))) {
            let raw_finding = RawFinding::at(scope.place(format.span));
            found.push(raw_finding.word("name", name).word("when", when));
        }
    });
    found
}

/// Whether a device is the CPU, or one of two that are chosen between.
fn when_on_cpu(scope: &FileScope<'_>, device: &Expr<'_>) -> Option<&'static str> {
    let is_cpu =
        |expr: &Expr<'_>| matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text == "cpu");
    match &scope.names.meant(device).kind {
        ExprKind::Text(text) if text == "cpu" => Some("on the CPU"),
        ExprKind::Choice(parts) if is_cpu(&parts.1) || is_cpu(&parts.2) => {
            Some("on the CPU, which this program takes where there is no GPU")
        }
        _ => None,
    }
}

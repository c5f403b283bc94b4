//! Models that an application loads again with each request, or with each click.

use super::memory::{function_called, function_named, path_of_decorator};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block, walk_top, within_function};
use crate::code::{Call, Expr, ExprKind, Function, StatementKind};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Calls that load a model, beside `from_pretrained`.
const LOADERS: &[&str] = &[
    "TTS.api.TTS",
    "clip.load",
    "easyocr.Reader",
    "faster_whisper.WhisperModel",
    "keras.models.load_model",
    "keras.saving.load_model",
    "sentence_transformers.CrossEncoder",
    "sentence_transformers.SentenceTransformer",
    "tensorflow.keras.models.load_model",
    "tensorflow.saved_model.load",
    "torch.hub.load",
    "transformers.pipeline",
    "ultralytics.YOLO",
    "whisper.load_model",
    "whisperx.load_model",
];

/// What `from_pretrained` loads that holds no weights.
const LIGHT: &[&str] = &["Tokenizer", "Processor", "Config", "Extractor", "Scheduler", "okenizer"];

/// Methods of Gradio that take a handler.
const EVENTS: &[&str] = &["change", "click", "input", "release", "select", "submit", "then", "upload"];

/// Decorators of FastAPI and Flask that make a function a handler.
const ROUTES: &[&str] = &["get", "post", "put", "route", "websocket"];

/// Words of a function that looks for what it loaded before.
const LOOKS: &[&str] = &["global ", "is None", "is not None", " not in ", "hasattr("];

/// So many calls of functions of the file are followed into each other.
const MOST_CALLS: usize = 3;

/// Models that a script of Streamlit, a handler of Gradio or one of a server loads.
pub(super) fn with_each_request(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if !["cuda", "device_map", "gpu", "keras", "tensorflow"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    let mut note = |span: Span, when: &str, by: Span, at_most: Option<Severity>| {
        let place = scope.place(span);
        if !found.iter().any(|known| known.place == place) {
            let raw_finding = RawFinding::at(place).word("text", loader_in(scope.text(span)));
            let raw_finding = raw_finding.word("when", when);
            let raw_finding = if by.start == span.start {
                raw_finding
            } else {
                raw_finding.beside(scope.place(by), "it is reached from here")
            };
            found.push(match at_most {
                Some(most) => raw_finding.at_most(most),
                None => raw_finding,
            });
        }
    };
    if text.contains("streamlit") {
        walk_top(scope.code, &mut |part, around| {
            let CodeNode::Expr(expr) = part else { return };
            if !is_kept(scope, around) {
                for span in loads(scope, expr, 0) {
                    note(span, "with each interaction: Streamlit runs the script anew", expr.span, None);
                }
            }
        });
    }
    for (handler, by) in handlers(scope) {
        for span in loads_in(scope, handler, 0) {
            note(span, "with each request", by, Some(Severity::Note));
        }
    }
    found
}

/// The functions of the file that are handed to Gradio, or that a server runs for a request.
fn handlers<'a>(scope: &FileScope<'a>) -> Vec<(&'a Function<'a>, Span)> {
    let text = scope.whole_text();
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) if text.contains("gradio") => {
            let path = scope.names.path(&call.callee);
            let is_event = matches!(call.callee.kind, ExprKind::Attribute(_, name) if EVENTS.contains(&name));
            let is_interface =
                path.is_some_and(|path| matches!(path, "gradio.Interface" | "gradio.ChatInterface"));
            if is_event || is_interface {
                let given = argument(&call.arguments, Some(0), Some("fn"));
                if let Some(ExprKind::Name(name)) = given.map(|given| &given.kind)
                    && let Some(function) = function_named(scope, name)
                {
                    found.push((function, *span));
                }
            }
        }
        CodeNode::Statement(step) => {
            let StatementKind::Define { function, decorators } = &step.kind else { return };
            let is_route = |decorator: &&Expr<'_>| {
                let path = path_of_decorator(scope, decorator).unwrap_or_default();
                let name = path.rsplit('.').next().unwrap_or_default();
                ROUTES.contains(&name)
                    && ["fastapi.", "flask."].iter().any(|library| path.starts_with(library))
            };
            if let Some(decorator) = decorators.iter().find(is_route) {
                found.push((&scope.code.functions[*function], decorator.span));
            }
        }
        _ => {}
    });
    found
}

/// Where a function loads a model whenever it runs.
fn loads_in(scope: &FileScope<'_>, function: &Function<'_>, calls: usize) -> Vec<Span> {
    let text = scope.text(function.span);
    // What it keeps, it may look for first.
    let looks = LOOKS.iter().any(|word| text.contains(word));
    if calls > MOST_CALLS || looks || is_cached(scope, function) {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk_block(scope.code, &function.body, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if !is_kept(scope, around) && within_function(around).0.is_none() {
            found.extend(loads(scope, expr, calls + 1));
        }
    });
    found
}

/// Where an expression loads a model: by itself, or by a function of the file that it calls.
fn loads(scope: &FileScope<'_>, expr: &Expr<'_>, calls: usize) -> Vec<Span> {
    let ExprKind::Call(call) = &expr.kind else { return Vec::new() };
    if is_loader(scope, call) {
        return vec![expr.span];
    }
    let is_name = matches!(call.callee.kind, ExprKind::Name(_));
    match function_called(scope, expr).filter(|_| is_name) {
        Some(function) => loads_in(scope, function, calls),
        None => Vec::new(),
    }
}

fn is_loader(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    if let ExprKind::Attribute(object, "from_pretrained") = &call.callee.kind {
        let name = scope.text(object.span);
        return !LIGHT.iter().any(|light| name.contains(light));
    }
    scope.names.path(&call.callee).is_some_and(|path| LOADERS.contains(&path))
}

/// Whether a test looks for what was loaded before: `if "model" not in st.session_state`.
fn is_kept(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => {
            let text = scope.text(test.span);
            ["session_state", "None", " not in ", "hasattr", "not "].iter().any(|word| text.contains(word))
        }
        _ => false,
    })
}

/// Whether a decorator keeps what the function returned.
fn is_cached(scope: &FileScope<'_>, function: &Function<'_>) -> bool {
    let mut found = false;
    scope.each_statement(&mut |step, _| {
        let StatementKind::Define { function: number, decorators } = &step.kind else { return };
        if std::ptr::eq(&scope.code.functions[*number], function) {
            let keeps = |decorator: &Expr<'_>| {
                let text = scope.text(decorator.span);
                ["cache", "singleton", "memo", "once", "fragment"].iter().any(|word| text.contains(word))
            };
            found |= decorators.iter().any(keeps);
        }
    });
    found
}

/// `StableDiffusionPipeline.from_pretrained` of the call.
fn loader_in(text: &str) -> &str {
    text.split('(').next().unwrap_or(text).trim()
}

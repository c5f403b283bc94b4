//! Masks that are handed on where somebody set one, and are empty where nobody did: an empty mask hides every GPU.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::{Span, lines_in};
use crate::findings::Severity;
use crate::program::MASK;
use crate::rules::analyses::memory::{method_of, path};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::{Language, file_name_of};

/// What is said of a mask where nobody set one.
const EMPTY: &str = "empty where no mask is set, and an empty CUDA_VISIBLE_DEVICES hides every GPU";
const NONE: &str = "None where no mask is set, and an environment takes text alone";

/// What takes an empty mask away again, or asks for it.
const MENDS: &[&str] = &[
    "unset CUDA_VISIBLE_DEVICES",
    "-z \"$CUDA_VISIBLE_DEVICES",
    "-z \"${CUDA_VISIBLE_DEVICES",
    "-z ${CUDA_VISIBLE_DEVICES",
    "-n \"$CUDA_VISIBLE_DEVICES",
    "-n \"${CUDA_VISIBLE_DEVICES",
    "pop(\"CUDA_VISIBLE_DEVICES\"",
    "pop('CUDA_VISIBLE_DEVICES'",
];

/// `env["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "")`, and `${CUDA_VISIBLE_DEVICES:-}` of shells and compose files.
pub(super) fn where_none_is_set(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if MENDS.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    match scope.language() {
        Language::Python | Language::Notebook => in_python(scope),
        Language::Shell | Language::Makefile => in_shell(scope),
        Language::Yaml => in_compose(scope),
        _ => Vec::new(),
    }
}

fn in_python(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<Span> = Vec::new();
    let mut written: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let value = match part {
            CodeNode::Statement(Statement {
                kind: StatementKind::Assign { targets, value: Some(value), .. },
                ..
            }) => match &targets[..] {
                [Target::Item(pair)] if is_mask(scope, &pair.1) => {
                    written.push(value.span);
                    // Put back what was there before another mask.
                    let kept = scope.names.meant(value).span;
                    if written.iter().any(|other| kept.end <= other.start && other.end <= value.span.start) {
                        return;
                    }
                    value
                }
                [Target::Name(name, _)] if is_environment(name) => {
                    found.extend(of_mapping(scope, value));
                    return;
                }
                _ => return,
            },
            CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                found.extend(
                    argument(&call.arguments, None, Some("env")).and_then(|env| of_mapping(scope, env)),
                );
                let Some((object, "update" | "setdefault", _)) = method_of(expr) else { return };
                if !is_environment(scope.text(object.span)) {
                    return;
                }
                match &call.arguments[..] {
                    [key, value] if is_mask(scope, &key.value) => &value.value,
                    [given] => {
                        found.extend(of_mapping(scope, &given.value));
                        return;
                    }
                    _ => return,
                }
            }
            // `f"CUDA_VISIBLE_DEVICES={os.environ.get('CUDA_VISIBLE_DEVICES', '')}"`
            CodeNode::Expr(Expr { kind: ExprKind::Join(parts), .. }) => match &parts[..] {
                [Expr { kind: ExprKind::Text(text), .. }, value]
                    if text.strip_suffix('=').is_some_and(|name| name.ends_with(MASK)) =>
                {
                    value
                }
                _ => return,
            },
            _ => return,
        };
        // `if mask:`
        let written = scope.text(value.span);
        let is_asked = around.iter().any(|one| match one {
            Ancestor::Then(test) | Ancestor::Otherwise(test) => {
                let test = scope.text(test.span);
                test.contains(MASK) || test.contains(written)
            }
            _ => false,
        });
        if !is_asked && is_empty_by_default(scope, value) {
            found.push(value.span);
        }
    });
    found.sort();
    found.dedup();
    let raw_finding = |span| RawFinding::at(scope.place(span)).word("text", scope.text(span));
    let empty = found.into_iter().map(|span| raw_finding(span).word("is", EMPTY));
    empty.chain(of_nothing(scope).into_iter().map(|span| raw_finding(span).word("is", NONE))).collect()
}

/// The entry for the mask of a mapping of variables.
fn of_mapping(scope: &FileScope<'_>, given: &Expr<'_>) -> Option<Span> {
    let ExprKind::Mapping(entries) = &given.kind else { return None };
    entries.iter().find_map(|(key, value)| {
        let fits = is_mask(scope, key.as_ref()?) && is_empty_by_default(scope, value);
        fits.then_some(value.span)
    })
}

/// `{"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES")}` as the environment of a process: None where no mask is set.
fn none_in(scope: &FileScope<'_>, given: &Expr<'_>) -> Option<Span> {
    let ExprKind::Mapping(entries) = &given.kind else { return None };
    let is_none = |value: &Expr<'_>| {
        let ExprKind::Call(call) = &value.kind else { return false };
        let [name] = &call.arguments[..] else { return false };
        matches!(path(scope, &call.callee), "os.environ.get" | "os.getenv") && is_mask(scope, &name.value)
    };
    entries.iter().find_map(|(key, value)| {
        let fits = is_mask(scope, key.as_ref()?) && is_none(value);
        fits.then_some(value.span)
    })
}

/// Environments of processes and of tasks of Ray that hold such an entry.
fn of_nothing(scope: &FileScope<'_>) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        match &expr.kind {
            // `ray.init(runtime_env={"env_vars": {…}})`
            ExprKind::Mapping(entries) => {
                found.extend(entries.iter().find_map(|(key, value)| match &key.as_ref()?.kind {
                    ExprKind::Text(text) if text == "env_vars" => none_in(scope, value),
                    _ => None,
                }));
            }
            ExprKind::Call(call) => {
                let given =
                    ["env", "env_vars"].iter().find_map(|name| argument(&call.arguments, None, Some(name)));
                found.extend(given.and_then(|given| none_in(scope, given)));
            }
            _ => {}
        }
    });
    found.sort();
    found.dedup();
    found
}

/// `env`, `child_env`, `os.environ`, `environment`
fn is_environment(name: &str) -> bool {
    name.to_ascii_lowercase().contains("env")
}

fn is_mask(scope: &FileScope<'_>, key: &Expr<'_>) -> bool {
    matches!(&scope.names.meant(key).kind, ExprKind::Text(text) if text == MASK)
}

/// `os.environ.get("CUDA_VISIBLE_DEVICES", "")`, `os.getenv(…) or ""`, also under a name.
fn is_empty_by_default(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let is_empty = |expr: &Expr<'_>| matches!(&expr.kind, ExprKind::Text(text) if text.is_empty());
    let value = scope.names.meant(value);
    match &value.kind {
        ExprKind::Any(parts) => match &parts[..] {
            [read, default] => mask_read(scope, read).is_some() && is_empty(default),
            _ => false,
        },
        _ => mask_read(scope, value)
            .and_then(|call| argument(&call.arguments, Some(1), Some("default")))
            .is_some_and(is_empty),
    }
}

/// A call that reads the mask of the environment.
fn mask_read<'e>(scope: &FileScope<'_>, expr: &'e Expr<'e>) -> Option<&'e Call<'e>> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let key = argument(&call.arguments, Some(0), Some("key"))?;
    let is_read = matches!(path(scope, &call.callee), "os.environ.get" | "os.getenv") && is_mask(scope, key);
    is_read.then_some(&**call)
}

/// The forms of the same variable that are empty where it is not set.
const EMPTY_FORMS: &[&str] = &["${CUDA_VISIBLE_DEVICES:-}", "${CUDA_VISIBLE_DEVICES-}"];

/// `export X=${X:-}`, `X=${X:-} python …`, `docker run -e X=${X:-}`. An assignment that is not exported sets nothing for a program.
fn in_shell(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for (span, line) in lines_in(scope.whole_text()) {
        let Some((before, behind)) = line.split_once("CUDA_VISIBLE_DEVICES=") else { continue };
        let inner = behind.trim_start_matches(['"', '\'']);
        let Some(form) = EMPTY_FORMS.iter().find(|form| inner.starts_with(**form)) else { continue };
        let rest = inner[form.len()..].trim_start_matches(['"', '\'']);
        let starts = before.trim_start();
        let is_program =
            rest.starts_with(' ') && rest.trim().starts_with(|c: char| c.is_alphanumeric() || c == '$');
        let is_handed = ["-e", "--env", "env", "export", "exec"]
            .iter()
            .any(|word| starts.split(['=', ' ', '"']).any(|part| part == *word));
        if !starts.starts_with('#') && (is_program || is_handed) {
            let start = span.start + (line.len() - inner.len()) as u32;
            let span = Span { start, end: start + form.len() as u32 };
            found.push(RawFinding::at(scope.place(span)).word("text", *form).word("is", EMPTY));
        }
    }
    found
}

/// The environment of a service: compose puts an empty text in for what is not set.
fn in_compose(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let name = file_name_of(scope.program.name_of(scope.file));
    if !name.contains("compose") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (span, line) in lines_in(scope.whole_text()) {
        let is_remark = line.trim_start().starts_with('#');
        let Some((before, behind)) = line.split_once(MASK).filter(|_| !is_remark) else { continue };
        if !before.trim().trim_start_matches(['-', '"', '\'', ' ']).is_empty()
            || !behind.starts_with(['=', ':'])
        {
            continue;
        }
        let inner = behind[1..].trim_start_matches(['"', '\'', ' ']);
        let bare = ["${CUDA_VISIBLE_DEVICES}"];
        let form = EMPTY_FORMS.iter().chain(&bare).find(|form| inner.starts_with(**form));
        let Some(form) = form else { continue };
        let start = span.start + (line.len() - inner.len()) as u32;
        let span = Span { start, end: start + form.len() as u32 };
        let seen = RawFinding::at(scope.place(span)).word("text", *form).word("is", EMPTY);
        // Compose warns of this one itself.
        found.push(if bare.contains(form) { seen.at_most(Severity::Note) } else { seen });
    }
    found
}

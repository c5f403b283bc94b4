//! What moves a library to the GPU when it is called before the library is loaded, and is called afterwards.

use super::written_variables::overwritten;
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// A call that has to come first, and the modules whose import, or the calls, that must come behind it.
struct Switch {
    call: &'static [&'static str],
    imports: &'static [&'static str],
    calls: &'static [&'static str],
    effect: &'static str,
}

const SWITCHES: &[Switch] = &[
    Switch {
        call: &["cudf.pandas.install"],
        imports: &["pandas"],
        calls: &[],
        effect: "pandas was imported before, and stays on the CPU",
    },
    Switch {
        call: &["cuml.accel.install"],
        imports: &["hdbscan", "sklearn", "umap"],
        calls: &[],
        effect: "what it replaces was imported before, and stays on the CPU",
    },
    Switch {
        call: &["spacy.prefer_gpu", "spacy.require_gpu"],
        imports: &[],
        calls: &["spacy.blank", "spacy.load"],
        effect: "a pipeline was loaded before, and its arrays are those of the CPU",
    },
];

/// `cudf.pandas.install()` behind `import pandas`, `spacy.require_gpu()` behind `spacy.load(…)`, KERAS_BACKEND behind `import keras`.
pub(super) fn behind_what_they_switch(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // What is loaded, by its place and the function around it.
    let mut loaded: Vec<(&str, Span, Option<usize>)> = Vec::new();
    let mut found = Vec::new();
    let mut done: Vec<&str> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let function = functions_around(around).next_back();
        match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Import(import) if import.level == 0 && !import.lazy => {
                    let root = import.module.split('.').next().unwrap_or_default();
                    loaded.push((root, step.span, function));
                }
                _ => {
                    let sets = overwritten(scope, step, "KERAS_BACKEND");
                    let is_known = sets.is_some_and(|value| matches!(value.kind, ExprKind::Text(_)));
                    let before = loaded.iter().find(|(name, ..)| *name == "keras");
                    // Where it is set before as well, this is another matter.
                    if let Some((_, at, None)) =
                        before.filter(|_| is_known && !done.contains(&"KERAS_BACKEND"))
                        && function.is_none()
                    {
                        let raw_finding =
                            RawFinding::at(scope.place(step.span)).word("text", "KERAS_BACKEND");
                        let effect = "keras was imported before, and has its backend";
                        found.push(
                            raw_finding.word("effect", effect).beside(scope.place(*at), "it is loaded here"),
                        );
                    }
                    if sets.is_some() {
                        done.push("KERAS_BACKEND");
                    }
                }
            },
            CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                let Some(path) = scope.names.path(&call.callee) else { return };
                for switch in SWITCHES {
                    if switch.calls.contains(&path) {
                        loaded.push((switch.calls[0], expr.span, function));
                    }
                    if !switch.call.contains(&path) || done.contains(&switch.call[0]) {
                        continue;
                    }
                    done.push(switch.call[0]);
                    let is_it = |name: &str| {
                        switch.imports.contains(&name)
                            || switch.calls.first().is_some_and(|call| *call == name)
                    };
                    // In the same function, or at the top of a script, one step after the other.
                    let before = loaded.iter().find(|(name, at, home)| {
                        is_it(name) && *home == function && at.end <= expr.span.start
                    });
                    if let Some((_, at, _)) = before {
                        let raw_finding =
                            RawFinding::at(scope.place(expr.span)).word("text", scope.text(expr.span));
                        found.push(
                            raw_finding
                                .word("effect", switch.effect)
                                .beside(scope.place(*at), "it is loaded here"),
                        );
                    }
                }
            }
            _ => {}
        }
    });
    found
}

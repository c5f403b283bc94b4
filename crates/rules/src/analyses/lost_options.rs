//! Options of TensorFlow for the GPU that are written into an object which nothing takes.

use super::memory::method_of;
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What makes an object for the options of a session.
const MADE: &[&str] = &[
    "tensorflow.ConfigProto",
    "tensorflow.GPUOptions",
    "tensorflow.compat.v1.ConfigProto",
    "tensorflow.compat.v1.GPUOptions",
];

/// An object under a name of a function, or of the module.
struct Made<'s> {
    home: Option<usize>,
    name: &'s str,
    place: Span,
    /// What is written into it: `config.gpu_options.allow_growth`.
    written: Vec<Span>,
    /// It holds options for the GPU from the beginning.
    is_full: bool,
}

/// `config = tf.ConfigProto()` with options for the GPU, where no session is given `config`; and the result of
/// `run_config.replace(session_config=config)` as a statement of its own.
pub(super) fn that_nothing_takes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut made: Vec<Made<'_>> = Vec::new();
    let mut uses: Vec<(Vec<usize>, &str, Span)> = Vec::new();
    let mut dropped = Vec::new();
    let mut targets: Vec<(Option<usize>, Span)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let (home, _) = within_function(around);
        match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    if let [Target::Name(name, place)] = &targets[..]
                        && let ExprKind::Call(call) = &value.kind
                        && scope.names.path(&call.callee).is_some_and(|path| MADE.contains(&path))
                    {
                        let is_full = call.arguments.iter().any(|one| {
                            one.name.is_some_and(|name| name.contains("gpu") || name == "allow_growth")
                        });
                        made.push(Made { home, name, place: *place, written: Vec::new(), is_full });
                    }
                }
                StatementKind::Evaluate(expr) => dropped.extend(replaced(scope, expr)),
                _ => {}
            },
            CodeNode::Target(Target::Attribute(object, _)) => targets.push((home, object.span)),
            CodeNode::Expr(Expr { kind: ExprKind::Name(name), span }) => {
                let homes = around.iter().filter_map(|one| match one {
                    Ancestor::Function(number) => Some(*number),
                    _ => None,
                });
                uses.push((homes.collect(), name, *span));
            }
            CodeNode::Expr(_) | CodeNode::Target(_) => {}
        }
    });
    for one in &mut made {
        let of_gpu = |span: &Span| {
            let text = scope.text(*span);
            text.split('.').next() == Some(one.name) && text.contains("gpu_options")
        };
        let here = targets.iter().filter(|(home, span)| *home == one.home && of_gpu(span));
        one.written = here.map(|(_, span)| *span).collect();
    }
    // What a module makes may be for whoever imports it.
    let is_imported = scope.program.is_imported(scope.file);
    let is_taken = |one: &Made<'_>| {
        let within = |homes: &[usize]| one.home.is_none_or(|home| homes.contains(&home));
        let is_use = |(homes, name, span): &(Vec<usize>, &str, Span)| {
            *name == one.name && within(homes) && !targets.iter().any(|(_, target)| target.holds(*span))
        };
        one.home.is_none() && is_imported || uses.iter().any(is_use)
    };
    let lost = made.iter().filter(|one| one.is_full || !one.written.is_empty()).filter(|one| !is_taken(one));
    let lost = lost.map(|one| {
        let seen = RawFinding::at(scope.place(one.place)).word("text", one.name);
        let seen = seen.word("effect", "holds options for the GPU, and nothing takes it");
        seen.word("advice", "hand it to the session: `tf.Session(config=…)`, `RunConfig(session_config=…)`")
    });
    let copies = dropped.iter().map(|(span, name)| {
        let seen = RawFinding::at(scope.place(*span)).word("text", format!("{name}.replace(…)"));
        let seen = seen.word("effect", "gives a copy with the options for the GPU, and nothing takes it");
        seen.word("advice", format!("write `{name} = {name}.replace(…)`"))
    });
    lost.chain(copies).collect()
}

/// The settings of a run whose changed copy a statement drops.
fn replaced<'s>(scope: &FileScope<'s>, expr: &Expr<'_>) -> Option<(Span, &'s str)> {
    let (object, "replace", call) = method_of(expr)? else { return None };
    argument(&call.arguments, None, Some("session_config"))?;
    Some((expr.span, scope.text(object.span)))
}

//! Pipelines of spaCy that are handed to processes of its own, after a GPU was taken.

use super::literal_defaults::default_of;
use super::memory::method_of;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::facts::Place;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Calls that make a GPU the one of spaCy.
const TAKES: &[&str] = &[
    "spacy.require_gpu",
    "spacy.prefer_gpu",
    "thinc.api.require_gpu",
    "thinc.api.prefer_gpu",
    "thinc.util.require_gpu",
];

/// Other ways to start processes.
const FRESH: &[&str] = &["set_start_method", "\"spawn\"", "'spawn'", "forkserver"];

/// `nlp.pipe(texts, n_process=4)`, in a project that takes a GPU for spaCy before, and leaves the way of starting processes as it is.
pub(super) fn that_fork(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.program.has_any(FRESH) {
        return Vec::new();
    }
    let mut piped = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let Some((_, "pipe", call)) = method_of(expr) else { return };
        let Some(count) = argument(&call.arguments, None, Some("n_process")) else { return };
        // `-1` is one for each processor.
        let is_several = default_of(scope, count).and_then(|count| count.number());
        if is_several.is_some_and(|count| !(0..=1).contains(&count)) {
            piped.push(expr.span);
        }
    });
    if piped.is_empty() {
        return Vec::new();
    }
    let Some((taken, may_be_off)) = taken_in(scope).or_else(|| taken_elsewhere(scope)) else {
        return Vec::new();
    };
    let raw_finding = |span| {
        let seen = RawFinding::at(scope.place(span)).word("use", "spacy.Language.pipe()");
        let seen = seen.beside(taken, "the GPU is taken here");
        // An option may leave the GPU, or the processes, out.
        if may_be_off { seen.at_most(Severity::Note) } else { seen }
    };
    piped.into_iter().map(raw_finding).collect()
}

fn taken_in(scope: &FileScope<'_>) -> Option<(Place, bool)> {
    let mut taken = None;
    scope.each_call(&mut |expr, call, around| {
        if taken.is_none() && scope.names.path(&call.callee).is_some_and(|path| TAKES.contains(&path)) {
            let may_be_off = |one: &Ancestor<'_, '_>| {
                matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_) | Ancestor::Try(_))
            };
            taken = Some((scope.place(expr.span), around.iter().any(may_be_off)));
        }
    });
    taken
}

/// In a module of the project that this one imports.
fn taken_elsewhere(scope: &FileScope<'_>) -> Option<(Place, bool)> {
    let imported = scope.program.files_imported(scope.file).into_iter();
    imported.filter(|file| *file != scope.file).find_map(|file| scope.in_other(file, taken_in))
}

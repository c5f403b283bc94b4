//! Places to which each of several processes comes that run the same program.

use super::hard_cuda::leaves_before;
use super::own_calls::imported;
use crate::code::walk::{Ancestor, CodeNode, functions_around, innermost_class, walk};
use crate::code::{Block, Expr, ExprKind};
use crate::facts::{FileId, Span};
use crate::rules::files::FileScope;

/// So many functions are followed to their callers.
const MOST_CALLERS: usize = 4;

/// Whether all processes come to a place when they start a file, which is this one or imports it: no test for some of them stands
/// around the place or leaves above it, and one that is such a place calls the function.
pub(super) fn all_come_to(
    scope: &FileScope<'_>,
    started: FileId,
    span: Span,
    around: &[Ancestor<'_, '_>],
) -> bool {
    come_to(scope, started, span, around, 0)
}

fn come_to(
    scope: &FileScope<'_>,
    started: FileId,
    span: Span,
    around: &[Ancestor<'_, '_>],
    callers: usize,
) -> bool {
    let is_for_some = |around: &Ancestor<'_, '_>| match around {
        // Nobody who imports a file comes there.
        Ancestor::Then(test) if scope.text(test.span).contains("__name__") => scope.file != started,
        Ancestor::Then(test) | Ancestor::Otherwise(test) => asks_for_some(scope, test),
        _ => false,
    };
    let inner = functions_around(around).next_back();
    let body = inner.map_or(&scope.code.body, |inner| &scope.code.functions[inner].body);
    if callers > MOST_CALLERS || around.iter().any(is_for_some) || leaves_above(scope, body, span) {
        return false;
    }
    let Some(inner) = inner else { return true };
    let function = &scope.code.functions[inner];
    let name = match innermost_class(around) {
        Some(class) if function.name == "__init__" => scope.code.classes[class].name,
        _ => function.name,
    };
    // Of two functions with one name it is not known which one is called.
    let is_only = scope.code.functions.iter().filter(|other| other.name == function.name).count() == 1
        || function.name == "__init__";
    let come_from = |caller: &FileScope<'_>| {
        let mut come = false;
        walk(caller.code, &mut |part, around| {
            let CodeNode::Expr(expr) = part else { return };
            let is_itself = caller.file == scope.file && function.span.holds(expr.span);
            if !come && !is_itself && names(caller, expr, (scope.file, name)) {
                come = come_to(caller, started, expr.span, around, callers + 1);
            }
        });
        come
    };
    is_only && (come_from(scope) || scope.file != started && scope.in_other(started, come_from))
}

/// Whether an expression names a function, class or method that lies in a file: `load`, `start.load`, `self.load`.
fn names(scope: &FileScope<'_>, expr: &Expr<'_>, (file, name): (FileId, &str)) -> bool {
    let is_here = scope.file == file;
    match &expr.kind {
        ExprKind::Name(known) => {
            *known == name && (is_here || imported(scope, None, known) == Some((file, name)))
        }
        ExprKind::Attribute(object, known) if *known == name => match object.kind {
            ExprKind::Name("self" | "cls") if is_here => true,
            ExprKind::Name(module) if imported(scope, Some(module), known) == Some((file, name)) => true,
            // A method of an object of the project.
            _ => {
                scope.names.path(expr).is_none()
                    && scope.names.path(object).is_none()
                    && scope.program.text_of(file).matches(&format!("def {name}(")).count() == 1
            }
        },
        _ => false,
    }
}

/// `if rank != 0: return`, in the blocks around a place.
fn leaves_above(scope: &FileScope<'_>, block: &Block<'_>, span: Span) -> bool {
    let around = block.iter().filter(|step| step.span.holds(span));
    leaves_before(block, span, scope, &|test| asks_for_some(scope, test))
        || around.flat_map(|step| step.kind.blocks()).any(|block| leaves_above(scope, block, span))
}

/// `rank == 0`, `gpu == 0`, `args.distributed`, `is_main_process()`: a test that may hold in some processes alone.
fn asks_for_some(scope: &FileScope<'_>, test: &Expr<'_>) -> bool {
    const WORDS: &[&str] = &[
        "card", "chief", "ddp", "distrib", "first", "gpu", "launcher", "local", "main", "master", "multi",
        "node", "proc", "rank", "world",
    ];
    let text = scope.text(test.span);
    let lower = text.to_ascii_lowercase();
    let function = scope.program.innermost_function(scope.file, test.span.start as usize);
    let names = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    WORDS.iter().any(|word| lower.contains(word))
        || names
            .filter(|name| !name.is_empty())
            .any(|name| scope.program.is_rank_name(scope.file, name, function))
}

//! Generators that `@contextmanager` turns into context managers.

use crate::code::walk::{Around, Part, walk};
use crate::code::{Block, Expr, ExprKind, Handler, StepKind};
use crate::rules::files::{FileScope, Sighting};

/// `except …` around the `yield` of a context manager that raises nothing again.
pub(super) fn that_swallow_exceptions(scope: &FileScope<'_>) -> Vec<Sighting> {
    let managers = managers_of(scope);
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let Part::Expr(Expr { kind: ExprKind::Yield(_), .. }) = part else { return };
        let inside = around.iter().rposition(|one| matches!(one, Around::Function(_)));
        let Some(at) = inside else { return };
        let Around::Function(number) = around[at] else { return };
        if !managers.contains(&number) {
            return;
        }
        for one in &around[at..] {
            let Around::Try(step) = one else { continue };
            let StepKind::Try { handlers, .. } = &step.kind else { continue };
            for handler in
                handlers.iter().filter(|handler| catches_all(handler, scope) && !raises(&handler.body))
            {
                let name = scope.code.functions[number].name;
                found.push(Sighting::at(scope.place(handler.head)).word("function", name));
            }
        }
    });
    found
}

/// The functions that `@contextmanager` decorates.
fn managers_of(scope: &FileScope<'_>) -> Vec<usize> {
    let mut managers = Vec::new();
    walk(scope.code, &mut |part, _| {
        let Part::Step(step) = part else { return };
        if let StepKind::Define { function, decorators } = &step.kind {
            let is = |one: &Expr<'_>| {
                let path = scope.names.path(one).unwrap_or_default();
                matches!(path, "contextlib.contextmanager" | "contextlib.asynccontextmanager")
            };
            if decorators.iter().any(is) {
                managers.push(*function);
            }
        }
    });
    managers
}

fn catches_all(handler: &Handler<'_>, scope: &FileScope<'_>) -> bool {
    let all = |caught: &Expr<'_>| matches!(scope.text(caught.span), "Exception" | "BaseException");
    handler.types.is_empty() || handler.types.iter().any(all)
}

/// Whether a block raises something on some path.
fn raises(block: &Block<'_>) -> bool {
    block
        .iter()
        .any(|step| matches!(step.kind, StepKind::Raise(_)) || step.kind.blocks().into_iter().any(raises))
}

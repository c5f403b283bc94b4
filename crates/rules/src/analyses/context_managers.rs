//! Generators that `@contextmanager` turns into context managers, and classes that are ones: what they do with what is
//! raised in the `with` block.

use super::gpu_values::names_gpu;
use super::memory::{called, method_of, path, releases};
use super::swallowing::{drops, finally_returns, suppresses};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block, within_function};
use crate::code::{Block, Expr, ExprKind, Function, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What catches at the `yield` of a context manager and raises nothing again, and an `__exit__` that says that all is
/// well.
pub(super) fn that_swallow_exceptions(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // A file that has nothing to do with the GPU drops what it drops for reasons of its own.
    const WORDS: &[&str] = &["cuda", "CUDA", "gpu", "GPU", "cupy", "torch", "jax", "tensorflow"];
    let managers = match WORDS.iter().any(|word| scope.whole_text().contains(word)) {
        true => functions_decorated(scope, is_manager),
        false => Vec::new(),
    };
    let mut found = Vec::new();
    let mut add = |span: Span, function: &Function<'_>, sure: bool| {
        let raw_finding = RawFinding::at(scope.place(span)).word("function", function.name);
        found.push(if sure { raw_finding } else { raw_finding.unsure() });
    };
    walk(scope.code, &mut |part, around| {
        let (function, inside) = within_function(around);
        let Some(number) = function else { return };
        let Some(function) = scope.code.functions.get(number) else { return };
        let CodeNode::Expr(Expr { kind: ExprKind::Yield(_) | ExprKind::YieldFrom(_), .. }) = part else {
            return;
        };
        if !managers.contains(&number) {
            return;
        }
        for one in inside {
            match one {
                Ancestor::Try(step) => {
                    let StatementKind::Try { handlers, finally, .. } = &step.kind else { continue };
                    for handler in handlers {
                        if let Some(sure) = drops(scope, handler) {
                            add(handler.head, function, sure);
                        }
                    }
                    finally_returns(finally).into_iter().for_each(|span| add(span, function, true));
                }
                Ancestor::With(step) => {
                    suppresses(scope, step).into_iter().for_each(|span| add(span, function, true));
                }
                _ => {}
            }
        }
    });
    // A class that has nothing to do with the GPU and reports what it catches is there to catch.
    let names_gpu = |text: &str| ["cuda", "cupy", "torch"].iter().any(|word| text.contains(word));
    let of_gpu = |function: &Function<'_>| {
        let text = scope.text(function.span);
        let reports = ["print(", ".warning(", ".error("].iter().any(|word| text.contains(word));
        (!reports && names_gpu(scope.whole_text()))
            || scope.code.classes.iter().any(|class| {
                class.span.start <= function.span.start
                    && function.span.end <= class.span.end
                    && names_gpu(scope.text(class.span))
            })
    };
    let exits = scope.code.functions.iter().filter(|one| matches!(one.name, "__exit__" | "__aexit__"));
    for function in exits.filter(|one| of_gpu(one)) {
        if let [
            ..,
            Statement { kind: StatementKind::Return(Some(Expr { kind: ExprKind::Bool(true), .. })), span },
        ] = &function.body[..]
            && function.body.iter().filter(|step| holds_return(step)).count() == 1
        {
            add(*span, function, true);
        }
    }
    found
}

fn holds_return(step: &Statement<'_>) -> bool {
    matches!(step.kind, StatementKind::Return(_))
        || step.kind.blocks().into_iter().any(|block| block.iter().any(holds_return))
}

/// A context manager, or fixture, whose clean-up stands behind its `yield` and not in a `finally`.
pub(super) fn that_clean_up_by_luck(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let managers = functions_decorated(scope, is_manager);
    let fixtures =
        functions_decorated(scope, |scope, one| super::fixtures::scope_of_fixture(scope, one).is_some());
    let mut found = Vec::new();
    for (kind, number) in
        managers.iter().map(|it| ("manager", it)).chain(fixtures.iter().map(|it| ("fixture", it)))
    {
        let Some(function) = scope.code.functions.get(*number) else { continue };
        let Some(manager) = Manager::of(scope, function) else { continue };
        if is_life_of_server(scope, function.name) {
            continue;
        }
        // Behind the `yield` of a fixture pytest goes on whatever the test did; only the fixture itself can fail there.
        let lucky = match kind {
            "manager" => !manager.yields_safely,
            _ => manager.fails_before_clean_up,
        };
        let measures = |release: Span| measures(scope, function, manager.yields, release);
        if let (true, Some(release)) = (lucky, manager.clean_up.filter(|release| !measures(*release))) {
            let raw_finding = RawFinding::at(scope.place(manager.yields)).word("function", function.name);
            found.push(raw_finding.beside(scope.place(release), "does not run when the block raises"));
        }
    }
    found
}

/// Whether a manager empties the cache in order to measure: it did so before, and writes into what it gave to the block how much
/// there is behind it. Where the block raises there is nothing to be told.
fn measures(scope: &FileScope<'_>, function: &Function<'_>, yields: Span, release: Span) -> bool {
    let text = |start: u32, end: u32| scope.text(Span { start, end });
    let before = text(function.span.start, yields.start);
    let behind = text(release.end, function.span.end);
    let what = scope.text(release);
    let empties = ["empty_cache(", "collect("].iter().any(|call| what.contains(call));
    let Some(given) = scope.text(yields).strip_prefix("yield").map(str::trim) else { return false };
    let is_written = |line: &str| {
        let target = line.trim().strip_prefix(given).and_then(|rest| rest.strip_prefix('.'));
        target.is_some_and(|target| target.split_once('=').is_some_and(|(name, _)| !name.contains('(')))
    };
    !given.is_empty() && empties && before.contains(what) && behind.lines().any(is_written)
}

/// A generator that cleans up behind its `yield`.
struct Manager {
    yields: Span,
    /// Something around the `yield` cleans up, or catches all that comes.
    yields_safely: bool,
    /// The first clean-up behind the `yield`.
    clean_up: Option<Span>,
    /// Between them stands an `assert` or a `raise`.
    fails_before_clean_up: bool,
}

impl Manager {
    fn of(scope: &FileScope<'_>, function: &Function<'_>) -> Option<Manager> {
        let mut manager: Option<Manager> = None;
        walk_block(scope.code, &function.body, &mut |part, around| {
            if around.iter().any(|one| matches!(one, Ancestor::Function(_))) {
                return;
            }
            let in_finally = around.iter().any(|one| matches!(one, Ancestor::Finally(_)));
            match (&mut manager, part) {
                (None, CodeNode::Expr(expr))
                    if matches!(expr.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_)) =>
                {
                    let yields_safely = around.iter().any(|one| keeps_safe(scope, function, one));
                    manager = Some(Manager {
                        yields: expr.span,
                        yields_safely,
                        clean_up: None,
                        fails_before_clean_up: false,
                    });
                }
                // Of two branches with a `yield` each, the clean-up belongs to the one it follows.
                (Some(manager), CodeNode::Expr(expr))
                    if manager.clean_up.is_none()
                        && matches!(expr.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_)) =>
                {
                    manager.yields = expr.span;
                    manager.yields_safely = around.iter().any(|one| keeps_safe(scope, function, one));
                }
                (Some(manager), CodeNode::Expr(expr)) if manager.clean_up.is_none() && !in_finally => {
                    let in_handler = around.iter().any(|one| matches!(one, Ancestor::Handler(..)));
                    if !in_handler && cleans_up(scope, function, expr) {
                        manager.clean_up = Some(expr.span);
                    }
                }
                (Some(manager), CodeNode::Statement(step)) if manager.clean_up.is_none() => {
                    manager.fails_before_clean_up |=
                        matches!(step.kind, StatementKind::Assert { .. } | StatementKind::Raise { .. })
                            && !in_finally;
                }
                _ => {}
            }
        });
        manager
    }
}

/// Whether what stands around a `yield` cleans up whatever comes out of it.
fn keeps_safe(scope: &FileScope<'_>, function: &Function<'_>, around: &Ancestor<'_, '_>) -> bool {
    let Ancestor::Try(step) = around else { return false };
    let StatementKind::Try { handlers, finally, .. } = &step.kind else { return false };
    let cleans = |block: &Block<'_>| {
        let mut found = false;
        walk_block(scope.code, block, &mut |part, _| {
            if let CodeNode::Expr(expr) = part {
                found |= cleans_up(scope, function, expr);
            }
        });
        found
    };
    let catches = handlers.iter().any(|handler| {
        super::swallowing::catches_all(scope, handler)
            && (cleans(&handler.body) || !super::swallowing::always_leaves(scope, &handler.body))
    });
    catches || cleans(finally)
}

/// Whether a call gives memory of the GPU back, makes the card of before current, or takes an object off the card
/// that the function had put there.
fn cleans_up(scope: &FileScope<'_>, function: &Function<'_>, expr: &Expr<'_>) -> bool {
    if releases(scope, expr) {
        return true;
    }
    if called(scope, expr) == "torch.cuda.set_device" {
        return scope.text(function.span).contains("current_device(");
    }
    let Some((object, name, call)) = method_of(expr) else { return false };
    let to_cpu = match name {
        "cpu" => call.arguments.is_empty(),
        "to" => call.arguments.first().is_some_and(
            |one| matches!(&scope.names.meant(&one.value).kind, ExprKind::Text(text) if text == "cpu"),
        ),
        _ => false,
    };
    to_cpu && was_put_on_gpu(scope, function, scope.text(object.span))
}

fn was_put_on_gpu(scope: &FileScope<'_>, function: &Function<'_>, object: &str) -> bool {
    let mut found = false;
    walk_block(scope.code, &function.body, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        found |= method_of(expr).is_some_and(|(on, name, call)| {
            let there = || call.arguments.first().is_some_and(|one| names_gpu(scope, &one.value, 0));
            scope.text(on.span) == object && (name == "cuda" || name == "to" && there())
        });
    });
    found
}

/// The functions that have a decorator of a kind.
fn functions_decorated<'a>(
    scope: &FileScope<'a>,
    is: impl Fn(&FileScope<'a>, &Expr<'_>) -> bool,
) -> Vec<usize> {
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        if let StatementKind::Define { function, decorators } = &step.kind
            && decorators.iter().any(|one| is(scope, one))
        {
            found.push(*function);
        }
    });
    found
}

/// `FastAPI(lifespan=manager)`: what its block leaves ends with the process, and so does the memory.
fn is_life_of_server(scope: &FileScope<'_>, function: &str) -> bool {
    scope.whole_text().replace(' ', "").contains(&format!("lifespan={function}"))
}

fn is_manager(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    matches!(path(scope, decorator), "contextlib.contextmanager" | "contextlib.asynccontextmanager")
}

//! What happens to an exception that is caught: raised again, handed on, or dropped.

use super::memory::{called, path};
use crate::code::{Block, Expr, ExprKind, Function, Handler, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::FileScope;

/// Whether a handler catches everything and drops it; `Some(false)` where it raises again on some paths.
pub(super) fn drops(scope: &FileScope<'_>, handler: &Handler<'_>) -> Option<bool> {
    if !catches_all(scope, handler) || always_leaves(scope, &handler.body) || hands_on(scope, handler) {
        return None;
    }
    let chooses = chooses_by(scope, &handler.body, handler.name);
    (!chooses).then(|| !raises_somewhere(&handler.body))
}

/// `except:`, `except Exception`, and those with one of these among others.
pub(super) fn catches_all(scope: &FileScope<'_>, handler: &Handler<'_>) -> bool {
    fn all(scope: &FileScope<'_>, caught: &Expr<'_>) -> bool {
        match &scope.names.meant(caught).kind {
            ExprKind::Sequence(parts) => parts.iter().any(|part| all(scope, part)),
            _ => {
                let path = scope.names.path(caught).unwrap_or_default();
                matches!(path.strip_prefix("builtins.").unwrap_or(path), "Exception" | "BaseException")
            }
        }
    }
    handler.types.is_empty() || handler.types.iter().any(|caught| all(scope, caught))
}

/// Whether every path through a block ends in an exception, or in the end of the process.
pub(super) fn always_leaves(scope: &FileScope<'_>, block: &Block<'_>) -> bool {
    leaves(scope, block, MOST_HELPERS)
}

/// So many functions of the file are looked into that call each other.
const MOST_HELPERS: usize = 3;

fn leaves(scope: &FileScope<'_>, block: &Block<'_>, helpers: usize) -> bool {
    let leaves = |block: &Block<'_>| leaves(scope, block, helpers);
    // What stands below a `return` does not run.
    let comes_back = |step: &&Statement<'_>| {
        matches!(step.kind, StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue)
    };
    let mut running = block.iter().take_while(|step| !comes_back(step));
    running.any(|step| match &step.kind {
        StatementKind::Raise { .. } => true,
        StatementKind::Evaluate(value) => {
            ends(scope, value) || helpers > 0 && calls_what_leaves(scope, value, helpers - 1)
        }
        StatementKind::Branch { then, otherwise, .. } => leaves(then) && leaves(otherwise),
        StatementKind::With { body, .. } => leaves(body),
        StatementKind::Try { body, handlers, finally, .. } => {
            leaves(finally) || leaves(body) && handlers.iter().all(|handler| leaves(&handler.body))
        }
        StatementKind::Match { arms, .. } => {
            arms.iter().any(|arm| arm.always) && arms.iter().all(|arm| leaves(&arm.body))
        }
        _ => false,
    })
}

/// `die(error)`: a function of the file that never comes back.
fn calls_what_leaves(scope: &FileScope<'_>, value: &Expr<'_>, helpers: usize) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let mut known = scope.code.functions.iter().filter(|function| function.name == name).peekable();
    let comes_back = |function: &Function<'_>| {
        function.is_async || function.is_generator || !leaves(scope, &function.body, helpers)
    };
    known.peek().is_some() && !known.any(comes_back)
}

/// Calls that return to nobody.
fn ends(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    const ENDING: &[&str] = &[
        "builtins.exit",
        "builtins.quit",
        "os._exit",
        "os.abort",
        "pytest.exit",
        "pytest.fail",
        "pytest.skip",
        "pytest.xfail",
        "six.reraise",
        "sys.exit",
    ];
    ENDING.contains(&called(scope, value)) || ENDING.contains(&scope.names.path(value).unwrap_or_default())
}

/// Whether the exception is kept for somebody, or sent to somebody, also as something that is made of it: `box.error = error`,
/// `errors.append(error)`, `self.send_event(Failure(error))`.
fn hands_on(scope: &FileScope<'_>, handler: &Handler<'_>) -> bool {
    let Some(name) = handler.name else { return false };
    let is_it = |expr: &Expr<'_>| match &expr.kind {
        ExprKind::Name(known) => *known == name,
        ExprKind::Sequence(parts) => {
            parts.iter().any(|part| matches!(part.kind, ExprKind::Name(known) if known == name))
        }
        _ => false,
    };
    fn any(block: &Block<'_>, is: &impl Fn(&Statement<'_>) -> bool) -> bool {
        block.iter().any(|step| is(step) || step.kind.blocks().into_iter().any(|block| any(block, is)))
    }
    any(&handler.body, &|step| match &step.kind {
        StatementKind::Assign { value: Some(value), .. } => is_it(value),
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => {
            const KEEPING: &[&str] = &["append", "set_exception", "throw"];
            const SENDING: &[&str] = &["emit", "publish", "put", "send"];
            let ExprKind::Attribute(_, method) = call.callee.kind else { return false };
            let sends = method.split('_').find(|word| !word.is_empty());
            let sends = sends.is_some_and(|verb| SENDING.contains(&verb));
            call.arguments.iter().map(|argument| &argument.value).any(|given| {
                (sends || KEEPING.contains(&method)) && is_it(given) || sends && mentions(scope, given, name)
            })
        }
        _ => false,
    })
}

/// Whether a branch that raises asks for the exception, since a kind of it is expected, or for an option of the caller's:
/// `if not suppress: raise`.
fn chooses_by(scope: &FileScope<'_>, block: &Block<'_>, name: Option<&str>) -> bool {
    let asks_for_it = |test: &Expr<'_>| name.is_some_and(|name| mentions(scope, test, name));
    block.iter().any(|step| {
        let asks = match &step.kind {
            StatementKind::Branch { test, .. } => asks_for_it(test) || is_option(test),
            // `assert isinstance(error, expected)` is such a branch in one line.
            StatementKind::Assert { test, .. } if asks_for_it(test) => return true,
            _ => false,
        };
        let branch = step.kind.blocks();
        (asks && branch.iter().any(|block| raises_somewhere(block)))
            || branch.into_iter().any(|block| chooses_by(scope, block, name))
    })
}

/// `not suppress`, `not self.suppress`: to drop is what the caller asks for. `if debug: raise` is the other way round.
fn is_option(test: &Expr<'_>) -> bool {
    let ExprKind::Not(inner) = &test.kind else { return false };
    matches!(inner.kind, ExprKind::Name(_) | ExprKind::Attribute(..))
}

fn mentions(scope: &FileScope<'_>, expr: &Expr<'_>, name: &str) -> bool {
    let mut words = scope.text(expr.span).split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| word == name)
}

fn raises_somewhere(block: &Block<'_>) -> bool {
    block.iter().any(|step| {
        matches!(step.kind, StatementKind::Raise { .. })
            || step.kind.blocks().into_iter().any(raises_somewhere)
    })
}

/// `return`, and `break` or `continue` of a loop outside, in a `finally`: they drop what is on its way.
pub(super) fn finally_returns(finally: &Block<'_>) -> Option<Span> {
    fn first(block: &Block<'_>, in_loop: bool) -> Option<Span> {
        block.iter().find_map(|step| match &step.kind {
            StatementKind::Return(_) => Some(step.span),
            StatementKind::Break | StatementKind::Continue if !in_loop => Some(step.span),
            kind => {
                let loops =
                    in_loop || matches!(kind, StatementKind::For { .. } | StatementKind::While { .. });
                kind.blocks().into_iter().find_map(|block| first(block, loops))
            }
        })
    }
    first(finally, false)
}

/// `with contextlib.suppress(Exception):`
pub(super) fn suppresses(scope: &FileScope<'_>, step: &Statement<'_>) -> Option<Span> {
    let StatementKind::With { items, .. } = &step.kind else { return None };
    items.iter().find_map(|(item, _)| {
        let ExprKind::Call(call) = &item.kind else { return None };
        let all = |expr: &Expr<'_>| {
            let path = scope.names.path(expr).unwrap_or_default();
            matches!(path, "builtins.Exception" | "builtins.BaseException")
        };
        let suppresses = path(scope, &call.callee) == "contextlib.suppress"
            && call.arguments.iter().any(|argument| all(&argument.value));
        suppresses.then_some(item.span)
    })
}

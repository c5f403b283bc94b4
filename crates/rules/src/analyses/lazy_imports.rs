//! Lazy imports of Python 3.15: where they are a syntax error, and where they are not lazy after all.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Import, ImportNames, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::Start;
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::{FxHashMap, FxHashSet};

/// A name that a lazy import binds at the top level.
struct Bound<'a> {
    module: &'a str,
    import: Span,
}

/// Functions that call functions that call functions: further ones are not followed.
const MAX_HOPS: usize = 3;

/// `lazy` where Python does not allow it, or where the module is used while the file is imported.
pub(super) fn misused(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let declared = declared_lazy(scope);
    let mut found = Vec::new();
    let mut bound: FxHashMap<&str, Option<Bound<'_>>> = FxHashMap::default();
    scope.each_statement(&mut |step, around| {
        let top = !around.iter().any(|one| matches!(one, Ancestor::Function(_) | Ancestor::Class(_)));
        match &step.kind {
            StatementKind::Import(import) => {
                let refused = refusal(import, around).filter(|_| import.lazy);
                if let Some(reason) = refused {
                    let problem = format!("`lazy` {reason} is a syntax error");
                    found.push(RawFinding::at(scope.place(step.span)).word("problem", problem));
                } else if top {
                    let in_try = around.iter().any(is_try);
                    let lazy = import.lazy || (!in_try && declared.contains(import.module));
                    for name in names_of(import) {
                        let one = lazy.then_some(Bound { module: import.module, import: step.span });
                        bound.entry(name).and_modify(|known| *known = None).or_insert(one);
                    }
                }
            }
            StatementKind::Assign { targets, .. } if top => {
                for target in targets {
                    if let Target::Name(name, _) = target {
                        bound.insert(name, None);
                    }
                }
            }
            _ => {}
        }
    });
    bound.retain(|_, one| one.is_some());
    if !bound.is_empty() {
        used_at_import(&bound, scope, &mut found);
    }
    found
}

/// Why an import cannot be lazy.
fn refusal(import: &Import<'_>, around: &[Ancestor<'_, '_>]) -> Option<&'static str> {
    let innermost = around.iter().rev().find_map(|one| match one {
        Ancestor::Function(_) => Some("inside a function"),
        Ancestor::Class(_) => Some("inside a class"),
        one if is_try(one) => Some("inside `try`"),
        _ => None,
    });
    innermost.or(match import.names {
        ImportNames::Star => Some("with `*`"),
        _ if import.module == "__future__" => Some("from `__future__`"),
        _ => None,
    })
}

fn is_try(around: &Ancestor<'_, '_>) -> bool {
    matches!(around, Ancestor::Try(_) | Ancestor::Handler(..) | Ancestor::TryElse(_) | Ancestor::Finally(_))
}

fn names_of<'a>(import: &Import<'a>) -> Vec<&'a str> {
    match &import.names {
        ImportNames::Module(bound) => bound.or(import.module.split('.').next()).into_iter().collect(),
        ImportNames::Names(names) => names.iter().map(|name| name.bound).collect(),
        ImportNames::Star => Vec::new(),
    }
}

/// The modules that `__lazy_modules__` names, where the project's Python knows what that is.
fn declared_lazy<'a>(scope: &FileScope<'a>) -> FxHashSet<&'a str> {
    let mut declared = FxHashSet::default();
    if !scope.program.knows_lazy_modules(scope.file) {
        return declared;
    }
    for step in &scope.code.body {
        if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
            && matches!(&targets[..], [Target::Name("__lazy_modules__", _)])
            && let ExprKind::Sequence(elements) = &value.kind
        {
            declared.extend(elements.iter().filter_map(|element| match &element.kind {
                ExprKind::Text(std::borrow::Cow::Borrowed(text)) => Some(*text),
                _ => None,
            }));
        }
    }
    declared
}

/// The first use of each name while the file is imported, at the top level or in what is called there.
fn used_at_import<'a>(
    bound: &FxHashMap<&'a str, Option<Bound<'a>>>,
    scope: &FileScope<'a>,
    found: &mut Vec<RawFinding>,
) {
    let started = matches!(scope.program.start_of(scope.file), Some(Start::Script | Start::Module));
    let functions: FxHashMap<&str, usize> = (scope.code.body.iter())
        .filter_map(|step| match &step.kind {
            StatementKind::Define { function, .. } => Some((scope.code.functions[*function].name, *function)),
            _ => None,
        })
        .collect();
    // What a script does between the import and the use may be the reason for the import to wait.
    let acting = scope.code.body.iter().filter(|step| started && acts(step));
    let acting: Vec<Span> = acting.map(|step| step.span).collect();
    let waits =
        |import: Span, used: Span| acting.iter().any(|one| import.end <= one.start && one.end <= used.start);
    let mut told: FxHashSet<Span> = FxHashSet::default();
    let mut called: Vec<(usize, usize, Span)> = Vec::new();
    let mut tell = |expr: &Expr<'a>, name: &str, at: Span, sure: bool| {
        let Some(Some(one)) = bound.get(name) else { return };
        if !waits(one.import, at) && told.insert(one.import) {
            let problem = format!(
                "`{}` is imported lazily and used while this module runs, so it is imported at once",
                one.module
            );
            let raw_finding = RawFinding::at(scope.place(one.import))
                .word("problem", problem)
                .beside(scope.place(expr.span), format!("`{name}` is used here"))
                .at_most(Severity::Warning);
            found.push(if sure { raw_finding } else { raw_finding.unsure() });
        }
    };
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if around.iter().any(is_later) {
            return;
        }
        match &expr.kind {
            ExprKind::Name(name) => tell(expr, name, expr.span, true),
            ExprKind::Call(call) => {
                if let ExprKind::Name(name) = &call.callee.kind
                    && let Some(function) = functions.get(name)
                {
                    called.push((*function, 0, expr.span));
                }
            }
            _ => {}
        }
    });
    let mut seen = FxHashSet::default();
    while let Some((function, hops, at)) = called.pop() {
        if !seen.insert(function) || hops > MAX_HOPS {
            continue;
        }
        let is_own =
            |name: &str| scope.code.functions[function].parameters.iter().any(|one| one.name == name);
        walk(scope.code, &mut |part, around| {
            let inside =
                around.iter().position(|one| matches!(one, Ancestor::Function(one) if *one == function));
            let (CodeNode::Expr(expr), Some(depth)) = (part, inside) else { return };
            if around[depth + 1..].iter().any(is_later) {
                return;
            }
            match &expr.kind {
                ExprKind::Name(name) if !is_own(name) => tell(expr, name, at, false),
                ExprKind::Call(call) => {
                    if let ExprKind::Name(name) = &call.callee.kind {
                        called.extend(functions.get(name).map(|inner| (*inner, hops + 1, at)));
                    }
                }
                _ => {}
            }
        });
    }
}

/// Code that runs later, or only under some condition.
fn is_later(around: &Ancestor<'_, '_>) -> bool {
    match around {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => !matches!(test.kind, ExprKind::Bool(true)),
        Ancestor::Function(_) | Ancestor::Handler(..) => true,
        _ => false,
    }
}

/// Whether a step does more than to define something.
fn acts(step: &Statement<'_>) -> bool {
    match &step.kind {
        StatementKind::Import(_) | StatementKind::Define { .. } | StatementKind::DefineClass { .. } => false,
        StatementKind::Assign { targets, value, .. } => {
            let named = targets.iter().all(|target| matches!(target, Target::Name(..)));
            !named || value.as_ref().is_some_and(|value| matches!(value.kind, ExprKind::Call(_)))
        }
        StatementKind::Branch { test, .. } => !matches!(test.kind, ExprKind::Bool(true)),
        _ => true,
    }
}

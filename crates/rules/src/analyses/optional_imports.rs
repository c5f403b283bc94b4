//! Imports of GPU libraries that are optional, and the guards around them: what they do where there is no driver.

use super::cuda_calls::fails_without_driver;
use super::unbound_branches;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Block, Expr, ExprKind, Handler, Import, ImportNames, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Libraries that can be imported without a GPU, and used only with one.
const NEED_A_GPU: &[&str] = &[
    "cudf",
    "cugraph",
    "cuml",
    "cupy",
    "cupyx",
    "dask_cuda",
    "dask_cudf",
    "numba.cuda",
    "pycuda",
    "pynvml",
    "rmm",
];

/// Guards that do not survive a machine without a driver.
pub(super) fn with_narrow_guards(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Try { body, handlers, otherwise, .. } if !is_caught(around, scope) => {
                if let Some(raw_finding) = failing_call(step, handlers, scope) {
                    found.push(raw_finding);
                } else if let Some(raw_finding) = left_unbound(step, body, handlers, otherwise, around, scope)
                {
                    found.push(raw_finding);
                } else if around.is_empty() {
                    found.extend(unbound_branches::in_try(step, body, handlers, scope));
                }
            }
            StatementKind::Branch { test, then, .. } => {
                let imports = |library: &str| block_imports(then, library, scope);
                found.extend(only_looked_for(test, &imports, scope));
            }
            _ => {}
        },
        CodeNode::Expr(Expr { kind: ExprKind::Choice(parts), .. }) => {
            let imports = |library: &str| expr_imports(&parts.1, library, scope);
            found.extend(only_looked_for(&parts.0, &imports, scope));
        }
        _ => {}
    });
    found
}

fn needs_a_gpu(module: &str) -> bool {
    NEED_A_GPU
        .iter()
        .any(|known| module.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The GPU libraries that an import brings, with the names that it binds.
fn libraries<'a>(import: &Import<'a>) -> Vec<(String, &'a str)> {
    match &import.names {
        ImportNames::Module(bound) if needs_a_gpu(import.module) => {
            let name = bound.or(import.module.split('.').next()).unwrap_or(import.module);
            vec![(import.module.to_owned(), name)]
        }
        ImportNames::Names(names) => names
            .iter()
            .map(|one| (format!("{}.{}", import.module, one.name), one.bound))
            .filter(|(full, _)| needs_a_gpu(full))
            .collect(),
        _ => Vec::new(),
    }
}

/// `except ImportError` around a call that fails in another way.
fn failing_call(step: &Statement<'_>, handlers: &[Handler<'_>], scope: &FileScope<'_>) -> Option<RawFinding> {
    let first = handlers.first()?;
    if !handlers.iter().all(|handler| handler.import_errors) {
        return None;
    }
    let mut call: Option<(Span, String)> = None;
    let mut imports = false;
    walk(scope.code, &mut |part, around| {
        let at =
            around.iter().position(|one| matches!(one, Ancestor::Try(known) if std::ptr::eq(*known, step)));
        let Some(at) = at else { return };
        let later = around[at + 1..].iter().any(|one| {
            matches!(
                one,
                Ancestor::Function(_) | Ancestor::Try(_) | Ancestor::Then(_) | Ancestor::Otherwise(_)
            )
        });
        if later {
            return;
        }
        match part {
            CodeNode::Statement(Statement { kind: StatementKind::Import(import), .. }) => {
                imports |= import.level == 0 && scope.program.imports_outside(scope.file, import);
            }
            CodeNode::Expr(expr) if call.is_none() => {
                call = fails_without_driver(expr, scope).map(|name| (expr.span, name));
            }
            _ => {}
        }
    });
    let (span, name) = call.filter(|_| imports)?;
    let problem =
        format!("`except ImportError` does not catch what `{name}()` raises where there is no driver");
    Some(
        RawFinding::at(scope.place(first.head))
            .word("problem", problem)
            .beside(scope.place(span), "this raises another exception"),
    )
}

/// A `try` around an import that leaves its name unbound, although the name is used behind it.
fn left_unbound(
    step: &Statement<'_>,
    body: &Block<'_>,
    handlers: &[Handler<'_>],
    otherwise: &Block<'_>,
    around: &[Ancestor<'_, '_>],
    scope: &FileScope<'_>,
) -> Option<RawFinding> {
    let first = handlers.first()?;
    let (module, name) = body.iter().find_map(|step| match &step.kind {
        StatementKind::Import(import) if scope.program.imports_outside(scope.file, import) => {
            libraries(import).into_iter().next()
        }
        _ => None,
    })?;
    // A flag, another import or a way out: whoever uses the name can know.
    let only_imports =
        body.iter().all(|step| matches!(step.kind, StatementKind::Import(_))) && otherwise.is_empty();
    let says_nothing = handlers.iter().all(|handler| handler.body.iter().all(is_silent));
    let asked = scope.whole_text().contains("sys.modules");
    if asked || !only_imports || !says_nothing || !around.is_empty() || binds_elsewhere(name, step, scope) {
        return None;
    }
    let mut used: Option<Span> = None;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let is_name = matches!(&expr.kind, ExprKind::Name(known) if *known == name);
        let inside = step.span.start <= expr.span.start && expr.span.end <= step.span.end;
        let asked = around.iter().any(|one| match one {
            Ancestor::Then(test) | Ancestor::Otherwise(test) => {
                let text = scope.text(test.span);
                ["cupy", "available", "AVAILABLE", "has_", "HAS_", "modules", "globals", name]
                    .iter()
                    .any(|word| text.contains(word))
            }
            Ancestor::Try(_) | Ancestor::Test(_) => true,
            _ => false,
        });
        if is_name && !inside && !asked && used.is_none() && scope.names.path(expr).is_some() {
            used = Some(expr.span);
        }
    });
    let problem = format!("`{name}` stays unbound where `{module}` cannot be imported, and is still used");
    let used = used?;
    Some(
        RawFinding::at(scope.place(first.head))
            .word("problem", problem)
            .beside(scope.place(used), format!("`{name}` is used here")),
    )
}

/// Whether a step of a handler only passes on or says something.
fn is_silent(step: &Statement<'_>) -> bool {
    match &step.kind {
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => {
            let last = match &call.callee.kind {
                ExprKind::Name(name) | ExprKind::Attribute(_, name) => *name,
                _ => return false,
            };
            matches!(last, "print" | "warn" | "warning" | "info" | "debug" | "error" | "exception" | "write")
        }
        StatementKind::Import(import) => import.module == "warnings" || import.module == "logging",
        _ => false,
    }
}

/// Whether something else binds the name.
fn binds_elsewhere(name: &str, step: &Statement<'_>, scope: &FileScope<'_>) -> bool {
    let mut bound = false;
    walk(scope.code, &mut |part, around| {
        let inside =
            around.iter().any(|one| matches!(one, Ancestor::Try(known) if std::ptr::eq(*known, step)));
        match part {
            CodeNode::Target(Target::Name(known, _)) => bound |= *known == name,
            CodeNode::Statement(Statement { kind: StatementKind::Import(import), .. }) if !inside => {
                bound |= match &import.names {
                    ImportNames::Module(one) => one.or(import.module.split('.').next()) == Some(name),
                    ImportNames::Names(names) => names.iter().any(|one| one.bound == name),
                    ImportNames::Star => true,
                };
            }
            _ => {}
        }
    });
    bound
}

/// Whether what is raised here is caught by somebody around it who catches everything.
fn is_caught(around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Try(Statement { kind: StatementKind::Try { handlers, .. }, .. }) => {
            handlers.iter().any(|handler| {
                handler.types.is_empty()
                    || handler
                        .types
                        .iter()
                        .any(|one| matches!(scope.text(one.span), "Exception" | "BaseException"))
            })
        }
        _ => false,
    })
}

/// `find_spec("cupy")` decides alone that the library is imported.
fn only_looked_for(
    test: &Expr<'_>,
    imports: &dyn Fn(&str) -> bool,
    scope: &FileScope<'_>,
) -> Option<RawFinding> {
    const ASKS: [&str; 7] = [
        "is_available",
        "getDeviceCount",
        "get_device_count",
        "device_count",
        "cuda.gpus",
        "nvmlInit",
        "nvidia-smi",
    ];
    let (span, library) = looked_for(test, scope, 0)?;
    let asked = ASKS.iter().any(|asks| scope.whole_text().contains(asks));
    if asked || !needs_a_gpu(&library) || !imports(&library) {
        return None;
    }
    let problem = format!("`find_spec` shows that `{library}` is installed, not that a GPU is available");
    Some(RawFinding::at(scope.place(span)).word("problem", problem))
}

/// The library that a condition looks for, and nothing else.
fn looked_for(test: &Expr<'_>, scope: &FileScope<'_>, hops: usize) -> Option<(Span, String)> {
    if hops > 3 {
        return None;
    }
    match &test.kind {
        ExprKind::Compare(_, pair) => looked_for(&pair.0, scope, hops + 1),
        ExprKind::Call(call) => {
            if let ExprKind::Name(name) = &call.callee.kind {
                let known = scope.code.functions.iter().find(|function| function.name == *name);
                if let Some([Statement { kind: StatementKind::Return(Some(value)), .. }]) =
                    known.map(|function| function.body.as_slice())
                {
                    return looked_for(value, scope, hops + 1);
                }
            }
            if scope.names.path(&call.callee) == Some("builtins.bool") {
                return looked_for(&call.arguments.first()?.value, scope, hops + 1);
            }
            let finds = matches!(
                scope.names.path(&call.callee)?,
                "importlib.util.find_spec" | "importlib.find_loader" | "pkgutil.find_loader"
            );
            match &scope.names.meant(&call.arguments.first()?.value).kind {
                ExprKind::Text(library) if finds => Some((test.span, library.to_string())),
                _ => None,
            }
        }
        ExprKind::Name(_) => {
            let meant = scope.names.meant(test);
            if std::ptr::eq(meant, test) { None } else { looked_for(meant, scope, hops + 1) }
        }
        _ => None,
    }
}

/// Whether a block imports a library without catching that it does not work.
fn block_imports(block: &Block<'_>, library: &str, scope: &FileScope<'_>) -> bool {
    let root = |module: &str| module.split('.').next().unwrap_or(module).to_owned();
    block.iter().any(|step| match &step.kind {
        StatementKind::Import(import) => {
            libraries(import).iter().any(|(module, _)| root(module) == root(library))
        }
        StatementKind::Assign { value: Some(value), .. } | StatementKind::Evaluate(value) => {
            expr_imports(value, library, scope)
        }
        StatementKind::Try { .. } => false,
        kind => kind.blocks().into_iter().any(|block| block_imports(block, library, scope)),
    })
}

/// `importlib.import_module("cupy")`
fn expr_imports(expr: &Expr<'_>, library: &str, scope: &FileScope<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    let imports =
        matches!(scope.names.path(&call.callee), Some("importlib.import_module" | "builtins.__import__"));
    let named = call.arguments.first().map(|argument| &scope.names.meant(&argument.value).kind);
    imports && matches!(named, Some(ExprKind::Text(name)) if *name == library)
}

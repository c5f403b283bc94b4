//! Proofs that a module was not imported: they say something about a fresh process only.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Block, Call, Comparison, Expr, ExprKind, Snippet, Statement, StatementKind};
use crate::program::knowledge::PackageModule;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Assertions that a GPU library is not in `sys.modules`, in tests and in modules that others import. In a document,
/// those in functions that are named as tests.
pub(super) fn in_a_used_process(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !matches!(scope.language(), Language::Python | Language::Markdown) {
        return Vec::new();
    }
    let start = scope.program.start_of(scope.file);
    let is_tests = scope.program.is_of_tests(scope.file);
    let mut found = Vec::new();
    let mut told = Vec::new();
    walk(scope.code, &mut |part, around| {
        let seen = match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assert { test, .. } if denies(test, scope) => Some(test),
                StatementKind::Branch { test, then, .. } if affirms(test, scope) && gives_up(then, scope) => {
                    Some(test)
                }
                _ => None,
            },
            CodeNode::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) if asserts(call, scope) => Some(expr),
                _ => None,
            },
            CodeNode::Target(_) => None,
        };
        let Some(test) = seen else { return };
        // An interpreter of its own runs what a command line hands it.
        let holds_it = |snippet: &Snippet<'_>| {
            snippet.span.start <= test.span.start && test.span.end <= snippet.span.end
        };
        if scope.language() == Language::Python && scope.code.snippets.iter().any(holds_it) {
            return;
        }
        let functions: Vec<usize> = around.iter().filter_map(inside).collect();
        let function_is =
            |is: &dyn Fn(&str) -> bool| functions.iter().any(|&one| is(scope.code.functions[one].name));
        let in_test = is_tests || function_is(&|name| name.starts_with("test_"));
        // It asked at the start what was there, or asks whether it comes first, since it sets what is read at the import.
        if around.iter().any(|one| asked_before(one, scope))
            || functions.iter().any(|&one| asks_first(one, scope))
            || !in_test && functions.iter().any(|&one| sets_environment(one, scope))
        {
            return;
        }
        // A script is a process of its own, and so is a function that another process is given to run.
        let fresh = (start.is_some() && !in_test)
            || around.iter().any(|one| is_main_guard(one, scope))
            || functions.iter().any(|&one| is_handed_over(one, scope));
        if fresh {
            return;
        }
        let Some(module) = gpu_module(test, around, scope) else { return };
        // The first assertion of a test speaks for the others.
        if let Some(own) = functions.last() {
            if told.contains(own) {
                return;
            }
            told.push(*own);
        }
        let raw_finding = RawFinding::at(scope.place(test.span)).word("module", module);
        found.push(if in_test { raw_finding } else { raw_finding.unsure() });
    });
    found
}

/// Whether a part of a file may be such an assertion, whatever it is about.
pub(crate) fn may_assert(part: CodeNode<'_, '_>) -> bool {
    match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Assert { .. } => true,
            StatementKind::Branch { then, .. } => then
                .iter()
                .any(|step| matches!(step.kind, StatementKind::Raise { .. } | StatementKind::Evaluate(_))),
            _ => false,
        },
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            matches!(&call.callee.kind, ExprKind::Attribute(_, method) if method.starts_with("assert"))
        }
        _ => false,
    }
}

fn inside(around: &Ancestor<'_, '_>) -> Option<usize> {
    match around {
        Ancestor::Function(number) => Some(*number),
        _ => None,
    }
}

/// `sys.modules`, or a copy of its keys.
fn is_modules(expr: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    if matches!(scope.names.path(expr), Some("sys.modules" | "sys.modules.keys()")) {
        return true;
    }
    let meant = scope.names.meant(expr);
    match &meant.kind {
        ExprKind::Call(call) => {
            let copies = ["set", "list", "tuple", "sorted", "frozenset", "dict"];
            let path = scope.names.path(&call.callee).and_then(|path| path.strip_prefix("builtins."));
            path.is_some_and(|name| copies.contains(&name))
                && call.arguments.iter().any(|argument| is_modules(&argument.value, scope))
        }
        ExprKind::Comprehension(one) => one.generators.iter().any(|one| is_modules(&one.iterable, scope)),
        ExprKind::Binary(_, pair) => is_modules(&pair.0, scope) || is_modules(&pair.1, scope),
        _ => !std::ptr::eq(meant, expr) && scope.names.path(meant) == Some("sys.modules"),
    }
}

/// Whether a condition holds only when something is not imported.
fn denies(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    match &test.kind {
        ExprKind::Compare(Comparison::NotIn, pair) => is_modules(&pair.1, scope),
        ExprKind::Compare(Comparison::Is, pair) => asks_for(&pair.0, scope),
        ExprKind::Compare(Comparison::Equal, pair) => {
            let empty = |expr: &Expr<'_>| match &expr.kind {
                ExprKind::Sequence(elements) => elements.is_empty(),
                ExprKind::Call(call) => call.arguments.is_empty(),
                _ => false,
            };
            (empty(&pair.1) && is_modules(&pair.0, scope)) || (empty(&pair.0) && is_modules(&pair.1, scope))
        }
        ExprKind::Not(inner) => affirms(inner, scope),
        ExprKind::All(operands) => operands.iter().any(|one| denies(one, scope)),
        ExprKind::Call(call) => {
            let disjoint = matches!(&call.callee.kind, ExprKind::Attribute(_, "isdisjoint"));
            (disjoint && call.arguments.iter().any(|argument| is_modules(&argument.value, scope)))
                || (scope.names.path(&call.callee) == Some("builtins.all") && of_each(call, scope, denies))
        }
        _ => false,
    }
}

/// Whether a condition holds only when something is imported.
fn affirms(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    match &test.kind {
        ExprKind::Compare(Comparison::In, pair) => is_modules(&pair.1, scope),
        ExprKind::Any(operands) => operands.iter().any(|one| affirms(one, scope)),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("builtins.any") => {
            of_each(call, scope, affirms)
                || call.arguments.iter().any(|argument| is_modules(&argument.value, scope))
        }
        ExprKind::Binary(..) | ExprKind::Comprehension(_) => is_modules(test, scope),
        ExprKind::Name(_) => {
            let meant = scope.names.meant(test);
            !matches!(meant.kind, ExprKind::Name(_) | ExprKind::Attribute(..)) && is_modules(meant, scope)
        }
        _ => false,
    }
}

/// `any(… for …)`
fn of_each(call: &Call<'_>, scope: &FileScope<'_>, holds: fn(&Expr<'_>, &FileScope<'_>) -> bool) -> bool {
    call.arguments.iter().any(|argument| match &argument.value.kind {
        ExprKind::Comprehension(one) => one.elements.iter().any(|element| holds(element, scope)),
        _ => false,
    })
}

/// `sys.modules.get("torch")`
fn asks_for(expr: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if scope.names.path(&call.callee) == Some("sys.modules.get"))
}

/// `self.assertNotIn("torch", sys.modules)` and its like.
fn asserts(call: &Call<'_>, scope: &FileScope<'_>) -> bool {
    let ExprKind::Attribute(_, method) = &call.callee.kind else { return false };
    let argument = |at: usize| call.arguments.get(at).map(|argument| &argument.value);
    let first =
        |holds: fn(&Expr<'_>, &FileScope<'_>) -> bool| argument(0).is_some_and(|one| holds(one, scope));
    match *method {
        "assertNotIn" => argument(1).is_some_and(|modules| is_modules(modules, scope)),
        "assertFalse" => first(affirms),
        "assertTrue" => first(denies),
        "assertIsNone" => first(asks_for),
        "assertEqual" | "assertListEqual" | "assertSetEqual" => {
            let is = |at| argument(at).is_some_and(|one| affirms(one, scope));
            is(0) || is(1)
        }
        _ => false,
    }
}

/// Whether a block ends the test or the program.
fn gives_up(block: &Block<'_>, scope: &FileScope<'_>) -> bool {
    block.iter().any(|step| match &step.kind {
        StatementKind::Raise { .. } => true,
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => {
            matches!(scope.names.path(&call.callee), Some("sys.exit" | "pytest.fail"))
                || matches!(&call.callee.kind, ExprKind::Attribute(_, "fail"))
        }
        _ => false,
    })
}

/// `if not torch_was_there:`, where the name holds what `sys.modules` said before.
fn asked_before(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    let (Ancestor::Then(test) | Ancestor::Otherwise(test)) = around else { return false };
    let name = if let ExprKind::Not(inner) = &test.kind { inner } else { *test };
    let meant = scope.names.meant(name);
    matches!(name.kind, ExprKind::Name(_)) && (affirms(meant, scope) || denies(meant, scope))
}

/// Whether a function begins by ending where the library is there already, and imports what it looks at only then: what it finds
/// afterwards came with that.
fn asks_first(function: usize, scope: &FileScope<'_>) -> bool {
    let body = &scope.code.functions[function].body;
    let imports = |step: &Statement<'_>| scope.text(step.span).contains("import");
    let asks = |step: &Statement<'_>| match &step.kind {
        StatementKind::Assert { test, .. } => denies(test, scope),
        StatementKind::Branch { test, then, .. } => {
            affirms(test, scope) && (gives_up(then, scope) || scope.text(step.span).contains("pytest.skip("))
        }
        _ => false,
    };
    let at = body.iter().position(asks);
    at.is_some_and(|at| {
        !body[..at].iter().any(|step| matches!(step.kind, StatementKind::Import(_)))
            && body[at + 1..].iter().any(imports)
    })
}

/// Whether a function sets variables of its own process.
fn sets_environment(function: usize, scope: &FileScope<'_>) -> bool {
    let text = scope.text(scope.code.functions[function].span);
    text.contains("os.environ[")
        || text.contains("os.environ.setdefault(")
        || text.contains("os.environ.update(")
}

fn is_main_guard(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    matches!(around, Ancestor::Then(test) if scope.text(test.span).contains("__main__"))
}

/// Whether a function is handed to somebody else by its name: to a process, or to a helper that starts one.
fn is_handed_over(function: usize, scope: &FileScope<'_>) -> bool {
    let name = scope.code.functions[function].name;
    let mut handed = false;
    walk(scope.code, &mut |part, around| {
        if let (CodeNode::Expr(expr), Some(Ancestor::Argument(..))) = (part, around.last()) {
            handed |= matches!(&expr.kind, ExprKind::Name(known) if *known == name);
        }
        if let CodeNode::Statement(Statement {
            kind: StatementKind::Define { function: defined, decorators },
            ..
        }) = part
            && *defined == function
        {
            let own_process = |one: &Expr<'_>| {
                let text = scope.text(one.span).to_ascii_lowercase();
                ["subprocess", "spawn", "isolated", "fresh", "new_process"]
                    .iter()
                    .any(|word| text.contains(word))
            };
            handed |= decorators.iter().any(own_process);
        }
    });
    handed
}

/// The GPU library that is spoken of: in the test itself, in the loop around it, or in the parameters of the function.
fn gpu_module(test: &Expr<'_>, around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> Option<String> {
    let mut texts = Vec::new();
    texts_in(test, scope, &mut texts, 0);
    if let Some(found) = texts.iter().find(|text| is_gpu_module(text, scope)) {
        return Some(found.clone());
    }
    if !texts.is_empty() {
        return None;
    }
    for one in around.iter().rev() {
        match one {
            Ancestor::Loop(Statement { kind: StatementKind::For { iterable, .. }, .. }) => {
                texts_in(iterable, scope, &mut texts, 0);
            }
            Ancestor::Function(number) => decorators_of(*number, scope, &mut texts),
            _ => {}
        }
    }
    texts.into_iter().find(|text| is_gpu_module(text, scope))
}

fn decorators_of(function: usize, scope: &FileScope<'_>, texts: &mut Vec<String>) {
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Statement(Statement {
            kind: StatementKind::Define { function: defined, decorators },
            ..
        }) = part
            && *defined == function
        {
            decorators.iter().for_each(|one| texts_in(one, scope, texts, 0));
        }
    });
}

/// The texts that an expression is made of.
fn texts_in(expr: &Expr<'_>, scope: &FileScope<'_>, texts: &mut Vec<String>, hops: usize) {
    const MOST: usize = 12;
    if hops > MOST {
        return;
    }
    let mut below = |inner: &Expr<'_>| texts_in(inner, scope, texts, hops + 1);
    match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => texts.push(text.trim_end_matches('.').to_owned()),
        ExprKind::Sequence(parts)
        | ExprKind::All(parts)
        | ExprKind::Any(parts)
        | ExprKind::Unknown(parts) => {
            parts.iter().for_each(below);
        }
        ExprKind::Compare(_, pair) | ExprKind::Binary(_, pair) | ExprKind::Item(pair) => {
            below(&pair.0);
            below(&pair.1);
        }
        ExprKind::Not(inner) | ExprKind::Starred(inner) | ExprKind::Attribute(inner, _) => below(inner),
        ExprKind::Mapping(entries) => entries.iter().filter_map(|(key, _)| key.as_ref()).for_each(below),
        ExprKind::Call(call) => {
            below(&call.callee);
            call.arguments.iter().for_each(|argument| below(&argument.value));
        }
        ExprKind::Comprehension(one) => {
            one.elements.iter().for_each(&mut below);
            one.generators.iter().for_each(|one| {
                below(&one.iterable);
                one.conditions.iter().for_each(&mut below);
            });
        }
        _ => {}
    }
}

fn is_gpu_module(name: &str, scope: &FileScope<'_>) -> bool {
    let known = scope.program.knowledge.package(name);
    let forbidden = scope.cpu.is_some_and(|cpu| cpu.forbids(name).is_some());
    let is_name =
        !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '.'));
    is_name && (forbidden || known.is_some_and(PackageModule::is_for_gpus))
}

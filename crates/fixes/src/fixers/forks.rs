//! Children that are started afresh, and are no copies of their parent.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::literals::inside_quotes;
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::Surroundings;
use crate::program::Names;

/// What processes share in a context; those of one are refused in another.
const SHARED: &[&str] = &[
    "Queue",
    "JoinableQueue",
    "SimpleQueue",
    "Lock",
    "RLock",
    "Event",
    "Semaphore",
    "BoundedSemaphore",
    "Condition",
    "Barrier",
    "Value",
    "Array",
    "Manager",
    "Pipe",
];

/// `get_context("fork")` → `get_context("spawn")`, or a context where none is chosen.
pub fn spawned(site: &Site<'_>) -> Result<Draft, Refusal> {
    let names = Names::of(site.program, site.file());
    let chosen = chosen_methods(site, &names);
    if let [(span, text)] = &chosen[..] {
        if text != "fork" {
            return Err(format!("the file chooses `{text}`, and the child is forked all the same"));
        }
        let (before, _, after) =
            inside_quotes(site.slice(*span)).ok_or("`fork` is not written as one text")?;
        check_guard(site)?;
        return Ok(vec![site.edit(*span, format!("{before}spawn{after}"))].into());
    }
    if !chosen.is_empty() {
        return Err("the file chooses how children are started more than once".to_owned());
    }
    let around = Surroundings::of(site.code(), site.span());
    let call = around.exprs.iter().find_map(|expr| maker_of(expr, &names));
    let call = call.ok_or("how its children are started is not chosen by an argument")?;
    check_guard(site)?;
    check_target(call, site)?;
    let ExprKind::Attribute(module, class) = &call.callee.kind else {
        return Err("the module `multiprocessing` has no name here".to_owned());
    };
    if let Some(shared) = shared_by_default(site, &names) {
        return Err(format!("`{shared}` is made for children that are forked"));
    }
    let context = format!("{}.get_context(\"spawn\").{class}", site.slice(module.span));
    Ok(vec![site.edit(call.callee.span, context)].into())
}

/// The call that makes the children which an expression starts: `Process(…)` itself, or of `process.start()`.
fn maker_of<'c, 's>(expr: &'c Expr<'s>, names: &'c Names<'c, 's>) -> Option<&'c Call<'s>> {
    let ExprKind::Call(call) = &names.meant(expr).kind else { return None };
    match &call.callee.kind {
        _ if makes_children(call, names) => Some(call),
        ExprKind::Attribute(receiver, _) => maker_of(receiver, names),
        _ => None,
    }
}

/// Whether a call makes a process or a pool of the default context.
fn makes_children(call: &Call<'_>, names: &Names<'_, '_>) -> bool {
    let path = names.path(&call.callee).unwrap_or_default();
    let mut known = ["multiprocessing.", "torch.multiprocessing."].into_iter();
    known.any(|module| matches!(path.strip_prefix(module), Some("Process" | "Pool")))
}

/// The texts that choose how children are started.
fn chosen_methods(site: &Site<'_>, names: &Names<'_, '_>) -> Vec<(Span, String)> {
    let mut chosen = Vec::new();
    walk(site.code(), &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let path = names.path(&call.callee).unwrap_or_default();
        if !path.contains("multiprocessing")
            || !["get_context", "set_start_method"].iter().any(|end| path.ends_with(end))
        {
            return;
        }
        let first = call.arguments.first().map(|first| &first.value);
        let text = first.map(|first| match &first.kind {
            ExprKind::Text(text) => (first.span, text.to_string()),
            _ => (first.span, String::new()),
        });
        chosen.extend(text);
    });
    chosen
}

/// A child that is started afresh imports the file that started it.
fn check_guard(site: &Site<'_>) -> Result<(), Refusal> {
    let place = site.span();
    let code = site.code();
    let in_function = code.functions.iter().any(|function| function.span.holds(place));
    let in_guard = code.body.iter().any(|step| {
        matches!(&step.kind, StatementKind::Branch { test, .. } if site.slice(test.span).contains("__name__"))
            && step.span.holds(place)
    });
    match in_guard || (in_function && (code.main_guard || site.program.is_imported(site.file()))) {
        true => Ok(()),
        false => Err(
            "a child that is started afresh imports this file, and needs `if __name__ == \"__main__\":` here"
                .to_owned(),
        ),
    }
}

/// What a child that is started afresh runs is found by its name.
fn check_target(call: &Call<'_>, site: &Site<'_>) -> Result<(), Refusal> {
    let target = call.arguments.iter().find(|one| one.name == Some("target"));
    let is_top = |name: &str| {
        site.code().body.iter().any(|step| match &step.kind {
            StatementKind::Define { function, .. } => site.code().functions[*function].name == name,
            StatementKind::Import(_) => site.slice(step.span).contains(name),
            _ => false,
        })
    };
    match target.map(|target| &target.value.kind) {
        None => Ok(()),
        Some(ExprKind::Name(name)) if is_top(name) => Ok(()),
        Some(_) => Err("what the child runs has no name at the top level of a module".to_owned()),
    }
}

/// What the file makes for the children of the default context.
fn shared_by_default(site: &Site<'_>, names: &Names<'_, '_>) -> Option<String> {
    let mut found = None;
    walk(site.code(), &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let path = names.path(&call.callee).unwrap_or_default();
        let module = ["multiprocessing.", "torch.multiprocessing."]
            .iter()
            .find_map(|module| path.strip_prefix(module));
        if module.is_some_and(|name| SHARED.contains(&name)) && found.is_none() {
            found = module.map(str::to_owned);
        }
    });
    found
}

//! Locks of threads that several processes are meant to share: each process has its own.

use super::memory::{call_of, path};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block};
use crate::code::{Argument, Block, Call, Expr, ExprKind, Function, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::{FxHashMap, FxHashSet};

const OF_THREADS: &[&str] = &[
    "threading.BoundedSemaphore()",
    "threading.Condition()",
    "threading.Lock()",
    "threading.RLock()",
    "threading.Semaphore()",
];

/// What makes pools of processes; the methods that hand work to one.
const POOLS: &[&str] =
    &["ProcessPoolExecutor()", "Pool()", "ProcessPool()", "ProcessPoolExecutor().__enter__()"];
const HANDING: &[&str] = &[
    "apply",
    "apply_async",
    "imap",
    "imap_unordered",
    "map",
    "map_async",
    "starmap",
    "starmap_async",
    "submit",
];

/// Locks of threads around GPU work that runs in worker processes.
pub(super) fn of_threads_across_processes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let locks = locks_of(scope);
    if locks.is_empty() {
        return Vec::new();
    }
    let workers = Workers::of(scope);
    let mut found = Vec::new();
    for Lock { names, span, home } in locks {
        let used = workers.functions.iter().find_map(|(number, started)| {
            let function = scope.code.functions.get(*number)?;
            let inside = |home: Span| home.start <= function.span.start && function.span.end <= home.end;
            let is_own = |name: &&String| {
                home.is_none_or(inside) || !(name.starts_with("self.") || name.starts_with("cls."))
            };
            let (held, name) =
                names.iter().filter(is_own).find_map(|name| Some((held_in(scope, function, name)?, name)))?;
            is_about_gpu(scope, function, name).then_some((held, *started))
        });
        let handed = workers.handed.iter().find(|(lock, _, function)| {
            let about = |number: &usize| is_about_gpu(scope, &scope.code.functions[*number], lock);
            names.contains(lock) && function.as_ref().is_none_or(about)
        });
        let (place, started) = match (used, handed) {
            (Some((held, started)), _) => (Some(held), started),
            (None, Some((_, started, _))) => (None, *started),
            (None, None) => continue,
        };
        let mut raw_finding = RawFinding::at(scope.place(span)).word("lock", scope.text(span));
        if let Some(held) = place {
            raw_finding = raw_finding.beside(scope.place(held), "held here, in a worker process");
        }
        found.push(raw_finding.beside(scope.place(started), "starts worker processes"));
    }
    found
}

/// A lock, and the expressions that stand for it.
struct Lock {
    names: Vec<String>,
    span: Span,
    /// The class in which `self` stands for what holds it.
    home: Option<Span>,
}

/// The locks of threads that the file makes.
fn locks_of(scope: &FileScope<'_>) -> Vec<Lock> {
    let mut locks = Vec::new();
    scope.each_statement(&mut |step, around| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let Some(call) = call_of(value) else { return };
        if !OF_THREADS.contains(&format!("{}()", path(scope, &call.callee)).as_str()) {
            return;
        }
        for target in targets {
            match target {
                Target::Name(name, _) => {
                    let class = class_around(around);
                    let home = class.map(|class| scope.code.classes[class].span);
                    let names = match class {
                        Some(class) => names_of_attribute(scope, scope.code.classes[class].name, name),
                        None => vec![(*name).to_owned()],
                    };
                    locks.push(Lock { names, span: value.span, home });
                }
                Target::Attribute(object, name) => {
                    let names = vec![format!("{}.{name}", scope.text(object.span))];
                    let class = around.iter().rev().find_map(|one| match one {
                        Ancestor::Class(class) => Some(scope.code.classes[*class].span),
                        _ => None,
                    });
                    locks.push(Lock { names, span: value.span, home: class });
                }
                _ => {}
            }
        }
    });
    locks
}

/// The class whose body a step lies in.
fn class_around(around: &[Ancestor<'_, '_>]) -> Option<usize> {
    let innermost = around.iter().rev().find_map(|one| match one {
        Ancestor::Function(_) => Some(None),
        Ancestor::Class(number) => Some(Some(*number)),
        _ => None,
    });
    innermost.flatten()
}

/// `Gate.lock`, `self.lock`, and `gate.lock` of an object of the class.
fn names_of_attribute(scope: &FileScope<'_>, class: &str, name: &str) -> Vec<String> {
    let mut owners = vec![class.to_owned(), "self".to_owned(), "cls".to_owned()];
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
            && call_of(value)
                .is_some_and(|call| matches!(call.callee.kind, ExprKind::Name(made) if made == class))
        {
            owners.extend(targets.iter().filter_map(|target| match target {
                Target::Name(name, _) => Some((*name).to_owned()),
                _ => None,
            }));
        }
    });
    owners.into_iter().map(|owner| format!("{owner}.{name}")).collect()
}

/// What runs in worker processes of this file.
struct Workers {
    /// Functions by number, with what starts the processes.
    functions: Vec<(usize, Span)>,
    /// Names that are handed to a process, with what starts it and the function that gets them.
    handed: Vec<(String, Span, Option<usize>)>,
}

impl Workers {
    fn of(scope: &FileScope<'_>) -> Workers {
        let mut workers = Workers { functions: Vec::new(), handed: Vec::new() };
        let held = pools_by_name(scope);
        walk(scope.code, &mut |part, _| match part {
            CodeNode::Statement(step) => {
                // A class that is a process runs its methods in one.
                let StatementKind::DefineClass { class, .. } = &step.kind else { return };
                let Some(class) = scope.code.classes.get(*class) else { return };
                if class.bases.iter().any(|base| is_process(path(scope, base))) {
                    let inside = |function: &&Function<'_>| {
                        class.span.start <= function.span.start && function.span.end <= class.span.end
                    };
                    let run = scope
                        .code
                        .functions
                        .iter()
                        .enumerate()
                        .filter(|(_, one)| inside(one) && one.name != "__init__");
                    workers.functions.extend(run.map(|(number, _)| (number, class.bases[0].span)));
                }
            }
            CodeNode::Expr(expr) => {
                let ExprKind::Call(call) = &expr.kind else { return };
                let Some(given) = given_to_process(scope, call, &held) else { return };
                let function = given.and_then(|given| function_meant(scope, given));
                workers.functions.extend(function.map(|number| (number, expr.span)));
                for argument in &call.arguments {
                    workers.hand(scope, argument, expr.span, function);
                }
            }
            CodeNode::Target(_) => {}
        });
        workers.follow_calls(scope);
        workers
    }

    /// Notes what `args=(lock,)` and `initargs=(lock,)` hand over.
    fn hand(
        &mut self,
        scope: &FileScope<'_>,
        argument: &Argument<'_>,
        started: Span,
        function: Option<usize>,
    ) {
        if argument.name == Some("initializer")
            && let Some(number) = function_meant(scope, &argument.value)
        {
            self.functions.push((number, started));
        }
        let each = match &argument.value.kind {
            ExprKind::Sequence(parts) => parts.iter().collect(),
            _ => vec![&argument.value],
        };
        for one in each {
            if matches!(one.kind, ExprKind::Name(_) | ExprKind::Attribute(..)) {
                self.handed.push((scope.text(one.span).to_owned(), started, function));
            }
        }
    }

    /// Functions that workers call run in the same process.
    fn follow_calls(&mut self, scope: &FileScope<'_>) {
        let mut known: FxHashSet<usize> = self.functions.iter().map(|(number, _)| *number).collect();
        let mut next = 0;
        while let Some(&(number, started)) = self.functions.get(next) {
            next += 1;
            let Some(function) = scope.code.functions.get(number) else { continue };
            let mut called = Vec::new();
            walk_block(scope.code, &function.body, &mut |part, _| {
                if let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part {
                    called.extend(function_meant(scope, &call.callee));
                }
            });
            for number in called {
                if known.insert(number) {
                    self.functions.push((number, started));
                }
            }
        }
    }
}

/// What the names of `with … as pool` and of parameters hold, where it is a pool of processes.
fn pools_by_name<'a>(scope: &FileScope<'a>) -> FxHashMap<&'a str, bool> {
    let mut pools = FxHashMap::default();
    scope.each_statement(&mut |step, _| {
        let mut note = |target: &Target<'a>, value: &Expr<'a>| {
            if let Target::Name(name, _) = target {
                let is = makes_pool(scope, value);
                let known = pools.entry(*name).or_insert(is);
                *known = *known && is;
            }
        };
        match &step.kind {
            StatementKind::With { items, .. } => items.iter().for_each(|(item, target)| {
                target.iter().for_each(|target| note(target, item));
            }),
            StatementKind::Assign { targets, value: Some(value), .. } => {
                targets.iter().for_each(|target| note(target, value));
            }
            _ => {}
        }
    });
    pools
}

fn makes_pool(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let Some(call) = call_of(value) else { return false };
    let made = format!("{}()", path(scope, &call.callee));
    let last = made.rsplit_once('.').map_or(made.as_str(), |(_, last)| last);
    let of_processes = !made.contains("dummy") && !made.contains("ThreadPool");
    of_processes && POOLS.contains(&last) && made.contains('.') && !made.starts_with("builtins.")
}

fn is_process(path: &str) -> bool {
    let of_module = ["multiprocessing.", "torch.multiprocessing.", "multiprocess.", "billiard."];
    path.ends_with(".Process") && of_module.iter().any(|module| path.starts_with(module))
}

/// `Some` for a call that starts work in another process: the function, where it is among the arguments.
fn given_to_process<'e, 's>(
    scope: &FileScope<'_>,
    call: &'e Call<'s>,
    pools: &FxHashMap<&str, bool>,
) -> Option<Option<&'e Expr<'s>>> {
    let named = |name: &str| {
        call.arguments.iter().find(|argument| argument.name == Some(name)).map(|argument| &argument.value)
    };
    let first = || call.arguments.iter().find(|argument| argument.name.is_none()).map(|one| &one.value);
    let path = path(scope, &call.callee);
    if is_process(path) {
        return Some(named("target"));
    }
    if matches!(path, "torch.multiprocessing.spawn" | "torch.multiprocessing.start_processes") {
        return Some(named("fn").or_else(first));
    }
    let made = format!("{path}()");
    let last = made.rsplit_once('.').map_or("", |(_, last)| last);
    if POOLS.contains(&last) && !path.contains("dummy") && !path.contains("ThreadPool") {
        return Some(None);
    }
    let ExprKind::Attribute(object, method) = &call.callee.kind else { return None };
    if *method == "run_in_executor" {
        let [pool, function, ..] = &call.arguments[..] else { return None };
        return is_pool(scope, &pool.value, pools).then_some(Some(&function.value));
    }
    (HANDING.contains(method) && is_pool(scope, object, pools))
        .then(|| named("fn").or(named("func")).or_else(first))
}

fn is_pool(scope: &FileScope<'_>, object: &Expr<'_>, pools: &FxHashMap<&str, bool>) -> bool {
    match &object.kind {
        ExprKind::Name(name) => pools.get(name).copied().unwrap_or(false),
        ExprKind::Call(_) => makes_pool(scope, object),
        _ => false,
    }
}

/// The function of this file that an expression stands for, also in `partial(f, …)` and `self.f`.
fn function_meant(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<usize> {
    let (name, class) = match &expr.kind {
        ExprKind::Name(name) => (*name, None),
        ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name("self" | "cls")) => {
            (*name, None)
        }
        ExprKind::Attribute(object, name) => (*name, Some(class_of(scope, object)?)),
        ExprKind::Call(call) if path(scope, &call.callee) == "functools.partial" => {
            return function_meant(scope, &call.arguments.first()?.value);
        }
        _ => return None,
    };
    let inside = |function: &Function<'_>| {
        class.is_none_or(|class: Span| class.start <= function.span.start && function.span.end <= class.end)
    };
    let functions = scope.code.functions.iter().enumerate();
    let mut named = functions.filter(|(_, function)| function.name == name && inside(function));
    named.next().filter(|_| named.next().is_none()).map(|(number, _)| number)
}

/// The class of the file that an expression names, or is an object of.
fn class_of(scope: &FileScope<'_>, object: &Expr<'_>) -> Option<Span> {
    let named = |name: &str| {
        let class = scope.code.classes.iter().find(|class| class.name == name);
        class.map(|class| class.span)
    };
    let ExprKind::Name(name) = object.kind else { return None };
    named(name).or_else(|| match &scope.names.meant(object).kind {
        ExprKind::Call(made) => match made.callee.kind {
            ExprKind::Name(name) => named(name),
            _ => None,
        },
        _ => None,
    })
}

/// Where a function holds a lock.
fn held_in(scope: &FileScope<'_>, function: &Function<'_>, lock: &str) -> Option<Span> {
    let is_bound_here = function.parameters.iter().any(|parameter| parameter.name == lock);
    let mut held = None;
    let body: &Block<'_> = &function.body;
    walk_block(scope.code, body, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let taken = match &expr.kind {
            ExprKind::Name(_) | ExprKind::Attribute(..) => {
                matches!(around.last(), Some(Ancestor::WithItem(_))) && scope.text(expr.span) == lock
            }
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Attribute(object, "acquire") => scope.text(object.span) == lock,
                _ => false,
            },
            _ => false,
        };
        if taken && held.is_none() {
            held = Some(expr.span);
        }
    });
    held.filter(|_| !is_bound_here)
}

fn is_about_gpu(scope: &FileScope<'_>, function: &Function<'_>, lock: &str) -> bool {
    let text = scope.text(function.span).to_ascii_lowercase();
    let lock = lock.to_ascii_lowercase();
    ["gpu", "cuda", "vram", "card"].iter().any(|word| lock.contains(word))
        || ["cuda", "gpu", "torch", "cupy", ".to(device", "model("].iter().any(|word| text.contains(word))
}

//! The environment handled in ways that do not reach the process: a copy that nobody gets, another dictionary under its
//! name, and `os.putenv`, which tells Python nothing.

use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Argument, Call, Expr, ExprKind, Operator, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::{MASK, is_gpu_variable};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a part of a file may be an assignment to `os.environ`.
pub(crate) fn may_rebind(part: CodeNode<'_, '_>) -> bool {
    let CodeNode::Statement(step) = part else { return false };
    let StatementKind::Assign { targets, .. } = &step.kind else { return false };
    targets.iter().any(|target| matches!(target, Target::Attribute(_, "environ")))
}

/// Whether a part of a file names a variable that may be set in a copy.
pub(crate) fn may_set(part: CodeNode<'_, '_>) -> bool {
    let CodeNode::Expr(expr) = part else { return false };
    match &expr.kind {
        ExprKind::Text(text) => is_gpu_variable(text),
        ExprKind::Call(call) => call.arguments.iter().any(|one| one.name.is_some_and(is_gpu_variable)),
        _ => false,
    }
}

/// `os.environ = {…}`
pub(super) fn that_are_rebound(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let is_environ = |target: &Target<'_>| match target {
            Target::Attribute(object, "environ") => scope.names.path(object) == Some("os"),
            _ => false,
        };
        if targets.iter().any(is_environ) && is_dictionary(scope, value) {
            found.push(RawFinding::at(scope.place(step.span)));
        }
    });
    found
}

/// Copies of the environment that are changed and handed to nobody.
pub(super) fn that_nobody_gets(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut copies = Copies::default();
    walk(scope.code, &mut |part, around| copies.look(scope, part, around));
    let mut found = copies.lost;
    for (home, name) in copies.made.iter().filter(|(_, times)| **times == 1).map(|(key, _)| key) {
        let seen = |(at, known, _): &&(Vec<usize>, &str, Span)| known == name && is_within(at, *home);
        let mut reads = copies.reads.iter().filter(seen);
        // Others may import what a module holds.
        let is_shared = (home.is_none() && scope.is_library()) || copies.shared.contains(name);
        if is_shared || reads.any(|(_, _, span)| !copies.changed.contains(span)) {
            continue;
        }
        let changes = copies.changes.iter().filter(|(at, known, ..)| known == name && is_within(at, *home));
        found.extend(changes.map(|(_, _, variable, span)| lost(scope, variable, *span)));
    }
    found
}

/// `os.putenv("CUDA_VISIBLE_DEVICES", …)`
pub(super) fn that_are_bypassed(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const STARTS: [&str; 4] = ["subprocess.", "os.system", "os.exec", "os.spawn"];
    let (mut found, mut starts, mut libraries) = (Vec::new(), false, false);
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && let StatementKind::Import(import) = &step.kind
        {
            libraries |= scope.program.knowledge.package(import.module).is_some_and(|row| row.gpu_library);
        }
        let CodeNode::Expr(expr) = part else { return };
        let ExprKind::Call(call) = &expr.kind else { return };
        let Some(path) = scope.names.path(&call.callee) else { return };
        starts |= STARTS.iter().any(|start| path.starts_with(start));
        let variable = argument(&call.arguments, Some(0), None).and_then(|key| text_of(scope, key));
        if let (true, Some(variable)) = (path == "os.putenv", variable)
            && is_gpu_variable(variable)
            && !is_set_beside(scope.whole_text(), variable)
        {
            found.push(RawFinding::at(scope.place(expr.span)).word("variable", variable));
        }
    });
    // What only starts other programs sets it for them.
    if starts && !libraries { Vec::new() } else { found }
}

/// Whether a call by its dotted name starts a program and waits for it, or can: `subprocess.run`.
pub(super) fn is_of_subprocess(path: &str) -> bool {
    const STARTS: &[&str] = &["Popen", "call", "check_call", "check_output", "run"];
    path.strip_prefix("subprocess.").is_some_and(|name| STARTS.contains(&name))
}

/// `subprocess.run(["python", "a.py"], env={"CUDA_VISIBLE_DEVICES": "1"})`: the program gets nothing else.
pub(super) fn that_are_replaced(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let starts = scope.names.path(&call.callee).is_some_and(is_of_subprocess);
        let Some(given) = argument(&call.arguments, None, Some("env")).filter(|_| starts) else { return };
        let names = variables_alone(scope, scope.names.meant(given));
        let Some(variable) = names.iter().find(|name| is_gpu_variable(name)) else { return };
        // What is put together in several steps.
        let grows = || {
            let text = scope.text(given.span);
            ["[\"PATH\"]", "['PATH']", ".update(", "|="]
                .iter()
                .any(|step| scope.whole_text().contains(&format!("{text}{step}")))
        };
        if names.iter().any(|name| name == "PATH") || grows() {
            return;
        }
        let command = argument(&call.arguments, Some(0), Some("args")).map(|args| scope.names.meant(args));
        let program = match command.map(|command| &command.kind) {
            Some(ExprKind::Sequence(words)) => words.first().and_then(|word| text_of(scope, word)),
            _ => None,
        };
        let raw_finding = RawFinding::at(scope.place(given.span)).word("variable", variable);
        // A program that is named by its path is found without PATH.
        let is_looked_for = program.is_some_and(|name| !name.contains(['/', '\\']));
        found.push(if is_looked_for { raw_finding } else { raw_finding.at_most(Severity::Note) });
    });
    found
}

/// The variables of an environment that is written out, where nothing of another one is taken over.
fn variables_alone(scope: &FileScope<'_>, environment: &Expr<'_>) -> Vec<String> {
    match &environment.kind {
        ExprKind::Mapping(entries) => {
            let names = entries.iter().map(|(key, _)| text_of(scope, key.as_ref()?).map(str::to_owned));
            names.collect::<Option<Vec<String>>>().unwrap_or_default()
        }
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("builtins.dict") => {
            let names = call.arguments.iter().map(|one| one.name.map(str::to_owned));
            names.collect::<Option<Vec<String>>>().unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[derive(Default)]
struct Copies<'a> {
    /// How often a name is bound in a function, or in the module, when one of the values is a copy.
    made: FxHashMap<(Option<usize>, &'a str), usize>,
    /// Where names are looked up, with the functions around.
    reads: Vec<(Vec<usize>, &'a str, Span)>,
    /// Lookups that only change what is there.
    changed: FxHashSet<Span>,
    /// GPU variables that are set in something of a name.
    changes: Vec<(Vec<usize>, &'a str, String, Span)>,
    /// Names of `global` and `nonlocal`.
    shared: FxHashSet<&'a str>,
    /// Changes of a copy that has no name.
    lost: Vec<RawFinding>,
    statement: Span,
}

impl<'a> Copies<'a> {
    fn look(&mut self, scope: &FileScope<'a>, part: CodeNode<'_, 'a>, around: &[Ancestor<'_, 'a>]) {
        let functions = || -> Vec<usize> { functions_around(around).collect() };
        match part {
            CodeNode::Statement(step) => {
                self.statement = step.span;
                if let StatementKind::Share(names) = &step.kind {
                    self.shared.extend(names);
                }
                // An attribute of a class is read by other names.
                let scopes =
                    |one: &&Ancestor<'_, 'a>| matches!(one, Ancestor::Function(_) | Ancestor::Class(_));
                if matches!(around.iter().rev().find(scopes), Some(Ancestor::Class(_))) {
                    return;
                }
                let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
                for target in targets {
                    let Target::Name(name, _) = target else { continue };
                    let key = (functions().last().copied(), *name);
                    match self.made.get_mut(&key) {
                        Some(times) => *times += 1,
                        None if is_copy(scope, value) => {
                            self.made.insert(key, 1);
                            let at = functions();
                            let set = foremost(variables_in(scope, value)).into_iter();
                            self.changes
                                .extend(set.map(|(variable, span)| (at.clone(), *name, variable, span)));
                        }
                        None => {}
                    }
                }
            }
            CodeNode::Target(Target::Item(item)) => {
                let variable = text_of(scope, &item.1).filter(|name| is_gpu_variable(name));
                self.change(
                    scope,
                    &item.0,
                    variable.map(|name| vec![(name.to_owned(), self.statement)]),
                    functions(),
                );
            }
            CodeNode::Expr(expr) => match &expr.kind {
                ExprKind::Name(name) => self.reads.push((functions(), name, expr.span)),
                ExprKind::Call(call) => {
                    let ExprKind::Attribute(object, method) = &call.callee.kind else { return };
                    let set = match *method {
                        "update" => foremost(updated(scope, call)),
                        "setdefault" | "__setitem__" => {
                            let key = call.arguments.first().and_then(|key| text_of(scope, &key.value));
                            let key = key.filter(|name| is_gpu_variable(name));
                            key.map(|name| (name.to_owned(), expr.span)).into_iter().collect()
                        }
                        "pop" => Vec::new(),
                        _ => return,
                    };
                    self.change(scope, object, Some(set), functions());
                }
                _ => {}
            },
            CodeNode::Target(_) => {}
        }
    }

    fn change(
        &mut self,
        scope: &FileScope<'a>,
        object: &Expr<'a>,
        set: Option<Vec<(String, Span)>>,
        at: Vec<usize>,
    ) {
        let set = set.unwrap_or_default();
        if let ExprKind::Name(name) = object.kind {
            self.changed.insert(object.span);
            self.changes.extend(set.into_iter().map(|(variable, span)| (at.clone(), name, variable, span)));
        } else if is_copy(scope, object) && !matches!(object.kind, ExprKind::Mapping(_)) {
            self.lost.extend(set.into_iter().map(|(variable, span)| lost(scope, &variable, span)));
        }
    }
}

fn lost(scope: &FileScope<'_>, variable: &str, span: Span) -> RawFinding {
    RawFinding::at(scope.place(span)).word("variable", variable)
}

/// Whether code in these functions is code of `home`, or of a function in it.
fn is_within(functions: &[usize], home: Option<usize>) -> bool {
    home.is_none_or(|home| functions.contains(&home))
}

/// Variables that are set together are one fault: the mask, where it is among them.
fn foremost(mut set: Vec<(String, Span)>) -> Vec<(String, Span)> {
    let mask = set.iter().position(|(name, _)| name == MASK).unwrap_or(0);
    if set.is_empty() { set } else { vec![set.swap_remove(mask)] }
}

/// The variables of the GPU that `update` sets.
fn updated(scope: &FileScope<'_>, call: &Call<'_>) -> Vec<(String, Span)> {
    let each = |argument: &Argument<'_>| match argument.name {
        Some(name) if is_gpu_variable(name) => vec![(name.to_owned(), argument.value.span)],
        Some(_) => Vec::new(),
        None => variables_in(scope, &argument.value),
    };
    call.arguments.iter().flat_map(each).collect()
}

/// The variables of the GPU that a dictionary names.
fn variables_in(scope: &FileScope<'_>, value: &Expr<'_>) -> Vec<(String, Span)> {
    match &value.kind {
        ExprKind::Mapping(entries) => {
            let named =
                entries.iter().filter_map(|(key, value)| Some((text_of(scope, key.as_ref()?)?, value.span)));
            named.filter(|(name, _)| is_gpu_variable(name)).map(|(name, at)| (name.to_owned(), at)).collect()
        }
        ExprKind::Binary(Operator::BitOr, sides) => variables_in(scope, &sides.1),
        ExprKind::Call(call) => {
            let named = call.arguments.iter().filter_map(|one| Some((one.name?, one.value.span)));
            named.filter(|(name, _)| is_gpu_variable(name)).map(|(name, at)| (name.to_owned(), at)).collect()
        }
        _ => Vec::new(),
    }
}

/// A dictionary of its own that holds what the environment holds.
fn is_copy(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let is_environ = |expr: &Expr<'_>| scope.names.path(expr) == Some("os.environ");
    match &value.kind {
        ExprKind::Call(call) => match scope.names.path(&call.callee) {
            Some("os.environ.copy") => true,
            Some("builtins.dict" | "copy.copy" | "copy.deepcopy") => {
                call.arguments.first().is_some_and(|first| is_environ(&first.value))
            }
            _ => false,
        },
        ExprKind::Mapping(entries) => entries.iter().any(|(key, value)| key.is_none() && is_environ(value)),
        ExprKind::Binary(Operator::BitOr, sides) => is_environ(&sides.0),
        _ => false,
    }
}

/// Whether a value is surely no `os.environ` any more.
fn is_dictionary(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let meant = scope.names.meant(value);
    let is_made = |call: &Call<'_>| scope.names.path(&call.callee) == Some("builtins.dict");
    is_copy(scope, value)
        || is_copy(scope, meant)
        || match &meant.kind {
            ExprKind::Mapping(_) => true,
            ExprKind::Call(call) => is_made(call),
            _ => false,
        }
}

/// Whether the file gives the variable a value by `os.environ` too.
fn is_set_beside(text: &str, variable: &str) -> bool {
    ["environ[\"", "environ['"].iter().any(|open| {
        let written = format!("{open}{variable}");
        text.match_indices(&written).any(|(at, found)| {
            let behind = text[at + found.len()..].trim_start_matches(['"', '\'', ']', ' ']);
            behind.starts_with('=') && !behind.starts_with("==")
        })
    })
}

fn text_of<'e>(scope: &'e FileScope<'_>, expr: &'e Expr<'_>) -> Option<&'e str> {
    match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

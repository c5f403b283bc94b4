//! Names outside the project that a file uses, and the conditions of rules about them.

mod loads;

use super::Rule;
use super::files::{FileScope, RawFinding};
use super::gpu_questions;
use super::schema::{Argument, Condition, UsedBy};
pub(super) use crate::code::argument;
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::code::{self, Block, Expr, ExprKind, ImportNames, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::Names;
use loads::{goes_into_model, goes_into_scheduler};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// All uses of names outside the project in one file.
pub(super) struct Used<'a> {
    by_name: FxHashMap<String, Vec<Use<'a>>>,
    /// Whether another file lets the device of this one be chosen.
    answered_elsewhere: OnceCell<bool>,
    /// Whether the file, or one that it is tied to, joins a group of processes.
    joins_group: OnceCell<bool>,
}

/// One use of a name.
struct Use<'a> {
    by: UsedBy,
    span: Span,
    /// The arguments of a call.
    arguments: &'a [code::Argument<'a>],
    /// The value of an assignment.
    value: Option<&'a Expr<'a>>,
    guarded: bool,
    in_loop: bool,
    for_one_rank: bool,
    gpu_is_there: bool,
    /// The function that it stands in.
    function: Option<usize>,
    /// The statement that it is a part of, and the name that this binds.
    statement: Span,
    binds: Option<&'a str>,
}

impl<'a> Used<'a> {
    pub fn of(scope: &FileScope<'a>) -> Used<'a> {
        let mut used = Used {
            by_name: FxHashMap::default(),
            answered_elsewhere: OnceCell::new(),
            joins_group: OnceCell::new(),
        };
        let mut assigned: Option<&Expr<'a>> = None;
        let (mut statement, mut binds) = (Span::default(), None);
        walk(scope.code, &mut |part, around| {
            if let CodeNode::Statement(step) = part {
                statement = step.span;
                binds = match &step.kind {
                    StatementKind::Assign { targets, .. } => targets.iter().find_map(|target| match target {
                        Target::Name(name, _) => Some(*name),
                        _ => None,
                    }),
                    _ => None,
                };
            }
            let mut note = |name: &str, by, span, arguments, value| {
                let counts = |around| by == UsedBy::Import || !is_for_imports(around);
                let guarded = around.iter().any(|around| guards(around, scope) && counts(around))
                    || is_behind_guard(around, span, scope);
                let in_loop = around.iter().any(|around| matches!(around, Ancestor::Loop(_)));
                let for_one_rank = around.iter().any(|around| lets_one_through(around, scope));
                let gpu_is_there = around.iter().any(|around| gpu_questions::finds_gpu(around, scope))
                    || gpu_questions::ended_without(around, span, scope);
                let (function, _) = within_function(around);
                let one = Use {
                    by,
                    span,
                    arguments,
                    value,
                    guarded,
                    in_loop,
                    for_one_rank,
                    gpu_is_there,
                    function,
                    statement,
                    binds,
                };
                used.by_name.entry(name.to_owned()).or_default().push(one);
            };
            match part {
                CodeNode::Statement(step) => {
                    assigned = match &step.kind {
                        StatementKind::Assign { value, .. } => value.as_ref(),
                        _ => None,
                    };
                    if let StatementKind::Import(import) = &step.kind
                        && scope.program.imports_outside(scope.file, import)
                    {
                        note(import.module, UsedBy::Import, step.span, &[], None);
                        if let ImportNames::Names(names) = &import.names {
                            for one in names {
                                let name = format!("{}.{}", import.module, one.name);
                                note(&name, UsedBy::Import, step.span, &[], None);
                            }
                        }
                    }
                }
                CodeNode::Target(Target::Attribute(object, name)) => {
                    if let Some(path) = scope.names.path(object) {
                        let span =
                            Span { start: object.span.start, end: object.span.end + name.len() as u32 + 1 };
                        note(&format!("{path}.{name}"), UsedBy::Assign, span, &[], assigned);
                    }
                }
                CodeNode::Expr(expr) => match &expr.kind {
                    ExprKind::Call(call) => {
                        if let Some(path) = scope.names.path(&call.callee) {
                            note(path, UsedBy::Call, expr.span, &call.arguments, None);
                        }
                    }
                    ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Outside(_) => {
                        let called =
                            matches!(around.last(), Some(Ancestor::Callee(call)) if is_callee(call, expr));
                        let is_asked_of = around.last().is_some_and(|around| asks_for_type(around, scope));
                        if let Some(path) = scope.names.path(expr).filter(|_| !called && !is_asked_of) {
                            note(path, UsedBy::Read, expr.span, &[], None);
                        }
                    }
                    _ => {}
                },
                CodeNode::Target(_) => {}
            }
        });
        used
    }

    /// The uses that a rule finds, in the order in which they stand.
    pub fn raw_findings(&self, rule: &Rule, scope: &FileScope<'_>) -> Vec<RawFinding> {
        let Some(wanted) = &rule.find.uses else { return Vec::new() };
        let mut found: Vec<(Span, RawFinding)> = Vec::new();
        for (name, replacement) in &wanted.names {
            // A file that makes the name itself has it.
            if !wanted.by.contains(&UsedBy::Assign) && self.are(name, UsedBy::Assign) {
                continue;
            }
            // An import that fails is told once, where it stands.
            let imported = wanted.by.contains(&UsedBy::Import) && self.are(name, UsedBy::Import);
            for one in self.by_name.get(name.as_str()).into_iter().flatten() {
                let is_named = |condition: &Condition| {
                    condition.one_of_names.is_empty()
                        || condition.one_of_names.iter().any(|wanted| wanted == name)
                };
                let fits = wanted.by.contains(&one.by)
                    && (!imported || one.by == UsedBy::Import)
                    && rule.when.iter().all(|condition| {
                        condition.holds_at(one.span, scope, &|inner| {
                            is_named(inner) && self.holds(inner, one, scope)
                        })
                    });
                if !fits {
                    continue;
                }
                let value = one.value.or(one.arguments.first().map(|argument| &argument.value));
                let text = value.map_or(String::new(), |value| scope.text(value.span).to_owned());
                let raw_finding = RawFinding::at(scope.place(one.span));
                let is_strong = wanted.note_unless.as_ref().is_none_or(|condition| {
                    condition.holds_at(one.span, scope, &|inner| self.holds(inner, one, scope))
                });
                let raw_finding = if is_strong { raw_finding } else { raw_finding.at_most(Severity::Note) };
                let raw_finding = raw_finding
                    .word("name", name)
                    .word("replacement", replacement.clone().unwrap_or_default())
                    .word("value", text)
                    .word("text", scope.text(one.span));
                found.push((one.span, raw_finding));
            }
        }
        found.sort_by_key(|(span, _)| *span);
        found.into_iter().map(|(_, raw_finding)| raw_finding).collect()
    }

    fn are(&self, name: &str, by: UsedBy) -> bool {
        self.by_name.get(name).is_some_and(|uses| uses.iter().any(|one| one.by == by))
    }

    /// Whether the file that a call loads was saved by an earlier statement of the same function, under the same name; or
    /// of another function, under a path that is put together in the same way.
    fn saved_before(&self, load: &Use<'_>, scope: &FileScope<'_>) -> bool {
        let file = |one: &Use<'_>, position: usize| {
            let given = argument(one.arguments, Some(position), Some("f"))?;
            Some(scope.text(given.span).split_whitespace().collect::<String>())
        };
        let Some(loaded) = file(load, 0) else { return false };
        self.by_name.get("torch.save").into_iter().flatten().any(|save| {
            (save.function == load.function
                || loaded.contains(['"', '\'']) && loaded.contains(['+', '{', ',']))
                && save.span.end <= load.span.start
                && file(save, 1).as_ref() == Some(&loaded)
        }) || loads::is_saved_by_name(load, scope)
            || loads::is_made_where_missing(load, scope)
    }

    /// The words of a condition that are about uses.
    fn holds(&self, condition: &Condition, one: &Use<'_>, scope: &FileScope<'_>) -> bool {
        let is = |wanted: Option<bool>, found: bool| wanted.is_none_or(|wanted| wanted == found);
        // What is only imported is not used.
        let also = |name: &String| {
            let is_meant = |used: &str| {
                let rest = used.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let is_used = |uses: &[Use<'_>]| uses.iter().any(|one| one.by != UsedBy::Import);
            self.by_name.iter().any(|(used, uses)| is_meant(used) && is_used(uses))
        };
        condition.argument.as_ref().is_none_or(|wanted| wanted.fits(one, scope))
            && is(condition.guarded, one.guarded)
            && is(condition.in_loop, one.in_loop)
            && condition.into_model.is_none_or(|wanted| wanted == goes_into_model(one, scope))
            && condition.into_scheduler.is_none_or(|wanted| wanted == goes_into_scheduler(one, scope))
            && is(condition.for_one_rank, one.for_one_rank)
            && is(condition.gpu_is_there, one.gpu_is_there)
            && condition.asks_for_gpu.is_none_or(|wanted| {
                // Of others than the file itself only what is said of a model counts, outside of tests.
                let elsewhere = || {
                    goes_into_model(one, scope)
                        && !scope.program.is_of_tests(scope.file)
                        && *self
                            .answered_elsewhere
                            .get_or_init(|| gpu_questions::are_answered_elsewhere(scope))
                };
                let asks = || {
                    gpu_questions::are_asked(scope)
                        || (goes_into_model(one, scope) || gpu_questions::is_moved(scope, one.span))
                            && gpu_questions::takes_cpu_by_default(scope)
                        || elsewhere()
                };
                wanted == (asks() && !gpu_questions::needs_gpu(scope, one.function))
            })
            && condition.joins_group.is_none_or(|wanted| {
                wanted == *self.joins_group.get_or_init(|| gpu_questions::join_a_group(scope))
            })
            && condition.maps_elsewhere.is_none_or(|wanted| wanted == gpu_questions::maps_elsewhere(scope))
            && condition
                .needs_gpu
                .is_none_or(|wanted| wanted == gpu_questions::surely_needs_gpu(scope, one.function))
            && condition.saved_before.is_none_or(|wanted| wanted == self.saved_before(one, scope))
            && (condition.also_uses.is_empty() || condition.also_uses.iter().any(also))
    }
}

impl Argument {
    fn fits(&self, one: &Use<'_>, scope: &FileScope<'_>) -> bool {
        let names = scope.names;
        let given = match one.by {
            UsedBy::Assign => one.value,
            _ => argument(one.arguments, self.position, self.name.as_deref()),
        };
        // What is unpacked may hold it.
        let open = one.arguments.iter().any(|argument| argument.unpacked);
        let Some(given) = given else { return self.absent == Some(true) && !open };
        if self.absent == Some(true) && matches!(given.kind, ExprKind::None) {
            return !open;
        }
        let value = known(given, names);
        let in_list = |list: &[String]| value.as_ref().is_some_and(|value| list.contains(value));
        self.absent != Some(true)
            && self.none_on_gpu.is_none_or(|wanted| wanted == is_none_on_gpu(given, scope))
            && self.known.is_none_or(|wanted| wanted == value.is_some())
            && (self.one_of.is_empty() || in_list(&self.one_of))
            && (self.none_of.is_empty() || (value.is_some() && !in_list(&self.none_of)))
            && self
                .matches
                .as_ref()
                .is_none_or(|pattern| value.as_ref().is_some_and(|value| pattern.is_in(value)))
    }
}

/// Whether a device is `None` where there is a GPU, and the CPU otherwise: `None if torch.cuda.is_available() else "cpu"`, or the
/// same by a branch.
fn is_none_on_gpu(given: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    let names = scope.names;
    let is_cpu = |value: &Expr<'_>| match &value.kind {
        ExprKind::Text(text) => text == "cpu",
        ExprKind::Call(call) if names.path(&call.callee) == Some("torch.device") => {
            let kind = argument(&call.arguments, Some(0), Some("device"));
            matches!(kind.map(|kind| &kind.kind), Some(ExprKind::Text(text)) if text == "cpu")
        }
        _ => false,
    };
    // In the line of the value, or in the one before.
    let is_asked = |value: &Expr<'_>| {
        let text = scope.whole_text();
        let (before, behind) = text.split_at(value.span.start as usize);
        let start = before.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
        let end = before.len() + behind.find('\n').unwrap_or(behind.len());
        text[start..end].contains("is_available")
    };
    let values = names.may_mean(given);
    let (none, other): (Vec<&Expr<'_>>, Vec<&Expr<'_>>) =
        values.into_iter().partition(|value| matches!(value.kind, ExprKind::None));
    !none.is_empty() && !other.is_empty() && other.into_iter().all(|value| is_cpu(value) && is_asked(value))
}

/// A value as rules write it; `None` when it is not known.
pub(super) fn known(expr: &Expr<'_>, names: &Names<'_, '_>) -> Option<String> {
    Some(match &names.meant(expr).kind {
        ExprKind::Text(text) => text.to_string(),
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Bool(true) => "True".to_owned(),
        ExprKind::Bool(false) => "False".to_owned(),
        ExprKind::None => "None".to_owned(),
        ExprKind::Negate(inner) => format!("-{}", known(inner, names)?),
        _ => names.path(expr).filter(|path| !path.starts_with("builtins."))?.to_owned(),
    })
}

/// `index` for `torch.device().index`.
pub(super) fn last_part(name: &str) -> &str {
    name.trim_end_matches("()").rsplit('.').next().unwrap_or(name)
}

/// `torch`, `device` and `index` for `torch.device().index`. What Python has built in is named alone.
pub(super) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.strip_prefix("builtins.").unwrap_or(name).split('.').map(|part| part.trim_end_matches("()"))
}

/// Whether code runs in one process of several alone: `if hvd.rank() == 0:`
fn lets_one_through(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    let Ancestor::Then(test) = around else { return false };
    let text: String = scope.text(test.span).split_whitespace().collect();
    text.contains("rank()==0") || text.contains("rank==0")
}

fn is_callee(call: &Expr<'_>, expr: &Expr<'_>) -> bool {
    matches!(&call.kind, ExprKind::Call(call) if std::ptr::eq(&call.callee, expr))
}

/// Whether an argument only says what type something else may have.
fn asks_for_type(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    const ASK: [&str; 2] = ["builtins.isinstance", "builtins.issubclass"];
    match around {
        Ancestor::Argument(Expr { kind: ExprKind::Call(call), .. }, _) => {
            scope.names.path(&call.callee).is_some_and(|path| ASK.contains(&path))
        }
        _ => false,
    }
}

/// Whether code is there to see something fail: `with pytest.raises(…)`.
pub(super) fn expects_failure(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    const EXPECT: [&str; 4] = ["raises", "suppress", "assertRaises", "assertRaisesRegex"];
    let (Ancestor::With(step) | Ancestor::WithItem(step)) = around else { return false };
    let StatementKind::With { items, .. } = &step.kind else { return false };
    items.iter().any(|(item, _)| match &item.kind {
        ExprKind::Call(call) => {
            let name = scope.text(call.callee.span).rsplit('.').next().unwrap_or_default();
            EXPECT.contains(&name)
        }
        _ => false,
    })
}

/// Whether a test asks for a version, or for a name that only some versions have.
fn asks_for_version(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    const WORDS: [&str; 8] =
        ["ersion", "VERSION", "TORCH_G", "TORCH_1", "TORCH_2", "torch_greater", "torch_1", "torch_2"];
    let text = scope.text(test.span);
    // Of the object itself, it says nothing about a library: `hasattr(self, "scaler")`.
    let of_other = |rest: &str| !rest.starts_with("self,") && !rest.starts_with("cls,");
    let looks_up = ["hasattr(", "getattr("].iter().any(|word| text.split(word).skip(1).any(of_other));
    looks_up || WORDS.iter().any(|word| text.contains(word)) || names_version(text)
}

/// Whether code stands in a function behind `if version >= "2.4": return …`: other versions do not come there.
fn is_behind_guard(around: &[Ancestor<'_, '_>], span: Span, scope: &FileScope<'_>) -> bool {
    let function = within_function(around).0.and_then(|number| scope.code.functions.get(number));
    let leaves = |block: &Block<'_>| {
        let last = block.last().map(|last| &last.kind);
        matches!(last, Some(StatementKind::Return(_) | StatementKind::Raise { .. }))
    };
    let is_guard = |step: &Statement<'_>| match &step.kind {
        StatementKind::Branch { test, then, .. } => leaves(then) && asks_for_version(test, scope),
        _ => false,
    };
    function.is_some_and(|function| {
        function.body.iter().take_while(|step| step.span.end <= span.start).any(is_guard)
    })
}

/// Whether code runs only where the version that is there has been asked for something, or where it may fail.
pub(super) fn guards(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    let asks = |test: &Expr<'_>| asks_for_version(test, scope);
    match around {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => asks(test),
        Ancestor::Try(step) => match &step.kind {
            StatementKind::Try { handlers, .. } => {
                handlers.iter().any(|handler| survives(&handler.types, scope))
            }
            _ => false,
        },
        Ancestor::Handler(step, handler) => {
            // What is tried asks for the version: where that fails too, the old way is the one for sure.
            let asked =
                |step: &Statement<'_>| matches!(&step.kind, StatementKind::Branch { test, .. } if asks(test));
            let tried = matches!(&step.kind, StatementKind::Try { body, .. } if body.iter().any(asked));
            tried || survives(&handler.types, scope)
        }
        Ancestor::With(_) => expects_failure(around, scope),
        _ => false,
    }
}

/// Whether a test holds a version as a text: `requires("2.9")`.
fn names_version(test: &str) -> bool {
    test.split(['"', '\'']).skip(1).step_by(2).any(|quoted| {
        let mut parts = quoted.split('.');
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|one| one.is_ascii_digit());
        parts.next().is_some_and(is_number) && parts.next().is_some_and(is_number)
    })
}

/// Whether the body of a `try` may look up a name that is missing: the error is caught, whatever the handler is for.
pub(super) fn catches_missing(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    let Ancestor::Try(Statement { kind: StatementKind::Try { handlers, .. }, .. }) = around else {
        return false;
    };
    let for_all = |caught: &Expr<'_>| matches!(scope.text(caught.span), "Exception" | "BaseException");
    guards(around, scope)
        || handlers.iter().any(|handler| handler.types.is_empty() || handler.types.iter().any(for_all))
}

/// Whether a `try` catches nothing but imports that fail: a name that is missing goes past it.
pub(super) fn is_for_imports(around: &Ancestor<'_, '_>) -> bool {
    match around {
        Ancestor::Try(Statement { kind: StatementKind::Try { handlers, .. }, .. }) => {
            !handlers.is_empty() && handlers.iter().all(|handler| handler.import_errors)
        }
        _ => false,
    }
}

/// Whether a handler of these types is about a name that is missing. One for all exceptions hides the mistake instead.
fn survives(types: &[Expr<'_>], scope: &FileScope<'_>) -> bool {
    const MISSING: [&str; 4] =
        ["AttributeError", "ImportError", "ModuleNotFoundError", "NotImplementedError"];
    types.iter().any(|caught| MISSING.contains(&scope.text(caught.span)))
}
